//! Position, normal and tangent under a matrix.

use crate::kernel::simd::Simd;
use crate::pose::Lanes;

/// What all normals need of a matrix.
#[derive(Clone, Copy)]
pub(super) struct Turn<S> {
    /// The vector product of its second and third column.
    product: [S; 3],
    /// One with the sign of its determinant.
    sign: S,
}

impl<S: Simd> Turn<S> {
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    pub(super) unsafe fn new(m: [[S; 4]; 3]) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let product = product(m);
            Self { product, sign: sign(m, product) }
        }
    }
}

#[inline(always)]
unsafe fn product<S: Simd>(m: [[S; 4]; 3]) -> [S; 3] {
    let [[_, b, c, _], [_, e, f, _], [_, h, i, _]] = m;
    // SAFETY: the caller runs this on a machine with S.
    unsafe { cross([b, e, h], [c, f, i]) }
}

#[inline(always)]
unsafe fn sign<S: Simd>(m: [[S; 4]; 3], product: [S; 3]) -> S {
    // SAFETY: the caller runs this on a machine with S.
    unsafe { S::splat(1.0).flip_below_zero(dot([m[0][0], m[1][0], m[2][0]], product)) }
}

#[inline(always)]
pub(super) unsafe fn load<S: Simd, const N: usize>(lanes: &[Lanes]) -> [S; N] {
    let lanes = &lanes[..N];
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let mut loaded = [S::splat(0.0); N];
        for c in 0..N {
            loaded[c] = S::load(&lanes[c].0);
        }
        loaded
    }
}

#[inline(always)]
pub(super) unsafe fn position<S: Simd>(m: [[S; 4]; 3], p: [S; 3]) -> [S; 3] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let [x, y, z] = turned(m, p);
        [x.add(m[0][3]), y.add(m[1][3]), z.add(m[2][3])]
    }
}

/// A vector under the 3×3 part of a matrix.
#[inline(always)]
unsafe fn turned<S: Simd>(m: [[S; 4]; 3], v: [S; 3]) -> [S; 3] {
    let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = m;
    // SAFETY: the caller runs this on a machine with S.
    unsafe { [dot([a, b, c], v), dot([d, e, f], v), dot([g, h, i], v)] }
}

#[inline(always)]
unsafe fn dot<S: Simd>(a: [S; 3], b: [S; 3]) -> S {
    // SAFETY: the caller runs this on a machine with S.
    unsafe { a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0]))) }
}

#[inline(always)]
unsafe fn cross<S: Simd>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        [
            a[1].mul(b[2]).sub_mul(a[2], b[1]),
            a[2].mul(b[0]).sub_mul(a[0], b[2]),
            a[0].mul(b[1]).sub_mul(a[1], b[0]),
        ]
    }
}

/// A normal under a matrix. `turn` is what follows from the matrix alone, where that is known; else each part of it is computed when it is needed, since
/// registers are few.
#[inline(always)]
pub(super) unsafe fn normal<S: Simd>(m: [[S; 4]; 3], turn: Option<Turn<S>>, n: [S; 3]) -> [S; 3] {
    let [[a0, b0, c0, _], [a1, b1, c1, _], [a2, b2, c2, _]] = m;
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        // (b × c) · x + (c × a) · y + (a × b) · z, with two products instead of three.
        let [p, q, r] = match turn {
            Some(turn) => turn.product,
            None => product(m),
        };
        let across =
            [b0.mul(n[2]).sub_mul(c0, n[1]), b1.mul(n[2]).sub_mul(c1, n[1]), b2.mul(n[2]).sub_mul(c2, n[1])];
        let [u, v, w] = cross([a0, a1, a2], across);
        let turned = [p.mul_add(n[0], u), q.mul_add(n[0], v), r.mul_add(n[0], w)];
        let sign = match turn {
            Some(turn) => turn.sign,
            None => sign(m, [p, q, r]),
        };
        unit(turned, sign, n)
    }
}

#[inline(always)]
pub(super) unsafe fn tangent<S: Simd>(m: [[S; 4]; 3], t: [S; 4]) -> [S; 4] {
    let [x, y, z, bitangent] = t;
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let [x, y, z] = unit(turned(m, [x, y, z]), S::splat(1.0), [x, y, z]);
        [x, y, z, bitangent]
    }
}

/// Scaled to a length of `sign`; `otherwise` where there is no direction.
#[inline(always)]
unsafe fn unit<S: Simd>(v: [S; 3], sign: S, otherwise: [S; 3]) -> [S; 3] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let square = dot(v, v);
        let inverse = sign.div(square.sqrt());
        let unit = [v[0].mul(inverse), v[1].mul(inverse), v[2].mul(inverse)];
        S::where_between(square, f32::MIN_POSITIVE, f32::INFINITY, unit, otherwise)
    }
}
