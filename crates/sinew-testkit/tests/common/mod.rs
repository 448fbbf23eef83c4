//! Reading files back through ufbx, which shares nothing with this crate.
#![allow(dead_code)]

use glam::{DMat4, DVec3, DVec4};
use ufbx::{CoordinateAxis, EvaluateOpts, LoadOpts, Matrix, SceneRoot};

/// Loads a file; warnings count as failures, for every file here is meant to be well-formed.
pub(crate) fn load(what: &str, bytes: &[u8]) -> SceneRoot {
    let scene = match ufbx::load_memory(bytes, LoadOpts::default()) {
        Ok(scene) => scene,
        Err(error) => panic!("{what}: {}", error.description),
    };
    if let Some(warning) = scene.metadata.warnings.first() {
        panic!("{what}: {}", warning.description);
    }
    scene
}

pub(crate) fn matrix(m: &Matrix) -> DMat4 {
    DMat4::from_cols(
        DVec4::new(m.m00, m.m10, m.m20, 0.0),
        DVec4::new(m.m01, m.m11, m.m21, 0.0),
        DVec4::new(m.m02, m.m12, m.m22, 0.0),
        DVec4::new(m.m03, m.m13, m.m23, 1.0),
    )
}

/// Name and model matrix of every node but the implicit root, as the file has them.
pub(crate) fn models(scene: &SceneRoot) -> Vec<(String, DMat4)> {
    let own = scene.nodes.iter().filter(|n| !n.is_root);
    own.map(|n| (n.element.name.to_string(), matrix(&n.node_to_world))).collect()
}

/// Name and model matrix of every node in a take at a time, as the file has them.
pub(crate) fn models_at(scene: &SceneRoot, take: &str, time: f64) -> Vec<(String, DMat4)> {
    let Some(stack) = scene.find_anim_stack(take) else {
        panic!("there is no take `{take}`");
    };
    match scene.evaluate(&stack.anim, time, EvaluateOpts::default()) {
        Ok(posed) => models(&posed),
        Err(error) => panic!("{}", error.description),
    }
}

/// A model matrix of this file in metres with Y up.
pub(crate) fn to_metres_y_up(scene: &SceneRoot, model: DMat4) -> DMat4 {
    let turn = match scene.settings.axes.up {
        CoordinateAxis::PositiveZ => DMat4::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        CoordinateAxis::PositiveY => DMat4::IDENTITY,
        other => panic!("unexpected up axis {other:?}"),
    };
    let mut model = turn * model;
    model.w_axis = (model.w_axis.truncate() * scene.settings.unit_meters).extend(1.0);
    model
}

/// The largest difference of two matrices, translation in the same unit.
pub(crate) fn difference(a: DMat4, b: DMat4) -> f64 {
    let (a, b) = (a.to_cols_array(), b.to_cols_array());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Name and vertices of every mesh node in a take at a time, deformed, in the file's own units and axes.
pub(crate) fn vertices_at(scene: &SceneRoot, take: &str, time: f64) -> Vec<(String, Vec<DVec3>)> {
    let Some(stack) = scene.find_anim_stack(take) else {
        panic!("there is no take `{take}`");
    };
    let options = EvaluateOpts { evaluate_skinning: true, ..EvaluateOpts::default() };
    let posed = match scene.evaluate(&stack.anim, time, options) {
        Ok(posed) => posed,
        Err(error) => panic!("{}", error.description),
    };
    let nodes = posed.nodes.iter().filter(|n| n.mesh.is_some());
    nodes
        .map(|node| {
            let Some(mesh) = &node.mesh else {
                return Default::default();
            };
            let to_model =
                if mesh.skinned_is_local { matrix(&node.geometry_to_world) } else { DMat4::IDENTITY };
            let values = mesh.skinned_position.values.iter();
            let points = values.map(|v| to_model.transform_point3(DVec3::new(v.x, v.y, v.z)));
            (node.element.name.to_string(), points.collect())
        })
        .collect()
}
