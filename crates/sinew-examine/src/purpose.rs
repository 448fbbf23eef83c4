//! What the purpose of a clip, its tag, says about how it is played.

use sinew::IDLE;

/// Tags of what happens once, whatever the ends look like.
const ONCE: [&str; 13] = [
    "Attack1",
    "Attack2",
    "Attack3",
    "BallThrow",
    "BattleAttack",
    "BattleFaint",
    "BattleHit",
    "Faint",
    "Greet",
    "HitReact",
    "Jump",
    "Land",
    "Wave",
];

/// Tags of what goes on and on, even where the ends do not quite meet.
const ENDLESS: [&str; 5] = ["BattleIdle", IDLE, "Run", "Sit", "Walk"];

/// Whether what a tag stands for happens once.
pub fn happens_once(tag: &str) -> bool {
    says(&ONCE, tag)
}

/// Whether what a tag stands for goes on and on.
pub fn goes_on(tag: &str) -> bool {
    says(&ENDLESS, tag)
}

fn says(tags: &[&str], tag: &str) -> bool {
    tags.iter().any(|other| other.eq_ignore_ascii_case(tag))
}
