//! A document as a character.

use super::address::Address;
use super::archive::{self, Opened};
use super::clip::RawClip;
use super::material::Materials;
use super::mesh::{self, MorphPlan, Shown, Surroundings};
use super::raw::Document;
use super::scene::{Marks, Scene};
use super::stack::rows;
use super::target::{ClipTarget, TargetNode, TargetWeight};
use super::text;
use super::xml::Xml;
use crate::decompose::{Trs, split};
use crate::space::{Conversion, SourceSpace};
use crate::textures::Lookup;
use crate::{Cause, Imported, Options, findings, limits};
use glam::{DAffine3, DQuat, DVec3};
use sinew::character::CharacterData;
use sinew::{Axis, Character, ClipLibrary, Finding, Joint, Mesh, Scalar, Skeleton};
use std::path::Path;

/// Reads a document. `path` names it and says where its pictures are.
pub fn import(bytes: &[u8], path: &Path, options: &Options) -> Result<Imported, Cause> {
    let opened = archive::open(bytes, &options.limits)?;
    let decoded = text::decode(opened.document());
    let mut findings = Vec::new();
    if decoded.guessed {
        let message = "the document is neither UTF-8 nor UTF-16 and was read byte by byte";
        findings.push(Finding::new(&findings::ENCODING, "document", message));
    }
    let xml = Xml::parse(&decoded.text, &options.limits)?;
    let Some(root) = xml.root() else { return Err(Cause::malformed("the document is empty", "")) };
    let document = Document::read(root)?;
    if document.scenes.items.is_empty() {
        return Err(if document.animations.is_empty() {
            root.error("the document has no scene")
        } else {
            Cause::ClipsOnly
        });
    }
    Importer { document: &document, opened: &opened, path, options, findings }.run()
}

struct Importer<'i, 'd> {
    document: &'i Document<'d>,
    opened: &'i Opened<'i>,
    path: &'i Path,
    options: &'i Options,
    findings: Vec<Finding>,
}

impl<'i, 'd> Importer<'i, 'd> {
    fn run(mut self) -> Result<Imported, Cause> {
        let scene = Scene::new(self.document, &self.options.limits)?;
        let conversion =
            Conversion::new(&source_space(self.document, &mut self.findings), self.options.space);
        let shown = mesh::shown(self.document, &scene, &mut self.findings)?;
        let plans = self.morph_plans(&shown)?;
        let raw_clip = RawClip::read(self.document, &self.options.limits)?;
        let mut target = clip_target(&scene, &plans, conversion);
        let animated: Vec<usize> = raw_clip.moved_nodes(&target).collect();
        let joints = self.joints(&scene, &shown, &animated)?;
        for (node, slot) in target.nodes.iter_mut().zip(&joints.of_node) {
            node.joint = slot.map(|s| s.joint);
            node.inner = slot.and_then(|s| s.inner);
        }
        let skeleton = self.skeleton(&scene, &joints, &conversion, &plans)?;
        let mut materials = Materials::new(
            self.document,
            self.opened,
            Lookup::new(self.path, &self.options.textures, &self.options.limits),
        );
        let meshes = self.meshes(&scene, &shown, &joints, &conversion, &plans, &mut materials)?;
        target.parents = skeleton.parents().to_vec();
        target.rest = joints
            .locals
            .iter()
            .zip(skeleton.parents())
            .map(|(trs, &parent)| conversion.local(parent == sinew::NO_JOINT, trs))
            .collect();
        target.scalars = skeleton.rest().scalars().to_vec();
        target.diagonal = diagonal(&skeleton, &meshes);
        let bound = raw_clip.bind(&target, self.options)?;
        self.findings.extend(bound.findings);
        let name = self.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let character = Character::new(CharacterData {
            name,
            skeleton,
            meshes,
            materials: materials.materials,
            textures: materials.textures,
            clips: ClipLibrary::new(bound.clips),
            space: conversion.space(),
        })?;
        Ok(Imported {
            character,
            evaluator: bound.evaluator,
            findings: self.findings,
            clip_target: Some(target),
        })
    }

