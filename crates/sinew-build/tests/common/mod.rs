//! Random characters, a temporary folder, and the comparison of two characters.

#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(unreachable_pub, reason = "a module shared by test binaries")]

use sinew::CharacterData;
use sinew::bundle_file::{self as file, checksum};
use sinew::glam::{Affine3, Mat3, Quat, Vec2, Vec3, Vec4};
use sinew::*;
use sinew_build::bundle::{BundleOptions, write_bundle};
use sinew_compress::Profile;
use sinew_import::bundle::{Certificate, Input, Measure, Origin};
use sinew_import::{SourceClip, SourceInfo, SourceJoint};

/// The counts of a random character.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub joints: usize,
    pub meshes: usize,
    pub vertices: usize,
    pub clips: usize,
    pub keys: usize,
}

/// A random number generator with the same sequence on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn chance(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// Between -1 and 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    pub fn direction(&mut self) -> Vec3 {
        (self.vec3() + Vec3::splat(0.01)).normalize()
    }

    pub fn rotation(&mut self) -> Quat {
        sinew::math::normalize([self.unit(), self.unit(), self.unit(), self.unit() + 0.01])
    }

    pub fn transform(&mut self) -> Transform {
        let scale = if self.chance() { Vec3::ONE } else { Vec3::ONE + self.vec3() * 0.5 };
        Transform { translation: self.vec3(), rotation: self.rotation(), scale }
    }

    fn name(&mut self, what: &str) -> String {
        let odd = ["", " ", "骨", "a:b|c", "\u{1F9B4}\"\\"];
        format!("{what}{}{}", self.below(100), odd[self.below(odd.len())])
    }
}

pub fn character(seed: u64, size: Size) -> Character {
    let r = &mut Random::new(seed);
    let scalars = r.below(4);
    let data = CharacterData {
        name: r.name("hero"),
        skeleton: skeleton(r, size.joints, scalars),
        meshes: (0..size.meshes).map(|_| mesh(r, &size, scalars)).collect(),
        materials: (0..3).map(|i| material(r, i)).collect(),
        textures: textures(r),
        clips: library(r, &size, scalars),
        space: Space {
            canonical: r.chance(),
            up: file::AXES[r.below(6)],
            unit_meters: 0.01 + r.below(100) as f32,
        },
    };
    let sockets = (0..if size.joints == 0 { 0 } else { r.below(3) }).map(|i| Socket {
        name: format!("{} {i}", r.name("socket")),
        joint: r.below(size.joints) as u16,
        offset: r.transform(),
    });
    let sockets = sockets.collect();
    let character = Character::new(data).expect("made-up characters are valid");
    character.with_sockets(sockets).expect("made-up sockets are valid")
}

/// The same with the vertices of its skinned meshes in the order that bundles have them in.
pub fn sorted(character: &Character) -> Character {
    let mut meshes = character.meshes().to_vec();
    for mesh in meshes.iter_mut().filter(|mesh| mesh.skin.is_some()) {
        sinew::skinning::sort_vertices(mesh);
    }
    character.with_meshes(meshes).expect("the order of vertices does not matter")
}

fn skeleton(r: &mut Random, joints: usize, scalars: usize) -> Skeleton {
    let joints = (0..joints).map(|i| Joint {
        name: r.name("joint"),
        parent: Some(r.below(i + 1)).filter(|&p| p != i).map(|p| p as u16),
        rest: r.transform(),
    });
    let joints = joints.collect();
    let scalars = (0..scalars).map(|_| Scalar { name: r.name("scalar"), rest: r.unit() }).collect();
    Skeleton::new(joints, scalars).expect("valid")
}

