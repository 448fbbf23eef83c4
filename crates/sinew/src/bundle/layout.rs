//! The records of a `.sinew` file, as they lie in it: shared by the reader here and the writer in `sinew-build`. Those of the sections
//! that only tools read are in `sinew-import`. All numbers are little-endian.

use bytemuck::{Pod, Zeroable};

/// First bytes of every bundle. Like PNG's, they show whether a transfer has taken the file for text.
pub const MAGIC: [u8; 8] = *b"\x89SNW\r\n\x1a\n";
/// A reader refuses a bundle with another major version.
pub const MAJOR: u16 = 1;
/// A higher minor version only adds sections with new ids, which a reader skips.
pub const MINOR: u16 = 0;
/// Sections begin at multiples of this.
pub const SECTION_ALIGN: usize = 64;
/// Arrays within a section begin at multiples of this.
pub const ARRAY_ALIGN: usize = 16;
/// Stands for "none" where an index is 32 bits wide.
pub const NONE: u32 = u32::MAX;

/// What is in a section: four letters.
pub type SectionId = [u8; 4];
/// The character: its name, its space, and how many of everything there are.
pub const INFO: SectionId = *b"INFO";
/// Joints and scalars.
pub const SKEL: SectionId = *b"SKEL";
/// Geometry of one mesh.
pub const MESH: SectionId = *b"MESH";
/// Skin and influences of the mesh of the same index.
pub const SKIN: SectionId = *b"SKIN";
/// Morph targets of the mesh of the same index.
pub const MRPH: SectionId = *b"MRPH";
/// All materials.
pub const MATS: SectionId = *b"MATS";
/// One texture.
pub const TXTR: SectionId = *b"TXTR";
/// One clip.
pub const CLIP: SectionId = *b"CLIP";
/// Events of the clip of the same index.
pub const EVTS: SectionId = *b"EVTS";
/// Markers of the clip of the same index.
pub const MRKS: SectionId = *b"MRKS";
/// How far clips take the root, and how far they turn it.
pub const TRVL: SectionId = *b"TRVL";
/// How figures move over the ground.
pub const GRND: SectionId = *b"GRND";
/// Places where things are attached.
pub const SOCK: SectionId = *b"SOCK";
/// What is known about clips beside their names: source names, tags, numbers in the source.
pub const TAGS: SectionId = *b"TAGS";

/// First 64 bytes of the file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct FileHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`MAJOR`].
    pub major: u16,
    /// [`MINOR`].
    pub minor: u16,
    /// Entries of the section table, which follows the header.
    pub sections: u32,
    /// Bytes of the whole file.
    pub length: u64,
    /// Checksum of the section table, without its padding.
    pub table_checksum: u64,
    /// Zero.
    pub reserved: [u64; 3],
    /// Checksum of the 56 bytes before.
    pub checksum: u64,
}

/// An entry of the section table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SectionEntry {
    /// What is in it.
    pub id: SectionId,
    /// Number of the mesh, texture or clip; zero where there is only one.
    pub index: u32,
    /// Where it begins in the file.
    pub offset: u64,
    /// Its bytes, without the padding behind it.
    pub length: u64,
    /// Checksum of those bytes.
    pub checksum: u64,
}

/// Head of [`INFO`]; the character's name follows.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct InfoHeader {
    /// Number of meshes.
    pub meshes: u32,
    /// Number of materials.
    pub materials: u32,
    /// Number of textures.
    pub textures: u32,
    /// Number of clips.
    pub clips: u32,
    /// 1 if the space was converted, else 0.
    pub canonical: u32,
    /// Which way is up: an index into +X, -X, +Y, -Y, +Z, -Z.
    pub up: u32,
    /// Length of one unit in metres.
    pub unit_meters: f32,
    /// Zero.
    pub reserved: u32,
}

/// Head of [`SKEL`]; parents, rest blocks, scalar rests and names follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SkeletonHeader {
    /// Number of joints.
    pub joints: u32,
    /// Number of scalars.
    pub scalars: u32,
    /// Zero.
    pub reserved: [u32; 2],
}

/// Head of [`MESH`]; its arrays and its name follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MeshHeader {
    /// Number of vertices.
    pub vertices: u32,
    /// Number of indices.
    pub indices: u32,
    /// Number of parts.
    pub parts: u32,
    /// Which arrays there are beside positions: `HAS_…` bits.
    pub attributes: u32,
    /// Joint that the mesh stands on, 0xFFFF for none.
    pub joint: u16,
    /// Zero.
    pub reserved: [u16; 7],
}

/// Bit of [`MeshHeader::attributes`].
pub const HAS_NORMALS: u32 = 1;
/// Bit of [`MeshHeader::attributes`].
pub const HAS_TANGENTS: u32 = 2;
/// Bit of [`MeshHeader::attributes`].
pub const HAS_UVS: u32 = 4;
/// Bit of [`MeshHeader::attributes`].
pub const HAS_COLORS: u32 = 8;
/// Bit of [`MeshHeader::attributes`].
pub const HAS_SECOND_UVS: u32 = 16;

