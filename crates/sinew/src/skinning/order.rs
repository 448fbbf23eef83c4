//! Which vertices are deformed together.

use super::reference::{Used, share};
use crate::pose::LANES;
use crate::{Buffer, Mesh};
use bytemuck::Pod;
use std::cmp::Reverse;
use std::collections::HashMap;

/// What the vertices of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Group {
    /// The skin joints that count, rising, then `u16::MAX`. None where each vertex has its own.
    pub(super) joints: Option<[u16; super::MOST_INFLUENCES]>,
    /// How many they are.
    pub(super) len: usize,
    /// Whether the weights of each vertex sum to one.
    pub(super) whole: bool,
    pub(super) kind: Kind,
}

/// How the vertices of a group are deformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// No weights: they stay put.
    Fixed,
    /// From the plan alone.
    Plain,
    /// A morph target moves them first.
    Morphed,
    /// By dual quaternions, in whole or in part.
    Turned,
}

impl Group {
    /// How many weighted matrices are added up for a vertex: where weights sum to one, that of the first joint is what the others leave.
    fn terms(&self) -> usize {
        self.len - usize::from(self.whole)
    }
}

/// Groups of so many vertices, which fill no more than a block, are not worth the change from one set of matrices to the next: their vertices are put together, each with
/// joints of its own.
const FEW: u32 = LANES as u32;

/// The vertices of a mesh by group, vertices rising within.
///
/// Groups that take the same way through the kernel follow each other, the larger ones first: a processor guesses its way by the last ones.
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// The group of each vertex.
    pub(super) of: Vec<u32>,
    /// All vertices, group after group.
    pub(super) order: Vec<u32>,
}

impl Groups {
    /// Of a mesh whose influences were checked.
    pub(super) fn new(mesh: &Mesh) -> Self {
        let mut morphed = vec![false; mesh.vertex_count()];
        for delta in mesh.morphs.iter().flat_map(|target| &target.deltas) {
            if let Some(morphed) = morphed.get_mut(delta.vertex as usize) {
                *morphed = true;
            }
        }
        let (mut groups, mut known, mut last) = (Vec::new(), HashMap::new(), None);
        let number = |(vertex, &morphed)| {
            let group = group(mesh, vertex, morphed);
            if let Some((before, number)) = last
                && before == group
            {
                return number;
            }
            let number = *known.entry(group).or_insert_with(|| {
                groups.push(group);
                groups.len() as u32 - 1
            });
            last = Some((group, number));
            number
        };
        let mut of: Vec<u32> = morphed.iter().enumerate().map(number).collect();
        put_together(&mut groups, &mut of);
        let order = order(&groups, &of);
        Self { groups, of, order }
    }

    /// Each group with its vertices.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Group, &[u32])> {
        let group = |vertex: u32| self.of[vertex as usize];
        let slices = self.order.chunk_by(move |&a, &b| group(a) == group(b));
        slices.map(move |vertices| (&self.groups[group(vertices[0]) as usize], vertices))
    }
}

/// Makes one group of those that have few vertices and are alike but for which joints they have.
fn put_together(groups: &mut Vec<Group>, of: &mut [u32]) {
    let counts = counts(groups, of);
    let mut numbers: Vec<u32> = (0..groups.len() as u32).collect();
    let mut known = HashMap::new();
    for (number, &count) in counts.iter().enumerate() {
        let group = groups[number];
        // Vertices of one joint take a way of their own, and there are only so many joints.
        if count > FEW || group.joints.is_none() || group.terms() == 0 {
            continue;
        }
        let together = Group { joints: None, ..group };
        numbers[number] = *known.entry(together).or_insert_with(|| {
            groups.push(together);
            groups.len() as u32 - 1
        });
    }
    of.iter_mut().for_each(|group| *group = numbers[*group as usize]);
}

/// How many vertices each group has.
fn counts(groups: &[Group], of: &[u32]) -> Vec<u32> {
    let mut counts = vec![0u32; groups.len()];
    of.iter().for_each(|&group| counts[group as usize] += 1);
    counts
}

