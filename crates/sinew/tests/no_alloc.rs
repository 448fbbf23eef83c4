//! Nothing allocates after construction: checked with a counting allocator.

use sinew::CharacterData;
use sinew::glam::{Quat, Vec3, Vec4};
use sinew::skinning::SkinnedVertices;
use sinew::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

struct Counting;

thread_local! {
    // Per thread, so that the test harness's own threads do not disturb the count.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    /// Bytes that were allocated and not given back.
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        BYTES.with(|bytes| bytes.set(bytes.get() + layout.size() as isize));
        // SAFETY: the caller keeps `GlobalAlloc::alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        BYTES.with(|bytes| bytes.set(bytes.get() - layout.size() as isize));
        // SAFETY: the caller keeps `GlobalAlloc::dealloc`'s contract.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

fn clip(name: &str, joints: u16) -> Clip {
    let tracks = (0..joints).map(|joint| JointTracks {
        translation: Some(
            Track::new(vec![0.0, 1.0], vec![Vec3::Y, Vec3::new(0.0, 1.0, 2.0)], Interpolation::Linear)
                .unwrap(),
        ),
        rotation: Some(
            Track::new(
                vec![0.0, 0.5, 1.0],
                vec![Quat::IDENTITY, Quat::from_rotation_x(1.0), Quat::IDENTITY],
                Interpolation::Linear,
            )
            .unwrap(),
        ),
        ..JointTracks::new(joint)
    });
    let smile = ScalarTrack {
        scalar: 0,
        track: Track::new(vec![0.0, 1.0], vec![0.0, 1.0], Interpolation::Linear).unwrap(),
    };
    let events = vec![Event::new(0.0, "left"), Event::new(0.5, "right")];
    Clip::new(name, 1.0, tracks.collect(), vec![smile]).unwrap().with_events(events).unwrap()
}

/// A clip that is called as its tag, in lower case.
fn info(tag: &str) -> ClipInfo {
    ClipInfo { tag: Some(tag.into()), ..tag.to_lowercase().into() }
}

fn character() -> Arc<Character> {
    character_of(20)
}

fn character_of(count: u16) -> Arc<Character> {
    let joints = (0..count)
        .map(|i| Joint::new(format!("j{i}"), i.checked_sub(1), Transform::from_translation(Vec3::Y)))
        .collect();
    let n = 100;
    let delta = MorphDelta { vertex: 3, position: Vec3::X, normal: Vec3::ZERO, tangent: Vec3::ZERO };
    let mesh = Mesh {
        positions: vec![Vec3::ONE; n].into(),
        normals: vec![Vec3::Y; n].into(),
        tangents: vec![Vec4::X; n].into(),
        skin: Some(Skin {
            joints: (0..20).collect(),
            inverse_binds: vec![sinew::Mat3x4::IDENTITY; 20].into(),
        }),
        influences: Influences {
            per_vertex: 4,
            skin_joints: [3, 4, 5, 6].repeat(n).into(),
            weights: vec![0.25; 4 * n].into(),
            ..Influences::default()
        },
        morphs: vec![MorphTarget { name: "smile".into(), scalar: 0, deltas: vec![delta].into() }],
        ..Mesh::new("body")
    };
    let mut clips = ClipLibrary::default();
    clips.add_with(info("Walk"), clip("walk", count));
    clips.add_with(info("Run"), clip("run", count));
    let data = CharacterData {
        name: "hero".into(),
        skeleton: Skeleton::new(joints, vec![Scalar { name: "smile".into(), rest: 0.0 }]).unwrap(),
        meshes: vec![mesh],
        materials: vec![],
        textures: vec![],
        clips,
        space: Space::CANONICAL,
    };
    Arc::new(Character::new(data).unwrap())
}

#[test]
fn a_frame_allocates_nothing() {
    let character = character();
    let mut player = Player::new(character.clone());
    let mut vertices = SkinnedVertices::for_mesh(&character.meshes()[0]);
    let mut fired = 0;
    let count = allocations(|| {
        for frame in 0..200 {
            if frame % 50 == 0 {
                let name = if frame % 100 == 0 { "walk" } else { "run" };
                let options = PlayOptions {
                    root_motion: Some(RootMotion::Extract),
                    speed: Some(-1.5),
                    ..Default::default()
                };
                player.play_with(name, options).unwrap();
            }
            player.update(0.3);
            fired += player.events().count();
            assert!(player.root_delta().is_finite());
            let matrices = player.skin_matrices(0);
            vertices.skin(&character.meshes()[0], matrices, player.pose().scalars()).unwrap();
        }
        player.seek(0.25);
        player.stop();
    });
    assert_eq!(count, 0);
    assert!(fired > 100, "the frames did something: {fired}");
}

struct Broken;

impl ClipSource for Broken {
    fn load(&self) -> Result<Clip, ClipError> {
        Err(ClipError::new(sinew::ClipErrorKind::Unreadable, "jump", "its file is missing"))
    }
}

#[test]
fn a_controlled_frame_allocates_nothing() {
    let character = character();
    let mut clips = character.clips().clone();
    clips.add_source(info("Jump"), Broken);
    let mut lent = ClipLibrary::default();
    lent.add_with(info("Land"), clip("land", 20));
    let mut tagged = TaggedClips::new(&clips);
    let lent = TaggedClips::new(&lent);
    tagged.borrow_missing(&character, &character, &lent, &BoneMap::default()).unwrap();
    assert!(tagged.prefetch("Land"));
    let mut controller = Controller::with_clips(character.clone(), Arc::new(tagged));
    let mut locomotion = Locomotion::default();
    let mut faded = 0;
    // Its source is asked once.
    assert!(controller.play("Jump").is_err());
    let count = allocations(|| {
        for frame in 0..300u16 {
            let velocity = Vec3::new(0.0, f32::from(u8::from(frame % 9 == 0)), f32::from(frame % 50) * 0.1);
            locomotion.update(&mut controller, velocity, frame % 40 < 30, 0.02);
            if frame % 70 == 0 {
                controller.play_with("land", PlayOptions::once(0.2).reset()).unwrap();
            }
            controller.update(0.02);
            faded += usize::from(controller.weight() < 1.0);
            assert!(controller.root_delta().is_finite() && controller.events().count() < 9);
            assert_eq!(controller.skin_matrices(0).len(), 20);
        }
    });
    let refused =
        allocations(|| assert!(controller.play("Swim").is_err() && controller.play("Jump").is_err()));
    assert_eq!((count, refused), (0, 0));
    assert!(faded > 100, "the frames did something: {faded}");
}

/// Layers, masks, additive and mirrored voices, a blend space, both kinds of transitions, events, root motion and sockets.
#[test]
fn a_mixed_frame_allocates_nothing() {
    let plain = character();
    let socket = Socket { name: "hand".into(), joint: 3, offset: Transform::IDENTITY };
    let character = Arc::new(plain.with_sockets(vec![socket]).unwrap());
    let skeleton = character.skeleton().clone();
    let (walk, run) = (character.clips().id("Walk").unwrap(), character.clips().id("Run").unwrap());
    let clips = [walk, run].map(|id| character.clips().get(id.index()).unwrap());
    let points = [(0.0, clips[0].clone()), (1.0, clips[1].clone())];
    let space = Arc::new(BlendSpace::line(&character, points, SyncMode::Phase).unwrap());
    let mask = Arc::new(Mask::below(&skeleton, "j7").unwrap().falloff(&skeleton, 3));
    let mirror = Arc::new(Mirror::new(&skeleton));
    let reference = Arc::new(Pose::of_clip(&skeleton, &clips[1], 0.0).unwrap());
    let mut mixer = Mixer::new(character.clone(), 6).with_inertia(2);
    let mut scratch = Scratch::new(&skeleton);
    let mut instance = Instance::new(character.clone());
    let (mut fired, mut went) = (0, 0.0);
    let count = allocations(|| {
        let travelling = PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::fading(0.3) };
        let mut gait = mixer.play(walk, travelling).unwrap();
        for frame in 0..400u16 {
            match frame % 80 {
                0 => {
                    let synced = VoiceOptions::from(travelling).synced(SyncGroup::by_phase(0));
                    gait = mixer.play_space(space.clone(), synced).unwrap();
                }
                10 => {
                    let upper = VoiceOptions::from(PlayOptions::once(0.2)).on_layer(1).masked(mask.clone());
                    mixer.play(run, upper.mirrored(mirror.clone())).unwrap();
                }
                20 => {
                    let added = VoiceOptions::default().on_layer(2).additive(reference.clone()).weighted(0.5);
                    mixer.play(run, added).unwrap();
                }
                40 | 45 => {
                    let inertial = PlayOptions { transition: Transition::Inertial, ..travelling };
                    gait = mixer.play(run, inertial).unwrap();
                }
                60 => mixer.stop(Some(1)),
                _ => {}
            }
            mixer.set_parameter(gait, [f32::from(frame % 30) / 30.0, 0.0]);
            mixer.advance(1.0 / 60.0);
            mixer.mix(&mut scratch, instance.pose_mut()).unwrap();
            instance.finish().unwrap();
            fired += mixer.events().count();
            went += mixer.root_delta().translation.length();
            assert!(instance.socket("hand").is_some() && instance.joint_model(9).is_some());
            assert!(mixer.play(ClipId::new(77), PlayOptions::default()).is_err());
        }
    });
    assert_eq!(count, 0);
    assert!(fired > 20 && went > 1.0, "the frames did something: {fired} {went}");
}

