//! The graphics device, and the only place where its resources are created.

use crate::RenderError;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// An open graphics device. Cheap to clone; clones share the device.
///
/// Driver errors do not panic: a lost device or a validation error is kept, and the next call that draws returns it.
#[derive(Clone, Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    vertex_storage: bool,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    failure: Mutex<Option<RenderError>>,
    created: AtomicU64,
    draws: AtomicU64,
}

/// Keeps Mesa from querying a Wayland display when `XDG_RUNTIME_DIR` is not set: it would print a warning to stderr, for example on a build server.
/// To be called first in `main`.
///
/// # Safety
/// It changes the environment, so no other thread may be running.
pub unsafe fn hush_mesa() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: the caller guarantees that no other thread is running.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

impl Gpu {
    /// Opens the best device, without a window: a graphics card, else Mesa's software Vulkan, else GL.
    ///
    /// The environment variable `WGPU_BACKEND` (`vulkan`, `gl`, `metal`, `dx12`) chooses a backend.
    pub fn open() -> Result<Self, RenderError> {
        if let Some(backends) = wgpu::Backends::from_env() {
            return Self::open_with(backends);
        }
        // GL only as a fallback: on some systems probing it prints warnings about displays.
        let first = Self::open_with(wgpu::Backends::PRIMARY);
        match first {
            Err(RenderError::NoAdapter { .. } | RenderError::Unusable { .. }) => {
                Self::open_with(wgpu::Backends::SECONDARY).or(first)
            }
            other => other,
        }
    }

    /// Opens a device of certain backends only.
    pub fn open_with(backends: wgpu::Backends) -> Result<Self, RenderError> {
        let descriptor =
            wgpu::InstanceDescriptor { backends, ..wgpu::InstanceDescriptor::new_without_display_handle() };
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = block_on(instance.request_adapter(&options)).map_err(|error| no_adapter(&error))?;
        Self::of_adapter(&adapter)
    }

    /// Opens the best device that can draw to a window's surface. The adapter knows the formats of the surface.
    pub fn open_for(
        instance: &wgpu::Instance,
        surface: &wgpu::Surface<'_>,
    ) -> Result<(Self, wgpu::Adapter), RenderError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(surface),
            ..Default::default()
        };
        let adapter = block_on(instance.request_adapter(&options)).map_err(|error| no_adapter(&error))?;
        Ok((Self::of_adapter(&adapter)?, adapter))
    }

    /// Opens a device of an adapter.
    pub fn of_adapter(adapter: &wgpu::Adapter) -> Result<Self, RenderError> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sinew"),
            required_features: wgpu::Features::empty(),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor)).map_err(|error| {
            RenderError::Unusable { adapter: adapter.get_info().name, details: error.to_string() }
        })?;
        Ok(Self::of_device(adapter, device, queue))
    }

    /// Uses a device that another library opened, such as egui.
    pub fn of_device(adapter: &wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            seen.fail(RenderError::Driver { details: error.to_string() });
        }));
        let seen = Arc::clone(&shared);
        device.set_device_lost_callback(move |reason, message| {
            let details = if message.is_empty() { format!("{reason:?}") } else { message };
            seen.lose(details);
        });
        let flags = adapter.get_downlevel_capabilities().flags;
        let vertex_storage = flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE)
            && device.limits().max_storage_buffers_per_shader_stage >= 4;
        Self { device, queue, info: adapter.get_info(), vertex_storage, shared }
    }

    /// Name and backend of the driver, for example `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan`.
    pub fn name(&self) -> String {
        format!("{}, {}", self.info.name, self.info.backend)
    }

    /// Whether the driver renders on the CPU. Each sample per pixel then costs as much as the first.
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu || self.info.name.contains("llvmpipe")
    }

    /// Whether this device supports GPU skinning; else the CPU does it.
    pub fn can_skin(&self) -> bool {
        self.vertex_storage
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Number of buffers, textures, pipelines and other resources created so far. Drawing the same scene again creates none.
    pub fn created(&self) -> u64 {
        self.shared.created.load(Ordering::Relaxed)
    }

    /// Number of mesh draw calls so far: with GPU skinning one for each material of a batch, however many instances it has; with CPU skinning one
    /// for each material of each instance.
    pub fn draws(&self) -> u64 {
        self.shared.draws.load(Ordering::Relaxed)
    }

    pub(crate) fn count_draws(&self, count: u64) {
        self.shared.draws.fetch_add(count, Ordering::Relaxed);
    }

    /// The error of the device, if there was one. A lost device stays lost; other errors are returned once.
    pub fn check(&self) -> Result<(), RenderError> {
        let mut failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failure {
            None => Ok(()),
            Some(lost @ RenderError::DeviceLost { .. }) => Err(lost.clone()),
            Some(_) => failure.take().map_or(Ok(()), Err),
        }
    }

    /// Waits until all submitted work is done.
    pub fn wait(&self) -> Result<(), RenderError> {
        let poll = || self.device.poll(wgpu::PollType::wait_indefinitely());
        // wgpu panics if the device is lost during the wait. No state of ours is modified by then.
        let waited = catch_unwind(AssertUnwindSafe(poll));
        if waited.is_err() {
            self.shared.lose("it was lost while it was drawing".to_owned());
        }
        self.check()?;
        match waited {
            Ok(Err(error)) => Err(RenderError::Driver { details: error.to_string() }),
            Ok(Ok(_)) | Err(_) => Ok(()),
        }
    }
}

