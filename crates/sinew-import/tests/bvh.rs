//! BVH of the testkit against its truth; options, findings and errors.

use glam::DMat4;
use sinew::{Pose, Transform};
use sinew_import::{Given, Imported, Options, SpaceMode, UpAxis, import_bytes};
use sinew_testkit::bvh::Figure;
use std::path::Path;

fn read(text: &str, options: &Options) -> Result<Imported, String> {
    import_bytes(text.as_bytes(), Path::new("dance.bvh"), options).map_err(|error| error.to_string())
}

fn kept() -> Options {
    Options::default().with(|options| options.space = SpaceMode::Keep)
}

fn ids(imported: &Imported) -> Vec<&str> {
    imported.findings.iter().map(|finding| finding.id()).collect()
}

/// Model matrices of local transforms.
fn models(imported: &Imported, locals: impl Iterator<Item = Transform>) -> Vec<DMat4> {
    let skeleton = imported.character.skeleton();
    let mut models: Vec<DMat4> = Vec::new();
    for (joint, local) in (0u16..).zip(locals) {
        let above = skeleton.parent(joint).map_or(DMat4::IDENTITY, |parent| models[usize::from(parent)]);
        let [rotation, translation] = [local.rotation.to_array(), local.translation.extend(0.0).to_array()];
        let rotation = glam::DQuat::from_array(rotation.map(f64::from)).normalize();
        let translation =
            glam::DVec3::new(translation[0].into(), translation[1].into(), translation[2].into());
        models.push(above * DMat4::from_rotation_translation(rotation, translation));
    }
    models
}