/// A run of triangles with one material.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PartRecord {
    /// Index of the material, or [`NONE`].
    pub material: u32,
    /// First index.
    pub first: u32,
    /// Number of indices.
    pub count: u32,
}

/// Head of [`SKIN`]; joints, inverse binds, the vertices' indices and weights follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SkinHeader {
    /// Number of joints of the skin.
    pub joints: u32,
    /// Influences per vertex: 4 or 8.
    pub per_vertex: u32,
    /// Number of vertices: that of the mesh.
    pub vertices: u32,
    /// Shares of dual-quaternion blending: as many as vertices, or zero.
    pub dual_quaternion: u32,
}

/// Head of [`MRPH`]; targets, deltas and names follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MorphHeader {
    /// Number of targets.
    pub targets: u32,
    /// Deltas of all targets together.
    pub deltas: u32,
    /// Zero.
    pub reserved: [u32; 2],
}

/// A morph target; its deltas lie behind those of the target before.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TargetRecord {
    /// Scalar that holds its weight.
    pub scalar: u32,
    /// Number of its deltas.
    pub deltas: u32,
}

/// Head of [`MATS`]; records and names follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MaterialsHeader {
    /// Number of materials.
    pub materials: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TextureRefRecord {
    /// Index of the texture, or [`NONE`]; all else is zero then.
    pub texture: u32,
    /// Along U and V: 0 repeat, 1 mirror, 2 clamp.
    pub wrap: [u8; 2],
    /// Where it is enlarged: 0 automatic, 1 nearest, 2 linear.
    pub mag: u8,
    /// Where it is reduced: 0 automatic, 1 nearest, 2 linear, 3–6 with mip maps as in [`crate::MinFilter`].
    pub min: u8,
    /// Set of texture coordinates, 0 or 1.
    pub uv_set: u32,
    /// Change of texture coordinates: offset, rotation in radians, scale.
    pub transform: [f32; 5],
}

/// A material.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MaterialRecord {
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// Emitted light, linear RGB.
    pub emissive: [f32; 3],
    /// Factor of the emitted light.
    pub emissive_strength: f32,
    /// 0…1.
    pub metallic: f32,
    /// 0…1.
    pub roughness: f32,
    /// Factor of the normal texture.
    pub normal_scale: f32,
    /// Share of the occlusion texture.
    pub occlusion_strength: f32,
    /// Cutoff of a mask, else zero.
    pub cutoff: f32,
    /// 0…1.
    pub transmission: f32,
    /// 0 opaque, 1 mask, 2 blend.
    pub alpha: u8,
    /// `MATERIAL_…` bits.
    pub flags: u8,
    /// Zero.
    pub reserved: [u8; 2],
    /// Base colour, metal and roughness, normal, occlusion, emission.
    pub textures: [TextureRefRecord; 5],
}

/// Bit of [`MaterialRecord::flags`].
pub const MATERIAL_TWO_SIDED: u8 = 1;
/// Bit of [`MaterialRecord::flags`].
pub const MATERIAL_UNLIT: u8 = 2;

/// Head of [`TXTR`]; name, reference and bytes follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TextureHeader {
    /// What the bytes are: `IMAGE_…`.
    pub image: u32,
    /// Zero.
    pub reserved: u32,
    /// Number of bytes.
    pub length: u64,
}

/// There is no picture and there are no bytes.
pub const IMAGE_MISSING: u32 = 0;
/// The bytes are a path in UTF-8.
pub const IMAGE_FILE: u32 = 1;
/// The bytes are an encoded picture.
pub const IMAGE_EMBEDDED: u32 = 2;

/// Head of [`CLIP`]; the name follows, then what the encoding says.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ClipHeader {
    /// How the keys are stored: `ENCODING_…`.
    pub encoding: u32,
    /// Seconds.
    pub duration: f32,
    /// Number of [`JointRecord`]s.
    pub joints: u32,
    /// Number of [`ScalarRecord`]s.
    pub scalars: u32,
}

/// Keys as they are: joint records, scalar records, times, vectors, rotations, scalar values.
pub const ENCODING_RAW: u32 = 0;

/// Frames at even steps of time: [`FramesHeader`], then arrays as `docs/format.md` lists them.
pub const ENCODING_FRAMES: u32 = 1;

/// Head of a clip in [`ENCODING_FRAMES`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct FramesHeader {
    /// Frames a second.
    pub rate: f64,
    /// Digest of the joints that it was made for: see [`crate::Skeleton::digest`].
    pub skeleton: u64,
    /// Number of frames, at least one.
    pub frames: u32,
    /// Bytes of a frame.
    pub stride: u32,
    /// Blocks of eight joints, from the first, whose rotations are in the frames.
    pub octets: u16,
    /// Groups of eight numbers of joints.
    pub loose: u16,
    /// Groups of eight scalars.
    pub scalars: u16,
    /// Number of [`ConstantRecord`]s.
    pub constants: u16,
    /// Joints whose rotations are four loose numbers.
    pub wide: u16,
    /// 1 if values between frames follow a cubic, 0 if the shortest arc.
    pub cubic: u16,
    /// The joint whose travel is the clip's, 0xFFFF for none.
    pub traveller: u16,
    /// Zero.
    pub reserved: u16,
    /// When the translation of that joint begins and ends.
    pub travel: [f32; 2],
}

