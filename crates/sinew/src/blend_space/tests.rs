use super::*;
use crate::Marker;
use crate::tests::{character, turn};
use proptest::prelude::*;

fn clip(name: &str) -> Arc<Clip> {
    Arc::new(turn(name, 0, 1.0))
}

fn hero() -> crate::Character {
    character("hero", &["hips"], 1.0, crate::ClipLibrary::default())
}

fn plane(places: &[[f32; 2]]) -> BlendSpace {
    BlendSpace::plane(&hero(), places.iter().map(|&at| (at, clip("c"))), SyncMode::Phase).unwrap()
}

/// The place that the members' own places sum to.
fn sum(space: &BlendSpace, at: [f32; 2]) -> DVec2 {
    let members = space.members(at);
    members.iter().map(|&(member, weight)| space.points[usize::from(member)].at * f64::from(weight)).sum()
}

#[test]
fn a_line_clamps_at_its_ends() {
    let space = BlendSpace::line(
        &hero(),
        [(4.0, clip("run")), (1.0, clip("walk")), (1.0, clip("again"))],
        SyncMode::Phase,
    )
    .unwrap();
    for (at, weights) in [
        (0.0, [0.0, 1.0]),
        (1.0, [0.0, 1.0]),
        (1.75, [0.25, 0.75]),
        (9.0, [1.0, 0.0]),
        (f32::NAN, [0.0, 1.0]),
    ] {
        let mut got = [0.0; 3];
        space.members([at, 0.0]).iter().for_each(|&(member, weight)| got[usize::from(member)] += weight);
        assert_eq!(got, [weights[0], weights[1], 0.0], "at {at}");
    }
}

#[test]
fn bad_spaces_are_refused() {
    let line = |points: Vec<(f32, Arc<Clip>)>, sync| {
        BlendSpace::line(&hero(), points, sync).map(|_| ()).unwrap_err()
    };
    assert_eq!(line(vec![], SyncMode::None), BlendSpaceError::Empty);
    assert_eq!(
        line(vec![(f32::NAN, clip("a"))], SyncMode::None),
        BlendSpaceError::Place { clip: "a".into() }
    );
    let error = line(vec![(0.0, clip("a")), (1.0, clip("b"))], SyncMode::Markers);
    assert!(error.to_string().contains("none"), "{error}");
}

/// A walk has both feet on the ground for a while, a run none: feet are lifted elsewhere in the order, and come down together.
#[test]
fn feet_of_walk_and_run_come_down_together() {
    let gait = |name: &str, seconds: f32, markers: [(f32, &str); 4]| {
        let markers = markers.map(|(part, name)| Marker::new(part * seconds, name)).to_vec();
        let clip = Clip::new(name, seconds, vec![], vec![]).unwrap();
        Arc::new(clip.with_markers(markers).unwrap())
    };
    let walk = gait("walk", 1.0, [(0.1, "l down"), (0.2, "r up"), (0.6, "r down"), (0.7, "l up")]);
    let run = gait("run", 0.5, [(0.3, "r down"), (0.6, "r up"), (0.8, "l down"), (0.9, "l up")]);
    let brisk = gait("brisk", 0.8, [(0.0, "l down"), (0.3, "r up"), (0.5, "r down"), (0.8, "l up")]);
    let points = [(0.0, walk.clone()), (1.0, run.clone()), (2.0, brisk.clone())];
    let space = BlendSpace::line(&hero(), points, SyncMode::Markers).unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a}, not {b}");
    near(space.time_of(1, 0.1), 0.4);
    near(space.time_of(1, 0.6), 0.15 + 0.5);
    near(space.time_of(1, 0.35), 0.275 + 0.25);
    // Where the whole order is the same, feet are lifted together too.
    near(space.time_of(2, 0.2), 0.24);
    near(space.time_of(2, 0.7), 0.64);
    near(follow(&walk, &run, 0.1), 0.8);
    near(follow(&walk, &brisk, 0.7), 0.8);
}

#[test]
fn a_place_moves_over_the_ground() {
    let going = |seconds: f32, speed: f32| {
        let clip = Clip::new("c", seconds, vec![], vec![]).unwrap();
        Arc::new(clip.with_ground_velocity(glam::Vec3::Z * speed).unwrap())
    };
    for sync in [SyncMode::Phase, SyncMode::None] {
        let points = [(0.0, going(1.0, 1.5)), (1.0, going(0.6, 4.0))];
        let space = BlendSpace::line(&hero(), points, sync).unwrap();
        // A turn takes 0.75·1 + 0.25·0.6 seconds and goes 0.75·1.5 + 0.25·2.4 metres.
        let mean = if sync == SyncMode::None { 0.75 * 1.5 + 0.25 * 4.0 } else { 1.725 / 0.9 };
        for (at, speed) in [(0.0, 1.5), (0.25, mean), (7.0, 4.0)] {
            let found = space.ground_velocity([at, 0.0]);
            assert!(found.abs_diff_eq(glam::Vec3::Z * speed, 1e-6), "{sync:?} at {at}: {found}, not {speed}");
        }
    }
}

