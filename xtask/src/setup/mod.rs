//! Set-up of the machine: finds out which needs of a command are missing, and installs them where it can.

mod machine;
mod needs;
mod plan;

use crate::run;
use machine::Machine;
pub(crate) use needs::AARCH64_TARGET;
use needs::{NEEDS, Need};
use plan::{Plan, Step};
use std::io::Write;

/// Checks that the machine has everything the command of this name needs, and installs what is missing.
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

/// On Windows, the compiler comes with the toolchain and graphics with the system, and there is no `sh` to run probes.
fn is_met(need: &Need) -> bool {
    let not_on_windows = ["cc", "sh"].contains(&need.probe.first().copied().unwrap_or_default());
    (cfg!(windows) && not_on_windows) || run::succeeds(need.probe)
}

fn listing(needs: &[&Need]) -> String {
    let lines: Vec<String> = needs.iter().map(|need| format!("  {}: {}", need.what, need.why)).collect();
    lines.join("\n")
}

/// Asks whether to continue. An empty answer means yes, the end of the input means no.
fn agreed() -> bool {
    print!("Continue? [Y/n] ");
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
        println!("{failure}; continuing");
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