/// All vertices, group after group, rising within each: groups are sorted, and each vertex put behind those of its group that came before it.
fn order(groups: &[Group], of: &[u32]) -> Vec<u32> {
    let counts = counts(groups, of);
    let mut sorted: Vec<u32> = (0..groups.len() as u32).collect();
    sorted.sort_by_key(|&number| {
        let group = &groups[number as usize];
        let is_mixed = group.joints.is_none();
        (group.kind, is_mixed, group.terms(), Reverse(counts[number as usize]), number)
    });
    let (mut next, mut end) = (vec![0u32; groups.len()], 0);
    for &number in &sorted {
        next[number as usize] = end;
        end += counts[number as usize];
    }
    let mut order = vec![0; of.len()];
    for (vertex, &group) in (0u32..).zip(of) {
        let place = &mut next[group as usize];
        order[*place as usize] = vertex;
        *place += 1;
    }
    order
}

fn group(mesh: &Mesh, vertex: usize, morphed: bool) -> Group {
    let used = Used::of(mesh, vertex);
    let kind = match used.len {
        0 => Kind::Fixed,
        _ if share(mesh, vertex) != 0.0 => Kind::Turned,
        _ if morphed => Kind::Morphed,
        _ => Kind::Plain,
    };
    // What is not deformed by lanes is deformed alike, whatever its joints are.
    let by_lanes = matches!(kind, Kind::Plain | Kind::Morphed);
    if by_lanes {
        Group { joints: Some(used.joints), len: used.len, whole: used.whole, kind }
    } else {
        Group { joints: None, len: 0, whole: false, kind }
    }
}

/// The order of vertices in which a mesh is deformed fastest: those with the same skin joints in a row and, of those that are deformed alike, last those
/// on several joints that few others share. Element i is the present index of the vertex that goes to place i. A mesh in that order gets 0, 1, 2, …
///
/// The mesh must be valid ([`Mesh::validate`]).
///
/// ```
/// use sinew::{Influences, Mat3x4, Mesh, Skin, glam::Vec3, skinning::vertex_order};
///
/// let mesh = Mesh {
///     positions: [Vec3::ZERO; 3].into(),
///     skin: Some(Skin { joints: [0, 1].into(), inverse_binds: [Mat3x4::IDENTITY; 2].into() }),
///     influences: Influences {
///         per_vertex: 4,
///         skin_joints: [[1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]].concat().into(),
///         weights: [1.0, 0.0, 0.0, 0.0].repeat(3).into(),
///         ..Influences::default()
///     },
///     ..Mesh::new("three vertices on two joints")
/// };
/// assert_eq!(vertex_order(&mesh), [0, 2, 1]);
/// ```
pub fn vertex_order(mesh: &Mesh) -> Vec<u32> {
    Groups::new(mesh).order
}

/// Puts the vertices of a valid mesh into [`vertex_order`], with all that refers to them, and returns that order.
pub fn sort_vertices(mesh: &mut Mesh) -> Vec<u32> {
    let order = vertex_order(mesh);
    reorder_vertices(mesh, &order);
    order
}

/// Puts the vertices of a valid mesh into any order, with all that refers to them. Element i is the present index of the vertex that goes to place i.
///
/// # Panics
/// If the order does not hold every vertex once.
pub fn reorder_vertices(mesh: &mut Mesh, order: &[u32]) {
    assert_eq!(order.len(), mesh.vertex_count(), "an order of all vertices");
    permute(&mut mesh.positions, 1, order);
    permute(&mut mesh.normals, 1, order);
    permute(&mut mesh.tangents, 1, order);
    permute(&mut mesh.uvs, 1, order);
    permute(&mut mesh.second_uvs, 1, order);
    permute(&mut mesh.colors, 1, order);
    let influences = &mut mesh.influences;
    permute(&mut influences.skin_joints, influences.per_vertex, order);
    permute(&mut influences.weights, influences.per_vertex, order);
    permute(&mut influences.dual_quaternion, 1, order);
    let mut places = vec![0; order.len()];
    for (place, &vertex) in order.iter().enumerate() {
        places[vertex as usize] = place as u32;
    }
    let deltas = mesh.morphs.iter_mut().flat_map(|target| &mut target.deltas);
    deltas.for_each(|delta| delta.vertex = places[delta.vertex as usize]);
    mesh.indices.iter_mut().for_each(|index| *index = places[*index as usize]);
}

/// `width` values for each vertex, or none at all.
fn permute<T: Pod>(values: &mut Buffer<T>, width: usize, order: &[u32]) {
    if values.is_empty() {
        return;
    }
    let of = |&vertex: &u32| &values[vertex as usize * width..][..width];
    *values = order.iter().flat_map(of).copied().collect();
}
