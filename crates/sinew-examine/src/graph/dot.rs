//! For Graphviz and the many programs that read its files.

use super::{NodeKind, panels};
use sinew::machine::Machine;
use std::fmt::Write;

/// A machine in the language of Graphviz.
pub fn dot(machine: &Machine) -> String {
    let mut out = String::from(
        "digraph machine {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n",
    );
    for (index, panel) in panels(machine.definition()).iter().enumerate() {
        // Writing into a string does not fail.
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={};", quoted(&panel.title));
        for (number, node) in panel.nodes.iter().enumerate() {
            let style = match node.kind {
                NodeKind::Start => ", penwidth=2.5",
                NodeKind::Nested => ", peripheries=2",
                NodeKind::Any => ", style=\"rounded,dashed\"",
                NodeKind::State => "",
            };
            let label = quoted(&format!("{}\n{}", node.name, node.detail));
            let _ = writeln!(out, "    n{index}_{number} [label={label}{style}];");
        }
        for arrow in &panel.arrows {
            let label = quoted(&format!("{}. {}", arrow.number, arrow.label));
            let _ = writeln!(out, "    n{index}_{} -> n{index}_{} [label={label}];", arrow.from, arrow.to);
        }
        out += "  }\n";
    }
    out + "}\n"
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
