//! Skinning data of both versions, as its page describes it, and the poses that follow from it for row vectors.

use super::{Bytes, Matrix};

pub const IDENTITY: Matrix = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// Keys of one component: times and values, three or four numbers each.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    pub times: Vec<f32>,
    pub values: Vec<Vec<f32>>,
    pub step: bool,
}

pub struct Clip {
    pub name: String,
    pub tag: String,
    pub duration: f64,
    pub loop_mode: (u8, usize),
    pub root_motion: u8,
    /// Of each bone: translation, rotation, scale.
    pub tracks: Vec<[Option<Track>; 3]>,
    /// Of the first version: keys of each bone.
    pub matrices: Vec<Vec<(f64, Matrix)>>,
    pub travel: Vec<(f32, [f32; 3])>,
    pub events: Vec<(f32, String)>,
    /// Number of the fire mode and payload of each event, where one says anything.
    pub fires: Vec<(u8, String)>,
    pub markers: Vec<(f32, String)>,
    /// Bytes that it takes in the file.
    pub size: usize,
}

#[derive(Default)]
pub struct Skinning {
    pub version: u8,
    pub names: Vec<String>,
    pub parents: Vec<i32>,
    /// Of the second version: translation, rotation, scale.
    pub rests: Vec<[f32; 10]>,
    pub binds: Vec<Matrix>,
    pub inverse_binds: Vec<Matrix>,
    /// Mesh, part and bones.
    pub tables: Vec<(usize, usize, Vec<usize>)>,
    pub clips: Vec<Clip>,
    /// Name, tag, duration and asset.
    pub lazy: Vec<(String, String, f32, String)>,
    /// Name, bone and offset.
    pub sockets: Vec<(String, usize, [f32; 10])>,
}

pub fn read(bytes: &mut Bytes<'_>) -> Skinning {
    match bytes.i32() {
        0x3257_4E53 => {
            let length = bytes.u32() as usize;
            second(bytes.take(length))
        }
        bones => first(bytes, bones as usize),
    }
}

fn first(bytes: &mut Bytes<'_>, bones: usize) -> Skinning {
    let binds = (0..bones).map(|_| bytes.singles()).collect();
    let inverse_binds = (0..bones).map(|_| bytes.singles()).collect();
    let parents = (0..bones).map(|_| bytes.i32()).collect();
    let clips = (0..bytes.i32())
        .map(|_| {
            let before = bytes.0.len();
            let name = bytes.string();
            let duration = bytes.i64() as f64 / 1e7;
            let mut matrices = vec![Vec::new(); bones];
            let mut last = (-1, -1);
            for _ in 0..bytes.i32() {
                let (bone, time) = (bytes.i32(), bytes.i64());
                assert!((time, bone) > last, "keys are sorted by time, then bone");
                last = (time, bone);
                matrices[bone as usize].push((time as f64 / 1e7, bytes.singles()));
            }
            let size = before - bytes.0.len();
            let (tag, tracks, travel, events) = (String::new(), vec![], vec![], vec![]);
            Clip {
                name,
                tag,
                duration,
                loop_mode: (1, 0),
                root_motion: 0,
                tracks,
                matrices,
                travel,
                events,
                fires: vec![],
                markers: vec![],
                size,
            }
        })
        .collect();
    Skinning { version: 1, binds, inverse_binds, parents, clips, ..Skinning::default() }
}

/// Chunks: id and content.
fn chunks(bytes: &[u8]) -> Vec<([u8; 4], &[u8])> {
    let mut bytes = Bytes(bytes);
    let mut out = Vec::new();
    while !bytes.0.is_empty() {
        let id = bytes.take(4).try_into().unwrap();
        let length = bytes.u32() as usize;
        out.push((id, bytes.take(length)));
    }
    out
}

fn second(bytes: &[u8]) -> Skinning {
    let mut out = Skinning { version: 2, ..Skinning::default() };
    for (index, (id, chunk)) in chunks(bytes).into_iter().enumerate() {
        assert_eq!(index == 0, &id == b"BONE");
        let mut bytes = Bytes(chunk);
        match &id {
            b"BONE" => {
                for _ in 0..bytes.packed() {
                    out.names.push(bytes.string());
                    out.parents.push(bytes.i32());
                    let rest: [f32; 10] = bytes.singles();
                    out.rests.push(rest);
                    out.binds.push(matrix(&rest[..3], &rest[3..7], &rest[7..]));
                }
            }
            b"BIND" => out.inverse_binds = (0..out.names.len()).map(|_| bytes.singles()).collect(),
            b"PART" => {
                for _ in 0..bytes.packed() {
                    let (mesh, part, count) = (bytes.packed(), bytes.packed(), bytes.packed());
                    assert!((1..=72).contains(&count));
                    out.tables.push((mesh, part, (0..count).map(|_| bytes.u16().into()).collect()));
                }
            }
            b"CLIP" => {
                out.clips.push(clip(chunk, out.names.len()));
                continue;
            }
            b"LAZY" => {
                for _ in 0..bytes.packed() {
                    out.lazy.push((bytes.string(), bytes.string(), bytes.single(), bytes.string()));
                }
            }
            b"SOCK" => {
                for _ in 0..bytes.packed() {
                    out.sockets.push((bytes.string(), bytes.packed(), bytes.singles()));
                }
            }
            other => panic!("{}", other.escape_ascii()),
        }
        assert!(bytes.0.is_empty(), "{}", id.escape_ascii());
    }
    out
}

