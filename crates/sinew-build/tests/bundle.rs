//! Bundles: what is written is read back; what is damaged is refused.

mod common;

use common::{PIXEL, Random, Size, certificate, character, difference, full, sign, sorted, source, write};
use proptest::prelude::*;
use sinew::BundleError;
use sinew::bundle_file::{self as file, Sections};
use sinew::glam::{Quat, Vec3};
use sinew::skinning::SkinPlan;
use sinew::{
    Bundle, Bytes, Character, CharacterData, Clip, ClipLibrary, Image, Interpolation, Joint, JointTracks,
    Skeleton, Space, Track, Transform,
};
use sinew_build::bundle::{BundleOptions, write_bundle};
use sinew_build::textures::Textures;
use sinew_files::write_file;
use sinew_import::bundle::{BundleFile, layout};
use sinew_import::{Options, SourceInfo, import_bytes};

const SMALL: Size = Size { joints: 3, meshes: 2, vertices: 4, clips: 2, keys: 4 };
const LARGE: Size = Size { joints: 65, meshes: 3, vertices: 4000, clips: 10, keys: 40 };

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..Default::default() })]

    #[test]
    fn what_is_written_is_read_back(
        seed in any::<u64>(), joints in 0usize..40, meshes in 0usize..4, vertices in 0usize..30, clips in 0usize..4, keys in 0usize..9,
    ) {
        let original = sorted(&character(seed, Size { joints, meshes, vertices, clips, keys }));
        let bytes = write(&original);
        prop_assert_eq!(difference(&original, &Bundle::read(&bytes).unwrap().character), None);
        let bundle = BundleFile::read(&bytes).unwrap();
        prop_assert_eq!(difference(&original, &bundle.character), None);
        prop_assert_eq!(bundle.source, source(6, &original));
        prop_assert_eq!(bundle.certificate, Some(certificate(5, clips)));
        prop_assert_eq!(write(&bundle.character), bytes, "the same character, the same bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..Default::default() })]

    /// A bundle has its vertices in another order than the source; for tools they are as they were.
    #[test]
    fn the_order_of_vertices_is_restored(
        seed in any::<u64>(), joints in 1usize..9, meshes in 1usize..4, vertices in 0usize..60,
    ) {
        let original = character(seed, Size { joints, meshes, vertices, clips: 1, keys: 2 });
        let bytes = write(&original);
        let loaded = BundleFile::read(&bytes).unwrap();
        prop_assert_eq!(difference(&sorted(&original), &loaded.character), None);
        for mesh in loaded.character.meshes().iter().filter(|mesh| mesh.skin.is_some()) {
            prop_assert!(SkinPlan::new(mesh).unwrap().is_in_order());
        }
        let from = source(6, &original);
        for (index, mesh) in loaded.character.meshes().iter().enumerate() {
            for (vertex, position) in (0..).zip(&mesh.positions) {
                let before = loaded.source.imported_vertex(index, vertex);
                prop_assert_eq!(*position, original.meshes()[index].positions[before as usize]);
                prop_assert_eq!(loaded.source.vertex(index, vertex), from.vertex(index, before));
            }
        }
        let restored = import_bytes(&bytes, "hero.sinew".as_ref(), &Options::default()).unwrap();
        prop_assert_eq!(difference(&original, &restored.character), None);
        prop_assert_eq!(restored.source, from);
        let again = write_bundle(&loaded.character, &loaded.source, &BundleOptions::default(), loaded.certificate.as_ref());
        prop_assert_eq!(again.unwrap(), bytes, "what is in order stays in order");
    }
}

/// Nothing is copied that can stay in the file.
#[test]
fn a_loaded_character_borrows_from_its_bytes() {
    let bytes = Bytes::from(write(&full(LARGE)));
    let (start, end) = (bytes.as_ptr() as usize, bytes.as_ptr() as usize + bytes.len());
    let within = |at: *const u8| (start..end).contains(&(at as usize));
    let character = Bundle::read(bytes.clone()).unwrap().character;
    for mesh in character.meshes() {
        assert!(within(mesh.positions.as_ptr().cast()) && within(mesh.indices.as_ptr().cast()));
        assert!(mesh.skin.as_ref().is_none_or(|skin| within(skin.inverse_binds.as_ptr().cast())));
        assert!(mesh.morphs.iter().all(|m| m.deltas.is_empty() || within(m.deltas.as_ptr().cast())));
        assert!(within(mesh.name.as_ptr()));
    }
    for clip in character.clips().ready() {
        let mut tracks = clip.keys().unwrap().joints().iter().filter_map(|joint| joint.rotation.as_ref());
        assert!(
            tracks
                .all(|track| within(track.times().as_ptr().cast()) && within(track.values().as_ptr().cast()))
        );
    }
    assert!(character.skeleton().names().iter().all(|name| within(name.as_ptr())));
}

/// Bytes at any address are read: what is not aligned there is copied.
#[test]
fn bytes_need_not_be_aligned() {
    let bytes = write(&full(SMALL));
    let aligned = Bundle::read(&bytes).unwrap().character;
    for offset in 1..17 {
        let shifted =
            Bytes::from([vec![0; offset], bytes.clone()].concat()).slice(offset..offset + bytes.len());
        assert_eq!(difference(&Bundle::read(shifted).unwrap().character, &aligned), None, "{offset}");
    }
}

/// The travel that a bundle states is that of its clips.
#[test]
fn travel_is_stated() {
    let original = full(SMALL);
    let read = Bundle::read(write(&original)).unwrap().character;
    for index in 0..original.clips().len() {
        let measured = read.clips().get(index).unwrap().travel(&read, None);
        assert_eq!(read.clips().travel(index), measured.joint().map(|_| &measured));
    }
    assert!((0..original.clips().len()).any(|index| read.clips().travel(index).is_some()));
}

/// A dance that turns on the spot more than once, and a walk in place.
#[test]
fn whole_turns_and_velocities_over_the_ground_are_stated() {
    let skeleton = Skeleton::new(vec![Joint::new("hips", None, Transform::IDENTITY)], vec![]).unwrap();
    let times: Vec<f32> = (0..=16u8).map(|i| f32::from(i) / 16.0).collect();
    let turns = times.iter().map(|time| Quat::from_rotation_y(9.0 * time)).collect();
    let track = Track::new(times, turns, Interpolation::Linear).unwrap();
    let tracks = JointTracks { rotation: Some(track), ..JointTracks::new(0) };
    let dance = Clip::new("dance", 1.0, vec![tracks], vec![]).unwrap();
    let walk = Clip::new("walk", 2.0, vec![], vec![]).unwrap();
    let walk = walk.with_ground_velocity(Vec3::new(0.0, 0.0, 1.5)).unwrap();
    let data = CharacterData {
        name: "dancer".into(),
        skeleton,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new([dance, walk]),
        space: Space::CANONICAL,
    };
    let read = Bundle::read(write(&Character::new(data).unwrap())).unwrap().character;
    let travel = read.clips().travel(0).unwrap();
    assert!((travel.turn() - 9.0).abs() < 1e-5, "{}", travel.turn());
    let walk = read.clips().get(1).unwrap();
    assert_eq!(walk.ground_velocity(), Vec3::new(0.0, 0.0, 1.5));
    assert_eq!(walk.travel(&read, None).way(), Vec3::new(0.0, 0.0, 3.0));
}

/// The file in the repository was written by the first release of this version: it is read for ever. Set `SINEW_BLESS` to write it anew, as
/// long as the version is not released.
#[test]
fn a_bundle_of_version_1_0_is_read_for_ever() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/version-1.0.sinew");
    // What `full` found when the file was written.
    let original = character(1330, SMALL);
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::write(path, write(&original)).unwrap();
    }
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes[8..12], [1, 0, 0, 0], "version 1.0");
    let read = BundleFile::read(&bytes).unwrap();
    // The order of its vertices is that of its time.
    assert_eq!(difference(&sorted(&original), &sorted(&read.character)), None);
    let restored = import_bytes(&bytes, path.as_ref(), &Options::default()).unwrap();
    assert_eq!(difference(&original, &restored.character), None);
    assert_eq!(restored.source, source(6, &original));
    assert_eq!(read.certificate, Some(certificate(5, original.clips().len())));
}

