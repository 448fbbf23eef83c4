//! Every backend against plain arithmetic, bit by bit.

use super::blend::{Blend, Mix};
use super::hierarchy::{LocalToModel, SkinMatrices};
use super::inertia::{Extrapolate, Velocity};
use super::layer::{Add, Over, Share, Sides};
use super::scalar::Scalar;
use super::simd::{Simd, Vector};
use super::sum::{Accumulate, Ground};
use super::{Kernel, Kernels, WIDEST, Width, dispatch_to, dispatch_wide_to};
use crate::pose::{JointBlock, LANES, Lanes};
use crate::{Hierarchy, Mat3x4, NO_JOINT, Skin};
use proptest::prelude::*;

/// Numbers that rounding treats in different ways, zeros and extremes among them.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -2.0f32..2.0,
        1 => -1e30f32..1e30,
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, f32::MIN_POSITIVE, 1e-40, f32::MAX, f32::MIN]),
    ]
}

fn block() -> impl Strategy<Value = JointBlock> {
    prop::collection::vec(number(), 80)
        .prop_map(|values| bytemuck::pod_read_unaligned(bytemuck::cast_slice(&values[..])))
}

/// The bits of all numbers; one NaN counts as another.
fn bits<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u32> {
    let numbers: &[f32] = bytemuck::cast_slice(values);
    numbers.iter().map(|x| if x.is_nan() { f32::NAN } else { *x }.to_bits()).collect()
}

fn blocks(count: usize) -> impl Strategy<Value = Vec<JointBlock>> {
    prop::collection::vec(block(), count)
}

/// The machine's instructions: with as many lanes as it has, and with eight.
const DETECTED: [(Kernels, Width); 2] = [(Kernels::Detect, Width::Widest), (Kernels::Detect, Width::Eight)];

/// What no kernel writes.
const UNTOUCHED: Mat3x4 = Mat3x4 { rows: [[-123.25; 4]; 3] };

/// A tree from random numbers: of each four joints, about `near` hang below the joint before; the others anywhere, or nowhere.
fn parents(seeds: &[u16], near: u8) -> Vec<u16> {
    let parent = |(joint, &seed): (usize, &u16)| {
        let pick = usize::from(seed / 4) % (joint + 1);
        match joint.checked_sub(1) {
            Some(before) if seed % 4 < near.into() => before as u16,
            _ if pick == joint => NO_JOINT,
            _ => pick as u16,
        }
    };
    seeds.iter().enumerate().map(parent).collect()
}

