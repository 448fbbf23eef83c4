//! Set-up of the machine: finds what a command needs and is missing, and installs it where it can.

mod machine;
mod needs;
mod plan;

use crate::run;
use machine::Machine;
use needs::{NEEDS, Need};
use plan::{Plan, Step};
use std::io::Write;

/// Sees to it that everything is there that the command of this name needs.
///
/// # Errors
/// A text that says what is missing and how to get it, where it could not be installed.
pub(crate) fn ensure(command: &str) -> Result<(), String> {
    let needs: Vec<&Need> = NEEDS.iter().filter(|need| need.commands.contains(&command)).collect();
    let names: Vec<String> = needs.iter().map(|need| need.source.names()).collect();
    println!("Needs: {}", names.join(" "));

    let missing = missing(&needs);
    if missing.is_empty() {
        return Ok(());
    }
    println!("Missing:\n{}", listing(&missing));
    let machine = Machine::here();
    let plan = Plan::new(&missing, &machine);
    if !plan.is_complete() {
        return Err(plan.by_hand());
    }
    println!("To be run:\n{plan}");
    if machine.terminal && !agreed() {
        return Err(String::from("Nothing was installed. Run the commands above, then this one again."));
    }
    for step in plan.steps() {
        perform(step)?;
    }
    verify(&missing)
}

fn missing<'a>(needs: &[&'a Need]) -> Vec<&'a Need> {
    needs.iter().copied().filter(|need| !is_met(need)).collect()
}

/// On Windows the toolchain brings its compiler and the system its graphics, and there is no `sh` to ask.
fn is_met(need: &Need) -> bool {
    let unknown_there = ["cc", "sh"].contains(&need.probe.first().copied().unwrap_or_default());
    (cfg!(windows) && unknown_there) || run::succeeds(need.probe)
}

fn listing(needs: &[&Need]) -> String {
    let lines: Vec<String> = needs.iter().map(|need| format!("  {}: {}", need.what, need.why)).collect();
    lines.join("\n")
}

/// Asks whether to go ahead; an empty answer is a yes, the end of the input a no.
fn agreed() -> bool {
    print!("Go ahead? [Y/n] ");
    let _ = std::io::stdout().flush();
    let mut answer = String::new();
    match std::io::stdin().read_line(&mut answer) {
        Ok(0) | Err(_) => false,
        Ok(_) => matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"),
    }
}

fn perform(step: &Step) -> Result<(), String> {
    println!("$ {step}");
    let failure = match step.command().status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => format!("`{step}` failed: {status}"),
        Err(error) => format!("`{step}` did not start: {error}"),
    };
    if step.may_fail {
        println!("{failure}; going on");
        return Ok(());
    }
    Err(failure)
}

fn verify(installed: &[&Need]) -> Result<(), String> {
    let still = missing(installed);
    if still.is_empty() {
        return Ok(());
    }
    let probes: Vec<String> = still.iter().map(|need| format!("`{}`", need.probe.join(" "))).collect();
    Err(format!(
        "Still missing after the installation:\n{}\nThese must succeed: {}",
        listing(&still),
        probes.join(", ")
    ))
}
