//! Machines that are wrong: errors with their place, findings, and results that are defined.

use super::*;

fn refused(definition: Definition) -> String {
    definition.build().unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let one = || clips(&["Idle", "Walk"]);
    let with = |transition: Transition| definition(one().transition(transition));
    let nested = |machine: &str| Graph::new("In").state(State::machine("In", machine));
    let space = |by: &str, points: &[(f32, &str)]| {
        definition(Graph::new("Move").state(State::line("Move", by, points.iter().copied())))
    };
    for (definition, says) in [
        (Definition::new(), "there is no layer"),
        (
            with(Transition::new("Idle", "Wlak")),
            "layer `body`, Idle → Wlak: there is no state `Wlak`; did you mean `Walk`?",
        ),
        (with(Transition::new("Idel", "Walk")), "there is no state `Idel`; did you mean `Idle`?"),
        (
            with(Transition::new("Idle", "Walk").when("sped > 1")),
            "when (letter 1): there is no parameter `sped`; did you mean `speed`?",
        ),
        (with(Transition::new("Idle", "Walk").when("speed >")), "when (letter 8): something is missing"),
        (with(Transition::new("Idle", "Walk").fade(-1.0)), "a fade of -1 seconds"),
        (with(Transition::new("Idle", "Walk").fade(f64::NAN)), "a fade of NaN seconds"),
        (with(Transition::new("Idle", "Walk").after(-0.5)), "`after` cannot be -0.5"),
        (definition(one().state(State::empty("Idle"))), "two states called `Idle`"),
        (definition(one().state(State::empty("any"))), "not called `any`"),
        (definition(one().state(State::empty("a/b"))), "has no `/`"),
        (definition(one().state(State::empty(""))), "empty name"),
        (definition(Graph::new("Swim")), "start: there is no state `Swim`"),
        (definition(nested("ari")).machine("air", one()), "there is no machine `ari`; did you mean `air`?"),
        (
            definition(nested("a")).machine("a", nested("b")).machine("b", nested("a")),
            "machines contain each other: a → b → a",
        ),
        (definition(nested("a")).machine("a", nested("a")), "machines contain each other: a → a"),
        (space("sped", &[(0.0, "Walk")]), "there is no number parameter `sped`; did you mean `speed`?"),
        (space("jump", &[(0.0, "Walk")]), "`jump` is a trigger, not a number"),
        (space("speed", &[]), "state `Move`: its blend space has no clips"),
        (space("speed", &[(f32::NAN, "Walk")]), "not at a finite place"),
        (definition(one()).parameter(Parameter::number("speed", 1.0)), "two parameters called `speed`"),
        (definition(one()).parameter(Parameter::number("and", 1.0)), "a name is letters"),
        (definition(one()).parameter(Parameter::number("a-b", 1.0)), "a name is letters"),
        (definition(one()).parameter(Parameter::number("x", f32::NAN)), "NaN is not a finite number"),
        (definition(one()).parameter(Parameter::trigger("x", -1.0)), "held for -1 seconds"),
        (definition(one()).layer(Layer::new("body", one())), "two layers called `body`"),
        (
            definition(one()).layer(Layer::new("arms", one()).weight(2.0)),
            "a weight of 2 is not between 0 and 1",
        ),
        (definition(one()).layer(Layer::new("arms", one()).weight("wieght")), "no number parameter `wieght`"),
    ] {
        let error = refused(definition);
        assert!(error.contains(says), "{error}\nshould say: {says}");
    }
}

#[test]
fn nesting_is_bounded() {
    // Each machine runs the next in ten states: ten to the power of twelve states.
    let wide = |next: &str| {
        let states = (0..10).map(|i| State::machine(format!("s{i}"), next));
        states.fold(Graph::new("s0"), Graph::state)
    };
    let name = |i: usize| format!("m{i}");
    let mut definition = definition(wide("m0"));
    for i in 0..12 {
        definition = definition.machine(name(i), wide(&name(i + 1)));
    }
    let error = refused(definition.machine("m12", clips(&["Idle"])));
    assert!(error.contains("more than 4096 states"), "{error}");
    let mut deep = super::definition(Graph::new("In").state(State::machine("In", "m0")));
    for i in 0..1000 {
        deep = deep.machine(name(i), Graph::new("In").state(State::machine("In", name(i + 1))));
    }
    let error = refused(deep.machine("m1000", clips(&["Idle"])));
    assert!(error.contains("more than 16 deep"), "{error}");
}

