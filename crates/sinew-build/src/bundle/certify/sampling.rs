//! At which times a clip is sampled, and its error against the source at those times.

use super::CertifyError;
use super::truth::{Room, TrueMesh, TruePose, Truth};
use glam::{DVec3, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Clip, Mat3x4, Mesh, Pose, Sampling, job};
use sinew_import::SourceInfo;
use sinew_import::bundle::{Measure, Origin};

/// Samples per clip.
const SAMPLES: u32 = 256;
/// At every eighth sample vertices are compared, too, and the source is evaluated by [`sinew_import::SourceEvaluator::locals`] itself: both take far longer than comparing
/// joints. The samples between them are evaluated by its shorter way, and were that wrong, every eighth sample would tell.
const WHOLE_EVERY: usize = 8;

/// The errors of one clip.
#[derive(Default)]
pub(super) struct Errors {
    pub(super) measure: Measure,
    /// Of every joint at every sample.
    joints: Vec<f64>,
}

/// The meshes of a character and of its source, prepared once for all clips: that takes as long as many samples.
pub(super) struct Meshes<'a> {
    /// By mesh of the character. Only positions are compared: there is no room for anything else.
    skinned: Vec<SkinnedVertices>,
    /// The same meshes in the source.
    true_meshes: Vec<TrueMesh<'a>>,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(character: &Character, info: &SourceInfo, truth: &Truth<'a>) -> Self {
        let skinned = |mesh: &Mesh| SkinnedVertices {
            normals: Vec::new(),
            tangents: Vec::new(),
            ..SkinnedVertices::for_mesh(mesh)
        };
        let true_mesh = |(index, mesh)| TrueMesh::new(mesh, |vertex| info.imported_vertex(index, vertex));
        Self {
            skinned: character.meshes().iter().map(skinned).collect(),
            true_meshes: truth.meshes().iter().enumerate().map(true_mesh).collect(),
        }
    }
}

pub(super) fn measure(
    character: &Character,
    info: &SourceInfo,
    truth: &Truth<'_>,
    meshes: &Meshes<'_>,
    index: usize,
    origin: Origin,
    reach: f64,
) -> Result<Errors, CertifyError> {
    let clip = character.clips().get(index)?;
    let mut source = truth.clip(index, origin)?;
    let (often, times) = (source.often(), between_keys(&clip));
    let mut compiled = CompiledClip::new(character, &clip, meshes);
    let mut true_pose = TruePose::default();
    let mut errors = Errors::default();
    errors.joints.reserve(times.len() * compiled.model.len());
    errors.measure.samples = times.len() as u32;
    for (number, &time) in times.iter().enumerate() {
        let is_whole = number.is_multiple_of(WHOLE_EVERY);
        if is_whole {
            source.pose(time, &mut true_pose);
        } else {
            source.pose_by(time, &*often, &mut true_pose);
        }
        compiled.at(time)?;
        for (joint, ours) in (0u16..).zip(&compiled.model) {
            let theirs = &true_pose.model[usize::from(info.source_index(joint))];
            let error = joint_error(ours, theirs, reach);
            if !error.is_finite() {
                return Err(CertifyError::NotFinite { clip: index, time });
            }
            if error > errors.measure.joint_max {
                errors.measure.joint_max = error;
                errors.measure.worst_joint = joint;
                errors.measure.worst_time = time;
            }
            errors.joints.push(error);
        }
        if is_whole {
            let vertex = compiled.vertices(&true_pose)?;
            errors.measure.vertex_max = worse(errors.measure.vertex_max, vertex);
        }
    }
    let worst = errors.measure.worst_time;
    compiled.at(worst)?;
    source.pose(worst, &mut true_pose);
    let vertex = compiled.vertices(&true_pose)?;
    errors.measure.vertex_max = worse(errors.measure.vertex_max, vertex);
    if !errors.measure.vertex_max.is_finite() {
        return Err(CertifyError::NotFinite { clip: index, time: worst });
    }
    errors.measure.joint_p99 = percentile(&mut errors.joints);
    Ok(errors)
}

