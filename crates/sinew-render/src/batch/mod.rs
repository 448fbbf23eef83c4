//! Instances of one model, with their transforms and poses.

mod cpu;
mod positions;

use crate::camera;
use crate::model::Model;
use crate::pipelines::{Deform, Layouts, TANGENTS_SLOT};
use crate::{Color, Gpu, RenderError};
use cpu::CpuSkin;
use sinew::Skin;
use sinew::glam::{Affine3, Quat, Vec3, Vec4};
use sinew::{Aabb, Character, Instance, Mat3x4, Shown};
use std::sync::Arc;
use wgpu::BufferUsages;

/// Where vertices are skinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Skinning {
    /// On the GPU if it supports it and is not a software driver, else on the CPU. A software driver would skin more slowly than the CPU path.
    #[default]
    Auto,
    /// On the GPU: palettes are uploaded, all instances are drawn at once.
    Gpu,
    /// On the CPU: skinned vertices are uploaded, instances are drawn one by one. The picture is the same.
    Cpu,
}

/// A number of instances of one model, drawn together.
///
/// Its buffers are allocated once, for a fixed capacity, and written in place. An instance is in the rest pose until it is given another.
/// Instances outside of the view frustum are not drawn. To skip the evaluation of poses as well, test the bounds of the clip
/// ([`sinew::bounds::clip_bounds`]) with [`crate::Camera::sees`], and hide the instance with [`Batch::show`].
#[derive(Debug)]
pub struct Batch {
    gpu: Gpu,
    model: Model,
    instances: Vec<InstanceState>,
    /// Palettes and scalars of all instances, followed by those of the ghost. Skinning on the CPU needs one palette at a time.
    palette: Vec<Mat3x4>,
    scalars: Vec<f32>,
    palette_buffer: wgpu::Buffer,
    scalars_buffer: wgpu::Buffer,
    /// Instances whose pose must be uploaded.
    changed: Option<std::ops::Range<usize>>,
    cpu: Option<CpuSkin>,
    /// Instances to draw, in order, followed by the ghost.
    drawn: Vec<InstanceVertex>,
    seen: usize,
    pub(crate) instance_buffer: wgpu::Buffer,
    infos: Vec<wgpu::Buffer>,
    pub(crate) groups: Vec<wgpu::BindGroup>,
    /// Vertex weights of the joint that is shown as a heat map, by mesh.
    paint: Vec<wgpu::Buffer>,
    ghost: Option<usize>,
    heat: Option<u16>,
    /// Whether any matrix was ever mirrored. Winding is then reversed, so back faces are not culled.
    mirrored: bool,
    casts: bool,
}

#[derive(Clone, Copy, Debug)]
struct InstanceState {
    place: Affine3,
    tint: Vec4,
    shown: bool,
    /// In model space; `None` if unknown, then the instance is not culled.
    bounds: Option<Aabb>,
}

/// An instance as the shader reads it.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct InstanceVertex {
    rows: [[f32; 4]; 3],
    tint: [f32; 4],
    /// Index of its palette and scalars.
    index: u32,
    pad: [u32; 3],
}

/// Laid out as `MeshInfo` in `skin.wgsl`.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct MeshInfo {
    first_slot: u32,
    slots: u32,
    scalars: u32,
    morphs: u32,
    heat: u32,
    influences: u32,
    vertices: u32,
    tangents: u32,
    shares: u32,
    wound_mirrored: u32,
    faceted: u32,
    pad: u32,
}