#[test]
fn what_has_no_use_is_found() {
    let graph = clips(&["Idle", "Walk", "Run", "Jump"])
        .transition(Transition::new("Idle", "Walk").when("speed > 1"))
        .transition(Transition::new("Idle", "Run").when("speed > 3 and speed < 2"))
        .transition(Transition::new("Idle", "Idle").when("speed > 1").after(1.0))
        .transition(Transition::new("Walk", "Idle").when("grounded and not grounded or 1 > 2"))
        .transition(Transition::new("Walk", "Idle").when("speed <= 1 and 1 <= speed"))
        .transition(Transition::new("Run", "Jump"));
    let definition = definition(graph).machine("spare", clips(&["Idle"]));
    let machine = definition.build().unwrap();
    let found: Vec<String> =
        machine.findings().iter().map(|f| format!("{} {}: {}", f.id(), f.place, f.message)).collect();
    assert_eq!(
        found,
        [
            "machine.unreachable-state machine `spare`: no state runs it",
            "machine.unreachable-state layer `body`, state `Run`: no transition that can be taken leads to it",
            "machine.unreachable-state layer `body`, state `Jump`: no transition that can be taken leads to it",
            "machine.never-taken layer `body`, Idle → Run: its condition can never hold",
            "machine.never-taken layer `body`, Idle → Idle: one before it is always taken instead",
            "machine.never-taken layer `body`, Walk → Idle: its condition can never hold",
        ]
    );
    let once = Graph::new("Walk")
        .state(State::clip("Walk", "Walk").once())
        .state(State::clip("Idle", "Idle"))
        .transition(Transition::new("Walk", "Idle").after(1.5));
    let machine = super::definition(once).build().unwrap();
    assert_eq!(machine.findings()[1].message, "its state ends before `after` is reached");
    assert!(air().build().unwrap().findings().is_empty(), "a machine that is right has none");
}

#[test]
fn numbers_that_are_none_are_refused_and_change_nothing() {
    let graph = clips(&["Idle", "Walk"]).transition(Transition::new("Idle", "Walk").when("speed > 1"));
    let mut hero = animator(graph);
    let speed = hero.plan().machine().parameter("speed").unwrap();
    hero.set_number(speed, 0.5).unwrap();
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(hero.set_number(speed, number), Err(ParameterError::NotFinite(_))));
    }
    assert_eq!(hero.run().number(speed), Some(0.5));
    assert_eq!(hero.set_number("sped", 1.0).unwrap_err().to_string(), "there is no parameter `sped`");
    assert_eq!(hero.fire("speed").unwrap_err().to_string(), "the parameter is a number, not a trigger");
    assert_eq!(
        hero.set_bool("jump", true).unwrap_err().to_string(),
        "the parameter is a trigger, not a bool"
    );
    assert!(
        hero.plan().machine().parameter("sped").unwrap_err().to_string().contains("did you mean `speed`?")
    );
    for seconds in [f64::NAN, -1.0, f64::INFINITY] {
        hero.update(seconds).unwrap();
        assert_eq!(hero.state(0), "Idle");
    }
}

#[test]
fn what_a_character_lacks_is_an_error_or_a_finding() {
    let hero = hero();
    let tags = TaggedClips::new(hero.clips());
    let swim = || clips(&["Idle", "Swim"]).transition(Transition::new("Idle", "Swim").when("speed > 1"));
    let back = swim().transition(Transition::new("Swim", "Idle").after(1.0));
    let machine = Arc::new(definition(back).build().unwrap());
    let error = MachinePlan::new(machine.clone(), &hero).unwrap_err().to_string();
    assert!(
        error.starts_with("layer `body`, state `Swim`: `hero` has no clip `Swim`; there are `Idle`"),
        "{error}"
    );
    let plan = MachinePlan::with_gaps(machine, &hero, &tags).unwrap();
    assert_eq!(plan.findings()[0].id(), "machine.missing-clip");
    let mut animator = Animator::new(hero.clone(), Arc::new(plan)).unwrap();
    animator.set_number("speed", 2.0).unwrap();
    animator.update(FRAME).unwrap();
    // It goes there, is over at once, and comes back, as often as one update may.
    assert_eq!((animator.state(0), animator.run().entered(0)), ("Idle", 8));

    let masked = definition(clips(&["Idle"])).layer(Layer::new("arms", clips(&["Wave"])).below("spin"));
    let machine = Arc::new(masked.build().unwrap());
    let error = MachinePlan::new(machine.clone(), &hero).unwrap_err().to_string();
    assert_eq!(error, "layer `arms`, mask: there is no joint `spin`; did you mean `spine`?");
    let plan = MachinePlan::with_gaps(machine, &hero, &tags).unwrap();
    assert_eq!(plan.findings()[0].id(), "machine.missing-joint");

    let markers = Graph::new("Move").state(State::line("Move", "speed", [(0.0, "Walk"), (1.0, "Run")]));
    let machine = Arc::new(definition(markers).build().unwrap());
    let error = MachinePlan::new(machine, &hero).unwrap_err().to_string();
    assert!(error.starts_with("layer `body`, state `Move`: ") && error.contains("markers"), "{error}");
}

#[test]
fn a_mixer_without_room_leaves_the_state_as_it_was() {
    let hero = hero();
    let machine =
        Arc::new(definition(clips(&["Idle"])).layer(Layer::new("b", clips(&["Wave"]))).build().unwrap());
    let plan = MachinePlan::new(machine, &hero).unwrap();
    let mut mixer = crate::Mixer::new(hero, 1);
    assert!(MachineRun::start(&plan, &mut mixer).is_err());
}

