//! Decoding uniform frames: eight joints at a time, two frames on the shortest arc or four on a cubic.

use super::Kernel;
use super::simd::Simd;
use crate::pose::{JointBlock, LANES, Lanes};

/// Rotations of eight joints. A stored rotation is x, y, z of a unit quaternion r with w above zero; the joint's is `before · r · after`.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Octet {
    pub(crate) low: [[f32; LANES]; 3],
    pub(crate) step: [[f32; LANES]; 3],
    pub(crate) before: [[f32; LANES]; 4],
    pub(crate) after: [[f32; LANES]; 4],
    pub(crate) widths: [u8; 3],
}

/// Eight numbers of any joints: `low + step · stored`.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Loose {
    pub(crate) low: [f32; LANES],
    pub(crate) step: [f32; LANES],
    pub(crate) width: u8,
    /// Where they go.
    pub(crate) targets: [u32; LANES],
}

/// Between which frames, and how far.
#[derive(Clone, Copy)]
pub(crate) enum Between<'a> {
    /// On the shortest arc from the first (0) to the second (1).
    Arc([&'a [u8]; 2], f32),
    /// The sum of four by weight.
    Cubic([&'a [u8]; 4], [f32; 4]),
}

/// Decodes frames. Bytes of a frame are those of the octets' widths, then those of `loose`, then those of `scalars`; 16 more can be read behind each.
/// The caller has checked all of that, that no more octets than blocks are there, and that targets lie within `out` and `scalars_out`.
pub(crate) struct Decode<'a> {
    pub(crate) octets: &'a [Octet],
    pub(crate) loose: &'a [Loose],
    pub(crate) scalars: &'a [Loose],
    pub(crate) between: Between<'a>,
    /// What joints without frames are set to.
    pub(crate) rest: &'a [JointBlock],
    pub(crate) out: &'a mut [JointBlock],
    pub(crate) scalars_out: &'a mut [f32],
}

impl Kernel for Decode<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        match self.between {
            // SAFETY: the caller runs this on a machine with S, and checked the bytes.
            Between::Arc(frames, t) => unsafe { self.decode(Arc::<S>::new(frames, t)) },
            // SAFETY: as above.
            Between::Cubic(frames, weights) => unsafe { self.decode(Cubic::<S>::new(frames, weights)) },
        }
    }
}

/// Decodes the rotations of one octet. Frames begin with its bytes.
pub(crate) struct DecodeOctet<'a> {
    pub(crate) octet: &'a Octet,
    pub(crate) between: Between<'a>,
    pub(crate) out: &'a mut [Lanes; 4],
}

impl Kernel for DecodeOctet<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller runs this on a machine with S, and checked the bytes.
        unsafe {
            let turn = match self.between {
                Between::Arc(frames, t) => Arc::<S>::new(frames, t).rotation(self.octet),
                Between::Cubic(frames, weights) => Cubic::<S>::new(frames, weights).rotation(self.octet),
            };
            turn_octet(self.octet, turn, self.out);
        }
    }
}

/// Decodes eight loose numbers. Frames begin with their bytes.
pub(crate) struct DecodeLoose<'a> {
    pub(crate) loose: &'a Loose,
    pub(crate) between: Between<'a>,
    pub(crate) out: &'a mut [f32; LANES],
}

impl Kernel for DecodeLoose<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller runs this on a machine with S, and checked the bytes.
        unsafe {
            let values = match self.between {
                Between::Arc(frames, t) => Arc::<S>::new(frames, t).numbers(self.loose),
                Between::Cubic(frames, weights) => Cubic::<S>::new(frames, weights).numbers(self.loose),
            };
            values.store(self.out);
        }
    }
}

/// Rotations of the joints from what is stored of them.
///
/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn turn_octet<S: Simd>(octet: &Octet, turn: [S; 4], out: &mut [Lanes; 4]) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let rotation = multiply(multiply(load::<S>(&octet.before), turn), load::<S>(&octet.after));
        rotation[0].store(&mut out[0].0);
        rotation[1].store(&mut out[1].0);
        rotation[2].store(&mut out[2].0);
        rotation[3].store(&mut out[3].0);
    }
}

