//! Odd files of the corpus load.

mod common;

use sinew::{Image, Mesh};
use sinew_import::{Imported, Options, SpaceMode, import};
use std::path::Path;

fn load(corpus: &Path, file: &str) -> Imported {
    let options = Options::default().with(|options| options.space = SpaceMode::Keep);
    import(&corpus.join(file), &options).unwrap_or_else(|e| panic!("{e}"))
}

fn only_mesh(imported: &Imported) -> &Mesh {
    let [mesh] = imported.character.meshes() else { panic!("{} meshes", imported.character.meshes().len()) };
    mesh
}

#[test]
fn encodings_make_no_difference() {
    let Some(corpus) = common::corpus("collada_odd::encodings_make_no_difference") else { return };
    let marked = load(&corpus, "assimp/Collada/cube_UTF8BOM.dae");
    let wide = load(&corpus, "assimp/Collada/cube_UTF16LE.dae");
    assert_eq!(only_mesh(&marked), only_mesh(&wide));
    assert_eq!(marked.character.skeleton().names(), wide.character.skeleton().names());
    let cube = only_mesh(&marked);
    assert_eq!((cube.indices.len(), cube.positions.len()), (36, 24));
    assert!(marked.findings.iter().all(|f| f.id() != "document.encoding"));
}

#[test]
fn empty_tags_are_nothing() {
    let Some(corpus) = common::corpus("collada_odd::empty_tags_are_nothing") else { return };
    let imported = load(&corpus, "assimp/Collada/cube_emptyTags.dae");
    assert_eq!(only_mesh(&imported).indices.len(), 36);
}

#[test]
fn an_archive_brings_its_pictures() {
    let Some(corpus) = common::corpus("collada_odd::an_archive_brings_its_pictures") else { return };
    let imported = load(&corpus, "assimp/Collada/duck.zae");
    let duck = only_mesh(&imported);
    assert_eq!(duck.indices.len() / 3, 4212);
    let material = &imported.character.materials()[duck.parts[0].material.expect("a material")];
    let texture = &imported.character.textures()[material.base_color_texture.expect("a texture").texture];
    assert!(matches!(&texture.image, Image::Embedded(bytes) if bytes.starts_with(b"\x89PNG")));
}

#[test]
fn polygons_are_cut() {
    let Some(corpus) = common::corpus("collada_odd::polygons_are_cut") else { return };
    let imported = load(&corpus, "three/collada/test/polygons.dae");
    let mesh = only_mesh(&imported);
    let text = std::fs::read_to_string(corpus.join("three/collada/test/polygons.dae")).unwrap();
    let corners = text.matches("<p>").count();
    assert!(corners > 0 && !mesh.indices.is_empty());
    assert!(mesh.indices.iter().all(|&i| (i as usize) < mesh.positions.len()));
}
