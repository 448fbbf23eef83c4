//! What the commands need beyond cargo. To add a need, add a row.

/// Something that must be on the machine.
pub(crate) struct Need {
    /// Its name in messages.
    pub(crate) what: &'static str,
    /// What it is for.
    pub(crate) why: &'static str,
    /// The commands of this program that need it.
    pub(crate) commands: &'static [&'static str],
    /// A command line that succeeds if and only if the need is met.
    pub(crate) probe: &'static [&'static str],
    /// How it is installed.
    pub(crate) source: Source,
}

/// How a need is installed.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Packages of Debian and Ubuntu.
    Packages(&'static [&'static str]),
    /// A component of the Rust toolchain, installed by rustup.
    Component(&'static str),
    /// A target of the Rust toolchain, installed by rustup.
    Target(&'static str),
}

impl Source {
    /// The names of its packages or component.
    pub(crate) fn names(self) -> String {
        match self {
            Source::Packages(packages) => packages.join(" "),
            Source::Component(name) | Source::Target(name) => name.to_owned(),
        }
    }
}

/// Succeeds where the Vulkan loader and at least one registered driver are installed, and on systems other than Linux, which have their own graphics.
const VULKAN: &str = "[ \"$(uname)\" != Linux ] || {
    ls /usr/lib/*/libvulkan.so.1 /usr/lib/libvulkan.so.1 /usr/lib64/libvulkan.so.1 2>/dev/null | grep -q . &&
    ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json 2>/dev/null | grep -q .; }";

/// Succeeds where Xvfb and the libraries that winit loads are installed, and on systems other than Linux, where windows do not need them.
const WINDOW: &str = "[ \"$(uname)\" != Linux ] || {
    command -v Xvfb >/dev/null || exit 1
    for name in X11 X11-xcb xcb Xcursor Xi xkbcommon xkbcommon-x11; do
        ls /usr/lib/*/lib$name.so.? /usr/lib/lib$name.so.? /usr/lib64/lib$name.so.? 2>/dev/null | grep -q . || exit 1
    done; }";

/// Succeeds where programs for aarch64 can be linked and run, and on machines where the tests do not run them.
const AARCH64: &str = "[ \"$(uname -sm)\" != 'Linux x86_64' ] || {
    command -v qemu-aarch64 >/dev/null &&
    aarch64-linux-gnu-gcc -fsyntax-only -include stdlib.h -x c /dev/null; }";

/// Succeeds where Rust's library for aarch64 is installed, and on machines where the tests do not need it.
const AARCH64_LIBRARY: &str = "[ \"$(uname -sm)\" != 'Linux x86_64' ] || [ -d \"$(rustc --print target-libdir --target aarch64-unknown-linux-gnu)\" ]";

/// The table of needs.
pub(crate) const NEEDS: &[Need] = &[
    // `cc.sh` installs the same packages: without them this program cannot be linked.
    Need {
        what: "a C compiler (`cc`) with the C library's headers",
        why: "builds ufbx, which reads FBX files",
        commands: &["demo", "fuzz", "images", "stress", "test"],
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
        why: "runs the Khronos validator over the glTF files that tests write, and the server of pictures by three.js",
        commands: &["test"],
        probe: &["node", "--version"],
        source: Source::Packages(&["nodejs"]),
    },
    Need {
        what: "npm",
        why: "installs the Khronos validator and three.js",
        commands: &["test"],
        probe: &["npm", "--version"],
        source: Source::Packages(&["npm"]),
    },
    Need {
        what: "chromium",
        why: "draws models with three.js, with which our pictures are compared",
        commands: &["test"],
        probe: &["chromium", "--version"],
        source: Source::Packages(&["chromium"]),
    },
    Need {
        what: "a C# compiler (`mcs`)",
        why: "compiles the C# for MonoGame in tests",
        commands: &["test"],
        probe: &["mcs", "--version"],
        source: Source::Packages(&["mono-mcs"]),
    },
    Need {
        what: "mono",
        why: "runs the C# for MonoGame in tests",
        commands: &["test"],
        probe: &["mono", "--version"],
        source: Source::Packages(&["mono-runtime"]),
    },
    Need {
        what: "a virtual display (Xvfb) and the X11 libraries",
        why: "opens the viewer in tests, and for its screenshot",
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
        what: "valgrind",
        why: "counts instructions",
        commands: &["count"],
        probe: &["valgrind", "--version"],
        source: Source::Packages(&["valgrind"]),
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
    Need {
        what: "a C compiler and an emulator for aarch64",
        why: "link and run the tests of equal bits with NEON",
        commands: &["test"],
        probe: &["sh", "-c", AARCH64],
        source: Source::Packages(&["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"]),
    },
    Need {
        what: "Rust's library for aarch64",
        why: "builds the tests of equal bits with NEON",
        commands: &["test"],
        probe: &["sh", "-c", AARCH64_LIBRARY],
        source: Source::Target(AARCH64_TARGET),
    },
];

/// The target whose tests run under an emulator.
pub(crate) const AARCH64_TARGET: &str = "aarch64-unknown-linux-gnu";
