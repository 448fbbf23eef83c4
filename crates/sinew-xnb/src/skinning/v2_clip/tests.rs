use super::super::{BoneTable, BoneV2, Fire, LazyClip, SkinningData, Socket, Trs, V2};
use super::*;

fn track(table: u32, step: bool, values: &[f32]) -> Option<Track> {
    Some(Track { table, step, values: values.into() })
}

fn data() -> V2 {
    let rest = Trs { translation: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };
    let bone = |name: &str, parent| BoneV2 { name: name.into(), parent, rest };
    let keys = KeysV2 {
        tables: vec![vec![0.0], vec![0.0, 0.5, 0.5, 1.0]],
        bones: vec![
            BoneTracks {
                bone: 0,
                translation: track(1, false, &[0.5; 12]),
                rotation: track(0, true, &[0.0, 0.0, 0.0, 1.0]),
                scale: None,
            },
            BoneTracks { bone: 1, translation: None, rotation: None, scale: track(0, false, &[1.0; 3]) },
        ],
    };
    let clip = ClipV2 {
        name: "走る".into(),
        tag: "Run".into(),
        duration: 1.0,
        loop_mode: LoopMode::Times(300),
        root_motion: RootMotion::Extract,
        keys: Keys::Plain(keys),
        travel: Some(Travel { times: vec![0.0, 1.0], displacements: vec![[0.0; 3], [0.0, 0.0, 2.0]] }),
        events: vec![
            Event {
                time: 0.25,
                name: "step".into(),
                payload: "gravel".into(),
                fire: Some(Fire::UnlessFading),
            },
            Event { time: 0.5, name: "cry".into(), ..Event::default() },
        ],
        markers: vec![Marker { time: 0.25, name: "left-foot down".into() }],
    };
    V2 {
        bones: vec![bone("hüfte", None), bone("leg", Some(0))],
        inverse_binds: vec![[0.0; 16]; 2],
        tables: vec![BoneTable { mesh: 0, part: 1, bones: vec![1, 0] }],
        clips: vec![clip],
        lazy: vec![LazyClip {
            name: "far".into(),
            tag: "".into(),
            duration: 2.0,
            asset: "hero/clips/far".into(),
        }],
        sockets: vec![Socket { name: "hand".into(), bone: 1, offset: bone("", None).rest }],
        skipped: vec![],
    }
}

fn clip(data: &mut V2) -> &mut ClipV2 {
    &mut data.clips[0]
}

fn keys(data: &mut V2) -> &mut KeysV2 {
    match &mut data.clips[0].keys {
        Keys::Plain(keys) => keys,
        Keys::Unknown(_) => unreachable!("the data of this test is plain"),
    }
}

#[test]
fn bytes_round_trip_and_every_cut_is_an_error() {
    let bytes = SkinningData::V2(data()).to_bytes().unwrap();
    let read = SkinningData::from_bytes(&bytes).unwrap();
    assert_eq!(read, SkinningData::V2(data()));
    assert_eq!(read.to_bytes().unwrap(), bytes);
    for end in 0..bytes.len() {
        assert!(SkinningData::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
}

#[test]
fn unknown_chunks_are_skipped_and_unknown_encodings_told() {
    let bytes = SkinningData::V2(data()).to_bytes().unwrap();
    let mut more = bytes.clone();
    more.extend(b"TAIL\x03\0\0\0abc");
    let length = (more.len() as u32 - 8).to_le_bytes();
    more[4..8].copy_from_slice(&length);
    let SkinningData::V2(read) = SkinningData::from_bytes(&more).unwrap() else { panic!() };
    assert_eq!(read.skipped, [*b"TAIL"]);
    assert_eq!(V2 { skipped: vec![], ..read }, data());
    let at = bytes.windows(4).position(|w| w == b"KEYS").unwrap() + 8;
    let mut encoded = bytes;
    encoded[at] = 7;
    let SkinningData::V2(read) = SkinningData::from_bytes(&encoded).unwrap() else { panic!() };
    assert_eq!(read.clips[0].keys, Keys::Unknown(7));
}

#[test]
fn faults_are_refused() {
    let faults: [fn(&mut V2); 15] = [
        |d| d.bones[0].parent = Some(0),
        |d| d.inverse_binds.truncate(1),
        |d| d.tables[0].bones.push(2),
        |d| d.tables[0].bones.clear(),
        |d| clip(d).duration = f32::NAN,
        |d| clip(d).events[0].time = 2.0,
        |d| clip(d).events[0].time = 0.75,
        |d| clip(d).markers[0].time = -1.0,
        |d| d.sockets[0].bone = 2,
        |d| clip(d).travel.as_mut().unwrap().times[1] = 0.0,
        |d| keys(d).tables[1][1] = 2.0,
        |d| keys(d).tables[1] = vec![0.5, 0.5, 0.5, 1.0],
        |d| keys(d).bones.swap(0, 1),
        |d| keys(d).bones[1].bone = 2,
        |d| keys(d).bones[1].scale = None,
    ];
    for (index, fault) in faults.iter().enumerate() {
        let mut wrong = data();
        fault(&mut wrong);
        assert!(SkinningData::V2(wrong).to_bytes().is_err(), "fault {index}");
    }
}
