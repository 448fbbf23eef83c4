//! What the character looks like: a stylised figure in a jacket, trousers and boots.

use super::skeleton::Skeleton;
use super::weights::Weigher;
use super::{face, hands, outfit};
use crate::png;
use crate::scene::{Material, Mesh, Node, Scene, Texture};
use crate::shape::Surface;
use glam::{DVec2, DVec3};

/// Indices of the body mesh's materials.
pub(super) mod skin {
    pub(crate) const SKIN: usize = 0;
    pub(crate) const HAIR: usize = 1;
    pub(crate) const EYE: usize = 2;
    pub(crate) const IRIS: usize = 3;
    pub(crate) const PUPIL: usize = 4;
    pub(crate) const LIPS: usize = 5;
}

/// Indices of the outfit mesh's materials.
pub(super) mod cloth {
    pub(crate) const JACKET: usize = 0;
    pub(crate) const TRIM: usize = 1;
    pub(crate) const TROUSERS: usize = 2;
    pub(crate) const BOOTS: usize = 3;
    pub(crate) const SOLES: usize = 4;
}

/// The character at rest: joints, the meshes `Body` and `Outfit`, and their materials.
pub(super) fn scene(skeleton: &Skeleton) -> Scene {
    let mut scene = skeleton.scene();
    let weigher = Weigher::new(skeleton);
    let mut body = Surface::default();
    face::add(&mut body, &weigher);
    hands::add(&mut body, skeleton, &weigher);
    let mut clothes = Surface::default();
    outfit::add(&mut clothes, &weigher);
    for (name, surface, materials) in
        [("Body", body, skin_materials()), ("Outfit", clothes, cloth_materials())]
    {
        let first = scene.materials.len();
        let slots = (first..first + materials.len()).collect();
        scene.materials.extend(materials);
        add_mesh(&mut scene, surface.into_mesh(name, slots));
    }
    scene.bind_to_rest();
    scene
}

fn add_mesh(scene: &mut Scene, mesh: Mesh) {
    let index = scene.meshes.len();
    let name = mesh.name.clone();
    scene.meshes.push(mesh);
    scene.add(Node::mesh(name, None, index));
}

fn skin_materials() -> Vec<Material> {
    vec![
        Material::matt("Skin", DVec3::new(0.86, 0.60, 0.46)).glossy(0.08, 12.0),
        Material::matt("Hair", DVec3::new(0.20, 0.11, 0.07)).glossy(0.15, 20.0),
        Material::matt("Eye", DVec3::new(0.95, 0.95, 0.93)).glossy(0.5, 60.0),
        Material::matt("Iris", DVec3::new(0.16, 0.42, 0.40)).glossy(0.5, 60.0),
        Material::matt("Pupil", DVec3::new(0.03, 0.03, 0.04)).glossy(0.6, 80.0),
        Material::matt("Lips", DVec3::new(0.72, 0.38, 0.33)),
    ]
}

fn cloth_materials() -> Vec<Material> {
    let mut jacket = Material::matt("Jacket", DVec3::ONE);
    jacket.texture = Some(Texture {
        name: "Jacket".into(),
        file: "jacket.png".into(),
        content: Some(jacket_picture()),
        ..Texture::default()
    });
    vec![
        jacket,
        Material::matt("Trim", DVec3::new(0.95, 0.66, 0.20)).glossy(0.1, 15.0),
        Material::matt("Trousers", DVec3::new(0.17, 0.20, 0.29)),
        Material::matt("Boots", DVec3::new(0.46, 0.27, 0.16)).glossy(0.15, 18.0),
        Material::matt("Soles", DVec3::new(0.14, 0.12, 0.12)),
    ]
}

/// Edge of the square that the jacket's picture covers, and its lower left corner, in centimetres.
const PICTURE: (f64, DVec2) = (64.0, DVec2::new(-32.0, 92.0));

/// Texture coordinates as seen from the front; what lies beyond the picture gets its edge.
pub(super) fn front_uv(p: DVec3) -> DVec2 {
    let (edge, corner) = PICTURE;
    let uv = (DVec2::new(p.x, p.y) - corner) / edge;
    uv.clamp(DVec2::splat(0.004), DVec2::splat(0.996))
}

/// Teal, a little darker towards the hem, with a chevron across the chest and a zip.
fn jacket_picture() -> Vec<u8> {
    const SIZE: u32 = 128;
    png::encode(SIZE, SIZE, |px, py| {
        let (edge, corner) = PICTURE;
        let step = edge / f64::from(SIZE);
        let x = corner.x + (f64::from(px) + 0.5) * step;
        let y = corner.y + edge - (f64::from(py) + 0.5) * step;
        let shade = 0.86 + 0.14 * ((y - corner.y) / 50.0).clamp(0.0, 1.0);
        // The chevron's middle line rises from the breastbone to the shoulders.
        let chevron = (y - (124.0 + 0.55 * x.abs())).abs();
        // Sleeves take the picture's edge, so that the chevron must end on the chest.
        let colour = if x.abs() > 15.5 {
            [38.0, 128.0, 134.0]
        } else if chevron < 1.6 {
            [240.0, 236.0, 224.0]
        } else if chevron < 3.6 && y > 124.0 + 0.55 * x.abs() {
            [242.0, 168.0, 51.0]
        } else if x.abs() < 0.6 {
            [24.0, 84.0, 90.0]
        } else {
            [38.0, 128.0, 134.0]
        };
        colour.map(|c| (c * shade) as u8)
    })
}
