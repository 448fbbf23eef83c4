//! A state machine as a picture: one panel for each layer and each nested machine, states as boxes, transitions as arrows with their conditions. The roles of a humanoid
//! as another ([`roles`]).

mod dot;
mod layout;
mod roles;
mod svg;

pub use dot::dot;
pub use roles::roles;
pub use svg::svg;

use sinew::machine::{ANY, Amount, Definition, Graph, LayerBlend, Motion, State, Transition, Word};

/// What one panel shows.
struct Panel {
    title: String,
    nodes: Vec<Node>,
    arrows: Vec<Arrow>,
}

/// A state, or the one that stands for any.
struct Node {
    name: String,
    /// What it plays.
    detail: String,
    kind: NodeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Start,
    State,
    Nested,
    Any,
}

struct Arrow {
    from: usize,
    to: usize,
    /// Its place in the order of priority, from 1.
    number: usize,
    label: String,
}

fn panels(definition: &Definition) -> Vec<Panel> {
    let layers = definition.layers.iter().map(|layer| {
        let mut title = format!("layer {}", layer.name);
        if let Some(mask) = &layer.mask {
            let names = |words: &[Word]| words.iter().map(Word::as_str).collect::<Vec<_>>().join(", ");
            title += &format!(" · below {}", names(&mask.below));
            if !mask.without.is_empty() {
                title += &format!(" without {}", names(&mask.without));
            }
        }
        match &layer.weight {
            Amount::Fixed(1.0) => {}
            other => title += &format!(" · weight {}", amount(other)),
        }
        if layer.blend != LayerBlend::Override {
            title += " · additive";
        }
        panel(title, &layer.graph)
    });
    let machines = definition.machines.iter().map(|(name, graph)| panel(format!("machine {name}"), graph));
    layers.chain(machines).collect()
}

fn panel(title: String, graph: &Graph) -> Panel {
    let mut nodes: Vec<Node> = graph.states.iter().map(|state| node(state, &graph.start)).collect();
    if graph.transitions.iter().any(|transition| transition.from.iter().any(|from| &**from == ANY)) {
        nodes.push(Node {
            name: ANY.to_owned(),
            detail: "every other state".to_owned(),
            kind: NodeKind::Any,
        });
    }
    let find = |name: &str| nodes.iter().position(|node| node.name == name);
    let mut arrows = Vec::new();
    for (index, transition) in graph.transitions.iter().enumerate() {
        for from in &transition.from {
            // A machine that was checked has no unknown names.
            if let (Some(from), Some(to)) = (find(from), find(&transition.to)) {
                arrows.push(Arrow { from, to, number: index + 1, label: label(transition) });
            }
        }
    }
    Panel { title, nodes, arrows }
}

fn node(state: &State, start: &Word) -> Node {
    let mut detail = match &state.motion {
        Motion::None => "nothing".to_owned(),
        Motion::Clip(clip) => format!("clip {clip}"),
        Motion::Space(space) => {
            let by: Vec<&str> = space.by.iter().map(Word::as_str).collect();
            let clips: Vec<&str> = space.points.iter().map(|(_, clip)| clip.as_str()).collect();
            format!("{} by {}", clips.join(", "), by.join(", "))
        }
        Motion::Machine(machine) => format!("machine {machine}"),
    };
    if let Some(speed) = &state.speed {
        detail += &format!(" × {}", amount(speed));
    }
    let kind = match state.motion {
        _ if state.name == *start => NodeKind::Start,
        Motion::Machine(_) => NodeKind::Nested,
        _ => NodeKind::State,
    };
    Node { name: state.name.to_string(), detail, kind }
}

fn amount(amount: &Amount) -> String {
    match amount {
        Amount::Fixed(value) => value.to_string(),
        Amount::Parameter(name) => name.to_string(),
    }
}

/// When it is taken, and how long its fade is.
fn label(transition: &Transition) -> String {
    let when = transition.when.as_ref().map(|when| when.trim().to_owned());
    let after = transition.after.map(|after| format!("after {after}"));
    let fade = (transition.fade > 0.0).then(|| {
        let inertial = transition.kind == sinew::Transition::Inertial;
        format!("{}{} s", if inertial { "inertial " } else { "" }, transition.fade)
    });
    let taken = [when, after].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let taken = if taken.is_empty() { "always".to_owned() } else { taken };
    fade.map_or(taken.clone(), |fade| format!("{taken} · {fade}"))
}

#[cfg(test)]
mod tests;
