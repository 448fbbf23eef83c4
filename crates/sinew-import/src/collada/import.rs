//! A document as a character.

use super::address::Address;
use super::archive::{self, Opened};
use super::clip::RawClip;
use super::clip_nodes::{ClipNode, ClipNodes, ClipWeight};
use super::joints::{JointData, Joints};
use super::material::{Bindings, Materials};
use super::mesh::{self, MorphPlan, MorphPlans, Shown, Surroundings, Triangles};
use super::raw::Document;
use super::scene::Scene;
use super::text;
use super::xml::Xml;
use crate::decompose::Trs;
use crate::size::rest_size;
use crate::space::{Conversion, SourceSpace};
use crate::textures::Lookup;
use crate::{Budget, Cause, Imported, Options, SourceInfo, SourceJoint, cameras_lights, findings, limits};
use sinew::CharacterData;
use sinew::{Axis, Character, Finding, Joint, Mesh, Scalar, Skeleton};
use sinew_files::Recorder;
use std::collections::HashSet;
use std::path::Path;

/// Reads a document. `path` names it and says where its pictures are.
pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Imported, Cause> {
    // The document and its numbers are needed until the character is made of them.
    let scratch = budget.scratch();
    let opened = archive::open(bytes, &scratch)?;
    let decoded = text::decode(opened.document(), &scratch)?;
    let mut findings = Vec::new();
    if decoded.guessed {
        let message = "the document is neither UTF-8 nor UTF-16 and was read byte by byte";
        findings.push(Finding::new(&findings::ENCODING, "document", message));
    }
    let xml = Xml::parse(&decoded.text, &scratch)?;
    let Some(root) = xml.root() else { return Err(Cause::malformed("the document is empty", "")) };
    let document = Document::read(root)?;
    if document.scenes.items.is_empty() {
        return Err(if document.animations.is_empty() {
            root.error("the document has no scene")
        } else {
            Cause::ClipsOnly
        });
    }
    let kind = &findings::CAMERAS_LIGHTS;
    cameras_lights::report(kind, document.cameras, document.lights, &mut findings);
    Importer { document: &document, opened: &opened, path, files, options, budget }.run(findings)
}

struct Importer<'i, 'd> {
    document: &'i Document<'d>,
    opened: &'i Opened<'i>,
    path: &'i Path,
    files: &'i Recorder,
    options: &'i Options,
    budget: &'i Budget<'i>,
}

/// All that can be read before the curves are.
struct Prepared<'i, 'd> {
    scene: Scene<'i, 'd>,
    shown: Vec<Shown<'i, 'd>>,
    /// Triangles and material bindings of each that is shown.
    surfaces: Vec<(Triangles<'i>, Bindings<'d>)>,
    materials: Materials<'i, 'd>,
    plans: MorphPlans<'d>,
    findings: Vec<Finding>,
}

