//! Every kind of finding there is, by who reports it. `sinew explain`, the reports and the tables of `docs/doctor.md` come from here.

use crate::Kind;

macro_rules! catalogue {
    ($($name:ident: $id:literal, $severity:ident $(, from $threshold:literal)? $(, in $unit:literal)?, $title:literal,
        $explanation:literal, $hint:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $title, ".")]
            pub static $name: Kind = Kind {
                id: $id,
                severity: Severity::$severity,
                title: $title,
                explanation: $explanation,
                hint: $hint,
                threshold: catalogue!(@threshold $($threshold)?),
                unit: catalogue!(@unit $($unit)?),
            };
        )*
        /// All kinds of this module.
        pub static ALL: &[&Kind] = &[$(&$name),*];
    };
    (@threshold) => { None };
    (@threshold $threshold:literal) => { Some($threshold) };
    (@unit) => { "" };
    (@unit $unit:literal) => { $unit };
}

pub mod build;
pub mod examine;
pub mod import;
pub mod play;
pub mod render;
pub mod retarget;

/// Every kind, in the order in which reports prefer them.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    [examine::ALL, import::ALL, play::ALL, build::ALL, render::ALL, retarget::ALL]
        .into_iter()
        .flatten()
        .copied()
}

/// The kind with an id, in upper or lower case.
pub fn find(id: &str) -> Option<&'static Kind> {
    all().find(|kind| kind.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_texts_well_formed() {
        let mut ids: Vec<_> = all().map(|kind| kind.id).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        for kind in all() {
            let word = |text: &str| {
                !text.is_empty()
                    && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            };
            assert!(
                kind.id.split_once('.').is_some_and(|(area, what)| word(area) && word(what)),
                "{}",
                kind.id
            );
            assert!(kind.explanation.ends_with('.') && kind.hint.ends_with('.'), "{}", kind.id);
            assert!(!kind.title.ends_with('.') && !kind.title.starts_with(char::is_uppercase), "{}", kind.id);
        }
    }

    #[test]
    fn kinds_are_found_by_id() {
        assert_eq!(find("clip.loop-seam"), Some(&examine::LOOP_SEAM));
        assert_eq!(find("Texture.Missing"), Some(&import::TEXTURE_MISSING));
        assert_eq!(find("clip.loop"), None);
    }
}
