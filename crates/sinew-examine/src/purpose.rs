//! Which tags are of clips that loop, and which of clips that play once.

use sinew::IDLE;

/// Tags of clips that play once, even if they end in their first pose.
const ONCE: [&str; 23] = [
    "Attack",
    "Attack1",
    "Attack2",
    "Attack3",
    "BallThrow",
    "BattleAttack",
    "BattleFaint",
    "BattleHit",
    "Death",
    "Dodge",
    "Faint",
    "Greet",
    "Hit",
    "HitReact",
    "Jump",
    "Kick",
    "Land",
    "Punch",
    "Reload",
    "Roll",
    "Shoot",
    "Slash",
    "Wave",
];

/// Tags of clips that loop, even if they do not quite end in their first pose.
const ENDLESS: [&str; 12] = [
    "BattleIdle",
    "Climb",
    "CrouchWalk",
    "Dance",
    IDLE,
    "Run",
    "Sit",
    "Strafe",
    "StrafeLeft",
    "StrafeRight",
    "Swim",
    "Walk",
];

/// Whether clips of this tag play once.
pub fn plays_once(tag: &str) -> bool {
    contains(&ONCE, tag)
}

/// Whether clips of this tag loop.
pub fn loops(tag: &str) -> bool {
    contains(&ENDLESS, tag)
}

fn contains(tags: &[&str], tag: &str) -> bool {
    tags.iter().any(|other| other.eq_ignore_ascii_case(tag))
}
