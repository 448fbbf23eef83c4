//! How the curves of a clip move one node.

#![allow(clippy::indexing_slicing, reason = "indices were found in the same lists")]

use super::curve::{Curve, Segment};
use super::raw::TransformKind;
use super::stack::{Shape, Stack, affine, decompose_quickly, rows};
use crate::decompose::{Decomposed, Trs};
use crate::euler::{self, Order};
use crate::resample::{self, Knot, Side};
use crate::{Budget, Cause};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Matrices over time: each taken apart, so that between keys translation and scale move on lines and rotations on arcs.
#[derive(Clone, Debug)]
pub(crate) struct MatrixCurve {
    curve: Arc<Curve>,
    keys: Vec<Trs>,
    /// Largest shear of a key.
    residual: f64,
}

impl MatrixCurve {
    /// Takes the keys of a curve of sixteen numbers apart.
    pub(crate) fn new(curve: Curve) -> Self {
        let mut residual = 0.0f64;
        let keys = curve.values().as_chunks::<16>().0.iter().map(|matrix| {
            let key = decompose_quickly(&affine(matrix));
            residual = residual.max(key.residual);
            key.trs
        });
        let keys = keys.collect();
        // The numbers are most of a file: the decomposed ones are not kept twice.
        Self { curve: Arc::new(curve.without_values()), keys, residual }
    }

    /// The curve that the keys are from.
    pub(crate) fn curve(&self) -> &Arc<Curve> {
        &self.curve
    }

    /// Its matrices, taken apart.
    pub(crate) fn keys(&self) -> &[Trs] {
        &self.keys
    }

    fn sample(&self, time: f64, side: Side) -> Trs {
        let (index, part) = self.curve.locate(time, side);
        let Some(from) = self.keys.get(index) else { return Trs::IDENTITY };
        match (part, self.keys.get(index + 1), self.curve.segments().get(index)) {
            (Some(part), Some(to), Some(Segment::Linear | Segment::Cubic)) => from.between(to, part),
            _ => *from,
        }
    }
}

/// A curve that moves numbers of one transform.
#[derive(Clone, Debug)]
pub(crate) struct ItemCurve {
    /// Index of the transform.
    pub(crate) item: usize,
    /// First number that it moves.
    pub(crate) first: usize,
    /// How many it moves.
    pub(crate) curve: Arc<Curve>,
}

/// Translation, rotation or scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Part {
    Translation,
    Rotation,
    Scale,
}

/// A curve that replaces one component of a node's transform, though the node has no such transform.
#[derive(Clone, Debug)]
pub(crate) struct ComponentCurve {
    /// What it replaces.
    pub(crate) part: Part,
    /// Along or about which axis.
    pub(crate) axis: usize,
    /// Its values.
    pub(crate) curve: Arc<Curve>,
    /// Which of the curve's numbers.
    pub(crate) number: usize,
    /// What the values are to be multiplied by: radians per unit for rotations.
    pub(crate) factor: f64,
    /// Whether it is an angle whose unit the channel does not tell, so that it is decided for the whole file.
    pub(crate) unit_unknown: bool,
}

impl ComponentCurve {
    fn sample(&self, time: f64, side: Side) -> f64 {
        self.curve.sample(self.number, time, side) * self.factor
    }
}

/// All curves of one node.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    stack: Stack,
    /// Curves of single numbers or whole transforms, in order of the transforms; of those of one transform the later one counts.
    items: Vec<ItemCurve>,
    /// Curves of whole matrices, in order of the transforms, one of each.
    matrices: Vec<(usize, Arc<MatrixCurve>)>,
    /// A curve of the whole local matrix.
    pub(crate) local: Option<Arc<MatrixCurve>>,
    /// Curves of components.
    pub(crate) components: Vec<ComponentCurve>,
    order: Order,
    /// What components replace, if nothing else moves.
    base: Option<Base>,
}

/// Translation, angles and scale that components replace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Base {
    translation: DVec3,
    angles: DVec3,
    scale: DVec3,
}

impl Base {
    /// Takes a matrix apart so that what no curve moves fits what curves move: signs of the scale as the scale curves have them, and
    /// the branch of the angles that is nearest to the rotation curves, both where the curves begin.
    pub(crate) fn new(trs: &Trs, order: Order, angles: [Option<f64>; 3], scales: [Option<f64>; 3]) -> Self {
        let rotation = DMat3::from_quat(trs.rotation);
        let signs = signs(trs.scale, scales);
        // Negating two columns changes the rotation accordingly.
        let turned =
            DMat3::from_cols(rotation.x_axis * signs.x, rotation.y_axis * signs.y, rotation.z_axis * signs.z);
        let angles = euler::nearest(euler::angles(&turned, order), order, angles);
        Self { translation: trs.translation, angles, scale: trs.scale * signs }
    }

    fn to_trs(self, order: Order) -> Trs {
        let rotation = euler::rotation(self.angles, order);
        Trs { translation: self.translation, rotation, scale: self.scale }
    }
}