/// The largest difference of two poses in any number of a matrix.
fn difference(a: &[DMat4], b: &[DMat4]) -> f64 {
    assert_eq!(a.len(), b.len());
    let numbers = |list: &[DMat4]| list.iter().flat_map(DMat4::to_cols_array).collect::<Vec<_>>();
    numbers(a).into_iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn at(imported: &Imported, frame: usize, frame_time: f64) -> Vec<DMat4> {
    let clip = imported.character.clips().get(0).unwrap();
    let pose = Pose::of_clip(imported.character.skeleton(), &clip, frame as f64 * frame_time).unwrap();
    models(imported, pose.iter())
}

/// Six digits of a frame time are in the file.
const FRAME_TIME: f64 = 0.016_666_7;

#[test]
fn every_frame_is_where_the_channels_put_it() {
    let figure = Figure::dancer(200);
    let imported = read(&figure.text(), &kept()).unwrap();
    assert!(ids(&imported).is_empty(), "{:?}", imported.findings);
    let names: Vec<&str> = figure.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert!(imported.character.skeleton().names().iter().eq(names));
    let rest = models(&imported, imported.character.skeleton().rest().iter());
    assert!(difference(&rest, &figure.models(None)) < 1e-4);
    let mut locals = vec![Transform::IDENTITY; figure.joints.len()];
    for frame in 0..200 {
        let truth = figure.models(Some(frame));
        let got = at(&imported, frame, FRAME_TIME);
        assert!(difference(&got, &truth) < 1e-3, "frame {frame}: {}", difference(&got, &truth));
        imported.evaluator.locals(0, frame as f64 * FRAME_TIME, &mut locals);
        let evaluated = models(&imported, locals.iter().copied());
        assert!(difference(&evaluated, &truth) < 1e-3, "frame {frame}");
    }
    let clip = imported.character.clips().get(0).unwrap();
    assert_eq!((clip.name(), clip.duration()), ("dance", (199.0 * FRAME_TIME) as f32));
    let rotation = clip.keys().unwrap().joint(1).unwrap().rotation.clone().unwrap();
    assert_eq!(rotation.times().len(), 200, "every frame is kept");
}

#[test]
fn between_frames_the_clip_follows_the_evaluator() {
    let figure = Figure::dancer(50);
    let imported = read(&figure.text(), &kept()).unwrap();
    let mut locals = vec![Transform::IDENTITY; figure.joints.len()];
    for step in 0..500 {
        let time = f64::from(step) * 49.0 * FRAME_TIME / 500.0;
        imported.evaluator.locals(0, time, &mut locals);
        let clip = imported.character.clips().get(0).unwrap();
        let pose = Pose::of_clip(imported.character.skeleton(), &clip, time).unwrap();
        let got = models(&imported, pose.iter());
        assert!(difference(&got, &models(&imported, locals.iter().copied())) < 1e-3, "at {time} s");
    }
    imported.evaluator.locals(1, 0.0, &mut locals);
    assert_eq!(locals[1], imported.character.skeleton().rest().get(1), "an unknown clip is at rest");
}

#[test]
fn the_unit_is_guessed_or_given() {
    let mut figure = Figure::dancer(2);
    let height = |imported: &Imported| {
        let rest = models(imported, imported.character.skeleton().rest().iter());
        let heights = rest.iter().map(|m| m.w_axis.y);
        heights.clone().fold(f64::MIN, f64::max) - heights.fold(f64::MAX, f64::min)
    };
    for (scale, unit) in [
        (1.0, "a centimetre"),
        (0.01, "a metre"),
        (10.0, "a millimetre"),
        (1.0 / 2.54, "an inch"),
        (0.45 / 2.54, "CMU"),
    ] {
        for (joint, own) in figure.joints.iter_mut().zip(Figure::dancer(0).joints) {
            joint.offset = own.offset * scale;
        }
        let imported = read(&figure.text(), &Options::default()).unwrap();
        let finding = imported.findings.iter().find(|finding| finding.id() == "bvh.unit").unwrap();
        assert!(finding.message.contains(unit), "{}", finding.message);
        let height = height(&imported);
        assert!((height - 1.69).abs() < 1e-4, "{height} m with {unit}");
        assert!(imported.character.space().canonical);
    }
    let given = Options::default().with(|options| options.bvh_unit = Given::Value(0.5));
    let imported = read(&Figure::dancer(2).text(), &given).unwrap();
    assert!(ids(&imported).is_empty());
    assert!((height(&imported) - 84.5).abs() < 1e-3);
}

#[test]
fn the_rest_can_be_a_frame() {
    let figure = Figure::dancer(20);
    let with = |frame: u32| kept().with(|options| options.rest_frame = Given::Value(frame));
    let imported = read(&figure.text(), &with(7)).unwrap();
    let rest = models(&imported, imported.character.skeleton().rest().iter());
    assert!(difference(&rest, &figure.models(Some(7))) < 1e-3);
    assert!(difference(&at(&imported, 13, FRAME_TIME), &figure.models(Some(13))) < 1e-3);
    let imported = read(&figure.text(), &with(20)).unwrap();
    assert_eq!(ids(&imported), ["bvh.rest-frame"]);
    let rest = models(&imported, imported.character.skeleton().rest().iter());
    assert!(difference(&rest, &figure.models(None)) < 1e-4);
}

#[test]
fn the_rate_is_the_files_or_given_or_usual() {
    let text = Figure::dancer(31).text();
    let duration = |text: &str, options: &Options| {
        let imported = read(text, options).unwrap();
        let findings: Vec<String> = ids(&imported).iter().map(|id| (*id).to_owned()).collect();
        (imported.character.clips().get(0).unwrap().duration(), findings)
    };
    let fast = kept().with(|options| options.bvh_rate = Given::Value(300.0));
    assert_eq!(duration(&text, &fast), (0.1, vec![]));
    for nonsense in ["Frame Time: 0", "Frame Time: -1", "Frame Time: 1e20"] {
        let text = text.replace("Frame Time: 0.0166667", nonsense);
        assert_eq!(duration(&text, &kept()), (1.0, vec!["bvh.rate".to_owned()]), "{nonsense}");
    }
}

#[test]
fn odd_writing_is_read() {
    let text = "hierarchy\r\nroot My Hips {\r\noffset 0 0 0 channels 7 xPosition YPOSITION zposition Xscale zrotation xrotation yrotation\r\n\r\nEnd Site foot {offset 0 1 0}\nEnd Site\n{\nOFFSET 1e0 -.5 +2\n}\n}\nRoot Prop\n{\nOFFSET 3 0 0\n}\nMotion\nFrames 3\nFrame Time: 0.5\n\n 1 2 3 9 0 0 0 \r4 5 6 9 90 0 0";
    let imported = read(text, &kept()).unwrap();
    assert_eq!(ids(&imported), ["bvh.scale", "bvh.frames"]);
    let names: Vec<_> = imported.character.skeleton().names().iter().collect();
    assert_eq!(names, ["My Hips", "My Hips_End", "My Hips_End2", "Prop"]);
    let models = at(&imported, 1, 0.5);
    assert!(models[1].w_axis.truncate().abs_diff_eq(glam::DVec3::new(3.0, 5.0, 6.0), 1e-5), "{}", models[1]);
    assert!(models[3].w_axis.truncate().abs_diff_eq(glam::DVec3::new(3.0, 0.0, 0.0), 1e-6));
    let still = read("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\n", &kept()).unwrap();
    assert!(still.character.clips().is_empty() && ids(&still).is_empty());
}

#[test]
fn errors_name_the_line() {
    let text = Figure::dancer(3).text();
    let lines = text.lines().count();
    let with = |line: usize, content: &str| {
        let mut all: Vec<&str> = text.lines().collect();
        all[line - 1] = content;
        all.join("\n")
    };
    let cut = text.lines().take(lines - 1).collect::<Vec<_>>().join("\n") + "\n1 2 3";
    for (text, expected) in [
        (with(1, "HIERACHY"), "it begins with `HIERACHY`".to_owned()),
        (with(3, "("), "there is no `{` behind `Hips` (at line 3)".to_owned()),
        (with(4, "OFFSET 0 0 zero"), "an offset is `zero`, which is not a number (at line 4)".to_owned()),
        (
            with(5, "CHANNELS 3 Xrotation Yrotation Wrotation"),
            "`Wrotation` is not a channel such as `Xrotation` (at line 5)".to_owned(),
        ),
        (with(5, "CHANNELS 2 Xposition Xposition"), "`Hips` has a channel twice (at line 5)".to_owned()),
        (with(5, "CHANNELS 1e9 Xrotation"), "up to 64 channels, not 1000000000 (at line 5)".to_owned()),
        (with(6, "WHAT"), "`WHAT` is not a word of a hierarchy (at line 6)".to_owned()),
        (with(lines, "1 2 NaN"), format!("NaN is not finite (at line {lines})")),
        (with(lines, "1 2 x"), format!("`x` is not a number (at line {lines})")),
        (
            with(lines, &"0 ".repeat(70)),
            format!("a frame has more numbers than the 54 channels (at line {lines})"),
        ),
        (cut, format!("a frame has 3 numbers for 54 channels (at line {lines})")),
        (
            "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n".to_owned(),
            "the file ends within the hierarchy (at line 4)".to_owned(),
        ),
        (text.replace("0.0166667\n", "0.0166667 "), "frames begin on a line of their own".to_owned()),
        ("HIERARCHY\n".to_owned(), "there is no `ROOT` below `HIERARCHY`".to_owned()),
        (
            "HIERARCHY\nROOT a\n{\n}\nMOVES".to_owned(),
            "`MOVES` is where `ROOT` or `MOTION` should be (at line 5)".to_owned(),
        ),
    ] {
        let error = read(&text, &kept()).unwrap_err();
        assert!(error.contains(&expected), "{error}\n{expected}");
        assert!(error.contains("dance.bvh"), "{error}");
    }
}

/// Any prefix of a file, and any file with a byte changed, gives a value or an error.
#[test]
fn damaged_files_do_not_panic() {
    let bytes = Figure::dancer(3).text().into_bytes();
    for place in 0..bytes.len() {
        let _ = import_bytes(&bytes[..place], Path::new("a.bvh"), &kept());
        for change in [b' ', b'{', b'}', b'9', b'\n', 0xFF] {
            let mut changed = bytes.clone();
            changed[place] = change;
            let _ = import_bytes(&changed, Path::new("a.bvh"), &kept());
        }
    }
}

/// The same dance as a program writes it for which Z is up: what was along Y is along Z, and what was along Z is along −Y.
fn with_z_up(mut figure: Figure) -> Figure {
    let signs = |channels: &[&'static str]| {
        channels.iter().map(|channel| if channel.starts_with('Z') { -1.0 } else { 1.0 }).collect::<Vec<_>>()
    };
    let signs: Vec<f64> = figure.joints.iter().flat_map(|joint| signs(&joint.channels)).collect();
    for frame in &mut figure.frames {
        frame.iter_mut().zip(&signs).for_each(|(number, sign)| *number *= sign);
    }
    for joint in &mut figure.joints {
        joint.offset = glam::DVec3::new(joint.offset.x, -joint.offset.z, joint.offset.y);
        for channel in &mut joint.channels {
            *channel = match *channel {
                "Yposition" => "Zposition",
                "Zposition" => "Yposition",
                "Yrotation" => "Zrotation",
                "Zrotation" => "Yrotation",
                other => other,
            };
        }
    }
    figure
}

/// The dancer with small turns, as one who stands.
fn calm(frames: usize) -> Figure {
    let mut figure = Figure::dancer(frames);
    let channels: Vec<&str> = figure.joints.iter().flat_map(|joint| joint.channels.clone()).collect();
    for frame in &mut figure.frames {
        let turns = frame.iter_mut().zip(&channels).filter(|(_, channel)| channel.ends_with("rotation"));
        turns.for_each(|(number, _)| *number *= 0.2);
    }
    figure
}

#[test]
fn z_may_be_up() {
    let figure = calm(60);
    let plain = read(&figure.text(), &Options::default()).unwrap();
    assert!(!ids(&plain).contains(&"bvh.up"), "{:?}", plain.findings);
    let text = with_z_up(figure).text();
    let lying = read(&text, &Options::default()).unwrap();
    assert!(ids(&lying).contains(&"bvh.up"), "{:?}", lying.findings);
    let standing = read(&text, &Options::default().with(|options| options.bvh_up = UpAxis::Z)).unwrap();
    assert_eq!(ids(&standing), ids(&plain));
    let places = |imported: &Imported, frame: usize| {
        at(imported, frame, FRAME_TIME).iter().map(|model| model.w_axis).collect::<Vec<_>>()
    };
    for frame in [0, 1, 17, 59] {
        for (a, b) in places(&plain, frame).into_iter().zip(places(&standing, frame)) {
            assert!(a.abs_diff_eq(b, 1e-5), "frame {frame}: {a} {b}");
        }
    }
    // In the axes of the file nothing is turned, so nothing can be wrong.
    assert!(!ids(&read(&text, &kept()).unwrap()).contains(&"bvh.up"));
}
