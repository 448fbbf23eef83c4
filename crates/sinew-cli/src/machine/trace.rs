//! A recorded or written course of parameters: what a game set before each update, and how long the update was.

use crate::exit::{Failure, Result};
use crate::load::Inputs;
use serde::Deserialize;
use serde_json::Value;
use sinew::machine::{Animator, ParameterKind};
use std::path::Path;

/// Ten minutes at sixty updates a second.
const MOST_UPDATES: u64 = 36_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    #[serde(default)]
    #[allow(dead_code, reason = "read so that a file may say what it is")]
    schema: Option<String>,
    updates: Vec<Update>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    /// Parameters by name, set before the update; a trigger is set by `true`.
    #[serde(default)]
    set: serde_json::Map<String, Value>,
    seconds: f64,
    /// So many updates of that length.
    #[serde(default = "once")]
    times: u64,
}

fn once() -> u64 {
    1
}

impl Trace {
    pub fn read(inputs: &Inputs, path: &Path) -> Result<Self> {
        let wrong = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", path.display()));
        let text = inputs.text(path)?;
        let trace: Self = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        let count = trace.updates.iter().fold(0u64, |sum, update| sum.saturating_add(update.times));
        if count > MOST_UPDATES {
            return Err(wrong(&format!("{count} updates are too many: {MOST_UPDATES} are the most")));
        }
        Ok(trace)
    }

    /// Runs all updates, and hands each outcome over with the seconds that it took.
    pub fn run(
        &self,
        path: &Path,
        animator: &mut Animator,
        mut each: impl FnMut(&Animator, f64),
    ) -> Result<()> {
        for (number, update) in self.updates.iter().enumerate() {
            let wrong = |error: &dyn std::fmt::Display| {
                Failure::Input(format!("{}: update {}: {error}", path.display(), number + 1))
            };
            if update.seconds.is_nan() || update.seconds < 0.0 {
                return Err(wrong(&format!("{} seconds are not possible", update.seconds)));
            }
            for (name, value) in &update.set {
                set(animator, name, value).map_err(|error| wrong(&format!("`{name}`: {error}")))?;
            }
            for _ in 0..update.times {
                animator.update(update.seconds).map_err(|error| wrong(&error))?;
                each(animator, update.seconds);
            }
        }
        Ok(())
    }
}

fn set(animator: &mut Animator, name: &str, value: &Value) -> std::result::Result<(), String> {
    let machine = animator.plan().machine();
    let id = machine.parameter(name).map_err(|unknown| unknown.to_string())?;
    let kind = machine.parameters()[id.index()].kind();
    let outcome = match (kind, value) {
        (ParameterKind::Number(_), Value::Number(number)) => {
            animator.set_number(id, number.as_f64().unwrap_or(f64::NAN) as f32)
        }
        (ParameterKind::Bool(_), Value::Bool(truth)) => animator.set_bool(id, *truth),
        (ParameterKind::Trigger { .. }, Value::Bool(true)) => animator.fire(id),
        (kind, value) => return Err(format!("it is a {}, which `{value}` is not", kind.name())),
    };
    outcome.map_err(|error| error.to_string())
}