#[test]
fn every_kind_of_section_is_written() {
    let bytes = write(&full(SMALL));
    let ids: Vec<_> = Sections::read(&bytes).unwrap().iter().map(|s| s.id).collect();
    use file::*;
    let of_tools = [layout::SRCS, layout::VORD, layout::CERT];
    let of_games = [INFO, SKEL, MESH, SKIN, MRPH, MATS, TXTR, CLIP, EVTS, MRKS, TRVL, SOCK, TAGS];
    for id in of_games.into_iter().chain(of_tools) {
        assert!(ids.contains(&id), "{}", id.escape_ascii());
    }
    for section in Sections::read(&bytes).unwrap().iter() {
        let offset = section.bytes.as_ptr() as usize - bytes.as_ptr() as usize;
        assert!(offset.is_multiple_of(64), "{}", section.place());
    }
}

#[test]
fn every_flipped_bit_is_an_error() {
    let mut bytes = write(&full(SMALL));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            assert!(Bundle::read(&bytes).is_err(), "byte {at}, bit {bit}");
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(Bundle::read(&bytes).is_ok());
}

#[test]
fn every_other_length_is_an_error() {
    let mut bytes = write(&full(SMALL));
    for length in 0..bytes.len() {
        assert!(Bundle::read(&bytes[..length]).is_err(), "{length} bytes");
    }
    bytes.extend([0; 64]);
    assert!(Bundle::read(&bytes).is_err());
}

