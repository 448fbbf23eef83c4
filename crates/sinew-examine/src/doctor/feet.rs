//! Checks of feet on the ground.

use super::exceeds;
use super::motion::ExaminedClip;
use crate::criteria::{GOING, LIFTED};
use sinew::Finding;
use sinew_contacts::{Criteria, detect, feet};
use sinew_findings::catalogue::examine::FOOT_SLIDE;
use sinew_findings::plural;

/// The foot that slides farthest while it stands.
pub(super) fn examine(examined: &ExaminedClip<'_>) -> Option<Finding> {
    let at_rest = examined.at_rest;
    let feet = feet(at_rest.skeleton());
    if feet.is_empty() {
        return None;
    }
    let contacts = detect(at_rest.character, examined.clip, &feet, &Criteria::default()).ok()?;
    // A clip that happens once may turn, stumble or jump; a gait is a loop.
    if !contacts.looping || contacts.ground_speed() < at_rest.share(GOING.value) {
        return None;
    }
    let stepping = contacts.feet.iter().filter(|foot| foot.lift >= at_rest.share(LIFTED.value));
    let stands = stepping.flat_map(|foot| foot.stands.iter().map(move |stand| (foot, stand)));
    let sliding: Vec<_> =
        stands.filter(|(_, stand)| exceeds(&FOOT_SLIDE, at_rest.millimetres(stand.slide))).collect();
    let (foot, stand) = sliding.iter().max_by(|a, b| a.1.slide.total_cmp(&b.1.slide))?;
    let message = format!(
        "the {} slides by {} while it stands, from {:.2} to {:.2} s{}",
        foot.name.replace('-', " "),
        at_rest.length(stand.slide),
        stand.start,
        stand.end,
        match sliding.len() {
            1 => String::new(),
            count => format!(", and feet do so {} more", plural(count - 1, "time", "times")),
        }
    );
    let measured = at_rest.millimetres(stand.slide);
    Some(Finding::new(&FOOT_SLIDE, examined.place, message).count(sliding.len()).measured(measured))
}