impl Batch {
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        model: &Model,
        capacity: usize,
        skinning: Skinning,
    ) -> Result<Self, RenderError> {
        let on_gpu = match skinning {
            Skinning::Auto => gpu.can_skin() && !gpu.is_software(),
            Skinning::Gpu if !gpu.can_skin() => {
                let details = "its vertex shaders cannot read storage buffers".to_owned();
                return Err(RenderError::Unusable { adapter: gpu.name(), details });
            }
            Skinning::Gpu => true,
            Skinning::Cpu => false,
        };
        let inner = &model.0;
        let rest = inner.character.skeleton().rest();
        // One more for the ghost.
        let all = capacity + 1;
        let (slots, scalars) = (inner.character.palette_len(), rest.scalars().len());
        let storage = if on_gpu { BufferUsages::STORAGE } else { BufferUsages::VERTEX };
        let palette_bytes = if on_gpu { all * slots * size_of::<Mat3x4>() } else { 0 };
        let resting = InstanceState { place: Affine3::IDENTITY, tint: Vec4::ONE, shown: true, bounds: None };
        let mut batch = Self {
            palette_buffer: gpu.buffer("matrices", palette_bytes as u64, storage)?,
            scalars_buffer: gpu.buffer("scalars", (all * scalars * 4) as u64, storage)?,
            instance_buffer: gpu.buffer("instances", (all * 80) as u64, BufferUsages::VERTEX)?,
            palette: vec![Mat3x4::IDENTITY; if on_gpu { all * slots } else { slots }],
            scalars: vec![0.0; all * scalars],
            cpu: if on_gpu { None } else { Some(CpuSkin::new(gpu, model, all)?) },
            instances: vec![resting; capacity],
            drawn: Vec::with_capacity(all),
            seen: 0,
            changed: None,
            gpu: gpu.clone(),
            model: model.clone(),
            infos: vec![],
            groups: vec![],
            paint: vec![],
            ghost: None,
            heat: None,
            mirrored: false,
            casts: true,
        };
        batch.bind(layouts)?;
        batch.rest()?;
        Ok(batch)
    }

    fn bind(&mut self, layouts: &Layouts) -> Result<(), RenderError> {
        for index in 0..self.model.0.meshes.len() {
            let info = self.gpu.buffer_of("mesh", &[self.info(index)], BufferUsages::UNIFORM)?;
            let mesh = &self.model.0.meshes[index];
            let group = if self.cpu.is_some() {
                self.gpu.bind_group("plain", &layouts.plain, &[info.as_entire_binding()])
            } else {
                let resources = [
                    &info,
                    &self.palette_buffer,
                    &self.scalars_buffer,
                    &mesh.morph_ranges,
                    &mesh.morph_deltas,
                ]
                .map(wgpu::Buffer::as_entire_binding);
                self.gpu.bind_group("skinned", &layouts.skinned, &resources)
            };
            self.infos.push(info);
            self.groups.push(group);
        }
        Ok(())
    }

    fn info(&self, number: usize) -> MeshInfo {
        let inner = &self.model.0;
        let mesh = &inner.meshes[number];
        MeshInfo {
            first_slot: inner.character.palette_range(number).start as u32,
            slots: inner.character.palette_len() as u32,
            scalars: inner.character.skeleton().rest().scalars().len() as u32,
            morphs: mesh.has_morphs.into(),
            heat: self.heat.is_some().into(),
            influences: mesh.influences_per_vertex,
            vertices: mesh.vertices,
            tangents: mesh.tangents.is_some().into(),
            shares: mesh.shares,
            wound_mirrored: wound_mirrored(&inner.character, number).into(),
            faceted: mesh.faceted.into(),
            pad: 0,
        }
    }

    /// Puts all instances into the rest pose, and the ghost into the bind pose.
    fn rest(&mut self) -> Result<(), RenderError> {
        let rest = Instance::new(Arc::clone(&self.model.0.character));
        for index in 0..self.instances.len() {
            self.set(index, &rest)?;
        }
        let mut palette = rest.palette().to_vec();
        for (number, mesh) in rest.character().meshes().iter().enumerate() {
            if let Some(skin) = &mesh.skin {
                let place = bind_place(skin, rest.model_matrices());
                palette[rest.character().palette_range(number)].fill(place.into());
            }
        }
        let ghost = self.instances.len();
        self.palette_mut(ghost).copy_from_slice(&palette);
        self.take_pose(ghost, rest.pose().scalars())
    }

    /// Number of instances.
    pub fn capacity(&self) -> usize {
        self.instances.len()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where vertices are skinned: never [`Skinning::Auto`].
    pub fn skinning(&self) -> Skinning {
        if self.cpu.is_some() { Skinning::Cpu } else { Skinning::Gpu }
    }

    /// Gives an instance a pose: that of a [`sinew::Player`] or [`sinew::Controller`] (`player.instance()`), whose skin matrices are copied as they are, or
    /// that of a member of a [`sinew::Crowd`] (`crowd.shown(number)`), whose skin matrices are computed straight into the batch.
    pub fn set<'a>(&mut self, index: usize, shown: impl Into<Shown<'a>>) -> Result<(), RenderError> {
        self.check(index)?;
        let shown = shown.into();
        let inner = &self.model.0;
        let (model, scalars) = (shown.model_matrices(), shown.scalars());
        let rest = inner.character.skeleton().rest();
        exactly("model", rest.len(), model.len())?;
        exactly("scalars", rest.scalars().len(), scalars.len())?;
        exactly("palette", inner.character.palette_len(), shown.character().palette_len())?;
        let allowed = |(value, range): (&f32, &(f32, f32))| (range.0..=range.1).contains(value);
        let known = scalars.iter().zip(&inner.ranges).all(allowed);
        let boxes = inner.bounds.iter().map(|bounds| bounds.in_pose(model));
        self.instances[index].bounds = known.then(|| boxes.fold(Aabb::EMPTY, Aabb::union));
        shown.write_palette(self.palette_mut(index))?;
        self.take_pose(index, scalars)
    }

    /// Where the palette of an instance is written.
    fn palette_mut(&mut self, index: usize) -> &mut [Mat3x4] {
        let range = self.palette_of(index);
        &mut self.palette[range]
    }

    fn palette_of(&self, index: usize) -> std::ops::Range<usize> {
        let slots = self.model.0.character.palette_len();
        let first = if self.cpu.is_some() { 0 } else { index * slots };
        first..first + slots
    }

    /// Takes over the palette that was just written, and scalars of the right length.
    fn take_pose(&mut self, index: usize, scalars: &[f32]) -> Result<(), RenderError> {
        let range = self.palette_of(index);
        let palette = &self.palette[range];
        self.mirrored |= palette.iter().any(|matrix| matrix.matrix3().determinant() < 0.0);
        let count = scalars.len();
        self.scalars[index * count..(index + 1) * count].copy_from_slice(scalars);
        if let Some(cpu) = &mut self.cpu {
            cpu.skin(&self.model, index, palette, scalars)?;
        }
        let others = self.changed.take().unwrap_or(index..index);
        self.changed = Some(others.start.min(index)..others.end.max(index + 1));
        Ok(())
    }

    /// World transform of an instance; applied after its model matrices.
    pub fn place(&mut self, index: usize, place: Affine3) -> Result<(), RenderError> {
        self.check(index)?;
        self.mirrored |= place.matrix3.determinant() < 0.0;
        self.instances[index].place = place;
        Ok(())
    }

    /// Multiplies an instance's colours by a colour.
    pub fn tint(&mut self, index: usize, color: Color) -> Result<(), RenderError> {
        self.check(index)?;
        self.instances[index].tint = color.linear();
        Ok(())
    }

    /// Shows or hides an instance.
    pub fn show(&mut self, index: usize, shown: bool) -> Result<(), RenderError> {
        self.check(index)?;
        self.instances[index].shown = shown;
        Ok(())
    }

    /// Whether it casts a shadow on the ground; true by default. Turn it off for scenery, which would shadow everything.
    pub fn cast_shadow(&mut self, casts: bool) {
        self.casts = casts;
    }

    /// Shows a translucent bind pose at the place of an instance.
    pub fn show_ghost(&mut self, of: Option<usize>) -> Result<(), RenderError> {
        of.map_or(Ok(()), |index| self.check(index))?;
        self.ghost = of;
        Ok(())
    }

    /// Shows the weights of a joint as a heat map instead of the materials.
    pub fn show_weights(&mut self, joint: Option<u16>) -> Result<(), RenderError> {
        if joint == self.heat {
            return Ok(());
        }
        let count = self.model.0.character.skeleton().len();
        if let Some(joint) = joint {
            if usize::from(joint) >= count {
                return Err(RenderError::Index { what: "joint", index: joint.into(), count });
            }
            self.write_paint(joint)?;
        }
        self.heat = joint;
        for (mesh, buffer) in self.infos.iter().enumerate() {
            self.gpu.write(buffer, 0, &[self.info(mesh)]);
        }
        Ok(())
    }

    fn write_paint(&mut self, joint: u16) -> Result<(), RenderError> {
        for number in 0..self.model.0.meshes.len() {
            let mesh = self.model.mesh(number);
            let weights: Vec<f32> = match &mesh.skin {
                None => vec![if mesh.joint == joint { 1.0 } else { 0.0 }; mesh.vertex_count()],
                Some(skin) => {
                    let own = |&(slot, _): &(u16, f32)| skin.joints.get(usize::from(slot)) == Some(&joint);
                    let sum = |v| mesh.influences.of(v).filter(own).map(|(_, weight)| weight).sum();
                    (0..mesh.vertex_count()).map(sum).collect()
                }
            };
            if self.paint.len() <= number {
                self.paint.push(self.gpu.buffer(
                    "weights",
                    weights.len() as u64 * 4,
                    BufferUsages::VERTEX,
                )?);
            }
            self.gpu.write(&self.paint[number], 0, &weights);
        }
        Ok(())
    }

    /// Bounding box of an instance in its pose, in the world; empty if unknown.
    pub fn bounds(&self, index: usize) -> Aabb {
        self.instances.get(index).map_or(Aabb::EMPTY, |instance| {
            instance.bounds.map_or(Aabb::EMPTY, |b| b.transformed(self.world(instance)))
        })
    }

    /// Number of instances in the last picture; the others were hidden or culled.
    pub fn seen(&self) -> usize {
        self.seen
    }

    fn check(&self, index: usize) -> Result<(), RenderError> {
        let count = self.instances.len();
        if index < count { Ok(()) } else { Err(RenderError::Index { what: "instance", index, count }) }
    }

    fn world(&self, instance: &InstanceState) -> Affine3 {
        (Mat3x4::from(instance.place) * self.model.0.upright.into()).into()
    }
}

