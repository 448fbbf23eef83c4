use super::*;
use crate::bone_map::BoneMap;
use crate::tests::{Broken, character, turn};
use crate::{ClipLibrary, Severity};

fn info(name: &str, source: Option<&str>, semantic: Option<&str>, slot: Option<u32>) -> ClipInfo {
    let own = |text: Option<&str>| text.map(str::to_owned);
    ClipInfo {
        name: name.into(),
        source_name: own(source),
        semantic: own(semantic),
        slot,
        ..ClipInfo::default()
    }
}

fn library(infos: impl IntoIterator<Item = ClipInfo>) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    infos.into_iter().for_each(|info| library.add_source(info, Broken));
    library
}

/// The two slot maps, written out: the table of formats in one piece.
#[test]
fn slots_are_as_recorded() {
    let overworld = "Idle Walk Run FastRun Jump Land ShortAction1 LookAround Action2 Action3 Action4 Action5 Action6 \
        Action7 Action8 Action9";
    let creature = "Idle Attack1 Attack2 Attack3 Faint HitReact Special1 Special2 Action3 Action4 Action5 Action6 Action7 \
        Action8 Action9 Action10";
    assert_eq!(TagTable::overworld().slots.join(" "), overworld);
    assert_eq!(TagTable::creature().slots.join(" "), creature);
    assert_eq!(TagTable::creature().by_slot(16), None);
    assert_eq!(TagTable::creature().by_slot(u32::MAX), None);
}

#[test]
fn source_names_are_as_recorded() {
    let table = TagTable::default();
    for (name, tag) in [
        ("chairwait01", "Sit"),
        ("fi_byebye01", "Wave"),
        ("turn_r90", "TurnRight"),
        ("Turn_L90", "TurnLeft"),
        ("turn180", "Turn"),
        ("battle_wait01", "BattleIdle"),
        ("battle_idle", "BattleIdle"),
        ("battle_attack02", "BattleAttack"),
        ("ATTACK01", "BattleAttack"),
        ("battle_damage", "BattleHit"),
        ("damage01", "BattleHit"),
        ("hit01", "BattleHit"),
        ("battle_down", "BattleFaint"),
        ("down01", "BattleFaint"),
        ("faint", "BattleFaint"),
        ("jump_start", "Jump"),
        ("leap", "Jump"),
        ("land01", "Land"),
        ("run01_loop", "Run"),
        ("dash", "Run"),
        ("tr0001_fi_walk_1", "Walk"),
        ("defaultwait01_loop", "Idle"),
        ("idle", "Idle"),
        ("stand", "Idle"),
        ("speak", "Speak"),
        ("talk01", "Speak"),
        ("greet", "Greet"),
        ("hello", "Greet"),
        ("ballthrow01", "BallThrow"),
    ] {
        assert_eq!(table.by_name(name), Some(tag), "{name}");
    }
    assert_eq!(table.by_name("anim_0"), None);
}

#[test]
fn said_then_named_then_numbered() {
    let table = TagTable::overworld();
    let resolve = |source, semantic, slot| {
        table.resolve(&info("anim_0", source, semantic, slot)).map(|(tag, by)| (tag.to_owned(), by))
    };
    let is = |tag: &str, by| Some((tag.to_owned(), by));
    assert_eq!(resolve(Some("walk01"), Some("Sneak"), Some(0)), is("Sneak", TagSource::Semantic));
    assert_eq!(resolve(Some("walk01"), None, Some(0)), is("Walk", TagSource::SourceName));
    assert_eq!(
        resolve(Some("walk01"), Some(" "), Some(0)),
        is("Walk", TagSource::SourceName),
        "blank is nothing"
    );
    assert_eq!(resolve(Some("ee01"), None, Some(5)), is("Land", TagSource::SlotMap));
    assert_eq!(resolve(None, None, Some(3)), is("FastRun", TagSource::SlotMap));
    assert_eq!(resolve(Some("ee01"), None, None), None);
    assert_eq!(resolve(None, None, Some(99)), None);
    let by_its_name = info("Walking", None, None, None);
    assert_eq!(table.resolve(&by_its_name), Some(("Walk", TagSource::SourceName)));
}

#[test]
fn a_character_may_have_its_own_table() {
    let table = TagTable {
        patterns: vec![TagPattern::new(["flap", ""], "Fly")],
        slots: vec!["".into(), "Nap".into()],
    };
    let clips = library([
        info("a", Some("FLAP_2"), None, None),
        info("b", None, None, Some(0)),
        info("c", None, None, Some(1)),
    ]);
    let tagged = TaggedClips::new(&clips, &table);
    assert_eq!(tagged.tags().collect::<Vec<_>>(), ["Fly", "Nap", "Idle"]);
    assert_eq!(tagged.find("idle"), Some(0), "the first clip stands in");
}

#[test]
fn the_first_clip_of_a_tag_has_it_and_the_second_is_reported() {
    let clips = library([
        info("anim_0", Some("walk01"), None, Some(0)),
        info("anim_1", None, Some("WALK"), Some(1)),
        info("anim_2", Some("wait"), None, Some(2)),
    ]);
    let tagged = TaggedClips::new(&clips, &TagTable::overworld());
    assert_eq!(tagged.find("walk"), Some(0));
    assert_eq!(tagged.find("iDLE"), Some(2));
    assert_eq!(tagged.tags().collect::<Vec<_>>(), ["Walk", "Idle"]);
    let [finding] = tagged.findings() else { panic!("{:?}", tagged.findings()) };
    assert_eq!((finding.id(), finding.severity()), ("clip.tag-taken", Severity::Warning));
    assert_eq!(finding.place, "anim_1");
    assert!(finding.message.contains("`anim_0`"), "{}", finding.message);
}

#[test]
fn without_clips_there_is_no_idle() {
    let tagged = TaggedClips::new(&ClipLibrary::default(), &TagTable::default());
    assert_eq!((tagged.find("Idle"), tagged.tags().count()), (None, 0));
    assert!(!tagged.prefetch("Idle"));
}

#[test]
fn missing_tags_are_borrowed_and_loaded_when_played() {
    let joints = ["hips", "head"];
    let own = character("hero", &joints, 1.0, ClipLibrary::new([turn("walk", 0, 1.0)]));
    let shared = ClipLibrary::new([turn("idle", 1, 0.5), turn("walk", 1, 0.5), turn("jump", 1, 0.5)]);
    let lender = character("shared", &joints, 1.0, shared);
    let lent = TaggedClips::new(lender.clips(), &TagTable::default());
    let mut tagged = TaggedClips::new(own.clips(), &TagTable::default());
    assert_eq!(tagged.find("Idle"), Some(0), "walk stands in for idle");
    tagged.borrow_missing(&own, &lender, &lent, &BoneMap::default()).unwrap();
    assert_eq!(tagged.find("Walk"), Some(0), "its own");
    assert_eq!(tagged.find("Idle"), Some(1), "a true idle is better than a stand-in");
    assert_eq!(tagged.tags().collect::<Vec<_>>(), ["Walk", "Idle", "Jump"]);
    assert_eq!(own.clips().len(), 1, "the character is not written to");
    assert!(!tagged.is_ready("Jump"));
    let clone = tagged.clone();
    assert!(std::thread::spawn(move || clone.prefetch("jump")).join().unwrap());
    assert!(tagged.is_ready("Jump"));
    assert_eq!(tagged.findings(), []);
}
