//! Points that hands and feet reach for and that the head looks at: a stage between mixing and finishing.

use super::Show;
use sinew::glam::Vec3;
use sinew::ik::{self, Aim, AimJoint, TwoBone};
use sinew::{Character, Instance, JobError, Skeleton};
use sinew_render::{is_helper, short_name};
use sinew_retarget::{Humanoid, Part, Role, Side};

/// How far head and neck turn, in radians, and the part of the neck.
const LIMITS: (f32, f32) = (0.7, 1.2);
const NECK_SHARE: f32 = 0.35;

/// What follows a target, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An arm or a leg.
    Limb {
        /// Shoulder or hip.
        upper: u16,
        /// Elbow or knee.
        lower: u16,
        /// Hand or foot.
        end: u16,
    },
    /// A head that looks, with the neck below it.
    Gaze {
        /// From the highest to the last.
        chain: Vec<AimJoint>,
        /// The axis of the last that points at the target.
        forward: Vec3,
    },
}

/// Something that can follow a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// As it is called in the panel.
    pub name: String,
    /// How it follows.
    pub kind: Kind,
}

/// A target.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetRow {
    /// What follows it.
    pub handle: Handle,
    /// Where it is, in the character's space, apart from its travel.
    pub at: Vec3,
    /// How far it is followed, from 0 to 1.
    pub weight: f32,
}

/// A change of the targets.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetChange {
    /// Adds one where its hand, foot or gaze is now.
    Add(Handle),
    /// Takes one away.
    Remove(usize),
    /// Changes how far it is followed.
    Weight(usize, f32),
    /// Moves one, in the character's space.
    MoveBy(usize, Vec3),
}

impl Handle {
    /// The limb that ends at a joint: that joint and the two above it.
    pub fn of_joint(skeleton: &Skeleton, end: u16) -> Option<Self> {
        let above = |joint: u16| {
            std::iter::successors(skeleton.parent(joint), |&joint| skeleton.parent(joint))
                .find(|&joint| !is_helper(skeleton, joint))
        };
        let lower = above(end)?;
        let upper = above(lower)?;
        let name = short_name(skeleton.name(end)).to_owned();
        Some(Self { name, kind: Kind::Limb { upper, lower, end } })
    }

    /// The joint that follows.
    pub fn joint(&self) -> Option<u16> {
        match &self.kind {
            Kind::Limb { end, .. } => Some(*end),
            Kind::Gaze { chain, .. } => chain.last().map(|last| last.joint),
        }
    }
}

/// Hands, feet and head of a humanoid; none of what is not.
pub fn handles(character: &Character) -> Vec<Handle> {
    let skeleton = character.skeleton();
    let Ok(roles) = Humanoid::find(skeleton) else { return Vec::new() };
    let limb = |name: &str, side: Side, parts: [Part; 3]| {
        let [upper, lower, end] = parts.map(|part| roles.joint(Role::new(side, part)));
        let kind = Kind::Limb { upper: upper?, lower: lower?, end: end? };
        Some(Handle { name: name.to_owned(), kind })
    };
    let arm = [Part::UpperArm, Part::LowerArm, Part::Hand];
    let leg = [Part::UpperLeg, Part::LowerLeg, Part::Foot];
    let limbs = [
        limb("Left hand", Side::Left, arm),
        limb("Right hand", Side::Right, arm),
        limb("Left foot", Side::Left, leg),
        limb("Right foot", Side::Right, leg),
    ];
    limbs.into_iter().flatten().chain(gaze(character, &roles)).collect()
}

fn gaze(character: &Character, roles: &Humanoid) -> Option<Handle> {
    let skeleton = character.skeleton();
    let head = roles.joint(Role::middle(Part::Head))?;
    let neck = roles.joint(Role::middle(Part::Neck));
    let neck = neck.map(|joint| AimJoint { joint, share: NECK_SHARE, limit: LIMITS.0 });
    let chain = neck.into_iter().chain([AimJoint { joint: head, share: 1.0, limit: LIMITS.1 }]).collect();
    let forward = ik::axis_at_rest(skeleton, head, front(character, roles)?);
    Some(Handle { name: "Gaze".to_owned(), kind: Kind::Gaze { chain, forward } })
}

/// Where a figure looks at rest: at right angles to the line from its right to its left, and to its height.
fn front(character: &Character, roles: &Humanoid) -> Option<Vec3> {
    let place = |side| {
        let leg = roles.joint(Role::new(side, Part::UpperLeg))?;
        Some(character.skeleton().rest_model().get(usize::from(leg))?.translation())
    };
    let across = place(Side::Left)? - place(Side::Right)?;
    across.cross(character.space().up.into()).try_normalize()
}

/// All targets.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets(Vec<TargetRow>);

impl Targets {
    pub(super) fn rows(&self) -> &[TargetRow] {
        &self.0
    }

    /// Lets all follow. `way` is how far the character has travelled, which its targets do too.
    pub(super) fn solve(&self, way: Vec3, instance: &mut Instance) -> Result<(), JobError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut posed = instance.posed()?;
        for TargetRow { handle, at, weight } in &self.0 {
            let (target, weight) = (*at + way, *weight);
            match &handle.kind {
                Kind::Limb { upper, lower, end } => {
                    TwoBone { weight, ..TwoBone::new(*upper, *lower, *end, target) }.solve(&mut posed)?;
                }
                Kind::Gaze { chain, forward } => {
                    Aim { weight, ..Aim::new(chain, *forward, target) }.solve(&mut posed)?;
                }
            }
        }
        Ok(())
    }
}

impl Show {
    /// Changes the targets.
    pub fn change_target(&mut self, change: &TargetChange) {
        match change {
            TargetChange::Add(handle) if !self.targets.0.iter().any(|row| row.handle == *handle) => {
                let at = self.place_of(handle) - self.way();
                self.targets.0.push(TargetRow { handle: handle.clone(), at, weight: 1.0 });
            }
            TargetChange::Add(_) => {}
            TargetChange::Remove(number) => {
                if *number < self.targets.0.len() {
                    self.targets.0.remove(*number);
                }
            }
            TargetChange::Weight(number, weight) => {
                if let Some(row) = self.targets.0.get_mut(*number) {
                    row.weight = weight.clamp(0.0, 1.0);
                }
            }
            TargetChange::MoveBy(number, by) => {
                if let Some(row) = self.targets.0.get_mut(*number).filter(|_| by.is_finite()) {
                    row.at += *by;
                }
            }
        }
        self.refresh();
    }

    /// The targets of another show, for those of `handles` that are called the same and for limbs whose joint is still there.
    pub fn take_targets(&mut self, other: &Self, same: impl Fn(&Handle) -> Option<Handle>) {
        let rows = other.targets.0.iter();
        let kept = rows.filter_map(|row| Some(TargetRow { handle: same(&row.handle)?, ..row.clone() }));
        self.targets.0 = kept.collect();
        self.refresh();
    }

    /// Where a target is, in the character's space.
    pub fn target_at(&self, number: usize) -> Option<Vec3> {
        self.targets.0.get(number).map(|row| row.at + self.way())
    }

    /// Where a hand or foot is now, or a point in front of the head.
    fn place_of(&self, handle: &Handle) -> Vec3 {
        let joint = handle.joint().map_or(0, usize::from);
        let Some(model) = self.model_matrices().get(joint) else { return Vec3::ZERO };
        match &handle.kind {
            Kind::Limb { .. } => model.translation(),
            Kind::Gaze { forward, .. } => {
                let ahead = model.transform_vector3(*forward).normalize_or_zero();
                model.translation() + ahead * self.character().size() * 0.4
            }
        }
    }
}
