//! One budget for a whole import: what a file asks for is counted before it is allocated or computed.
//!
//! Memory is an upper bound of what is held at one time. What the result holds stays counted; what is only needed meanwhile is counted in
//! a [scratch](Budget::scratch) budget, which gives it back when it is dropped. Counts only ever grow.

use crate::{Cause, Limits};
use sinew::Mesh;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one import has used so far of its [`Limits`]. Shared between threads by reference.
#[derive(Debug)]
pub struct Budget<'p> {
    limits: Limits,
    /// The budget that this one is a part of.
    parent: Option<&'p Budget<'p>>,
    memory: AtomicU64,
    source_keys: AtomicU64,
    keys: AtomicU64,
    vertices: AtomicU64,
    morph_deltas: AtomicU64,
    steps: AtomicU64,
}

/// Bytes that a key of a track takes while it is made: time and value, twice, as lists grow by doubling.
const KEY_BYTES: u64 = 40;

impl<'p> Budget<'p> {
    /// An unused budget.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            parent: None,
            memory: AtomicU64::new(0),
            source_keys: AtomicU64::new(0),
            keys: AtomicU64::new(0),
            vertices: AtomicU64::new(0),
            morph_deltas: AtomicU64::new(0),
            steps: AtomicU64::new(0),
        }
    }

    /// A part of this budget, whose memory is given back when it is dropped. All other counts are this one's.
    pub fn scratch(&self) -> Budget<'_> {
        let mut scratch = Budget::new(&self.limits);
        scratch.parent = Some(self);
        scratch
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts bytes that are about to be allocated.
    pub fn memory(&self, bytes: u64) -> Result<(), Cause> {
        if let Some(parent) = self.parent {
            parent.memory(bytes)?;
        }
        add(&self.memory, bytes, "memory", self.limits.memory)
    }

    /// Counts a list of `count` items that is about to be allocated.
    pub fn list<T>(&self, count: usize) -> Result<(), Cause> {
        self.memory((count as u64).saturating_mul(size_of::<T>() as u64))
    }

    /// Adds an item to a list whose growth is counted.
    #[inline]
    pub fn push<T>(&self, list: &mut Vec<T>, item: T) -> Result<(), Cause> {
        if list.len() == list.capacity() {
            self.grow(list)?;
        }
        list.push(item);
        Ok(())
    }

    #[cold]
    fn grow<T>(&self, list: &mut Vec<T>) -> Result<(), Cause> {
        let more = list.capacity().max(4);
        self.list::<T>(more)?;
        list.reserve_exact(more);
        Ok(())
    }

    /// Bytes that are left.
    pub fn memory_left(&self) -> u64 {
        self.root().limits.memory.saturating_sub(self.root().memory.load(Ordering::Relaxed))
    }

    /// Counts keys of the source, once for each clip that plays them.
    pub fn source_keys(&self, count: u64) -> Result<(), Cause> {
        add(&self.root().source_keys, count, "keys", self.limits.keys)
    }

    /// Counts keys of the result, with the memory that they take.
    pub fn keys(&self, count: u64) -> Result<(), Cause> {
        add(&self.root().keys, count, "keys", self.limits.keys)?;
        self.memory(count.saturating_mul(KEY_BYTES))
    }

    /// Takes back keys that were replaced by others. Their memory is free again.
    pub fn drop_keys(&self, count: u64) {
        self.root().keys.fetch_sub(count, Ordering::Relaxed);
        let mut at = Some(self);
        while let Some(budget) = at {
            budget.memory.fetch_sub(count.saturating_mul(KEY_BYTES), Ordering::Relaxed);
            at = budget.parent;
        }
    }

    /// Counts vertices, corners that may become vertices, and whatever else of a mesh takes time to read.
    pub fn vertices(&self, count: u64) -> Result<(), Cause> {
        add(&self.root().vertices, count, "vertices", self.limits.vertices)
    }

    /// Counts triangles between vertices, which share the limit of these.
    pub fn triangles(&self, count: u64) -> Result<(), Cause> {
        self.vertices(count)
    }

    /// Counts vertices of morph targets, moved or not.
    pub fn morph_deltas(&self, count: u64) -> Result<(), Cause> {
        add(&self.root().morph_deltas, count, "morph_deltas", self.limits.morph_deltas)
    }

    /// Counts steps of work whose number is a product of counts of the file.
    pub fn steps(&self, count: u64) -> Result<(), Cause> {
        add(&self.root().steps, count, "steps", self.limits.steps)
    }

    /// Counts the memory of a mesh that is part of the result.
    pub fn mesh(&self, mesh: &Mesh) -> Result<(), Cause> {
        self.meshes(mesh, 1)
    }

    /// The same for `count` meshes like one.
    pub fn meshes(&self, mesh: &Mesh, count: u64) -> Result<(), Cause> {
        let lists = bytes(&mesh.positions)
            + bytes(&mesh.normals)
            + bytes(&mesh.tangents)
            + bytes(&mesh.uvs)
            + bytes(&mesh.second_uvs)
            + bytes(&mesh.colors)
            + bytes(&mesh.influences.skin_joints)
            + bytes(&mesh.influences.weights)
            + bytes(&mesh.influences.dual_quaternion)
            + bytes(&mesh.indices)
            + bytes(&mesh.parts)
            // The number of each vertex in the source, which is kept beside the mesh.
            + (mesh.positions.len() * size_of::<u32>()) as u64;
        let skin = mesh.skin.as_ref().map_or(0, |skin| bytes(&skin.joints) + bytes(&skin.inverse_binds));
        let morphs: u64 =
            mesh.morphs.iter().map(|morph| bytes(&morph.deltas) + morph.name.len() as u64).sum();
        let one = lists + skin + morphs + (size_of::<Mesh>() + mesh.name.len()) as u64;
        self.memory(one.saturating_mul(count))
    }

    fn root(&self) -> &Budget<'p> {
        self.parent.map_or(self, Budget::root)
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        let used = *self.memory.get_mut();
        let mut at = self.parent;
        while let Some(budget) = at {
            budget.memory.fetch_sub(used, Ordering::Relaxed);
            at = budget.parent;
        }
    }
}

