//! The graphics device, and the one place where resources of it are made.

use crate::RenderError;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// An open graphics device. Cheap to clone; clones are the same device.
///
/// Nothing here panics for what a driver does: a lost device or a refused call is kept, and the next drawing returns it as an error.
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

/// Keeps Mesa from asking a Wayland display which card to use where there is no such display: it would complain on stderr of
/// `XDG_RUNTIME_DIR`, which is no concern of a build server. For programs, as the first thing that they do.
///
/// # Safety
/// It changes the environment, so no other thread may run yet.
pub unsafe fn hush_mesa() {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: the caller sees to it that nobody reads the environment meanwhile.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

impl Gpu {
    /// Opens the best device that needs no window: a graphics card, else Mesa's software Vulkan, else GL.
    ///
    /// `WGPU_BACKEND` (`vulkan`, `gl`, `metal`, `dx12`) chooses one.
    pub fn open() -> Result<Self, RenderError> {
        if let Some(backends) = wgpu::Backends::from_env() {
            return Self::open_with(backends);
        }
        // GL second: merely asking it makes some systems print complaints about displays.
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

    /// Opens the best device that can show its pictures on a window's surface, with the adapter that knows the surface's formats.
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

    /// Opens a device of an adapter, as a window chose it.
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

    /// Takes part in a device that something else opened, such as egui.
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

    /// Name of the driver, as in `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan`.
    pub fn name(&self) -> String {
        format!("{}, {}", self.info.name, self.info.backend)
    }

    /// Whether pictures are computed by the processor, where several samples a pixel cost several times the frame.
    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu || self.info.name.contains("llvmpipe")
    }

    /// Whether skinning can run on this device; else the processor does it.
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

    /// How many buffers, textures, pipelines and other resources were made so far: drawing the same scene again makes none.
    pub fn created(&self) -> u64 {
        self.shared.created.load(Ordering::Relaxed)
    }

    /// How many draws of meshes were asked of it so far: one for each material of a batch where the device skins, whatever the number of
    /// instances; one for each material of each instance where the processor does.
    pub fn draws(&self) -> u64 {
        self.shared.draws.load(Ordering::Relaxed)
    }

    pub(crate) fn count_draws(&self, count: u64) {
        self.shared.draws.fetch_add(count, Ordering::Relaxed);
    }

    /// What went wrong on the device since it was opened, if anything. A lost device stays lost; a refused call is told once.
    pub fn check(&self) -> Result<(), RenderError> {
        let mut failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failure {
            None => Ok(()),
            Some(lost @ RenderError::DeviceLost { .. }) => Err(lost.clone()),
            Some(_) => failure.take().map_or(Ok(()), Err),
        }
    }

    /// Waits until everything that was submitted is done.
    pub fn wait(&self) -> Result<(), RenderError> {
        let poll = || self.device.poll(wgpu::PollType::wait_indefinitely());
        // A device that is lost while it is waited for makes wgpu panic: nothing of ours is left half done by that.
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

/// Says what was tried, and that something else was forbidden where it was.
fn no_adapter(error: &wgpu::RequestAdapterError) -> RenderError {
    let details = match std::env::var("WGPU_BACKEND") {
        Ok(chosen) => format!("WGPU_BACKEND={chosen} allows no other than that; {error}"),
        Err(_) => error.to_string(),
    };
    RenderError::NoAdapter { details }
}

impl Shared {
    fn fail(&self, error: RenderError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        // The first is the cause, the others follow from it.
        failure.get_or_insert(error);
    }

    fn lose(&self, details: String) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(RenderError::DeviceLost { details });
    }
}

/// Making resources. Everything goes through here, so that [`Gpu::created`] counts it.
impl Gpu {
    fn count(&self) {
        self.shared.created.fetch_add(1, Ordering::Relaxed);
    }

    /// A buffer of a size, at least a few bytes, since an empty one cannot be bound.
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

    /// A buffer with something in it.
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

    /// Writes into a buffer. Elements are of four bytes or multiples of them.
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

    /// The bytes of a buffer that can be mapped, once everything submitted is done.
    pub(crate) fn read<T>(
        &self,
        buffer: &wgpu::Buffer,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, RenderError> {
        let slice = buffer.slice(..);
        // Whether it worked is seen by the range below being there or not.
        slice.map_async(wgpu::MapMode::Read, |_| {});
        let waited = self.wait();
        let refused = |error: wgpu::MapRangeError| RenderError::Driver { details: error.to_string() };
        let taken = slice.get_mapped_range().map(|range| take(&range)).map_err(refused);
        // Also after a failure: a buffer that stays mapped can never be drawn into again.
        buffer.unmap();
        waited.and(taken)
    }
}

/// Runs a future on this thread. Those of wgpu are ready at once off the web, so there is nothing to sleep for.
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
