use super::*;
use crate::character::CharacterData;
use crate::{
    Clip, ClipId, ClipLibrary, Instance, Interpolation, Joint, JointTracks, Mask, Mesh, Mixer, PlayOptions,
    RootMotion, Sampling, Scalar, ScalarTrack, Scratch, Skeleton, Skin, Space, Track, Transform,
    VoiceOptions, job,
};
use glam::{Quat, Vec3};

/// More than four teams, the last of them not full.
const COUNT: usize = 4 * span::TEAM + 9;
const FRAME: f64 = 1.0 / 60.0;

fn clip(name: &str, duration: f32, angle: f32, joints: std::ops::Range<u16>) -> Clip {
    let times = || vec![0.0, duration * 0.4, duration];
    let tracks = joints.map(|joint| {
        let turn = Quat::from_rotation_x(angle * (1.0 + f32::from(joint) * 0.1));
        let turns = Track::new(times(), vec![Quat::IDENTITY, turn, Quat::IDENTITY], Interpolation::Linear);
        let ways = Track::new(times(), vec![Vec3::Y, Vec3::ONE, Vec3::Z * 2.0], Interpolation::Linear);
        JointTracks {
            rotation: Some(turns.unwrap()),
            translation: ways.ok().filter(|_| joint == 0),
            ..JointTracks::new(joint)
        }
    });
    let track = Track::new(times(), vec![0.0, 1.0, 0.5], Interpolation::Linear).unwrap();
    Clip::new(name, duration, tracks.collect(), vec![ScalarTrack { scalar: 0, track }]).unwrap()
}

fn character(joints: u16) -> Arc<Character> {
    let up = Transform::from_translation(Vec3::Y);
    let joint = |i: u16| Joint::new(format!("j{i}"), i.checked_sub(1).map(|p| p / 2), up);
    let smile = Scalar { name: "smile".into(), rest: 0.25 };
    let inverse_binds = vec![Mat3x4::from_translation(Vec3::X); usize::from(joints)];
    let skin = Skin { joints: (0..joints).collect(), inverse_binds: inverse_binds.into() };
    let mut mesh = Mesh { skin: Some(skin), ..Mesh::new("body") };
    mesh.influences.per_vertex = 4;
    let clips = [
        clip("walk", 1.0, 0.8, 0..joints),
        clip("run", 0.7, 1.3, 0..joints),
        clip("wave", 1.3, -0.6, joints / 2..joints),
    ];
    let data = CharacterData {
        name: "hero".into(),
        skeleton: Skeleton::new((0..joints).map(joint).collect(), vec![smile]).unwrap(),
        meshes: vec![mesh],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new(clips),
        space: Space::CANONICAL,
    };
    Arc::new(Character::new(data).unwrap())
}

/// Lets the member of some number play something of its own.
fn start(mixer: &mut Mixer, number: usize) {
    let options = PlayOptions {
        root_motion: Some(if number.is_multiple_of(3) { RootMotion::Extract } else { RootMotion::Keep }),
        sampling: number.is_multiple_of(7).then_some(Sampling::Step),
        ..PlayOptions::default()
    };
    let voice = mixer.play(ClipId::new(number % 2), options).unwrap();
    mixer.seek(voice, number as f64 * 0.618 % 0.7);
    if number.is_multiple_of(4) {
        let mask = Arc::new(Mask::below(mixer.character().skeleton(), "j1").unwrap());
        let wave = VoiceOptions::from(PlayOptions::once(0.2)).on_layer(1).masked(mask).weighted(0.8);
        mixer.play(ClipId::new(2), wave).unwrap();
    }
}

/// What happens to the member of some number before some frames.
fn change(mixer: &mut Mixer, number: usize, frame: usize) {
    if frame == 5 + number % 11 {
        mixer.play(ClipId::new((number + 1) % 2), PlayOptions::fading(0.15)).unwrap();
    }
}

fn crowd(count: usize) -> Crowd {
    let mut crowd = Crowd::new(character(21), count, 3);
    crowd.members_mut().iter_mut().enumerate().for_each(|(number, m)| start(m.mixer_mut(), number));
    crowd
}

fn run(crowd: &mut Crowd, frames: std::ops::Range<usize>) {
    for frame in frames {
        for (number, member) in crowd.members_mut().iter_mut().enumerate() {
            change(member.mixer_mut(), number, frame);
        }
        crowd.update(FRAME).unwrap();
    }
}

/// All that a renderer sees, as bits.
fn bits(crowd: &Crowd) -> Vec<u32> {
    let mut all = Vec::new();
    let mut palette = vec![Mat3x4::IDENTITY; crowd.character().palette_len()];
    for number in 0..crowd.members().len() {
        let shown = crowd.shown(number).unwrap();
        shown.write_palette(&mut palette).unwrap();
        let numbers = shown.model_matrices().iter().chain(&palette).flat_map(|m| m.rows.as_flattened());
        all.extend(numbers.chain(shown.scalars()).map(|x| x.to_bits()));
    }
    all
}