/// Eight numbers of joints in the frames. Groups of scalars have component 0 throughout.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct LooseRecord {
    /// Joints, or scalars.
    pub indices: [u16; 8],
    /// Component of each: translation 0–2, rotation 3–6, scale 7–9.
    pub components: [u8; 8],
}

/// A number of a joint that has one value throughout.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ConstantRecord {
    /// The joint.
    pub joint: u16,
    /// Its component, as in [`LooseRecord`].
    pub component: u8,
    /// Zero.
    pub reserved: u8,
    /// The value.
    pub value: f32,
}

/// The tracks of one joint.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct JointRecord {
    /// Index of the joint.
    pub joint: u16,
    /// Bits 0, 1, 2: translation, rotation, scale hold between keys instead of moving on.
    pub steps: u16,
    /// Keys of translation, rotation, scale; zero for a part without a track.
    pub keys: [u32; 3],
}

/// The track of one scalar.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ScalarRecord {
    /// Index of the scalar.
    pub scalar: u16,
    /// 1 if it holds between keys, else 0.
    pub steps: u16,
    /// Number of keys.
    pub keys: u32,
}

/// Head of [`EVTS`]; records, names and payloads follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct EventsHeader {
    /// Number of events.
    pub events: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// An event.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct EventRecord {
    /// Seconds.
    pub time: f32,
    /// When it is fired: its place in [`super::file::FIRES`] counted from one, zero if not given.
    pub fire: u32,
}

/// Head of [`MRKS`]; times and names follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MarkersHeader {
    /// Number of markers.
    pub markers: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// Head of [`TRVL`] and [`GRND`]; records follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TravelHeader {
    /// Number of clips.
    pub clips: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// How far one clip takes the root.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TravelRecord {
    /// The joint that travels, 0xFFFF for a clip that does not; all else is zero then.
    pub joint: u16,
    /// Zero.
    pub reserved: [u16; 3],
    /// When it begins and ends, in seconds.
    pub times: [f32; 2],
    /// From where it begins to where it ends, in model space and across the up axis.
    pub displacement: [f32; 3],
    /// How far it turns about the up axis on the shorter way, in radians.
    pub yaw: f32,
}

/// How the figure of one clip moves over the ground: a record of [`GRND`], whose head is that of [`TRVL`].
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct GroundRecord {
    /// Of a clip made in place, in model space and units a second; zero where the root travels instead.
    pub velocity: [f32; 3],
    /// Whole turns about the up axis that [`TravelRecord::yaw`] leaves out.
    pub turns: i32,
}

/// Head of [`SOCK`]; records and names follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SocketsHeader {
    /// Number of sockets.
    pub sockets: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// A place on a joint.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SocketRecord {
    /// Its joint.
    pub joint: u16,
    /// Zero.
    pub reserved: [u16; 3],
    /// Relative to the joint.
    pub translation: [f32; 3],
    /// Relative to the joint, a unit quaternion x, y, z, w.
    pub rotation: [f32; 4],
    /// Relative to the joint.
    pub scale: [f32; 3],
}

/// Head of [`TAGS`]; records, source names and tags follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TagsHeader {
    /// Number of clips.
    pub clips: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// What is known about one clip.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TagRecord {
    /// `CLIP_HAS_…` bits: an empty name may be a name or none.
    pub flags: u32,
    /// Its number in its source, zero without one.
    pub source_index: u32,
    /// What is meant to happen at the end, a `MODE_…`.
    pub mode: u16,
    /// What is meant to become of travel: its place in [`super::file::ROOT_MOTIONS`] counted from one, zero if not given.
    pub root_motion: u16,
    /// How many times the clip is meant to play, zero unless the mode is [`MODE_TIMES`].
    pub times: u32,
}

/// Of [`TagRecord::mode`]: not given.
pub const MODE_UNSAID: u16 = 0;
/// Of [`TagRecord::mode`]: stop at the end.
pub const MODE_ONCE: u16 = 1;
/// Of [`TagRecord::mode`]: start over.
pub const MODE_LOOP: u16 = 2;
/// Of [`TagRecord::mode`]: turn round at either end.
pub const MODE_PING_PONG: u16 = 3;
/// Of [`TagRecord::mode`]: play [`TagRecord::times`] times.
pub const MODE_TIMES: u16 = 4;

/// Bit of [`TagRecord::flags`].
pub const CLIP_HAS_SOURCE_NAME: u32 = 1;
/// Bit of [`TagRecord::flags`].
pub const CLIP_HAS_TAG: u32 = 2;
/// Bit of [`TagRecord::flags`].
pub const CLIP_HAS_SOURCE_INDEX: u32 = 4;
