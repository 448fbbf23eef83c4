//! What a machine has to no use: states that are never entered, transitions that are never taken.

use super::compile::{FlatLayer, FlatTransition};
use super::define::{Definition, Motion};
use super::expression::{Expression, Operator, Values};
use super::parameter::ParameterId;
use crate::{Finding, LoopMode};
use sinew_findings::catalogue::play::{MACHINE_NEVER_TAKEN, MACHINE_UNREACHABLE};

pub(super) fn findings(definition: &Definition, layers: &[FlatLayer]) -> Vec<Finding> {
    let mut findings = unused_machines(definition);
    for (layer, flat) in definition.layers.iter().zip(layers) {
        let usable: Vec<bool> =
            (0..flat.transitions.len()).map(|index| why_never(flat, index).is_none()).collect();
        let reached = reached(flat, &usable);
        for (state, _) in flat.states.iter().zip(&reached).filter(|(_, reached)| !**reached) {
            let place = place(state.at, &format!("layer `{}`, state `{}`", layer.name, state.name));
            let message = "no transition that can be taken leads to it";
            findings.push(Finding::new(&MACHINE_UNREACHABLE, place, message));
        }
        for (index, transition) in flat.transitions.iter().enumerate() {
            if let Some(why) = why_never(flat, index) {
                let place = place(transition.at, &transition.label);
                findings.push(Finding::new(&MACHINE_NEVER_TAKEN, place, why));
            }
        }
    }
    findings
}

fn place(at: Option<(usize, usize)>, place: &str) -> String {
    at.map_or_else(|| place.to_owned(), |(line, column)| format!("line {line}, column {column}: {place}"))
}

fn unused_machines(definition: &Definition) -> Vec<Finding> {
    let graphs = definition.layers.iter().map(|layer| &layer.graph);
    let states =
        graphs.chain(definition.machines.iter().map(|(_, graph)| graph)).flat_map(|graph| &graph.states);
    let used: Vec<&str> = states
        .filter_map(
            |state| if let Motion::Machine(name) = &state.motion { Some(name.as_str()) } else { None },
        )
        .collect();
    let unused = definition.machines.iter().filter(|(name, _)| !used.contains(&name.as_str()));
    unused
        .map(|(name, _)| {
            let place = place(name.at, &format!("machine `{name}`"));
            Finding::new(&MACHINE_UNREACHABLE, place, "no state runs it")
        })
        .collect()
}

fn reached(layer: &FlatLayer, usable: &[bool]) -> Vec<bool> {
    let mut reached = vec![false; layer.states.len()];
    let mut open = vec![layer.start];
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut reached[usize::from(state)], true) {
            continue;
        }
        let exits = layer.states[usize::from(state)].exits.iter().map(|exit| usize::from(*exit));
        open.extend(exits.filter(|exit| usable[*exit]).map(|exit| layer.transitions[exit].to));
    }
    reached
}

/// Why a transition is never taken, if that is plain.
fn why_never(layer: &FlatLayer, index: usize) -> Option<&'static str> {
    let transition = &layer.transitions[index];
    if transition.when.as_ref().is_some_and(never_holds) {
        return Some("its condition can never hold");
    }
    let leaves = |exits: &[u16]| exits.contains(&(index as u16));
    let mut sources = layer.states.iter().filter(|state| leaves(&state.exits)).peekable();
    if sources.peek().is_none() {
        return Some("it leaves no state");
    }
    if sources.clone().all(|state| transition.after > most_turns(state.mode)) {
        return Some("its state ends before `after` is reached");
    }
    let is_shadowed = |exits: &[u16]| {
        let before = exits.iter().map(|exit| usize::from(*exit)).take_while(|exit| *exit < index);
        before.into_iter().any(|exit| comes_first(&layer.transitions[exit], transition))
    };
    sources.all(|state| is_shadowed(&state.exits)).then_some("one before it is always taken instead")
}

fn most_turns(mode: Option<LoopMode>) -> Option<f64> {
    match mode {
        Some(LoopMode::Once) => Some(1.0),
        Some(LoopMode::Times(times)) => Some(times.into()),
        // Of a clip's own mode nothing is known here.
        Some(LoopMode::Loop | LoopMode::PingPong) | None => Some(f64::INFINITY),
    }
}

