//! As a picture that browsers show.

use super::layout::{Curve, Layout, TITLE, label_width, layout};
use super::{Arrow, Node, NodeKind, Panel, panels};
use sinew::machine::Machine;
use std::fmt::Write;

/// Space between panels.
const GAP: f32 = 24.0;

/// A machine as an SVG picture.
pub fn svg(machine: &Machine) -> String {
    let panels: Vec<(Panel, Layout)> = panels(machine.definition())
        .into_iter()
        .map(|panel| {
            let layout = layout(&panel);
            (panel, layout)
        })
        .collect();
    let width = panels.iter().map(|(_, layout)| layout.size[0]).fold(0.0, f32::max) + 2.0 * GAP;
    let height = panels.iter().map(|(_, layout)| layout.size[1] + GAP).sum::<f32>() + GAP;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n"
    );
    out += "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 1 L10 5 L0 9 z\" fill=\"#51617a\"/></marker></defs>\n";
    out += &format!("<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#f4f5f8\"/>\n");
    let mut top = GAP;
    for (panel, layout) in &panels {
        // Writing into a string does not fail.
        let _ = writeln!(out, "<g transform=\"translate({GAP} {top:.1})\">");
        draw(&mut out, panel, layout, width - 2.0 * GAP);
        out += "</g>\n";
        top += layout.size[1] + GAP;
    }
    out + "</svg>\n"
}

fn draw(out: &mut String, panel: &Panel, layout: &Layout, width: f32) {
    let height = layout.size[1];
    let _ = writeln!(
        out,
        "<rect width=\"{width:.1}\" height=\"{height:.1}\" rx=\"10\" fill=\"#ffffff\" stroke=\"#d5dae3\"/>\n\
         <text x=\"20\" y=\"{:.1}\" font-size=\"15\" font-weight=\"bold\" fill=\"#39445a\">{}</text>",
        TITLE * 0.68,
        escaped(&panel.title)
    );
    for curve in &layout.curves {
        let [a, b, c, d] = curve.points;
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"#51617a\" stroke-width=\"1.4\" marker-end=\"url(#tip)\"/>",
            a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]
        );
    }
    for (node, place) in panel.nodes.iter().zip(&layout.boxes) {
        draw_node(out, node, *place);
    }
    for (curve, arrow) in layout.curves.iter().zip(&panel.arrows) {
        draw_label(out, curve, arrow);
    }
}

fn draw_node(out: &mut String, node: &Node, [x, y, width, height]: [f32; 4]) {
    let (fill, stroke, more) = match node.kind {
        NodeKind::Start => ("#e3f1e5", "#3e8a4b", " stroke-width=\"2\""),
        NodeKind::State => ("#e8eef9", "#5b7db8", ""),
        NodeKind::Nested => ("#f6ecd9", "#b08638", " stroke-width=\"2\""),
        NodeKind::Any => ("#ffffff", "#8a93a5", " stroke-dasharray=\"5 4\""),
    };
    if node.kind == NodeKind::Start {
        let middle = y + height / 2.0;
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"5\" fill=\"{stroke}\"/><path d=\"M{:.1} {middle:.1} H{x:.1}\" stroke=\"{stroke}\" stroke-width=\"2\"/>",
            x - 22.0,
            x - 22.0
        );
    }
    let (center, middle) = (x + width / 2.0, y + height / 2.0);
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" fill=\"{fill}\" stroke=\"{stroke}\"{more}/>\n\
         <text x=\"{center:.1}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"#1f2733\">{}</text>\n\
         <text x=\"{center:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" fill=\"#596579\">{}</text>",
        middle - 3.0,
        escaped(&node.name),
        middle + 13.0,
        escaped(&node.detail)
    );
}

fn draw_label(out: &mut String, curve: &Curve, arrow: &Arrow) {
    let [x, y] = curve.label;
    let width = label_width(&arrow.label);
    let left = x - width / 2.0;
    let _ = writeln!(
        out,
        "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"16\" rx=\"8\" fill=\"#ffffff\" fill-opacity=\"0.92\"/>\n\
         <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"7.5\" fill=\"#51617a\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"9.5\" text-anchor=\"middle\" fill=\"#ffffff\">{}</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#2b3546\">{}</text>",
        y - 8.0,
        left + 9.0,
        left + 9.0,
        y + 3.4,
        arrow.number,
        left + 20.0,
        y + 4.0,
        escaped(&arrow.label)
    );
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