/// Which columns to negate, always an even number, so that scales get the signs of the curves that move them.
fn signs(scale: DVec3, wanted: [Option<f64>; 3]) -> DVec3 {
    let patterns = [DVec3::ONE, DVec3::new(-1., -1., 1.), DVec3::new(-1., 1., -1.), DVec3::new(1., -1., -1.)];
    let fits = |signs: &DVec3| {
        let signed = *signs * scale;
        wanted.iter().enumerate().all(|(axis, w)| w.is_none_or(|w| w * signed[axis] >= 0.0))
    };
    patterns.into_iter().find(fits).unwrap_or(DVec3::ONE)
}

impl Motion {
    /// A node that nothing moves yet.
    pub(crate) fn new(stack: Stack) -> Self {
        Self {
            stack,
            items: Vec::new(),
            matrices: Vec::new(),
            local: None,
            components: Vec::new(),
            order: Order::ZYX,
            base: None,
        }
    }

    /// Adds a curve of some numbers of a transform. Curves that it replaces altogether are dropped.
    pub(crate) fn add_item(&mut self, curve: ItemCurve) {
        let first = self.items.partition_point(|other| other.item < curve.item);
        let mut end = self.items.partition_point(|other| other.item <= curve.item);
        let numbers = |curve: &ItemCurve| curve.first..curve.first + curve.curve.width();
        let new = numbers(&curve);
        for index in (first..end).rev() {
            let old = self.items.get(index).map_or(0..0, numbers);
            if new.start <= old.start && old.end <= new.end {
                self.items.remove(index);
                end -= 1;
            }
        }
        self.items.insert(end, curve);
    }

    /// Sets the curve of a whole matrix: of two channels on one matrix the later one counts.
    pub(crate) fn add_matrix(&mut self, item: usize, curve: Option<Arc<MatrixCurve>>) {
        let at = self.matrices.binary_search_by_key(&item, |(item, _)| *item);
        match (at, curve) {
            (Ok(at), curve) => self.matrices.splice(at..=at, curve.map(|c| (item, c))).for_each(drop),
            (Err(at), curve) => self.matrices.splice(at..at, curve.map(|c| (item, c))).for_each(drop),
        }
    }

    /// Counts the keys, and the work of evaluating all transforms at each of them.
    pub(crate) fn count(&self, budget: &Budget<'_>) -> Result<(), Cause> {
        let keys: u64 = self.curves().map(|curve| curve.times().len() as u64).sum();
        budget.source_keys(keys)?;
        let items = self.stack.items().len() as u64 + 1;
        budget.steps(keys.saturating_mul(4 * items * items.div_ceil(16)))
    }

    /// Decides how components are read, once all curves are known.
    pub(crate) fn settle(&mut self, order: Order) {
        self.order = order;
        let still = self.items.is_empty() && self.matrices.is_empty() && self.local.is_none();
        if still && !self.components.is_empty() {
            self.base = Some(self.base_at(0.0, Side::After));
        }
    }

    /// The components that curves do not replace.
    fn base_at(&self, time: f64, side: Side) -> Base {
        let below = self.below_components(time, side).trs;
        let at_zero = |part| -> [Option<f64>; 3] {
            [0, 1, 2].map(|axis| {
                let curve = self.components.iter().rfind(|c| c.part == part && c.axis == axis);
                curve.map(|c| c.sample(0.0, Side::After))
            })
        };
        Base::new(&below, self.order, at_zero(Part::Rotation), at_zero(Part::Scale))
    }

    /// How far the components at time zero are from the node's own rotation, as an angle.
    pub(crate) fn rest_residual(&self, order: Order, radians_per_unit: f64) -> f64 {
        let mut tried = self.clone();
        for component in &mut tried.components {
            if component.unit_unknown {
                component.factor = radians_per_unit;
            }
        }
        tried.settle(order);
        // The rest is a matrix; which of its columns are negated must not matter.
        let (rest, moved) = (self.stack.trs().trs, tried.sample(0.0, Side::After));
        let turn = |trs: &Trs| DMat3::from_quat(trs.rotation) * DMat3::from_diagonal(trs.scale.signum());
        let cosine =
            ((turn(&rest).transpose() * turn(&moved)).to_cols_array().iter().step_by(4).sum::<f64>() - 1.0)
                / 2.0;
        libm::acos(cosine.clamp(-1.0, 1.0))
    }

    /// Local transform at a time of the document.
    pub(crate) fn sample(&self, time: f64, side: Side) -> Trs {
        if self.components.is_empty() {
            return self.below_components(time, side).trs;
        }
        let mut base = self.base.unwrap_or_else(|| self.base_at(time, side));
        for component in &self.components {
            let slots = match component.part {
                Part::Translation => &mut base.translation,
                Part::Rotation => &mut base.angles,
                Part::Scale => &mut base.scale,
            };
            slots[component.axis] = component.sample(time, side);
        }
        base.to_trs(self.order)
    }

