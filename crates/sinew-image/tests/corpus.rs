//! The same pictures as KTX2 and as WebP.

#![allow(clippy::print_stdout, reason = "figures and skip notes are for whoever runs the tests")]

use sinew::{Image, Texture};
use sinew_image::{Picture, decode, size};
use std::path::{Path, PathBuf};

fn open(path: &Path) -> Picture {
    let bytes = std::fs::read(path).unwrap();
    let picture = decode(&Texture { image: Image::File(path.into()), ..Texture::default() }).unwrap();
    assert_eq!(size(&bytes), Some([picture.width(), picture.height()]), "{}", path.display());
    picture
}

#[test]
fn ktx2_shows_what_webp_shows() {
    let corpus = std::env::var_os("SINEW_CORPUS").filter(|folder| !folder.is_empty());
    let Some(corpus) = corpus.map(PathBuf::from) else {
        println!("SINEW-SKIP: ktx2_shows_what_webp_shows: corpus not set");
        return;
    };
    let watch = corpus.join("khronos/ChronographWatch");
    let mut files = 0;
    for entry in std::fs::read_dir(watch.join("glTF-KTX-BasisU")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ktx2") {
            continue;
        }
        let other = watch.join("glTF-WEBP").join(path.file_name().unwrap()).with_extension("webp");
        let (ktx2, webp) = (open(&path), open(&other));
        let off = ktx2.mean_difference(&webp);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        println!("{name}: {} x {}, off by {off:.3} of 255 on average", ktx2.width(), ktx2.height());
        assert!(off <= 6.0, "{name}: off by {off}");
        files += 1;
    }
    assert_eq!(files, 8);
}