/// Every way to be posed at once: fades, layers, hidden and distant members, shared poses that come and go.
fn crowded_frames(crowd: &mut Crowd) -> usize {
    let (walk, run) = (ClipId::new(0), ClipId::new(1));
    let mut renewed = 0;
    let mut palette = [Mat3x4::IDENTITY; 20];
    for frame in 0..100 {
        for (number, member) in crowd.members_mut().iter_mut().enumerate() {
            member.set_visible(!(number + frame).is_multiple_of(9));
            member.set_every(1 + (number % 3) as u16);
            if (number + frame).is_multiple_of(20) {
                let clip = if (number / 20).is_multiple_of(2) { walk } else { run };
                member.mixer_mut().play(clip, PlayOptions::fading(0.1 * (number % 3) as f64)).unwrap();
            }
        }
        crowd.update(0.02).unwrap();
        for number in crowd.renewed() {
            crowd.shown(number).unwrap().write_palette(&mut palette).unwrap();
            renewed += 1;
        }
        renewed += crowd.members().iter().map(|member| member.mixer().events().count()).sum::<usize>();
        crowd.pose_with(|_, pose| pose.scalars_mut()[0] = 0.5).unwrap();
    }
    renewed
}

#[test]
fn a_crowd_allocates_nothing() {
    // Less than one thread's work, which is done on this thread.
    let mut crowd = Crowd::new(character(), 60, 3);
    crowd.share_poses(0.05, 12);
    let mut renewed = 0;
    assert_eq!(allocations(|| renewed = crowded_frames(&mut crowd)), 0);
    assert!(renewed > 2000, "the frames did something: {renewed}");
}