fn bytes<T>(list: &[T]) -> u64 {
    size_of_val(list) as u64
}

/// Adds to a count, unless that would exceed its limit. Whether it does is independent of the order of threads.
fn add(used: &AtomicU64, count: u64, name: &'static str, limit: u64) -> Result<(), Cause> {
    let sum = |used: u64| used.checked_add(count).filter(|&sum| sum <= limit);
    match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum) {
        Ok(_) => Ok(()),
        Err(used) => Err(Cause::Limit { name, found: Some(used.saturating_add(count)), limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_memory_is_given_back_and_counts_are_not() {
        let limits = Limits { memory: 100, vertices: 10, ..Limits::default() };
        let budget = Budget::new(&limits);
        budget.memory(40).unwrap();
        {
            let scratch = budget.scratch();
            scratch.memory(60).unwrap();
            scratch.vertices(7).unwrap();
            assert_eq!(budget.memory_left(), 0);
            let error = scratch.memory(1).unwrap_err().to_string();
            assert!(error.contains("`memory`: 101 where 100"), "{error}");
        }
        assert_eq!(budget.memory_left(), 60);
        assert!(budget.vertices(4).unwrap_err().to_string().contains("`vertices`: 11 where 10"));
    }

    #[test]
    fn growing_lists_are_counted_before_they_grow() {
        let limits = Limits { memory: 64, ..Limits::default() };
        let budget = Budget::new(&limits);
        let mut list: Vec<u64> = Vec::new();
        let pushed = (0..100).take_while(|&item| budget.push(&mut list, item).is_ok()).count();
        assert_eq!((pushed, list.capacity()), (8, 8));
    }

    #[test]
    fn huge_counts_do_not_wrap() {
        let budget = Budget::new(&Limits::UNLIMITED);
        budget.memory(u64::MAX - 1).unwrap();
        assert!(budget.list::<[u64; 4]>(usize::MAX).is_err());
    }
}
