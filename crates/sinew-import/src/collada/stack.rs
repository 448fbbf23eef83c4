//! The transforms of a node, multiplied in the order in which they are written.

use super::raw::{StackItem, TransformKind};
use crate::decompose::{Decomposed, Trs, decompose};
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// One transform of a node, kept beyond the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// What it does.
    pub(crate) kind: TransformKind,
    /// What channels call it.
    pub(crate) sid: Option<String>,
    /// Its numbers.
    pub(crate) values: [f64; 16],
}

/// What the transforms of a node make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Translations, then rotations, then scales: translation, rotation and scale can be told without a matrix, and signs and whole turns
    /// are kept.
    Trs,
    /// A single matrix.
    Matrix,
    /// Anything else.
    Any,
}

/// All transforms of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stack {
    items: Vec<Item>,
    shape: Shape,
}

impl Stack {
    /// The transforms of a node of the document.
    pub(crate) fn new(raw: &[StackItem<'_>]) -> Self {
        let items: Vec<Item> = raw
            .iter()
            .map(|item| Item { kind: item.kind, sid: item.sid.map(str::to_owned), values: item.values })
            .collect();
        let shape = shape(&items);
        Self { items, shape }
    }

    /// The transforms, of which the last is applied first.
    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    /// What they make together.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether nothing in it can scale.
    pub(crate) fn is_rigid(&self) -> bool {
        !self
            .items
            .iter()
            .any(|i| matches!(i.kind, TransformKind::Matrix | TransformKind::Scale | TransformKind::Skew))
    }

    /// Their product.
    pub(crate) fn matrix(&self) -> DAffine3 {
        self.matrix_with(|_, _| {})
    }

    /// Their product, with numbers that are changed item by item.
    pub(crate) fn matrix_with(&self, change: impl Fn(usize, &mut [f64; 16])) -> DAffine3 {
        let mut product = DAffine3::IDENTITY;
        for (index, item) in self.items.iter().enumerate() {
            let mut values = item.values;
            change(index, &mut values);
            product *= item_matrix(item.kind, &values);
        }
        product
    }

    /// Translation, rotation and scale, with numbers that are changed item by item, and how far they are from the product.
    pub(crate) fn trs_with(&self, change: impl Fn(usize, &mut [f64; 16])) -> Decomposed {
        if self.shape != Shape::Trs {
            return decompose_quickly(&self.matrix_with(change));
        }
        let mut trs = Trs::IDENTITY;
        for (index, item) in self.items.iter().enumerate() {
            let mut values = item.values;
            change(index, &mut values);
            match item.kind {
                TransformKind::Translate => trs.translation += vector(&values),
                TransformKind::Scale => trs.scale *= vector(&values),
                _ => trs.rotation *= rotation(&values),
            }
        }
        trs.rotation = trs.rotation.normalize();
        Decomposed { trs, residual: 0.0 }
    }

    /// Translation, rotation and scale as they are written.
    pub(crate) fn trs(&self) -> Decomposed {
        self.trs_with(|_, _| {})
    }
}

fn shape(items: &[Item]) -> Shape {
    if let [item] = items
        && item.kind == TransformKind::Matrix
    {
        return Shape::Matrix;
    }
    let rank = |kind| match kind {
        TransformKind::Translate => Some(0),
        TransformKind::Rotate => Some(1),
        TransformKind::Scale => Some(2),
        _ => None,
    };
    let ranks: Option<Vec<u8>> = items.iter().map(|i| rank(i.kind)).collect();
    match ranks {
        Some(ranks) if ranks.is_sorted() => Shape::Trs,
        _ => Shape::Any,
    }
}

/// Matrix of one transform.
fn item_matrix(kind: TransformKind, values: &[f64; 16]) -> DAffine3 {
    match kind {
        TransformKind::Matrix => affine(values),
        TransformKind::Translate => DAffine3::from_translation(vector(values)),
        TransformKind::Rotate => DAffine3::from_quat(rotation(values)),
        TransformKind::Scale => DAffine3::from_scale(vector(values)),
        TransformKind::Skew => skew(values),
        TransformKind::LookAt => look_at(values),
    }
}

/// Sixteen numbers, row by row, as a matrix. The last row is ignored: some files animate its cells, without meaning.
pub(crate) fn affine(m: &[f64; 16]) -> DAffine3 {
    DAffine3 {
        matrix3: DMat3::from_cols(
            DVec3::new(m[0], m[4], m[8]),
            DVec3::new(m[1], m[5], m[9]),
            DVec3::new(m[2], m[6], m[10]),
        ),
        translation: DVec3::new(m[3], m[7], m[11]),
    }
}

/// A matrix as sixteen numbers, row by row.
pub(crate) fn rows(m: &DAffine3) -> [f64; 16] {
    let (x, y, z, t) = (m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation);
    [x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z, 0.0, 0.0, 0.0, 1.0]
}

fn vector(v: &[f64; 16]) -> DVec3 {
    DVec3::new(v[0], v[1], v[2])
}

/// Axis and degrees; an axis of length zero gives identity.
fn rotation(v: &[f64; 16]) -> DQuat {
    match vector(v).try_normalize() {
        Some(axis) => DQuat::from_axis_angle(axis, v[3].to_radians()),
        None => DQuat::IDENTITY,
    }
}

/// RenderMan's skew: points move along the second axis, so far that the first axis turns by the angle towards it.
fn skew(v: &[f64; 16]) -> DAffine3 {
    let (turned, along) = (DVec3::new(v[1], v[2], v[3]), DVec3::new(v[4], v[5], v[6]));
    let Some(along) = along.try_normalize() else { return DAffine3::IDENTITY };
    let Some(across) = (turned - along * turned.dot(along)).try_normalize() else {
        return DAffine3::IDENTITY;
    };
    let (a, b) = (turned.dot(across), turned.dot(along));
    let (sine, cosine) = libm::sincos(v[0].to_radians());
    let (ra, rb) = (a * cosine - b * sine, a * sine + b * cosine);
    if ra <= 1e-9 {
        return DAffine3::IDENTITY;
    }
    let slope = rb / ra - b / a;
    let outer = DMat3::from_cols(along * across.x, along * across.y, along * across.z);
    DAffine3::from_mat3(DMat3::IDENTITY + outer * slope)
}

fn look_at(v: &[f64; 16]) -> DAffine3 {
    let eye = DVec3::new(v[0], v[1], v[2]);
    let back = eye - DVec3::new(v[3], v[4], v[5]);
    let up = DVec3::new(v[6], v[7], v[8]);
    let axes = back.try_normalize().and_then(|z| {
        let x = up.cross(z).try_normalize()?;
        Some(DMat3::from_cols(x, z.cross(x), z))
    });
    DAffine3 { matrix3: axes.unwrap_or(DMat3::IDENTITY), translation: eye }
}

/// Columns may be this far from perpendicular before a matrix counts as sheared: text of six decimals is well below.
const PERPENDICULAR: f64 = 2e-5;

/// The nearest translation, rotation and scale. For all but sheared matrices the scale is the length of the columns, which saves
/// looking for the nearest in files of many thousand keys.
pub(crate) fn decompose_quickly(m: &DAffine3) -> Decomposed {
    let columns = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let mut scale = DVec3::from_array(columns.map(DVec3::length));
    if !(scale.min_element() > 1e-9 * scale.max_element() && scale.is_finite()) {
        return decompose(m);
    }
    if m.matrix3.determinant() < 0.0 {
        scale.x = -scale.x;
    }
    let [x, y, z] = [columns[0] / scale.x, columns[1] / scale.y, columns[2] / scale.z];
    let residual = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
    if residual > PERPENDICULAR {
        return decompose(m);
    }
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
    Decomposed { trs: Trs { translation: m.translation, rotation, scale }, residual }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: TransformKind, numbers: &[f64]) -> StackItem<'static> {
        let mut values = [0.0; 16];
        values[..numbers.len()].copy_from_slice(numbers);
        StackItem { kind, sid: None, values }
    }

    #[test]
    fn the_last_is_applied_first() {
        let translate = item(TransformKind::Translate, &[1.0, 0.0, 0.0]);
        let rotate = item(TransformKind::Rotate, &[0.0, 0.0, 2.0, 90.0]);
        let scale = item(TransformKind::Scale, &[2.0, 3.0, 4.0]);
        let stack = Stack::new(&[translate.clone(), rotate.clone(), scale.clone()]);
        assert_eq!(stack.shape(), Shape::Trs);
        let moved = stack.matrix().transform_point3(DVec3::X);
        assert!(moved.abs_diff_eq(DVec3::new(1.0, 2.0, 0.0), 1e-12), "{moved}");
        let trs = stack.trs().trs.to_affine();
        assert!(trs.abs_diff_eq(stack.matrix(), 1e-12));
        let reversed = Stack::new(&[scale, rotate, translate]);
        assert_eq!(reversed.shape(), Shape::Any);
        let moved = reversed.matrix().transform_point3(DVec3::X);
        assert!(moved.abs_diff_eq(DVec3::new(0.0, 6.0, 0.0), 1e-12), "{moved}");
        assert!(reversed.trs().residual < 1e-9 || reversed.trs().residual > 0.1);
    }

    #[test]
    fn a_matrix_is_written_row_by_row() {
        let numbers: Vec<f64> = (1..=16).map(f64::from).collect();
        let stack = Stack::new(&[item(TransformKind::Matrix, &numbers)]);
        assert_eq!(stack.shape(), Shape::Matrix);
        assert_eq!(stack.matrix().translation, DVec3::new(4.0, 8.0, 12.0));
        assert_eq!(stack.matrix().matrix3.x_axis, DVec3::new(1.0, 5.0, 9.0));
        assert_eq!(rows(&stack.matrix())[..12], numbers[..12]);
    }

    #[test]
    fn skew_turns_one_axis_towards_the_other() {
        let stack = Stack::new(&[item(TransformKind::Skew, &[45.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0])]);
        let moved = stack.matrix().transform_point3(DVec3::Y);
        assert!(moved.abs_diff_eq(DVec3::new(1.0, 1.0, 0.0), 1e-12), "{moved}");
        assert!(stack.matrix().transform_point3(DVec3::X).abs_diff_eq(DVec3::X, 1e-12));
        assert!(stack.trs().residual > 0.1);
    }

    #[test]
    fn looking_is_along_minus_z() {
        let stack =
            Stack::new(&[item(TransformKind::LookAt, &[1.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0])]);
        let m = stack.matrix();
        assert!(m.transform_vector3(DVec3::NEG_Z).abs_diff_eq(DVec3::X, 1e-12));
        assert!(m.transform_vector3(DVec3::Y).abs_diff_eq(DVec3::Y, 1e-12));
        assert_eq!(m.translation, DVec3::X);
    }

    #[test]
    fn nonsense_turns_nothing() {
        for (kind, numbers) in [
            (TransformKind::Rotate, &[0.0, 0.0, 0.0, 90.0][..]),
            (TransformKind::Skew, &[45.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
            (TransformKind::Skew, &[90.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
        ] {
            assert_eq!(Stack::new(&[item(kind, numbers)]).matrix(), DAffine3::IDENTITY);
        }
    }
}
