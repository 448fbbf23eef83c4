//! Guesses tag, loop mode and root motion of a clip from its name and its motion.

use super::ClipChoice;
use crate::project::settings::{LoopSetting, RootMotionSetting};
use sinew::{ClipInfo, IDLE};
use sinew_examine::doctor::ClipMotion;
use sinew_examine::purpose::{loops, plays_once};
use sinew_import::tags::TagSource;
use sinew_import::{SourceClip, TagTable};

/// Distance from which a loop counts as travelling, in millimetres, with the character scaled to 1.8 m: the threshold of `clip.travelling-root`.
fn loop_travels() -> f64 {
    sinew_findings::catalogue::examine::TRAVELLING_ROOT.threshold.unwrap_or(f64::INFINITY)
}

/// The same for a clip that plays once: a step to the side does not count as travel.
const ONCE_TRAVELS: f64 = 200.0;

/// The tag for a name, if the motion of the clip agrees.
fn tag<'a>(table: &'a TagTable, name: &str, motion: &ClipMotion) -> Option<&'a str> {
    // Many names start with `standing` and mean an attack or a dodge, not an idle.
    let idles = motion.closes && motion.travel < loop_travels();
    table.by_name(name).filter(|tag| *tag != IDLE || idles)
}

/// Why a clip has the tag of its slot.
const BY_NUMBER: &str = "by its number in the source; its name says nothing";

/// The tag that a source gives a clip, and why; empty if it gives none, or one that follows from a name, which [`tags`] finds again.
pub(super) fn source_tag(info: Option<&ClipInfo>, source: SourceClip) -> (String, String) {
    let Some((info, tag)) = info.and_then(|info| Some((info, info.tag.clone()?))) else {
        return Default::default();
    };
    let by_slot = |table: TagTable| table.infer(info) == Some((tag.as_str(), TagSource::SlotMap));
    match (by_slot(TagTable::overworld()) || by_slot(TagTable::creature()), source.tag_inferred) {
        (true, _) => (tag.into(), BY_NUMBER.to_owned()),
        (false, true) => Default::default(),
        (false, false) => (tag.into(), "its source has this tag".to_owned()),
    }
}

/// Gives each tag to one clip: the one with that explicit tag, else the one with exactly that name, else the one with the shortest name, else
/// the one with that number.
pub(super) fn tags(clips: &mut [(ClipChoice, ClipMotion)]) {
    let table = TagTable::default();
    let said = |clip: &ClipChoice| match (clip.settings.tag.is_empty(), clip.why_tag == BY_NUMBER) {
        (false, false) => 0,
        (true, _) => 1,
        (false, true) => 2,
    };
    let strength: Vec<u8> = clips.iter().map(|(clip, _)| said(clip)).collect();
    let wanted = clips.iter().map(|(clip, motion)| match clip.settings.tag.as_str() {
        "" => tag(&table, &clip.settings.name, motion).map(str::to_owned),
        explicit => Some(explicit.to_owned()),
    });
    let wanted: Vec<Option<String>> = wanted.collect();
    let claim = |index: usize, tag: &str| {
        let name = clips[index].0.settings.name.as_str();
        (strength[index], !name.eq_ignore_ascii_case(tag), name.len(), index)
    };
    let best = |tag: &str| {
        let claims = wanted.iter().enumerate().filter(|(_, other)| other.as_deref() == Some(tag));
        claims.map(|(index, _)| index).min_by_key(|&index| claim(index, tag))
    };
    let owners: Vec<Option<usize>> = wanted.iter().map(|tag| best(tag.as_deref()?)).collect();
    let names: Vec<String> = clips.iter().map(|(clip, _)| clip.settings.name.clone()).collect();
    for (index, (clip, _)) in clips.iter_mut().enumerate() {
        (clip.settings.tag, clip.why_tag) = match (&wanted[index], owners[index]) {
            (Some(tag), Some(owner)) if owner == index => (
                tag.clone(),
                if strength[index] == 1 { "by its name".to_owned() } else { clip.why_tag.clone() },
            ),
            (Some(tag), Some(owner)) => (String::new(), format!("`{}` is {tag} already", names[owner])),
            _ => (String::new(), "its name says nothing".to_owned()),
        };
    }
}

