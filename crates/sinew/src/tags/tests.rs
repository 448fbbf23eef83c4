use super::*;
use crate::Severity;
use crate::bone_map::BoneMap;
use crate::tests::{Broken, character, tagged, turn};

fn library(clips: &[(&str, Option<&str>)]) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    for &(name, tag) in clips {
        library.add_source(ClipInfo { tag: tag.map(Into::into), ..name.into() }, Broken);
    }
    library
}

#[test]
fn the_first_clip_stands_in_for_idle() {
    let clips =
        TaggedClips::new(&library(&[("a", Some("Fly")), ("b", None), ("c", Some(" ")), ("d", Some("Nap"))]));
    assert_eq!(clips.tags().collect::<Vec<_>>(), ["Fly", "Nap", "Idle"], "a blank tag is none");
    assert_eq!(clips.find("idle"), Some(0));
}

#[test]
fn the_first_clip_of_a_tag_has_it_and_the_second_is_reported() {
    let clips = TaggedClips::new(&library(&[
        ("anim_0", Some("Walk")),
        ("anim_1", Some("WALK")),
        ("anim_2", Some("Idle")),
    ]));
    assert_eq!(clips.find("walk"), Some(0));
    assert_eq!(clips.find("iDLE"), Some(2));
    assert_eq!(clips.tags().collect::<Vec<_>>(), ["Walk", "Idle"]);
    let [finding] = clips.findings() else { panic!("{:?}", clips.findings()) };
    assert_eq!((finding.id(), finding.severity()), ("clip.tag-taken", Severity::Warning));
    assert_eq!(finding.place, "anim_1");
    assert!(finding.message.contains("`anim_0`"), "{}", finding.message);
}

#[test]
fn without_clips_there_is_no_idle() {
    let clips = TaggedClips::new(&ClipLibrary::default());
    assert_eq!((clips.find("Idle"), clips.tags().count()), (None, 0));
    assert!(!clips.prefetch("Idle"));
}

#[test]
fn missing_tags_are_borrowed_and_loaded_when_played() {
    let joints = ["hips", "head"];
    let own = character("hero", &joints, 1.0, tagged([("Walk", turn("walk", 0, 1.0))]));
    let shared =
        [("Idle", turn("idle", 1, 0.5)), ("Walk", turn("walk", 1, 0.5)), ("Jump", turn("jump", 1, 0.5))];
    let lender = character("shared", &joints, 1.0, tagged(shared));
    let lent = TaggedClips::new(lender.clips());
    let mut clips = TaggedClips::new(own.clips());
    assert_eq!(clips.find("Idle"), Some(0), "walk stands in for idle");
    clips.borrow_missing(&own, &lender, &lent, &BoneMap::default()).unwrap();
    assert_eq!(clips.find("Walk"), Some(0), "its own");
    assert_eq!(clips.find("Idle"), Some(1), "a true idle is better than a stand-in");
    assert_eq!(clips.tags().collect::<Vec<_>>(), ["Walk", "Idle", "Jump"]);
    assert_eq!(own.clips().len(), 1, "the character is not written to");
    assert!(!clips.is_ready("Jump"));
    let clone = clips.clone();
    assert!(std::thread::spawn(move || clone.prefetch("jump")).join().unwrap());
    assert!(clips.is_ready("Jump"));
    assert_eq!(clips.findings(), []);
}