proptest! {
    #[test]
    fn blends_are_equal(a in blocks(3), b in blocks(3), weight in 0.0f32..=1.0, masked: bool) {
        let mask = [Lanes::splat(0.5), Lanes::splat(0.0), Lanes([0.0, 1.0, 0.25, 0.0, 1.0, 1.0, 0.0, 0.9])];
        let run = |kernels| {
            let mut out = vec![JointBlock::IDENTITY; 3];
            let mask = masked.then_some(&mask[..]);
            dispatch_to(kernels, Blend { from: &a, to: &b, weight, mask, out: &mut out });
            bits(&out)
        };
        prop_assert_eq!(run(Kernels::Scalar), run(Kernels::Detect));
    }

    #[test]
    fn mixes_are_equal(a in blocks(2), b in blocks(2), c in blocks(2), weights in [0.0f32..2.0, 0.0..2.0, 0.0..2.0]) {
        let run = |kernels| {
            let mut out = vec![JointBlock::IDENTITY; 2];
            let layers = [(&a[..], weights[0]), (&b[..], weights[1]), (&c[..], weights[2])];
            dispatch_to(kernels, Mix { layers: &layers, scale: 0.5, out: &mut out });
            bits(&out)
        };
        prop_assert_eq!(run(Kernels::Scalar), run(Kernels::Detect));
    }

    /// One voice over another, sides chosen and then held; several voices summed and settled; a difference added.
    #[test]
    fn layers_are_equal(a in blocks(3), b in blocks(3), c in blocks(3), weight in 0.0f32..=1.0, [masked, apart]: [bool; 2]) {
        let coverage = [Lanes::splat(1.0), Lanes([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])];
        let mask = [Lanes::splat(0.5), Lanes::splat(1.0), Lanes([0.0, 1.0, 0.25, 0.0, 1.0, 1.0, 0.0, 0.9])];
        let share = |weight| Share { weight, coverage: &coverage, mask: masked.then_some(&mask[..]) };
        let run = |kernels| {
            let mut out = vec![a.clone(); 3];
            let mut bits_of = [[0u8; 3]; 2];
            let [one, two] = &mut bits_of;
            for held in [false, true] {
                let sides = Sides { bits: one, held };
                dispatch_to(kernels, Over { voice: &b, share: share(weight), sides, out: &mut out[0] });
            }
            let (mut sum, mut weights) = (vec![JointBlock::IDENTITY; 3], vec![Lanes::splat(0.0); 3]);
            for (voice, first, last) in [(&b, true, false), (&c, false, false), (&a, false, true)] {
                let sides = Sides { bits: two, held: false };
                let (sum, weights) = (&mut sum[..], &mut weights[..]);
                let ground = Ground { below: apart.then_some(&c[..]), out: &mut out[1] };
                let share = share(weight);
                dispatch_to(kernels, Accumulate { voice, share, sides, ground, first, last, sum, weights });
            }
            dispatch_to(kernels, Add { voice: &b, reference: &c, share: share(weight), out: &mut out[2] });
            (bits(&out.concat()), bits_of)
        };
        prop_assert_eq!(run(Kernels::Scalar), run(Kernels::Detect));
    }

    #[test]
    fn inertia_is_equal(a in blocks(2), b in blocks(2), rate in 1.0f32..200.0, seconds in 0.0f32..0.5) {
        let run = |kernels| {
            let (mut velocity, mut out) = (vec![JointBlock::IDENTITY; 2], vec![JointBlock::IDENTITY; 2]);
            dispatch_to(kernels, Velocity { before: &a, now: &b, rate, out: &mut velocity });
            dispatch_to(kernels, Extrapolate { pose: &b, velocity: &velocity, seconds, out: &mut out });
            [bits(&velocity), bits(&out)]
        };
        prop_assert_eq!(run(Kernels::Scalar), run(Kernels::Detect));
    }

    /// Any tree, in any order that has parents first: blocks that can be computed in pairs, and others; any number in the last block.
    #[test]
    fn model_matrices_are_equal(
        some in blocks(13),
        (seeds, near) in (prop::collection::vec(any::<u16>(), 1..=100), 0..=4u8),
        root in prop::array::uniform12(number()),
    ) {
        let root: Mat3x4 = bytemuck::cast(root);
        let hierarchy = Hierarchy::new(parents(&seeds, near)).unwrap();
        let locals = &some[..hierarchy.len().div_ceil(LANES)];
        let run = |with| {
            // One place more, which must stay as it is.
            let mut out = vec![UNTOUCHED; hierarchy.len() + 1];
            dispatch_wide_to(with, LocalToModel { order: hierarchy.order(), locals, root: &root, out: &mut out });
            out
        };
        let scalar = run((Kernels::Scalar, Width::Widest));
        for with in DETECTED {
            prop_assert_eq!(bits(&scalar), bits(&run(with)), "{:?}", with);
        }
        prop_assert_eq!(scalar[hierarchy.len()], UNTOUCHED);
        // Second path: the product of two matrices as a plain loop.
        for (joint, &parent) in hierarchy.parents().iter().enumerate() {
            let local = locals[joint / LANES].get(joint % LANES).to_affine().into();
            let above = if parent == NO_JOINT { root } else { scalar[usize::from(parent)] };
            let expected = above * local;
            prop_assert_eq!(bits(&[scalar[joint]]), bits(&[expected]));
        }
    }

    /// Any joints of a skeleton, in any order and more than once.
    #[test]
    fn skin_matrices_are_equal(
        model in prop::collection::vec(prop::array::uniform12(number()), 1..=40),
        skin in prop::collection::vec((any::<u16>(), prop::array::uniform12(number())), 0..=100),
    ) {
        let matrix = |numbers: &[f32; 12]| bytemuck::cast::<_, Mat3x4>(*numbers);
        let model: Vec<Mat3x4> = model.iter().map(matrix).collect();
        let inverse_binds: Vec<Mat3x4> = skin.iter().map(|(_, bind)| matrix(bind)).collect();
        let joints: Vec<u16> = skin.iter().map(|(joint, _)| joint % model.len() as u16).collect();
        let expected = joints.iter().zip(&inverse_binds).map(|(&joint, bind)| model[usize::from(joint)] * *bind);
        let expected: Vec<Mat3x4> = expected.chain([UNTOUCHED]).collect();
        let skin = Skin { joints: joints.into(), inverse_binds: inverse_binds.into() };
        for with in [(Kernels::Scalar, Width::Widest)].into_iter().chain(DETECTED) {
            let mut out = vec![UNTOUCHED; expected.len()];
            dispatch_wide_to(with, SkinMatrices { skin: &skin, model: &model, out: &mut out });
            prop_assert_eq!(bits(&out), bits(&expected), "{:?}", with);
        }
    }

    #[test]
    fn packed_numbers_come_out_whole(values in [any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()], width in 1..=WIDEST) {
        let values = values.map(|v| v & ((1 << width) - 1));
        let mut bytes = vec![0u8; width + 32];
        for (lane, value) in values.iter().enumerate() {
            for bit in 0..width {
                let at = lane * width + bit;
                bytes[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
            }
        }
        for kernels in [Kernels::Scalar, Kernels::Detect] {
            let mut out = [0.0; 8];
            dispatch_to(kernels, Unpack { bytes: &bytes, width, out: &mut out });
            prop_assert_eq!(out, values.map(|v| v as f32));
        }
    }
}

struct Unpack<'a> {
    bytes: &'a [u8],
    width: usize,
    out: &'a mut [f32; 8],
}

