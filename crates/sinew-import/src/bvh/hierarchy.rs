//! The joints and their channels.

use super::lines::Lines;
use crate::{Budget, Cause, findings, limits};
use glam::DVec3;
use sinew::{Finding, Joint, NO_JOINT, Transform};

/// What a number of a frame means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    pub(super) kind: ChannelKind,
    /// 0, 1 or 2.
    pub(super) axis: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChannelKind {
    Position,
    Rotation,
    Scale,
}

/// A joint or an end site.
#[derive(Debug)]
pub(super) struct Node {
    name: String,
    pub(super) parent: Option<u16>,
    pub(super) offset: DVec3,
    pub(super) channels: Vec<Channel>,
    /// Number of its first channel in a frame.
    pub(super) first: usize,
}

impl Node {
    /// Whether it has a channel of a kind.
    pub(super) fn has(&self, kind: ChannelKind) -> bool {
        self.channels.iter().any(|channel| channel.kind == kind)
    }
}

/// Joints and end sites in the order of the file, which has parents first.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    pub(super) nodes: Vec<Node>,
    /// Numbers of a frame.
    pub(super) channels: usize,
}

/// Bytes that a joint takes in hierarchy, skeleton and pose, its name apart.
const JOINT_BYTES: u64 = 512;

impl Hierarchy {
    pub(super) fn read(
        lines: &mut Lines<'_>,
        budget: &Budget<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Cause> {
        if !lines.take("HIERARCHY") {
            let word = String::from_utf8_lossy(lines.word().unwrap_or_default()).into_owned();
            return Err(lines.wrong(format!("it begins with `{word}`, not with `HIERARCHY`")));
        }
        let mut hierarchy = Self::default();
        while lines.take("ROOT") {
            let name = lines.name();
            hierarchy.open(lines, name, None, budget)?;
            hierarchy.below_root(lines, budget)?;
        }
        if hierarchy.nodes.is_empty() {
            return Err(lines.wrong("there is no `ROOT` below `HIERARCHY`"));
        }
        hierarchy.report_scale(findings);
        if lines.guessed() {
            let message = "names that are not UTF-8 were read byte by byte".to_owned();
            findings.push(Finding::new(&findings::ENCODING, "hierarchy", message));
        }
        Ok(hierarchy)
    }

    /// Everything up to the end of the root that was just opened.
    fn below_root(&mut self, lines: &mut Lines<'_>, budget: &Budget<'_>) -> Result<(), Cause> {
        // Open joints, and how many end sites each has so far.
        let mut open = vec![((self.nodes.len() - 1) as u16, 0)];
        while let Some((parent, ends)) = open.last_mut() {
            let parent = *parent;
            let word = lines.word().ok_or_else(|| lines.wrong("the file ends within the hierarchy"))?;
            match word.to_ascii_uppercase().as_slice() {
                b"JOINT" => {
                    let name = lines.name();
                    open.push((self.open(lines, name, Some(parent), budget)?, 0));
                    limits::check("depth", open.len() as u64, budget.limits().depth)?;
                }
                b"END" if lines.take("Site") => {
                    // Some programs give end sites a name; others see a joint without one.
                    lines.name();
                    *ends += 1;
                    let name = self.end_name(parent, *ends);
                    open.push((self.open(lines, name, Some(parent), budget)?, 0));
                }
                b"OFFSET" => self.offset(lines, parent)?,
                b"CHANNELS" => self.channels(lines, parent)?,
                b"}" => drop(open.pop()),
                other => {
                    let word = String::from_utf8_lossy(other).into_owned();
                    return Err(lines.wrong(format!("`{word}` is not a word of a hierarchy")));
                }
            }
        }
        Ok(())
    }

    /// Begins a joint, and gives its number.
    fn open(
        &mut self,
        lines: &mut Lines<'_>,
        name: String,
        parent: Option<u16>,
        budget: &Budget<'_>,
    ) -> Result<u16, Cause> {
        if lines.word() != Some(b"{") {
            return Err(lines.wrong(format!("there is no `{{` behind `{name}`")));
        }
        let most = budget.limits().joints.min(budget.limits().nodes).min(u64::from(NO_JOINT) - 1);
        limits::check("joints", self.nodes.len() as u64 + 1, most)?;
        budget.memory(JOINT_BYTES + 2 * name.len() as u64)?;
        let number = self.nodes.len();
        let name = if name.is_empty() { format!("node_{number}") } else { name };
        self.nodes.push(Node { name, parent, offset: DVec3::ZERO, channels: vec![], first: self.channels });
        Ok(number as u16)
    }

    /// Name of the end site of a joint that is its first, second, …
    fn end_name(&self, parent: u16, count: usize) -> String {
        let above = self.nodes.get(usize::from(parent)).map_or("", |node| &node.name);
        if count == 1 { format!("{above}{END}") } else { format!("{above}{END}{count}") }
    }

    fn offset(&mut self, lines: &mut Lines<'_>, node: u16) -> Result<(), Cause> {
        let [x, y, z] = [lines.number("an offset")?, lines.number("an offset")?, lines.number("an offset")?];
        if let Some(node) = self.nodes.get_mut(usize::from(node)) {
            node.offset = DVec3::new(x, y, z);
        }
        Ok(())
    }

    fn channels(&mut self, lines: &mut Lines<'_>, node: u16) -> Result<(), Cause> {
        let count = lines.number("the number of channels")?;
        let first = self.channels;
        let Some(node) = self.nodes.get_mut(usize::from(node)) else { return Ok(()) };
        if !node.channels.is_empty() {
            return Err(lines.wrong(format!("`{}` has channels twice", node.name)));
        }
        if !(0.0..=MOST_CHANNELS).contains(&count) || count.fract() != 0.0 {
            return Err(lines.wrong(format!("a joint has up to {MOST_CHANNELS} channels, not {count}")));
        }
        node.first = first;
        for _ in 0..count as usize {
            let word = lines.word().unwrap_or_default();
            let channel = channel(word).ok_or_else(|| {
                let word = String::from_utf8_lossy(word).into_owned();
                lines.wrong(format!("`{word}` is not a channel such as `Xrotation`"))
            })?;
            if channel.kind != ChannelKind::Rotation && node.channels.contains(&channel) {
                return Err(lines.wrong(format!("`{}` has a channel twice", node.name)));
            }
            node.channels.push(channel);
        }
        self.channels += node.channels.len();
        Ok(())
    }

    fn report_scale(&self, findings: &mut Vec<Finding>) {
        let scaled = self.nodes.iter().filter(|node| node.has(ChannelKind::Scale));
        let (count, first) = (scaled.clone().count(), scaled.map(|node| &node.name).next());
        if let Some(first) = first {
            let message = format!("`{first}` has channels of scale, which were left out");
            findings.push(Finding::new(&findings::BVH_SCALE, "hierarchy", message).count(count));
        }
    }

    /// The joints of the skeleton, with their rest.
    pub(super) fn joints(&self, rest: &[Transform]) -> Vec<Joint> {
        let joint = |(node, rest): (&Node, &Transform)| Joint::new(node.name.clone(), node.parent, *rest);
        self.nodes.iter().zip(rest).map(joint).collect()
    }
}

/// What is put behind the name of a joint to name its end site.
const END: &str = "_End";

/// Position, rotation and scale have nine; some programs write more than three rotations.
const MOST_CHANNELS: f64 = 64.0;

fn channel(word: &[u8]) -> Option<Channel> {
    let (axis, kind) = word.split_first()?;
    let axis = [b'X', b'Y', b'Z'].iter().position(|known| known.eq_ignore_ascii_case(axis))?;
    let kind = match kind.to_ascii_lowercase().as_slice() {
        b"position" => ChannelKind::Position,
        b"rotation" => ChannelKind::Rotation,
        b"scale" => ChannelKind::Scale,
        _ => return None,
    };
    Some(Channel { kind, axis })
}