fn mesh(r: &mut Random, size: &Size, scalars: usize) -> Mesh {
    let n = size.vertices;
    let triangles = if n == 0 { 0 } else { n * 2 };
    let indices: Vec<u32> = (0..triangles * 3).map(|_| r.below(n) as u32).collect();
    let half = (triangles / 2 * 3) as u32;
    let all = indices.len() as u32;
    let skinned = size.joints > 0 && r.below(4) != 0;
    Mesh {
        name: r.name("mesh").into(),
        joint: if size.joints > 0 && r.chance() { r.below(size.joints) as u16 } else { NO_JOINT },
        positions: (0..n).map(|_| r.vec3() * 3.0).collect(),
        normals: some(r, n, Random::direction).into(),
        tangents: some(r, n, |r| r.direction().extend(if r.chance() { 1.0 } else { -1.0 })).into(),
        uvs: some(r, n, |r| Vec2::new(r.unit(), r.unit() * 3.0)).into(),
        second_uvs: some(r, n, |r| Vec2::new(r.unit(), r.unit())).into(),
        colors: some(r, n, |r| r.vec3().abs().extend(r.unit().abs())).into(),
        influences: if skinned { influences(r, n, size.joints) } else { Influences::default() },
        skin: skinned.then(|| skin(r, size.joints)),
        morphs: if scalars == 0 { vec![] } else { morphs(r, n, scalars) },
        parts: vec![
            Part { material: r.chance().then_some(1), first: 0, count: half },
            Part { material: Some(2), first: half, count: all - half },
        ],
        indices: indices.into(),
    }
}

fn some<T>(r: &mut Random, n: usize, make: impl Fn(&mut Random) -> T) -> Vec<T> {
    if r.chance() { (0..n).map(|_| make(r)).collect() } else { vec![] }
}

fn skin(r: &mut Random, joints: usize) -> Skin {
    // Every joint once, so that slots and joints differ, and one joint twice.
    let slots: Vec<u16> = (0..joints as u16).rev().chain([0]).collect();
    let inverse_binds = slots
        .iter()
        .map(|_| Affine3 { matrix3: Mat3::from_quat(r.rotation()), translation: r.vec3() }.into());
    Skin { inverse_binds: inverse_binds.collect(), joints: slots.into() }
}

fn influences(r: &mut Random, n: usize, joints: usize) -> Influences {
    let per_vertex = if r.chance() { 4 } else { 8 };
    let mut influences = Influences { per_vertex, ..Default::default() };
    for _ in 0..n {
        let used = 1 + r.below(per_vertex);
        let raw: Vec<f32> = (0..used).map(|_| r.unit().abs() + 0.01).collect();
        let sum: f32 = raw.iter().sum();
        for i in 0..per_vertex {
            influences.skin_joints.push(if i < used { r.below(joints + 1) as u16 } else { 0 });
            influences.weights.push(raw.get(i).map_or(0.0, |w| w / sum));
        }
    }
    influences
}

fn morphs(r: &mut Random, n: usize, scalars: usize) -> Vec<MorphTarget> {
    let targets = (0..r.below(3)).map(|_| {
        let moved = (0..n as u32).filter(|_| r.below(3) == 0).collect::<Vec<_>>();
        let deltas = moved.into_iter().map(|vertex| MorphDelta {
            vertex,
            position: r.vec3(),
            normal: r.vec3() * 0.1,
            tangent: r.vec3() * 0.1,
        });
        let deltas = deltas.collect();
        MorphTarget { name: r.name("morph").into(), scalar: r.below(scalars) as u16, deltas }
    });
    targets.collect()
}

fn texture_ref(r: &mut Random, texture: usize) -> Option<TextureRef> {
    let transform = UvTransform {
        offset: Vec2::new(r.unit(), r.unit()),
        rotation: r.unit(),
        scale: Vec2::new(1.0 + r.unit() * 0.5, 2.0),
    };
    let sampler = Sampler {
        wrap: [file::WRAPS[r.below(3)], file::WRAPS[r.below(3)]],
        mag: file::MAG_FILTERS[r.below(3)],
        min: file::MIN_FILTERS[r.below(7)],
    };
    let transform = if r.chance() { transform } else { UvTransform::IDENTITY };
    r.chance().then(|| TextureRef { texture, uv_set: r.below(2) as u8, transform, sampler })
}

fn material(r: &mut Random, texture: usize) -> Material {
    Material {
        name: r.name("material").into(),
        base_color: Vec4::new(0.25, 0.5, 1.0, r.unit().abs()),
        base_color_texture: texture_ref(r, texture),
        metallic: r.unit().abs(),
        roughness: r.unit().abs(),
        metallic_roughness_texture: texture_ref(r, texture),
        normal_texture: texture_ref(r, texture),
        normal_scale: r.unit(),
        occlusion_texture: texture_ref(r, texture),
        occlusion_strength: r.unit().abs(),
        emissive: r.vec3().abs().min(Vec3::ONE),
        emissive_strength: r.unit().abs() * 5.0,
        emissive_texture: texture_ref(r, texture),
        alpha: [AlphaMode::Opaque, AlphaMode::Mask(0.5), AlphaMode::Blend][r.below(3)],
        transmission: r.unit().abs(),
        two_sided: r.chance(),
        unlit: r.chance(),
    }
}

