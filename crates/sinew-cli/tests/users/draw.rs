//! `render` and `pose`: what is shown where nothing is said.

use super::*;

#[test]
fn pose_shows_the_animation_that_was_named() {
    let folder = folder();
    write(folder.path(), "hero.fbx", with_skin());
    write(folder.path(), "walk.fbx", motion());
    let output = sinew(folder.path(), &["pose", "hero.fbx", "walk.fbx", "--time", "0,99", "--json"]);
    let pose = json(&output);
    assert_eq!(pose["clip"], 1, "the first clip of the animation file");
    assert!(text(&output.stderr).contains("99 s is shown as its end"), "{}", text(&output.stderr));
    assert_eq!(json(&sinew(folder.path(), &["pose", "hero.fbx", "--json"]))["clip"], 0);
    let wrong = error_of(&sinew(folder.path(), &["pose", "hero.fbx", "walk.fbx", "--clip", "Wlk"]));
    assert!(wrong.contains("There are") || wrong.contains("there are"), "{wrong}");
}

#[cfg(feature = "render")]
#[test]
fn a_source_without_a_mesh_is_drawn_as_its_skeleton() {
    if !common::can_draw("a_source_without_a_mesh_is_drawn_as_its_skeleton") {
        return;
    }
    let folder = folder();
    write(folder.path(), "walk.fbx", motion());
    let output = sinew(
        folder.path(),
        &["render", "walk.fbx", "-o", "walk.png", "--no-ground", "--background", "white"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("its skeleton is drawn"), "{}", text(&output.stderr));
    let picture = common::picture(&folder.path().join("walk.png"));
    let white = |pixel: &[u8]| pixel[..3].iter().all(|&part| part > 250);
    assert!(picture.pixels().chunks(4).any(|pixel| !white(pixel)), "something is drawn");
    for camera in ["back", "left", "right", "top"] {
        let output = sinew(
            folder.path(),
            &["render", "walk.fbx", "-o", "walk.png", "--size", "64x64", "--camera", camera],
        );
        assert!(output.status.success(), "{camera}: {}", text(&output.stderr));
    }
}

#[cfg(feature = "render")]
#[test]
fn render_shows_the_animation_that_was_named() {
    if !common::can_draw("render_shows_the_animation_that_was_named") {
        return;
    }
    let folder = folder();
    write(folder.path(), "hero.fbx", with_skin());
    write(folder.path(), "walk.fbx", motion());
    let render = |sources: &[&str], more: &[&str]| {
        let output = ["-o", "hero.png", "--size", "48x48", "--json"];
        sinew(folder.path(), &[&["render"], sources, &output, more].concat())
    };
    let own = json(&render(&["hero.fbx"], &[]))["clips"].clone();
    let named = render(&["hero.fbx", "walk.fbx"], &["--time", "99"]);
    assert_eq!(json(&named)["clips"], serde_json::json!(["walk"]), "the first clip of the animation file");
    assert_ne!(own, serde_json::json!(["walk"]));
    assert!(text(&named.stderr).contains("99 s is shown as its end"), "{}", text(&named.stderr));
}

/// Names of clips on a sheet: Cyrillic is bundled, and what no font has is escaped.
#[cfg(feature = "render")]
#[test]
fn sheets_show_names_of_any_script() {
    if !common::can_draw("sheets_show_names_of_any_script") {
        return;
    }
    let sheet = |name: &str| {
        let folder = folder();
        write(folder.path(), "hero.fbx", body());
        let mut clip = Pair::default().clip;
        clip.takes[0].name = name.to_owned();
        write(folder.path(), "clip.fbx", fbx::write(&clip));
        let how = ["-o", "sheet.png", "--sheet", "--frames", "2", "--size", "48x48"];
        let output = sinew(folder.path(), &[&["render", "hero.fbx", "clip.fbx"], &how[..]].concat());
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        common::picture(&folder.path().join("sheet.png"))
    };
    let [accents, cyrillic, escaped] = ["éèê", "бег", "\\u{e000}"].map(sheet);
    assert!(accents != sheet("eee") && accents != sheet("ééé"), "accents are drawn");
    assert!(cyrillic != sheet("гон") && cyrillic != sheet("   "), "letters are drawn, not boxes");
    // A letter for private use, which no font is expected to have.
    assert!(sheet("\u{e000}") == escaped, "a readable escape");
}
