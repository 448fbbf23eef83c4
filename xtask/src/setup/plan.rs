//! The commands that install what is missing.

use super::machine::{Admin, Machine};
use super::needs::{Need, Source};
use std::fmt;
use std::process::Command;

/// How missing needs are installed on a machine.
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// For each need that cannot be installed by this program: what the user can do.
    by_hand: Vec<String>,
}

/// One command line of a plan.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Step {
    words: Vec<String>,
    /// Whether the next steps run although this one failed.
    pub(crate) may_fail: bool,
}

impl Plan {
    /// Plans the installation of `missing` on `machine`.
    pub(crate) fn new(missing: &[&Need], machine: &Machine) -> Plan {
        let mut packages = Vec::new();
        let (mut components, mut targets) = (Vec::new(), Vec::new());
        let mut by_hand = Vec::new();
        for need in missing {
            match need.source {
                Source::Packages(names) if machine.debian && machine.admin != Admin::None => {
                    packages.extend(names);
                }
                Source::Packages(names) if machine.debian => by_hand
                    .push(format!("{}: as root, apt-get install {}", need.what, names.join(" "))),
                Source::Packages(names) => by_hand.push(format!(
                    "{}: install it (on Debian and Ubuntu: {})",
                    need.what,
                    names.join(" ")
                )),
                Source::Component(name) if machine.rustup => components.push(name),
                Source::Component(name) => by_hand.push(format!(
                    "{}: install the {name} of your Rust toolchain (with rustup: rustup component add {name})",
                    need.what
                )),
                Source::Target(name) if machine.rustup => targets.push(name),
                Source::Target(name) => by_hand.push(format!(
                    "{}: install the target {name} of your Rust toolchain (with rustup: rustup target add {name})",
                    need.what
                )),
            }
        }
        let mut steps = Vec::new();
        if !packages.is_empty() {
            // The installation may succeed with an outdated package list.
            steps.push(apt(machine, &["update"], true));
            let install = ["install", "-y", "--no-install-recommends"];
            steps.push(apt(machine, &[&install, &packages[..]].concat(), false));
        }
        for (kind, names) in [("component", components), ("target", targets)] {
            if !names.is_empty() {
                steps.push(Step::new(&[&["rustup", kind, "add"], &names[..]].concat(), false));
            }
        }
        Plan { steps, by_hand }
    }

    /// Whether the steps install everything that is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.by_hand.is_empty()
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What the user must install, as a text.
    pub(crate) fn by_hand(&self) -> String {
        let mut text = String::from("This must be installed by hand:");
        for advice in &self.by_hand {
            text += &format!("\n  {advice}");
        }
        if !self.steps.is_empty() {
            text += &format!("\nand then:\n{self}");
        }
        text
    }
}

/// A call of `apt-get` with root rights.
fn apt(machine: &Machine, arguments: &[&str], may_fail: bool) -> Step {
    let right: &[&str] = match (machine.admin, machine.terminal) {
        (Admin::Sudo, true) => &["sudo"],
        // Nobody is there to type a password.
        (Admin::Sudo, false) => &["sudo", "-n"],
        (Admin::Root | Admin::None, _) => &[],
    };
    // By `env`, since sudo does not pass on environment variables.
    let call = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    Step::new(&[right, &call, arguments].concat(), may_fail)
}

impl Step {
    fn new(words: &[&str], may_fail: bool) -> Step {
        Step { words: words.iter().map(|word| (*word).to_owned()).collect(), may_fail }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.steps.iter().map(|step| format!("  {step}")).collect();
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPILER: Need = Need {
        what: "a C compiler",
        why: "builds C",
        commands: &["test"],
        probe: &["cc"],
        source: Source::Packages(&["gcc", "libc6-dev"]),
    };
    const CLIPPY: Need = Need {
        what: "clippy",
        why: "lints",
        commands: &["test"],
        probe: &["cargo", "clippy"],
        source: Source::Component("clippy"),
    };

    fn machine(admin: Admin) -> Machine {
        Machine { debian: true, admin, rustup: true, terminal: false }
    }

    #[test]
    fn root_installs_packages_and_components() {
        let plan = Plan::new(&[&COMPILER, &CLIPPY], &machine(Admin::Root));
        assert!(plan.is_complete());
        assert_eq!(
            plan.to_string(),
            "  env DEBIAN_FRONTEND=noninteractive apt-get update\n  \
             env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc libc6-dev\n  \
             rustup component add clippy"
        );
    }

    #[test]
    fn only_the_update_of_the_list_may_fail() {
        let plan = Plan::new(&[&COMPILER, &CLIPPY], &machine(Admin::Root));
        let may_fail: Vec<bool> = plan.steps().iter().map(|step| step.may_fail).collect();
        assert_eq!(may_fail, [true, false, false]);
    }

    #[test]
    fn sudo_asks_for_a_password_only_on_a_terminal() {
        let silent = Plan::new(&[&COMPILER], &machine(Admin::Sudo));
        assert!(silent.to_string().starts_with("  sudo -n env "), "{silent}");
        let asking = Plan::new(&[&COMPILER], &Machine { terminal: true, ..machine(Admin::Sudo) });
        assert!(asking.to_string().starts_with("  sudo env "), "{asking}");
    }

    #[test]
    fn without_rights_the_packages_are_named() {
        let plan = Plan::new(&[&COMPILER, &CLIPPY], &machine(Admin::None));
        assert!(!plan.is_complete());
        let text = plan.by_hand();
        assert!(text.contains("as root, apt-get install gcc libc6-dev"), "{text}");
        assert!(text.ends_with("and then:\n  rustup component add clippy"), "{text}");
    }

    #[test]
    fn on_other_systems_what_is_missing_is_named() {
        let elsewhere = Machine { debian: false, rustup: false, ..machine(Admin::Root) };
        let plan = Plan::new(&[&COMPILER, &CLIPPY], &elsewhere);
        assert!(!plan.is_complete());
        assert!(plan.steps().is_empty());
        let text = plan.by_hand();
        assert!(text.contains("a C compiler: install it"), "{text}");
        assert!(text.contains("rustup component add clippy"), "{text}");
    }
}
