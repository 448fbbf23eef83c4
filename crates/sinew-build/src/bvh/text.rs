//! The text of a file.

use super::frames::{Figure, Local};
use crate::steps::Steps;
use glam::{DMat3, DVec3};
use sinew::{Clip, JobError};
use sinew_import::euler::{Order, angles, nearest};
use std::f64::consts::TAU;
use std::fmt::Write;

/// How far a joint may be from its offset without channels of position, as a part of the figure's size.
const MOVED: f64 = 1e-7;

/// How far a joint may be turned without being so, in radians.
const TURNED: f64 = 1e-7;

/// How a joint is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channels {
    /// As an end site.
    None,
    Rotation,
    PositionAndRotation,
}

pub(super) fn write(figure: &Figure<'_>, clip: Option<&Clip>, steps: &Steps) -> Result<Vec<u8>, JobError> {
    let rest = figure.frame(None, 0.0)?;
    let channels = channels(figure, clip, steps, &rest)?;
    let mut file = File { figure, rest, channels, text: "HIERARCHY\n".to_owned(), order: Vec::new() };
    file.joints();
    let _ = write!(file.text, "MOTION\nFrames: {}\nFrame Time: {:.10}\n", steps.count, steps.step);
    let mut before = vec![DVec3::ZERO; file.order.len()];
    for frame in 0..steps.count {
        file.frame(&figure.frame(clip, steps.time(frame))?, &mut before);
    }
    Ok(file.text.into_bytes())
}

/// What is needed for each joint.
fn channels(
    figure: &Figure<'_>,
    clip: Option<&Clip>,
    steps: &Steps,
    rest: &[Local],
) -> Result<Vec<Channels>, JobError> {
    let skeleton = figure.skeleton;
    let size = rest.iter().map(|local| local.place.length()).sum::<f64>();
    let (mut moved, mut turned) = (vec![false; rest.len()], vec![false; rest.len()]);
    for frame in 0..steps.count {
        let locals = figure.frame(clip, steps.time(frame))?;
        for (joint, (local, rest)) in locals.iter().zip(rest).enumerate() {
            moved[joint] |= local.place.distance(rest.place) > MOVED * size;
            turned[joint] |= local.turn.xyz().length() > TURNED;
        }
    }
    let mut leaf = vec![true; rest.len()];
    let parents = (0..rest.len() as u16).filter_map(|joint| skeleton.parent(joint));
    parents.for_each(|parent| leaf[usize::from(parent)] = false);
    let channels = (0u16..).zip(moved.into_iter().zip(turned)).map(|(joint, (moved, turned))| {
        let Some(parent) = skeleton.parent(joint) else { return Channels::PositionAndRotation };
        let is_end =
            leaf[usize::from(joint)] && skeleton.name(joint) == format!("{}_End", skeleton.name(parent));
        match (moved, turned) {
            (true, _) => Channels::PositionAndRotation,
            (false, false) if is_end => Channels::None,
            _ => Channels::Rotation,
        }
    });
    Ok(channels.collect())
}

/// A file that is being written.
struct File<'a> {
    figure: &'a Figure<'a>,
    rest: Vec<Local>,
    channels: Vec<Channels>,
    text: String,
    /// Joints in the order of the file.
    order: Vec<usize>,
}

impl File<'_> {
    fn joints(&mut self) {
        let count = self.rest.len();
        let mut children = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for joint in 0..count {
            match self.figure.skeleton.parent(joint as u16) {
                Some(parent) => children[usize::from(parent)].push(joint),
                None => roots.push(joint),
            }
        }
        // A joint to begin, or the end of one, each with its depth.
        let mut todo: Vec<(Option<usize>, usize)> =
            roots.into_iter().rev().map(|root| (Some(root), 0)).collect();
        while let Some((joint, depth)) = todo.pop() {
            let Some(joint) = joint else {
                self.line(depth, "}");
                continue;
            };
            self.begin(joint, depth);
            todo.push((None, depth));
            todo.extend(children[joint].iter().rev().map(|&child| (Some(child), depth + 1)));
        }
    }

    fn begin(&mut self, joint: usize, depth: usize) {
        let name: String = self.figure.skeleton.name(joint as u16).chars().map(plain).collect();
        let has_parent = self.figure.skeleton.parent(joint as u16).is_some();
        match self.channels[joint] {
            Channels::None => self.line(depth, "End Site"),
            _ if has_parent => self.line(depth, &format!("JOINT {name}")),
            _ => self.line(depth, &format!("ROOT {name}")),
        }
        self.line(depth, "{");
        let [x, y, z] = self.rest[joint].place.to_array().map(number);
        self.line(depth + 1, &format!("OFFSET {x} {y} {z}"));
        match self.channels[joint] {
            Channels::None => {}
            Channels::Rotation => self.line(depth + 1, "CHANNELS 3 Zrotation Xrotation Yrotation"),
            Channels::PositionAndRotation => {
                self.line(depth + 1, "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation")
            }
        }
        self.order.push(joint);
    }

    fn line(&mut self, depth: usize, content: &str) {
        self.text.extend(std::iter::repeat_n('\t', depth));
        self.text.push_str(content);
        self.text.push('\n');
    }

    /// Writes the numbers of a frame. `before` has the angles of the last one, which these stay near.
    fn frame(&mut self, locals: &[Local], before: &mut [DVec3]) {
        let mut numbers = Vec::new();
        for (&joint, before) in self.order.iter().zip(before) {
            let channels = self.channels[joint];
            if channels == Channels::None {
                continue;
            }
            if channels == Channels::PositionAndRotation {
                numbers.extend(locals[joint].place.to_array());
            }
            *before = near(angles(&DMat3::from_quat(locals[joint].turn), Order::ZXY), *before);
            numbers.extend([before.z, before.x, before.y].map(f64::to_degrees));
        }
        let numbers: Vec<String> = numbers.into_iter().map(number).collect();
        self.text.push_str(&numbers.join(" "));
        self.text.push('\n');
    }
}

/// Angles of the same rotation that are nearest to others: curves over time without jumps of whole turns.
fn near(angles: DVec3, wanted: DVec3) -> DVec3 {
    let [x, y, z] = wanted.to_array().map(Some);
    let found = nearest(angles, Order::ZXY, [x, y, z]);
    found + TAU * ((wanted - found) / TAU).round()
}

/// Six decimals, less those that say nothing.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A letter of a name: braces and line breaks mean something in the format.
fn plain(letter: char) -> char {
    if letter.is_control() || "{}".contains(letter) { '_' } else { letter }
}
