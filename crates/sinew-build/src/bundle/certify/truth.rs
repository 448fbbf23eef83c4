//! The reference: poses of the compiled character as the source files define them, in double precision.

use super::{CertifyError, Evidence};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::{Character, JointMap, Mesh, NO_JOINT, PoseMap, Transform};
use sinew_import::bundle::Origin;
use sinew_import::match_file;
use sinew_import::{Evaluate, SourceEvaluator, SourceInfo};
use std::borrow::Cow;

/// All sources, and how their joints and scalars map to those of the character.
pub(crate) struct Truth<'a> {
    character: &'a Character,
    evidence: &'a [Evidence<'a>],
    /// From each source's skeleton to the character's; `None` for the first, which is the character's own.
    maps: Vec<Option<Cow<'a, JointMap>>>,
}

/// A clip of a source that is being sampled.
#[derive(Clone)]
pub(crate) struct SourceClip<'a> {
    truth: &'a Truth<'a>,
    input: usize,
    clip: usize,
    /// To the character, for a file with a skeleton of its own.
    map: Option<PoseMap>,
    /// The file's own pose.
    locals: Vec<Transform>,
    scalars: Vec<f32>,
    /// The same on the character: what the file does not animate is at the character's rest.
    carried: (Vec<Transform>, Vec<f32>),
}

/// A pose evaluated from the source, again and again in the same place.
#[derive(Default)]
pub(super) struct TruePose {
    pub(super) model: Vec<DAffine3>,
    pub(super) scalars: Vec<f32>,
}

impl<'a> Truth<'a> {
    pub(crate) fn new(
        compiled: &Character,
        source: &SourceInfo,
        evidence: &'a [Evidence<'a>],
    ) -> Result<Self, CertifyError> {
        let Some((base, animations)) = evidence.split_first() else { return Err(CertifyError::NoEvidence) };
        check_base(compiled, source, base)?;
        let character = &base.imported.character;
        let mut maps = vec![None];
        for animation in animations {
            let matched = || match_file(character, &animation.imported.character, animation.name);
            maps.push(Some(match animation.map {
                Some(map) => Cow::Borrowed(map),
                None => Cow::Owned(matched()?),
            }));
        }
        Ok(Self { character, evidence, maps })
    }

    pub(crate) fn clip(&'a self, clip: usize, origin: Origin) -> Result<SourceClip<'a>, CertifyError> {
        let (input, source_clip) = (origin.input as usize, origin.clip as usize);
        let missing = CertifyError::NoSuchClip { clip, input, source_clip };
        let source = self.evidence.get(input).map(|e| &e.imported.character);
        let Some(source) = source.filter(|s| source_clip < s.clips().len()) else { return Err(missing) };
        let rest = self.character.skeleton().rest();
        let animated = source.clips().get(source_clip)?;
        Ok(SourceClip {
            truth: self,
            input,
            clip: source_clip,
            map: self.maps[input].as_ref().map(|map| map.pose_map(&animated)),
            locals: vec![Transform::IDENTITY; source.skeleton().len()],
            scalars: vec![0.0; source.skeleton().scalar_names().len()],
            carried: (rest.iter().collect(), rest.scalars().to_vec()),
        })
    }

    /// Meshes as the character's own file has them.
    pub(super) fn meshes(&self) -> &'a [Mesh] {
        self.evidence.first().map_or(&[], |base| base.imported.character.meshes())
    }
}

fn check_base(character: &Character, info: &SourceInfo, base: &Evidence<'_>) -> Result<(), CertifyError> {
    let source = &base.imported.character;
    let (ours, theirs) = (character.skeleton(), source.skeleton());
    let same_joint = |(joint, name): (u16, &str)| name == theirs.name(info.source_index(joint));
    let same_names = ours.len() == theirs.len()
        && (0u16..).zip(ours.names().iter()).all(same_joint)
        && ours.scalar_names() == theirs.scalar_names();
    let sizes = |c: &Character| c.meshes().iter().map(Mesh::vertex_count).collect::<Vec<_>>();
    let what = if character.space() != source.space() {
        "their spaces"
    } else if !same_names {
        "the names of their joints or scalars"
    } else if sizes(character) != sizes(source) {
        "their numbers of vertices"
    } else {
        return Ok(());
    };
    Err(CertifyError::OtherCharacter { file: base.name.to_owned(), what })
}

impl<'a> SourceClip<'a> {
    /// Evaluates the joints of the file for many times.
    pub(crate) fn often(&self) -> Evaluate<'a> {
        self.evaluator().often(self.clip)
    }

    fn evaluator(&self) -> &'a dyn SourceEvaluator {
        &*self.truth.evidence[self.input].imported.evaluator
    }

    /// Local transforms of the joints of the character, in the order of its file, and its scalars, by an evaluation of the joints of the file.
    pub(crate) fn locals_by(
        &mut self,
        time: f64,
        evaluate: &dyn Fn(f64, &mut [Transform]),
    ) -> (&[Transform], &[f32]) {
        evaluate(time, &mut self.locals);
        self.evaluator().scalars(self.clip, time, &mut self.scalars);
        let Some(map) = &self.map else { return (&self.locals, &self.scalars) };
        // The same components at all times: the others stay as they are.
        map.locals(&self.locals, &mut self.carried.0);
        map.scalars(&self.scalars, &mut self.carried.1);
        (&self.carried.0, &self.carried.1)
    }

    /// The pose at a time by the evaluator of the file itself.
    pub(super) fn pose(&mut self, time: f64, out: &mut TruePose) {
        let (evaluator, clip) = (self.evaluator(), self.clip);
        self.pose_by(time, &|time, out| evaluator.locals(clip, time, out), out);
    }

    /// The same by another evaluation of the joints of the file.
    pub(super) fn pose_by(
        &mut self,
        time: f64,
        evaluate: &dyn Fn(f64, &mut [Transform]),
        out: &mut TruePose,
    ) {
        let skeleton = self.truth.character.skeleton();
        let (locals, scalars) = self.locals_by(time, evaluate);
        let TruePose { model, scalars: values } = out;
        // First all that need not wait for a parent.
        model.clear();
        model.extend(locals.iter().map(widen));
        for (joint, &parent) in skeleton.parents().iter().enumerate().filter(|(_, p)| **p != NO_JOINT) {
            model[joint] = model[usize::from(parent)] * model[joint];
        }
        values.clear();
        values.extend_from_slice(scalars);
    }
}

