/// How a curve runs from a key to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Interpolation {
    /// Holds the key's value.
    Constant,
    /// Straight line.
    #[default]
    Linear,
    /// Cubic with the tangents that a tool works out from the neighbouring keys.
    Auto,
    /// Cubic with given slopes, in value per second: at this key to the right, and at the next key from the left.
    User {
        /// Slope with which the curve leaves this key.
        right: f64,
        /// Slope with which it arrives at the next key.
        next_left: f64,
    },
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Seconds.
    pub time: f64,
    /// Value; degrees for rotations, per cent for shape weights.
    pub value: f64,
    /// How the curve goes on from here.
    pub interpolation: Interpolation,
}

/// A scalar curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Keys in order of time.
    pub keys: Vec<Key>,
}

impl Curve {
    /// Linear keys from `(time, value)` pairs.
    pub fn linear(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::with(Interpolation::Linear, points)
    }

    /// Keys of one interpolation from `(time, value)` pairs.
    pub fn with(interpolation: Interpolation, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let keys = points.into_iter().map(|(time, value)| Key { time, value, interpolation });
        Self { keys: keys.collect() }
    }

    /// Linear keys of a function at `rate` keys a second, from 0 to `duration` inclusive.
    pub fn sampled(duration: f64, rate: f64, value: impl Fn(f64) -> f64) -> Self {
        let count = (duration * rate).round() as usize;
        Self::linear((0..=count).map(|i| {
            let time = i as f64 / rate;
            (time, value(time))
        }))
    }

    /// The curve's value; before the first key and after the last it holds.
    pub fn value(&self, time: f64) -> Option<f64> {
        let first = self.keys.first()?;
        let next = self.keys.partition_point(|k| k.time <= time);
        if next == 0 {
            return Some(first.value);
        }
        let key = self.keys[next - 1];
        let Some(&to) = self.keys.get(next) else {
            return Some(key.value);
        };
        let span = to.time - key.time;
        let u = (time - key.time) / span;
        let (right, mut left) = match key.interpolation {
            Interpolation::Constant => return Some(key.value),
            Interpolation::Linear => return Some(key.value + (to.value - key.value) * u),
            Interpolation::User { right, next_left } => (right, next_left),
            Interpolation::Auto => (self.auto_slope(next - 1), 0.0),
        };
        // An automatic key works out both of its sides, whatever the segment before it says.
        if to.interpolation == Interpolation::Auto {
            left = self.auto_slope(next);
        }
        // A cubic Bézier whose handles lie a third of the span away is a Hermite cubic.
        let (v, w) = (1.0 - u, u);
        let b1 = key.value + right * span / 3.0;
        let b2 = to.value - left * span / 3.0;
        Some(v * v * v * key.value + 3.0 * v * v * w * b1 + 3.0 * v * w * w * b2 + w * w * w * to.value)
    }

    /// Automatic, time-independent slope: that of the line between the neighbours.
    fn auto_slope(&self, index: usize) -> f64 {
        let before = &self.keys[index.saturating_sub(1)];
        let after = &self.keys[(index + 1).min(self.keys.len() - 1)];
        let span = after.time - before.time;
        if span > 0.0 { (after.value - before.value) / span } else { 0.0 }
    }
}

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// `Lcl Translation`.
    Translation,
    /// `Lcl Rotation`, degrees.
    Rotation,
    /// `Lcl Scaling`.
    Scaling,
}

/// Curves of one property of one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Node index.
    pub node: usize,
    /// What is moved.
    pub property: Property,
    /// X, Y and Z; an axis without a curve keeps its rest value.
    pub curves: [Option<Curve>; 3],
}

impl Track {
    /// A track with all three axes.
    pub fn xyz(node: usize, property: Property, curves: [Curve; 3]) -> Self {
        Self { node, property, curves: curves.map(Some) }
    }

    /// Changes every value and slope by a linear function.
    pub(super) fn map_values(&mut self, f: impl Fn(f64) -> f64) {
        for key in self.curves.iter_mut().flatten().flat_map(|c| c.keys.iter_mut()) {
            key.value = f(key.value);
            if let Interpolation::User { right, next_left } = &mut key.interpolation {
                *right = f(*right);
                *next_left = f(*next_left);
            }
        }
    }

    /// (x, y, z) becomes (x, −z, y), as Z-up files have it.
    pub(super) fn turn_to_z_up(&mut self) {
        let [x, y, z] = std::mem::take(&mut self.curves);
        let mut z_down = Track { node: self.node, property: self.property, curves: [z, None, None] };
        z_down.map_values(|v| -v);
        let [z_down, ..] = z_down.curves;
        self.curves = [x, z_down, y];
    }
}

/// Curve of one blend shape's weight.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeTrack {
    /// Mesh index.
    pub mesh: usize,
    /// Shape index within the mesh.
    pub shape: usize,
    /// Weight in per cent.
    pub curve: Curve,
}

/// One animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Take {
    /// Name of the stack.
    pub name: String,
    /// Declared begin and end in seconds; `None` declares nothing.
    pub range: Option<(f64, f64)>,
    /// Curves of nodes.
    pub tracks: Vec<Track>,
    /// Curves of blend shapes.
    pub shape_tracks: Vec<ShapeTrack>,
}

impl Take {
    /// An empty take with a range.
    pub fn new(name: impl Into<String>, begin: f64, end: f64) -> Self {
        Self { name: name.into(), range: Some((begin, end)), tracks: Vec::new(), shape_tracks: Vec::new() }
    }

    /// The track of a node's property, if there is one.
    pub fn track_mut(&mut self, node: usize, property: Property) -> Option<&mut Track> {
        self.tracks.iter_mut().find(|t| t.node == node && t.property == property)
    }
}