/// A picture of one red pixel.
pub const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8, 0xcf,
    0xc0, 0, 0, 3, 1, 1, 0, 0xc9, 0xfe, 0x92, 0xef, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60,
    0x82,
];

fn textures(r: &mut Random) -> Vec<Texture> {
    let texture = |name: String, image| Texture { name, reference: "art\\skin.png".into(), image };
    vec![
        texture(r.name("skin"), Image::Embedded(PIXEL.to_vec().into())),
        texture(r.name("lost"), Image::Missing),
        texture(r.name("eye"), Image::Embedded(PIXEL.to_vec().into())),
    ]
}

fn library(r: &mut Random, size: &Size, scalars: usize) -> ClipLibrary {
    let mut library = ClipLibrary::default();
    for _ in 0..size.clips {
        let clip = clip(r, size, scalars);
        let info = ClipInfo {
            name: clip.name().into(),
            source_name: r.chance().then(|| r.name("take").into()),
            tag: r.chance().then(|| "Walk".into()),
            source_index: r.chance().then(|| r.below(16) as u32),
            mode: [
                None,
                Some(LoopMode::Once),
                Some(LoopMode::Loop),
                Some(LoopMode::PingPong),
                Some(LoopMode::Times(7)),
            ][r.below(5)],
            root_motion: r.chance().then(|| file::ROOT_MOTIONS[r.below(3)]),
        };
        library.add_with(info, clip);
    }
    library
}

fn clip(r: &mut Random, size: &Size, scalars: usize) -> Clip {
    let duration = 2.0;
    let mut joints = Vec::new();
    for joint in 0..size.joints as u16 {
        let mut tracks = JointTracks::new(joint);
        tracks.translation = track(r, size.keys, duration, Random::vec3);
        tracks.rotation = track(r, size.keys, duration, Random::rotation);
        tracks.scale = track(r, size.keys, duration, |r| Vec3::ONE + r.vec3() * 0.5);
        if r.below(4) != 0 {
            joints.push(tracks);
        }
    }
    let scalars = (0..scalars as u16)
        .filter_map(|scalar| {
            Some(ScalarTrack { scalar, track: track(r, size.keys, duration, Random::unit)? })
        })
        .collect();
    let events = (0..r.below(3)).map(|_| Event {
        time: r.unit().abs() * duration,
        name: r.name("step"),
        payload: if r.chance() { r.name("sound") } else { String::new() },
        fire: r.chance().then(|| file::FIRES[r.below(3)]),
    });
    let events = events.collect();
    let markers = (0..r.below(3)).map(|_| Marker::new(r.unit().abs() * duration, r.name("foot")));
    let markers = markers.collect();
    Clip::new(r.name("clip"), duration, joints, scalars)
        .and_then(|clip| clip.with_events(events)?.with_markers(markers))
        .expect("valid")
}

fn track<T: sinew::Key>(
    r: &mut Random,
    keys: usize,
    duration: f32,
    make: impl Fn(&mut Random) -> T,
) -> Option<Track<T>> {
    let keys = 1 + r.below(keys);
    let mut times: Vec<f32> = (0..keys).map(|i| duration * i as f32 / keys.max(2) as f32).collect();
    if keys > 3 && r.chance() {
        // A jump.
        times[2] = times[1];
    }
    let values = (0..keys).map(|_| make(r)).collect();
    let step = if r.below(5) == 0 { Interpolation::Step } else { Interpolation::Linear };
    (r.below(4) != 0).then(|| Track::new(times, values, step).expect("valid"))
}

/// Random source information for a character.
pub fn source(seed: u64, character: &Character) -> SourceInfo {
    let r = &mut Random::new(seed);
    let mut source = SourceInfo::default();
    let joint = |_| SourceJoint { node: r.below(1000) as u32, helper: r.below(8) == 0 };
    source.joints = (0..character.skeleton().len()).map(joint).collect();
    let meshes = character.meshes().iter();
    source.vertices = meshes.map(|mesh| some(r, mesh.vertex_count(), |r| r.below(1000) as u32)).collect();
    let clip = |_| SourceClip { start: r.unit().into(), tag_inferred: r.chance() };
    source.clips = (0..character.clips().len()).map(clip).collect();
    source
}