/// Model matrices of one member.
fn model(crowd: &Crowd, number: usize) -> Vec<Mat3x4> {
    crowd.shown(number).unwrap().model_matrices().to_vec()
}

#[test]
fn a_member_is_posed_as_if_it_were_alone() {
    let mut crowd = crowd(COUNT);
    assert!(model(&crowd, 3) == crowd.character().skeleton().rest_model(), "at rest before the first pose");
    run(&mut crowd, 0..30);
    for number in (0..COUNT).step_by(5) {
        let mut mixer = Mixer::new(crowd.character().clone(), 3);
        let mut scratch = Scratch::new(crowd.character().skeleton());
        let mut instance = Instance::new(crowd.character().clone());
        start(&mut mixer, number);
        for frame in 0..30 {
            change(&mut mixer, number, frame);
            mixer.advance(FRAME);
            mixer.mix(&mut scratch, instance.pose_mut()).unwrap();
        }
        instance.finish().unwrap();
        let shown = crowd.shown(number).unwrap();
        assert!(shown.model_matrices() == instance.model_matrices(), "member {number}");
        assert_eq!(shown.scalars(), instance.pose().scalars());
        let mut palette = vec![Mat3x4::IDENTITY; instance.palette().len()];
        shown.write_palette(&mut palette).unwrap();
        assert!(palette == instance.palette());
        assert!(shown.write_palette(&mut palette[1..]).is_err(), "too short");
        assert_eq!(crowd.members()[number].mixer().root_delta(), mixer.root_delta());
    }
    assert!(crowd.shown(COUNT).is_none());
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let with = |threads: usize, poses: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut crowd = crowd(COUNT);
            crowd.share_poses(0.05, poses);
            run(&mut crowd, 0..20);
            bits(&crowd)
        })
    };
    for poses in [0, 8] {
        let alone = with(1, poses);
        assert!([2, 3, 8].into_iter().all(|threads| with(threads, poses) == alone));
    }
}

#[test]
fn hidden_members_are_not_posed_and_lose_no_time() {
    let (mut crowd, mut other) = (crowd(20), crowd(20));
    run(&mut other, 0..12);
    crowd.members_mut()[4].set_visible(false);
    run(&mut crowd, 0..1);
    let before = model(&crowd, 3);
    crowd.members_mut()[3].set_visible(false);
    crowd.members_mut()[3].set_every(8);
    run(&mut crowd, 1..11);
    assert!(crowd.renewed().all(|number| number != 3 && number != 4));
    assert!(model(&crowd, 3) == before);
    assert!(model(&crowd, 4) == crowd.character().skeleton().rest_model());
    // Number 3 has missed a turn and does not wait for the next.
    crowd.members_mut()[3].set_visible(true);
    crowd.members_mut()[4].set_visible(true);
    run(&mut crowd, 11..12);
    assert_eq!(crowd.renewed().count(), 20);
    assert!(model(&crowd, 3) == model(&other, 3) && model(&crowd, 4) == model(&other, 4));
    run(&mut crowd, 12..13);
    assert!(crowd.renewed().all(|number| number != 3), "it takes turns again");
}

#[test]
fn distant_members_take_turns() {
    let (mut crowd, mut full) = (crowd(40), crowd(40));
    crowd.members_mut().iter_mut().for_each(|member| member.set_every(4));
    run(&mut full, 0..1);
    run(&mut crowd, 0..1);
    assert_eq!(crowd.renewed().count(), 40, "nobody is at rest after the first frame");
    let mut before: Vec<_> = (0..40).map(|number| model(&crowd, number)).collect();
    let mut turns = [0; 40];
    for frame in 1..9 {
        run(&mut crowd, frame..frame + 1);
        run(&mut full, frame..frame + 1);
        let renewed: Vec<usize> = crowd.renewed().collect();
        assert_eq!(renewed.len(), 10, "each frame has its share of the work");
        for number in 0..40 {
            let now = model(&crowd, number);
            if renewed.contains(&number) {
                turns[number] += 1;
                assert!(now == model(&full, number), "a turn leaves nothing behind");
            } else {
                assert!(now == before[number], "between its turns it stays as it is");
            }
            before[number] = now;
        }
    }
    assert_eq!(turns, [2; 40]);
}