    /// The morphs that are shown, each once, and the scalars that their weights become.
    fn morph_plans(&self, shown: &[Shown<'i, 'd>]) -> Result<Vec<MorphPlan>, Cause> {
        let mut plans: Vec<MorphPlan> = Vec::new();
        let mut scalars = 0usize;
        for (controller, morph) in shown.iter().filter_map(|s| s.morph) {
            if plans.iter().any(|p| Some(p.controller.as_str()) == controller.id) {
                continue;
            }
            let Ok(first) = u16::try_from(scalars) else {
                return Err(controller.element.error("there are more morph weights than can be numbered"));
            };
            let plan = MorphPlan::read(controller, morph, self.document, first)?;
            scalars += plan.targets.len();
            plans.push(plan);
        }
        Ok(plans)
    }

    /// Which nodes become joints, and where they rest.
    fn joints(
        &mut self,
        scene: &Scene<'i, 'd>,
        shown: &[Shown<'i, 'd>],
        animated: &[usize],
    ) -> Result<Joints, Cause> {
        let mut marks = Marks::new(scene);
        let typed = (0..scene.nodes.len()).filter(|&i| scene.nodes.get(i).is_some_and(|n| n.raw.is_joint));
        let of_skins = shown.iter().flat_map(|s| s.skin.iter().flat_map(|skin| skin.nodes.iter().copied()));
        let bare = mesh::bare_skin_joints(self.document, scene)?;
        let mut moving: Vec<usize> =
            typed.chain(of_skins).chain(animated.iter().copied()).chain(bare).collect();
        moving.sort_unstable();
        moving.dedup();
        let mut marked_to = 0;
        for node in moving {
            // What lies inside of a subtree that is marked is marked already.
            if node >= marked_to {
                marks.mark_with_descendants(scene, node);
                marked_to = scene.nodes.get(node).map_or(marked_to, |n| n.end);
            }
        }
        shown.iter().for_each(|s| marks.mark(s.node));
        marks.mark_ancestors(scene);
        let mut joints = Joints::default();
        let mut unnamed = 0;
        for (index, node) in scene.nodes.iter().enumerate() {
            let slot = if marks.has(index) {
                unnamed += usize::from(node.raw.name.or(node.raw.sid).or(node.raw.id).is_none());
                Some(joints.add(
                    node.parent,
                    &node.name,
                    index,
                    node.stack.trs().trs,
                    &node.stack.matrix(),
                    !animated.contains(&index),
                    &mut self.findings,
                ))
            } else {
                None
            };
            joints.of_node.push(slot);
            let above = node.parent.and_then(|p| joints.world.get(p).copied()).unwrap_or_default();
            joints.world.push(above * node.stack.matrix());
        }
        limits::check("joints", joints.locals.len() as u64, self.options.limits.joints)?;
        if unnamed > 0 {
            let message = format!("{unnamed} nodes have neither name nor id");
            self.findings.push(Finding::new(&findings::NODE_UNNAMED, "scene", message).count(unnamed));
        }
        Ok(joints)
    }

    fn skeleton(
        &self,
        scene: &Scene<'i, 'd>,
        joints: &Joints,
        conversion: &Conversion,
        plans: &[MorphPlan],
    ) -> Result<Skeleton, Cause> {
        let list = joints.data.iter().zip(&joints.locals).map(|(data, local)| Joint {
            name: data.name.clone(),
            parent: data.parent,
            rest: conversion.local(data.parent.is_none(), local).to_transform(),
            source: data.node as u32,
            helper: data.helper,
        });
        let _ = scene;
        let weights = plans.iter().flat_map(|plan| plan.targets.iter().zip(&plan.weights));
        let scalars = weights.map(|(id, &rest)| {
            let geometry = self.document.geometries.get(id);
            Scalar { name: geometry.and_then(|g| g.name.or(g.id)).unwrap_or(id).to_owned(), rest }
        });
        Ok(Skeleton::new(list.collect(), scalars.collect())?)
    }

