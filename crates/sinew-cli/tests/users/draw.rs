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
}

/// A cube that shows another colour to each side, with a red nose in front: front red, back blue, left and right yellow, top green.
#[cfg(feature = "render")]
fn coloured_cube() -> (String, Vec<u8>) {
    const RED: usize = 0;
    let corner = |low: [f32; 3], high: [f32; 3], bits: [usize; 3]| {
        std::array::from_fn::<f32, 3, _>(|axis| if bits[axis] == 1 { high[axis] } else { low[axis] })
    };
    // Corners of each side against the clock, seen from outside: front, back, left, right, top, bottom.
    const SIDES: [[[usize; 3]; 4]; 6] = [
        [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
        [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]],
        [[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]],
        [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]],
        [[0, 1, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
    ];
    let cube = [([-0.5, 0.0, -0.5], [0.5, 1.0, 0.5], [RED, 1, 2, 2, 3, 3])];
    let nose = ([-0.1, 0.4, 0.5], [0.1, 0.6, 0.9], [RED; 6]);
    let (mut bytes, mut primitives, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for (low, high, materials) in cube.into_iter().chain([nose]) {
        for (side, material) in SIDES.iter().zip(materials) {
            let quad = [0, 1, 2, 0, 2, 3].map(|index: usize| corner(low, high, side[index]));
            let at = bytes.len();
            bytes.extend(quad.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
            primitives.push(serde_json::json!({
                "attributes": { "POSITION": accessors.len() }, "material": material
            }));
            accessors.push(serde_json::json!({
                "bufferView": 0, "byteOffset": at, "componentType": 5126, "count": 6, "type": "VEC3"
            }));
        }
    }
    let material = |color: [f32; 3]| {
        serde_json::json!({
            "pbrMetallicRoughness": { "baseColorFactor": [color[0], color[1], color[2], 1.0] },
            "extensions": { "KHR_materials_unlit": {} }
        })
    };
    let colors = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let document = serde_json::json!({
        "asset": { "version": "2.0" }, "extensionsUsed": ["KHR_materials_unlit"],
        "buffers": [{ "uri": "cube.bin", "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": accessors, "materials": colors.map(material),
        "meshes": [{ "primitives": primitives }], "nodes": [{ "mesh": 0 }],
        "scenes": [{ "nodes": [0] }], "scene": 0
    });
    (document.to_string(), bytes)
}

#[cfg(feature = "render")]
#[test]
fn cameras_show_the_side_that_they_name() {
    if !common::can_draw("cameras_show_the_side_that_they_name") {
        return;
    }
    let folder = folder();
    let (document, bytes) = coloured_cube();
    write(folder.path(), "cube.gltf", document);
    write(folder.path(), "cube.bin", bytes);
    let shoot = |camera: &str| {
        let how = ["--size", "96x96", "--no-ground", "--background", "white", "--camera", camera];
        let output = sinew(folder.path(), &[&["render", "cube.gltf", "-o", "cube.png"], &how[..]].concat());
        assert!(output.status.success(), "{camera}: {}", text(&output.stderr));
        common::picture(&folder.path().join("cube.png"))
    };
    let is = |pixel: [u8; 4], color: &str| {
        let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(|part| part > 128);
        let named = [("red", (true, false, false)), ("green", (false, true, false))];
        let named =
            named.into_iter().chain([("blue", (false, false, true)), ("yellow", (true, true, false))]);
        named.into_iter().any(|(name, bits)| name == color && bits == (red, green, blue))
    };
    // Pixels of a colour, and their middle, from -1 at the left and top to 1.
    let find = |picture: &sinew_render::Picture, color: &str| {
        let (width, height) = picture.size();
        let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let found: Vec<_> = all.filter(|&(x, y)| is(picture.pixel(x, y), color)).collect();
        let middle = |sum: u32, size: u32| {
            f64::from(sum) / found.len().max(1) as f64 / f64::from(size - 1) * 2.0 - 1.0
        };
        let sums = found.iter().fold((0, 0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
        (found.len(), middle(sums.0, width), middle(sums.1, height))
    };
    let count = |picture: &sinew_render::Picture, color: &str| find(picture, color).0;
    let [front, back, left, right, top] = ["front", "back", "left", "right", "top"].map(shoot);
    for (picture, most) in
        [(&front, "red"), (&back, "blue"), (&left, "yellow"), (&right, "yellow"), (&top, "green")]
    {
        let colors = ["red", "green", "blue", "yellow"];
        let shares = colors.map(|color| (color, count(picture, color)));
        assert_eq!(shares.iter().max_by_key(|share| share.1).unwrap().0, most, "{shares:?}");
    }
    assert_eq!((count(&front, "blue"), count(&back, "red")), (0, 0), "the far side is hidden");
    assert_eq!((count(&left, "blue"), count(&right, "blue")), (0, 0));
    // From its left, what is in front of a figure lies to the left.
    assert!(find(&left, "red").1 < -0.3, "{:?}", find(&left, "red"));
    assert!(find(&right, "red").1 > 0.3, "{:?}", find(&right, "red"));
    assert!(find(&top, "red").2 > 0.3, "its front is at the lower edge: {:?}", find(&top, "red"));
    // The figure is symmetric, so one side is the mirror image of the other.
    let (width, height) = left.size();
    let parts = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let difference: f64 = parts
        .flat_map(|(x, y)| {
            let (a, b) = (left.pixel(width - 1 - x, y), right.pixel(x, y));
            (0..3).map(move |part| f64::from(a[part].abs_diff(b[part])))
        })
        .sum();
    assert!(difference / f64::from(width * height * 3) < 2.0, "{difference}");
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
