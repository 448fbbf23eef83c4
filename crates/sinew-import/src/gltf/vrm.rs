//! What VRM adds to glTF: roles of nodes, expressions, and in VRMA nodes that stand for expressions.

use super::container::File;
use super::json::Document;
use super::rig::Rig;
use crate::vrm::{EXPRESSION_PREFIX, Expression, Vrm, VrmVersion};
use crate::{Cause, findings};
use glam::Vec3;
use serde_json::{Map, Value};
use sinew::{AlphaMode, Finding, Material, NO_JOINT, Scalar};
use std::collections::{BTreeSet, HashMap};

/// Names of version 0 that version 1.0 has changed: presets of expressions, …
const PRESETS: [(&str, &str); 16] = [
    ("joy", "happy"),
    ("angry", "angry"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
    ("lookup", "lookUp"),
    ("lookdown", "lookDown"),
    ("lookleft", "lookLeft"),
    ("lookright", "lookRight"),
    ("surprised", "surprised"),
];

/// … and joints of the thumb.
const THUMBS: [(&str, &str); 2] =
    [("ThumbProximal", "ThumbMetacarpal"), ("ThumbIntermediate", "ThumbProximal")];

/// Whether a file is of version 0, whose models face −Z.
pub(super) fn faces_back(document: &Document) -> bool {
    document.extensions.vrm0.is_some() && document.extensions.vrm1.is_none()
}

/// The names of the expressions of a VRMA file, and the nodes that stand for them.
pub(super) fn expression_nodes(document: &Document) -> Vec<(String, usize)> {
    let Some(animation) = &document.extensions.vrma else { return Vec::new() };
    let groups =
        ["preset", "custom"].iter().filter_map(|group| object(animation.get("expressions")?.get(*group)));
    let named = groups.flatten().filter_map(|(name, value)| Some((name.clone(), number(value.get("node"))?)));
    named.collect()
}

/// Reads what a file says of its humanoid, and adds scalars for its expressions; nothing for a file that is not VRM.
pub(super) fn read(
    file: &File<'_>,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> Result<Option<Vrm>, Cause> {
    let extensions = &file.document.extensions;
    let mut vrm = match (&extensions.vrm1, &extensions.vrm0, &extensions.vrma) {
        (Some(source), _, _) => Reader::new(file, rig, "VRMC_vrm").version_1(source, findings)?,
        (None, Some(source), _) => Reader::new(file, rig, "VRM").version_0(source, findings)?,
        (None, None, Some(source)) => Reader::new(file, rig, "VRMC_vrm_animation").animation(source)?,
        (None, None, None) => return Ok(None),
    };
    vrm.roles.sort();
    report(&file.document, findings);
    Ok(Some(vrm))
}

struct Reader<'a> {
    file: &'a File<'a>,
    rig: &'a mut Rig,
    /// Of the extension.
    name: &'static str,
    /// Morph targets of each mesh.
    targets: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(file: &'a File<'a>, rig: &'a mut Rig, name: &'static str) -> Self {
        let meshes = file.document.meshes.iter();
        let most = meshes.map(|mesh| mesh.primitives.iter().map(|primitive| primitive.targets.len()).max());
        Self { targets: most.map(Option::unwrap_or_default).collect(), file, rig, name }
    }

    fn version_1(mut self, source: &Value, findings: &mut Vec<Finding>) -> Result<Vrm, Cause> {
        let roles = self.roles(source)?;
        let mut expressions = Vec::new();
        let groups =
            ["preset", "custom"].iter().filter_map(|group| object(source.get("expressions")?.get(*group)));
        for (name, value) in groups.flatten() {
            let mut morphs = Vec::new();
            for bind in list(value.get("morphTargetBinds")) {
                let node = number(bind.get("node")).unwrap_or(usize::MAX);
                let mesh = self.file.document.nodes.get(node).and_then(|node| node.mesh);
                morphs.extend(self.morph(mesh, &[node], bind, 1.0, name)?);
            }
            let other = ["materialColorBinds", "textureTransformBinds"];
            let lost = other.iter().map(|key| list(value.get(*key)).count()).sum::<usize>();
            report_lost(name, lost, findings);
            let is_binary = value.get("isBinary").and_then(Value::as_bool).unwrap_or(false);
            expressions.push(self.expression(name, morphs, is_binary)?);
        }
        Ok(Vrm {
            version: VrmVersion::V1,
            roles,
            expressions,
            first_person: source.get("firstPerson").cloned().unwrap_or_default(),
            look_at: source.get("lookAt").cloned().unwrap_or_default(),
            meta: source.get("meta").cloned().unwrap_or_default(),
        })
    }

    fn version_0(mut self, source: &Value, findings: &mut Vec<Finding>) -> Result<Vrm, Cause> {
        let mut roles = Roles::default();
        for bone in list(source.get("humanoid").and_then(|humanoid| humanoid.get("humanBones"))) {
            let name = bone.get("bone").and_then(Value::as_str).unwrap_or_default();
            // Some exporters list roles that no node has.
            if bone.get("node").is_none_or(|node| node.is_null() || node.as_i64() == Some(-1)) {
                continue;
            }
            let renamed =
                THUMBS.iter().find_map(|(old, new)| Some(format!("{}{new}", name.strip_suffix(old)?)));
            roles.add(&self, renamed.unwrap_or_else(|| name.to_owned()), bone.get("node"))?;
        }
        let mut expressions = Vec::new();
        let groups = source.get("blendShapeMaster").and_then(|master| master.get("blendShapeGroups"));
        let mut shown: HashMap<usize, Vec<usize>> = HashMap::new();
        for (node, mesh) in
            (0..).zip(&self.file.document.nodes).filter_map(|(at, node)| Some((at, node.mesh?)))
        {
            shown.entry(mesh).or_default().push(node);
        }
        for group in list(groups) {
            let text = |key: &str| group.get(key).and_then(Value::as_str).unwrap_or_default();
            let preset = text("presetName").to_ascii_lowercase();
            let known = PRESETS.iter().find(|(old, _)| *old == preset).map(|(_, new)| *new);
            let own = ["", "unknown"].contains(&preset.as_str());
            let name = if own { text("name") } else { known.unwrap_or(&preset) }.to_owned();
            let mut morphs = Vec::new();
            for bind in list(group.get("binds")) {
                let mesh = number(bind.get("mesh"));
                let nodes = mesh.and_then(|mesh| shown.get(&mesh)).map_or(&[][..], Vec::as_slice);
                morphs.extend(self.morph(mesh, nodes, bind, 0.01, &name)?);
            }
            report_lost(&name, list(group.get("materialValues")).count(), findings);
            let is_binary = group.get("isBinary").and_then(Value::as_bool).unwrap_or(false);
            expressions.push(self.expression(&name, morphs, is_binary)?);
        }
        // The two are one object in version 0.
        let first_person = source.get("firstPerson").cloned().unwrap_or_default();
        Ok(Vrm {
            version: VrmVersion::V0,
            roles: roles.found,
            expressions,
            look_at: first_person.clone(),
            first_person,
            meta: source.get("meta").cloned().unwrap_or_default(),
        })
    }

    fn animation(mut self, source: &Value) -> Result<Vrm, Cause> {
        let roles = self.roles(source)?;
        let mut expressions = Vec::new();
        for (name, node) in expression_nodes(&self.file.document) {
            if !self.rig.is_still(node) {
                let what =
                    format!("node {node} cannot stand for an expression: it has children, a mesh or a role");
                return Err(Cause::malformed(what, self.place(&name)));
            }
            let expression = self.expression(&name, vec![], false)?;
            self.rig.expressions.push((node, expression.scalar));
            expressions.push(expression);
        }
        let look_at = source.get("lookAt").cloned().unwrap_or_default();
        Ok(Vrm { version: VrmVersion::Animation, roles, expressions, look_at, ..Vrm::default() })
    }

    /// Roles as version 1.0 and VRMA write them.
    fn roles(&self, source: &Value) -> Result<Vec<(String, u16)>, Cause> {
        let mut roles = Roles::default();
        let bones = object(source.get("humanoid").and_then(|humanoid| humanoid.get("humanBones")));
        for (role, bone) in bones.into_iter().flatten() {
            roles.add(self, role.clone(), bone.get("node"))?;
        }
        Ok(roles.found)
    }

    /// The scalars of a morph target of a mesh on some nodes, with the weight that an expression gives it. Nodes outside the scene have none.
    fn morph(
        &self,
        mesh: Option<usize>,
        nodes: &[usize],
        bind: &Value,
        unit: f64,
        name: &str,
    ) -> Result<Vec<(u16, f32)>, Cause> {
        let targets = mesh.and_then(|mesh| self.targets.get(mesh)).copied().unwrap_or(0);
        let index = number(bind.get("index")).filter(|index| *index < targets);
        let Some(index) = index.and_then(|index| u16::try_from(index).ok()) else {
            return Err(Cause::malformed(
                "it refers to a morph target that does not exist",
                self.place(name),
            ));
        };
        let weight = (bind.get("weight").and_then(Value::as_f64).unwrap_or(0.0) * unit) as f32;
        // Lists grow by doubling, and the two are held at once.
        self.file.budget.list::<[(u16, f32); 3]>(nodes.len())?;
        self.file.budget.steps(nodes.len() as u64)?;
        let first = |node: &usize| self.rig.first_scalar.get(*node).copied().flatten();
        let scalars = nodes.iter().filter_map(first).filter_map(|first| first.checked_add(index));
        Ok(scalars.filter(|_| weight.is_finite()).map(|scalar| (scalar, weight)).collect())
    }

    fn expression(
        &mut self,
        name: &str,
        morphs: Vec<(u16, f32)>,
        is_binary: bool,
    ) -> Result<Expression, Cause> {
        let scalar = u16::try_from(self.rig.scalars.len());
        let scalar =
            scalar.map_err(|_| Cause::malformed("there are too many expressions", self.place(name)))?;
        self.file.budget.memory(super::rig::SCALAR_BYTES + name.len() as u64)?;
        self.rig.scalars.push(Scalar { name: format!("{EXPRESSION_PREFIX}{name}"), rest: 0.0 });
        Ok(Expression { name: name.to_owned(), scalar, morphs, is_binary })
    }

    fn place(&self, what: &str) -> String {
        format!("extension `{}`, `{what}`", self.name)
    }
}

