//! Did you mean: the names nearest to one that does not exist.

/// A sentence that names what may have been meant, or what there is.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let lower = name.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&lower, &other.to_lowercase());
    let near = known
        .iter()
        .map(|&other| (distance(other), other))
        .filter(|&(distance, other)| {
            distance <= 1 + other.len().max(name.len()) / 4 || other.to_lowercase().contains(&lower)
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
    }
}
