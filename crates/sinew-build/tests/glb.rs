//! Binary glTF: the Khronos validator reports nothing, and what is written is read back.

mod common;
mod compare;
mod validator;

use common::{Random, Size, character};
use compare::compare;
use sinew::CharacterData;
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::{Character, Clip, ClipLibrary, Image, Joint, Mesh, Part, Skeleton, Space, Transform};
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_build::textures::Textures;
use sinew_import::{InfluenceLimit, Options, SourceInfo, import_bytes};
use std::path::Path;

/// Random characters, with and without each kind of content.
fn made_up(seed: u64) -> Character {
    let pick = |shift: u64, below: u64| (seed.wrapping_mul(0x9E37_79B9) >> shift) % below;
    let size = Size {
        joints: pick(3, 30) as usize,
        meshes: pick(7, 4) as usize,
        vertices: pick(11, 30) as usize,
        clips: pick(13, 4) as usize,
        keys: pick(17, 9) as usize,
    };
    character(seed, size)
}

#[test]
fn the_validator_is_content_with_made_up_characters() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for seed in 0..120 {
        let glb = write_glb(&made_up(seed), &SourceInfo::default(), &GlbOptions::default()).unwrap();
        let path = folder.path().join(format!("{seed}.glb"));
        std::fs::write(&path, &glb.bytes).unwrap();
        files.push(path);
    }
    let test = "the_validator_is_content_with_made_up_characters";
    if let Some(complaints) = validator::complaints(test, &files) {
        assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), files.len(), complaints.join("\n"));
    }
}

#[test]
fn what_is_written_is_read_back() {
    let options = Options::default().with(|options| options.influences = InfluenceLimit::Eight);
    let mut clips = 0;
    for seed in 0..300 {
        let before = over_ground(&made_up(seed));
        if before.skeleton().is_empty() {
            continue;
        }
        let glb = write_glb(&before, &SourceInfo::default(), &GlbOptions::default()).unwrap();
        let after = import_bytes(&glb.bytes, Path::new("hero.glb"), &options).unwrap();
        let space = before.space();
        let turn = match Vec3::from(space.up) {
            Vec3::NEG_Y => Quat::from_rotation_x(std::f32::consts::PI),
            up => Quat::from_rotation_arc(up, Vec3::Y),
        };
        let change =
            Affine3::from_scale_rotation_translation(Vec3::splat(space.unit_meters), turn, Vec3::ZERO);
        compare(&before, &after, &change.into()).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        assert!(
            before.clips().infos().map(|i| (&i.name, &i.tag)).eq(after
                .character
                .clips()
                .infos()
                .map(|i| (&i.name, &i.tag)))
        );
        for (a, b) in before.clips().ready().zip(after.character.clips().ready()) {
            assert_eq!((a.events(), a.markers()), (b.events(), b.markers()));
            let velocity = change.transform_vector3(a.ground_velocity());
            assert!(velocity.abs_diff_eq(b.ground_velocity(), 1e-6 * velocity.length()), "seed {seed}");
            clips += 1;
        }
    }
    assert!(clips > 100, "{clips} clips were compared");
}

/// The same with clips that are made in place and move over the ground.
fn over_ground(character: &Character) -> Character {
    let mut library = ClipLibrary::default();
    for (info, clip) in character.clips().infos().zip(character.clips().ready()) {
        let moving = Clip::clone(&clip).with_ground_velocity(Vec3::new(0.5, 0.25, 1.5)).unwrap();
        library.add_with(info.clone(), moving);
    }
    character.with_clips(library).unwrap()
}

/// Viewers reverse the winding of a mirrored mesh; Sinew stores triangles with their final winding.
#[test]
fn the_front_of_a_mirrored_mesh_stays_in_front() {
    let mirror = Transform { scale: Vec3::new(-1.0, 1.0, 1.0), ..Transform::IDENTITY };
    let mesh = Mesh {
        joint: 0,
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y].into(),
        indices: vec![0, 1, 2].into(),
        parts: vec![Part { material: None, first: 0, count: 3 }],
        ..Mesh::new("triangle")
    };
    let character = Character::new(CharacterData {
        name: "mirror".into(),
        skeleton: Skeleton::new(vec![Joint::new("mirror", None, mirror)], vec![]).unwrap(),
        meshes: vec![mesh],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    });
    let glb = write_glb(&character.unwrap(), &SourceInfo::default(), &GlbOptions::default()).unwrap();
    assert!(
        glb.bytes.windows(6).any(|w| w == [0, 0, 1, 0, 2, 0]),
        "viewers turn the front round by the node"
    );
    let back = import_bytes(&glb.bytes, Path::new("mirror.glb"), &Options::default()).unwrap();
    assert_eq!(back.character.meshes()[0].indices, [0, 1, 2]);
}