#[test]
fn random_damage_to_a_large_bundle_is_an_error() {
    let original = write(&full(LARGE));
    let r = &mut Random::new(1);
    for round in 0..300 {
        let mut bytes = original.clone();
        for _ in 0..1 + r.below(4) {
            let at = r.below(bytes.len());
            bytes[at] = bytes[at].wrapping_add(1 + r.below(255) as u8);
        }
        assert!(Bundle::read(&bytes).is_err(), "round {round}");
        let length = r.below(bytes.len());
        assert!(Bundle::read(&original[..length]).is_err(), "{length} bytes");
    }
}

/// Damage with corrected checksums, as a hostile writer would make: only validation can detect it. Whatever is
/// still accepted must be a valid character.
#[test]
fn signed_damage_never_panics() {
    let original = write(&full(SMALL));
    let (mut accepted, mut whole) = (0, 0);
    for at in 64..original.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = original.clone();
            bytes[at] ^= change;
            sign(&mut bytes);
            if let Ok(bundle) = Bundle::read(&bytes) {
                accepted += 1;
                assert_valid(&bundle.character);
            }
            if let Ok(BundleFile { character, source, certificate, .. }) = BundleFile::read(&bytes) {
                whole += 1;
                // A changed byte may turn an embedded picture into the path of a file that does not exist.
                let options = BundleOptions::from(Textures::Omit);
                let written = write_bundle(&character, &source, &options, certificate.as_ref());
                assert!(written.is_ok(), "byte {at}: what was read is valid");
            }
        }
    }
    assert!(whole > 0, "a changed name or position is no error");
    assert!(whole < accepted, "a game skips what only tools read");
}