#[cfg(feature = "toml")]
#[test]
fn errors_of_a_file_carry_line_and_column() {
    let file = |layer: &str| {
        format!("[parameters]\nspeed = 0.0\n[[layers]]\nname = \"body\"\nstart = \"Idle\"\n{layer}")
    };
    for (text, says) in [
        ("[parameters\n".to_owned(), "line 1, column 12: "),
        (
            "[parameter]\n".to_owned(),
            "line 1, column 2: there is no key `parameter`; did you mean `parameters`?",
        ),
        ("[parameters]\nx = \"trigge\"".to_owned(), "line 2, column 5: a parameter is"),
        ("[parameters]\n'x y' = 1".to_owned(), "line 2, column 1: parameter `x y`: a name is"),
        ("[[layers]]\nname = \"a\"".to_owned(), "`start` is missing"),
        (
            file("states.Idle.clpi = \"Idle\""),
            "line 6, column 13: there is no key `clpi`; did you mean `clip`?",
        ),
        (file("states.Idle.clip = 3"), "line 6, column 20: a text is needed here, not a number"),
        (file("states.Walk = {}"), "line 5, column 10: layer `body`, start: there is no state `Idle`"),
        (
            file("states.Idle = {}\ntransitions = [{ from = \"Idle\", to = \"Wlak\" }]"),
            "line 7, column 39: layer `body`, Idle → Wlak: there is no state `Wlak`",
        ),
        (
            file("states.Idle = {}\ntransitions = [{ from = \"Idle\", to = \"Idle\", when = \"1 > sped\" }]"),
            "line 7, column 58: layer `body`, Idle → Idle: when: there is no parameter `sped`; did you mean `speed`?",
        ),
        (
            file("states.Idle = {}\ntransitions = [{ from = \"Idle\", to = \"Idle\", kind = \"inertail\" }]"),
            "line 7, column 54: `inertail` is no kind; did you mean `inertial`?",
        ),
        (
            file("states.Idle = { clip = \"a\", machine = \"b\" }"),
            "line 6, column 15: a state plays one thing",
        ),
        (file("states.Idle = { points = [] }"), "points belong to a blend space"),
        (
            file("weight = true\nstates.Idle = {}"),
            "line 6, column 10: a number is needed here, not true or false",
        ),
    ] {
        let error = Machine::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}\nshould say: {says}");
    }
}

#[cfg(feature = "toml")]
#[test]
fn a_file_says_the_same_as_code() {
    let text = r#"
[parameters]
speed = 0.0
grounded = true
jump = "trigger"
wave = { trigger = true, hold = 0.25 }

[[layers]]
name = "body"
start = "Ground"
[layers.states]
Ground = { by = "speed", points = [{ at = 1, clip = "Walk" }, { at = 3.0, clip = "Run" }], sync = "phase" }
Aim = { by = ["speed", "speed"], points = [{ at = [0, 1], clip = "Walk" }], root-motion = "in-place" }
Air = { machine = "air" }
[[layers.transitions]]
from = ["Air", "Aim"]
to = "Ground"
when = "grounded"
fade = 0.1
kind = "inertial"
interrupt = "any"
[[layers.transitions]]
from = "any"
to = "Air"
when = "not grounded"
after = 0.5
ease = "smooth-step"

[[layers]]
name = "arms"
start = "Off"
mask = { below = ["spine"], without = "head", falloff = 2 }
weight = "speed"
blend = "additive"
reference = "Lean"
time = 0.5
states.Off = {}

[machines.air]
start = "Rise"
states.Rise = { clip = "Jump", loop = false, speed = "speed" }
"#;
    let air = Graph::new("Rise").state(State::clip("Rise", "Jump").once().speed("speed"));
    let ground = State::line("Ground", "speed", [(1.0, "Walk"), (3.0, "Run")]).sync(crate::SyncMode::Phase);
    let aim = State::plane("Aim", ["speed", "speed"], [([0.0, 1.0], "Walk")])
        .root_motion(crate::RootMotion::InPlace);
    let away = Transition {
        ease: crate::Ease::SmoothStep,
        ..Transition::from_any("Air").when("not grounded").after(0.5)
    };
    let back = Transition::new("Air", "Ground").and_from("Aim").when("grounded").inertial(0.1);
    let body = Graph::new("Ground").state(ground).state(aim).state(State::machine("Air", "air"));
    let body = body.transition(back.interrupt(Interrupt::Any)).transition(away);
    let arms = Layer::new("arms", Graph::new("Off").state(State::empty("Off")));
    let arms = arms.below("spine").without("head").falloff(2).weight("speed");
    let arms = Layer { blend: LayerBlend::AdditiveTo("Lean".into(), 0.5), ..arms };
    let code = definition(body).layer(arms).machine("air", air);
    let mut file = Machine::from_toml(text).unwrap().definition().clone();
    // Where a transition stands is no part of what it says.
    file.layers[0].graph.transitions.iter_mut().for_each(|transition| transition.at = None);
    assert_eq!(file, code);
    assert_eq!(crate::LoopMode::Once, file.machines[0].1.states[0].mode.unwrap());
}
