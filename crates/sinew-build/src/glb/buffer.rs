//! The binary chunk, and its views and accessors.

use bytemuck::{NoUninit, cast_slice};
use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use serde_json::{Map, Value, json};

/// An element type of an accessor.
pub(super) trait Element: NoUninit {
    const TYPE: &'static str;
    const COMPONENT: u32;
}

macro_rules! elements {
    ($($element:ty: $name:literal, $component:expr;)*) => {
        $(impl Element for $element { const TYPE: &'static str = $name; const COMPONENT: u32 = $component; })*
    };
}

const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

elements! {
    u16: "SCALAR", U16;
    u32: "SCALAR", U32;
    f32: "SCALAR", F32;
    Vec2: "VEC2", F32;
    Vec3: "VEC3", F32;
    Vec4: "VEC4", F32;
    Quat: "VEC4", F32;
    Mat4: "MAT4", F32;
    [u16; 4]: "VEC4", U16;
    [f32; 4]: "VEC4", F32;
}

/// What a view is for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    Vertices,
    Indices,
    Data,
}

#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// A view of some bytes, aligned to four.
    pub(super) fn view(&mut self, bytes: &[u8], purpose: Use) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        match purpose {
            Use::Vertices => view["target"] = json!(34962),
            Use::Indices => view["target"] = json!(34963),
            Use::Data => {}
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.views.len() - 1
    }

    /// An accessor with its own view.
    pub(super) fn accessor<T: Element>(&mut self, values: &[T], purpose: Use) -> usize {
        let mut accessor = head::<T>(values.len());
        accessor["bufferView"] = json!(self.view(cast_slice(values), purpose));
        self.push(accessor)
    }

    /// The same with the smallest and largest value of each component.
    pub(super) fn bounded<T: Element>(&mut self, values: &[T], purpose: Use) -> usize {
        let accessor = self.accessor(values, purpose);
        set_bounds(&mut self.accessors[accessor], values);
        accessor
    }

    /// A sparse accessor: zeros except for some elements, sorted by index.
    pub(super) fn sparse(&mut self, count: usize, indices: &[u32], values: &[Vec3], bounded: bool) -> usize {
        let mut accessor = head::<Vec3>(count);
        if !indices.is_empty() {
            let (indices_view, values_view) =
                (self.view(cast_slice(indices), Use::Data), self.view(cast_slice(values), Use::Data));
            accessor["sparse"] = json!({
                "count": indices.len(),
                "indices": { "bufferView": indices_view, "componentType": U32 },
                "values": { "bufferView": values_view },
            });
        }
        if bounded {
            let mut all = values.to_vec();
            all.extend((indices.len() < count).then_some(Vec3::ZERO));
            set_bounds(&mut accessor, &all);
        }
        self.push(accessor)
    }

    /// An accessor of zeros, which takes no space.
    pub(super) fn zeros<T: Element>(&mut self, count: usize) -> usize {
        self.push(head::<T>(count))
    }

    fn push(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

fn head<T: Element>(count: usize) -> Value {
    json!({ "componentType": T::COMPONENT, "count": count, "type": T::TYPE })
}

fn set_bounds<T: Element>(accessor: &mut Value, values: &[T]) {
    let components = size_of::<T>() / size_of::<f32>();
    let numbers: &[f32] = cast_slice(values);
    let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
        let column = |c| numbers.iter().skip(c).step_by(components).copied().reduce(pick);
        // Which of two zeros is the smaller one differs between machines: adding zero makes both positive.
        (0..components).map(|c| column(c).unwrap_or(0.0) + 0.0).collect()
    };
    accessor["min"] = json!(bound(f32::min));
    accessor["max"] = json!(bound(f32::max));
}

/// An object without the fields that are null.
pub(super) fn object(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::Object(map.into_iter().filter(|(_, v)| !v.is_null()).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// A name, unless it is empty.
pub(super) fn named(name: &str) -> Value {
    if name.is_empty() { Value::Null } else { json!(name) }
}