fn clip(chunk: &[u8], bones: usize) -> Clip {
    let mut clip = Clip {
        name: String::new(),
        tag: String::new(),
        duration: 0.0,
        loop_mode: (0, 0),
        root_motion: 0,
        tracks: vec![[None, None, None]; bones],
        matrices: vec![],
        travel: vec![],
        events: vec![],
        fires: vec![],
        markers: vec![],
        size: 8 + chunk.len(),
    };
    for (id, chunk) in chunks(chunk) {
        let mut bytes = Bytes(chunk);
        match &id {
            b"HEAD" => {
                clip.name = bytes.string();
                clip.tag = bytes.string();
                clip.duration = bytes.single().into();
                clip.loop_mode = (bytes.byte(), bytes.packed());
                clip.root_motion = bytes.byte();
            }
            b"KEYS" => keys(&mut bytes, &mut clip.tracks),
            b"TRAV" => {
                assert_eq!(bytes.byte(), 0, "displacement");
                let count = bytes.packed();
                let times: Vec<f32> = (0..count).map(|_| bytes.single()).collect();
                clip.travel = times.into_iter().map(|time| (time, bytes.singles())).collect();
            }
            b"EVNT" => clip.events = (0..bytes.packed()).map(|_| (bytes.single(), bytes.string())).collect(),
            b"MARK" => clip.markers = (0..bytes.packed()).map(|_| (bytes.single(), bytes.string())).collect(),
            b"FIRE" => clip.fires = (0..bytes.packed()).map(|_| (bytes.byte(), bytes.string())).collect(),
            other => panic!("{}", other.escape_ascii()),
        }
        assert!(bytes.0.is_empty(), "{}", id.escape_ascii());
    }
    clip
}

fn keys(bytes: &mut Bytes<'_>, tracks: &mut [[Option<Track>; 3]]) {
    assert_eq!(bytes.byte(), 0, "plain keys");
    let tables: Vec<Vec<f32>> =
        (0..bytes.packed()).map(|_| (0..bytes.packed()).map(|_| bytes.single()).collect()).collect();
    for _ in 0..bytes.packed() {
        let bone = bytes.packed();
        let flags = bytes.byte();
        for (component, width) in [(0, 3), (1, 4), (2, 3)] {
            let bits = flags >> (2 * component) & 3;
            if bits > 0 {
                let times = tables[bytes.packed()].clone();
                let values = times.iter().map(|_| (0..width).map(|_| bytes.single()).collect()).collect();
                tracks[bone][component as usize] = Some(Track { times, values, step: bits == 2 });
            }
        }
    }
}

/// Scale, then rotation, then translation, for row vectors.
pub fn matrix(t: &[f32], r: &[f32], s: &[f32]) -> Matrix {
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| f64::from(r[i]));
    let rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let mut out = IDENTITY;
    for row in 0..3 {
        for column in 0..3 {
            out[row * 4 + column] = (rows[row][column] * f64::from(s[row])) as f32;
        }
        out[12 + row] = t[row];
    }
    out
}

/// `a * b` for row vectors: first `a`, then `b`.
pub fn times(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| {
        let (row, column) = (i / 4, i % 4);
        (0..4).map(|k| f64::from(a[row * 4 + k]) * f64::from(b[k * 4 + column])).sum::<f64>() as f32
    })
}

impl Track {
    fn at(&self, time: f64) -> Vec<f32> {
        let next = self.times.partition_point(|&key| f64::from(key) <= time);
        if next == 0 {
            return self.values[0].clone();
        }
        let from = &self.values[next - 1];
        if next == self.times.len() || self.step {
            return from.clone();
        }
        let [start, end] = [next - 1, next].map(|key| f64::from(self.times[key]));
        mix(from, &self.values[next], (time - start) / (end - start))
    }
}

/// Three numbers on a line, four on the shortest arc.
fn mix(a: &[f32], b: &[f32], t: f64) -> Vec<f32> {
    let [a, b] = [a, b].map(|v| v.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>());
    let (mut from, mut to) = (1.0 - t, t);
    if a.len() == 4 {
        let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let angle = dot.abs().min(1.0).acos();
        if angle > 1e-6 {
            (from, to) = (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin());
        }
        to *= dot.signum();
    }
    a.iter().zip(&b).map(|(a, b)| (a * from + b * to) as f32).collect()
}

impl Skinning {
    /// Local matrices of a clip at a time.
    pub fn locals(&self, clip: &Clip, time: f64) -> Vec<Matrix> {
        (0..self.parents.len())
            .map(|bone| {
                if self.version == 1 {
                    // At the key before, or the first.
                    let keys = &clip.matrices[bone];
                    let next = keys.partition_point(|(key, _)| *key <= time + 1e-9);
                    return keys.get(next.saturating_sub(1)).map_or(self.binds[bone], |(_, local)| *local);
                }
                let rest = &self.rests[bone];
                let part = |component: usize, range: std::ops::Range<usize>| {
                    let track = clip.tracks[bone][component].as_ref();
                    track.map_or_else(|| rest[range].to_vec(), |track| track.at(time))
                };
                matrix(&part(0, 0..3), &part(1, 3..7), &part(2, 7..10))
            })
            .collect()
    }

    /// World matrices from local ones.
    pub fn worlds(&self, locals: &[Matrix]) -> Vec<Matrix> {
        let mut worlds: Vec<Matrix> = Vec::with_capacity(locals.len());
        for (local, &parent) in locals.iter().zip(&self.parents) {
            let world = if parent < 0 { *local } else { times(local, &worlds[parent as usize]) };
            worlds.push(world);
        }
        worlds
    }
}