fn widen(local: &Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        local.scale.as_dvec3(),
        DQuat::from_array(local.rotation.to_array().map(f64::from)).normalize(),
        local.translation.as_dvec3(),
    )
}

/// A mesh that is deformed in double precision at many times, its vertices in the order of the compiled mesh.
pub(super) struct TrueMesh<'a> {
    mesh: &'a Mesh,
    /// Where the file has its vertices, in the order of the file.
    rest: Vec<DVec3>,
    vertices: Vec<TrueVertex>,
    /// Matrices and weights of each vertex, all of them in a row.
    influences: Vec<(usize, f64)>,
    inverse_binds: Vec<DAffine3>,
}

struct TrueVertex {
    /// Its number in the file.
    imported: u32,
    /// Number of its influences.
    influences: u32,
}

/// Room to deform meshes in, one after the other.
#[derive(Default)]
pub(super) struct Room {
    morphed: Vec<DVec3>,
    matrices: Vec<DAffine3>,
}

impl<'a> TrueMesh<'a> {
    /// `imported` gives the number of a vertex in the file.
    pub(super) fn new(mesh: &'a Mesh, imported: impl Fn(u32) -> u32) -> Self {
        let rest: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
        let (mut influences, mut vertices) = (Vec::new(), Vec::with_capacity(rest.len()));
        for vertex in (0u32..).take(rest.len()) {
            let (imported, start) = (imported(vertex), influences.len());
            if mesh.skin.is_some() {
                let used = mesh.influences.of(imported as usize).filter(|&(_, weight)| weight != 0.0);
                influences.extend(used.map(|(slot, weight)| (usize::from(slot), f64::from(weight))));
            } else {
                influences.push((0, 1.0));
            }
            vertices.push(TrueVertex { imported, influences: (influences.len() - start) as u32 });
        }
        let inverse_binds = mesh.skin.iter().flat_map(|skin| skin.inverse_binds.iter());
        let inverse_binds = inverse_binds.map(|inverse| widen_affine(&(*inverse).into())).collect();
        Self { mesh, rest, vertices, influences, inverse_binds }
    }

    /// Where its vertices are in a pose.
    pub(super) fn skin<'r>(
        &'r self,
        pose: &TruePose,
        room: &'r mut Room,
    ) -> impl Iterator<Item = DVec3> + use<'r> {
        let Room { morphed, matrices } = room;
        self.matrices(pose, matrices);
        let (positions, matrices) = (self.morph(pose, morphed), &*matrices);
        let mut influences = self.influences.as_slice();
        self.vertices.iter().map(move |vertex| {
            let (own, others) = influences.split_at(vertex.influences as usize);
            influences = others;
            let position = positions[vertex.imported as usize];
            let moved = |&(slot, weight): &(usize, f64)| matrices[slot].transform_point3(position) * weight;
            match own.split_first() {
                Some((first, others)) => others.iter().fold(moved(first), |sum, other| sum + moved(other)),
                None => position,
            }
        })
    }

    /// The matrices that influences refer to; a mesh without skin hangs on one.
    fn matrices(&self, pose: &TruePose, out: &mut Vec<DAffine3>) {
        out.clear();
        match &self.mesh.skin {
            Some(skin) => {
                let bind = skin.joints.iter().zip(&self.inverse_binds);
                out.extend(bind.map(|(&joint, inverse)| pose.model[usize::from(joint)] * *inverse));
            }
            None if self.mesh.joint == NO_JOINT => out.push(DAffine3::IDENTITY),
            None => out.push(pose.model[usize::from(self.mesh.joint)]),
        }
    }

    /// Where morph targets put the vertices, in the order of the file.
    fn morph<'r>(&'r self, pose: &TruePose, room: &'r mut Vec<DVec3>) -> &'r [DVec3] {
        if self.mesh.morphs.is_empty() {
            return &self.rest;
        }
        room.clone_from(&self.rest);
        for morph in &self.mesh.morphs {
            let weight = f64::from(pose.scalars[usize::from(morph.scalar)]);
            for delta in morph.deltas.iter().filter(|_| weight != 0.0) {
                room[delta.vertex as usize] += delta.position.as_dvec3() * weight;
            }
        }
        room
    }
}

fn widen_affine(matrix: &glam::Affine3) -> DAffine3 {
    let m = matrix.matrix3;
    DAffine3 {
        matrix3: DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3()),
        translation: matrix.translation.as_dvec3(),
    }
}
