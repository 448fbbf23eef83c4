//! What models are asked to hold, case by case.

use crate::figures::{build, ribbon, strip};
use crate::poses::check;
use crate::xnb::{self, Effect, IDENTITY, Model, Object, Resource, Texture};
use crate::{file, model, written};
use sinew::glam::{Quat, Vec2, Vec3};
use sinew::{
    AlphaMode, Character, CharacterData, Clip, ClipLibrary, Image, Interpolation, Joint, JointTracks,
    Material, Mesh, MorphTarget, NO_JOINT, Part, Scalar, Skeleton, Skin, Space, TextureRef, Track, Transform,
    Wrap,
};
use sinew_build::bundle::WriteError;
use sinew_build::monogame::{
    ClipFiles, MonoGame, MonoGameError, MonoGameOptions, Over72, PlatformSetting, ProfileSetting,
    SkinningVersion, write_monogame,
};
use sinew_build::textures::Textures;
use sinew_import::SourceInfo;

fn options(change: impl FnOnce(&mut MonoGameOptions)) -> MonoGameOptions {
    MonoGameOptions::default().with(change)
}

fn refusal(character: &Character, options: &MonoGameOptions) -> MonoGameError {
    match write_monogame("hero.xnb", character, &SourceInfo::default(), &Textures::Embed, options) {
        Err(WriteError::MonoGame(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Ids of the findings, in order.
fn ids(written: &MonoGame) -> Vec<&'static str> {
    written.findings.iter().map(|finding| finding.id()).collect()
}

fn effects(model: &Model) -> Vec<&Effect> {
    let all = model.resources.iter();
    all.filter_map(|resource| if let Resource::Effect(effect) = resource { Some(effect) } else { None })
        .collect()
}

fn texture(bytes: &[u8]) -> Texture {
    match xnb::read(bytes).object {
        Object::Texture(texture) => texture,
        _ => panic!("no texture"),
    }
}

/// Two joints, of which the second turns, and a clip of one second.
fn two_joints(names: [&str; 2]) -> (Vec<Joint>, ClipLibrary) {
    let up = Transform::from_translation(Vec3::Y * 0.1);
    let joints = vec![Joint::new(names[0], None, Transform::IDENTITY), Joint::new(names[1], Some(0), up)];
    (joints, ClipLibrary::new([turning("turn", 1)]))
}

fn turning(name: &str, joint: u16) -> Clip {
    let values = vec![Quat::IDENTITY, Quat::from_rotation_z(0.5)];
    let track = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
    let tracks = JointTracks { rotation: Some(track), ..JointTracks::new(joint) };
    Clip::new(name, 1.0, vec![tracks], vec![]).unwrap()
}

fn down(by: f32) -> sinew::Mat3x4 {
    sinew::Mat3x4::from_translation(Vec3::NEG_Y * by)
}

/// A strip of two joints, with a material.
fn with_material(mesh: Mesh, material: Material, images: Vec<Vec<u8>>) -> Character {
    let (joints, clips) = two_joints(["a", "b"]);
    let mut mesh = mesh;
    mesh.parts.iter_mut().for_each(|part| part.material = Some(0));
    let texture = |(number, bytes): (usize, Vec<u8>)| sinew::Texture {
        name: format!("picture{number}"),
        reference: format!("art\\picture{number}.color.png"),
        image: Image::Embedded(bytes.into()),
    };
    Character::new(CharacterData {
        name: "strip".into(),
        skeleton: Skeleton::new(joints, vec![]).unwrap(),
        meshes: vec![mesh],
        materials: vec![material],
        textures: images.into_iter().enumerate().map(texture).collect(),
        clips,
        space: Space::CANONICAL,
    })
    .unwrap()
}

fn two_joint_strip() -> Mesh {
    let mut mesh = strip("strip", vec![(0, down(0.0)), (1, down(0.1))]);
    mesh.uvs = vec![Vec2::new(0.25, 0.75); mesh.positions.len()].into();
    mesh
}

#[test]
fn more_than_72_joints_are_split_into_parts_with_tables() {
    let ribbon = ribbon(108);
    let files = written(&ribbon, &MonoGameOptions::default());
    assert_eq!(ids(&files), ["monogame.split"]);
    let model = model(&files);
    let tag = model.tag.as_ref().unwrap();
    let parts = &model.meshes[0].parts;
    assert!(parts.len() > 1 && tag.tables.len() == parts.len());
    let triangles: usize = parts.iter().map(|part| part.primitives).sum();
    assert_eq!(triangles, ribbon.meshes()[0].indices.len() / 3);
    check("108 joints", &ribbon, &MonoGameOptions::default(), 5);
}

#[test]
fn more_than_72_joints_are_refused_with_the_number_and_what_could_go() {
    let v1 = options(|o| o.version = SkinningVersion::V1);
    for options in [options(|o| o.over_72 = Over72::Refuse), v1] {
        let error = refusal(&ribbon(108), &options);
        let MonoGameError::TooManyBones { count, could_go, .. } = &error else { panic!("{error}") };
        // The clip moves the root, so there is one above it that does not move.
        assert_eq!((*count, could_go.len()), (109, 37));
        assert_eq!(could_go[0], "j107");
        let text = error.to_string();
        assert!(text.contains("109 bones") && text.contains("`j107`") && text.contains("prune"), "{text}");
    }
}

#[test]
fn more_than_72_joints_are_pruned() {
    for version in [SkinningVersion::V1, SkinningVersion::V2] {
        let options = options(|o| (o.version, o.over_72) = (version, Over72::Prune));
        let files = written(&ribbon(108), &options);
        assert!(ids(&files).contains(&"monogame.weights-moved"));
        let model = model(&files);
        assert_eq!((model.bones.len(), model.meshes[0].parts.len()), (72, 1));
        assert!(model.tag.unwrap().tables.is_empty());
    }
}

#[test]
fn joints_that_move_nothing_are_left_out_before_anything_is_refused() {
    let body = ribbon(60);
    let mut joints: Vec<Joint> = body.skeleton().joints().collect();
    let tip = |i| Joint::new(format!("tip{i}"), Some(59), Transform::IDENTITY);
    joints.extend((0..20).map(tip));
    let character = build("tips", joints, body.meshes().to_vec(), body.clips().clone());
    let options = options(|o| o.version = SkinningVersion::V1);
    let files = written(&character, &options);
    assert!(ids(&files).contains(&"monogame.joints-pruned"));
    assert_eq!(model(&files).bones.len(), 61, "with a root that does not move");
}

#[test]
fn a_second_bind_is_a_bone_of_its_own() {
    let (joints, clips) = two_joints(["a", "b"]);
    let meshes = vec![
        strip("first", vec![(0, down(0.0)), (1, down(0.1))]),
        strip("second", vec![(0, down(0.0)), (1, down(0.4))]),
    ];
    let character = build("binds", joints, meshes, clips);
    let model = model(&written(&character, &MonoGameOptions::default()));
    let extra = &model.bones[2];
    assert_eq!((extra.name.as_str(), extra.parent, extra.transform), ("b$bind1", Some(1), IDENTITY));
    check("two binds", &character, &MonoGameOptions::default(), 5);
}

#[test]
fn several_roots_get_one() {
    let joints = ["left", "right"].map(|name| Joint::new(name, None, Transform::IDENTITY)).to_vec();
    let clips = ClipLibrary::new([turning("turn", 1)]);
    let character = build("roots", joints, vec![strip("s", vec![(0, down(0.0)), (1, down(0.1))])], clips);
    let model = model(&written(&character, &MonoGameOptions::default()));
    let names: Vec<&str> = model.bones.iter().map(|bone| bone.name.as_str()).collect();
    assert_eq!(names, ["$root", "left", "right"]);
    assert_eq!((model.root, &*model.bones[0].children, model.meshes[0].bone), (0, &[1, 2][..], 0));
    assert_eq!(model.bones[0].transform, IDENTITY);
    check("two roots", &character, &MonoGameOptions::default(), 5);
}

#[test]
fn untextured_parts_get_a_white_texture_where_the_effect_needs_one() {
    let files = written(&ribbon(2), &MonoGameOptions::default());
    let skinned = model(&files);
    assert_eq!(effects(&skinned)[0].texture, "hero/textures/white");
    let white = texture(file(&files, "hero/textures/white.xnb"));
    assert_eq!((white.width, white.height, white.levels), (1, 1, vec![vec![255; 4]]));

    let mut rigid = two_joint_strip();
    (rigid.skin, rigid.influences, rigid.joint) = (None, Default::default(), 1);
    let (joints, clips) = two_joints(["a", "b"]);
    let character = build("rigid", joints, vec![rigid.clone()], clips);
    let files = written(&character, &MonoGameOptions::default());
    let moved = model(&files);
    assert_eq!(files.files.len(), 1);
    let effect = effects(&moved)[0];
    assert_eq!((effect.skinned, effect.texture.as_str(), moved.meshes[0].bone), (false, "", 1));
    check("rigid", &character, &MonoGameOptions::default(), 3);

    rigid.joint = NO_JOINT;
    let still = build("still", vec![], vec![rigid], ClipLibrary::default());
    let still = model(&written(&still, &MonoGameOptions::default()));
    assert!(still.tag.is_none() && !effects(&still)[0].skinned);
}

#[test]
fn the_layout_is_that_of_the_frameworks_own_processor() {
    let model = model(&written(&ribbon(2), &MonoGameOptions::default()));
    let Resource::Vertices(vertices) = &model.resources[0] else { panic!("no vertices") };
    // Position, BlendIndices as Byte4, BlendWeight as Vector4, Normal, TexCoord.
    let elements = [[0, 2, 0, 0], [12, 5, 6, 0], [16, 3, 7, 0], [32, 2, 3, 0], [44, 1, 2, 0]];
    assert_eq!((vertices.stride, &*vertices.elements, vertices.count), (52, &elements[..], 4));
    let Resource::Indices { short, indices } = &model.resources[1] else { panic!("no indices") };
    // The triangles 0 1 3 and 0 3 2 of the strip, clockwise, in vertices as they were met.
    let place = |index: &u32| vertices.at(*index as usize, 0).singles::<3>();
    let corners: Vec<[f32; 3]> = indices.iter().map(place).collect();
    let source = [0, 3, 1, 0, 2, 3].map(|vertex| ribbon(2).meshes()[0].positions[vertex].to_array());
    assert!(*short);
    assert_eq!(corners, source);
    assert_eq!(model.meshes[0].sphere, [0.0, 0.05, 0.0, Vec2::new(0.1, 0.05).length()]);
}

#[test]
fn missing_normals_are_made() {
    let mut mesh = two_joint_strip();
    mesh.normals = Default::default();
    mesh.uvs = Default::default();
    let (joints, clips) = two_joints(["a", "b"]);
    let model = model(&written(&build("bare", joints, vec![mesh], clips), &MonoGameOptions::default()));
    let Resource::Vertices(vertices) = &model.resources[0] else { panic!("no vertices") };
    for vertex in 0..vertices.count {
        let normal = Vec3::from_array(vertices.at(vertex, vertices.offset(2, 3).unwrap()).singles());
        assert!(normal.distance(Vec3::Z) < 1e-6, "{normal}");
        assert_eq!(vertices.at(vertex, vertices.offset(1, 2).unwrap()).singles(), [0.0, 0.0]);
    }
}

/// A strip of so many vertices, all moved by one joint.
fn long_strip(vertices: u32) -> Mesh {
    let mut mesh = Mesh::new("long");
    mesh.positions = (0..vertices).map(|i| Vec3::new((i % 2) as f32, (i / 2) as f32 * 1e-3, 0.0)).collect();
    mesh.normals = vec![Vec3::Z; vertices as usize].into();
    mesh.indices = (0..vertices - 2).flat_map(|i| [i, i + 1 + i % 2, i + 2 - i % 2]).collect();
    mesh.influences.per_vertex = 4;
    mesh.influences.skin_joints = vec![0; 4 * vertices as usize].into();
    mesh.influences.weights = [1.0, 0.0, 0.0, 0.0].repeat(vertices as usize).into();
    mesh.skin = Some(Skin { joints: vec![1].into(), inverse_binds: vec![down(0.1)].into() });
    mesh.parts = vec![Part { first: 0, count: mesh.indices.len() as u32, material: None }];
    mesh
}

#[test]
fn seventy_thousand_vertices_have_32_bit_indices() {
    for (vertices, short) in [(65_535, true), (65_536, false), (70_000, false)] {
        let (joints, clips) = two_joints(["a", "b"]);
        let character = build("long", joints, vec![long_strip(vertices)], clips);
        let files = written(&character, &MonoGameOptions::default());
        let read = xnb::read(&files.files.last().unwrap().bytes);
        assert_eq!(read.hidef, !short, "{vertices}");
        let model = read.model();
        let Resource::Indices { short: found, indices } = &model.resources[1] else { panic!("no indices") };
        assert_eq!((*found, indices.iter().max()), (short, Some(&(vertices - 1))));
        if !short {
            check("many vertices", &character, &MonoGameOptions::default(), 2);
            let error = refusal(&character, &options(|o| o.profile = ProfileSetting::Reach));
            assert!(error.to_string().contains("65535 vertices"), "{error}");
        }
    }
}

#[test]
fn a_file_of_clips_alone_is_a_model_without_meshes() {
    let (joints, clips) = two_joints(["hips", "spine"]);
    let files = written(&build("clips", joints, vec![], clips), &MonoGameOptions::default());
    let model = model(&files);
    let tag = model.tag.as_ref().unwrap();
    assert_eq!((model.meshes.len(), model.resources.len(), files.files.len()), (0, 0, 1));
    assert_eq!((&*tag.names, tag.clips.len()), (&["hips".to_owned(), "spine".to_owned()][..], 1));
}

#[test]
fn clips_can_lie_in_files_of_their_own() {
    let (joints, _) = two_joints(["a", "b"]);
    let clips = ClipLibrary::new([turning("Walk", 1), turning("walk", 1), turning("a|b", 1)]);
    let character = build("clips", joints, vec![two_joint_strip()], clips);
    for version in [SkinningVersion::V1, SkinningVersion::V2] {
        let options = options(|o| (o.version, o.clips) = (version, ClipFiles::Files));
        let files = written(&character, &options);
        let tag = model(&files).tag.unwrap();
        assert!(tag.clips.is_empty());
        let named = [("Walk", "Walk"), ("walk", "walk_2"), ("a|b", "a_b")];
        for (index, (name, stem)) in named.into_iter().enumerate() {
            let asset = format!("hero/clips/{stem}");
            let read = xnb::read(file(&files, &format!("{asset}.xnb")));
            let Object::Skinning(alone) = read.object else { panic!("no clip") };
            assert_eq!((alone.clips.len(), alone.clips[0].name.as_str()), (1, name));
            if version == SkinningVersion::V2 {
                assert_eq!(tag.lazy[index], (name.to_owned(), String::new(), 1.0, asset));
                assert_eq!((alone.inverse_binds.len(), alone.names), (0, tag.names.clone()));
            }
        }
    }
}

#[test]
fn names_may_be_of_any_letters() {
    let (joints, _) = two_joints(["хребет", "右手"]);
    let clips = ClipLibrary::new([turning("歩く", 1)]);
    let mut mesh = two_joint_strip();
    mesh.name = "Körper".into();
    let character = build("имя", joints, vec![mesh], clips);
    let files = written(&character, &options(|o| o.clips = ClipFiles::Files));
    let model = model(&files);
    let tag = model.tag.as_ref().unwrap();
    assert_eq!(tag.names, ["хребет", "右手"]);
    assert_eq!((model.meshes[0].name.as_str(), tag.lazy[0].3.as_str()), ("Körper", "hero/clips/歩く"));
    file(&files, "hero/clips/歩く.xnb");
}

/// A picture that is half there: red with an alpha of 128.
fn half_red(width: u32, height: u32) -> Vec<u8> {
    sinew_testkit::png::encode_rgba(width, height, |_, _| [255, 0, 0, 128])
}

fn blended() -> Material {
    Material { name: "skin".into(), alpha: AlphaMode::Blend, ..Material::default() }
}

#[test]
fn textures_are_premultiplied_and_have_mip_maps() {
    let material = Material { base_color_texture: Some(TextureRef::new(0)), ..blended() };
    let files = written(
        &with_material(two_joint_strip(), material, vec![half_red(8, 2)]),
        &MonoGameOptions::default(),
    );
    assert_eq!(effects(&model(&files))[0].texture, "hero/textures/picture0");
    let read = texture(file(&files, "hero/textures/picture0.xnb"));
    assert_eq!((read.width, read.height, read.levels.len()), (8, 2, 4));
    assert!(read.levels.iter().all(|level| level.as_chunks::<4>().0.iter().all(|p| *p == [128, 0, 0, 128])));
}

#[test]
fn reach_has_no_mip_maps_and_no_wrapping_without_powers_of_two() {
    let mut clamped = TextureRef::new(0);
    clamped.sampler.wrap = [Wrap::Clamp; 2];
    let files = |texture: TextureRef, profile: ProfileSetting| {
        let material = Material { base_color_texture: Some(texture), ..blended() };
        let character = with_material(two_joint_strip(), material, vec![half_red(6, 4)]);
        written(&character, &options(|o| o.profile = profile))
    };
    let looks = |files: &MonoGame| {
        let bytes = file(files, "hero/textures/picture0.xnb");
        (xnb::read(bytes).hidef, texture(bytes).levels.len())
    };
    assert_eq!(looks(&files(clamped, ProfileSetting::Auto)), (false, 1));
    let wrapped = files(TextureRef::new(0), ProfileSetting::Auto);
    assert_eq!(looks(&wrapped), (true, 3), "HiDef can do both");
    let forced = files(TextureRef::new(0), ProfileSetting::Reach);
    assert_eq!(looks(&forced), (false, 1));
    assert!(ids(&forced).contains(&"monogame.reach-wrap") && !ids(&wrapped).contains(&"monogame.reach-wrap"));
}

#[test]
fn what_xnb_cannot_hold_is_told() {
    let mut mesh = two_joint_strip();
    let count = mesh.positions.len();
    mesh.influences.per_vertex = 8;
    mesh.influences.skin_joints = [0, 1, 2, 3, 4, 0, 0, 0].repeat(count).into();
    mesh.influences.weights = [0.3, 0.2, 0.2, 0.2, 0.1, 0.0, 0.0, 0.0].repeat(count).into();
    mesh.influences.dual_quaternion = vec![1.0; count].into();
    mesh.skin = Some(Skin { joints: (0..5).collect(), inverse_binds: vec![down(0.0); 5].into() });
    mesh.parts[0].material = Some(0);
    let material = Material {
        alpha: AlphaMode::Mask(0.5),
        normal_texture: Some(TextureRef::new(0)),
        two_sided: true,
        ..blended()
    };
    mesh.morphs = vec![MorphTarget { name: "smile".into(), scalar: 0, deltas: Default::default() }];
    let joints = (0..5u16).map(|j| Joint::new(format!("j{j}"), j.checked_sub(1), Transform::IDENTITY));
    let smile = Scalar { name: "smile".into(), rest: 0.0 };
    let character = Character::new(CharacterData {
        name: "full".into(),
        skeleton: Skeleton::new(joints.collect(), vec![smile]).unwrap(),
        meshes: vec![mesh],
        materials: vec![material],
        textures: vec![sinew::Texture {
            name: "bumps".into(),
            reference: String::new(),
            image: Image::Embedded(half_red(2, 2).into()),
        }],
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    })
    .unwrap();
    let files = written(&character, &MonoGameOptions::default());
    let expected = [
        "monogame.morphs",
        "monogame.dual-quaternion",
        "monogame.influences",
        "monogame.texture-dropped",
        "monogame.alpha-test",
        "monogame.two-sided",
    ];
    assert_eq!(ids(&files), expected);
    let influences = &files.findings[2];
    assert!(influences.message.contains("10.0 %"), "{}", influences.message);
}

#[test]
fn platform_and_reader_are_as_asked_for() {
    let with = |platform| {
        let files = written(&ribbon(2), &options(|o| o.platform = platform));
        files.files.iter().map(|file| xnb::read(&file.bytes).platform).collect::<Vec<_>>()
    };
    assert_eq!(with(PlatformSetting::Desktopgl), ['d', 'd']);
    assert_eq!(with(PlatformSetting::Windows), ['w', 'w']);
    let own = options(|o| o.reader = "Game.Reader, Game".into());
    let bytes = &written(&ribbon(2), &own).files[1].bytes;
    assert!(bytes.windows(17).any(|window| window == b"Game.Reader, Game"));
    let readers = xnb::read(&written(&ribbon(2), &MonoGameOptions::default()).files[1].bytes).readers;
    assert_eq!(readers.last().unwrap(), "Sinew.SkinningDataReader, Sinew.MonoGame");
    for reader in ["Reader", "Reader,", ", Game", ""] {
        let error = refusal(&ribbon(2), &options(|o| o.reader = reader.into()));
        assert!(error.to_string().contains("Namespace.Type, Assembly"), "{error}");
    }
}