fn exactly(field: &'static str, needed: usize, got: usize) -> Result<(), RenderError> {
    if got == needed { Ok(()) } else { Err(sinew::JobError::Mismatch { field, needed, got }.into()) }
}

/// Where the bind pose stands: at its vertices. If the skeleton has other units or another up axis than the vertices (as in glTF, where the scene
/// does not apply to the vertices of a skin), where the first joint of the skin rests. `rest` are the model matrices of the rest pose.
fn bind_place(skin: &Skin, rest: &[Mat3x4]) -> Affine3 {
    let first = skin.joints.iter().zip(&skin.inverse_binds).min_by_key(|(joint, _)| **joint);
    let Some((&joint, inverse_bind)) = first else { return Affine3::IDENTITY };
    let place = Affine3::from(rest[usize::from(joint)] * *inverse_bind);
    let (scale, turn, _) = place.to_scale_rotation_translation();
    // A rest pose that merely differs from the bind pose neither doubles the size nor turns the figure over.
    let is_other = !(0.5..2.0).contains(&scale.max_element()) || turn.angle_between(Quat::IDENTITY) > 0.8;
    if is_other && place.is_finite() { place } else { Affine3::IDENTITY }
}

/// Drawing.
impl Batch {
    pub(crate) fn casts_shadow(&self) -> bool {
        self.casts
    }