#[derive(Default)]
struct Roles {
    found: Vec<(String, u16)>,
    joints: BTreeSet<u16>,
    names: BTreeSet<String>,
}

impl Roles {
    fn add(&mut self, reader: &Reader<'_>, role: String, node: Option<&Value>) -> Result<(), Cause> {
        let joint = number(node).map_or(NO_JOINT, |node| reader.rig.joint(node));
        if joint == NO_JOINT {
            return Err(Cause::malformed(
                "its node does not exist, or is not in the scene",
                reader.place(&role),
            ));
        }
        if !self.joints.insert(joint) || !self.names.insert(role.clone()) {
            return Err(Cause::malformed("a node has two roles, or a role two nodes", reader.place(&role)));
        }
        self.found.push((role, joint));
        Ok(())
    }
}

/// What moves by itself in programs that know VRM, and here does not.
fn report(document: &Document, findings: &mut Vec<Finding>) {
    let extensions = &document.extensions;
    let springs = extensions.springs.as_ref().map_or(0, |springs| list(springs.get("springs")).count());
    let groups =
        |vrm: &Value| list(vrm.get("secondaryAnimation").and_then(|all| all.get("boneGroups"))).count();
    let springs = springs + extensions.vrm0.as_ref().map_or(0, |vrm| groups(vrm));
    let constraints = document.nodes.iter().filter(|node| node.extensions.constraint.is_some()).count();
    if springs > 0 {
        let message = "hair or cloth that swings by itself stays still".to_owned();
        findings.push(Finding::new(&findings::VRM_SPRINGS, "the file", message).count(springs));
    }
    if constraints > 0 {
        let message = "joints that follow others stay as the clip has them".to_owned();
        findings.push(Finding::new(&findings::VRM_CONSTRAINTS, "the file", message).count(constraints));
    }
}

