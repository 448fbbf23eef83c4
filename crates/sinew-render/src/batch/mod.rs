//! Instances of one model: where they stand, and in which pose.

mod cpu;
mod positions;

use crate::camera;
use crate::model::Model;
use crate::pipelines::{Deform, Layouts};
use crate::{Color, Gpu, RenderError};
use cpu::CpuSkin;
use sinew::glam::{Affine3, Mat3, Quat, Vec3, Vec4};
use sinew::mesh::Skin;
use sinew::{Aabb, Player, Skeleton, job};
use wgpu::BufferUsages;

/// Who deforms the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Skinning {
    /// The device where it is a real one and can, else the processor: a device that is the processor itself is the slower way.
    #[default]
    Auto,
    /// The device: matrices and weights are sent, all instances are drawn at once.
    Gpu,
    /// The processor: vertices are sent, instance by instance. The picture is the same.
    Cpu,
}

/// A number of instances of one model, drawn together.
///
/// Its buffers are made once, for as many instances as it was made for, and written in place. An instance shows the rest pose until
/// it is given another, and is skipped in drawing while it is out of sight. Whose pose nobody will see can be spared its evaluation:
/// ask [`crate::Camera::sees`] with the box of the clip ([`sinew::bounds::clip_bounds`]), and [`Batch::show`] it again later.
#[derive(Debug)]
pub struct Batch {
    gpu: Gpu,
    model: Model,
    instances: Vec<Instance>,
    /// Matrices and scalars of all instances, and of the ghost behind them.
    palette: Vec<[f32; 12]>,
    scalars: Vec<f32>,
    palette_buffer: wgpu::Buffer,
    scalars_buffer: wgpu::Buffer,
    /// Instances whose pose is to be sent.
    changed: Option<std::ops::Range<usize>>,
    cpu: Option<CpuSkin>,
    matrices: Vec<Affine3>,
    /// What is drawn, in order; the ghost behind it.
    drawn: Vec<InstanceVertex>,
    seen: usize,
    pub(crate) instance_buffer: wgpu::Buffer,
    infos: Vec<wgpu::Buffer>,
    pub(crate) groups: Vec<wgpu::BindGroup>,
    /// Weights of the joint that is shown, by mesh.
    paint: Vec<wgpu::Buffer>,
    ghost: Option<usize>,
    heat: Option<u16>,
    /// Whether anything was ever mirrored: the back of its triangles is then their front, and both are drawn.
    mirrored: bool,
    casts: bool,
}

#[derive(Clone, Copy, Debug)]
struct Instance {
    place: Affine3,
    tint: Vec4,
    shown: bool,
    /// In model space; `None` where it cannot be told, and nothing is skipped.
    bounds: Option<Aabb>,
}

