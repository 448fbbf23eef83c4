//! What VRM and VRMA files say beside their model. For tools; not part of the run time.

use serde_json::Value;
use sinew_retarget::Role;

/// What scalars of expressions are called: this and the name of the expression.
pub const EXPRESSION_PREFIX: &str = "expression:";

/// Which kind of file it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum VrmVersion {
    /// VRM 0.x, whose models face −Z.
    V0,
    /// VRM 1.0.
    #[default]
    V1,
    /// VRM Animation 1.0: clips for any VRM.
    Animation,
}

impl VrmVersion {
    const ALL: [Self; 3] = [Self::V0, Self::V1, Self::Animation];

    /// As bundles write it.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The one of a number.
    pub fn numbered(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.number() == number)
    }
}

/// Roles, expressions and what else a VRM file says about its humanoid, in the words of VRM 1.0.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Vrm {
    /// Which kind of file it was.
    pub version: VrmVersion,
    /// Joint of each role, such as `leftUpperArm`, sorted by role.
    pub roles: Vec<(String, u16)>,
    /// The expressions, in the order of their scalars.
    pub expressions: Vec<Expression>,
    /// From where the model is seen by its own player, as the file says it.
    pub first_person: Value,
    /// How it looks at things, as the file says it.
    pub look_at: Value,
    /// Title, authors and licence, as the file says them.
    pub meta: Value,
}

/// A face that morph targets make together.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Expression {
    /// Its name: of VRM 1.0's presets, or the author's.
    pub name: String,
    /// The scalar that says how much of it is shown.
    pub scalar: u16,
    /// Morph weights that it adds, as scalars, at full strength.
    pub morphs: Vec<(u16, f32)>,
    /// Whether it is shown wholly or not at all.
    pub is_binary: bool,
}

impl Vrm {
    /// The roles, for retargeting: what its author says counts before what is found ([`sinew_retarget::Known`]).
    pub fn known_roles(&self) -> Vec<(Role, u16)> {
        self.roles.iter().filter_map(|(role, joint)| Some((Role::parse(role)?, *joint))).collect()
    }

    /// The same for a skeleton whose joints are in another order: of each new joint, the number that it had.
    pub fn reordered(&self, order: &[u16]) -> Self {
        let place = |old: u16| order.iter().position(|&joint| joint == old);
        let roles = self
            .roles
            .iter()
            .filter_map(|(role, joint)| Some((role.clone(), u16::try_from(place(*joint)?).ok()?)));
        Self { roles: roles.collect(), ..self.clone() }
    }

    /// The joint of a role.
    pub fn joint(&self, role: &str) -> Option<u16> {
        self.roles.iter().find(|(name, _)| name == role).map(|(_, joint)| *joint)
    }

    /// Adds what the expressions of a pose do to its morph weights.
    ///
    /// Scalars of expressions say how much of each is shown; a renderer looks at morph weights alone.
    pub fn express(&self, scalars: &mut [f32]) {
        for expression in &self.expressions {
            let Some(&shown) = scalars.get(usize::from(expression.scalar)) else { continue };
            let shown =
                if expression.is_binary { f32::from(u8::from(shown > 0.5)) } else { shown.clamp(0.0, 1.0) };
            for (morph, weight) in &expression.morphs {
                if let Some(scalar) = scalars.get_mut(usize::from(*morph)) {
                    *scalar += shown * weight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_add_to_morph_weights() {
        let expression = |scalar, is_binary| Expression {
            name: "happy".to_owned(),
            scalar,
            morphs: vec![(0, 0.5), (1, 1.0)],
            is_binary,
        };
        let vrm = Vrm { expressions: vec![expression(2, false), expression(3, true)], ..Vrm::default() };
        let mut scalars = [0.1, 0.0, 0.5, 0.6];
        vrm.express(&mut scalars);
        assert!((scalars[0] - 0.85).abs() < 1e-6 && (scalars[1] - 1.5).abs() < 1e-6, "{scalars:?}");
    }
}
