//! scratch
mod common;
use common::*;
use sinew_render::*;
use std::sync::Arc;
use std::time::Instant;
#[test]
fn scratch() {
    let Some(gpu) = gpu("x") else { return };
    let character = Arc::new(figure::figure(24, 4));
    let clips: Vec<_> = character.clips().ready().collect();
    for (name, o) in [
        ("still", StudioOptions { size: (800, 800), ..Default::default() }),
        ("dark", StudioOptions { background: Some("dark".parse().unwrap()), view: View::Side, ..Default::default() }),
        ("none", StudioOptions { background: Some(Color::TRANSPARENT), view: View::Front,overlays: Overlays::parse("skeleton,normals", character.skeleton()).unwrap(), ..Default::default() }),
        ("trail", StudioOptions { overlays: Overlays::parse("trail,bounds,ghost", character.skeleton()).unwrap(), ..Default::default() }),
    ] {
        let mut studio = Studio::new(&gpu, &character, o).unwrap();
        let p = studio.still(Some(&clips[0]), 0.1).unwrap();
        let t = Instant::now();
        studio.still(Some(&clips[0]), 0.1).unwrap();
        eprintln!("{name} {:?}", t.elapsed());
        write_png(format!("/tmp/{name}.png").as_ref(), &p).unwrap();
    }
    let mut studio = Studio::new(&gpu, &character, StudioOptions { size: (200, 200), ..Default::default() }).unwrap();
    let t = Instant::now();
    let p = studio.sheet(&clips, 6, &mut |_, _| {}).unwrap();
    eprintln!("sheet {:?}", t.elapsed());
    write_png("/tmp/sheet.png".as_ref(), &p).unwrap();
    let t = Instant::now();
    let f = studio.frames(&clips[0], 15.0, &mut |_, _| {}).unwrap();
    eprintln!("frames {} {:?}", f.len(), t.elapsed());
    let t = Instant::now();
    write_gif("/tmp/a.gif".as_ref(), &f, 15.0).unwrap();
    eprintln!("gif {:?} {}", t.elapsed(), std::fs::metadata("/tmp/a.gif").unwrap().len());
    write_apng("/tmp/a.apng".as_ref(), &f, 15.0).unwrap();
}