    /// The matrices that are all that moves the node, if so.
    pub(crate) fn whole_matrix(&self) -> Option<&MatrixCurve> {
        if !self.components.is_empty() {
            return None;
        }
        match (self.local.as_ref(), self.stack.shape(), self.matrices.as_slice(), self.items.as_slice()) {
            (Some(local), ..) => Some(local),
            (None, Shape::Matrix, [(0, curve)], []) => Some(curve),
            _ => None,
        }
    }

    fn below_components(&self, time: f64, side: Side) -> Decomposed {
        if let Some(local) = &self.local {
            return Decomposed { trs: local.sample(time, side), residual: local.residual };
        }
        if let Some(whole) = self.whole_matrix() {
            return Decomposed { trs: whole.sample(time, side), residual: whole.residual };
        }
        self.stack.trs_with(|index, values| {
            let at = self.matrices.binary_search_by_key(&index, |(item, _)| *item).ok();
            if let Some((_, curve)) = at.and_then(|at| self.matrices.get(at)) {
                *values = rows(&curve.sample(time, side).to_affine());
            }
            let first = self.items.partition_point(|c| c.item < index);
            for curve in self.items.iter().skip(first).take_while(|c| c.item == index) {
                for number in 0..curve.curve.width() {
                    if let Some(value) = values.get_mut(curve.first + number) {
                        *value = curve.curve.sample(number, time, side);
                    }
                }
            }
        })
    }

    /// Largest shear at the keys: how far the nearest translation, rotation and scale is from the matrices.
    pub(crate) fn residual(&self) -> f64 {
        let whole = self.local.iter().chain(self.matrices.iter().map(|(_, m)| m)).map(|m| m.residual);
        let mut residual = whole.fold(0.0, f64::max);
        if self.stack.shape() == Shape::Any || (self.stack.shape() == Shape::Matrix && !self.items.is_empty())
        {
            let times = self.curves().flat_map(|c| c.times().iter().copied());
            for time in times {
                residual = residual.max(self.below_components(time, Side::After).residual);
            }
        }
        residual
    }

    fn curves(&self) -> impl Iterator<Item = &Curve> {
        let items = self.items.iter().map(|c| &*c.curve);
        let matrices = self.matrices.iter().map(|(_, m)| &*m.curve);
        let local = self.local.iter().map(|m| &*m.curve);
        let components = self.components.iter().map(|c| &*c.curve);
        items.chain(matrices).chain(local).chain(components)
    }

    /// First and last key.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        self.curves()
            .filter_map(|c| Some((*c.times().first()?, *c.times().last()?)))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// How translation, rotation and scale move in a clip that starts at `start`.
    pub(crate) fn parts(&self, start: f64) -> [resample::Curve; 3] {
        [Part::Translation, Part::Rotation, Part::Scale].map(|part| self.part(part, start))
    }

    fn part(&self, part: Part, start: f64) -> resample::Curve {
        let (curves, straight) = self.part_curves(part);
        if curves.is_empty() {
            return resample::Curve::Still;
        }
        let knots = curves.iter().flat_map(|curve| {
            curve.times().iter().zip(curve.jumps()).map(|(&time, jump)| Knot { time: time - start, jump })
        });
        let knots = knots.collect();
        if straight { resample::Curve::Linear(knots) } else { resample::Curve::Curved(knots) }
    }

    /// The curves that move a part, and whether it moves on straight lines (rotations: shortest arcs) between their keys.
    fn part_curves(&self, part: Part) -> (Vec<&Curve>, bool) {
        let lines = |curves: &[&Curve]| part != Part::Rotation && curves.iter().all(|c| c.is_linear());
        if self.base.is_some() {
            let own = self.components.iter().filter(|c| c.part == part).map(|c| &*c.curve);
            let curves: Vec<_> = own.collect();
            let straight = lines(&curves);
            return (curves, straight);
        }
        match self.stack.shape() {
            _ if !self.components.is_empty() => (self.curves().collect(), false),
            _ if self.local.is_some() => (self.local.iter().map(|m| &*m.curve).collect(), true),
            Shape::Matrix if self.items.is_empty() => (self.curves().collect(), true),
            Shape::Trs => {
                let own = self.items.iter().filter(|i| self.part_of(i.item) == Some(part));
                let curves: Vec<_> = own.map(|i| &*i.curve).collect();
                // Products of linear functions are not linear.
                let product = part == Part::Scale && self.scale_items() > 1;
                let straight = lines(&curves) && !product;
                (curves, straight)
            }
            _ if part == Part::Scale && self.stack.is_rigid() => (Vec::new(), true),
            _ => (self.curves().collect(), false),
        }
    }

    fn scale_items(&self) -> usize {
        self.stack.items().iter().filter(|i| i.kind == TransformKind::Scale).count()
    }

    fn part_of(&self, item: usize) -> Option<Part> {
        match self.stack.items().get(item)?.kind {
            TransformKind::Translate => Some(Part::Translation),
            TransformKind::Rotate => Some(Part::Rotation),
            TransformKind::Scale => Some(Part::Scale),
            _ => None,
        }
    }
}
