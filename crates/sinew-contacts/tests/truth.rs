//! Contacts against truth of others: the gaits of the testkit are made from their contacts, and files of the corpus travel as far as they do.

use sinew::glam::Vec3;
use sinew::{Character, Clip, Interpolation, JointTracks, Track};
use sinew_contacts::{Contacts, Criteria, Stand, detect, feet};
use sinew_import::{Options, Sources, import, import_bytes};
use sinew_testkit::humanoid::{self, Motion};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn hero() -> &'static Character {
    static HERO: OnceLock<Character> = OnceLock::new();
    HERO.get_or_init(|| {
        let options = Options::default();
        let mut files = humanoid::files().into_iter().map(|(name, bytes)| {
            let imported = import_bytes(&bytes, Path::new(&name), &options).unwrap();
            (name, imported)
        });
        let character = files.next().unwrap();
        Sources::new(character, files, &options).merge().unwrap().character
    })
}

fn of(character: &Character, clip: &Clip) -> Contacts {
    detect(character, clip, &feet(character.skeleton()), &Criteria::default()).unwrap()
}

fn clip(character: &Character, name: &str) -> Clip {
    Clip::clone(&character.clips().by_name(name).unwrap())
}

/// The same motion without its travel, and with the hips shaken by so many units: as many clips come.
fn in_place(character: &Character, clip: &Clip, noise: f32) -> Clip {
    let skeleton = character.skeleton();
    let travel = clip.travel(character, None);
    let joint = travel.joint().unwrap();
    let above = skeleton.parent(joint).map(|parent| skeleton.rest_model()[usize::from(parent)].matrix3());
    let keys = clip.keys().unwrap();
    let tracks = keys.joints().iter().map(|tracks| {
        let Some(track) = tracks.translation.as_ref().filter(|_| tracks.joint == joint) else {
            return tracks.clone();
        };
        let times = track.times().to_vec();
        let shake = |i: usize| (i * 7919 % 13) as f32 / 6.0 - 1.0;
        let values = times.iter().zip(track.values()).enumerate().map(|(i, (&time, &value))| {
            let way = travel.at(time.into()) - Vec3::new(shake(i), shake(i + 5), shake(i + 9)) * noise;
            value - above.map_or(way, |above| above.inverse() * way)
        });
        let moved = Track::new(times.clone(), values.collect(), Interpolation::Linear).unwrap();
        JointTracks { translation: Some(moved), ..tracks.clone() }
    });
    Clip::new(clip.name(), clip.duration(), tracks.collect(), keys.scalars().to_vec()).unwrap()
}

/// When the toes of one foot stand, by the gait's own numbers.
fn truth(motion: Motion, joint: &str) -> (f64, f64) {
    motion.contacts().into_iter().find(|contact| contact.joint == joint).unwrap().span
}

/// A foot comes down between the touch of its heel and the moment when it is flat, and is lifted when its toes leave.
fn agrees(motion: Motion, contacts: &Contacts) {
    for (foot, side) in contacts.feet.iter().zip(["Left", "Right"]) {
        assert_eq!(foot.name, format!("{}-foot", side.to_lowercase()));
        let (flat, leave) = truth(motion, &format!("{side}ToeBase"));
        // Before it is flat the foot rolls over its heel, for a tenth of a second at most.
        let [Stand { start, end, .. }] = foot.stands[..] else {
            panic!("{} {side}: {:?}", motion.name(), foot.stands)
        };
        let (start, end) = (f64::from(start), f64::from(end));
        let round = motion.duration() * ((end - leave) / motion.duration()).round();
        let (start, end) = (start - round, end - round);
        assert!(
            (flat - 0.13..flat + 0.035).contains(&start),
            "{} {side} from {start}, flat at {flat}",
            motion.name()
        );
        assert!((end - leave).abs() < 0.05, "{} {side} until {end}, not {leave}", motion.name());
    }
}

#[test]
fn gaits_stand_as_they_were_made() {
    for motion in [Motion::Walk, Motion::Run] {
        let clip = clip(hero(), motion.name());
        for (clip, in_place) in [
            (clip.clone(), false),
            (in_place(hero(), &clip, 0.0), true),
            (in_place(hero(), &clip, 0.002), true),
        ] {
            let contacts = of(hero(), &clip);
            assert_eq!((contacts.looping, contacts.in_place), (true, in_place));
            agrees(motion, &contacts);
            let speed = motion.travel() / 100.0 / motion.duration();
            let found = contacts.ground_speed();
            assert!((f64::from(found) / speed - 1.0).abs() < 0.03, "{}: {found}, not {speed}", motion.name());
            assert!(contacts.ground_velocity.z > 0.0, "forward");
            let (_, worst) = contacts.worst_slide().unwrap();
            assert!(worst.slide < 0.03, "{}: {}", motion.name(), worst.slide);
        }
    }
}

#[test]
fn footsteps_and_markers_follow() {
    let contacts = of(hero(), &clip(hero(), "walk"));
    let names: Vec<String> = contacts.footsteps().into_iter().map(|step| step.name).collect();
    assert_eq!(names, ["left-foot down", "right-foot down"]);
    let markers = contacts.markers();
    assert_eq!(markers.len(), 4);
    let walk = clip(hero(), "walk").with_markers(markers).unwrap().with_events(contacts.footsteps()).unwrap();
    // The right foot is on the ground where the loop closes, and comes down once.
    assert_eq!(walk.markers().iter().filter(|marker| marker.name == "right-foot down").count(), 1);
}

