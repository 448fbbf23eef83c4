//! A state machine of three layers and twenty states: what one update costs, without and with its pose, and ten thousand of them in a crowd.
//!
//! `cargo bench -p sinew --bench machine`. Parameters change while it is measured, so that states change and fade.

use divan::Bencher;
use sinew::glam::{Quat, Vec3};
use sinew::machine::{
    Animator, Definition, Graph, Layer, MachinePlan, MachineRun, Parameter, ParameterId, State, Transition,
};
use sinew::{
    Character, CharacterData, Clip, ClipLibrary, Crowd, Interpolation, Joint, JointTracks, Member, Skeleton,
    Space, SyncMode, Track, Transform,
};
use std::sync::Arc;

const JOINTS: u16 = 70;
const FRAME: f64 = 1.0 / 60.0;

fn main() {
    divan::main();
}

fn clip(index: usize) -> Clip {
    let turn = |key: u8| Quat::from_rotation_x(0.1 * f32::from(key % 3) + 0.01 * index as f32);
    let times: Vec<f32> = (0..31u8).map(|key| f32::from(key) / 30.0).collect();
    let tracks = (0..JOINTS).map(|joint| {
        let track = Track::new(times.clone(), (0..31).map(turn).collect(), Interpolation::Linear);
        JointTracks { rotation: track.ok(), ..JointTracks::new(joint) }
    });
    Clip::new(format!("c{index}"), 1.0, tracks.collect(), vec![]).expect("rising keys")
}

fn character() -> Arc<Character> {
    let joints = (0..JOINTS).map(|joint| {
        Joint::new(format!("j{joint}"), joint.checked_sub(1), Transform::from_translation(Vec3::Y * 0.1))
    });
    let data = CharacterData {
        name: "hero".into(),
        skeleton: Skeleton::new(joints.collect(), vec![]).expect("a chain"),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new((0..8).map(clip)),
        space: Space::CANONICAL,
    };
    Arc::new(Character::new(data).expect("a character without meshes"))
}

/// States in a ring: each leads to the next by speed, and all to the first by a trigger; every third is a blend space.
fn ring(states: usize, offset: usize) -> Graph {
    let name = |state: usize| format!("s{}", state % states);
    let clip = |index: usize| format!("c{}", (index + offset) % 8);
    let mut graph = Graph::new("s0");
    for state in 0..states {
        let (a, b) = (clip(state), clip(state + 1));
        graph = graph.state(if state % 3 == 2 {
            State::line(name(state), "speed", [(0.0, a.as_str()), (4.0, b.as_str())]).sync(SyncMode::Phase)
        } else {
            State::clip(name(state), a)
        });
    }
    graph = graph.transition(Transition::from_any("s0").when("hit").fade(0.1));
    for state in 0..states {
        let faster = format!("speed > {} and grounded", state % 4);
        let way = Transition::new(name(state), name(state + 1));
        graph = graph.transition(way.clone().when(faster).after(0.2).fade(0.2));
        graph = graph.transition(way.when("speed > 9 or not grounded and speed > 3").fade(0.2));
    }
    graph
}

fn plan(character: &Character) -> Arc<MachinePlan> {
    let machine = Definition::new()
        .parameter(Parameter::number("speed", 0.0))
        .parameter(Parameter::flag("grounded", true))
        .parameter(Parameter::trigger("hit", 0.0))
        .layer(Layer::new("body", ring(10, 0)))
        .layer(Layer::new("arms", ring(6, 3)).below("j20"))
        .layer(Layer::new("head", ring(4, 5)).below("j50").weight(0.5))
        .build()
        .expect("a machine that is right");
    Arc::new(MachinePlan::new(Arc::new(machine), character).expect("all clips are there"))
}

fn parameters(plan: &MachinePlan) -> [ParameterId; 2] {
    ["speed", "hit"].map(|name| plan.machine().parameter(name).expect("it is there"))
}

/// Speed swings; a hit every two seconds.
fn speed(frame: usize) -> f32 {
    (frame % 240) as f32 / 60.0
}

/// Transitions, clocks, fades and parameters; no pose.
#[divan::bench(sample_count = 50, sample_size = 1000)]
fn advance(bencher: Bencher) {
    let character = character();
    let plan = plan(&character);
    let [speed_id, hit] = parameters(&plan);
    let mut mixer = plan.mixer(character);
    let mut run = MachineRun::start(&plan, &mut mixer).expect("room for all layers");
    let mut frame = 0;
    bencher.bench_local(|| {
        frame += 1;
        let _ = run.set_number(&plan, speed_id, speed(frame));
        if frame % 120 == 0 {
            let _ = run.fire(&plan, hit);
        }
        run.advance(&plan, &mut mixer, FRAME)
    });
}

/// The same in a machine that stands: nothing holds.
#[divan::bench(sample_count = 50, sample_size = 1000)]
fn advance_at_rest(bencher: Bencher) {
    let character = character();
    let plan = plan(&character);
    let mut mixer = plan.mixer(character);
    let mut run = MachineRun::start(&plan, &mut mixer).expect("room for all layers");
    bencher.bench_local(|| run.advance(&plan, &mut mixer, FRAME));
}

/// The whole update of 70 joints: with the pose and the matrices.
#[divan::bench(sample_count = 50, sample_size = 200)]
fn update(bencher: Bencher) {
    let character = character();
    let plan = plan(&character);
    let [speed_id, hit] = parameters(&plan);
    let mut animator = Animator::new(character, plan).expect("room for all layers");
    let mut frame = 0;
    bencher.bench_local(|| {
        frame += 1;
        let _ = animator.set_number(speed_id, speed(frame));
        if frame % 120 == 0 {
            let _ = animator.fire(hit);
        }
        animator.update(FRAME)
    });
}

/// Ten thousand of them in a crowd: transitions, clocks and fades of all, and the matrices of all.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn crowd_of_10_000(bencher: Bencher) {
    const MEMBERS: usize = 10_000;
    let character = character();
    let plan = plan(&character);
    let [speed_id, hit] = parameters(&plan);
    let mut crowd = Crowd::new(character, MEMBERS, plan.voices());
    let start =
        |member: &mut Member| MachineRun::start(&plan, member.mixer_mut()).expect("room for all layers");
    let mut runs: Vec<MachineRun> = crowd.members_mut().iter_mut().map(start).collect();
    let mut frame = 0;
    bencher.counter(divan::counter::ItemsCount::new(MEMBERS)).bench_local(|| {
        frame += 1;
        for (number, (run, member)) in runs.iter_mut().zip(crowd.members_mut()).enumerate() {
            let _ = run.set_number(&plan, speed_id, speed(frame + number));
            if (frame + number) % 120 == 0 {
                let _ = run.fire(&plan, hit);
            }
            let _ = run.advance(&plan, member.mixer_mut(), FRAME);
        }
        crowd.pose()
    });
}
