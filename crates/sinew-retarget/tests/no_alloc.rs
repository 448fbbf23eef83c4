//! Retargeting a pose each frame takes no memory.

use sinew::glam::Vec3;
use sinew::{BoneMap, Character, CharacterData, ClipLibrary, Joint, Skeleton, Space, Transform};
use sinew_retarget::{LiveRetarget, Retarget, Shift};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what this thread allocates: others belong to the test harness.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system allocator unchanged; only a number is kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Name, parent and place of the joints of a small figure, the left side only.
const JOINTS: [(&str, &str, [f32; 3]); 9] = [
    ("Hips", "", [0.0, 1.0, 0.0]),
    ("Spine", "Hips", [0.0, 1.2, 0.0]),
    ("Head", "Spine", [0.0, 1.6, 0.0]),
    ("LeftUpLeg", "Hips", [0.1, 0.95, 0.0]),
    ("LeftLeg", "LeftUpLeg", [0.1, 0.5, 0.0]),
    ("LeftFoot", "LeftLeg", [0.1, 0.1, 0.0]),
    ("LeftArm", "Spine", [0.2, 1.4, 0.0]),
    ("LeftForeArm", "LeftArm", [0.5, 1.4, 0.0]),
    ("LeftHand", "LeftForeArm", [0.7, 1.4, 0.0]),
];

fn figure(scale: f32) -> Character {
    let mut rows: Vec<(String, String, Vec3)> = Vec::new();
    for (name, parent, place) in JOINTS {
        rows.push((name.into(), parent.into(), Vec3::from(place) * scale));
        if name.starts_with("Left") {
            let place = Vec3::new(-place[0], place[1], place[2]) * scale;
            rows.push((name.replace("Left", "Right"), parent.replace("Left", "Right"), place));
        }
    }
    let joints = rows.iter().map(|(name, parent, place)| {
        let above = rows.iter().position(|(other, ..)| other == parent);
        let local = *place - above.map_or(Vec3::ZERO, |above| rows[above].2);
        Joint::new(name, above.map(|above| above as u16), Transform::from_translation(local))
    });
    Character::new(CharacterData {
        name: "figure".into(),
        skeleton: Skeleton::new(joints.collect(), vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    })
    .unwrap()
}

#[test]
fn a_pose_takes_no_memory() {
    let (source, target) = (figure(1.0), figure(2.0));
    let (retarget, _) = Retarget::new(&source, &target, &BoneMap::default()).unwrap();
    let mut live = LiveRetarget::new(retarget);
    let mut from = source.skeleton().rest().clone();
    from.set(0, Transform::from_translation(Vec3::new(0.3, 1.0, 0.5)));
    let mut to = target.skeleton().rest().clone();
    let before = COUNT.with(Cell::get);
    let shift = Shift { feet: [Some(Vec3::Y * 0.1); 2], hands: Some(Vec3::ZERO), ..Shift::default() };
    for _ in 0..10 {
        live.apply_shifted(&from, &shift, &mut to).unwrap();
        live.apply(&from, &mut to).unwrap();
    }
    assert_eq!(COUNT.with(Cell::get), before);
    // It did its work: twice the size, twice the way.
    assert!(to.get(0).translation.abs_diff_eq(Vec3::new(0.6, 2.0, 1.0), 1e-5));
    assert!(live.apply(&to, &mut from).is_ok(), "figures of one shape");
    let mut small = sinew::Pose::identity(3, 0);
    let error = live.apply(&from, &mut small).unwrap_err();
    assert_eq!(error.to_string(), "target.joints has 3 elements where exactly 15 are meant");
}