fn assert_valid(character: &Character) {
    let skeleton = character.skeleton();
    let mut player = sinew::Player::new(std::sync::Arc::new(character.clone()));
    for name in character.clips().names() {
        player.play(name).unwrap();
        player.update(0.37);
        assert_eq!(player.model_matrices().len(), skeleton.len());
    }
    for (index, mesh) in character.meshes().iter().enumerate() {
        let mut out = sinew::skinning::SkinnedVertices::for_mesh(mesh);
        out.skin(mesh, player.skin_matrices(index), player.pose().scalars()).unwrap();
    }
}

#[test]
fn unknown_sections_are_checked_and_skipped() {
    let original = full(SMALL);
    let bytes = write(&original);
    let (mut table, mut content) = (Vec::new(), Vec::new());
    let found: Vec<_> = Sections::read(&bytes).unwrap().iter().collect();
    let start = (64 + (found.len() + 1) * 32).next_multiple_of(64);
    let news = b"NEWS of a later version".as_slice();
    let all = found.iter().map(|s| (s.id, s.index, s.bytes)).chain([(*b"NEWS", 3, news)]);
    for (id, index, section) in all {
        table.extend(id);
        table.extend(index.to_le_bytes());
        table.extend(((start + content.len()) as u64).to_le_bytes());
        table.extend((section.len() as u64).to_le_bytes());
        table.extend([0; 8]);
        content.extend(section);
        content.resize(content.len().next_multiple_of(64), 0);
    }
    let mut file = bytes[..64].to_vec();
    file[12..16].copy_from_slice(&(found.len() as u32 + 1).to_le_bytes());
    file.extend(table);
    file.resize(start, 0);
    file.extend(content);
    let length = file.len() as u64;
    file[16..24].copy_from_slice(&length.to_le_bytes());
    sign(&mut file);
    let bundle = Bundle::read(&file).unwrap();
    assert_eq!(difference(&sorted(&original), &bundle.character), None);
    let place = file.windows(7).position(|w| w == b"NEWS of").unwrap();
    file[place] ^= 1;
    assert!(matches!(Bundle::read(&file), Err(BundleError::Checksum { what }) if what == "section NEWS 3"));
}

#[test]
fn a_newer_version_is_refused_with_a_hint() {
    let mut bytes = write(&full(SMALL));
    bytes[8] = 9;
    sign(&mut bytes);
    let error = Bundle::read(&bytes).unwrap_err();
    assert_eq!(error, BundleError::Version { major: 9, minor: sinew::bundle_file::MINOR });
    assert!(error.to_string().contains("update the library"), "{error}");
    for minor in [0, 3] {
        bytes[8..12].copy_from_slice(&[0, 0, minor, 0]);
        sign(&mut bytes);
        let error = Bundle::read(&bytes).unwrap_err();
        assert_eq!(error, BundleError::Version { major: 0, minor: minor.into() });
        assert!(error.to_string().contains("build it again"), "{error}");
    }
    bytes[8..12].copy_from_slice(&[1, 0, 7, 0]);
    sign(&mut bytes);
    assert!(Bundle::read(&bytes).is_ok(), "a higher minor version only adds sections");
    assert_eq!(Bundle::read(b"glTF").unwrap_err(), BundleError::NotABundle);
}

#[test]
fn an_unknown_encoding_is_refused_with_a_hint() {
    let mut bytes = write(&full(SMALL));
    let section = Sections::read(&bytes).unwrap().iter().find(|s| s.id == file::CLIP).unwrap();
    let at = section.bytes.as_ptr() as usize - bytes.as_ptr() as usize;
    bytes[at] = 7;
    sign(&mut bytes);
    let error = Bundle::read(&bytes).unwrap_err();
    assert!(matches!(error, BundleError::Encoding { encoding: 7, .. }), "{error}");
}

