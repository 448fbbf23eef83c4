//! A source against what was compiled of it.

use super::*;

/// Compressed clips may be as far from their source as their profile says, and no farther.
#[test]
fn a_bundle_is_compared_within_the_bounds_of_its_profile() {
    let folder = folder();
    let root = folder.path();
    for (name, bytes) in sinew_testkit::humanoid::files() {
        if ["hero.fbx", "walk.fbx"].contains(&name.as_str()) {
            write(root, &name, bytes);
        }
    }
    let convert = |arguments: &[&str]| {
        let output = sinew(root, &[&["convert"], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    convert(&["hero.fbx", "walk.fbx", "-o", "source.glb"]);
    let mut exact = 0.0;
    // Millimetres for a character of 1.8 m, as a multiple of what other files may be off by.
    for (profile, room) in [("off", 1.0), ("strict", 1.0), ("balanced", 4.0), ("small", 15.0)] {
        convert(&["source.glb", "-o", "hero.sinew", "--compress", profile]);
        for files in [["source.glb", "hero.sinew"], ["hero.sinew", "source.glb"]] {
            let output = sinew(root, &[&["diff"], &files[..], &["--json"]].concat());
            let found = json(&output);
            assert_eq!(
                (output.status.code(), &found["within"]),
                (Some(0), &true.into()),
                "{profile}: {found:#}"
            );
            let tolerance = found["tolerance"].as_f64().unwrap();
            if profile == "off" {
                exact = tolerance;
            }
            assert!((tolerance / exact - room).abs() < 1e-3, "{profile}: {tolerance} mm, exactly {exact} mm");
        }
    }
    // The last was the smallest, which is farther off than files that are not compressed may be.
    let given = format!("{exact}");
    let told = sinew(root, &["diff", "source.glb", "hero.sinew", "--tolerance", &given]);
    assert_eq!(told.status.code(), Some(1), "{}", text(&told.stdout));
}
