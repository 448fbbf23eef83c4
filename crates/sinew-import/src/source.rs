//! Where the parts of a character come from in its source files. For tools; not part of the run time.

use crate::Vrm;
use sinew_retarget::Role;
use std::sync::Arc;

/// Source indices of joints, vertices and clips. A list may be shorter than the character's: later entries are unknown.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SourceInfo {
    /// Of each joint.
    pub joints: Vec<SourceJoint>,
    /// Of each mesh: the number of each vertex in the source file, where one vertex may have become several. Empty for a mesh whose
    /// vertices are numbered as in the source.
    pub vertices: Vec<Vec<u32>>,
    /// Of each clip.
    pub clips: Vec<SourceClip>,
    /// Number of each joint in the order of the source, where a compiled character has its joints in another order; else empty.
    pub order: Vec<u16>,
    /// Of each mesh: the number that each vertex had when it was imported, where a compiled mesh has its vertices in another order; empty for other
    /// meshes, and altogether where there is no such mesh.
    pub vertex_order: Vec<Vec<u32>>,
    /// What a VRM or VRMA file says beside its model.
    pub vrm: Option<Arc<Vrm>>,
}

/// Where a joint comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceJoint {
    /// Number of the node in the source file.
    pub node: u32,
    /// Inserted by an importer to hold what one TRS cannot (a scale that children do not inherit); has no node of its own in the
    /// source, and is called `NAME$scale` below a joint `NAME`.
    pub helper: bool,
}

/// Where a clip comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SourceClip {
    /// Where its start lies in the source file, in seconds.
    pub start: f64,
    /// Whether its tag follows from its names or its number ([`crate::TagTable::infer`]); else it was given explicitly.
    pub tag_inferred: bool,
}

impl SourceInfo {
    /// Whether nothing is known about the source, apart from the order of vertices.
    pub fn is_unknown(&self) -> bool {
        self.joints.is_empty() && self.vertices.is_empty() && self.clips.is_empty() && self.order.is_empty()
    }

    /// Roles that the file gives itself, for retargeting: those of a VRM.
    pub fn known_roles(&self) -> Vec<(Role, u16)> {
        self.vrm.as_ref().map(|vrm| vrm.known_roles()).unwrap_or_default()
    }

    /// Number of a joint in the order of the source.
    pub fn source_index(&self, joint: u16) -> u16 {
        self.order.get(usize::from(joint)).copied().unwrap_or(joint)
    }

    /// Of one joint.
    pub fn joint(&self, joint: u16) -> SourceJoint {
        self.joints.get(usize::from(joint)).copied().unwrap_or_default()
    }

    /// Number of a vertex in the source file.
    pub fn vertex(&self, mesh: usize, vertex: u32) -> u32 {
        number(&self.vertices, mesh, vertex).unwrap_or_else(|| self.imported_vertex(mesh, vertex))
    }

    /// Number that a vertex had when it was imported.
    #[inline]
    pub fn imported_vertex(&self, mesh: usize, vertex: u32) -> u32 {
        number(&self.vertex_order, mesh, vertex).unwrap_or(vertex)
    }

    /// Of one clip.
    pub fn clip(&self, clip: usize) -> SourceClip {
        self.clips.get(clip).copied().unwrap_or_default()
    }
}

fn number(of: &[Vec<u32>], mesh: usize, vertex: u32) -> Option<u32> {
    of.get(mesh)?.get(vertex as usize).copied()
}
