//! Small rigid things with materials.

use sinew::CharacterData;
use sinew::glam::{Vec2, Vec3};
use sinew::{
    Character, ClipLibrary, Image, Joint, Material, Mesh, Part, Skeleton, Space, Texture, Transform,
};
use sinew_image::{Picture, encode_png};

/// A quad that faces +Z, with its upper left corner at UV (0, 0) and its lower right at `uv`.
pub(crate) fn quad(name: &str, center: Vec3, half: Vec2, uv: Vec2, material: usize) -> Mesh {
    let corner = |x: f32, y: f32| center + Vec3::new(x * half.x, y * half.y, 0.0);
    Mesh {
        positions: [corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)].into(),
        normals: [Vec3::Z; 4].into(),
        uvs: [Vec2::ZERO, Vec2::new(uv.x, 0.0), uv, Vec2::new(0.0, uv.y)].into(),
        indices: [0, 3, 2, 0, 2, 1].into(),
        parts: vec![Part { material: Some(material), first: 0, count: 6 }],
        joint: 0,
        ..Mesh::new(name)
    }
}

/// Meshes on one joint.
pub(crate) fn character(meshes: Vec<Mesh>, materials: Vec<Material>, textures: Vec<Texture>) -> Character {
    let skeleton = Skeleton::new(vec![Joint::new("root", None, Transform::IDENTITY)], vec![]).unwrap();
    Character::new(CharacterData {
        name: "shapes".into(),
        skeleton,
        meshes,
        materials,
        textures,
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    })
    .unwrap()
}

/// A texture of a picture.
pub(crate) fn texture(name: &str, picture: &Picture) -> Texture {
    let image = Image::Embedded(encode_png(picture).unwrap().into());
    Texture { name: name.into(), reference: format!("{name}.png"), image }
}

/// A picture of 4 x 4 pixels in which all corners and edges differ.
pub(crate) fn corners() -> Picture {
    let mut picture = Picture::new(4, 4, [235, 235, 235, 255]);
    picture.fill_rect(0, 0, 2, 2, [200, 40, 40, 255]);
    picture.fill_rect(3, 0, 1, 1, [40, 160, 60, 255]);
    picture.fill_rect(0, 3, 1, 1, [40, 80, 200, 255]);
    picture.fill_rect(2, 3, 2, 1, [230, 190, 40, 255]);
    picture
}

/// A sphere with texture coordinates once round and from pole to pole.
pub(crate) fn sphere(center: Vec3, radius: f32, material: usize) -> Mesh {
    const AROUND: u32 = 24;
    const DOWN: u32 = 12;
    let mut mesh = Mesh { joint: 0, ..Mesh::new("sphere") };
    for (row, column) in (0..=DOWN).flat_map(|row| (0..=AROUND).map(move |column| (row, column))) {
        let uv = Vec2::new(column as f32 / AROUND as f32, row as f32 / DOWN as f32);
        let (sin, cos) = (uv.y * std::f32::consts::PI).sin_cos();
        let (x, z) = (uv.x * std::f32::consts::TAU).sin_cos();
        let normal = Vec3::new(-x * sin, cos, -z * sin);
        mesh.positions.push(center + normal * radius);
        mesh.normals.push(normal);
        mesh.uvs.push(uv);
        if row < DOWN && column < AROUND {
            let (at, below) = (row * (AROUND + 1) + column, (row + 1) * (AROUND + 1) + column);
            mesh.indices.extend([at, below + 1, at + 1, at, below, below + 1]);
        }
    }
    mesh.parts = vec![Part { material: Some(material), first: 0, count: mesh.indices.len() as u32 }];
    mesh
}

/// A picture of a function.
pub(crate) fn drawn(side: u32, color: impl Fn(u32, u32) -> [u8; 4]) -> Picture {
    let pixels = (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).flat_map(|(x, y)| color(x, y));
    Picture::from_pixels(side, side, pixels.collect()).unwrap()
}

/// A normal map of round bumps, 4 x 4.
pub(crate) fn bumps() -> Picture {
    drawn(64, |x, y| {
        let at = Vec2::new((x % 16) as f32 - 7.5, (y % 16) as f32 - 7.5) / 7.0;
        let out = if at.length() < 1.0 { at * 0.8 } else { Vec2::ZERO };
        let normal = Vec3::new(out.x, -out.y, 1.0).normalize();
        let [r, g, b] = (normal * 127.5 + 127.5).to_array().map(|c| c.round() as u8);
        [r, g, b, 255]
    })
}