/// Adds the value of `WGPU_BACKEND`, which may exclude the available backend.
fn no_adapter(error: &wgpu::RequestAdapterError) -> RenderError {
    let details = match std::env::var("WGPU_BACKEND") {
        Ok(chosen) => format!("WGPU_BACKEND={chosen} excludes all other backends; {error}"),
        Err(_) => error.to_string(),
    };
    RenderError::NoAdapter { details }
}

impl Shared {
    fn fail(&self, error: RenderError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        // The first error is the cause of those that follow.
        failure.get_or_insert(error);
    }

    fn lose(&self, details: String) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(RenderError::DeviceLost { details });
    }
}

/// Creation of resources, counted by [`Gpu::created`].
impl Gpu {
    fn count(&self) {
        self.shared.created.fetch_add(1, Ordering::Relaxed);
    }

    /// A buffer of a size; at least 32 bytes, since an empty buffer cannot be bound.
    pub(crate) fn buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, RenderError> {
        let limits = self.device.limits();
        let limit = if usage.contains(wgpu::BufferUsages::STORAGE) {
            limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)
        } else {
            limits.max_buffer_size
        };
        if bytes > limit {
            let hint = "draw fewer instances in one batch, or a simpler mesh";
            return Err(RenderError::TooLarge {
                what: format!("{label} (bytes)"),
                needed: bytes,
                limit,
                hint,
            });
        }
        self.count();
        let size = bytes.max(32).next_multiple_of(4);
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Ok(self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        }))
    }

    /// A buffer with initial data.
    pub(crate) fn buffer_of<T: bytemuck::NoUninit>(
        &self,
        label: &str,
        data: &[T],
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, RenderError> {
        let buffer = self.buffer(label, size_of_val(data) as u64, usage)?;
        self.write(&buffer, 0, data);
        Ok(buffer)
    }

    /// Writes into a buffer. The size of an element must be a multiple of four bytes.
    pub(crate) fn write<T: bytemuck::NoUninit>(&self, buffer: &wgpu::Buffer, offset: u64, data: &[T]) {
        if !data.is_empty() {
            self.queue.write_buffer(buffer, offset, bytemuck::cast_slice(data));
        }
    }

    pub(crate) fn texture(&self, descriptor: &wgpu::TextureDescriptor<'_>) -> wgpu::Texture {
        self.count();
        self.device.create_texture(descriptor)
    }

    pub(crate) fn view(&self, texture: &wgpu::Texture) -> wgpu::TextureView {
        self.count();
        texture.create_view(&wgpu::TextureViewDescriptor::default())
    }

    pub(crate) fn sampler(&self, descriptor: &wgpu::SamplerDescriptor<'_>) -> wgpu::Sampler {
        self.count();
        self.device.create_sampler(descriptor)
    }

    pub(crate) fn shader(&self, label: &str, parts: &[&str]) -> wgpu::ShaderModule {
        self.count();
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(parts.concat().into()),
        })
    }

    pub(crate) fn bind_group_layout(
        &self,
        label: &str,
        entries: &[wgpu::BindGroupLayoutEntry],
    ) -> wgpu::BindGroupLayout {
        self.count();
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
    }

    /// A bind group of resources at bindings 0, 1, 2 and so on.
    pub(crate) fn bind_group(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        self.count();
        let entries: Vec<_> = (0u32..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(label),
            layout,
            entries: &entries,
        })
    }

    pub(crate) fn pipeline_layout(
        &self,
        label: &str,
        layouts: &[Option<&wgpu::BindGroupLayout>],
    ) -> wgpu::PipelineLayout {
        self.count();
        self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: layouts,
            immediate_size: 0,
        })
    }

    pub(crate) fn render_pipeline(
        &self,
        descriptor: &wgpu::RenderPipelineDescriptor<'_>,
    ) -> wgpu::RenderPipeline {
        self.count();
        self.device.create_render_pipeline(descriptor)
    }

    pub(crate) fn compute_pipeline(
        &self,
        descriptor: &wgpu::ComputePipelineDescriptor<'_>,
    ) -> wgpu::ComputePipeline {
        self.count();
        self.device.create_compute_pipeline(descriptor)
    }

    /// Waits for all submitted work and reads a mappable buffer.
    pub(crate) fn read<T>(
        &self,
        buffer: &wgpu::Buffer,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, RenderError> {
        let slice = buffer.slice(..);
        // A failure shows in `get_mapped_range` below.
        slice.map_async(wgpu::MapMode::Read, |_| {});
        let waited = self.wait();
        let refused = |error: wgpu::MapRangeError| RenderError::Driver { details: error.to_string() };
        let taken = slice.get_mapped_range().map(|range| take(&range)).map_err(refused);
        // Also after an error: a mapped buffer cannot be used by the device.
        buffer.unmap();
        waited.and(taken)
    }
}

/// Runs a future on this thread. Except on the web, futures of wgpu are ready at once, so this does not spin.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}