/// Whether a transition can be taken whenever one behind it can.
fn comes_first(first: &FlatTransition, later: &FlatTransition) -> bool {
    let whenever = first.when.is_none() || first.when == later.when;
    whenever && first.after.unwrap_or(0.0) <= later.after.unwrap_or(0.0)
}

/// Values of parameters that do not matter.
struct Irrelevant;

impl Values for Irrelevant {
    fn number(&self, _: ParameterId) -> f32 {
        0.0
    }
    fn truth(&self, _: ParameterId) -> bool {
        false
    }
}

/// Whether a condition is plainly false whatever the parameters are: constants, one parameter asked to be on two sides, true and false at once.
fn never_holds(condition: &Expression) -> bool {
    let mut demands = Vec::new();
    if let Expression::Both(Operator::Or, a, b) = condition {
        return never_holds(a) && never_holds(b);
    }
    collect(condition, &mut demands);
    let contradict = |(i, demand): (usize, &Demand)| demands[..i].iter().any(|other| demand.excludes(other));
    demands.contains(&Demand::Impossible) || demands.iter().enumerate().any(contradict)
}

/// What one part of a condition asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Demand {
    Impossible,
    Truth(ParameterId, bool),
    /// Of a number, from and to; whether the ends themselves count.
    Between(ParameterId, [f32; 2], [bool; 2]),
}

impl Demand {
    fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Truth(a, is), Self::Truth(b, other)) => a == b && is != other,
            (Self::Between(a, [from, to], [with_from, with_to]), Self::Between(b, range, ends)) => {
                let apart = |to: f32, with_to: bool, from: f32, with_from: bool| {
                    to < from || (to == from && !(with_to && with_from))
                };
                a == b
                    && (apart(*to, *with_to, range[0], ends[0])
                        || apart(range[1], ends[1], *from, *with_from))
            }
            _ => false,
        }
    }
}

fn collect(condition: &Expression, demands: &mut Vec<Demand>) {
    let mut named = Vec::new();
    condition.parameters(&mut named);
    if named.is_empty() {
        if !condition.holds(&Irrelevant) {
            demands.push(Demand::Impossible);
        }
        return;
    }
    match condition {
        Expression::Both(Operator::And, a, b) => {
            collect(a, demands);
            collect(b, demands);
        }
        Expression::Both(Operator::Or, ..) if never_holds(condition) => demands.push(Demand::Impossible),
        Expression::Parameter(parameter) => demands.push(Demand::Truth(*parameter, true)),
        Expression::Not(inner) => {
            if let Expression::Parameter(parameter) = **inner {
                demands.push(Demand::Truth(parameter, false));
            }
        }
        Expression::Both(operator, a, b) => demands.extend(range(*operator, a, b)),
        _ => {}
    }
}

fn range(operator: Operator, a: &Expression, b: &Expression) -> Option<Demand> {
    use Operator as O;
    let constant = |side: &Expression| match side {
        Expression::Number(number) => Some(*number),
        Expression::Minus(inner) => {
            if let Expression::Number(number) = **inner {
                Some(-number)
            } else {
                None
            }
        }
        _ => None,
    };
    let (operator, parameter, number) = match (a, constant(a), b, constant(b)) {
        (Expression::Parameter(parameter), _, _, Some(number)) => (operator, *parameter, number),
        (_, Some(number), Expression::Parameter(parameter), _) => {
            let turned = match operator {
                O::Less => O::More,
                O::AtMost => O::AtLeast,
                O::More => O::Less,
                O::AtLeast => O::AtMost,
                same => same,
            };
            (turned, *parameter, number)
        }
        _ => return None,
    };
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    let (range, ends) = match operator {
        O::Less => ([low, number], [false, false]),
        O::AtMost => ([low, number], [false, true]),
        O::More => ([number, high], [false, false]),
        O::AtLeast => ([number, high], [true, false]),
        O::Equal => ([number, number], [true, true]),
        _ => return None,
    };
    Some(Demand::Between(parameter, range, ends))
}