impl Decode<'_> {
    /// # Safety
    /// As for [`Kernel::run`]; the source's frames are those of `self`.
    #[inline(always)]
    unsafe fn decode<S: Simd>(self, mut source: impl Source<S>) {
        let Self { octets, loose, scalars, rest, out, scalars_out, .. } = self;
        let (moved, still) = out.split_at_mut(octets.len());
        let (rest_moved, rest_still) = rest.split_at(octets.len());
        still.copy_from_slice(rest_still);
        for ((octet, rest), out) in octets.iter().zip(rest_moved).zip(moved) {
            out.translation = rest.translation;
            out.scale = rest.scale;
            // SAFETY: the caller's promise.
            unsafe {
                let turn = source.rotation(octet);
                turn_octet(octet, turn, &mut out.rotation);
            }
        }
        let flat: &mut [f32] = bytemuck::cast_slice_mut(out);
        for loose in loose {
            // SAFETY: the caller's promise.
            unsafe { scatter(&mut source, loose, flat) };
        }
        for loose in scalars {
            // SAFETY: the caller's promise.
            unsafe { scatter(&mut source, loose, scalars_out) };
        }
    }
}

/// # Safety
/// As for [`Decode::decode`].
#[inline(always)]
unsafe fn scatter<S: Simd>(source: &mut impl Source<S>, loose: &Loose, out: &mut [f32]) {
    let mut values = [0.0; LANES];
    // SAFETY: the caller's promise.
    unsafe { source.numbers(loose).store(&mut values) };
    for (value, &target) in values.into_iter().zip(&loose.targets) {
        out[target as usize] = value;
    }
}

/// Frames, read from front to back.
trait Source<S: Simd> {
    /// The next rotations.
    ///
    /// # Safety
    /// As for [`Decode::decode`].
    unsafe fn rotation(&mut self, octet: &Octet) -> [S; 4];
    /// The next numbers.
    ///
    /// # Safety
    /// As for [`Decode::decode`].
    unsafe fn numbers(&mut self, loose: &Loose) -> S;
}

/// Two frames.
struct Arc<S> {
    at: [*const u8; 2],
    from: S,
    to: S,
}

impl<S: Simd> Arc<S> {
    #[inline(always)]
    unsafe fn new(frames: [&[u8]; 2], t: f32) -> Self {
        // SAFETY: the caller runs this on a machine with S.
        let (from, to) = unsafe { (S::splat(1.0 - t), S::splat(t)) };
        Self { at: [frames[0].as_ptr(), frames[1].as_ptr()], from, to }
    }

    /// One component in both frames.
    #[inline(always)]
    unsafe fn ends(&mut self, octet: &Octet, c: usize) -> [S; 2] {
        // SAFETY: the caller's promise.
        unsafe {
            let (width, low) = (usize::from(octet.widths[c]), S::load(&octet.low[c]));
            if width == 0 {
                return [low, low];
            }
            let step = S::load(&octet.step[c]);
            let a = S::unpack(self.at[0], width).mul_add(step, low);
            let b = S::unpack(self.at[1], width).mul_add(step, low);
            self.at = [self.at[0].add(width), self.at[1].add(width)];
            [a, b]
        }
    }
}

