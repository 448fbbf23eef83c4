#!/bin/sh
# The linker of this workspace (see .cargo/config.toml): calls the system's `cc`.
#
# Rust links with `cc`, so on a fresh machine `cargo xtask` fails before its own set-up can run. When xtask
# itself is linked and `cc` or the C library is missing, this script installs them: on Debian and
# Ubuntu it names the packages, asks on a terminal, and installs them. The other needs are in src/setup/needs.rs.
set -eu

packages="gcc libc6-dev"

# Whether `cc` is installed, with the start-up code that every program is linked with.
have_cc() {
    command -v cc >/dev/null && [ -e "$(cc -print-file-name=crt1.o)" ]
}

missing() {
    echo "Rust needs a C compiler to link programs. $1" >&2
    exit 1
}

# rustc hides the output of its linker, so questions go to the terminal. A CI job may have a terminal, but nobody
# to answer.
on_terminal() {
    [ -z "${CI-}" ] && (: </dev/tty) 2>/dev/null
}

agreed() {
    on_terminal || return 0
    printf 'Rust needs a C compiler to link programs: packages %s.\nInstall them with apt-get? [Y/n] ' "$packages" >/dev/tty
    read -r answer </dev/tty || return 1
    case $answer in '' | [Yy]*) return 0 ;; *) return 1 ;; esac
}

install_cc() {
    command -v apt-get >/dev/null || missing "Install one (gcc or clang, with the C library's headers)."
    if [ "$(id -u)" = 0 ]; then
        admin=""
    elif ! command -v sudo >/dev/null; then
        missing "As root: apt-get install $packages"
    elif on_terminal; then
        admin="sudo"
    else
        admin="sudo -n"
    fi
    agreed || missing "Install it: apt-get install $packages"
    log=/dev/stderr
    if on_terminal; then log=/dev/tty; fi
    {
        # The installation may succeed with an outdated package list.
        $admin env DEBIAN_FRONTEND=noninteractive apt-get update || true
        $admin env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
    } >"$log" 2>&1 || missing "Installing $packages failed."
}

if [ "${CARGO_PKG_NAME-}" = xtask ]; then
    have_cc || install_cc
elif ! command -v cc >/dev/null; then
    missing "\`cargo xtask demo\` and \`cargo xtask test\` install it."
fi
exec cc "$@"