    fn meshes(
        &mut self,
        scene: &Scene<'i, 'd>,
        shown: &[Shown<'i, 'd>],
        joints: &Joints,
        conversion: &Conversion,
        plans: &[MorphPlan],
        materials: &mut Materials<'i, 'd>,
    ) -> Result<Vec<Mesh>, Cause> {
        let mut meshes = Vec::new();
        let mut used = 0;
        for shown in shown {
            let symbols = shown.geometry.primitives.iter().filter_map(|p| p.material);
            let bindings = materials.bind(shown.instance, symbols, &mut self.findings)?;
            let around = Surroundings {
                joint_of: &|node| joints.of_node.get(node).copied().flatten().map(|s| s.leaf),
                world: &joints.world,
                conversion,
                options: self.options,
                material: &|symbol| bindings.material(symbol),
                uv_set: &|symbol| bindings.uv_set(symbol),
            };
            let mesh = mesh::build(shown, self.document, &around, plans, &mut used, &mut self.findings)?;
            if mesh.positions.is_empty() {
                let place = scene.nodes.get(shown.node).map_or("", |n| n.name.as_str());
                let message = format!("the geometry `{}` has no vertices", mesh.name);
                self.findings.push(Finding::new(&findings::MESH_UNUSED, place, message));
                continue;
            }
            meshes.push(mesh);
        }
        let shown_ids = shown.iter().filter_map(|s| s.geometry.id);
        let targets = plans.iter().flat_map(|p| p.targets.iter().map(String::as_str));
        let known: std::collections::HashSet<&str> = shown_ids.chain(targets).collect();
        for geometry in &self.document.geometries.items {
            if !geometry.id.is_some_and(|id| known.contains(id)) {
                let message = "no node shows the geometry";
                let place = geometry.id.or(geometry.name).unwrap_or("geometry");
                self.findings.push(Finding::new(&findings::MESH_UNUSED, place, message));
            }
        }
        Ok(meshes)
    }
}

/// The joints as they come about.
#[derive(Default)]
struct Joints {
    data: Vec<JointData>,
    /// Rest of each joint in the document's axes.
    locals: Vec<Trs>,
    /// What became of each node.
    of_node: Vec<Option<Slot>>,
    /// Rest of each node in model space.
    world: Vec<DAffine3>,
}

struct JointData {
    name: String,
    parent: Option<u16>,
    node: usize,
    helper: bool,
}

#[derive(Clone, Copy)]
struct Slot {
    joint: u16,
    /// Where children, skins and meshes hang: the joint, or the helper below it.
    leaf: u16,
    /// What the helper holds.
    inner: Option<DQuat>,
}

impl Joints {
    #[allow(clippy::too_many_arguments, reason = "all of it describes one node")]
    fn add(
        &mut self,
        parent: Option<usize>,
        name: &str,
        node: usize,
        nearest: Trs,
        matrix: &DAffine3,
        is_still: bool,
        findings: &mut Vec<Finding>,
    ) -> Slot {
        let parent = parent.and_then(|p| self.of_node.get(p).copied().flatten()).map(|s| s.leaf);
        let off = max_difference(&nearest.to_affine(), matrix);
        let size = max_difference(matrix, &DAffine3::from_translation(matrix.translation)).max(1.0);
        let is_sheared = findings::NODE_SHEAR.threshold.is_some_and(|t| off > t * size);
        if !is_sheared {
            let joint = self.push(name.to_owned(), parent, node, false, nearest);
            return Slot { joint, leaf: joint, inner: None };
        }
        if !is_still {
            let message = "the node moves and shears; the nearest transform without shear was taken";
            findings.push(Finding::new(&findings::NODE_SHEAR, name, message).measured(off / size));
            let joint = self.push(name.to_owned(), parent, node, false, nearest);
            return Slot { joint, leaf: joint, inner: None };
        }
        let parts = split(matrix);
        let joint = self.push(name.to_owned(), parent, node, false, parts.outer);
        let helper = format!("{name}$scale");
        let inner = Trs { rotation: parts.inner, ..Trs::IDENTITY };
        let leaf = self.push(helper, Some(joint), node, true, inner);
        let message = "the node shears; a helper joint below it holds what one transform cannot";
        findings.push(Finding::new(&findings::NODE_SHEAR_SPLIT, name, message).measured(off / size));
        Slot { joint, leaf, inner: Some(parts.inner) }
    }

