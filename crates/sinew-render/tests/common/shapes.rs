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
        positions: vec![corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, -1.0)],
        normals: vec![Vec3::Z; 4],
        uvs: vec![Vec2::ZERO, Vec2::new(uv.x, 0.0), uv, Vec2::new(0.0, uv.y)],
        indices: vec![0, 3, 2, 0, 2, 1],
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
    let image = Image::Embedded(encode_png(picture).unwrap());
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
