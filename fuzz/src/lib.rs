//! Fuzz targets for every reader, run by `cargo xtask fuzz`.
//!
//! Each function here takes the fuzzer's bytes, reads them as one kind of input, and panics if something that [`check`] asserts does not
//! hold. An error of the reader is always an acceptable outcome. [`container`] puts several files into one input, [`mend`]
//! repairs lengths and checksums, so that mutations reach what lies behind them.

pub mod check;
pub mod container;
pub mod mend;

use sinew::{Bundle, Image, Texture};
use sinew::bundle_file::MAGIC;
use sinew_build::project::Project;
use sinew_import::{Imported, Options, Sources, import_bytes, read};
use std::path::Path;

/// Import options with limits low enough that a slow or large input is the reader's fault.
pub fn options() -> Options {
    let mut options = Options::default();
    options.limits.memory = 200 << 20;
    options.limits.keys = 500_000;
    options.limits.vertices = 500_000;
    options
}

/// Has rayon work on the thread that calls it: what is found comes again, and no input waits for another thread.
pub fn use_one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("nothing has used rayon yet");
}

/// Reads bytes as a file of this name. The folder does not exist, so nothing beside it is read.
fn import(bytes: &[u8], name: &str) -> Option<Imported> {
    import_bytes(bytes, &Path::new("no-such-folder").join(name), &options()).ok()
}

fn import_and_check(bytes: &[u8], name: &str) {
    if let Some(imported) = import(bytes, name) {
        check::imported(&imported);
    }
}

/// FBX, text or binary.
pub fn fbx(data: &[u8]) {
    import_and_check(data, "input.fbx");
}

/// BVH.
pub fn bvh(data: &[u8]) {
    import_and_check(data, "input.bvh");
}

/// A COLLADA document.
pub fn collada(data: &[u8]) {
    import_and_check(data, "input.dae");
}

/// A Draco mesh, with limits as tight as the other options.
pub fn draco(data: &[u8]) {
    let limits = sinew_draco::Limits { points: 500_000, faces: 500_000, bytes: 200 << 20 };
    if let Ok(mesh) = sinew_draco::decode(data, &limits) {
        check::draco(&mesh);
    }
}

/// glTF as text, or a GLB as it stands.
pub fn gltf(data: &[u8]) {
    import_and_check(data, "input.gltf");
}

/// A GLB whose lengths are right: the JSON, a zero byte, and the binary chunk.
pub fn glb(data: &[u8]) {
    import_and_check(&mend::glb(data), "input.glb");
}

/// A `.zae`: a zip as it stands, or a [`container`] that is zipped here, so that the checksums in the zip are right.
pub fn zae(data: &[u8]) {
    if data.starts_with(b"PK") {
        import_and_check(data, "input.zae");
    } else if let Some(zip) = mend::zip(&container::unpack(data)) {
        import_and_check(&zip, "input.zae");
    }
}

/// Compiled content of MonoGame and XNA whose size is right.
pub fn xnb(data: &[u8]) {
    let bytes = mend::xnb(data);
    if let Ok(xnb) = sinew_xnb::read(&bytes, options().limits.memory) {
        check::xnb(&xnb);
        import_and_check(&bytes, "input.xnb");
    }
}

/// A folder with a manifest, a model and clips, as a [`container`].
pub fn manifest(data: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    container::write_to(folder.path(), &container::unpack(data));
    if let Ok(imported) = read(folder.path(), &options()) {
        check::imported(&imported);
    }
}

/// An encoded picture: what is decoded comes back as it was from PNG.
pub fn image(data: &[u8]) {
    // Larger ones are within the limits of the decoder, and only take long.
    let pixels = |[width, height]: [u32; 2]| u64::from(width) * u64::from(height);
    if sinew_image::size(data).is_some_and(|size| pixels(size) > 1 << 18) {
        return;
    }
    let decode = |bytes: Vec<u8>| {
        sinew_image::decode(&Texture { image: Image::Embedded(bytes.into()), ..Texture::default() })
    };
    if let Ok(picture) = decode(data.to_vec()) {
        let png = sinew_image::encode_png(&picture).expect("what is decoded has pixels");
        assert_eq!(decode(png), Ok(picture));
    }
}

/// A `sinew.toml`.
pub fn project(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(project) = Project::parse(&text, Path::new("no-such-folder/sinew.toml")) {
        let jobs = project.jobs(&[], &[]).expect("what is parsed has jobs");
        assert_eq!(jobs.len(), project.settings().characters.len(), "one job for each character");
    }
}

/// A bundle whose header, table, padding and checksums are right.
pub fn bundle(data: &[u8]) {
    let bytes = mend::bundle(data);
    // The importer of bundles adds little to what a game calls.
    if Bundle::read(&bytes).is_ok() {
        import_and_check(&bytes, "input.sinew");
    }
}

/// A character and an animation file, as a [`container`] of two files: merged, certified, written, read back and verified. Bundles
/// among them are mended.
pub fn merge(data: &[u8]) {
    let [(base_name, base), (clip_name, clip)] = container::unpack(data)[..] else { return };
    let mended = |bytes: &[u8]| if bytes.starts_with(&MAGIC) { mend::bundle(bytes) } else { bytes.to_vec() };
    let (base, clip) = (&mended(base)[..], &mended(clip)[..]);
    let (Some(character), Some(animation)) = (import(base, base_name), import(clip, clip_name)) else {
        return;
    };
    let animations = [(clip_name.to_owned(), animation)];
    let sources = Sources::new((base_name.to_owned(), character), animations, &options());
    if let Ok(loaded) = sources.merge() {
        check::poses(&loaded.character);
        check::certified(&loaded, [base, clip]);
    }
}
