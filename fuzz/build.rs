//! Builds `coverage.cpp`. It is C++ because `cargo xtask fuzz` instruments all C code, and this must not be.

fn main() {
    println!("cargo::rerun-if-changed=coverage.cpp");
    cc::Build::new().cpp(true).file("coverage.cpp").cargo_metadata(false).compile("coverage");
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    println!("cargo::rustc-link-search=native={out}");
    // Whole, because it is ufbx, which is linked later, that refers to it.
    println!("cargo::rustc-link-lib=static:+whole-archive=coverage");
    println!("cargo::rustc-link-arg-bins=-Wl,--wrap=__sanitizer_cov_trace_pc");
}
