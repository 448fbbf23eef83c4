//! Triangles and normals of mirrored meshes are seen from outside.

mod common;

use common::dae;
use common::doc::{Doc, TRIANGLE};
use glam::{Mat3, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Instance};
use sinew_import::{Options, import_bytes};
use std::path::Path;
use std::sync::Arc;

/// A triangle that faces +Z, hung on a node of a scale, or bound to it with a bind shape and an inverse bind.
fn triangle(scale: &str, skin: Option<[&str; 2]>) -> Character {
    let source = |id: &str, numbers: &str, kind: &str| {
        let count = numbers.split(' ').count();
        format!(
            "<source id='{id}'><float_array id='{id}a' count='{count}'>{numbers}</float_array><technique_common>\
             <accessor source='#{id}a' count='{}' stride='{kind}'/></technique_common></source>",
            count / kind.parse::<usize>().unwrap()
        )
    };
    let geometry = format!(
        "<library_geometries><geometry id='g'><mesh>{}{}<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\
         <triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' offset='1'/>\
         <p>0 0 1 0 2 0</p></triangles></mesh></geometry></library_geometries>",
        source("p", "0 0 0 1 0 0 0 1 0", "3"),
        source("n", "0 0 1", "3"),
    );
    let controller = skin.map_or(String::new(), |[shape, inverse]| {
        format!(
            "<library_controllers><controller id='c'><skin source='#g'><bind_shape_matrix>{shape}</bind_shape_matrix>\
             <source id='j'><Name_array id='ja' count='1'>root</Name_array><technique_common><accessor source='#ja' count='1'/>\
             </technique_common></source>{}{}<joints><input semantic='JOINT' source='#j'/>\
             <input semantic='INV_BIND_MATRIX' source='#i'/></joints><vertex_weights count='3'>\
             <input semantic='JOINT' source='#j' offset='0'/><input semantic='WEIGHT' source='#w' offset='1'/>\
             <vcount>1 1 1</vcount><v>0 0 0 0 0 0</v></vertex_weights></skin></controller></library_controllers>",
            source("i", inverse, "16"),
            source("w", "1", "1"),
        )
    });
    let shown = match skin {
        None => "<instance_geometry url='#g'/>",
        Some(_) => "",
    };
    let bound = skin.map_or("", |_| "<node id='m'><instance_controller url='#c'><skeleton>#root</skeleton></instance_controller></node>");
    let scene = format!(
        "<library_visual_scenes><visual_scene id='s'><node id='root' sid='root' type='JOINT'><scale>{scale}</scale>{shown}</node>\
         {bound}</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>"
    );
    let text = dae::document(&[&geometry, &controller, &scene]);
    import_bytes(text.as_bytes(), Path::new("triangle.dae"), &Options::default()).unwrap().character
}

/// The side that the first triangle shows in the rest pose, and its normal there. Without a skin a joint that mirrors turns the side round.
fn shown(character: Character) -> (Vec3, Vec3) {
    let instance = Instance::new(Arc::new(character));
    let mesh = &instance.character().meshes()[0];
    let mut rest = SkinnedVertices::for_mesh(mesh);
    rest.skin(mesh, instance.skin_matrices(0), instance.pose().scalars()).unwrap();
    let [a, b, c] = [0, 1, 2].map(|i| rest.positions[mesh.indices[i] as usize]);
    let mirror: Mat3 = instance.model_matrices()[0].matrix3;
    let turned = mesh.skin.is_none() && mirror.determinant() < 0.0;
    ((b - a).cross(c - a).normalize() * if turned { -1.0 } else { 1.0 }, rest.normals[0])
}

const IDENTITY: &str = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";
const MIRROR: &str = "-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";

#[test]
fn mirrors_leave_the_front_in_front() {
    for scale in ["1 1 1", "-1 1 1"] {
        assert_eq!(shown(triangle(scale, None)), (Vec3::Z, Vec3::Z), "rigid, {scale}");
        for shape in [IDENTITY, MIRROR] {
            for inverse in [IDENTITY, MIRROR] {
                let character = triangle(scale, Some([shape, inverse]));
                assert_eq!(
                    shown(character),
                    (Vec3::Z, Vec3::Z),
                    "scale {scale}, shape {shape}, inverse bind {inverse}"
                );
            }
        }
    }
}

/// The same as glTF: its skins are seen where their joints take them, and the node that carries the mesh says which side is the front.
#[test]
fn nodes_of_gltf_that_mirror_leave_the_front_in_front() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let normals = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    let joints = doc.view(&[0; 12]);
    let joints =
        doc.accessor(&format!(r#""bufferView":{joints},"componentType":5121,"type":"VEC4","count":3"#));
    let weights = doc.floats("VEC4", 4, &[1.0, 0.0, 0.0, 0.0].repeat(3));
    let triangle = |node: &str, skins: &str| {
        let nodes = format!(r#""nodes":[{{"mesh":0,{node}}},{{}}]{skins}"#);
        let mesh = format!(
            r#"{nodes},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions},"NORMAL":{normals},
               "JOINTS_0":{joints},"WEIGHTS_0":{weights}}}}}]}}]"#
        );
        shown(doc.import(&mesh).unwrap().character)
    };
    for x in [1, -1] {
        assert_eq!(triangle(&format!(r#""scale":[{x},1,1]"#), ""), (Vec3::Z, Vec3::Z), "rigid, {x}");
    }
    let skins = r#","skins":[{"joints":[1]}]"#;
    assert_eq!(triangle(r#""skin":0"#, skins), (Vec3::Z, Vec3::Z));
    assert_eq!(triangle(r#""skin":0,"scale":[-1,1,1]"#, skins).0, -Vec3::Z, "turned round by its node");
}
