//! Addresses of channels: which node and which transform they animate.

/// A channel's target, taken apart: `node/sid.member`, `node/sid(3)(0)`, `weights(1)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Address<'a> {
    /// Id of the node, or of an array.
    pub(crate) id: &'a str,
    /// Nodes below it, by `sid`.
    pub(crate) path: Vec<&'a str>,
    /// The transform, by `sid`; `None` for an array.
    pub(crate) item: Option<&'a str>,
    /// Which number of it.
    pub(crate) member: Member<'a>,
}

/// Which number of a transform or array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Member<'a> {
    /// All of them.
    Whole,
    /// By name: `X`, `ANGLE`.
    Named(&'a str),
    /// By index.
    Index(usize),
    /// A cell of a matrix: column, then row.
    Cell(usize, usize),
}

impl<'a> Address<'a> {
    /// Takes a target apart. Names may hold dots, so only the last part can have a member.
    pub(crate) fn parse(target: &'a str) -> Self {
        let target = target.trim();
        let target = target.strip_prefix("./").unwrap_or(target);
        let mut parts = target.split('/');
        let id = parts.next().unwrap_or_default();
        let mut path: Vec<&str> = parts.collect();
        match path.pop() {
            Some(last) => {
                let (item, member) = split_member(last);
                Self { id: super::xml::local_id(id), path, item: Some(item), member }
            }
            None => {
                let (id, member) = split_indices(id);
                Self { id: super::xml::local_id(id), path, item: None, member }
            }
        }
    }
}

fn split_member(text: &str) -> (&str, Member<'_>) {
    if let Some((item, member)) = text.rsplit_once('.') {
        return (item, Member::Named(member));
    }
    split_indices(text)
}

fn split_indices(text: &str) -> (&str, Member<'_>) {
    let Some((name, rest)) = text.split_once('(') else { return (text, Member::Whole) };
    let mut numbers = rest.trim_end_matches(')').split(")(").map(|n| n.trim().parse().ok());
    match (numbers.next().flatten(), numbers.next(), numbers.next()) {
        (Some(index), None, None) => (name, Member::Index(index)),
        (Some(column), Some(Some(row)), None) => (name, Member::Cell(column, row)),
        _ => (text, Member::Whole),
    }
}

/// What a transform is called where it has no `sid` of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Common {
    /// The whole local matrix.
    Matrix,
    /// Translation, along one axis if the name has one.
    Translation(Option<usize>),
    /// Rotation, about one axis if the name has one.
    Rotation(Option<usize>),
    /// Scale, along one axis if the name has one.
    Scale(Option<usize>),
}

impl Common {
    /// By name, in whatever case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if matches!(name.as_str(), "matrix" | "transform" | "transformation") {
            return Some(Self::Matrix);
        }
        let (stem, axis) = match name.strip_suffix(['x', 'y', 'z']) {
            Some(stem) => (stem.trim_end_matches(['_', '.']), axis(name.get(stem.len()..)?)),
            None => (name.as_str(), None),
        };
        match stem {
            "translate" | "translation" | "location" | "position" => Some(Self::Translation(axis)),
            "rotate" | "rotation" | "rot" => Some(Self::Rotation(axis)),
            "scale" | "scaling" => Some(Self::Scale(axis)),
            _ => None,
        }
    }
}

/// Index of an axis by its letter.
pub(crate) fn axis(name: &str) -> Option<usize> {
    match name {
        "x" | "X" => Some(0),
        "y" | "Y" => Some(1),
        "z" | "Z" => Some(2),
        _ => None,
    }
}

/// A bone's name without what exporters add to make an id of it.
pub(crate) fn bare_name(id: &str) -> &str {
    id.strip_suffix("_bone_id").or_else(|| id.strip_suffix("_id")).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_come_apart() {
        let parse = |target| {
            let a = Address::parse(target);
            (a.id, a.path, a.item, a.member)
        };
        assert_eq!(
            parse("Waist_bone_id/rotation.X"),
            ("Waist_bone_id", vec![], Some("rotation"), Member::Named("X"))
        );
        assert_eq!(parse("a/b/rotateX.ANGLE"), ("a", vec!["b"], Some("rotateX"), Member::Named("ANGLE")));
        assert_eq!(
            parse("Camera01.Target/matrix"),
            ("Camera01.Target", vec![], Some("matrix"), Member::Whole)
        );
        assert_eq!(parse("n/matrix(3)(0)"), ("n", vec![], Some("matrix"), Member::Cell(3, 0)));
        assert_eq!(parse("n/translate(1)"), ("n", vec![], Some("translate"), Member::Index(1)));
        assert_eq!(parse("morph-weights(2)"), ("morph-weights", vec![], None, Member::Index(2)));
        assert_eq!(parse("#n/transform"), ("n", vec![], Some("transform"), Member::Whole));
        assert_eq!(parse("n/odd(x)"), ("n", vec![], Some("odd(x)"), Member::Whole));
        assert_eq!(parse(""), ("", vec![], None, Member::Whole));
    }

    #[test]
    fn common_names() {
        assert_eq!(Common::named("rotationX"), Some(Common::Rotation(Some(0))));
        assert_eq!(Common::named("rotate"), Some(Common::Rotation(None)));
        assert_eq!(Common::named("Transform"), Some(Common::Matrix));
        assert_eq!(Common::named("translate"), Some(Common::Translation(None)));
        assert_eq!(Common::named("location_Z"), Some(Common::Translation(Some(2))));
        assert_eq!(Common::named("scale"), Some(Common::Scale(None)));
        assert_eq!(Common::named("visibility"), None);
        assert_eq!(Common::named("é"), None);
        assert_eq!(
            (bare_name("Waist_bone_id"), bare_name("Waist_id"), bare_name("Waist")),
            ("Waist", "Waist", "Waist")
        );
    }
}