/// The errors of all clips together; rounds all errors up.
pub(super) fn whole(clips: &mut [Errors]) -> Measure {
    let mut whole = Measure::default();
    for clip in clips.iter().map(|errors| &errors.measure) {
        whole.samples = whole.samples.saturating_add(clip.samples);
        whole.vertex_max = whole.vertex_max.max(clip.vertex_max);
        if clip.joint_max > whole.joint_max {
            (whole.joint_max, whole.worst_joint, whole.worst_time) =
                (clip.joint_max, clip.worst_joint, clip.worst_time);
        }
    }
    whole.joint_p99 =
        percentile(&mut clips.iter().flat_map(|errors| errors.joints.iter().copied()).collect::<Vec<_>>());
    for measure in clips.iter_mut().map(|errors| &mut errors.measure).chain([&mut whole]) {
        measure.joint_max = round_up(measure.joint_max);
        measure.joint_p99 = round_up(measure.joint_p99);
        measure.vertex_max = round_up(measure.vertex_max);
    }
    whole
}

/// The value that 99 of 100 do not exceed.
fn percentile(values: &mut [f64]) -> f64 {
    let Some(last) = (values.len() * 99).div_ceil(100).checked_sub(1) else { return 0.0 };
    *values.select_nth_unstable_by(last, f64::total_cmp).1
}

/// Rounds up to three digits: further digits may differ between machines.
fn round_up(error: f64) -> f64 {
    if !(error > 0.0 && error.is_finite()) {
        return error;
    }
    // Keeps the power below from underflowing to zero.
    let error = error.max(1e-30);
    let unit = libm::pow(10.0, libm::floor(libm::log10(error)) - 2.0);
    // The product may round down past a value that had three digits already.
    let mut digits = libm::ceil(error / unit);
    while digits * unit < error {
        digits += 1.0;
    }
    digits * unit
}

/// Times spread over the clip, none of them at a key: one in each of many intervals of equal length, at a different offset in each.
fn between_keys(clip: &Clip) -> Vec<f64> {
    let duration = f64::from(clip.duration());
    if duration <= 0.0 {
        return vec![0.0];
    }
    let mut keys: Vec<f64> = clip.times().collect();
    keys.sort_by(f64::total_cmp);
    let stretch = duration / f64::from(SAMPLES);
    // The fractional parts of multiples of the golden ratio are evenly distributed.
    let place = |i: u32| (f64::from(i) * 0.618_033_988_749_894_9).fract();
    let times = (0..SAMPLES).map(|i| (f64::from(i) + 0.01 + 0.98 * place(i)) * stretch);
    let off_key = |time: f64| {
        let on_key = keys.binary_search_by(|key| key.total_cmp(&time)).is_ok();
        if on_key { time + stretch * 1e-3 } else { time }
    };
    times.map(off_key).collect()
}

/// Largest distance between where two matrices put the origin and the three points at `reach` along the axes.
fn joint_error(ours: &Mat3x4, theirs: &glam::DAffine3, reach: f64) -> f64 {
    let (own, other) = (ours.matrix3(), theirs.matrix3);
    let (from, to) = (ours.translation().as_dvec3(), theirs.translation);
    let axes = [(own.x_axis, other.x_axis), (own.y_axis, other.y_axis), (own.z_axis, other.z_axis)];
    let apart =
        |(own, other): (Vec3, DVec3)| (own.as_dvec3() * reach + from).distance_squared(other * reach + to);
    axes.into_iter().map(apart).fold(from.distance_squared(to), worse).sqrt()
}

/// The larger of two distances, none of them negative; NaN counts as the largest. The bits of such numbers have the same order, and take less to compare.
fn worse(a: f64, b: f64) -> f64 {
    f64::from_bits(a.to_bits().max(b.to_bits()))
}

