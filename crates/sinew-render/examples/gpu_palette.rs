//! Skin a mesh on the GPU in plain wgpu: the skin matrices go into a buffer as they are, and a shader blends them.
//!
//! `cargo run -p sinew-render --example gpu_palette -- target/demo/build/hero.sinew walk`

#![allow(clippy::print_stdout, reason = "an example prints")]

use bytemuck::cast_slice;
use sinew::{Bundle, Player, glam::Vec3, skinning::SkinnedVertices};
use std::{error::Error, sync::Arc};
use wgpu::util::DeviceExt;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: gpu_palette FILE.sinew [CLIP]")?;
    let character = Arc::new(Bundle::read(&std::fs::read(path)?)?.character);
    let mut player = Player::new(character.clone());
    player.play(&std::env::args().nth(2).unwrap_or_else(|| "walk".to_owned()))?;
    player.update(0.4);
    let index = character.meshes().iter().position(|mesh| mesh.skin.is_some()).ok_or("no skinned mesh")?;
    let mesh = &character.meshes()[index];

    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let buffer = |contents: &[u8]| {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    let joints: Vec<u32> = mesh.influences.skin_joints.iter().map(|&joint| joint.into()).collect();
    let buffers = [
        buffer(cast_slice(player.skin_matrices(index))), // every frame; the others once
        buffer(cast_slice(&joints)),
        buffer(cast_slice(&mesh.influences.weights)),
        buffer(cast_slice(&mesh.positions)),
    ];
    let shader = device.create_shader_module(wgpu::include_wgsl!("gpu_palette.wgsl"));
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &shader,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let entries: Vec<_> = (0..)
        .zip(&buffers)
        .map(|(binding, b)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups((mesh.vertex_count() as u32).div_ceil(64), 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    wgpu::util::DownloadBuffer::read_buffer(&device, &queue, &buffers[3].slice(..), move |read| {
        drop(sender.send(read))
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let on_gpu = receiver.recv()??;

    let mut on_cpu = SkinnedVertices::for_mesh(mesh);
    on_cpu.skin(mesh, player.skin_matrices(index), player.pose().scalars())?;
    let pairs = on_cpu.positions.iter().zip(cast_slice::<u8, Vec3>(&on_gpu));
    let apart = pairs.map(|(cpu, gpu)| cpu.distance(*gpu)).fold(0.0, f32::max);
    println!(
        "{} vertices of {}: GPU and CPU differ by {apart:.1e} at most",
        on_cpu.positions.len(),
        mesh.name
    );
    Ok(())
}
