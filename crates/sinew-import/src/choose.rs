//! Clips and joints by what a person types: names, tags, numbers; and what may have been meant where nothing has that name.

use sinew::names::bare;
use sinew::{Character, ClipInfo, Skeleton};

/// A clip by its number (`#0`), by its name here or in its source, or by what it is for (`Idle`). Where there is none, says what there is.
pub fn clip(character: &Character, wanted: &str) -> Result<usize, String> {
    let clips = character.clips();
    let found = match wanted.strip_prefix('#') {
        Some(number) => {
            let number = number.parse::<usize>();
            let number = number.map_err(|_| format!("`{wanted}` is no clip number: write it as in #0"))?;
            (number < clips.len()).then_some(number)
        }
        None => clips
            .find(wanted)
            .or_else(|| clips.infos().position(|info| info.source_name.as_deref() == Some(wanted)))
            .or_else(|| clip_by_tag(character, wanted)),
    };
    found.ok_or_else(|| {
        let is_name = |tag: &str| clips.names().any(|name| name.eq_ignore_ascii_case(tag));
        let tags = clips.infos().filter_map(|info| info.tag.as_deref()).filter(|tag| !is_name(tag));
        // What clips are for says more than `clip_007`.
        let hint = did_you_mean(wanted, tags.chain(clips.names()));
        format!("`{}` has no clip `{wanted}`; {hint}", character.name())
    })
}

/// The first clip that has a tag of its own; none stands in for another, since it is asked for by name.
pub fn clip_by_tag(character: &Character, wanted: &str) -> Option<usize> {
    let has = |info: &ClipInfo| info.tag.as_deref().is_some_and(|tag| tag.eq_ignore_ascii_case(wanted));
    character.clips().infos().position(has)
}

/// A joint by its name, or by its name without namespace, in upper or lower case. Where there is none, says what there is.
pub fn joint(skeleton: &Skeleton, wanted: &str) -> Result<u16, String> {
    let by = |fits: &dyn Fn(&str) -> bool| {
        (0u16..).zip(skeleton.names()).find(|(_, name)| fits(name)).map(|(joint, _)| joint)
    };
    let found = skeleton
        .find(wanted)
        .or_else(|| by(&|name| name.eq_ignore_ascii_case(wanted)))
        .or_else(|| by(&|name| bare(name).eq_ignore_ascii_case(wanted)));
    found.ok_or_else(|| {
        let hint = did_you_mean(wanted, skeleton.names().iter().map(String::as_str));
        format!("there is no joint `{wanted}`; {hint}")
    })
}

/// A sentence that names what may have been meant, or what there is.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let lower = name.to_lowercase();
    // A name is often given without the namespace that the file puts before it.
    let distance = |other: &str| {
        let [whole, bare] = [other, bare(other)].map(str::to_lowercase);
        strsim::damerau_levenshtein(&lower, &whole).min(strsim::damerau_levenshtein(&lower, &bare))
    };
    let near = known
        .iter()
        .map(|&other| (distance(other), other))
        .filter(|&(distance, other)| {
            distance <= 1 + bare(other).len().max(name.len()) / 4 || other.to_lowercase().contains(&lower)
        })
        .min();
    match near {
        Some((_, other)) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("there are {}", list(&known)),
    }
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_suggested() {
        let clips = ["idle", "walk", "run"];
        assert_eq!(did_you_mean("wlak", clips), "did you mean `walk`?");
        assert_eq!(did_you_mean("IDEL", clips), "did you mean `idle`?");
        assert_eq!(did_you_mean("somersault", clips), "there are `idle`, `walk`, `run`");
        assert_eq!(did_you_mean("x", []), "there are none");
        assert_eq!(did_you_mean("Hips", ["mixamorig:Hips", "b"]), "did you mean `mixamorig:Hips`?");
        assert_eq!(did_you_mean("Hpis", ["mixamorig:Hips", "b"]), "did you mean `mixamorig:Hips`?");
    }
}
