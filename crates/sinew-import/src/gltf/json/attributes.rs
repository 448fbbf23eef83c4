//! What primitives hold for each vertex.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Accessors by what they hold. The same lists in two primitives mean the same vertices.
#[derive(Deserialize, Clone, PartialEq, Eq, Hash, Default)]
#[serde(rename_all = "UPPERCASE", default)]
pub(in crate::gltf) struct Attributes {
    pub(in crate::gltf) position: Option<usize>,
    pub(in crate::gltf) normal: Option<usize>,
    pub(in crate::gltf) tangent: Option<usize>,
    pub(in crate::gltf) color_0: Option<usize>,
    texcoord_0: Option<usize>,
    texcoord_1: Option<usize>,
    texcoord_2: Option<usize>,
    texcoord_3: Option<usize>,
    #[serde(flatten)]
    numbered: Numbered,
}

/// Accessors of one set of four influences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct InfluenceSet {
    joints: Option<usize>,
    weights: Option<usize>,
}

/// Attributes that there may be any number of.
#[derive(Clone, Default)]
struct Numbered {
    influences: BTreeMap<u32, InfluenceSet>,
    /// Names of attributes that are not read, the first few. Primitives have the same vertices whatever these are.
    other: Vec<String>,
}

impl Numbered {
    /// More are not named.
    const MOST_NAMES: usize = 8;

    /// Where the accessor of an attribute belongs, if it is one of influences.
    fn slot(&mut self, name: &str) -> Option<&mut Option<usize>> {
        let (kind, number) = name.split_once('_')?;
        // `JOINTS_01` is another name.
        let set = number.parse::<u32>().ok().filter(|set| set.to_string() == number)?;
        match kind {
            "JOINTS" => Some(&mut self.influences.entry(set).or_default().joints),
            "WEIGHTS" => Some(&mut self.influences.entry(set).or_default().weights),
            _ => None,
        }
    }
}

impl PartialEq for Numbered {
    fn eq(&self, other: &Self) -> bool {
        self.influences == other.influences
    }
}

impl Eq for Numbered {}

impl Hash for Numbered {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.influences.hash(state);
    }
}

impl<'de> Deserialize<'de> for Numbered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByName;
        impl<'de> Visitor<'de> for ByName {
            type Value = Numbered;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("accessors by what they hold")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut numbered = Numbered::default();
                while let Some(name) = map.next_key::<String>()? {
                    if let Some(slot) = numbered.slot(&name) {
                        *slot = map.next_value()?;
                        continue;
                    }
                    map.next_value::<IgnoredAny>()?;
                    if numbered.other.len() < Numbered::MOST_NAMES {
                        numbered.other.push(name.chars().take(64).collect());
                    }
                }
                Ok(numbered)
            }
        }
        deserializer.deserialize_map(ByName)
    }
}

impl Attributes {
    /// All that `other` names: each with its place here, and what it is there.
    pub(in crate::gltf) fn named_by(&mut self, other: &Self) -> Vec<(&mut Option<usize>, usize)> {
        for set in other.numbered.influences.keys() {
            self.numbered.influences.entry(*set).or_default();
        }
        let both = [
            (&mut self.position, other.position),
            (&mut self.normal, other.normal),
            (&mut self.tangent, other.tangent),
            (&mut self.color_0, other.color_0),
            (&mut self.texcoord_0, other.texcoord_0),
            (&mut self.texcoord_1, other.texcoord_1),
            (&mut self.texcoord_2, other.texcoord_2),
            (&mut self.texcoord_3, other.texcoord_3),
        ];
        let sets = self.numbered.influences.iter_mut().flat_map(|(number, set)| {
            let other = other.numbered.influences.get(number).copied().unwrap_or_default();
            [(&mut set.joints, other.joints), (&mut set.weights, other.weights)]
        });
        both.into_iter().chain(sets).filter_map(|(place, other)| Some((place, other?))).collect()
    }

    /// Names of those that a mesh with two sets of texture coordinates does not keep.
    pub(in crate::gltf) fn left_out(&self, uv_sets: [usize; 2], is_skinned: bool) -> Vec<String> {
        let uvs = (0..4).filter(|set| !uv_sets.contains(set) && self.texcoord(*set).is_some());
        let uvs = uvs.map(|set| format!("TEXCOORD_{set}"));
        let influences: Vec<String> = if is_skinned {
            let sets = self.numbered.influences.iter();
            let alone = sets.filter_map(|(number, set)| match (set.joints, set.weights) {
                (Some(_), None) => Some(format!("JOINTS_{number} without WEIGHTS_{number}")),
                (None, Some(_)) => Some(format!("WEIGHTS_{number} without JOINTS_{number}")),
                _ => None,
            });
            alone.take(Numbered::MOST_NAMES).collect()
        } else {
            let first = self.numbered.influences.keys().next();
            first.map(|number| format!("JOINTS_{number} without a skin")).into_iter().collect()
        };
        uvs.chain(influences).chain(self.numbered.other.iter().cloned()).collect()
    }

    pub(in crate::gltf) fn texcoord(&self, set: usize) -> Option<usize> {
        *[self.texcoord_0, self.texcoord_1, self.texcoord_2, self.texcoord_3].get(set)?
    }

    /// Accessors of joints and weights, of all sets that have both.
    pub(in crate::gltf) fn influences(&self) -> impl Iterator<Item = (usize, usize)> {
        self.numbered.influences.values().filter_map(|set| set.joints.zip(set.weights))
    }
}