#[test]
fn pictures_go_in_or_stay_out() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("art").join("skin.png");
    std::fs::create_dir(folder.path().join("art")).unwrap();
    std::fs::write(&picture, PIXEL).unwrap();
    let original = full(SMALL);
    let mut textures = original.textures().to_vec();
    textures[0].image = Image::File(picture);
    let on_disk = common::with_textures(&original, textures);
    let read = |textures: Textures| {
        let mut options = BundleOptions::default();
        options.textures = textures;
        let bytes = write_bundle(&on_disk, &SourceInfo::default(), &options, None).unwrap();
        Bundle::read(&bytes).unwrap().character
    };
    assert_eq!(difference(&read(Textures::Embed), &sorted(&original)), None);
    let referenced = read(Textures::Reference(folder.path().join("build")));
    assert_eq!(referenced.textures()[0].image, Image::File("../art/skin.png".into()));
    assert_eq!(referenced.textures()[2].image, Image::Embedded(PIXEL.into()));
    let omitted = read(Textures::Omit);
    assert!(omitted.textures().iter().all(|t| t.image == Image::Missing));
    assert_eq!(omitted.textures()[0].name, original.textures()[0].name);
}

#[test]
fn a_certificate_of_another_character_is_refused() {
    let error = write_bundle(
        &full(SMALL),
        &SourceInfo::default(),
        &BundleOptions::default(),
        Some(&certificate(1, 9)),
    )
    .unwrap_err();
    assert!(error.to_string().contains("measures 9 clips"), "{error}");
}

#[test]
fn sources_of_another_character_are_refused() {
    let character = sorted(&full(SMALL));
    let write = |source: &SourceInfo| write_bundle(&character, source, &BundleOptions::default(), None);
    assert_eq!(
        BundleFile::read(write(&SourceInfo::default()).unwrap()).unwrap().source,
        SourceInfo::default()
    );
    let mut wrong = [(); 3].map(|()| source(6, &character));
    wrong[0].joints.pop();
    wrong[1].vertices[0] = vec![1];
    wrong[2].clips[0].start = f64::NAN;
    for (source, words) in wrong.iter().zip(["joints, meshes and clips", "source vertices", "not finite"]) {
        let error = write(source).unwrap_err().to_string();
        assert!(error.contains("section SRCS 0") && error.contains(words), "{error}");
    }
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.sinew");
    write_file(&path, b"old").unwrap();
    write_file(&path, b"new").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    // A folder at the output path cannot be replaced; no temporary file is left behind.
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    std::fs::write(taken.join("file"), b"").unwrap();
    assert!(write_file(&taken, b"new").is_err());
    assert!(write_file(&folder.path().join("no/such/folder"), b"new").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn threads_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hero.sinew");
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let path = &path;
            scope.spawn(move || (0..20).for_each(|_| write_file(path, &[thread; 1000]).unwrap()));
        }
    });
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() == 1000 && bytes.iter().all(|b| *b == bytes[0]));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Prints the sizes of the sections to the log; the limit is on what the format adds to the raw data.
#[test]
fn sizes() {
    let character = full(LARGE);
    let bytes = write(&character);
    let mut sizes = std::collections::BTreeMap::<String, (usize, usize)>::new();
    for section in Sections::read(&bytes).unwrap().iter() {
        let size = sizes.entry(section.id.escape_ascii().to_string()).or_default();
        *size = (size.0 + 1, size.1 + section.bytes.len());
    }
    let content: usize = sizes.values().map(|s| s.1).sum();
    #[allow(clippy::print_stdout, reason = "the report is for whoever runs the tests")]
    for (kind, (count, size)) in &sizes {
        println!(
            "{kind}  {count:3} sections  {size:9} bytes  {:5.1} %",
            *size as f64 * 100.0 / bytes.len() as f64
        );
    }
    assert!(bytes.len() - content < 64 * 64, "{} of {}", bytes.len() - content, bytes.len());
    let clips: usize = character.clips().ready().map(|clip| clip.bytes()).sum();
    assert!(sizes["CLIP"].1 < clips + clips / 8, "{} for {clips} bytes of keys", sizes["CLIP"].1);
}