#[cfg(feature = "rayon")]
#[test]
fn a_crowd_on_many_threads_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let mut crowd = Crowd::new(character(), 1000, 3);
    crowd.share_poses(0.05, 300);
    let on_all = || pool.broadcast(|_| COUNT.with(Cell::get)).into_iter().sum::<usize>();
    // Queues of the threads grow to what they need once.
    pool.install(|| crowded_frames(&mut crowd));
    let before = on_all();
    pool.install(|| crowded_frames(&mut crowd));
    assert_eq!(on_all() - before, 0);
}

/// Model matrices take 3,360 of the bytes.
#[test]
fn a_member_takes_less_than_four_kilobytes() {
    let character = character_of(70);
    let before = BYTES.with(Cell::get);
    let mut crowd = Crowd::new(character, 1000, 1);
    for member in crowd.members_mut() {
        member.mixer_mut().play(ClipId::new(0), PlayOptions::default()).unwrap();
    }
    let each = (BYTES.with(Cell::get) - before) as f64 / 1000.0;
    assert!((3360.0..=4096.0).contains(&each), "{each} bytes a member");
    // Shared poses are the crowd's: each takes what matrices and scalars take, and little more.
    let before = BYTES.with(Cell::get);
    crowd.share_poses(1.0 / 30.0, 100);
    let pose = (BYTES.with(Cell::get) - before) as f64 / 100.0;
    assert!((3360.0..=3600.0).contains(&pose), "{pose} bytes a pose");
}