fn report_lost(expression: &str, count: usize, findings: &mut Vec<Finding>) {
    if count > 0 {
        let message = "it changes materials, which was left out".to_owned();
        let place = format!("expression `{expression}`");
        findings.push(Finding::new(&findings::VRM_EXPRESSION, place, message).count(count));
    }
}

/// Takes over what of MToon our materials have: which side is seen, and how alpha counts. Light is without gloss.
pub(super) fn toon(document: &Document, materials: &mut [Material], findings: &mut Vec<Finding>) {
    let properties = document.extensions.vrm0.as_ref().map(|vrm| list(vrm.get("materialProperties")));
    let mut count = 0;
    for (material, source) in materials.iter_mut().zip(properties.into_iter().flatten()) {
        if source.get("shader").and_then(Value::as_str) != Some("VRM/MToon") {
            continue;
        }
        count += 1;
        let float = |key: &str| source.get("floatProperties")?.get(key)?.as_f64();
        material.two_sided |= float("_CullMode") == Some(0.0);
        match float("_BlendMode") {
            Some(1.0) => {
                let cutoff = float("_Cutoff").unwrap_or(0.5) as f32;
                material.alpha = AlphaMode::Mask(if cutoff.is_finite() { cutoff } else { 0.5 });
            }
            Some(mode) if mode >= 2.0 => material.alpha = AlphaMode::Blend,
            _ => {}
        }
        (material.metallic, material.roughness) = (0.0, 1.0);
        let emission = source.get("vectorProperties").and_then(|vectors| vectors.get("_EmissionColor"));
        brighten(material, emission);
    }
    for (material, source) in materials.iter_mut().zip(&document.materials) {
        if source.extensions.toon.is_some() {
            count += 1;
            (material.metallic, material.roughness) = (0.0, 1.0);
        }
    }
    if count > 0 {
        let message = "colours of shadow, rims and outlines of MToon were left out".to_owned();
        findings.push(Finding::new(&findings::VRM_MTOON, "materials", message).count(count));
    }
}

/// Emission brighter than white, which the material of glTF beside it holds up to white only.
fn brighten(material: &mut Material, emission: Option<&Value>) {
    let parts: Vec<f32> = list(emission).filter_map(Value::as_f64).map(|part| part as f32).collect();
    let [r, g, b, ..] = parts[..] else { return };
    let color = Vec3::new(r, g, b).max(Vec3::ZERO);
    let strength = color.max_element();
    if strength > 1.0 && strength.is_finite() && material.emissive != Vec3::ZERO {
        (material.emissive, material.emissive_strength) = (color / strength, strength);
    }
}

fn object(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value?.as_object()
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn number(value: Option<&Value>) -> Option<usize> {
    usize::try_from(value?.as_u64()?).ok()
}
