//! Which joints of the source a joint of the target follows, and with what weight.
//!
//! A segment is the line of joints that does the work of one role, or the whole trunk. Segments of equally many joints go one by one. Else each
//! joint of the target follows the joints of the source that lie beside it along the length of the segment, so that the turn is shared.

use crate::fit::Figure;
use crate::role::{Part, Role, Side};
use crate::tree::Tree;

/// A joint of the target, and the joints of the source that it follows with weights that add up to one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Follow {
    pub joint: u16,
    /// The role whose correction counts.
    pub role: Role,
    pub shares: Vec<(u16, f64)>,
}

/// Works out all segments that both characters have.
pub(crate) fn follows(source: Figure<'_>, target: Figure<'_>) -> Vec<Follow> {
    let mut all = Vec::new();
    let mut add = |role: Role, until: Option<Role>, skip: usize| {
        let lines = [source, target].map(|figure| Line::new(figure, role, until, skip));
        if let [Some(from), Some(to)] = lines {
            all.extend(share(&from, &to).into_iter().map(|(joint, shares)| Follow { joint, role, shares }));
        }
    };
    let both =
        |part: Part| [source, target].iter().all(|figure| figure.roles.joint(Role::middle(part)).is_some());
    let middle = Role::middle;
    add(middle(Part::Hips), None, 0);
    // Without a neck in both, the neck of the one is a part of its trunk.
    let end = [Part::Neck, Part::Head].into_iter().find(|&part| both(part)).map(middle);
    if let Some(end) = end {
        add(middle(Part::Hips), Some(end), 1);
    }
    if end == Some(middle(Part::Neck)) {
        add(middle(Part::Neck), both(Part::Head).then_some(middle(Part::Head)), 0);
    }
    for part in [Part::Head, Part::Jaw] {
        add(middle(part), None, 0);
    }
    for side in Side::BOTH {
        let role = |part: Part| Role::new(side, part);
        for pair in [
            [Part::UpperLeg, Part::LowerLeg],
            [Part::LowerLeg, Part::Foot],
            [Part::Shoulder, Part::UpperArm],
            [Part::UpperArm, Part::LowerArm],
            [Part::LowerArm, Part::Hand],
        ] {
            add(role(pair[0]), Some(role(pair[1])), 0);
        }
        for part in [Part::Eye, Part::Foot, Part::Toes, Part::Hand]
            .into_iter()
            .chain(Part::FINGERS.into_iter().flatten())
        {
            add(role(part), None, 0);
        }
    }
    // The trunk begins behind the hips; its joints are not corrected, as the hips are not.
    all.sort_by_key(|follow| follow.joint);
    all.dedup_by_key(|follow| follow.joint);
    all
}

/// Joints one below the other, and where each begins along the line, from zero to one.
struct Line {
    joints: Vec<u16>,
    starts: Vec<f64>,
}

impl Line {
    /// The joints from a role until another, which is not part of it; the role's joint alone where there is no other. The first `skip` are
    /// left out.
    fn new(figure: Figure<'_>, role: Role, until: Option<Role>, skip: usize) -> Option<Self> {
        let first = figure.roles.joint(role)?;
        let end = until.and_then(|until| figure.roles.joint(until));
        let mut path = end.map(|end| figure.tree.path(first, end)).unwrap_or_default();
        if path.len() < 2 {
            path = vec![first];
        }
        let path = path.get(skip..).filter(|path| !path.is_empty())?;
        let joints = if path.len() > 1 {
            &path[..path.len() - 1]
        } else if skip > 0 {
            &[]
        } else {
            path
        };
        (!joints.is_empty()).then(|| Self { joints: joints.to_vec(), starts: starts(figure.tree, path) })
    }

    /// The stretch of one joint.
    fn stretch(&self, at: usize) -> [f64; 2] {
        [self.starts[at], self.starts.get(at + 1).copied().unwrap_or(1.0)]
    }
}

/// Where each joint of a path begins along it; evenly, where it has no length.
fn starts(tree: &Tree<'_>, path: &[u16]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for pair in path.windows(2) {
        let length = f64::from(tree.place(pair[0]).distance(tree.place(pair[1])));
        sums.push(sums[sums.len() - 1] + length);
    }
    let whole = sums[sums.len() - 1];
    let count = (sums.len() - 1).max(1) as f64;
    let even = |(at, sum): (usize, &f64)| if whole > 0.0 { sum / whole } else { at as f64 / count };
    sums.iter().enumerate().map(even).collect()
}

/// For each joint of `to`, the joints of `from` beside it.
fn share(from: &Line, to: &Line) -> Vec<(u16, Vec<(u16, f64)>)> {
    let one_by_one = from.joints.len() == to.joints.len();
    let shares = |(at, &joint): (usize, &u16)| {
        if one_by_one {
            return (joint, vec![(from.joints[at], 1.0)]);
        }
        let [start, end] = to.stretch(at);
        let overlap = |other: usize| {
            let [a, b] = from.stretch(other);
            (b.min(end) - a.max(start)).max(0.0)
        };
        let mut shares: Vec<(u16, f64)> =
            from.joints.iter().enumerate().map(|(other, &joint)| (joint, overlap(other))).collect();
        shares.retain(|(_, weight)| *weight > 1e-6);
        if shares.is_empty() {
            // A joint without length turns with what is there.
            let here = from.starts.iter().take(from.joints.len()).rposition(|&s| s <= start).unwrap_or(0);
            shares.push((from.joints[here], 1.0));
        }
        let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
        shares.iter_mut().for_each(|(_, weight)| *weight /= sum);
        (joint, shares)
    };
    to.joints.iter().enumerate().map(shares).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(joints: &[u16], starts: &[f64]) -> Line {
        Line { joints: joints.to_vec(), starts: starts.to_vec() }
    }

    #[test]
    fn equally_many_go_one_by_one() {
        let shares = share(&line(&[1, 2], &[0.0, 0.3]), &line(&[7, 8], &[0.0, 0.6]));
        assert_eq!(shares, [(7, vec![(1, 1.0)]), (8, vec![(2, 1.0)])]);
    }

    #[test]
    fn others_share_along_the_length() {
        let shares = share(&line(&[1, 2], &[0.0, 0.5]), &line(&[7, 8, 9], &[0.0, 0.25, 0.75]));
        assert_eq!(shares[0], (7, vec![(1, 1.0)]));
        assert_eq!(shares[1], (8, vec![(1, 0.5), (2, 0.5)]));
        assert_eq!(shares[2], (9, vec![(2, 1.0)]));
        let shares = share(&line(&[7, 8, 9], &[0.0, 0.25, 0.75]), &line(&[1], &[0.0]));
        assert_eq!(shares[0], (1, vec![(7, 0.25), (8, 0.5), (9, 0.25)]));
    }
}