#[test]
fn who_stands_does_not_step_and_who_jumps_lands() {
    for name in ["idle", "wave", "bash"] {
        let contacts = of(hero(), &clip(hero(), name));
        assert!(contacts.footsteps().is_empty(), "{name}: {:?}", contacts.footsteps());
        assert!(contacts.feet.iter().all(|foot| foot.stands.len() == 1), "{name}: {contacts:?}");
        assert_eq!(contacts.ground_speed(), 0.0, "{name}");
    }
    let contacts = of(hero(), &clip(hero(), "jump"));
    let (_, landing) = (0.4, truth_of_landing());
    for foot in &contacts.feet {
        let steps: Vec<f32> =
            contacts.footsteps().iter().filter(|s| s.name.starts_with(&foot.name)).map(|s| s.time).collect();
        assert_eq!(steps.len(), 1, "{steps:?}");
        assert!((f64::from(steps[0]) - landing).abs() < 0.07, "{} instead of {landing}", steps[0]);
    }
}

fn truth_of_landing() -> f64 {
    Motion::Jump.contacts().into_iter().map(|contact| contact.span.0).fold(0.0, f64::max)
}

#[test]
fn a_clip_without_feet_has_no_contacts() {
    let contacts = detect(hero(), &clip(hero(), "walk"), &[], &Criteria::default()).unwrap();
    assert!(contacts.feet.is_empty() && contacts.footsteps().is_empty());
    let wrong = sinew_contacts::Foot { name: "paw".into(), ankle: 999, toe: None };
    let error = detect(hero(), &clip(hero(), "walk"), &[wrong], &Criteria::default()).unwrap_err();
    let joints = hero().skeleton().len();
    assert_eq!(error.to_string(), format!("feet is joint 999, and there are {joints}"));
}

fn corpus(test: &str, file: &str) -> Option<Character> {
    let path = std::env::var_os("SINEW_CORPUS")
        .map(|folder| PathBuf::from(folder).join(file))
        .filter(|path| path.is_file());
    let Some(path) = path else {
        #[allow(clippy::print_stdout, reason = "the runner counts these lines")]
        {
            println!("SINEW-SKIP: {test}: the corpus is not there");
        }
        return None;
    };
    Some(import(&path, &Options::default()).unwrap().character)
}

/// Parts of the cycle that each foot stands, and how often it comes down in one.
fn stances(contacts: &Contacts, clip: &Clip) -> Vec<(f32, usize)> {
    let part =
        |stands: &[Stand]| stands.iter().map(|stand| stand.end - stand.start).sum::<f32>() / clip.duration();
    contacts.feet.iter().map(|foot| (part(&foot.stands), foot.stands.len())).collect()
}

#[test]
fn gaits_in_place_of_the_corpus_are_plausible() {
    for file in ["three/gltf/Soldier.glb", "three/gltf/Xbot.glb"] {
        let Some(character) = corpus("gaits_in_place_of_the_corpus_are_plausible", file) else { return };
        for name in ["idle", "TPose", "sad_pose"].iter().filter(|name| character.clips().find(name).is_some())
        {
            let clip = character.clips().by_name(name).unwrap();
            assert_eq!(of(&character, &clip).ground_speed(), 0.0, "{file} {name}");
        }
        for (name, share, speed) in [("walk", 0.5..0.75, 1.0..2.2), ("run", 0.2..0.5, 3.0..6.5)] {
            let wanted = character.clips().names().position(|clip| clip.eq_ignore_ascii_case(name)).unwrap();
            let clip = character.clips().get(wanted).unwrap();
            let contacts = of(&character, &clip);
            assert!(contacts.in_place && contacts.looping, "{file} {name}: {contacts:?}");
            let stances = stances(&contacts, &clip);
            assert_eq!(stances.len(), 2);
            for (part, count) in stances {
                assert!(
                    share.contains(&part) && count == 1,
                    "{file} {name} stands {part}, {count} times: {contacts:?}"
                );
            }
            assert!(
                speed.contains(&contacts.ground_speed()),
                "{file} {name}: {} m/s",
                contacts.ground_speed()
            );
        }
    }
}

/// A walk whose hips travel from -0.07 to 142.46 cm, as ufbx recorded it: without its travel the feet tell how fast it went.
#[test]
fn the_ground_speed_of_a_clip_made_in_place_is_that_of_its_travel() {
    let Some(character) =
        corpus("the_ground_speed_of_a_clip_made_in_place_is_that_of_its_travel", "ozz/fbx/pab/walk.fbx")
    else {
        return;
    };
    let walk = character.clips().get(0).unwrap();
    let travelling = of(&character, &walk);
    assert!(!travelling.in_place, "{travelling:?}");
    let way = travelling.ground_speed() * walk.duration();
    assert!((way - 1.4253).abs() < 0.001, "{way}");
    let still = of(&character, &in_place(&character, &walk, 0.0));
    assert!(still.in_place, "{still:?}");
    let (found, true_speed) = (still.ground_speed(), travelling.ground_speed());
    assert!((found / true_speed - 1.0).abs() < 0.05, "{found}, not {true_speed}");
    for (a, b) in travelling.feet.iter().zip(&still.feet) {
        assert_eq!(a.stands.len(), b.stands.len(), "{a:?} {b:?}");
    }
}
