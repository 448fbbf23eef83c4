//! The characters: generated files, loaded like any others.

use super::Result;
use sinew::Character;
use sinew_import::Options;
use sinew_import::tags::{TagPattern, TagTable};
use sinew_render::{Model, Renderer};
use sinew_testkit::creature;
use sinew_testkit::humanoid::{self, Motion};
use std::sync::Arc;

/// A loaded character, and its model on the device.
pub struct Actor {
    pub character: Arc<Character>,
    pub model: Model,
}

/// The humanoid with all its motions: the usual tags, and one for the blow.
pub fn hero(renderer: &mut Renderer) -> Result<Actor> {
    let folder = tempfile::tempdir()?;
    humanoid::write_to(folder.path())?;
    let animations = Motion::ALL.map(|motion| folder.path().join(format!("{}.fbx", motion.name())));
    let mut options = Options::default();
    options.tags.patterns.to_mut().insert(0, TagPattern::new(["bash"], "Strike"));
    let loaded = sinew_import::load_with(folder.path().join("hero.fbx"), &animations, &options)?;
    actor(loaded.character, renderer)
}

/// The little dragon with all its motions.
pub fn creature(renderer: &mut Renderer) -> Result<Actor> {
    let folder = tempfile::tempdir()?;
    creature::write_to(folder.path(), &creature::Style::default())?;
    let options = Options::default().with(|options| options.tags = TagTable::creature());
    actor(sinew_import::read(folder.path(), &options)?.character, renderer)
}

fn actor(character: Character, renderer: &mut Renderer) -> Result<Actor> {
    // Reads the textures, before the temporary folder is deleted.
    let model = renderer.load(&character)?;
    Ok(Actor { character: Arc::new(character), model })
}
