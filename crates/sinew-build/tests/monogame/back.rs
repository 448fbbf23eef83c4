//! Files that were written are read back by the importer: the same joints, clips and poses, and pictures from the files beside.

use crate::common::Folder;
use crate::{figures, written};
use sinew::glam::{Quat, Vec3};
use sinew::{
    Character, Clip, ClipInfo, ClipLibrary, Event, Fire, Image, Interpolation, JointTracks, Marker,
    RootMotion, Sampling, Severity, Socket, Track, Transform, job,
};
use sinew_build::monogame::{ClipFiles, MonoGame, MonoGameOptions, SkinningVersion};
use sinew_import::{Imported, Options};

fn read_back(files: &MonoGame) -> Imported {
    let folder = Folder::new();
    files.files.iter().for_each(|file| folder.write(&file.name, &file.bytes));
    sinew_import::import(&folder.path("hero.xnb"), &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Model matrices of all joints at a time of a clip.
fn pose(character: &Character, clip: usize, time: f64) -> Vec<sinew::Mat3x4> {
    let skeleton = character.skeleton();
    let mut pose = skeleton.rest().clone();
    let clip = character.clips().get(clip).unwrap();
    job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    models
}

fn compare(source: &Character, read: &Character, tolerance: f32) {
    assert_eq!(read.skeleton().names(), source.skeleton().names());
    assert!(read.clips().names().eq(source.clips().names()));
    let triangles = |character: &Character| -> Vec<usize> {
        character.meshes().iter().map(|mesh| mesh.indices.len()).collect()
    };
    assert_eq!(triangles(read), triangles(source));
    let limit = tolerance * source.size();
    for clip in 0..source.clips().len() {
        let duration = source.clips().get(clip).unwrap().duration();
        for share in [0.0, 0.31, 0.77, 1.0] {
            let time = f64::from(duration * share);
            for (a, b) in pose(source, clip, time).iter().zip(pose(read, clip, time)) {
                assert!(a.translation().distance(b.translation()) <= limit, "clip {clip} at {time} s");
                let turned = (a.matrix3() - b.matrix3()).to_cols_array().into_iter().map(f32::abs);
                assert!(turned.fold(0.0, f32::max) <= 1e-3, "clip {clip} at {time} s");
            }
        }
    }
}

#[test]
fn what_was_written_reads_back() {
    let (creature, _pictures) = figures::creature();
    for character in [figures::hero(), creature] {
        for clips in [ClipFiles::Model, ClipFiles::Files] {
            let options = MonoGameOptions::default().with(|options| options.clips = clips);
            let read = read_back(&written(&character, &options));
            compare(&character, &read.character, 1e-6);
            let tags = |character: &Character| -> Vec<_> {
                character.clips().infos().map(|info| info.tag.clone()).collect()
            };
            assert_eq!(tags(&read.character), tags(&character));
            let textures = read.character.textures();
            assert!(!textures.is_empty() && textures.iter().all(|t| matches!(t.image, Image::Embedded(_))));
        }
    }
}

#[test]
fn version_one_reads_back_with_the_names_of_the_model() {
    let hero = figures::hero();
    let options = MonoGameOptions::default().with(|options| options.version = SkinningVersion::V1);
    // Between two keys a matrix is not as near as the tracks it was made from.
    compare(&hero, &read_back(&written(&hero, &options)).character, 1e-4);
}

/// The same file as the framework's own processor would have written it: readers by their bare names, and no tag.
fn as_by_the_processor(character: &Character) -> Vec<u8> {
    let files = written(character, &MonoGameOptions::default()).files;
    let xnb = sinew_xnb::read(&files.last().unwrap().bytes, 1 << 30).unwrap();
    let sinew_xnb::Asset::Model(mut model) = xnb.asset else { panic!("no model") };
    model.tag = sinew_xnb::Tag::None;
    let (platform, profile) = (xnb.platform, xnb.profile);
    let options = sinew_xnb::WriteOptions { platform, profile, skinning_reader: "" };
    let full = sinew_xnb::write(&sinew_xnb::Asset::Model(model), &options).unwrap();
    let mut table = crate::xnb::Bytes(&full[10..]);
    let mut bare = vec![table.packed() as u8];
    for _ in 0..bare[0] {
        let name = table.string();
        let (name, _assembly) = name.split_once(',').unwrap();
        bare.push(name.len() as u8);
        bare.extend(name.bytes().chain(table.i32().to_le_bytes()));
    }
    let mut file = full[..10].to_vec();
    file.extend(bare);
    file.extend(table.0);
    let size = file.len() as u32;
    file[6..10].copy_from_slice(&size.to_le_bytes());
    file
}

#[test]
fn models_of_the_frameworks_processor_are_read() {
    let bytes = as_by_the_processor(&figures::tiny());
    let read = sinew_import::import_bytes(&bytes, "tiny.xnb".as_ref(), &Options::default()).unwrap();
    assert_eq!(read.character.skeleton().names(), ["hip", "knee"]);
    assert_eq!((read.character.meshes()[0].indices.len(), read.character.clips().len()), (3, 0));
}

#[test]
fn what_is_not_read_is_named() {
    let mut bytes = as_by_the_processor(&figures::tiny());
    let name = b"Content.ModelReader";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    bytes[at + 8..at + name.len()].copy_from_slice(b"VideoReader");
    let error = sinew_import::import_bytes(&bytes, "tiny.xnb".as_ref(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("Microsoft.Xna.Framework.Content.VideoReader"), "{error}");
}

/// Events with all that they say, markers and sockets.
#[test]
fn moments_and_sockets_read_back() {
    let hero = figures::hero();
    let cry = Event { payload: "voice".into(), fire: Some(Fire::UnlessFading), ..Event::new(0.1, "cry") };
    let clip =
        Clip::clone(&hero.clips().get(0).unwrap()).with_events(vec![cry, Event::new(0.2, "end")]).unwrap();
    let clip = clip.with_markers(vec![Marker::new(0.15, "left-foot down")]).unwrap();
    let offset = Transform::from_translation(Vec3::new(0.1, 0.2, 0.3));
    let socket = Socket { name: "hand".into(), joint: 7, offset };
    let hero = hero.with_clips(ClipLibrary::new([clip.clone()])).unwrap().with_sockets(vec![socket]).unwrap();
    for clips in [ClipFiles::Model, ClipFiles::Files] {
        let files = written(&hero, &MonoGameOptions::default().with(|options| options.clips = clips));
        let read = read_back(&files).character;
        assert_eq!(read.sockets(), hero.sockets());
        let back = read.clips().get(0).unwrap();
        assert_eq!((back.events(), back.markers()), (clip.events(), clip.markers()));
        assert!(files.findings.iter().all(|finding| !finding.id().starts_with("monogame.turn")));
    }
}

/// What skinning data has no place for is said, and shown without being asked for.
#[test]
fn a_turn_and_a_velocity_over_the_ground_are_reported() {
    let hero = figures::hero();
    let turns = vec![Quat::IDENTITY, Quat::from_rotation_y(0.5)];
    let turns = Track::new(vec![0.0, 1.0], turns, Interpolation::Linear).unwrap();
    let tracks = JointTracks { rotation: Some(turns), ..JointTracks::new(0) };
    let turn = Clip::new("turn", 1.0, vec![tracks], vec![]).unwrap();
    let walk = Clip::new("walk", 1.0, vec![], vec![]).unwrap().with_ground_velocity(Vec3::Z).unwrap();
    let ids = |root_motion: RootMotion| {
        let mut clips = ClipLibrary::default();
        for clip in [&turn, &walk] {
            let info = ClipInfo { root_motion: Some(root_motion), ..ClipInfo::from(clip.name()) };
            clips.add_with(info, clip.clone());
        }
        let files = written(&hero.with_clips(clips).unwrap(), &MonoGameOptions::default());
        let own = files.findings.into_iter().filter(|f| f.severity() == Severity::Warning);
        own.map(|finding| (finding.id(), finding.place.to_string())).collect::<Vec<_>>()
    };
    let turn = ("monogame.turn-kept", "clip `turn`".to_owned());
    let ground = ("monogame.ground-velocity", "clip `walk`".to_owned());
    assert!(ids(RootMotion::Extract).contains(&turn) && ids(RootMotion::Extract).contains(&ground));
    assert!(ids(RootMotion::InPlace).contains(&turn) && !ids(RootMotion::InPlace).contains(&ground));
    assert!(!ids(RootMotion::Keep).iter().any(|found| [&turn, &ground].contains(&found)));
}
