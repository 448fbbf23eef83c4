//! Which joint of a humanoid has which role, as a picture: the rest from the front, each role beside it with a line to its joint.

use super::svg::escaped;
use sinew::Skeleton;
use sinew::glam::Vec3;
use sinew::math::normalize_or;
use sinew_retarget::{Assigned, Humanoid, Method, Part, Role, Side};
use std::fmt::Write;

/// Height of a line of text.
const LINE: f32 = 15.0;
/// Width of a letter, at most as a rule.
const LETTER: f32 = 7.0;
/// Width of a column of text unless names are longer, and size of the figure between them.
const COLUMN: f32 = 300.0;
const FIGURE: f32 = 460.0;
const MARGIN: f32 = 20.0;

/// The roles of a skeleton as an SVG picture. The character looks at us, so its left is on the right.
pub fn roles(roles: &Humanoid, skeleton: &Skeleton) -> String {
    let places = Front::of(roles, skeleton).places(skeleton);
    let labels = labels(roles, &places);
    let lowest = labels.iter().map(|label| label.y).fold(MARGIN + FIGURE, f32::max);
    let longest = labels.iter().map(|label| label.width(skeleton)).fold(COLUMN, f32::max);
    let (left, height) = (COLUMN - longest, lowest + MARGIN);
    let width = 2.0 * longest + FIGURE + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"{left:.0} 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect x=\"{left:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#f4f5f8\"/>\n"
    );
    for (joint, [x, y]) in (0u16..).zip(&places) {
        if let Some([px, py]) = skeleton.parent(joint).map(|parent| places[usize::from(parent)]) {
            // Writing into a string does not fail.
            let _ = writeln!(
                out,
                "<line x1=\"{px:.1}\" y1=\"{py:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\" stroke=\"#c3cad6\" stroke-width=\"2\"/>"
            );
        }
    }
    for (joint, [x, y]) in (0u16..).zip(&places).filter(|(joint, _)| roles.role(*joint).is_none()) {
        let name = escaped(skeleton.name(joint));
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"#a9b2c0\"><title>{name}</title></circle>"
        );
    }
    for label in &labels {
        label.draw(&mut out, skeleton);
    }
    out + "</svg>\n"
}

/// How the rest is looked at.
struct Front {
    across: Vec3,
    up: Vec3,
}

impl Front {
    fn of(roles: &Humanoid, skeleton: &Skeleton) -> Self {
        let place = |role: Role| roles.joint(role).map(|joint| rest(skeleton, joint)).unwrap_or_default();
        let pair = |part: Part| Side::BOTH.map(|side| place(Role::new(side, part)));
        let ([left, right], arms) = (pair(Part::UpperLeg), pair(Part::UpperArm));
        let across = normalize_or(left - right, Vec3::X);
        let trunk = (arms[0] + arms[1] - left - right) * 0.5;
        Self { across, up: normalize_or(trunk - across * across.dot(trunk), Vec3::Y) }
    }

    /// Places of all joints in the picture.
    fn places(&self, skeleton: &Skeleton) -> Vec<[f32; 2]> {
        let flat = |place: Vec3| [place.dot(self.across), -place.dot(self.up)];
        let joints = (0..skeleton.len() as u16).map(|joint| flat(rest(skeleton, joint)));
        let joints: Vec<[f32; 2]> = joints.collect();
        let bound = |axis: usize, pick: fn(f32, f32) -> f32, start: f32| {
            joints.iter().map(|place| place[axis]).fold(start, pick)
        };
        let low = [0, 1].map(|axis| bound(axis, f32::min, f32::INFINITY));
        let high = [0, 1].map(|axis| bound(axis, f32::max, f32::NEG_INFINITY));
        let size = (high[0] - low[0]).max(high[1] - low[1]).max(f32::MIN_POSITIVE);
        let scale = FIGURE / size;
        let start = [COLUMN + MARGIN, MARGIN];
        // The smaller of the two is in the middle.
        let offset = [0, 1].map(|axis| start[axis] + 0.5 * (FIGURE - (high[axis] - low[axis]) * scale));
        let inside = |place: &[f32; 2]| [0, 1].map(|axis| offset[axis] + (place[axis] - low[axis]) * scale);
        joints.iter().map(inside).collect()
    }
}

fn rest(skeleton: &Skeleton, joint: u16) -> Vec3 {
    skeleton.rest_model()[usize::from(joint)].translation()
}

/// A role beside the figure.
struct Label {
    role: Role,
    found: Assigned,
    place: [f32; 2],
    y: f32,
}

/// Labels on both sides, in the order of their joints from the top, none over another.
fn labels(roles: &Humanoid, places: &[[f32; 2]]) -> Vec<Label> {
    let label = |(role, found): (Role, Assigned)| {
        let place = places[usize::from(found.joint)];
        Label { role, found, place, y: place[1] }
    };
    let mut labels: Vec<Label> = roles.roles().map(label).collect();
    labels.sort_by(|a, b| a.place[1].total_cmp(&b.place[1]));
    for column in [false, true] {
        let own: Vec<usize> = (0..labels.len()).filter(|&at| labels[at].is_right() == column).collect();
        let mut free = MARGIN;
        for (number, &at) in own.iter().enumerate() {
            // As low as its joint, but so that those below it have room as well.
            let below = (own.len() - 1 - number) as f32 * LINE;
            let wanted = labels[at].y.min((MARGIN + FIGURE - below).max(MARGIN));
            labels[at].y = wanted.max(free);
            free = labels[at].y + LINE;
        }
    }
    labels
}

impl Label {
    fn is_right(&self) -> bool {
        self.role.side() == Side::Left
    }

    fn colour(&self) -> &'static str {
        match self.found.method {
            Method::Listed => "#7a3fb0",
            Method::Name => "#2a7d4f",
            Method::Tree => "#c27b1a",
        }
    }

    fn width(&self, skeleton: &Skeleton) -> f32 {
        let letters = self.role.to_string().len() + 1 + skeleton.name(self.found.joint).chars().count();
        letters as f32 * LETTER
    }

    fn draw(&self, out: &mut String, skeleton: &Skeleton) {
        let [x, y] = self.place;
        let right = self.is_right();
        let edge = if right { COLUMN + MARGIN + FIGURE } else { COLUMN + MARGIN };
        let (anchor, at) = if right { ("start", edge + 6.0) } else { ("end", edge - 6.0) };
        let (colour, how) = (self.colour(), self.found.method.name());
        let (name, sure) = (escaped(skeleton.name(self.found.joint)), self.found.confidence * 100.0);
        let _ = writeln!(
            out,
            "<line x1=\"{edge:.1}\" y1=\"{0:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.3\"/>\n\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"><title>{1}: {name} ({how}, {sure:.0} %)</title></circle>\n\
             <text x=\"{at:.1}\" y=\"{2:.1}\" text-anchor=\"{anchor}\" fill=\"#2b3546\"><tspan font-weight=\"bold\" fill=\"{colour}\">{1}</tspan> {name}</text>",
            self.y,
            self.role,
            self.y + 4.0,
        );
    }
}
