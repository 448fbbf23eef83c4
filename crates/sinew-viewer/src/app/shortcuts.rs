//! Keyboard shortcuts. One table serves the keyboard, the help page and the manual.

use super::action::{Action, Panel};
use super::overlay::Overlay;

/// A key and its action.
#[derive(Clone, Copy, Debug)]
pub struct Shortcut {
    /// Name of the key in egui.
    pub key: &'static str,
    /// Whether Shift is held.
    pub shift: bool,
    /// Its action.
    pub action: fn() -> Action,
}

/// A line of the help page: one or several keys and their description.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Keys, as printed on the keyboard.
    pub keys: &'static str,
    /// Description.
    pub what: &'static str,
    /// The shortcuts.
    pub shortcuts: &'static [Shortcut],
}

/// A group of lines.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Title.
    pub title: &'static str,
    /// The lines.
    pub lines: &'static [Line],
}

const fn key(key: &'static str, action: fn() -> Action) -> Shortcut {
    Shortcut { key, shift: false, action }
}

const fn shift(key: &'static str, action: fn() -> Action) -> Shortcut {
    Shortcut { key, shift: true, action }
}

const fn line(keys: &'static str, what: &'static str, shortcuts: &'static [Shortcut]) -> Line {
    Line { keys, what, shortcuts }
}

/// All shortcuts.
pub const GROUPS: [Group; 4] = [
    Group {
        title: "Playing",
        lines: &[
            line("Space", "play or pause", &[key("Space", || Action::TogglePlay)]),
            line(
                "Left Right",
                "one frame back or on; with Shift ten",
                &[
                    key("Left", || Action::Step(-1)),
                    key("Right", || Action::Step(1)),
                    shift("Left", || Action::Step(-10)),
                    shift("Right", || Action::Step(10)),
                ],
            ),
            line(
                "Home End",
                "first or last frame",
                &[key("Home", || Action::ToStart), key("End", || Action::ToEnd)],
            ),
            line(
                "- +",
                "half or twice as fast",
                &[
                    key("Minus", || Action::Slower),
                    key("Plus", || Action::Faster),
                    shift("Plus", || Action::Faster),
                    key("Equals", || Action::Faster),
                ],
            ),
            line("0", "normal speed", &[key("0", || Action::Speed(1.0))]),
            line("L", "loop, once, there and back", &[key("L", || Action::NextMode)]),
            line("I", "in place or travelling", &[key("I", || Action::ToggleInPlace)]),
        ],
    },
    Group {
        title: "Clips and panels",
        lines: &[
            line(
                "Up Down",
                "clip before or after",
                &[key("Up", || Action::ClipBy(-1)), key("Down", || Action::ClipBy(1))],
            ),
            line(
                "1 … 9",
                "clip of that number",
                &[
                    key("1", || Action::Clip(0)),
                    key("2", || Action::Clip(1)),
                    key("3", || Action::Clip(2)),
                    key("4", || Action::Clip(3)),
                    key("5", || Action::Clip(4)),
                    key("6", || Action::Clip(5)),
                    key("7", || Action::Clip(6)),
                    key("8", || Action::Clip(7)),
                    key("9", || Action::Clip(8)),
                ],
            ),
            line("/", "search clips", &[key("Slash", || Action::Search)]),
            line("C", "clips panel", &[key("C", || Action::TogglePanel(Panel::Clips))]),
            line("J", "joints panel", &[key("J", || Action::TogglePanel(Panel::Joints))]),
            line(
                "P",
                "motion panel: layers, blend space, machine, IK",
                &[key("P", || Action::TogglePanel(Panel::Motion))],
            ),
            line("D", "dark or light", &[key("D", || Action::ToggleTheme)]),
            line("F5", "read the files again", &[key("F5", || Action::Reload)]),
        ],
    },
    Group {
        title: "View",
        lines: &[
            line("R", "show the whole figure", &[key("R", || Action::ResetView)]),
            line("V", "front, side, three-quarter", &[key("V", || Action::NextView)]),
            line("F", "follow the character", &[key("F", || Action::ToggleFollow)]),
            line(
                "?",
                "these keys",
                &[
                    key("Questionmark", || Action::ToggleHelp),
                    shift("Questionmark", || Action::ToggleHelp),
                    shift("Slash", || Action::ToggleHelp),
                ],
            ),
            line("Esc", "close help or message; choose no joint", &[key("Escape", || Action::Escape)]),
        ],
    },
    Group {
        title: "Overlays",
        lines: &[
            line("B", "skeleton (bones)", &[key("B", || Action::Toggle(Overlay::Skeleton))]),
            line("N", "names of the joints", &[key("N", || Action::Toggle(Overlay::Names))]),
            line("G", "ghost of the bind pose", &[key("G", || Action::Toggle(Overlay::Ghost))]),
            line("W", "weights of the chosen joint", &[key("W", || Action::Toggle(Overlay::Weights))]),
            line("M", "normals", &[key("M", || Action::Toggle(Overlay::Normals))]),
            line("X", "box around the figure", &[key("X", || Action::Toggle(Overlay::Bounds))]),
            line("T", "trail of the root", &[key("T", || Action::Toggle(Overlay::Trail))]),
            line("S", "sockets, with a placeholder prop", &[key("S", || Action::Toggle(Overlay::Sockets))]),
        ],
    },
];

/// Mouse actions, for the help page.
pub const MOUSE: [(&str, &str); 6] = [
    ("drag", "turn"),
    ("drag of a target", "move it, in the plane that faces the eye"),
    ("right drag, Shift drag", "shift"),
    ("wheel, pinch", "nearer or farther"),
    ("click", "choose the nearest joint"),
    ("double click", "show the whole figure"),
];

/// The action of a key.
pub fn find(name: &str, shift: bool) -> Option<Action> {
    let all = GROUPS.iter().flat_map(|group| group.lines).flat_map(|line| line.shortcuts);
    all.into_iter().find(|shortcut| shortcut.key == name && shortcut.shift == shift).map(|s| (s.action)())
}

/// The key of an overlay, for the hint on its button.
pub fn of_overlay(overlay: Overlay) -> &'static str {
    let lines = GROUPS.iter().flat_map(|group| group.lines);
    let mut own = lines.filter(|line| line.shortcuts.iter().any(|s| (s.action)() == Action::Toggle(overlay)));
    own.next().map_or("", |line| line.keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_key_does_one_thing() {
        let mut seen = HashSet::new();
        for shortcut in GROUPS.iter().flat_map(|group| group.lines).flat_map(|line| line.shortcuts) {
            assert!(seen.insert((shortcut.key, shortcut.shift)), "{} is there twice", shortcut.key);
        }
        assert_eq!(find("Space", false), Some(Action::TogglePlay));
        assert_eq!(find("Space", true), None);
        assert_eq!(find("Left", true), Some(Action::Step(-10)));
    }

    #[test]
    fn every_overlay_has_a_key() {
        for overlay in Overlay::ALL {
            assert_eq!(of_overlay(overlay).len(), 1, "{overlay:?}");
        }
    }

    #[test]
    fn the_manual_has_the_same_keys() {
        let manual = include_str!("../../../../docs/viewer.md");
        for line in GROUPS.iter().flat_map(|group| group.lines) {
            let row = format!("| {} | {} |", line.keys, line.what);
            assert!(manual.contains(&row), "docs/viewer.md lacks {row}");
        }
        for (mouse, what) in MOUSE {
            let row = format!("| {mouse} | {what} |");
            assert!(manual.contains(&row), "docs/viewer.md lacks {row}");
        }
    }
}
