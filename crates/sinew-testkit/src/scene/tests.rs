use super::*;

fn chain() -> Scene {
    let mut scene = Scene::default();
    let a = scene.add(Node::limb("a", None, Transform::at(DVec3::Y)));
    let b = scene.add(Node::limb("b", Some(a), Transform::at(DVec3::Y * 2.0)));
    scene.add(Node::limb("c", Some(b), Transform::at(DVec3::Y * 3.0)));
    scene
}

fn origin(models: &[DMat4], node: usize) -> DVec3 {
    models[node].w_axis.truncate()
}

#[test]
fn models_multiply_down_the_tree_in_any_order() {
    let mut scene = chain();
    scene.nodes[0].transform.pre_rotation = DVec3::new(0.0, 0.0, 90.0);
    let models = scene.models(None, 0.0);
    assert!((origin(&models, 2) - DVec3::new(-5.0, 1.0, 0.0)).length() < 1e-12);
    let shuffled = scene.reordered(&[2, 0, 1]);
    let again = shuffled.models(None, 0.0);
    assert!(again[0].abs_diff_eq(models[2], 1e-12));
}

#[test]
fn scale_is_inherited_as_the_node_says() {
    let mut scene = chain();
    scene.nodes[0].transform.scaling = DVec3::splat(2.0);
    let scale = |scene: &Scene, node: usize| scene.models(None, 0.0)[node].x_axis.length();
    assert_eq!(scale(&scene, 1), 2.0);
    scene.nodes[1].transform.inherit = Inherit::IgnoreParentScale;
    assert_eq!(scale(&scene, 1), 1.0);
    let models = scene.models(None, 0.0);
    assert_eq!(origin(&models, 1), DVec3::new(0.0, 5.0, 0.0));
    assert_eq!(origin(&models, 2), DVec3::new(0.0, 8.0, 0.0));
}

#[test]
fn unit_and_axes_leave_the_same_thing_in_metres() {
    let mut scene = chain();
    scene.nodes[0].transform.rotation = DVec3::new(10.0, 20.0, 30.0);
    let want: Vec<DMat4> = scene.models(None, 0.0).into_iter().map(|m| scene.to_metres_y_up(m)).collect();
    for other in
        [scene.clone().in_unit(100.0), scene.clone().in_z_up(), scene.clone().in_unit(2.54).in_z_up()]
    {
        for (model, want) in other.models(None, 0.0).into_iter().zip(&want) {
            assert!(other.to_metres_y_up(model).abs_diff_eq(*want, 1e-12));
        }
    }
}

#[test]
fn curves_hold_outside_their_keys() {
    let curve = Curve::linear([(1.0, 10.0), (2.0, 20.0)]);
    assert_eq!(curve.value(0.0), Some(10.0));
    assert_eq!(curve.value(1.25), Some(12.5));
    assert_eq!(curve.value(3.0), Some(20.0));
    assert_eq!(Curve::default().value(0.0), None);
}
