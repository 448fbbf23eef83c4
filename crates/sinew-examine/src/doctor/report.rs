//! The result of an examination, as plain data.

use sinew::{Character, Clip, Finding, Severity, Skeleton};
use sinew_import::MatchTable;
use sinew_import::Source;

/// The result of [`examine`](super::examine), for printing or JSON.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What the files hold: the character's first, then the animations'.
    pub files: Vec<FileFacts>,
    /// How the channels of each animation file were matched: as many as there are animations, empty for one that could not be read.
    pub tables: Vec<MatchTable>,
    /// The findings, the likeliest cause first; findings of one kind are adjacent, the largest first.
    pub findings: Vec<Finding>,
    /// Findings that another finding explains: they need no attention before that one is fixed.
    pub consequences: Vec<Consequence>,
}

/// A finding that another one explains.
#[derive(Clone, Debug, PartialEq)]
pub struct Consequence {
    /// What was found.
    pub finding: Finding,
    /// Id of the finding that explains it.
    pub cause: &'static str,
}

/// What one file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFacts {
    /// Name of the file.
    pub file: String,
    /// Number of joints.
    pub joints: usize,
    /// Number of scalars: morph weights and named curves.
    pub scalars: usize,
    /// Number of meshes.
    pub meshes: usize,
    /// Number of vertices in all meshes.
    pub vertices: usize,
    /// Number of triangles in all meshes.
    pub triangles: usize,
    /// Number of materials.
    pub materials: usize,
    /// Its clips; for an animation file those that were taken.
    pub clips: Vec<ClipFacts>,
}

/// What one clip holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFacts {
    /// Its name.
    pub name: String,
    /// Seconds.
    pub duration: f32,
    /// Joints and scalars that it moves.
    pub channels: usize,
    /// Number of keys.
    pub keys: usize,
}

impl ClipFacts {
    pub(super) fn of(clip: &Clip, skeleton: &Skeleton) -> Self {
        Self {
            name: clip.name().to_owned(),
            duration: clip.duration(),
            channels: clip.moved_joints().count() + clip.moved_scalars().count(),
            keys: clip.to_keys(skeleton).count(),
        }
    }
}

impl FileFacts {
    pub(super) fn of(source: &Source<'_>, clips: Vec<ClipFacts>) -> Self {
        let character: &Character = source.character;
        let meshes = character.meshes();
        Self {
            file: source.file.to_owned(),
            joints: character.skeleton().len(),
            scalars: character.skeleton().scalar_names().len(),
            meshes: meshes.len(),
            vertices: meshes.iter().map(|mesh| mesh.vertex_count()).sum(),
            triangles: meshes.iter().map(|mesh| mesh.indices.len() / 3).sum(),
            materials: character.materials().len(),
            clips,
        }
    }
}

/// The summary of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was found, or only notes.
    Healthy,
    /// There are warnings: something may look different from what was intended.
    Suspicious,
    /// There are errors.
    Broken,
}

impl Verdict {
    /// `healthy`, `suspicious` or `broken`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Suspicious => "suspicious",
            Self::Broken => "broken",
        }
    }
}

impl Report {
    /// The summary of a report.
    pub fn verdict(&self) -> Verdict {
        match self.findings.iter().map(Finding::severity).max() {
            Some(Severity::Error) => Verdict::Broken,
            Some(Severity::Warning) => Verdict::Suspicious,
            Some(Severity::Note) | None => Verdict::Healthy,
        }
    }

    /// Number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity() == severity).count()
    }

    /// Findings grouped by kind, in order; within a group the largest comes first.
    pub fn groups(&self) -> impl Iterator<Item = &[Finding]> {
        self.findings.chunk_by(|a, b| a.id() == b.id())
    }
}
