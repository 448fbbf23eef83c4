//! Bump maps: what exporters call so is a normal map or a map of heights.

use super::{Lookup, embedded};
use crate::{Budget, Cause, findings};
use glam::Vec3;
use sinew::{Finding, Texture, TextureRef};
use sinew_image::Picture;
use std::collections::HashMap;

/// What a file says that a bump map is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BumpKind {
    /// Normals in tangent space.
    Normals,
    /// Heights: white is high.
    Heights,
    /// The file does not say; the picture does.
    Unknown,
}

/// How far a step from black to white between two neighbouring pixels leans the normal: its height in pixels.
const RELIEF: f32 = 4.0;

/// Bump maps as normal maps.
#[derive(Default)]
pub(crate) struct NormalMaps {
    /// What textures have become.
    done: HashMap<usize, usize>,
}

impl NormalMaps {
    /// The texture that shows a bump map's normals: itself if it is a normal map, else one that is computed from its heights and added to `textures`.
    pub(crate) fn get(
        &mut self,
        bump: TextureRef,
        kind: BumpKind,
        material: &str,
        (lookup, budget): (&Lookup<'_>, &Budget<'_>),
        textures: &mut Vec<Texture>,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<TextureRef>, Cause> {
        if let Some(&known) = self.done.get(&bump.texture) {
            return Ok(Some(TextureRef { texture: known, ..bump }));
        }
        let Some(texture) = textures.get(bump.texture).filter(|_| kind != BumpKind::Normals) else {
            return Ok(Some(bump));
        };
        let place = format!("material `{material}`");
        let scratch = budget.scratch();
        let mut picture = match lookup.pixels(texture, &scratch)? {
            Ok(picture) => picture,
            // What is missing is reported already, and shown as missing.
            Err(_) if texture.image == sinew::Image::Missing => return Ok(Some(bump)),
            Err(why) => {
                let message = format!("its bump map was left out: {why}");
                findings.push(Finding::new(&findings::TEXTURE_NOT_CONVERTED, place, message));
                return Ok(None);
            }
        };
        let index = if kind == BumpKind::Heights || is_grey(&picture) {
            budget.steps(picture.pixels().len() as u64)?;
            lean(&mut picture);
            let name = format!("{} (normals)", texture.name);
            textures.push(embedded(name, &picture, budget)?);
            let message = "its bump map, a map of heights, was converted to a normal map";
            findings.push(Finding::new(&findings::BUMP_CONVERTED, place, message));
            textures.len() - 1
        } else {
            bump.texture
        };
        self.done.insert(bump.texture, index);
        Ok(Some(TextureRef { texture: index, ..bump }))
    }
}

/// Whether a picture has no colours: normals are blue, heights are grey.
fn is_grey(picture: &Picture) -> bool {
    let most = |pixel: &[u8]| pixel.iter().take(3).max().copied().unwrap_or(0);
    let least = |pixel: &[u8]| pixel.iter().take(3).min().copied().unwrap_or(0);
    let pixels = picture.pixels().chunks_exact(4);
    let coloured = pixels.clone().filter(|pixel| most(pixel) - least(pixel) > 24).count();
    coloured * 10 < pixels.len()
}

/// Replaces heights by the normals of the surface that they describe; the picture repeats at its edges.
fn lean(picture: &mut Picture) {
    let (width, height) = picture.size();
    let heights: Vec<u8> = picture.pixels().chunks_exact(4).map(grey).collect();
    let at = |x: u32, y: u32| {
        let height = heights.get((y % height) as usize * width as usize + (x % width) as usize);
        f32::from(height.copied().unwrap_or_default()) / 255.0
    };
    let row = (width as usize * 4).max(1);
    for (y, line) in (0..height).zip(picture.pixels_mut().chunks_exact_mut(row)) {
        for (x, pixel) in (0..width).zip(line.chunks_exact_mut(4)) {
            let across = at(x + 1, y) - at(x + width - 1, y);
            let down = at(x, y + 1) - at(x, y + height - 1);
            // Rows run down, and green of a normal map points up.
            let normal = Vec3::new(-across * RELIEF / 2.0, down * RELIEF / 2.0, 1.0).normalize();
            let [r, g, b] = ((normal * 0.5 + 0.5) * 255.0).round().to_array().map(|value| value as u8);
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    }
}

fn grey(pixel: &[u8]) -> u8 {
    let sum: u32 = pixel.iter().take(3).map(|&channel| u32::from(channel)).sum();
    (sum / 3) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(color: impl Fn(u32, u32) -> [u8; 4]) -> Picture {
        let pixels = (0..8).flat_map(|y| (0..8).map(move |x| (x, y)));
        Picture::from_pixels(8, 8, pixels.flat_map(|(x, y)| color(x, y)).collect()).unwrap()
    }

    #[test]
    fn heights_are_grey_and_normals_are_not() {
        assert!(is_grey(&picture(|x, y| [(x * y) as u8; 4])));
        assert!(!is_grey(&picture(|_, _| [128, 128, 255, 255])));
    }

    #[test]
    fn a_slope_leans_away_from_its_height() {
        // Higher towards the right, then towards the bottom.
        let mut right = picture(|x, _| [x as u8 * 30; 4]);
        lean(&mut right);
        let [r, g, b, _] = right.pixel(4, 4);
        assert!(r < 120 && g == 128 && b > 200, "{r} {g} {b}");
        let mut down = picture(|_, y| [y as u8 * 30; 4]);
        lean(&mut down);
        let [r, g, _, _] = down.pixel(4, 4);
        assert!(r == 128 && g > 136, "{r} {g}");
        let mut flat = picture(|_, _| [77; 4]);
        lean(&mut flat);
        assert_eq!(flat.pixel(0, 7), [128, 128, 255, 255]);
    }
}