impl Kernel for Unpack<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: there are 32 bytes behind the packed ones.
        unsafe { S::unpack(self.bytes.as_ptr(), self.width).store(self.out) };
    }
}

#[test]
fn vectors_are_interleaved() {
    struct Interleave<'a>(&'a mut [f32; 24]);
    impl Kernel for Interleave<'_> {
        #[inline(always)]
        unsafe fn run<S: Simd>(self) {
            let lanes = |from: usize| std::array::from_fn(|i| (from + 3 * i) as f32);
            // SAFETY: the machine has S.
            unsafe { S::interleave([0, 1, 2].map(|c| S::load(&lanes(c))), self.0) };
        }
    }
    for kernels in [Kernels::Scalar, Kernels::Detect, Kernels::Fast] {
        let mut out = [0.0; 24];
        dispatch_to(kernels, Interleave(&mut out));
        assert_eq!(out, std::array::from_fn(|i| i as f32));
    }
}

#[test]
fn the_reference_is_plain_arithmetic() {
    // SAFETY: plain arithmetic needs no instructions.
    unsafe {
        let (a, b) = (Scalar::splat(3.0), Scalar::splat(0.1));
        let mut out = [0.0; 8];
        a.mul_add(b, Scalar::splat(-0.3)).store(&mut out);
        assert_eq!(out[5], 3.0f32 * 0.1 + -0.3, "two roundings");
    }
}

/// A chain; a star; and joints that no number of a parent can tell, which are roots or hang below those in front.
#[test]
fn chains_stars_and_many_joints_are_equal() {
    let chain = (0..70u16).map(|joint| joint.wrapping_sub(1)).collect();
    let star = (0..70).map(|joint| if joint == 0 { NO_JOINT } else { 0 }).collect();
    // Under Miri fewer, which take minutes as it is.
    let count = if cfg!(miri) { 200 } else { 0x1_0020usize };
    let many = (0..count).map(|joint| if joint % 4 == 0 { NO_JOINT } else { (joint - 1) as u16 % 16 });
    for parents in [chain, star, many.collect::<Vec<u16>>()] {
        let parents = Hierarchy::new(parents).unwrap();
        let mut locals = vec![JointBlock::IDENTITY; parents.len().div_ceil(LANES)];
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut locals);
        numbers.iter_mut().enumerate().for_each(|(i, x)| *x = (i * 37 % 101) as f32 / 101.0 - 0.5);
        let run = |with| {
            let mut out = vec![UNTOUCHED; parents.len()];
            let (order, root) = (parents.order(), &Mat3x4::IDENTITY);
            dispatch_wide_to(with, LocalToModel { order, locals: &locals, root, out: &mut out });
            bits(&out)
        };
        let scalar = run((Kernels::Scalar, Width::Widest));
        DETECTED.iter().for_each(|&with| assert_eq!(scalar, run(with), "{with:?}"));
    }
}
