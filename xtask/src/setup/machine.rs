//! What this machine offers for installing packages.

use crate::run;
use std::io::IsTerminal;
use std::process::Command;

/// The means of installation.
pub(crate) struct Machine {
    /// Debian, Ubuntu or a system derived from them, with `apt-get`.
    pub(crate) debian: bool,
    /// How root rights are obtained.
    pub(crate) admin: Admin,
    /// Whether rustup manages the Rust toolchain.
    pub(crate) rustup: bool,
    /// Whether the input is a terminal, where a user can be asked.
    pub(crate) terminal: bool,
}

/// How root rights are obtained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admin {
    /// The user is root.
    Root,
    /// By `sudo`.
    Sudo,
    /// Not at all.
    None,
}

impl Machine {
    /// Examines the machine that this program runs on.
    pub(crate) fn here() -> Machine {
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        Machine {
            debian: is_debian(&release) && run::succeeds(&["apt-get", "--version"]),
            admin: admin(),
            rustup: run::succeeds(&["rustup", "--version"]),
            terminal: std::io::stdin().is_terminal(),
        }
    }
}

fn admin() -> Admin {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    if root {
        Admin::Root
    } else if run::succeeds(&["sudo", "--version"]) {
        Admin::Sudo
    } else {
        Admin::None
    }
}

/// Whether the text of `/etc/os-release` is that of Debian, Ubuntu or a system derived from them.
fn is_debian(release: &str) -> bool {
    release
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(key, _)| ["ID", "ID_LIKE"].contains(key))
        .flat_map(|(_, value)| value.trim_matches(['"', '\'']).split_whitespace())
        .any(|id| ["debian", "ubuntu"].contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_and_systems_derived_from_it_are_recognised() {
        assert!(is_debian("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n"));
        assert!(is_debian("ID=ubuntu\nID_LIKE=debian\n"));
        assert!(is_debian("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!is_debian("ID=fedora\nNAME=\"not debian\"\n"));
        assert!(!is_debian("ID=arch\nHOME_URL=\"https://debian\"\n"));
        assert!(!is_debian(""));
    }
}
