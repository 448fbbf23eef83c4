//! A state machine of three layers and twenty states: what one update costs, without and with its pose, alone and many in a crowd. Parameters change while
//! it is measured, so that states change and fade.

use crate::synthetic;
use crate::work::{FRAME, Workload, matrix_bits};
use sinew::machine::{
    Animator, Definition, Graph, Layer, MachinePlan, MachineRun, Parameter, ParameterId, State, Transition,
};
use sinew::{Character, ClipLibrary, Crowd, Mat3x4, Mixer, Scratch, SyncMode, job};
use sinew_compress::Profile;
use std::sync::Arc;

/// Clips that the states play.
const CLIPS: usize = 8;

/// A character whose clips are one, by eight names.
fn character(joints: usize) -> Arc<Character> {
    let (character, _) = synthetic::character(joints, 1.0, 30.0, Profile::Balanced);
    let clip = crate::work::first_clip(&character);
    let mut clips = ClipLibrary::default();
    for index in 0..CLIPS {
        clips.add((*clip).clone().with_name(format!("c{index}")));
    }
    Arc::new(character.with_clips(clips).unwrap_or_else(|error| unreachable!("{error}")))
}

/// States in a ring: each leads to the next by speed, and all to the first by a trigger; every third is a blend space.
fn ring(states: usize, offset: usize) -> Graph {
    let name = |state: usize| format!("s{}", state % states);
    let clip = |index: usize| format!("c{}", (index + offset) % CLIPS);
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

/// A machine at work.
#[derive(Clone)]
struct Machine {
    plan: Arc<MachinePlan>,
    speed: ParameterId,
    hit: ParameterId,
}

impl Machine {
    fn new(character: &Character) -> Self {
        let (second, third) =
            (character.skeleton().name(20).to_owned(), character.skeleton().name(50).to_owned());
        let machine = Definition::new()
            .parameter(Parameter::number("speed", 0.0))
            .parameter(Parameter::flag("grounded", true))
            .parameter(Parameter::trigger("hit", 0.0))
            .layer(Layer::new("body", ring(10, 0)))
            .layer(Layer::new("arms", ring(6, 3)).below(second))
            .layer(Layer::new("head", ring(4, 5)).below(third).weight(0.5))
            .build()
            .unwrap_or_else(|error| unreachable!("{error}"));
        let [speed, hit] = ["speed", "hit"]
            .map(|name| machine.parameter(name).unwrap_or_else(|error| unreachable!("{error}")));
        let plan =
            MachinePlan::new(Arc::new(machine), character).unwrap_or_else(|error| unreachable!("{error}"));
        Self { plan: Arc::new(plan), speed, hit }
    }

    fn start(&self, mixer: &mut Mixer) -> MachineRun {
        MachineRun::start(&self.plan, mixer).unwrap_or_else(|error| unreachable!("{error}"))
    }

    /// One frame: speed swings, and there is a hit every two seconds.
    fn advance(&self, run: &mut MachineRun, mixer: &mut Mixer, frame: usize) {
        let _ = run.set_number(&self.plan, self.speed, speed(frame));
        if frame.is_multiple_of(120) {
            let _ = run.fire(&self.plan, self.hit);
        }
        run.advance(&self.plan, mixer, FRAME).unwrap_or_else(|error| unreachable!("{error}"));
    }
}

fn speed(frame: usize) -> f32 {
    (frame % 240) as f32 / 60.0
}

/// What the voices of a mixer count and where they are.
fn voice_bits(mixer: &Mixer) -> Vec<u32> {
    let of = |voice: &sinew::Voice| [voice.share().to_bits(), (voice.playback().time() as f32).to_bits()];
    mixer.voices().iter().flat_map(of).collect()
}

/// Transitions, clocks, fades and parameters; no pose. Expected is what an [`Animator`] of the same machine has.
fn advance(character: &Arc<Character>, machine: &Machine) -> Workload {
    let mut mixer = machine.plan.mixer(Arc::clone(character));
    let run = machine.start(&mut mixer);
    let mut animator = animator(character, machine);
    step(&mut animator, machine, 1);
    let expected = voice_bits(animator.mixer());
    let machine = machine.clone();
    let work = move |(mixer, run, frame): &mut (Mixer, MachineRun, usize)| {
        *frame += 1;
        machine.advance(run, mixer, *frame);
    };
    let title = "machine of 3 layers and 20 states: transitions, clocks and fades";
    let bits = |(mixer, ..): &(Mixer, MachineRun, usize)| voice_bits(mixer);
    Workload::new("machine-advance", title, (mixer, run, 0), 0, work, bits).expecting(expected)
}

fn animator(character: &Arc<Character>, machine: &Machine) -> Animator {
    Animator::new(Arc::clone(character), Arc::clone(&machine.plan))
        .unwrap_or_else(|error| unreachable!("{error}"))
}

fn step(animator: &mut Animator, machine: &Machine, frame: usize) {
    let _ = animator.set_number(machine.speed, speed(frame));
    if frame.is_multiple_of(120) {
        let _ = animator.fire(machine.hit);
    }
    animator.update(FRAME).unwrap_or_else(|error| unreachable!("{error}"));
}

/// The whole update, with pose and matrices. Expected is what the jobs give, called one after the other.
fn update(character: &Arc<Character>, machine: &Machine) -> Workload {
    let mut mixer = machine.plan.mixer(Arc::clone(character));
    let mut run = machine.start(&mut mixer);
    machine.advance(&mut run, &mut mixer, 1);
    let expected = matrix_bits(&posed(character, &mut mixer));
    let animator = animator(character, machine);
    let bytes = size_of_val(animator.instance().model_matrices());
    let machine = machine.clone();
    let work = move |(animator, frame): &mut (Animator, usize)| {
        *frame += 1;
        step(animator, &machine, *frame);
    };
    let bits = |(animator, _): &(Animator, usize)| matrix_bits(animator.instance().model_matrices());
    Workload::new("machine-update", "the same with pose and matrices", (animator, 0), bytes, work, bits)
        .expecting(expected)
}

fn posed(character: &Character, mixer: &mut Mixer) -> Vec<Mat3x4> {
    let skeleton = character.skeleton();
    let (mut scratch, mut pose) = (Scratch::new(skeleton), skeleton.rest().clone());
    let mut model = vec![Mat3x4::IDENTITY; skeleton.len()];
    let root = Mat3x4::IDENTITY;
    mixer
        .mix(&mut scratch, &mut pose)
        .and_then(|()| job::local_to_model(skeleton.hierarchy(), pose.blocks(), &root, &mut model))
        .unwrap_or_else(|error| unreachable!("{error}"));
    model
}

/// Many machines in a crowd, each at a speed of its own. Expected is what each gives alone.
fn crowd(character: &Arc<Character>, machine: &Machine, members: usize) -> Workload {
    let mut crowd = Crowd::new(Arc::clone(character), members, machine.plan.voices());
    let mut runs = Vec::new();
    let mut expected = Vec::new();
    for (number, member) in crowd.members_mut().iter_mut().enumerate() {
        let run = machine.start(member.mixer_mut());
        let (mut alone, mut mixer) = (run.clone(), member.mixer_mut().clone());
        machine.advance(&mut alone, &mut mixer, 1 + number);
        expected.extend(matrix_bits(&posed(character, &mut mixer)));
        runs.push(run);
    }
    let bytes = size_of::<Mat3x4>() * character.skeleton().len() * members;
    let machine = machine.clone();
    let work = move |(crowd, runs, frame): &mut (Crowd, Vec<MachineRun>, usize)| {
        *frame += 1;
        for (number, (run, member)) in runs.iter_mut().zip(crowd.members_mut()).enumerate() {
            machine.advance(run, member.mixer_mut(), *frame + number);
        }
        crowd.pose().unwrap_or_else(|error| unreachable!("{error}"));
    };
    let bits = move |(crowd, ..): &(Crowd, Vec<MachineRun>, usize)| {
        let shown = (0..members).filter_map(|number| crowd.shown(number));
        shown.flat_map(|shown| matrix_bits(shown.model_matrices())).collect()
    };
    Workload::new("machine-crowd", "one of 10,000 in a crowd", (crowd, runs, 0), bytes, work, bits)
        .expecting(expected)
        .per(members)
}

/// One machine alone: clocks, then the whole update.
pub(crate) fn alone(joints: usize) -> Vec<Workload> {
    let character = character(joints);
    let machine = Machine::new(&character);
    vec![advance(&character, &machine), update(&character, &machine)]
}

/// So many of them together.
pub(crate) fn together(joints: usize, members: usize) -> Workload {
    let character = character(joints);
    crowd(&character, &Machine::new(&character), members)
}
