//! Motion capture as BVH: a figure whose joints list their channels in different orders, and where its joints are in each frame.

use crate::math;
use glam::{DMat4, DVec3};
use std::fmt::Write;

/// A joint; one without channels is an end site.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name; that of an end site is its parent's with `_End`.
    pub name: String,
    /// Index of the parent, which is smaller than the joint's own.
    pub parent: Option<usize>,
    /// From its parent.
    pub offset: DVec3,
    /// Channels, such as `Zrotation`.
    pub channels: Vec<&'static str>,
}

/// What a file says. Children follow their parents at once, as they do in the file.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The joints, parents first.
    pub joints: Vec<Joint>,
    /// The numbers of each frame.
    pub frames: Vec<Vec<f64>>,
    /// Seconds from a frame to the next.
    pub frame_time: f64,
}

/// Name, depth below the root, offset in centimetres, and channels of each joint.
const FIGURE: [(&str, usize, [f64; 3], &str); 24] = [
    ("Hips", 0, [0.0, 0.0, 0.0], "Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
    ("LeftUpLeg", 1, [9.0, -6.0, 0.0], "Zrotation Xrotation Yrotation"),
    ("LeftLeg", 2, [0.0, -42.0, 0.5], "Xrotation"),
    ("LeftFoot", 3, [0.0, -41.0, -1.0], "Zrotation Xrotation Yrotation"),
    ("LeftFoot_End", 4, [0.0, -7.0, 14.0], ""),
    ("RightUpLeg", 1, [-9.0, -6.0, 0.0], "Yrotation Xrotation Zrotation"),
    ("RightLeg", 2, [0.0, -42.0, 0.5], "Xrotation"),
    ("RightFoot", 3, [0.0, -41.0, -1.0], "Xrotation Yrotation Zrotation"),
    ("RightFoot_End", 4, [0.0, -7.0, 14.0], ""),
    ("Spine", 1, [0.0, 11.0, -0.5], "Zrotation Yrotation Xrotation"),
    ("Spine1", 2, [0.0, 16.0, 0.5], "Zrotation Xrotation Yrotation"),
    ("Neck", 3, [0.0, 20.0, 0.0], "Zrotation Xrotation Yrotation"),
    ("Head", 4, [0.0, 9.0, 1.0], "Xrotation Zrotation Yrotation"),
    ("Head_End", 5, [0.0, 17.0, 0.0], ""),
    ("LeftShoulder", 3, [3.0, 15.0, 0.0], "Yrotation Zrotation Xrotation"),
    ("LeftArm", 4, [13.0, 0.0, 0.0], "Zrotation Xrotation Yrotation"),
    ("LeftForeArm", 5, [27.0, 0.0, 0.0], "Yrotation Xposition Zrotation"),
    ("LeftHand", 6, [25.0, 0.0, 0.0], "Zrotation Xrotation Yrotation"),
    ("LeftHand_End", 7, [17.0, 0.0, 0.0], ""),
    ("RightShoulder", 3, [-3.0, 15.0, 0.0], "Zrotation Xrotation Yrotation"),
    ("RightArm", 4, [-13.0, 0.0, 0.0], "Zrotation Yrotation Zrotation"),
    ("RightForeArm", 5, [-27.0, 0.0, 0.0], "Yrotation"),
    ("RightHand", 6, [-25.0, 0.0, 0.0], "Zrotation Xrotation Yrotation"),
    ("RightHand_End", 7, [-17.0, 0.0, 0.0], ""),
];

impl Figure {
    /// A human who moves every joint, in centimetres, at 60 frames a second; the first frame is a T-pose.
    pub fn dancer(frames: usize) -> Self {
        let mut joints: Vec<Joint> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (name, depth, offset, channels) in FIGURE {
            open.truncate(depth);
            joints.push(Joint {
                name: name.to_owned(),
                parent: open.last().copied(),
                offset: offset.into(),
                channels: channels.split_whitespace().collect(),
            });
            open.push(joints.len() - 1);
        }
        let mut figure = Self { joints, frames: Vec::new(), frame_time: 1.0 / 60.0 };
        figure.frames = (0..frames).map(|frame| figure.numbers(frame)).collect();
        figure
    }

    fn numbers(&self, frame: usize) -> Vec<f64> {
        let channels =
            self.joints.iter().flat_map(|joint| joint.channels.iter().map(move |&name| (joint, name)));
        let number = |(index, (joint, name)): (usize, (&Joint, &str))| {
            let axis = axis_of(name);
            let rest = if joint.parent.is_none() { DVec3::new(0.0, 97.0, 0.0) } else { joint.offset };
            let still = if name.ends_with("position") { rest.dot(axis) } else { 0.0 };
            if frame == 0 {
                return still;
            }
            // Slow waves of different lengths. Printed with six decimals, so that the text and the truth are the same numbers.
            let phase = frame as f64 * 0.01 * (1.0 + index as f64 * 0.07) + index as f64;
            let swing = math::sin(phase) * if name.ends_with("position") { 3.0 } else { 50.0 };
            (1e6 * (still + swing)).round() / 1e6
        };
        channels.enumerate().map(number).collect()
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut text = "HIERARCHY\n".to_owned();
        let mut open: Vec<usize> = Vec::new();
        for (index, joint) in self.joints.iter().enumerate() {
            while open.last().copied() != joint.parent {
                open.pop();
                line(&mut text, open.len(), "}");
            }
            let depth = open.len();
            match joint.parent {
                None => line(&mut text, depth, &format!("ROOT {}", joint.name)),
                Some(_) if joint.channels.is_empty() => line(&mut text, depth, "End Site"),
                Some(_) => line(&mut text, depth, &format!("JOINT {}", joint.name)),
            }
            line(&mut text, depth, "{");
            let [x, y, z] = joint.offset.to_array();
            line(&mut text, depth + 1, &format!("OFFSET {x:.6} {y:.6} {z:.6}"));
            if !joint.channels.is_empty() {
                let channels = format!("CHANNELS {} {}", joint.channels.len(), joint.channels.join(" "));
                line(&mut text, depth + 1, &channels);
            }
            open.push(index);
        }
        for depth in (0..open.len()).rev() {
            line(&mut text, depth, "}");
        }
        let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {:.7}\n", self.frames.len(), self.frame_time);
        for frame in &self.frames {
            let numbers: Vec<String> = frame.iter().map(|number| format!("{number:.6}")).collect();
            text.push_str(&numbers.join(" "));
            text.push('\n');
        }
        text
    }

    /// Model matrices of all joints in a frame, or at rest: by matrices, one multiplied for each channel.
    pub fn models(&self, frame: Option<usize>) -> Vec<DMat4> {
        let mut models: Vec<DMat4> = Vec::with_capacity(self.joints.len());
        let mut numbers = frame.map(|frame| self.frames[frame].iter().copied());
        for joint in &self.joints {
            let (mut place, mut turn) = (joint.offset, DMat4::IDENTITY);
            for &name in &joint.channels {
                let Some(number) = numbers.as_mut().and_then(Iterator::next) else { continue };
                let axis = axis_of(name);
                if name.ends_with("position") {
                    place = place * (DVec3::ONE - axis) + axis * number;
                } else {
                    turn *= DMat4::from_axis_angle(axis, number.to_radians());
                }
            }
            let above = joint.parent.map_or(DMat4::IDENTITY, |parent| models[parent]);
            models.push(above * DMat4::from_translation(place) * turn);
        }
        models
    }
}

fn line(text: &mut String, depth: usize, content: &str) {
    let _ = writeln!(text, "{}{content}", "\t".repeat(depth));
}

fn axis_of(channel: &str) -> DVec3 {
    match channel.as_bytes().first() {
        Some(b'X') => DVec3::X,
        Some(b'Y') => DVec3::Y,
        _ => DVec3::Z,
    }
}
