//! How far two pictures of one model are apart.

use sinew_render::Picture;

/// Side of a tile.
const TILE: u32 = 16;
/// Mean brightness of a tile that counts as black, and from which on it is clearly not.
const BLACK: f64 = 8.0;
const LIGHT: f64 = 24.0;

/// How far our picture is from theirs.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Mean absolute sRGB difference over the pixels that either shows something in, as a part of 255.
    pub(crate) mean: f64,
    /// Tiles of the silhouette that are black in ours and not in theirs.
    pub(crate) black: usize,
}

impl Measured {
    pub(crate) fn of(ours: &Picture, theirs: &Picture) -> Self {
        assert_eq!(ours.size(), theirs.size());
        let both = (on_grey(ours), on_grey(theirs));
        let inside = |x: u32, y: u32| ours.pixel(x, y)[3].max(theirs.pixel(x, y)[3]) > 127;
        let (mut sum, mut count) = (0u64, 0u64);
        for (x, y) in pixels(0, 0, ours.size()).filter(|&(x, y)| inside(x, y)) {
            let (a, b) = (both.0.pixel(x, y), both.1.pixel(x, y));
            sum += (0..3).map(|c| u64::from(a[c].abs_diff(b[c]))).sum::<u64>();
            count += 3;
        }
        assert!(count > 0, "something is shown");
        let tiles = (0..ours.height())
            .step_by(TILE as usize)
            .flat_map(|y| (0..ours.width()).step_by(TILE as usize).map(move |x| (x, y)));
        let turned_black = |&(x, y): &(u32, u32)| {
            let brightness = |picture: &Picture| {
                let own: Vec<f64> = pixels(x, y, (TILE, TILE))
                    .filter(|&(x, y)| inside(x, y))
                    .map(|(x, y)| picture.pixel(x, y)[..3].iter().map(|&c| f64::from(c)).sum::<f64>() / 3.0)
                    .collect();
                // Tiles of edges say little.
                (own.len() as u32 >= TILE * TILE / 4).then(|| own.iter().sum::<f64>() / own.len() as f64)
            };
            brightness(&both.0).is_some_and(|b| b < BLACK) && brightness(&both.1).is_some_and(|b| b > LIGHT)
        };
        Self { mean: sum as f64 / count as f64 / 255.0, black: tiles.filter(turned_black).count() }
    }
}

fn pixels(left: u32, top: u32, (width, height): (u32, u32)) -> impl Iterator<Item = (u32, u32)> {
    (top..top + height).flat_map(move |y| (left..left + width).map(move |x| (x, y)))
}

/// A picture over a grey page.
pub(crate) fn on_grey(picture: &Picture) -> Picture {
    let mut page = Picture::new(picture.width(), picture.height(), [120, 124, 130, 255]);
    page.lay(picture, 0, 0);
    page
}

#[test]
fn differences_and_black_tiles_are_counted() {
    let grey = Picture::new(32, 32, [100, 100, 100, 255]);
    let mut other = grey.clone();
    other.fill_rect(0, 0, 16, 16, [0, 0, 0, 255]);
    let measured = Measured::of(&other, &grey);
    assert!((measured.mean - 100.0 / 255.0 / 4.0).abs() < 1e-9 && measured.black == 1, "{measured:?}");
    assert_eq!(Measured::of(&grey, &other).black, 0, "black there is not black here");
    assert_eq!(Measured::of(&grey, &grey).mean, 0.0);
}
