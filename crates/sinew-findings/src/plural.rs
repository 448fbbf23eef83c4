//! Numbers with their nouns, in messages.

use crate::Kind;

/// A count with its noun: `1 vertex`, `2 vertices`.
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl Kind {
    /// The unit of a measured value: the singular of a counted unit for 1, as in `1 vertex`.
    pub fn unit_of(&self, value: f64) -> &'static str {
        match self.unit {
            "degrees" if value == 1.0 => "degree",
            "joints" if value == 1.0 => "joint",
            "tolerances" if value == 1.0 => "tolerance",
            "vertices" if value == 1.0 => "vertex",
            unit => unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn one_is_singular() {
        assert_eq!(plural(1, "vertex", "vertices"), "1 vertex");
        assert_eq!(plural(0, "vertex", "vertices"), "0 vertices");
        for kind in catalogue::all() {
            assert_eq!(kind.unit_of(2.0), kind.unit);
            let is_noun =
                kind.unit.chars().all(char::is_alphabetic) && kind.unit.len() > 3 && kind.unit.ends_with('s');
            assert!(!is_noun || kind.unit_of(1.0) != kind.unit, "no singular of {}", kind.unit);
        }
    }
}