#[test]
fn the_number_of_shared_poses_changes_nothing_that_is_shown() {
    let with = |poses: usize| {
        let mut crowd = crowd(COUNT);
        crowd.share_poses(0.05, poses);
        let mut seen = Vec::new();
        for frame in 0..60 {
            let old: Vec<_> = (0..COUNT).map(|number| model(&crowd, number)).collect();
            run(&mut crowd, frame..frame + 1);
            let kept = |number: &usize| !crowd.members()[*number].renewed;
            let stays = (0..COUNT).filter(kept).all(|number| model(&crowd, number) == old[number]);
            assert!(stays, "a change that is not told of, with {poses} poses");
            seen.push(bits(&crowd));
        }
        seen
    };
    let alone = with(1);
    assert!([2, 7, 40, COUNT].into_iter().all(|poses| with(poses) == alone));
}

/// Second path: the clip itself at the rounded time.
#[test]
fn a_shared_pose_is_that_of_the_rounded_time() {
    let mut crowd = Crowd::new(character(21), 50, 1);
    crowd.share_poses(0.1, 20);
    for (number, member) in crowd.members_mut().iter_mut().enumerate() {
        let voice = member.mixer_mut().play(ClipId::new(1), PlayOptions::default()).unwrap();
        member.mixer_mut().seek(voice, number as f64 * 0.013);
    }
    let sampled = |crowd: &Crowd| crowd.shared.entries.iter().filter(|e| e.sampled.is_some()).count();
    crowd.update(0.0).unwrap();
    assert_eq!(sampled(&crowd), 7, "0, 0.1, … 0.6");
    let (skeleton, clips) = (crowd.character().skeleton(), crowd.character().clips());
    let run = clips.by_name("run").unwrap();
    let mut expected = vec![Mat3x4::IDENTITY; skeleton.len()];
    let mut pose = skeleton.rest().clone();
    for number in 0..50 {
        let time = (number as f64 * 0.013 * 10.0).round() * 0.1;
        job::sample(skeleton, &run, time, Sampling::Interpolate, &mut pose).unwrap();
        job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut expected).unwrap();
        assert!(model(&crowd, number) == expected, "member {number}");
        assert_eq!(crowd.shown(number).unwrap().scalars(), pose.scalars());
    }
    for _ in 0..60 {
        crowd.update(FRAME).unwrap();
    }
    crowd.update(FRAME).unwrap();
    assert_eq!(sampled(&crowd), 0, "in a loop all of them are known");
    let voice = crowd.members()[9].mixer().voices()[0].id();
    crowd.members_mut()[9].mixer_mut().seek(voice, 0.11);
    crowd.update(0.0).unwrap();
    assert_eq!(crowd.renewed().collect::<Vec<_>>(), [9]);
}

#[test]
fn without_rounding_only_equal_times_are_shared() {
    let (mut crowd, mut alone) = (crowd(COUNT), crowd(COUNT));
    crowd.share_poses(0.0, 30);
    run(&mut crowd, 0..10);
    run(&mut alone, 0..10);
    assert!(bits(&crowd) == bits(&alone));
}

#[test]
fn a_pose_can_be_changed_before_the_hierarchy() {
    let mut crowd = crowd(COUNT);
    crowd.share_poses(0.1, 10);
    run(&mut crowd, 0..3);
    let lift = |number: usize, pose: &mut Pose| {
        pose.set(0, Transform::from_translation(Vec3::Y * number as f32));
    };
    crowd.pose_with(lift).unwrap();
    for number in 0..COUNT {
        assert_eq!(model(&crowd, number)[0].translation().y, number as f32);
    }
    let break_one = |number: usize, pose: &mut Pose| {
        if number == 1 {
            *pose = Pose::identity(2, 0);
        }
    };
    assert!(crowd.pose_with(break_one).is_err());
    assert_eq!(crowd.renewed().count(), COUNT - 1);
    assert!(crowd.pose().is_ok(), "and nothing of it remains");
}

#[test]
fn a_mixer_of_another_skeleton_is_refused() {
    let mut crowd = crowd(10);
    let mut other = Mixer::new(character(30), 1);
    other.play(ClipId::new(0), PlayOptions::default()).unwrap();
    *crowd.members_mut()[4].mixer_mut() = other;
    for poses in [0, 10] {
        crowd.share_poses(0.1, poses);
        assert!(crowd.update(FRAME).is_err());
        assert!(model(&crowd, 4) == crowd.character().skeleton().rest_model(), "it stays as it was");
        assert!(crowd.renewed().all(|number| number != 4));
        assert!(model(&crowd, 5) != crowd.character().skeleton().rest_model(), "the others are posed");
    }
}

#[test]
fn nobody_is_a_crowd_too() {
    let mut nobody = Crowd::new(character(21), 0, 1);
    nobody.share_poses(0.1, 10);
    nobody.update(FRAME).unwrap();
    assert_eq!(nobody.renewed().count(), 0);
}