impl<S: Simd> Source<S> for Arc<S> {
    #[inline(always)]
    unsafe fn rotation(&mut self, octet: &Octet) -> [S; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            let [x, y, z] = [self.ends(octet, 0), self.ends(octet, 1), self.ends(octet, 2)];
            let (a, b) = ([x[0], y[0], z[0]], [x[1], y[1], z[1]]);
            let (aw, bw) = (w_of(a), w_of(b));
            let one = S::splat(1.0);
            // The cosine of half the angle, less one: taken off first, so that no bits are lost.
            let less = a[0].mul(b[0]).sub(one);
            let less = aw.mul_add(bw, a[2].mul_add(b[2], a[1].mul_add(b[1], less)));
            let (from, to) = (arc_weight(less, self.from), arc_weight(less, self.to));
            [
                b[0].mul_add(to, a[0].mul(from)),
                b[1].mul_add(to, a[1].mul(from)),
                b[2].mul_add(to, a[2].mul(from)),
                bw.mul_add(to, aw.mul(from)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn numbers(&mut self, loose: &Loose) -> S {
        let width = usize::from(loose.width);
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (S::unpack(self.at[0], width), S::unpack(self.at[1], width));
            self.at = [self.at[0].add(width), self.at[1].add(width)];
            let between = b.sub(a).mul_add(self.to, a);
            between.mul_add(S::load(&loose.step), S::load(&loose.low))
        }
    }
}

/// Four frames.
struct Cubic<S> {
    at: [*const u8; 4],
    weights: [S; 4],
}

impl<S: Simd> Cubic<S> {
    #[inline(always)]
    unsafe fn new(frames: [&[u8]; 4], weights: [f32; 4]) -> Self {
        // SAFETY: the caller runs this on a machine with S.
        let weights = unsafe {
            [S::splat(weights[0]), S::splat(weights[1]), S::splat(weights[2]), S::splat(weights[3])]
        };
        let at = [frames[0].as_ptr(), frames[1].as_ptr(), frames[2].as_ptr(), frames[3].as_ptr()];
        Self { at, weights }
    }

    /// The weighted sum of what is stored, as the weights sum to one.
    #[inline(always)]
    unsafe fn sum(&mut self, width: usize, low: S, step: S) -> S {
        if width == 0 {
            return low;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (S::unpack(self.at[0], width), S::unpack(self.at[1], width));
            let (c, d) = (S::unpack(self.at[2], width), S::unpack(self.at[3], width));
            let [at0, at1, at2, at3] = self.at;
            self.at = [at0.add(width), at1.add(width), at2.add(width), at3.add(width)];
            let [wa, wb, wc, wd] = self.weights;
            let sum = d.mul_add(wd, c.mul_add(wc, b.mul_add(wb, a.mul(wa))));
            sum.mul_add(step, low)
        }
    }
}

impl<S: Simd> Source<S> for Cubic<S> {
    #[inline(always)]
    unsafe fn rotation(&mut self, octet: &Octet) -> [S; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            let [w0, w1, w2] = octet.widths;
            let x = self.sum(w0.into(), S::load(&octet.low[0]), S::load(&octet.step[0]));
            let y = self.sum(w1.into(), S::load(&octet.low[1]), S::load(&octet.step[1]));
            let z = self.sum(w2.into(), S::load(&octet.low[2]), S::load(&octet.step[2]));
            [x, y, z, w_of([x, y, z])]
        }
    }

    #[inline(always)]
    unsafe fn numbers(&mut self, loose: &Loose) -> S {
        // SAFETY: the caller's promise.
        unsafe { self.sum(usize::from(loose.width), S::load(&loose.low), S::load(&loose.step)) }
    }
}

/// The fourth component of a unit quaternion; zero where rounding has made the others too long.
#[inline(always)]
unsafe fn w_of<S: Simd>(v: [S; 3]) -> S {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let square = S::splat(1.0).sub_mul(v[0], v[0]).sub_mul(v[1], v[1]).sub_mul(v[2], v[2]);
        square.max(S::splat(0.0)).sqrt()
    }
}

/// `sin(t·α) / sin(α)` by four terms of its series in `cos α − 1`: frames of a clip lie close together.
#[inline(always)]
unsafe fn arc_weight<S: Simd>(less: S, t: S) -> S {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let (one, square) = (S::splat(1.0), t.mul(t));
        let mut sum = one;
        let mut i = 4;
        while i >= 1 {
            let n = i as f32;
            let (u, v) = (1.0 / (n * (2.0 * n + 1.0)), n / (2.0 * n + 1.0));
            let term = S::splat(u).mul(square).sub(S::splat(v)).mul(less);
            sum = term.mul_add(sum, one);
            i -= 1;
        }
        t.mul(sum)
    }
}

/// Four components of eight lanes.
#[inline(always)]
unsafe fn load<S: Simd>(from: &[[f32; LANES]; 4]) -> [S; 4] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe { [S::load(&from[0]), S::load(&from[1]), S::load(&from[2]), S::load(&from[3])] }
}

/// Product of quaternions.
#[inline(always)]
unsafe fn multiply<S: Simd>(a: [S; 4], b: [S; 4]) -> [S; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        [
            ay.mul_add(bz, ax.mul_add(bw, aw.mul(bx))).sub_mul(az, by),
            az.mul_add(bx, ay.mul_add(bw, aw.mul(by).sub_mul(ax, bz))),
            az.mul_add(bw, ax.mul_add(by, aw.mul(bz)).sub_mul(ay, bx)),
            aw.mul(bw).sub_mul(ax, bx).sub_mul(ay, by).sub_mul(az, bz),
        ]
    }
}