/// Reading a damaged file ends with a character or an error.
#[test]
fn a_damaged_file_never_panics() {
    let r = &mut Random::new(3);
    let mut read = 0;
    for seed in 0..12 {
        let original =
            write_glb(&made_up(seed * 7 + 1), &SourceInfo::default(), &GlbOptions::default()).unwrap().bytes;
        for _ in 0..60 {
            let mut bytes = original.clone();
            for _ in 0..1 + r.below(3) {
                let at = 12 + r.below(bytes.len() - 12);
                // Digits for digits, so that the text often stays JSON.
                bytes[at] =
                    if bytes[at].is_ascii_digit() { b'0' + r.below(10) as u8 } else { r.below(256) as u8 };
            }
            let imported = import_bytes(&bytes, Path::new("hero.glb"), &Options::default());
            read += usize::from(imported.is_ok());
            let _ = import_bytes(&bytes[..r.below(bytes.len())], Path::new("hero.glb"), &Options::default());
        }
    }
    assert!(read > 0, "some damage does not matter");
}

/// The validator reports errors of a wrong file.
#[test]
fn the_validator_finds_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let size = Size { joints: 3, meshes: 1, vertices: 9, clips: 1, keys: 3 };
    let mut bytes =
        write_glb(&character(1, size), &SourceInfo::default(), &GlbOptions::default()).unwrap().bytes;
    let place = bytes.windows(8).position(|w| w == b"POSITION").unwrap();
    bytes[place] = b'Q';
    let path = folder.path().join("wrong.glb");
    std::fs::write(&path, bytes).unwrap();
    if let Some(complaints) = validator::complaints("the_validator_finds_a_fault", &[path]) {
        assert_eq!(complaints.len(), 1);
    }
}

#[test]
fn the_same_character_gives_the_same_bytes() {
    let size = Size { joints: 20, meshes: 2, vertices: 40, clips: 3, keys: 9 };
    let write =
        || write_glb(&character(7, size), &SourceInfo::default(), &GlbOptions::default()).unwrap().bytes;
    assert_eq!(write(), write());
}

#[test]
fn pictures_are_referred_to_by_relative_uri() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("art & more").join("skin.png");
    std::fs::create_dir(picture.parent().unwrap()).unwrap();
    std::fs::write(&picture, common::PIXEL).unwrap();
    let size = Size { joints: 2, meshes: 1, vertices: 9, clips: 1, keys: 3 };
    let textured = |c: &sinew::Character| {
        c.materials().iter().any(|m| m.base_color_texture.is_some_and(|t| t.texture == 0))
    };
    let original = (0..).map(|seed| character(seed, size)).find(textured).unwrap();
    let mut textures = original.textures().to_vec();
    textures[0].image = Image::File(picture);
    textures[1].image = Image::Embedded(b"BM this is no PNG".to_vec().into());
    let character = common::with_textures(&original, textures);
    let mut options = GlbOptions::default();
    options.textures = Textures::Reference(folder.path().to_owned());
    let glb = write_glb(&character, &SourceInfo::default(), &options).unwrap();
    let about_pictures = glb.findings.iter().map(|f| f.id()).filter(|id| id.starts_with("glb.texture"));
    assert_eq!(about_pictures.collect::<Vec<_>>(), ["glb.texture-format"]);
    let text = String::from_utf8_lossy(&glb.bytes);
    assert!(text.contains("art%20%26%20more/skin.png"), "{text}");
    let path = folder.path().join("hero.glb");
    std::fs::write(&path, &glb.bytes).unwrap();
    if let Some(complaints) = validator::complaints("pictures_are_referred_to_by_relative_uri", &[path]) {
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

#[test]
fn pictures_that_gltf_does_not_hold_are_written_as_png() {
    use sinew_testkit::pictures::{ETC1S_COLORS, ktx2_etc1s};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skin.ktx2");
    std::fs::write(&file, ktx2_etc1s()).unwrap();
    let size = Size { joints: 2, meshes: 1, vertices: 9, clips: 1, keys: 3 };
    let original = character(7, size);
    let images = [Image::Embedded(ktx2_etc1s().into()), Image::File(file.clone())];
    let modes = [Textures::Embed, Textures::Reference(folder.path().to_owned())];
    for (image, textures) in images.iter().flat_map(|image| modes.iter().map(move |mode| (image, mode))) {
        let character = sinew::Character::new(sinew::CharacterData {
            name: original.name().into(),
            skeleton: (**original.skeleton()).clone(),
            meshes: original.meshes().to_vec(),
            materials: original.materials().to_vec(),
            textures: original
                .textures()
                .iter()
                .map(|t| sinew::Texture { image: image.clone(), ..t.clone() })
                .collect(),
            clips: original.clips().clone(),
            space: original.space(),
        });
        let mut options = GlbOptions::default();
        options.textures = textures.clone();
        let glb = write_glb(&character.unwrap(), &SourceInfo::default(), &options).unwrap();
        assert!(glb.findings.iter().all(|f| f.id() == "glb.texture-converted") && !glb.findings.is_empty());
        let read = sinew_import::import_bytes(&glb.bytes, &folder.path().join("a.glb"), &Default::default());
        for texture in read.unwrap().character.textures() {
            assert!(matches!(&texture.image, Image::Embedded(bytes) if bytes.starts_with(b"\x89PNG")));
            assert_eq!(sinew_image::decode(texture).unwrap().pixel(0, 0), ETC1S_COLORS[0]);
        }
    }
}
