//! Streams written by the tests themselves: values, metadata, and what is refused.

use sinew_draco::{Component, DecodeError, Limits, Mesh, Semantic, decode};
use sinew_testkit::draco::{Attribute, Coding, F64, GENERIC, POSITION, Stream, U8, quad, varint};

fn read(stream: &Stream) -> Result<Mesh, DecodeError> {
    decode(&stream.write(), &Limits::default())
}

fn numbers(mesh: &Mesh, id: u32) -> Vec<f64> {
    mesh.attribute(id).unwrap().numbers().collect()
}

#[test]
fn values_of_every_coding() {
    let mesh = read(&quad()).unwrap();
    assert_eq!((mesh.points, &mesh.indices[..]), (4, &[0, 1, 2, 0, 2, 3][..]));
    assert_eq!(numbers(&mesh, 0), [-1.0, 0.0, 2.0, 9.0, 0.0, 2.0, 9.0, 10.0, 2.0, -1.0, 10.0, 4.0]);
    assert_eq!(numbers(&mesh, 7), [0.0, 300.0, 1.0, 301.0, 2.0, 302.0, 3.0, 303.0]);
    assert_eq!(numbers(&mesh, 300), [0.0; 16]);
    assert_eq!(numbers(&mesh, 9), [1.0, 0.5, 0.25, 0.0]);
    let heads: Vec<_> = mesh.attributes.iter().map(|a| (a.semantic, a.component, a.components)).collect();
    assert_eq!(
        heads,
        [
            (Semantic::Position, Component::F32, 3),
            (Semantic::Generic, Component::U16, 2),
            (Semantic::Color, Component::U8, 4),
            (Semantic::Generic, Component::F32, 1)
        ]
    );
    assert!(mesh.attribute(1).is_none());
}

/// `depth` levels of metadata of the mesh, each with an entry, after that of one attribute.
fn metadata(depth: usize) -> Vec<u8> {
    let mut out = vec![1, 7, 1, 4];
    out.extend(b"name");
    varint(&mut out, 200);
    out.extend([b'x'; 200]);
    out.push(0);
    for level in 0..depth {
        out.extend([1, 1, b'k', 2, 1, 2, u8::from(level + 1 < depth)]);
        if level + 1 < depth {
            out.extend([3, b's', b'u', b'b']);
        }
    }
    out
}

#[test]
fn metadata_is_skipped() {
    let plain = read(&quad()).unwrap();
    for depth in [1, 3, 60] {
        assert_eq!(read(&Stream { metadata: Some(metadata(depth)), ..quad() }).unwrap(), plain);
    }
    let deep = read(&Stream { metadata: Some(metadata(100_000)), ..quad() }).unwrap_err();
    assert!(matches!(deep, DecodeError::Unsupported(_)), "{deep}");
}

#[test]
fn limits_are_named() {
    let large = Limits::default();
    for (what, most, limits) in [
        ("points", 3, Limits { points: 3, ..large }),
        ("faces", 1, Limits { faces: 1, ..large }),
        ("bytes", 500, Limits { bytes: 500, ..large }),
    ] {
        let error = decode(&quad().write(), &limits).unwrap_err();
        assert_eq!(error, DecodeError::Limit { what, most });
        assert_eq!(
            error.to_string(),
            format!("the Draco mesh has more {what} than the {most} that are allowed")
        );
    }
}

#[test]
fn what_no_mesh_has_is_refused() {
    let refused = |bytes: &[u8]| decode(bytes, &Limits::default()).unwrap_err();
    let mut cloud = quad().write();
    cloud[7] = 0;
    assert!(matches!(refused(&cloud), DecodeError::Unsupported(_)));
    let mut version = quad().write();
    version[6] = 3;
    assert_eq!(refused(&version).to_string(), "the Draco mesh cannot be decoded: its version 2.3 is unknown");
    assert!(matches!(refused(b""), DecodeError::Malformed(_)));
    assert!(matches!(refused(b"glTF"), DecodeError::Malformed(_)));
    let index = Stream { indices: vec![0, 1, 4], ..quad() };
    assert!(matches!(read(&index), Err(DecodeError::Malformed(_))));
    let wide = Attribute {
        kind: GENERIC,
        data_type: F64,
        components: 1,
        unique_id: 0,
        coding: Coding::Raw(vec![0; 32]),
    };
    let wide = read(&Stream { attributes: vec![wide], ..quad() }).unwrap_err();
    assert_eq!(wide.to_string(), "the Draco mesh cannot be decoded: an attribute has components of 64 bits");
}

#[test]
fn constant_values_of_many_points() {
    let attribute =
        Attribute { kind: POSITION, data_type: U8, components: 3, unique_id: 0, coding: Coding::Zeros };
    let stream =
        Stream { metadata: None, points: 1_000_000, indices: vec![0, 1, 2], attributes: vec![attribute] };
    assert!(stream.write().len() < 50);
    assert_eq!(read(&stream).unwrap().attributes[0].bytes, vec![0; 3_000_000]);
}