#[test]
fn inverse_kinematics_allocate_nothing() {
    use sinew::ik::{Aim, AimJoint, Footing, Gaze, Ground, Leg, PlantFeet, Reach, TwoBone};
    let mut instance = Instance::new(character());
    let legs = [
        Leg { upper: 3, lower: 5, foot: 7, pole: Some(Vec3::Z) },
        Leg { upper: 9, lower: 10, foot: 12, pole: None },
    ];
    let looking = [13, 14, 15].map(|joint| AimJoint { joint, share: 0.5, limit: 0.6 });
    let chain = [15, 16, 17, 18, 19];
    let (mut footing, mut gaze, mut scratch) = ([Footing::default(); 2], Gaze::new(0.2), [Vec4::ZERO; 5]);
    let count = allocations(|| {
        for frame in 0..100u8 {
            let target = Vec3::new(f32::from(frame) * 0.05, 9.0, 1.0);
            let ground = Ground { height: 0.1, normal: Vec3::new(0.1, 1.0, 0.0), contact: frame % 20 < 10 };
            let mut posed = instance.posed().unwrap();
            PlantFeet::new(2, &legs).solve(&[ground; 2], &mut footing, 0.02, &mut posed).unwrap();
            TwoBone { soft: 0.1, ..TwoBone::new(0, 4, 8, target) }.solve(&mut posed).unwrap();
            Aim::new(&looking, Vec3::Z, target).solve_smooth(&mut gaze, 0.02, &mut posed).unwrap();
            Reach::new(&chain, target).solve(&mut scratch, &mut posed).unwrap();
            assert!(TwoBone::new(9, 4, 8, target).solve(&mut posed).is_err());
            instance.finish().unwrap();
        }
    });
    assert_eq!(count, 0);
    assert!(instance.pose() != instance.character().skeleton().rest());
}

/// Three layers: a clip, a blend space and nothing, changed by fades and by inertia.
fn machine() -> sinew::machine::Machine {
    use sinew::machine::{Definition, Graph, Layer, Parameter, State, Transition};
    let ring = || {
        Graph::new("Idle")
            .state(State::clip("Idle", "Idle"))
            .state(State::line("Move", "speed", [(1.0, "Walk"), (3.0, "Run")]).sync(SyncMode::Phase))
            .state(State::empty("Off"))
            .transition(Transition::from_any("Idle").when("hit").inertial(0.2))
            .transition(Transition::new("Idle", "Move").when("speed > 2").fade(0.3))
            .transition(Transition::new("Move", "Off").when("speed < 1").after(0.1).fade(0.2))
            .transition(Transition::new("Off", "Idle").when("speed > 3").fade(0.2))
    };
    Definition::new()
        .parameter(Parameter::number("speed", 0.0))
        .parameter(Parameter::trigger("hit", 0.1))
        .layer(Layer::new("body", ring()))
        .layer(Layer::new("arms", ring()).below("j10").weight("speed"))
        .layer(Layer::new("breath", ring()).additive())
        .build()
        .unwrap()
}

#[test]
fn a_machine_allocates_nothing_after_its_start() {
    use sinew::machine::{Animator, MachinePlan};
    let (character, machine) = (character(), machine());
    let plan = Arc::new(MachinePlan::new(Arc::new(machine), &character).unwrap());
    let mut animator = Animator::new(character, plan).unwrap();
    let mut faded = 0;
    let count = allocations(|| {
        for frame in 0..600u16 {
            animator.set_number("speed", f32::from(frame % 200) * 0.02).unwrap();
            if frame % 70 == 0 {
                animator.fire("hit").unwrap();
            }
            assert!(animator.fire("hti").is_err() && animator.set_number("speed", f32::NAN).is_err());
            animator.update(0.02).unwrap();
            faded += usize::from(animator.run().transition(0).is_some());
        }
        animator.restart().unwrap();
    });
    assert_eq!(count, 0);
    assert!(faded > 50 && animator.mixer().events().count() < 9, "the frames did something: {faded}");
}

