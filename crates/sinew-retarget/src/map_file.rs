//! Roles as the text of a bone map.

use crate::Humanoid;
use sinew::Skeleton;
use std::fmt::Write as _;

/// A bone map of a skeleton's roles as TOML, with how each was found: what [`sinew::BoneMap`] reads.
///
/// ```
/// # fn demo(character: &sinew::Character) -> Result<(), Box<dyn std::error::Error>> {
/// let roles = sinew_retarget::Humanoid::find(character.skeleton())?;
/// std::fs::write("hero.map.toml", sinew_retarget::to_toml(&roles, character.skeleton()))?;
/// # Ok(()) }
/// ```
pub fn to_toml(roles: &Humanoid, skeleton: &Skeleton) -> String {
    let mut text = String::from(
        "# From joints to the roles that they have. A joint with an empty role is left out.\n[joints]\n",
    );
    for (role, found) in roles.roles() {
        let joint = quoted(skeleton.name(found.joint));
        let sure = found.confidence * 100.0;
        // Writing to a string does not fail.
        _ = writeln!(text, "{joint} = \"{role}\"  # {}, {sure:.0} %", found.method.name());
    }
    for refused in roles.refused() {
        _ = writeln!(text, "# {}", refused.to_string().replace(char::is_control, " "));
    }
    text
}

/// A name as a basic string of TOML.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_control() => _ = write!(text, "\\u{:04X}", u32::from(letter)),
            letter => text.push(letter),
        }
    }
    text + "\""
}