#[test]
fn one_point_plays_alone() {
    let space = plane(&[[3.0, 4.0], [3.0, 4.0]]);
    assert_eq!(space.members([9.0, f32::INFINITY])[0], (0, 1.0));
}

/// Four on a circle may be cut either way, but one way for all places: weights must not jump.
#[test]
fn a_grid_is_continuous() {
    let places: Vec<[f32; 2]> = (0..9).map(|i| [(i % 3) as f32 - 1.0, (i / 3) as f32 - 1.0]).collect();
    let space = plane(&places);
    let Shape::Plane(triangles) = &space.shape else { panic!("a plane") };
    assert_eq!((triangles.inner.len(), triangles.edge.len()), (8, 8));
    let weights = |x: f32, y: f32| {
        let mut all = [0.0f32; 9];
        space.members([x, y]).iter().for_each(|&(member, weight)| all[usize::from(member)] += weight);
        all
    };
    for i in 0..400 {
        let (along, across) = (i as f32 / 200.0 - 1.0, 0.37 - i as f32 / 531.0);
        for (x, y) in [(along, across), (across, along)] {
            for (dx, dy) in [(0.01, 0.0), (0.0, 0.01)] {
                let (from, to) = (weights(x, y), weights(x + dx, y + dy));
                let most = from.iter().zip(to).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(most < 0.03, "at {x} {y}: {most}");
            }
        }
    }
}

proptest! {
    /// Within the hull the weights give the place back; no point lies within the circle of another triangle; duplicates and points on lines do no harm.
    #[test]
    fn weights_give_the_place_back(
        raw in prop::collection::vec([0i8..6, 0i8..6], 1..14),
        at in [-1.0f32..7.0, -1.0..7.0],
    ) {
        let places: Vec<[f32; 2]> = raw.iter().map(|p| p.map(f32::from)).collect();
        let space = plane(&places);
        let members = space.members(at);
        let total: f32 = members.iter().map(|(_, weight)| weight).sum();
        prop_assert!((total - 1.0).abs() < 1e-5);
        prop_assert!(members.iter().all(|(_, weight)| (0.0..=1.0).contains(weight)));
        let Shape::Plane(triangles) = &space.shape else { return Ok(()) };
        let spot = DVec2::new(at[0].into(), at[1].into());
        let hull: Vec<DVec2> = triangles.edge.iter().map(|e| space.points[usize::from(e[0])].at).collect();
        let is_inside = (0..hull.len()).all(|i| (hull[(i + 1) % hull.len()] - hull[i]).perp_dot(spot - hull[i]) >= 0.0);
        if is_inside {
            prop_assert!(sum(&space, at).distance(spot) < 1e-4, "{:?}", members);
        } else {
            // Second path: the nearest of many places along the edge.
            let mut best = f64::INFINITY;
            for i in 0..hull.len() {
                for step in 0..=64 {
                    best = best.min(hull[i].lerp(hull[(i + 1) % hull.len()], f64::from(step) / 64.0).distance(spot));
                }
            }
            let got = sum(&space, at).distance(spot);
            prop_assert!(got < best + 1e-4, "{got} {best}");
        }
        let area: f64 = triangles.inner.iter().map(|t| {
            let [a, b, c] = t.map(|i| space.points[usize::from(i)].at);
            (b - a).perp_dot(c - a)
        }).sum();
        let whole: f64 = (1..hull.len() - 1).map(|i| (hull[i] - hull[0]).perp_dot(hull[i + 1] - hull[0])).sum();
        prop_assert!((area - whole).abs() < 1e-6, "the triangles fill the hull: {area} {whole}");
    }
}

fn marked(name: &str, duration: f32, markers: &[(f32, &str)]) -> Arc<Clip> {
    let markers = markers.iter().map(|&(time, name)| Marker::new(time, name)).collect();
    let clip = Clip::new(name, duration, vec![], vec![]).unwrap().with_markers(markers).unwrap();
    Arc::new(clip)
}

#[test]
fn markers_meet() {
    let walk = marked("walk", 1.0, &[(0.1, "left"), (0.6, "right")]);
    let run = marked("run", 0.5, &[(0.1, "right"), (0.4, "left")]);
    let space =
        BlendSpace::line(&hero(), [(0.0, walk.clone()), (1.0, run.clone())], SyncMode::Markers).unwrap();
    // At the walk's left foot the run is at its own, one turn on at each.
    for (position, time) in [(0.1, 0.4), (0.6, 0.6), (1.1, 0.9), (-0.4, 0.1), (0.35, 0.5)] {
        assert!(
            (space.time_of(1, position) - time).abs() < 1e-6,
            "{position}: {}",
            space.time_of(1, position)
        );
        assert!((space.time_of(0, position) - position).abs() < 1e-6);
    }
    let phase = sync::follow(&walk, &run, 0.35);
    assert!((phase - phase.round()).abs() < 1e-6, "{phase}");
    assert_eq!(sync::follow(&walk, &turn("none", 0, 1.0), 0.35), 0.35);
    assert!((space.period(&[(0, 0.5), (1, 0.5), (0, 0.0)]) - 0.75).abs() < 1e-6);
}