pub fn certificate(seed: u64, clips: usize) -> Certificate {
    let r = &mut Random::new(seed);
    let measure = |r: &mut Random| Measure {
        samples: r.below(1000) as u32,
        joint_max: f64::from(r.unit().abs()),
        joint_p99: f64::from(r.unit().abs()),
        worst_joint: r.below(60) as u16,
        worst_time: f64::from(r.unit().abs()),
        vertex_max: f64::from(r.unit().abs()),
    };
    Certificate {
        tool: "sinew 1.2.3".into(),
        inputs: vec![
            Input { name: "hero.fbx".into(), sha256: [7; 32] },
            Input { name: "lauf 骨.dae".into(), sha256: [9; 32] },
        ],
        diagonal: 1.75,
        profile: [None, Some(Profile::Small)][seed as usize % 2],
        reach: 0.0875,
        whole: measure(r),
        clips: (0..clips).map(|_| measure(r)).collect(),
        origins: (0..clips)
            .map(|i| (i % 3 != 2).then_some(Origin { input: i as u32 % 3, clip: 7 }))
            .collect(),
    }
}

/// Describes the first difference of two characters. Numbers are compared by `==`, not by bits.
pub fn difference(a: &Character, b: &Character) -> Option<String> {
    if a.name() != b.name() || a.space() != b.space() {
        return Some("name or space".into());
    }
    let (sa, sb) = (a.skeleton(), b.skeleton());
    if !sa.joints().eq(sb.joints()) || !sa.scalars().eq(sb.scalars()) || sa.rest() != sb.rest() {
        return Some("skeleton".into());
    }
    if a.meshes() != b.meshes() {
        return Some("meshes".into());
    }
    if a.sockets() != b.sockets() {
        return Some("sockets".into());
    }
    if a.materials() != b.materials() || a.textures() != b.textures() {
        return Some("materials or textures".into());
    }
    if !a.clips().infos().eq(b.clips().infos()) {
        return Some("names and tags of clips".into());
    }
    let differs = |i: &usize| a.clips().get(*i).unwrap() != b.clips().get(*i).unwrap();
    (0..a.clips().len()).find(differs).map(|i| format!("clip {i}"))
}

/// A temporary folder with the files of a project.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, file: &str) -> std::path::PathBuf {
        self.0.path().join(file)
    }

    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

/// The same character with other textures.
pub fn with_textures(character: &Character, textures: Vec<Texture>) -> Character {
    character.with_textures(textures).unwrap()
}

/// A character with a skin, vertices to sort, morphs, scalars, events, markers and sockets, so that every kind of section is there.
pub fn full(size: Size) -> Character {
    let everything = |c: &Character| {
        c.meshes().iter().any(|m| m.skin.is_some())
            && c.meshes().iter().any(|m| m.skin.is_none())
            && c.meshes().iter().any(|m| m.morphs.iter().any(|t| !t.deltas.is_empty()))
            && c.clips().infos().any(|info| info.tag.is_some())
            && !c.sockets().is_empty()
            && difference(c, &sorted(c)).is_some()
            && c.clips().ready().any(|clip| {
                let events = clip.events().iter();
                let mut told = events.filter(|event| !event.payload.is_empty() && event.fire.is_some());
                told.next().is_some() && !clip.markers().is_empty() && clip.moved_scalars().next().is_some()
            })
    };
    (0..100_000).map(|seed| character(seed, size)).find(everything).expect("some seed has everything")
}

/// A bundle of it, with a certificate.
pub fn write(character: &Character) -> Vec<u8> {
    let certificate = certificate(5, character.clips().len());
    write_bundle(character, &source(6, character), &BundleOptions::default(), Some(&certificate)).unwrap()
}

/// Corrects all checksums.
pub fn sign(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    for entry in 0..count {
        let at = 64 + entry * 32;
        let field = |offset: usize| u64::from_le_bytes(bytes[at + offset..][..8].try_into().unwrap());
        let (start, length) = (field(8) as usize, field(16) as usize);
        let sum = bytes.get(start..start.saturating_add(length)).map_or(0, checksum);
        bytes[at + 24..][..8].copy_from_slice(&sum.to_le_bytes());
    }
    let table = checksum(&bytes[64..64 + count * 32]);
    bytes[24..32].copy_from_slice(&table.to_le_bytes());
    let header = checksum(&bytes[..56]);
    bytes[56..64].copy_from_slice(&header.to_le_bytes());
}
