//! Maps keys and dropped files to actions.

use crate::app::{Action, shortcuts};
use eframe::egui::{Context, Event, Key};

/// Actions of the keyboard and of dropped files.
pub(crate) fn actions(context: &Context) -> Vec<Action> {
    // No shortcuts while a text field has the focus. egui itself handles Escape there.
    let writing = context.text_edit_focused();
    // Space presses a focused button.
    let on_button = context.memory(|memory| memory.focused().is_some());
    context.input(|input| {
        let mut actions: Vec<Action> = Vec::new();
        for event in input.events.iter().filter(|_| !writing) {
            let Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
            let for_button = on_button && *key == Key::Space;
            if modifiers.ctrl || modifiers.alt || modifiers.command || for_button {
                continue;
            }
            let Some(action) = shortcuts::find(key.name(), modifiers.shift) else { continue };
            // A held key repeats steps, but not toggles.
            if !repeat || matches!(action, Action::Step(_) | Action::ClipBy(_)) {
                actions.push(action);
            }
        }
        let dropped: Vec<_> = input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect();
        if !dropped.is_empty() {
            actions.push(Action::Drop(dropped));
        }
        actions
    })
}

#[cfg(test)]
mod tests {
    use crate::app::shortcuts::GROUPS;
    use eframe::egui::Key;

    #[test]
    fn every_key_has_the_name_that_egui_gives_it() {
        for shortcut in GROUPS.iter().flat_map(|group| group.lines).flat_map(|line| line.shortcuts) {
            let known = Key::ALL.iter().any(|key| key.name() == shortcut.key);
            assert!(known, "egui knows no key `{}`", shortcut.key);
        }
    }
}