/// A scene that uses all of it: a machine with layers, a blend space and inertia, a voice beside it, events, root motion, IK, sockets.
#[test]
fn a_whole_scene_allocates_nothing() {
    use sinew::ik::{Aim, AimJoint, Footing, Gaze, Ground, Leg, PlantFeet, Reach, TwoBone};
    use sinew::machine::{MachinePlan, MachineRun};
    let hand = Socket { name: "hand".into(), joint: 9, offset: Transform::from_translation(Vec3::X) };
    let character = Arc::new(character().with_sockets(vec![hand]).unwrap());
    let plan = Arc::new(MachinePlan::new(Arc::new(machine()), &character).unwrap());
    let (speed, hit) = ("speed", "hit");
    let mut mixer = plan.mixer(character.clone());
    let mut run = MachineRun::start(&plan, &mut mixer).unwrap();
    let mask = Arc::new(Mask::below(character.skeleton(), "j10").unwrap().falloff(character.skeleton(), 3));
    let mirror = Arc::new(Mirror::new(character.skeleton()));
    let rest = Arc::new(character.skeleton().rest().clone());
    let mut scratch = Scratch::new(character.skeleton());
    let mut instance = Instance::new(character.clone());
    let legs = [Leg { upper: 3, lower: 5, foot: 7, pole: Some(Vec3::Z) }];
    let looking = [13, 14, 15].map(|joint| AimJoint { joint, share: 0.5, limit: 0.6 });
    let chain = [15, 16, 17, 18, 19];
    let (mut footing, mut gaze, mut reach) = ([Footing::default()], Gaze::new(0.2), [Vec4::ZERO; 5]);
    let (mut place, mut fired, mut held) = (Transform::IDENTITY.to_affine(), 0, Vec3::ZERO);
    let count = allocations(|| {
        for frame in 0..600u16 {
            run.set_number(&plan, speed, f32::from(frame % 200) * 0.02).unwrap();
            if frame % 70 == 0 {
                run.fire(&plan, hit).unwrap();
                let options =
                    PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::once(0.1) };
                let options = VoiceOptions::from(options).on_layer(7).masked(mask.clone());
                let options = options.mirrored(mirror.clone()).additive(rest.clone());
                // Where all voices are in use it is refused, which allocates nothing either.
                let _ = mixer.play(ClipId::new(1), options);
            }
            run.advance(&plan, &mut mixer, 0.02).unwrap();
            fired += mixer.events().filter(|fired| fired.weight > 0.0).count();
            place *= mixer.root_delta().to_affine();
            mixer.mix(&mut scratch, instance.pose_mut()).unwrap();
            let target = Vec3::new(f32::from(frame % 100) * 0.05, 9.0, 1.0);
            let ground = Ground { height: 0.1, normal: Vec3::Y, contact: frame % 20 < 10 };
            let mut pose = instance.posed().unwrap();
            PlantFeet::new(2, &legs).solve(&[ground], &mut footing, 0.02, &mut pose).unwrap();
            TwoBone::new(0, 4, 8, target).solve(&mut pose).unwrap();
            Aim::new(&looking, Vec3::Z, target).solve_smooth(&mut gaze, 0.02, &mut pose).unwrap();
            Reach::new(&chain, target).solve(&mut reach, &mut pose).unwrap();
            instance.finish().unwrap();
            held = instance.socket("hand").unwrap().translation();
            assert!(instance.joint_model(5).is_some() && instance.socket("hnad").is_none());
        }
    });
    assert_eq!(count, 0);
    assert!(fired > 10 && held != Vec3::ZERO, "the frames did something: {fired}");
}

/// Voices, clocks and matrices of a member that a machine of three layers moves.
#[test]
fn a_member_with_a_machine_takes_few_kilobytes() {
    use sinew::machine::{MachinePlan, MachineRun};
    let character = character_of(70);
    let plan = MachinePlan::new(Arc::new(machine()), &character).unwrap();
    let start = |voices: usize, most: f64| {
        let before = BYTES.with(Cell::get);
        let mut crowd = Crowd::new(character.clone(), 1000, voices);
        let started =
            crowd.members_mut().iter_mut().map(|member| MachineRun::start(&plan, member.mixer_mut()));
        let runs = started.collect::<Result<Vec<_>, _>>().unwrap();
        let each = (BYTES.with(Cell::get) - before) as f64 / 1000.0;
        assert!((3360.0..=most).contains(&each), "{each} bytes a member with {voices} voices");
        (crowd, runs)
    };
    // Room for one voice more than there are layers is enough; with all that a machine may use, no fade is cut short.
    start(4, 5120.0);
    let (mut crowd, mut runs) = start(plan.voices(), 9216.0);
    let count = allocations(|| {
        for frame in 0..20u8 {
            for (run, member) in runs.iter_mut().zip(crowd.members_mut()) {
                run.set_number(&plan, "speed", f32::from(frame) * 0.2).unwrap();
                run.advance(&plan, member.mixer_mut(), 0.02).unwrap();
            }
            crowd.pose().unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_witness_can_see() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 64]))), 1);
    let before = BYTES.with(Cell::get);
    let kept = std::hint::black_box(vec![1u8; 64]);
    assert_eq!(BYTES.with(Cell::get) - before, 64);
    drop(kept);
}