impl<'i, 'd> Importer<'i, 'd> {
    fn run(&self, mut findings: Vec<Finding>) -> Result<Imported, Cause> {
        // Other threads read the curves while this one reads everything else.
        let mut clip = Ok(RawClip::default());
        let prepared = rayon::in_place_scope(|scope| {
            scope.spawn(|_| clip = RawClip::read(self.document, self.budget));
            self.prepare()
        });
        let (clip, mut prepared) = (clip?, prepared?);
        findings.append(&mut prepared.findings);
        let conversion = Conversion::new(&source_space(self.document, &mut findings), self.options.space);
        let mut target = clip_nodes(&prepared.scene, &prepared.plans.list, conversion);
        let joints = self.joints(&prepared, &clip, &target, &mut findings)?;
        for (node, slot) in target.nodes.iter_mut().zip(&joints.of_node) {
            node.joint = slot.map(|s| s.joint);
            node.inner = slot.and_then(|s| s.inner);
        }
        let skeleton = self.skeleton(&joints, &conversion, &prepared.plans.list)?;
        target.parents = skeleton.parents().to_vec();
        let local = |(trs, &parent): (&Trs, &u16)| conversion.local(parent == sinew::NO_JOINT, trs);
        target.rest = joints.locals.iter().zip(skeleton.parents()).map(local).collect();
        target.scalars = skeleton.rest().scalars().to_vec();
        let (meshes, vertices) = self.meshes(&mut prepared, &joints, &conversion, &mut findings)?;
        target.diagonal = rest_size(&skeleton, &meshes);
        let bound = clip.bind_within(&target, self.options, self.budget)?;
        findings.extend(bound.findings);
        let clips = bound.clips.into_iter().zip(bound.starts);
        let clips = clips.map(|(clip, start)| (clip.name().into(), clip, start));
        let (clips, sources) = self.options.tags.library(clips);
        let name = self.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let character = Character::new(CharacterData {
            name,
            skeleton,
            meshes,
            materials: prepared.materials.materials,
            textures: prepared.materials.textures,
            clips,
            space: conversion.space(),
        })?;
        let joint = |data: &JointData| SourceJoint { node: data.node as u32, helper: data.helper };
        Ok(Imported {
            character,
            source: SourceInfo {
                joints: joints.data.iter().map(joint).collect(),
                vertices,
                clips: sources,
                ..SourceInfo::default()
            },
            evaluator: bound.evaluator,
            findings,
            clip_nodes: Some(target),
            files: Vec::new(),
        })
    }

    fn prepare(&self) -> Result<Prepared<'i, 'd>, Cause> {
        let mut findings = Vec::new();
        let scene = Scene::new(self.document, self.budget)?;
        let shown = mesh::shown(self.document, &scene, &mut findings)?;
        let lookup = Lookup::new(self.path, self.files, self.options);
        let mut materials = Materials::new(self.document, self.opened, lookup, self.budget);
        let mut surfaces = Vec::new();
        for shown in &shown {
            let symbols = shown.geometry.primitives.iter().filter_map(|p| p.material);
            let bindings = materials.bind(shown.instance, symbols, &mut findings)?;
            let uv_set = |symbol: Option<&str>| bindings.uv_set(symbol);
            let triangles = Triangles::read(shown.geometry, self.document, &uv_set, self.budget)?;
            surfaces.push((triangles, bindings));
        }
        materials.finish(&mut findings);
        let plans = self.morph_plans(&shown)?;
        Ok(Prepared { scene, shown, surfaces, materials, plans, findings })
    }