/// An instance as the device reads it.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct InstanceVertex {
    rows: [[f32; 4]; 3],
    tint: [f32; 4],
    slot: u32,
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
        // One more than asked for: the ghost.
        let all = capacity + 1;
        let (slots, scalars) = (inner.slots, rest.scalars().len());
        let storage = if on_gpu { BufferUsages::STORAGE } else { BufferUsages::VERTEX };
        let palette_bytes = if on_gpu { all * slots * 48 } else { 0 };
        let resting = Instance { place: Affine3::IDENTITY, tint: Vec4::ONE, shown: true, bounds: None };
        let mut batch = Self {
            palette_buffer: gpu.buffer("matrices", palette_bytes as u64, storage)?,
            scalars_buffer: gpu.buffer("scalars", (all * scalars * 4) as u64, storage)?,
            instance_buffer: gpu.buffer("instances", (all * 80) as u64, BufferUsages::VERTEX)?,
            palette: if on_gpu { vec![[0.0; 12]; all * slots] } else { vec![] },
            scalars: vec![0.0; all * scalars],
            cpu: if on_gpu { None } else { Some(CpuSkin::new(gpu, model, all)?) },
            matrices: vec![Affine3::IDENTITY; slots.max(1)],
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

    fn info(&self, mesh: usize) -> MeshInfo {
        let inner = &self.model.0;
        let mesh = &inner.meshes[mesh];
        MeshInfo {
            first_slot: mesh.first_slot,
            slots: inner.slots as u32,
            scalars: inner.character.skeleton().rest().scalars().len() as u32,
            morphs: mesh.has_morphs.into(),
            heat: self.heat.is_some().into(),
            influences: mesh.influences_per_vertex,
            vertices: mesh.vertices,
            pad: 0,
        }
    }

    /// Puts all instances into the rest pose, and the ghost into the bind pose.
    fn rest(&mut self) -> Result<(), RenderError> {
        let model = self.model.clone();
        let skeleton = model.0.character.skeleton();
        for index in 0..self.instances.len() {
            self.set(index, skeleton.rest_model(), skeleton.rest().scalars())?;
        }
        self.write_pose(self.instances.len(), skeleton.rest_model(), skeleton.rest().scalars(), true)
    }

    /// How many instances it was made for.
    pub fn capacity(&self) -> usize {
        self.instances.len()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Who deforms the vertices: never [`Skinning::Auto`].
    pub fn skinning(&self) -> Skinning {
        if self.cpu.is_some() { Skinning::Cpu } else { Skinning::Gpu }
    }

    /// Gives an instance the pose of a player.
    pub fn set_player(&mut self, index: usize, player: &Player) -> Result<(), RenderError> {
        self.set(index, player.model_matrices(), player.pose().scalars())
    }

    /// Gives an instance a pose: the model matrices of its joints, and the scalars.
    pub fn set(&mut self, index: usize, model: &[Affine3], scalars: &[f32]) -> Result<(), RenderError> {
        self.check(index)?;
        self.write_pose(index, model, scalars, false)?;
        let inner = &self.model.0;
        let allowed = |(value, range): (&f32, &(f32, f32))| (range.0..=range.1).contains(value);
        let known = scalars.iter().zip(&inner.ranges).all(allowed);
        let boxes = inner.bounds.iter().map(|bounds| bounds.in_pose(model));
        self.instances[index].bounds = known.then(|| boxes.fold(Aabb::EMPTY, Aabb::union));
        Ok(())
    }

    fn write_pose(
        &mut self,
        index: usize,
        model: &[Affine3],
        scalars: &[f32],
        bind: bool,
    ) -> Result<(), RenderError> {
        let inner = &self.model.0;
        let count = inner.character.skeleton().rest().scalars().len();
        let short = |field, needed, got| RenderError::Pose(sinew::JobError::TooShort { field, needed, got });
        let own = scalars.get(..count).ok_or_else(|| short("scalars", count, scalars.len()))?;
        let joints = inner.character.skeleton().len();
        if model.len() < joints {
            return Err(short("model", joints, model.len()));
        }
        for (number, on_gpu) in inner.meshes.iter().enumerate().filter(|(_, mesh)| mesh.owns_slots) {
            let mesh = self.model.mesh(number);
            let first = on_gpu.first_slot as usize;
            let matrices = &mut self.matrices[first..first + mesh.slot_count()];
            mesh.skin_matrices(model, matrices)?;
            if bind && let Some(skin) = &mesh.skin {
                matrices.fill(bind_place(skin, inner.character.skeleton()));
            }
            self.mirrored |= matrices.iter().any(|m| m.matrix3.determinant() < 0.0);
        }
        self.scalars[index * count..(index + 1) * count].copy_from_slice(own);
        match &mut self.cpu {
            Some(cpu) => cpu.skin(&self.model, index, &self.matrices, own)?,
            None => {
                let slots = inner.slots;
                let palette = &mut self.palette[index * slots..(index + 1) * slots];
                palette
                    .iter_mut()
                    .zip(&self.matrices)
                    .for_each(|(to, from)| *to = bytemuck::cast(rows(from)));
            }
        }
        let others = self.changed.take().unwrap_or(index..index);
        self.changed = Some(others.start.min(index)..others.end.max(index + 1));
        Ok(())
    }

    /// Places an instance in the world. Comes on top of what the model matrices say.
    pub fn place(&mut self, index: usize, place: Affine3) -> Result<(), RenderError> {
        self.check(index)?;
        self.mirrored |= place.matrix3.determinant() < 0.0;
        self.instances[index].place = place;
        Ok(())
    }

    /// Multiplies an instance's colours by another.
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

    /// Whether it throws a shadow on the ground: all do but scenery, which would darken all of it.
    pub fn cast_shadow(&mut self, casts: bool) {
        self.casts = casts;
    }

    /// Shows a ghost of the bind pose where an instance stands.
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
        for (number, mesh) in self.model.0.character.meshes().iter().enumerate() {
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

    /// The box around an instance in the world, in its pose; empty where it cannot be told.
    pub fn bounds(&self, index: usize) -> Aabb {
        self.instances.get(index).map_or(Aabb::EMPTY, |instance| {
            instance.bounds.map_or(Aabb::EMPTY, |b| b.transformed(&self.world(instance)))
        })
    }

    /// How many instances the last picture shows: the others were hidden or out of sight.
    pub fn seen(&self) -> usize {
        self.seen
    }

    fn check(&self, index: usize) -> Result<(), RenderError> {
        let count = self.instances.len();
        if index < count { Ok(()) } else { Err(RenderError::Index { what: "instance", index, count }) }
    }

    fn world(&self, instance: &Instance) -> Affine3 {
        job::multiply(&instance.place, &self.model.0.upright)
    }
}

/// Where the bind pose stands: as its vertices say, or, where the skeleton stands in other units or on another side than they do (as in
/// glTF, whose vertices know nothing of the scene), where the rest has the first joint of the skin.
fn bind_place(skin: &Skin, skeleton: &Skeleton) -> Affine3 {
    let first = skin.joints.iter().zip(&skin.inverse_binds).min_by_key(|(joint, _)| **joint);
    let Some((&joint, inverse_bind)) = first else { return Affine3::IDENTITY };
    let place = skeleton.rest_model()[usize::from(joint)] * *inverse_bind;
    let (scale, turn, _) = place.to_scale_rotation_translation();
    // A rest that merely differs from the bind neither doubles a figure nor lays it down.
    let is_other = !(0.5..2.0).contains(&scale.max_element()) || turn.angle_between(Quat::IDENTITY) > 0.8;
    if is_other && place.is_finite() { place } else { Affine3::IDENTITY }
}

/// Drawing.
impl Batch {
    pub(crate) fn casts_shadow(&self) -> bool {
        self.casts
    }

    /// Finds what is seen, and sends what has changed. Gives the box around what is seen.
    pub(crate) fn prepare(&mut self, planes: &[Vec4; 5], eye: Vec3) -> Aabb {
        let mut all = Aabb::EMPTY;
        self.drawn.clear();
        for (index, instance) in self.instances.iter().enumerate().filter(|(_, i)| i.shown) {
            let world = self.world(instance);
            let bounds = instance.bounds.map(|bounds| bounds.transformed(&world));
            if bounds.is_none_or(|bounds| camera::sees(planes, &bounds)) {
                all = all.union(bounds.unwrap_or(Aabb::EMPTY));
                self.drawn.push(InstanceVertex::new(&world, instance.tint, index));
            }
        }
        self.seen = self.drawn.len();
        if self.model.0.parts.iter().any(|part| part.alpha == crate::pipelines::Alpha::Blend) {
            // What can be seen through is drawn from the back to the front.
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
        let (slots, scalars) = (inner.slots, inner.character.skeleton().rest().scalars().len());
        let matrices = &self.palette[changed.start * slots..changed.end * slots];
        self.gpu.write(&self.palette_buffer, (changed.start * slots * 48) as u64, matrices);
        let values = &self.scalars[changed.start * scalars..changed.end * scalars];
        self.gpu.write(&self.scalars_buffer, (changed.start * scalars * 4) as u64, values);
    }

    pub(crate) fn deform(&self, mesh: usize) -> Deform {
        if self.cpu.is_some() { Deform::Plain } else { self.model.0.meshes[mesh].deform() }
    }

    /// Whether the back of some triangles is their front.
    pub(crate) fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// Numbers of what is drawn: of the instances, and of the ghost.
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

    /// Draws triangles of one mesh for a range of what is drawn: all at once where the device skins, else one by one, each from its own
    /// part of the vertex buffer.
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
            let slot = self.drawn[number as usize].slot as usize;
            pass.set_vertex_buffer(0, cpu.slice(mesh, slot));
            pass.draw_indexed(indices.clone(), 0, number..number + 1);
        }
    }
}

impl InstanceVertex {
    fn new(world: &Affine3, tint: Vec4, slot: usize) -> Self {
        Self { rows: rows(world), tint: tint.to_array(), slot: slot as u32, pad: [0; 3] }
    }
}

/// The three rows of a matrix.
fn rows(m: &Affine3) -> [[f32; 4]; 3] {
    let t = m.translation;
    let Mat3 { x_axis: x, y_axis: y, z_axis: z } = m.matrix3;
    [[x.x, y.x, z.x, t.x], [x.y, y.y, z.y, t.y], [x.z, y.z, z.z, t.z]]
}
