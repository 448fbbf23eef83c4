//! Every quirk file loads in ufbx, has the quirk, and stands where its truth says.

mod common;

use common::{difference, load, models, models_at, to_metres_y_up, vertices_at};
use sinew_testkit::fixtures::{CHARACTER, CLIP, Fixture, quirks, stick};

/// Names differ between character and clip by their prefix only.
fn bare(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[test]
fn every_truth_holds_in_ufbx() {
    let mut compared = 0;
    for fixture in quirks::all() {
        for truth in &fixture.truth {
            let scene = load(&fixture.name, fixture.file(&truth.file));
            let found = models_at(&scene, &truth.take, truth.time);
            let mut joints = 0;
            for (name, model) in &found {
                let want = truth.joints.iter().find(|j| bare(&j.0) == bare(name));
                let Some((_, want)) = want else {
                    panic!("{}: nothing is known of `{name}`", fixture.name);
                };
                let error = difference(to_metres_y_up(&scene, *model), *want);
                assert!(error < 2e-6, "{}: `{name}` at {} is off by {error}", fixture.name, truth.time);
                joints += 1;
            }
            assert!(joints >= 10, "{}", fixture.name);
            compared += joints;
        }
    }
    assert!(compared > 700, "only {compared} were compared");
}

/// ufbx cannot play one file on another, so what it can deform is what the character's own file moves.
#[test]
fn vertices_are_where_they_are_said_to_be() {
    let fixture = quirks::blend_shapes();
    let own = fixture.truth.iter().filter(|t| t.file == CHARACTER);
    let mut compared = 0;
    for truth in own {
        let scene = load(&fixture.name, fixture.file(&truth.file));
        let found = vertices_at(&scene, &truth.take, truth.time);
        for ((name, found), (want_name, want)) in found.iter().zip(&truth.meshes) {
            assert_eq!(name, want_name);
            assert_eq!(found.len(), want.len());
            for (a, b) in found.iter().zip(want) {
                assert!((*a * 0.01).distance(*b) < 1e-6, "at {}", truth.time);
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "only {compared} were compared");
}

/// The same deformation on a character and clip in one file, where ufbx can follow.
#[test]
fn skins_move_as_in_ufbx() {
    let mut scene = stick::character();
    scene.takes.push(stick::take(&scene));
    let written = sinew_testkit::fbx::write(&scene);
    let loaded = load("stick", written.as_bytes());
    for time in [0.0, 0.35, 1.5] {
        let want = scene.deformed(Some(&scene.takes[0]), time);
        let found = vertices_at(&loaded, stick::TAKE, time);
        assert_eq!((found.len(), found[0].1.len()), (1, want[0].1.len()));
        for (a, b) in found[0].1.iter().zip(&want[0].1) {
            assert!(a.distance(*b) < 1e-4, "{a} instead of {b} at {time}");
        }
    }
}

#[test]
fn characters_rest_in_their_bind() {
    for fixture in quirks::all() {
        let scene = load(&fixture.name, fixture.file(CHARACTER));
        let bones = scene.nodes.iter().filter(|n| n.bone.is_some()).count();
        assert!(bones >= 10, "{}", fixture.name);
        // Where the mesh stands.
        let stands = common::matrix(&scene.meshes[0].element.instances[0].geometry_to_world);
        for cluster in scene.meshes[0].skin_deformers.iter().flat_map(|s| &s.clusters) {
            let Some(bone) = &cluster.bone_node else {
                panic!("{}: a cluster has no bone", fixture.name);
            };
            let rest = common::matrix(&bone.node_to_world);
            let skin = rest * common::matrix(&cluster.geometry_to_bone);
            assert!(difference(skin, stands) < 1e-6, "{}: `{}`", fixture.name, bone.element.name);
        }
    }
}

#[test]
fn names_are_unique_and_bytes_repeat() {
    let (once, twice) = (quirks::all(), quirks::all());
    for (a, b) in once.iter().zip(&twice) {
        assert!(a.files == b.files, "{} differs between two runs", a.name);
    }
    let mut names: Vec<&str> = once.iter().map(|f| f.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), once.len());
}

fn clip(fixture: &Fixture) -> ufbx::SceneRoot {
    load(&fixture.name, fixture.file(CLIP))
}

fn character(fixture: &Fixture) -> ufbx::SceneRoot {
    load(&fixture.name, fixture.file(CHARACTER))
}

#[test]
fn clips_have_limbs_and_no_mesh() {
    let scene = clip(&quirks::without_skin());
    assert_eq!(scene.meshes.len(), 0);
    assert_eq!(scene.skin_deformers.len(), 0);
    assert_eq!(scene.bones.len(), 10);
    assert_eq!(scene.anim_stacks.len(), 1);
    let stack = &scene.anim_stacks[0];
    assert_eq!((stack.time_begin, stack.time_end), (0.0, 2.0));
}

#[test]
fn pre_rotations_are_in_the_file() {
    let scene = clip(&quirks::pre_rotation());
    for (name, degrees) in [("Hips", -90.0), ("LeftLeg", 180.0)] {
        let found = scene
            .find_node(name)
            .and_then(|n| ufbx::find_prop(&n.element.props, "PreRotation"))
            .map_or(glam::DVec4::ZERO, |p| {
                let v = p.value_vec4;
                glam::DVec4::new(v.x, v.y, v.z, 0.0)
            });
        assert!(found.abs().max_element() > f64::abs(degrees) - 1e-6, "{name} has {found}");
    }
}

#[test]
fn order_prefix_unit_and_axes_differ() {
    let names = |scene: &ufbx::SceneRoot| -> Vec<String> { models(scene).into_iter().map(|m| m.0).collect() };
    let shuffled = quirks::shuffled();
    assert_ne!(names(&clip(&shuffled)), names(&character(&shuffled))[..10]);
    let prefix = quirks::prefix();
    assert!(names(&clip(&prefix)).iter().all(|n| n.starts_with("mixamorig1:")));
    assert!(names(&character(&prefix)).iter().all(|n| n.starts_with("mixamorig:")));
    let unit = |s: ufbx::SceneRoot| s.settings.unit_meters;
    let (metre, centimetre) = (quirks::metre_clip(), quirks::centimetre_clip());
    assert_eq!((unit(character(&metre)), unit(clip(&metre))), (0.01, 1.0));
    assert_eq!((unit(character(&centimetre)), unit(clip(&centimetre))), (1.0, 0.01));
    let up = clip(&quirks::z_up_clip()).settings.axes.up;
    assert_eq!(up, ufbx::CoordinateAxis::PositiveZ);
}

#[test]
fn two_roots() {
    let scene = clip(&quirks::second_root());
    assert_eq!(scene.root_node.children.len(), 2);
}

#[test]
fn inherit_types_are_read_as_meant() {
    let scene = character(&quirks::scale_not_inherited());
    let mode = |name: &str| scene.find_node(name).map(|n| n.inherit_mode);
    assert_eq!(mode("Head"), Some(ufbx::InheritMode::IgnoreParentScale));
    assert_eq!(mode("LeftArm"), Some(ufbx::InheritMode::ComponentwiseScale));
    assert_eq!(mode("Spine"), Some(ufbx::InheritMode::Normal));
}

#[test]
fn takes() {
    let ranges = |fixture: Fixture| -> Vec<(String, f64, f64, usize)> {
        let scene = clip(&fixture);
        let stacks = scene.anim_stacks.iter();
        stacks
            .map(|s| {
                let curves = s.layers.iter().map(|l| l.anim_values.len()).sum();
                (s.element.name.to_string(), s.time_begin, s.time_end, curves)
            })
            .collect()
    };
    let take = |name: &str, begin, end, values| (name.to_string(), begin, end, values);
    assert_eq!(
        ranges(quirks::empty_take()),
        [take("Take 001", 0.0, 1.0, 0), take("mixamo.com", 0.0, 2.0, 11)]
    );
    assert_eq!(
        ranges(quirks::several_takes()),
        [take("sway", 0.0, 2.0, 11), take("nod", 0.0, 1.0, 1), take("shake", 0.0, 0.5, 1)]
    );
    assert_eq!(ranges(quirks::zero_duration()), [take("sway", 0.0, 0.0, 11)]);
    assert_eq!(ranges(quirks::curves_past_take()), [take("sway", 0.5, 1.5, 11)]);
}

#[test]
fn key_counts() {
    let counts = |fixture: Fixture| -> Vec<usize> {
        let scene = clip(&fixture);
        scene.anim_curves.iter().map(|c| c.keyframes.len()).collect()
    };
    assert!(counts(quirks::single_key()).iter().all(|&n| n == 1));
    assert!(counts(quirks::curves_past_take()).iter().all(|&n| n == 61));
    assert!(counts(quirks::tangents()).contains(&4));
}

#[test]
fn two_meshes_with_two_binds() {
    let scene = character(&quirks::two_binds());
    assert_eq!(scene.meshes.len(), 2);
    let bind = |mesh: usize| {
        let clusters = scene.meshes[mesh].skin_deformers[0].clusters.iter();
        clusters
            .filter(|c| c.bone_node.as_ref().is_some_and(|b| &*b.element.name == "LeftArm"))
            .map(|c| common::matrix(&c.geometry_to_bone))
            .next()
            .unwrap_or_default()
    };
    assert!(difference(bind(0), bind(1)) > 0.5);
}

#[test]
fn ten_influences() {
    let scene = character(&quirks::ten_weights());
    let skin = &scene.meshes[0].skin_deformers[0];
    assert_eq!(skin.max_weights_per_vertex, 10);
    for vertex in &skin.vertices {
        let (begin, count) = (vertex.weight_begin as usize, vertex.num_weights as usize);
        let sum: f64 = (begin..begin + count).map(|i| skin.weights[i].weight).sum();
        assert!((sum - 1.0).abs() < 1e-8);
    }
}

#[test]
fn the_prop_hangs_on_the_arm() {
    let scene = character(&quirks::prop_on_hand());
    let Some(club) = scene.find_node("Club") else {
        panic!("there is no club");
    };
    assert!(club.has_geometry_transform);
    assert_eq!(club.parent.as_ref().map(|p| p.element.name.to_string()), Some("RightArm".into()));
    assert!(club.mesh.as_ref().is_some_and(|m| m.skin_deformers.is_empty()));
}

#[test]
fn blend_shape_weights_are_animated() {
    let scene = character(&quirks::blend_shapes());
    assert_eq!(scene.blend_channels.len(), 2);
    let Some(stack) = scene.find_anim_stack("breathe") else {
        panic!("there is no take");
    };
    for (channel, rest, middle) in [("Puff", 0.0, 1.0), ("Pinch", 0.25, 1.0)] {
        let found = scene.blend_channels.iter().find(|c| &*c.element.name == channel);
        let Some(found) = found else {
            panic!("there is no `{channel}`");
        };
        assert!((found.weight - rest).abs() < 1e-9);
        assert!((found.evaluate_blend_weight(&stack.anim, 1.0) - middle).abs() < 1e-6);
        let offsets = found.target_shape.as_ref().map_or(0, |s| s.num_offsets);
        assert!(offsets > 10);
    }
}

#[test]
fn textures() {
    let embedded = character(&quirks::embedded_texture());
    let texture = &embedded.textures[0];
    assert!(texture.content.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(texture.content.ends_with(b"IEND\xae\x42\x60\x82"));
    assert!(embedded.materials[0].fbx.diffuse_color.texture.is_some());
    let outside = character(&quirks::texture_outside());
    assert_eq!(&*outside.textures[0].relative_filename, "../../secret.png");
    assert!(outside.textures[0].content.is_empty());
}
