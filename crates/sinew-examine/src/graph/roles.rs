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

/// Labels on both sides, none over another, and so that their lines do not cross.
fn labels(roles: &Humanoid, places: &[[f32; 2]]) -> Vec<Label> {
    let label = |(role, found): (Role, Assigned)| {
        let place = places[usize::from(found.joint)];
        Label { role, found, place, y: place[1] }
    };
    let mut labels: Vec<Label> = roles.roles().map(label).collect();
    labels.sort_by(|a, b| a.place[1].total_cmp(&b.place[1]));
    for column in [false, true] {
        let mut own: Vec<&mut Label> = labels.iter_mut().filter(|label| label.is_right() == column).collect();
        let heights = spread(&own.iter().map(|label| label.y).collect::<Vec<f32>>());
        own.iter_mut().zip(heights).for_each(|(label, y)| label.y = y);
        untangle(&mut own);
    }
    labels
}

/// Heights a line apart, each as near to the wanted one as the others allow, for wanted ones from the top down.
fn spread(wanted: &[f32]) -> Vec<f32> {
    // Without the lines between them, heights need only not fall: neighbours that would are given their mean.
    let mut blocks: Vec<(f32, usize)> = Vec::new();
    for (at, y) in wanted.iter().enumerate() {
        blocks.push((y - at as f32 * LINE, 1));
        while let [.., (a, n), (b, m)] = blocks[..]
            && a > b
        {
            blocks.truncate(blocks.len() - 2);
            blocks.push(((a * n as f32 + b * m as f32) / (n + m) as f32, n + m));
        }
    }
    let lowest = (MARGIN + FIGURE - wanted.len().saturating_sub(1) as f32 * LINE).max(MARGIN);
    let starts = blocks.iter().flat_map(|&(y, count)| std::iter::repeat_n(y.clamp(MARGIN, lowest), count));
    starts.enumerate().map(|(at, y)| y + at as f32 * LINE).collect()
}

/// Exchanges the heights of labels whose lines cross until none do. Each exchange makes the lines shorter, so it ends.
fn untangle(labels: &mut [&mut Label]) {
    // Far more than a figure needs.
    for _ in 0..labels.len() * labels.len() {
        let crossing = (0..labels.len()).find_map(|a| {
            let other = |b: &usize| cross(labels[a].line(), labels[*b].line());
            Some((a, (0..a).find(other)?))
        });
        let Some((a, b)) = crossing else { return };
        let y = labels[a].y;
        labels[a].y = std::mem::replace(&mut labels[b].y, y);
    }
}

/// Whether two lines cross, ends apart.
fn cross([a, b]: [[f32; 2]; 2], [c, d]: [[f32; 2]; 2]) -> bool {
    let side =
        |p: [f32; 2], q: [f32; 2], r: [f32; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

impl Label {
    fn is_right(&self) -> bool {
        self.role.side() == Side::Left
    }

    /// Where its line leaves the column of text.
    fn edge(&self) -> f32 {
        if self.is_right() { COLUMN + MARGIN + FIGURE } else { COLUMN + MARGIN }
    }

    /// From the text to the joint.
    fn line(&self) -> [[f32; 2]; 2] {
        [[self.edge(), self.y], self.place]
    }

    fn colour(&self) -> &'static str {
        match self.found.method {
            Method::Listed | Method::Vrm => "#7a3fb0",
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
        let edge = self.edge();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_a_line_apart_and_near_what_is_wanted() {
        assert_eq!(spread(&[100.0, 200.0]), [100.0, 200.0]);
        assert_eq!(spread(&[100.0, 100.0, 100.0]), [85.0, 100.0, 115.0]);
        assert_eq!(spread(&[MARGIN, MARGIN]), [MARGIN, MARGIN + LINE]);
        let low = MARGIN + FIGURE;
        assert_eq!(spread(&[low, low]), [low - LINE, low]);
        let many = spread(&[50.0; 60]);
        assert!(many[0] == MARGIN && many.windows(2).all(|pair| pair[1] - pair[0] == LINE));
    }

    /// Fingers of a hand that is held level: one below the other in the picture, and side by side.
    #[test]
    fn lines_do_not_cross() {
        let fingers = (0..20).map(|at| {
            let (finger, link) = (at / 4, at % 4);
            [740.0 - 9.0 * (3 - link) as f32, 120.0 + 3.0 * ((finger * 7 + link * 3) % 5) as f32]
        });
        let joint = Assigned { joint: 0, method: Method::Name, confidence: 1.0 };
        let role = Role::new(Side::Left, Part::Hand);
        let mut labels: Vec<Label> =
            fingers.map(|place| Label { role, found: joint, place, y: place[1] }).collect();
        labels.sort_by(|a, b| a.place[1].total_cmp(&b.place[1]));
        let heights = spread(&labels.iter().map(|label| label.y).collect::<Vec<f32>>());
        labels.iter_mut().zip(heights).for_each(|(label, y)| label.y = y);
        let crossings = |labels: &[Label]| {
            let pairs = (0..labels.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
            pairs.filter(|&(a, b)| cross(labels[a].line(), labels[b].line())).count()
        };
        assert!(crossings(&labels) > 0);
        untangle(&mut labels.iter_mut().collect::<Vec<_>>());
        assert_eq!(crossings(&labels), 0);
    }
}