/// A clip as the run time plays it.
struct CompiledClip<'a> {
    character: &'a Character,
    clip: &'a Clip,
    pose: Pose,
    model: Vec<Mat3x4>,
    /// By mesh.
    skinned: Vec<SkinnedVertices>,
    matrices: Vec<Mat3x4>,
    true_meshes: &'a [TrueMesh<'a>],
    room: Room,
}

impl<'a> CompiledClip<'a> {
    fn new(character: &'a Character, clip: &'a Clip, meshes: &'a Meshes<'a>) -> Self {
        let skeleton = character.skeleton();
        Self {
            character,
            clip,
            pose: skeleton.rest().clone(),
            model: vec![Mat3x4::IDENTITY; skeleton.len()],
            skinned: meshes.skinned.clone(),
            matrices: Vec::new(),
            true_meshes: &meshes.true_meshes,
            room: Room::default(),
        }
    }

    fn at(&mut self, time: f64) -> Result<(), CertifyError> {
        let skeleton = self.character.skeleton();
        job::sample(skeleton, self.clip, time, Sampling::Interpolate, &mut self.pose)?;
        job::local_to_model(skeleton.hierarchy(), self.pose.blocks(), &Mat3x4::IDENTITY, &mut self.model)?;
        Ok(())
    }

    /// Largest distance of a vertex from its position in the source.
    fn vertices(&mut self, pose: &TruePose) -> Result<f64, CertifyError> {
        let mut largest = 0.0f64;
        let meshes = self.character.meshes().iter().zip(self.true_meshes).zip(&mut self.skinned);
        for ((ours, theirs), out) in meshes {
            self.matrices.resize(ours.skin_matrix_count(), Mat3x4::IDENTITY);
            ours.skin_matrices(&self.model, &mut self.matrices)?;
            out.skin(ours, &self.matrices, self.pose.scalars())?;
            let vertices = out.positions.iter().zip(theirs.skin(pose, &mut self.room));
            let apart = vertices.map(|(ours, theirs)| ours.as_dvec3().distance_squared(theirs));
            largest = apart.fold(largest, worse);
        }
        Ok(largest.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_worse_than_nan() {
        assert_eq!([worse(1.0, 2.0), worse(2.0, 1.0), worse(3.0, 3.0)], [2.0, 2.0, 3.0]);
        assert_eq!([worse(0.0, 5e-324), worse(f64::INFINITY, 1.0)], [5e-324, f64::INFINITY]);
        for nan in [f64::NAN, -f64::NAN] {
            assert!([worse(nan, 1.0), worse(f64::INFINITY, nan), worse(nan, nan)].iter().all(|w| w.is_nan()));
        }
    }

    #[test]
    fn percentiles() {
        assert_eq!(percentile(&mut []), 0.0);
        assert_eq!(percentile(&mut [3.0]), 3.0);
        let mut values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut values), 198.0);
    }

    #[test]
    fn statements_are_never_less_than_what_was_measured() {
        assert_eq!(round_up(0.0), 0.0);
        for error in [1.0, 0.1234, 1.2345e-7, 9.999e-4, 3.0e-5, 5e-324, 123.0, 0.00123] {
            let stated = round_up(error);
            assert!(stated >= error && stated <= error * 1.01 + 1.01e-30, "{error} became {stated}");
        }
    }

    #[test]
    fn samples_lie_within_the_clip_and_off_its_keys() {
        use sinew::{Interpolation, JointTracks, Track};
        let first = between_keys(&Clip::new("c", 2.0, vec![], vec![]).unwrap())[7] as f32;
        let track = Track::new(vec![0.0, first, 2.0], vec![Vec3::ZERO; 3], Interpolation::Linear).unwrap();
        let tracks = JointTracks { translation: Some(track), ..JointTracks::new(0) };
        let clip = Clip::new("c", 2.0, vec![tracks], vec![]).unwrap();
        let times = between_keys(&clip);
        assert_eq!(times.len(), SAMPLES as usize);
        assert!(times.iter().all(|t| (0.0..2.0).contains(t) && *t != f64::from(first) && *t > 0.0));
        assert!(times.is_sorted());
    }
}
