//! Comparison with golden pictures.

use sinew::{Image, Texture};
use sinew_image::decode;
use sinew_render::{Picture, write_png};
use std::path::{Path, PathBuf};

/// Pixels differ between drivers and their versions, along edges and by rounding. The mean over all channels (in steps of 1/255) detects a
/// change of the whole picture; the part of clearly different pixels in the worst tile detects a small one, such as a missing line.
const MEAN: f64 = 1.0;
const CLEARLY: u8 = 40;
const TILE: u32 = 16;
const PART: f64 = 0.05;

/// Compares a picture with the golden one of that name. With `SINEW_BLESS` set, makes it the golden one instead.
pub(crate) fn check(name: &str, picture: &Picture) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = root.join("tests/golden").join(format!("{name}.png"));
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::create_dir_all(golden.parent().unwrap()).unwrap();
        write_png(&golden, picture).unwrap();
        return;
    }
    let folder = target_folder().join("golden");
    let save = |what: &str, picture: &Picture| -> PathBuf {
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{name}{what}.png"));
        write_png(&path, picture).unwrap();
        path
    };
    let Some(expected) = read(&golden) else {
        let path = save("", picture);
        panic!("there is no golden picture `{name}`; look at {}, then bless it: {BLESS}", path.display());
    };
    let (mean, part) = (expected.mean_difference(picture), worst_tile(&expected, picture));
    if mean > MEAN || part > PART {
        let path = save("-compared", &expected.compared(picture));
        panic!(
            "`{name}` differs: {mean:.2}/255 on average (at most {MEAN}), {:.1} % of a tile's pixels clearly (at most {} %)\n\
             expected, actual, difference: {}\nif it is right: {BLESS}",
            part * 100.0,
            PART * 100.0,
            path.display()
        );
    }
}

const BLESS: &str = "SINEW_BLESS=1 cargo test -p sinew-render";

/// The part of clearly different pixels, in the tile that has most of them.
fn worst_tile(expected: &Picture, picture: &Picture) -> f64 {
    if expected.size() != picture.size() {
        return 1.0;
    }
    let width = picture.width();
    let tiles = width.div_ceil(TILE) as usize * picture.height().div_ceil(TILE) as usize;
    let mut clearly = vec![0u32; tiles];
    let pixels = expected.pixels().chunks_exact(4).zip(picture.pixels().chunks_exact(4));
    for (i, _) in
        (0u32..).zip(pixels).filter(|(_, (a, b))| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > CLEARLY))
    {
        clearly[(i / width / TILE * width.div_ceil(TILE) + i % width / TILE) as usize] += 1;
    }
    f64::from(clearly.into_iter().max().unwrap_or(0)) / f64::from(TILE * TILE)
}

pub(crate) fn target_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
}

fn read(path: &Path) -> Option<Picture> {
    decode(&Texture { image: Image::File(path.to_owned()), ..Texture::default() }).ok()
}
