//! What kind of machine this is, as far as installing goes.

use crate::run;
use std::io::IsTerminal;
use std::process::Command;

/// What there is to install with.
pub(crate) struct Machine {
    /// Debian, Ubuntu or a relative of theirs, with its `apt-get`.
    pub(crate) debian: bool,
    /// Who may install packages.
    pub(crate) admin: Admin,
    /// Whether rustup looks after the Rust toolchain.
    pub(crate) rustup: bool,
    /// Whether there is somebody to ask.
    pub(crate) terminal: bool,
}

/// By what right packages are installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admin {
    /// We are root.
    Root,
    /// By `sudo`.
    Sudo,
    /// Not at all.
    Nobody,
}

impl Machine {
    /// Looks at the machine this program runs on.
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
        Admin::Nobody
    }
}

/// Whether the text of `/etc/os-release` is that of Debian, Ubuntu or a system that follows one of them.
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
    fn debian_and_its_relatives_are_recognised() {
        assert!(is_debian("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n"));
        assert!(is_debian("ID=ubuntu\nID_LIKE=debian\n"));
        assert!(is_debian("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!is_debian("ID=fedora\nNAME=\"not debian\"\n"));
        assert!(!is_debian("ID=arch\nHOME_URL=\"https://debian\"\n"));
        assert!(!is_debian(""));
    }
}
