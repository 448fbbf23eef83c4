use super::*;
use crate::KeyMotion;
use crate::course::Found;
use sinew::glam::Vec3;
use sinew::{Interpolation, Joint, JointTracks, Track, Transform};

/// A chain whose joints swing, each at its own pace, on a root that moves.
fn swinging() -> (Skeleton, Clip) {
    let joint = |i: usize| Joint {
        name: format!("j{i}"),
        parent: i.checked_sub(1).map(|parent| parent as u16),
        rest: Transform { translation: Vec3::Y * 0.15, ..Transform::IDENTITY },
    };
    let skeleton = Skeleton::new((0..12).map(joint).collect(), vec![]).unwrap();
    let times: Vec<f32> = (0..=45).map(|frame| frame as f32 / 30.0).collect();
    let tracks = (0..12u16).map(|joint| {
        let turn = |t: f32| 0.03 * f32::from(joint) * libm::sinf(t * (2.0 + f32::from(joint)));
        let rotation = |&t: &f32| Quat::from_xyzw(turn(t), 0.0, 0.0, (1.0 - turn(t) * turn(t)).sqrt());
        let values = times.iter().map(rotation).collect();
        let rotation = Some(Track::new(times.clone(), values, Interpolation::Linear).unwrap());
        let places = times.iter().map(|&t| Vec3::new(libm::sinf(t * 4.0), 0.15, 0.001 * t)).collect();
        let translation = Track::new(times.clone(), places, Interpolation::Linear).unwrap();
        let translation = (joint == 0).then_some(translation);
        JointTracks { rotation, translation, ..JointTracks::new(joint) }
    });
    let clip = Clip::new("swinging", 1.5, tracks.collect(), vec![]).unwrap();
    (skeleton, clip)
}

/// Second path: all errors at the times of each stage, in order. Limits lie around what a layout keeps, where the answer changes.
#[test]
fn a_layout_is_judged_early_as_by_all_its_errors() {
    let (skeleton, clip) = swinging();
    let figure = Figure::new(&skeleton, 1.8, |_| None);
    let mut keys = KeyMotion::new(&skeleton, &clip);
    let (mut motion, room) = Remembered::new(&mut keys, &skeleton, &clip, MOST_MEMORY);
    let options = (ROUNDING, room);
    let mut search = Search::new(&skeleton, &clip, &figure, Profile::Balanced, &mut motion, options).unwrap();
    let mut verdicts = [0, 0];
    for layout in [false, true].into_iter().flat_map(|cubic| RATES.map(|rate| Layout { rate, cubic })) {
        let mut all = Tried { layout, ..Tried::none() };
        search.measure_frames(&mut all, 1, &mut motion);
        for part in [0.2, 0.4, 0.6, 0.95, 0.999, 1.001, 1.05, 2.0] {
            let [most, largest] = [all.error.p99, all.error.max * 1.03].map(|error| error * ROOM * part);
            for limits in [[most, largest], [most, f64::INFINITY], [f64::INFINITY, largest]] {
                search.limits = limits;
                let (mut frames, _) = search.frames(layout).unwrap();
                let early = search.truth.allows(limits, &STAGES, (&mut frames, &search.kept), &mut motion);
                let (room, _) = search.unrounded(layout, &mut motion);
                assert_eq!(early, room > ROOM, "{layout}, {part} of {limits:?}: {room}");
                verdicts[usize::from(early)] += 1;
            }
        }
    }
    assert!(verdicts.iter().all(|&count| count > 100), "{verdicts:?}");
}

/// Hands out the frames of a swinging chain at some rate, ready to be rounded, and the room that is left.
fn prepared(rate: f64, test: impl FnOnce(&Search<'_>, &Prepared<'_>, Room, &mut dyn Motion)) {
    let (skeleton, clip) = swinging();
    let figure = Figure::new(&skeleton, 1.8, |_| None);
    let mut keys = KeyMotion::new(&skeleton, &clip);
    let (mut motion, room) = Remembered::new(&mut keys, &skeleton, &clip, MOST_MEMORY);
    let options = (ROUNDING, room);
    let search = Search::new(&skeleton, &clip, &figure, Profile::Balanced, &mut motion, options).unwrap();
    let (frames, left) = search.frames(Layout { rate, cubic: false }).unwrap();
    let sampled = frames.all(&mut motion);
    let (prepared, left) = search.prepared(&sampled, left).unwrap();
    test(&search, &prepared, left, &mut motion);
}

#[test]
fn plans_of_one_shape_are_written_alike() {
    prepared(30.0, |search, prepared, left, motion| {
        let (course, left) = Course::new(prepared, left);
        let work = Work { layout: Layout { rate: 30.0, cubic: false }, prepared, course: &course, left };
        let mut written: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for step in 0..200 {
            let plan = Plan::new(prepared, 2e-6 * libm::pow(1.05, f64::from(step)));
            let shape = plan.shape();
            let section = search.write(&work, plan, motion).ok().unwrap().section;
            match written.iter().find(|(known, _)| *known == shape) {
                Some((_, before)) => assert!(*before == section, "step {step}"),
                None => {
                    assert!(written.iter().all(|(_, before)| *before != section), "step {step}");
                    written.push((shape, section));
                }
            }
        }
        assert!((20..180).contains(&written.len()), "{}", written.len());
    });
}

#[test]
fn joints_are_found_as_they_are_stored() {
    prepared(30.0, |_, prepared, left, _| {
        let (stored, found) = (Course::new(prepared, left).0, Course::new(prepared, Room::new(1000)).0);
        let mut rooms = [Found::default(), Found::default()];
        let [first, second] = &mut rooms;
        for frame in 0..prepared.sampled.grid.count() {
            let pairs = stored.frame(frame, first).iter().zip(found.frame(frame, second));
            for (joint, (stored, found)) in pairs.enumerate() {
                let place = stored.model.place + sinew::glam::DVec3::new(1e-3, -2e-3, 5e-4);
                assert_eq!(stored.wanted(place), found.wanted(place), "frame {frame}, joint {joint}");
                // Where the joint is in its place nothing is to be made up for; the last one has no children.
                assert_eq!(stored.wanted(stored.model.place), stored.turn);
                assert_eq!(stored.wanted(place) == stored.turn, joint == 11);
            }
        }
        assert!(first.is_unused() && !second.is_unused());
    });
}

/// Two keys take few bytes, however far apart they are.
#[test]
fn a_clip_of_years_keeps_its_keys() {
    let joint = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY };
    let skeleton = Skeleton::new(vec![joint], vec![]).unwrap();
    let translation = Track::new(vec![0.0, 1e9], vec![Vec3::ZERO, Vec3::ONE], Interpolation::Linear).unwrap();
    let tracks = JointTracks { translation: Some(translation), ..JointTracks::new(0) };
    let clip = Clip::new("years", 1e9, vec![tracks], vec![]).unwrap();
    let figure = Figure::new(&skeleton, 1.8, |_| None);
    let mut motion = KeyMotion::new(&skeleton, &clip);
    let compiled = compile(&skeleton, &clip, &figure, Profile::Balanced, &mut motion);
    assert_eq!(compiled.unwrap_err().layout.rate, 0.0);
}
