use super::*;

fn info(name: &str, source: Option<&str>, tag: Option<&str>, source_index: Option<u32>) -> ClipInfo {
    let own = |text: Option<&str>| text.map(Into::into);
    ClipInfo {
        name: name.into(),
        source_name: own(source),
        tag: own(tag),
        source_index,
        ..ClipInfo::default()
    }
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
fn the_usual_words_of_shops_are_known() {
    let table = TagTable::default();
    for (name, tag) in [
        ("attack", "Attack"),
        ("Standing Melee Attack Downward", "Attack"),
        ("SwordSlash", "Slash"),
        ("Roll_Forward", "Roll"),
        ("Punching", "Punch"),
        ("mma_kick", "Kick"),
        ("Shooting", "Shoot"),
        ("Standing Block Idle", "Block"),
        ("Standing Dodge Left", "Dodge"),
        ("DodgeRoll2", "Dodge"),
        ("Armature|HitReact", "Hit"),
        ("Dying", "Death"),
        ("Death_A", "Death"),
        ("Crouching Idle", "Crouch"),
        ("Crouch Walk", "CrouchWalk"),
        ("Sitting", "Sit"),
        ("climbing ladder", "Climb"),
        ("Swimming", "Swim"),
        ("left strafe walking", "StrafeLeft"),
        ("Right Turn", "TurnRight"),
        ("HipHop Dancing", "Dance"),
        ("Jump_Start", "Jump"),
        ("Jump_Loop", "Fall"),
        ("Jump_Land", "Land"),
    ] {
        assert_eq!(table.by_name(name), Some(tag), "{name}");
    }
    for name in ["Troll", "White", "Position", "Fireplace", "Soldier", "_", ""] {
        assert_eq!(table.by_name(name), None, "{name}");
    }
}

#[test]
fn a_name_beats_a_slot() {
    let table = TagTable::overworld();
    let clip = info("attack", Some("ee01"), None, Some(2));
    assert_eq!(table.resolve(&clip), Some(("Attack", TagSource::SourceName)));
}

#[test]
fn said_then_named_then_numbered() {
    let table = TagTable::overworld();
    let resolve = |source, said, slot| {
        table.resolve(&info("anim_0", source, said, slot)).map(|(tag, by)| (tag.to_owned(), by))
    };
    let is = |tag: &str, by| Some((tag.to_owned(), by));
    assert_eq!(resolve(Some("walk01"), Some("Sneak"), Some(0)), is("Sneak", TagSource::Explicit));
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
        patterns: vec![TagPattern::new(["flap", ""], "Fly")].into(),
        slots: vec!["".into(), "Nap".into()].into(),
        file: None,
    };
    let tag = |mut info: ClipInfo| (table.complete(&mut info), info.tag);
    assert_eq!(tag(info("a", Some("FLAP_2"), None, None)), (true, Some("Fly".into())));
    assert_eq!(tag(info("b", None, None, Some(0))), (false, None));
    assert_eq!(tag(info("c", None, Some(" "), Some(1))), (true, Some("Nap".into())));
    assert_eq!(
        tag(info("flap", None, Some("Sit"), None)),
        (false, Some("Sit".into())),
        "it was given explicitly"
    );
}

#[test]
fn what_is_left_out_is_built_in() {
    assert_eq!(TagTable::from_toml("").unwrap(), TagTable::overworld());
    assert_eq!(TagTable::from_toml("slots = 'creature'").unwrap(), TagTable::creature());
    let table = TagTable::from_toml("patterns = []\nslots = ['Idle', '', 'Sleep']").unwrap();
    assert_eq!((table.by_name("walk"), table.by_slot(1), table.by_slot(2)), (None, None, Some("Sleep")));
}

#[test]
fn mistakes_are_named() {
    for (text, word) in
        [("slot = []", "slot"), ("slots = 'sea'", "overworld"), ("[[patterns]]\nany = []", "tag")]
    {
        let error = TagTable::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}