    fn push(&mut self, name: String, parent: Option<u16>, node: usize, helper: bool, local: Trs) -> u16 {
        // Too many are refused by the skeleton before any number is used.
        let joint = u16::try_from(self.data.len()).unwrap_or(u16::MAX);
        self.data.push(JointData { name, parent, node, helper });
        self.locals.push(local);
        joint
    }
}

fn max_difference(a: &DAffine3, b: &DAffine3) -> f64 {
    rows(a).iter().zip(rows(b)).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}

fn source_space(document: &Document<'_>, findings: &mut Vec<Finding>) -> SourceSpace {
    let up = document.up.unwrap_or_default();
    let (right, front) = match up {
        Axis::PlusX => (Axis::MinusY, Axis::PlusZ),
        Axis::PlusZ => (Axis::PlusX, Axis::MinusY),
        _ => (Axis::PlusX, Axis::PlusZ),
    };
    let space = SourceSpace { right, up, front, unit_meters: document.unit_meters.unwrap_or(1.0) };
    if !space.is_valid() {
        let message = format!("a unit of {} metres is no length", space.unit_meters);
        findings.push(Finding::new(&findings::SPACE_INVALID, "document", message));
        return SourceSpace { unit_meters: 1.0, ..space };
    }
    space
}

fn clip_target(scene: &Scene<'_, '_>, plans: &[MorphPlan], conversion: Conversion) -> ClipTarget {
    let nodes = scene.nodes.iter().map(|node| TargetNode {
        id: node.raw.id.map(str::to_owned),
        sid: node.raw.sid.map(str::to_owned),
        name: node.raw.name.map(str::to_owned),
        parent: node.parent,
        stack: node.stack.clone(),
        joint: None,
        inner: None,
    });
    let weights = plans.iter().flat_map(|plan| {
        (0u16..).zip(&plan.targets).map(move |(index, _)| TargetWeight {
            ids: plan.weight_ids.clone(),
            index: usize::from(index),
            scalar: plan.first_scalar.saturating_add(index),
        })
    });
    ClipTarget::new(nodes.collect(), &weights.collect::<Vec<_>>(), conversion)
}

/// Diagonal of the box around all vertices at rest, by the strongest influence of each; without meshes around the joints.
fn diagonal(skeleton: &Skeleton, meshes: &[Mesh]) -> f64 {
    let mut model = vec![glam::Affine3::IDENTITY; skeleton.len()];
    let rest = skeleton.rest();
    let root = glam::Affine3::IDENTITY;
    // The slices have the skeleton's own length.
    let _ = sinew::job::local_to_model(skeleton.parents(), rest.blocks(), &root, &mut model);
    let mut bounds: Option<(DVec3, DVec3)> = None;
    let mut add = |point: glam::Vec3| {
        let point = point.as_dvec3();
        let (low, high) = bounds.unwrap_or((point, point));
        bounds = Some((low.min(point), high.max(point)));
    };
    for mesh in meshes {
        let mut matrices = vec![glam::Affine3::IDENTITY; mesh.slot_count()];
        let _ = mesh.skin_matrices(&model, &mut matrices);
        for (vertex, &position) in mesh.positions.iter().enumerate() {
            let strongest = mesh.influences.slots.get(vertex * mesh.influences.per_vertex);
            let slot = strongest.filter(|_| mesh.skin.is_some()).map_or(0, |&s| usize::from(s));
            let matrix = matrices.get(slot).copied().unwrap_or(glam::Affine3::IDENTITY);
            add(matrix.transform_point3(position));
        }
    }
    if meshes.is_empty() {
        model.iter().for_each(|m| add(m.translation));
    }
    let diagonal = bounds.map_or(0.0, |(low, high)| low.distance(high));
    if diagonal > 0.0 && diagonal.is_finite() { diagonal } else { 1.0 }
}

impl RawClip {
    /// Nodes of a character that channels lead to.
    fn moved_nodes<'c>(&'c self, target: &'c ClipTarget) -> impl Iterator<Item = usize> + 'c {
        self.targets().filter_map(|text| {
            let address = Address::parse(text);
            address.item.and_then(|_| target.find(&address))
        })
    }
}
