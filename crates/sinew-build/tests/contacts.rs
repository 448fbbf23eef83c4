//! Markers of foot contacts on the clips of a build, compressed or not.

use sinew_build::project::Project;
use sinew_testkit::humanoid;
use std::fs;

#[test]
fn markers_are_on_the_clips_of_a_build() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in humanoid::files() {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let clips =
        "[[characters.hero.clips]]\nfile = 'walk.fbx'\n[[characters.hero.clips]]\nfile = 'idle.fbx'\n";
    let text = format!("[build]\ncompress = 'balanced'\n[characters.hero]\nfile = 'hero.fbx'\n{clips}");
    fs::write(folder.path().join("sinew.toml"), text).unwrap();
    // What is said of a clip made in place is kept; a walk that travels needs no telling.
    let contacts = "[clips.idle]\nground_velocity = [0.0, 0.0, 1.5]\n";
    fs::write(folder.path().join("hero.contacts.toml"), contacts).unwrap();
    let project = Project::open(folder.path()).unwrap();
    let jobs = project.jobs(&[], &[]).unwrap();
    let compiled = jobs[0].compile().unwrap();
    let names = |character: &sinew::Character, clip: &str| {
        let clip = character.clips().by_name(clip).unwrap();
        clip.markers().iter().map(|marker| marker.name.clone()).collect::<Vec<_>>()
    };
    let bundled = compiled.bundle.unwrap().compressed.character;
    for character in [&compiled.character, &bundled] {
        let mut walk = names(character, "walk");
        walk.sort();
        assert_eq!(walk, ["left-foot down", "left-foot up", "right-foot down", "right-foot up"]);
        assert_eq!(names(character, "idle"), [""; 0]);
        let velocity = |clip: &str| character.clips().by_name(clip).unwrap().ground_velocity().to_array();
        assert_eq!((velocity("idle"), velocity("walk")), ([0.0, 0.0, 1.5], [0.0; 3]));
    }
}