    /// Culls instances and uploads what has changed. Returns the bounds of the visible instances.
    pub(crate) fn prepare(&mut self, planes: &[Vec4; 5], eye: Vec3) -> Aabb {
        let mut all = Aabb::EMPTY;
        self.drawn.clear();
        for (index, instance) in self.instances.iter().enumerate().filter(|(_, i)| i.shown) {
            let world = self.world(instance);
            let bounds = instance.bounds.map(|bounds| bounds.transformed(world));
            if bounds.is_none_or(|bounds| camera::sees(planes, &bounds)) {
                all = all.union(bounds.unwrap_or(Aabb::EMPTY));
                self.drawn.push(InstanceVertex::new(&world, instance.tint, index));
            }
        }
        self.seen = self.drawn.len();
        if self.model.0.parts.iter().any(|part| part.alpha == crate::pipelines::Alpha::Blend) {
            // Translucent instances are drawn from back to front.
            let far = |i: &InstanceVertex| Vec3::from_array(i.rows.map(|row| row[3])).distance_squared(eye);
            self.drawn.sort_by(|a, b| far(b).total_cmp(&far(a)));
        }
        if let Some(instance) = self.ghost.and_then(|ghost| self.instances.get(ghost)) {
            let world = self.world(instance);
            self.drawn.push(InstanceVertex::new(&world, Vec4::ONE, self.instances.len()));
        }
        self.gpu.write(&self.instance_buffer, 0, &self.drawn);
        self.send();
        all
    }