    /// The morphs that are shown, each once, and the scalars that their weights become.
    fn morph_plans(&self, shown: &[Shown<'i, 'd>]) -> Result<MorphPlans<'d>, Cause> {
        let mut plans = MorphPlans::default();
        let mut scalars = 0usize;
        for (controller, morph) in shown.iter().filter_map(|s| s.morph) {
            if plans.get(controller.id).is_some() {
                continue;
            }
            let Ok(first) = u16::try_from(scalars) else {
                return Err(controller.element.error("there are more morph weights than can be numbered"));
            };
            let plan = MorphPlan::read(controller, morph, self.document, first)?;
            scalars += plan.targets.len();
            plans.push(controller.id, plan);
        }
        Ok(plans)
    }

    fn joints(
        &self,
        prepared: &Prepared<'i, 'd>,
        clip: &RawClip,
        target: &ClipNodes,
        findings: &mut Vec<Finding>,
    ) -> Result<Joints, Cause> {
        let animated: Vec<usize> = clip.moved_nodes(target).collect();
        let bare = mesh::bare_skin_joints(self.document, &prepared.scene);
        let joints = Joints::new(&prepared.scene, &prepared.shown, &animated, &bare, findings);
        limits::check("joints", joints.data.len() as u64, self.options.limits.joints)?;
        Ok(joints)
    }

    fn skeleton(
        &self,
        joints: &Joints,
        conversion: &Conversion,
        plans: &[MorphPlan],
    ) -> Result<Skeleton, Cause> {
        let list = joints.data.iter().zip(&joints.locals).map(|(data, local)| Joint {
            name: data.name.clone(),
            parent: data.parent,
            rest: conversion.local(data.parent.is_none(), local).to_transform(),
        });
        let weights = plans.iter().flat_map(|plan| plan.targets.iter().zip(&plan.weights));
        let scalars = weights.map(|(id, &rest)| {
            let geometry = self.document.geometries.get(id);
            Scalar { name: geometry.and_then(|g| g.name.or(g.id)).unwrap_or(id).to_owned(), rest }
        });
        Ok(Skeleton::new(list.collect(), scalars.collect())?)
    }

    /// The meshes, and which position of the document each vertex has.
    fn meshes(
        &self,
        prepared: &mut Prepared<'i, 'd>,
        joints: &Joints,
        conversion: &Conversion,
        findings: &mut Vec<Finding>,
    ) -> Result<(Vec<Mesh>, Vec<Vec<u32>>), Cause> {
        let (mut meshes, mut vertices) = (Vec::new(), Vec::new());
        let surfaces = std::mem::take(&mut prepared.surfaces);
        for (shown, (triangles, bindings)) in prepared.shown.iter().zip(surfaces) {
            let around = Surroundings {
                document: self.document,
                joint_of: &|node| joints.of_node.get(node).copied().flatten().map(|s| s.leaf),
                world: &joints.world,
                conversion,
                options: self.options,
                budget: self.budget,
                material: &|symbol| bindings.material(symbol),
                plans: &prepared.plans,
            };
            let (mesh, sources) = mesh::build(shown, triangles, &around, findings)?;
            self.budget.mesh(&mesh)?;
            if mesh.positions.is_empty() {
                let place = prepared.scene.nodes.get(shown.node).map_or("", |n| n.name.as_str());
                let message = format!("the geometry `{}` has no vertices", mesh.name);
                findings.push(Finding::new(&findings::MESH_UNUSED, place, message));
                continue;
            }
            meshes.push(mesh);
            vertices.push(sources);
        }
        self.report_unused(prepared, findings);
        Ok((meshes, vertices))
    }

    fn report_unused(&self, prepared: &Prepared<'i, 'd>, findings: &mut Vec<Finding>) {
        let shown = prepared.shown.iter().filter_map(|s| s.geometry.id);
        let targets = prepared.plans.list.iter().flat_map(|p| p.targets.iter().map(String::as_str));
        let known: HashSet<&str> = shown.chain(targets).collect();
        for geometry in &self.document.geometries.items {
            if !geometry.id.is_some_and(|id| known.contains(id)) {
                let place = geometry.id.or(geometry.name).unwrap_or("geometry");
                findings.push(Finding::new(&findings::MESH_UNUSED, place, "no node shows the geometry"));
            }
        }
    }
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
        let message = format!("a unit of {} metres is not a valid length", space.unit_meters);
        findings.push(Finding::new(&findings::SPACE_INVALID, "document", message));
        return SourceSpace { unit_meters: 1.0, ..space };
    }
    space
}

fn clip_nodes(scene: &Scene<'_, '_>, plans: &[MorphPlan], conversion: Conversion) -> ClipNodes {
    let nodes = scene.nodes.iter().map(|node| ClipNode {
        id: node.raw.id.map(str::to_owned),
        sid: node.raw.sid.map(str::to_owned),
        name: node.raw.name.map(str::to_owned),
        parent: node.parent,
        stack: node.stack.clone(),
        joint: None,
        inner: None,
    });
    let weights = plans.iter().flat_map(|plan| {
        (0u16..).zip(&plan.targets).map(move |(index, _)| ClipWeight {
            ids: plan.weight_ids.clone(),
            index: usize::from(index),
            scalar: plan.first_scalar.saturating_add(index),
        })
    });
    ClipNodes::new(nodes.collect(), &weights.collect::<Vec<_>>(), conversion)
}

impl RawClip {
    /// Nodes of a character that channels lead to.
    fn moved_nodes<'c>(&'c self, target: &'c ClipNodes) -> impl Iterator<Item = usize> + 'c {
        self.targets().filter_map(|text| {
            let address = Address::parse(text);
            address.item.and_then(|_| target.find(&address))
        })
    }
}
