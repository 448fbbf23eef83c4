//! What the commands need beyond cargo. To add a need, add a row.

/// Something that must be on the machine.
pub(crate) struct Need {
    /// What it is, as one would name it to a person.
    pub(crate) what: &'static str,
    /// What it is for.
    pub(crate) why: &'static str,
    /// The commands of this program that need it.
    pub(crate) commands: &'static [&'static str],
    /// A command line that succeeds exactly where the need is met.
    pub(crate) probe: &'static [&'static str],
    /// How it is brought in.
    pub(crate) source: Source,
}

/// Where something that is missing comes from.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Packages of Debian and Ubuntu.
    Packages(&'static [&'static str]),
    /// A component of the Rust toolchain, which rustup brings.
    Component(&'static str),
}

impl Source {
    /// Its packages or its component, as one types them.
    pub(crate) fn names(self) -> String {
        match self {
            Source::Packages(packages) => packages.join(" "),
            Source::Component(component) => component.to_owned(),
        }
    }
}

/// The loader, and at least one driver that has told it of itself. Elsewhere than on Linux the system brings its own.
const VULKAN: &str = "[ \"$(uname)\" != Linux ] || {
    ls /usr/lib/*/libvulkan.so.1 /usr/lib/libvulkan.so.1 /usr/lib64/libvulkan.so.1 2>/dev/null | grep -q . &&
    ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json 2>/dev/null | grep -q .; }";

/// Succeeds where Xvfb and all that winit loads are there; elsewhere windows need nothing of the kind.
const WINDOW: &str = "[ \"$(uname)\" != Linux ] || {
    command -v Xvfb >/dev/null || exit 1
    for name in X11 X11-xcb xcb Xcursor Xi xkbcommon xkbcommon-x11; do
        ls /usr/lib/*/lib$name.so.? /usr/lib/lib$name.so.? /usr/lib64/lib$name.so.? 2>/dev/null | grep -q . || exit 1
    done; }";

/// The table of needs.
pub(crate) const NEEDS: &[Need] = &[
    // `cc.sh` installs the same packages where not even this program can be linked without them.
    Need {
        what: "a C compiler (`cc`) with the C library's headers",
        why: "builds ufbx, which reads FBX files",
        commands: &["demo", "fuzz", "images", "test"],
        probe: &["cc", "-fsyntax-only", "-include", "stdlib.h", "-x", "c", "/dev/null"],
        source: Source::Packages(&["gcc", "libc6-dev"]),
    },
    Need {
        what: "a C++ compiler (`c++`) with the C++ library's headers",
        why: "builds libFuzzer",
        commands: &["fuzz"],
        probe: &["c++", "-fsyntax-only", "-include", "vector", "-x", "c++", "/dev/null"],
        source: Source::Packages(&["g++"]),
    },
    Need {
        what: "a Vulkan driver that needs no graphics card",
        why: "draws the pictures of the tests and of the demo",
        commands: &["demo", "images", "test"],
        probe: &["sh", "-c", VULKAN],
        source: Source::Packages(&["mesa-vulkan-drivers", "libvulkan1"]),
    },
    Need {
        what: "node",
        why: "runs the Khronos validator over the glTF files that tests write",
        commands: &["test"],
        probe: &["node", "--version"],
        source: Source::Packages(&["nodejs"]),
    },
    Need {
        what: "npm",
        why: "brings the Khronos validator",
        commands: &["test"],
        probe: &["npm", "--version"],
        source: Source::Packages(&["npm"]),
    },
    Need {
        what: "a display in memory (Xvfb), and the libraries of a window",
        why: "opens the viewer in the tests, and for its picture",
        commands: &["images", "test"],
        probe: &["sh", "-c", WINDOW],
        source: Source::Packages(&[
            "xvfb",
            "libx11-6",
            "libx11-xcb1",
            "libxcb1",
            "libxcursor1",
            "libxi6",
            "libxkbcommon0",
            "libxkbcommon-x11-0",
        ]),
    },
    Need {
        what: "rustfmt",
        why: "checks the format of the source",
        commands: &["test"],
        probe: &["cargo", "fmt", "--version"],
        source: Source::Component("rustfmt"),
    },
    Need {
        what: "clippy",
        why: "checks the source for mistakes",
        commands: &["test"],
        probe: &["cargo", "clippy", "--version"],
        source: Source::Component("clippy"),
    },
];