/// Loop mode and root motion, after the tag is known.
pub(super) fn modes(clip: &mut ClipChoice, motion: &ClipMotion) {
    let (mode, why) = mode(&clip.settings.tag, motion);
    clip.settings.mode = mode;
    clip.why_loop = why;
    let least = if mode == LoopSetting::Once { ONCE_TRAVELS } else { loop_travels() };
    (clip.settings.root_motion, clip.why_root_motion) = if motion.travel >= least {
        (RootMotionSetting::Extract, format!("travels {:.2} m", motion.metres))
    } else {
        (RootMotionSetting::Keep, "stays on the spot".to_owned())
    };
}

fn mode(tag: &str, motion: &ClipMotion) -> (LoopSetting, String) {
    if plays_once(tag) {
        return (LoopSetting::Once, format!("{tag} happens once"));
    }
    match (motion.closes, motion.pauses) {
        (true, _) if loops(tag) => (LoopSetting::Loop, "ends as it begins".to_owned()),
        (true, false) => (LoopSetting::Loop, "ends as it begins".to_owned()),
        (true, true) => (LoopSetting::Once, "begins and ends at a standstill".to_owned()),
        (false, _) if loops(tag) => {
            (LoopSetting::Loop, format!("{tag} goes on, though its ends do not meet"))
        }
        (false, _) => (LoopSetting::Once, "ends elsewhere than it begins".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::settings::ClipSettings;

    const LOOP: ClipMotion =
        ClipMotion { still: false, closes: true, pauses: false, travel: 0.0, metres: 0.0 };
    const BLOW: ClipMotion = ClipMotion { pauses: true, ..LOOP };
    const DODGE: ClipMotion = ClipMotion { closes: false, travel: 900.0, metres: 0.45, ..LOOP };
    const STRIDE: ClipMotion = ClipMotion { travel: 1500.0, metres: 1.5, ..LOOP };

    /// Tag, loop and root motion of clips by name and motion.
    fn guessed(clips: &[(&str, ClipMotion)]) -> Vec<(String, &'static str, &'static str)> {
        let choice = |name: &str| ClipChoice {
            settings: ClipSettings { name: name.to_owned(), ..Default::default() },
            why_tag: String::new(),
            why_loop: String::new(),
            why_root_motion: String::new(),
        };
        let mut clips: Vec<_> = clips.iter().map(|&(name, motion)| (choice(name), motion)).collect();
        tags(&mut clips);
        let modes = clips.into_iter().map(|(mut clip, motion)| {
            modes(&mut clip, &motion);
            assert!(
                !clip.why_tag.is_empty() && !clip.why_loop.is_empty() && !clip.why_root_motion.is_empty()
            );
            let ClipSettings { tag, mode, root_motion, .. } = clip.settings;
            (tag, mode.name(), root_motion.name())
        });
        modes.collect()
    }

    #[test]
    fn names_and_motion_decide() {
        for (name, motion, expected) in [
            ("Walking", STRIDE, ("Walk", "loop", "extract")),
            ("walk", ClipMotion { closes: false, ..STRIDE }, ("Walk", "loop", "extract")),
            ("breathing idle", LOOP, ("Idle", "loop", "keep")),
            ("jump", LOOP, ("Jump", "once", "keep")),
            ("punch", BLOW, ("Punch", "once", "keep")),
            ("dance", LOOP, ("Dance", "loop", "keep")),
            ("Standing Dodge", DODGE, ("Dodge", "once", "extract")),
            ("stumble", ClipMotion { travel: 60.0, closes: false, ..LOOP }, ("", "once", "keep")),
        ] {
            let guessed = guessed(&[(name, motion)]);
            assert_eq!((guessed[0].0.as_str(), guessed[0].1, guessed[0].2), expected, "{name}");
        }
    }

    #[test]
    fn a_tag_goes_to_the_clip_that_it_suits_best() {
        let tags = |names: &[&str]| -> Vec<String> {
            guessed(&names.iter().map(|name| (*name, LOOP)).collect::<Vec<_>>())
                .into_iter()
                .map(|g| g.0)
                .collect()
        };
        assert_eq!(tags(&["walk backward", "walk", "wal_walk"]), ["", "Walk", ""]);
        assert_eq!(tags(&["running fast", "running"]), ["", "Run"]);
    }
}
