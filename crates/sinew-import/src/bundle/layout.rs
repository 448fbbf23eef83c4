//! The records of the sections that only tools read, as they lie in the file.

use bytemuck::{Pod, Zeroable};
use sinew::bundle_file::SectionId;

/// Where the parts of the character come from.
pub const SRCS: SectionId = *b"SRCS";
/// The order of the vertices of the mesh of the same index when it was imported.
pub const VORD: SectionId = *b"VORD";
/// What a VRM says beside its model.
pub const VRMD: SectionId = *b"VRMD";
/// The certificate.
pub const CERT: SectionId = *b"CERT";

/// Head of [`SRCS`]; nodes and flags of joints, numbers of source vertices per mesh, source vertices, starts and flags of clips follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SourceHeader {
    /// Number of joints.
    pub joints: u32,
    /// Number of meshes.
    pub meshes: u32,
    /// Number of clips.
    pub clips: u32,
    /// 1 if the joints are in another order than in the source: then numbers in that order follow the flags of joints.
    pub reordered: u32,
}

/// Head of [`VORD`]; the number that each vertex had follows.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct VertexOrderHeader {
    /// Number of vertices: that of the mesh.
    pub vertices: u32,
    /// Zero.
    pub reserved: [u32; 3],
}

/// Head of [`VRMD`]; joints of roles, expressions, their morphs, names of roles and of expressions, and three texts of JSON follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct VrmHeader {
    /// Kind of the file: 0 VRM 0.x, 1 VRM 1.0, 2 VRM Animation.
    pub version: u32,
    /// Number of roles.
    pub roles: u32,
    /// Number of expressions.
    pub expressions: u32,
    /// Number of morph weights of all expressions.
    pub morphs: u32,
}

/// An expression of [`VRMD`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ExpressionRecord {
    /// The scalar that says how much of it is shown.
    pub scalar: u16,
    /// 1 if it is shown wholly or not at all, else 0.
    pub binary: u16,
    /// Number of its morph weights.
    pub morphs: u32,
}

/// A morph weight of an expression of [`VRMD`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ExpressionMorph {
    /// The scalar of the morph target.
    pub scalar: u16,
    /// Zero.
    pub reserved: u16,
    /// What the expression adds to it at full strength.
    pub weight: f32,
}

/// Flag of a joint: an importer's helper.
pub const JOINT_HELPER: u8 = 1;
/// Flag of a clip: its tag follows from its names or its number.
pub const TAG_INFERRED: u8 = 1;

/// Head of [`CERT`]; hashes, the measure of the whole, a measure and an origin per clip, and names follow.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct CertificateHeader {
    /// Diagonal of the rest pose.
    pub diagonal: f64,
    /// How far from a joint its error was measured.
    pub reach: f64,
    /// Number of inputs.
    pub inputs: u32,
    /// Number of clips.
    pub clips: u32,
    /// Number of the profile of compiled clips, or zero.
    pub profile: u32,
    /// Zero.
    pub reserved: u32,
}

/// What was measured, of one clip or of all.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MeasureRecord {
    /// Largest joint error.
    pub joint_max: f64,
    /// Joint error that 99 of 100 measurements do not exceed.
    pub joint_p99: f64,
    /// Largest distance of a skinned vertex.
    pub vertex_max: f64,
    /// When the largest joint error occurs, in seconds.
    pub worst_time: f64,
    /// Times at which it was measured; zero if it was not.
    pub samples: u32,
    /// Joint with the largest error.
    pub worst_joint: u16,
    /// Zero.
    pub reserved: [u16; 5],
}

/// Where a clip comes from.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct OriginRecord {
    /// Number of the input, or [`NONE`](sinew::bundle_file::NONE).
    pub input: u32,
    /// Number of the clip in that file, or [`NONE`](sinew::bundle_file::NONE).
    pub clip: u32,
}
