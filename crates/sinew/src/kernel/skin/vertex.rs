//! Position, normal and tangent under a matrix.

use crate::kernel::simd::{Simd, Vector, Wide};
use crate::pose::Lanes;

/// Three components, those of each block `stride` lanes apart.
#[inline(always)]
pub(super) unsafe fn load<W: Wide>(lanes: &[Lanes], stride: usize) -> [W; 3] {
    // SAFETY: the caller runs this on a machine with W.
    unsafe { [W::gather(lanes, stride), W::gather(&lanes[1..], stride), W::gather(&lanes[2..], stride)] }
}

#[inline(always)]
pub(super) unsafe fn store<S: Simd>(v: [S; 3], lanes: &mut [Lanes]) {
    let lanes = &mut lanes[..3];
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        v[0].store(&mut lanes[0].0);
        v[1].store(&mut lanes[1].0);
        v[2].store(&mut lanes[2].0);
    }
}

/// Each number in all lanes.
#[inline(always)]
pub(super) unsafe fn splat_rows<V: Vector>(rows: &[[f32; 3]; 3]) -> [[V; 3]; 3] {
    // SAFETY: the caller runs this on a machine with V.
    unsafe {
        let mut out = [[V::splat(0.0); 3]; 3];
        for (out, number) in out.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
            *out = V::splat(*number);
        }
        out
    }
}

#[inline(always)]
pub(super) unsafe fn position<V: Vector>(m: [[V; 4]; 3], p: [V; 3]) -> [V; 3] {
    // SAFETY: the caller runs this on a machine with V.
    unsafe {
        let [x, y, z] = turned(m, p);
        [x.add(m[0][3]), y.add(m[1][3]), z.add(m[2][3])]
    }
}

/// A vector under the 3×3 part of a matrix.
#[inline(always)]
pub(super) unsafe fn turned<V: Vector>(m: [[V; 4]; 3], v: [V; 3]) -> [V; 3] {
    let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = m;
    // SAFETY: the caller runs this on a machine with V.
    unsafe { [dot([a, b, c], v), dot([d, e, f], v), dot([g, h, i], v)] }
}

#[inline(always)]
unsafe fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    // SAFETY: the caller runs this on a machine with V.
    unsafe { a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0]))) }
}

#[inline(always)]
unsafe fn cross<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    // SAFETY: the caller runs this on a machine with V.
    unsafe {
        [
            a[1].mul(b[2]).sub_mul(a[2], b[1]),
            a[2].mul(b[0]).sub_mul(a[0], b[2]),
            a[0].mul(b[1]).sub_mul(a[1], b[0]),
        ]
    }
}

/// A normal under a matrix, of some length.
#[inline(always)]
pub(super) unsafe fn normal<V: Vector>(m: [[V; 4]; 3], n: [V; 3]) -> [V; 3] {
    let [[a0, b0, c0, _], [a1, b1, c1, _], [a2, b2, c2, _]] = m;
    // SAFETY: the caller runs this on a machine with V.
    unsafe {
        // (b × c) · x + (c × a) · y + (a × b) · z, with two products instead of three.
        let [p, q, r] = cross([b0, b1, b2], [c0, c1, c2]);
        let across =
            [b0.mul(n[2]).sub_mul(c0, n[1]), b1.mul(n[2]).sub_mul(c1, n[1]), b2.mul(n[2]).sub_mul(c2, n[1])];
        let [u, v, w] = cross([a0, a1, a2], across);
        let sign = V::splat(0.0).flip_below_zero(dot([a0, a1, a2], [p, q, r]));
        [p.mul_add(n[0], u).flip(sign), q.mul_add(n[0], v).flip(sign), r.mul_add(n[0], w).flip(sign)]
    }
}

/// A vector scaled to length one; `otherwise` where it has no direction.
#[inline(always)]
pub(super) unsafe fn unit<V: Vector>(v: [V; 3], otherwise: [V; 3]) -> [V; 3] {
    // SAFETY: the caller runs this on a machine with V.
    unsafe {
        let square = dot(v, v);
        let unit = scaled(v, square.inverse_root());
        V::where_between(square, f32::MIN_POSITIVE, f32::INFINITY, unit, otherwise)
    }
}

/// A unit vector under the rows of a [`Turn`](crate::skinning::turn::Turn). It comes out nearly of length one, and one step of Newton's method makes up for the rest.
#[inline(always)]
pub(super) unsafe fn nearly_unit<V: Vector>([x, y, z]: [[V; 3]; 3], v: [V; 3]) -> [V; 3] {
    // SAFETY: the caller runs this on a machine with V.
    unsafe {
        let turned = [dot(x, v), dot(y, v), dot(z, v)];
        scaled(turned, V::splat(1.5).sub_mul(V::splat(0.5), dot(turned, turned)))
    }
}

#[inline(always)]
unsafe fn scaled<V: Vector>(v: [V; 3], factor: V) -> [V; 3] {
    // SAFETY: the caller runs this on a machine with V.
    unsafe { [v[0].mul(factor), v[1].mul(factor), v[2].mul(factor)] }
}