    fn send(&mut self) {
        let Some(changed) = self.changed.take() else { return };
        if let Some(cpu) = &self.cpu {
            cpu.send(&self.gpu, changed);
            return;
        }
        let inner = &self.model.0;
        let (slots, scalars) =
            (inner.character.palette_len(), inner.character.skeleton().rest().scalars().len());
        let matrices = &self.palette[changed.start * slots..changed.end * slots];
        self.gpu.write(&self.palette_buffer, (changed.start * slots * size_of::<Mat3x4>()) as u64, matrices);
        let values = &self.scalars[changed.start * scalars..changed.end * scalars];
        self.gpu.write(&self.scalars_buffer, (changed.start * scalars * 4) as u64, values);
    }

    pub(crate) fn deform(&self, mesh: usize) -> Deform {
        if self.cpu.is_some() { Deform::Plain } else { self.model.0.meshes[mesh].deform() }
    }

    /// Whether the winding of some triangles may be reversed.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// Ranges of the instance buffer: visible instances, and the ghost.
    pub(crate) fn ranges(&self) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
        let (seen, all) = (self.seen as u32, self.drawn.len() as u32);
        (0..seen, seen..all)
    }

    pub(crate) fn has_ghost(&self) -> bool {
        self.ghost.is_some()
    }

    pub(crate) fn paint(&self, mesh: usize) -> &wgpu::Buffer {
        match self.heat {
            Some(_) => self.paint.get(mesh).unwrap_or(&self.model.0.no_paint),
            None => &self.model.0.no_paint,
        }
    }

    /// Draws triangles of one mesh for a range of the instance buffer: in one call with GPU skinning, else one by one, each from its part of the
    /// vertex buffer.
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        mesh: usize,
        indices: std::ops::Range<u32>,
        which: std::ops::Range<u32>,
    ) {
        let Some(cpu) = &self.cpu else {
            self.gpu.count_draws(1);
            pass.draw_indexed(indices, 0, which);
            return;
        };
        self.gpu.count_draws(which.len() as u64);
        for number in which {
            let instance = self.drawn[number as usize].index as usize;
            pass.set_vertex_buffer(0, cpu.slice(mesh, instance));
            if let Some(tangents) = cpu.tangents(mesh, instance) {
                pass.set_vertex_buffer(TANGENTS_SLOT, tangents);
            }
            pass.draw_indexed(indices.clone(), 0, number..number + 1);
        }
    }
}

impl InstanceVertex {
    fn new(world: &Affine3, tint: Vec4, index: usize) -> Self {
        Self { rows: Mat3x4::from(*world).rows, tint: tint.to_array(), index: index as u32, pad: [0; 3] }
    }
}

/// Whether the matrices of a skin mirror in the rest pose, for which its triangles are wound.
fn wound_mirrored(character: &Character, mesh: usize) -> bool {
    let skin = character.meshes()[mesh].skin.as_ref();
    let first = skin.and_then(|skin| skin.joints.first().zip(skin.inverse_binds.first()));
    first.is_some_and(|(&joint, bind)| {
        (character.skeleton().rest_model()[usize::from(joint)] * *bind).matrix3().determinant() < 0.0
    })
}
