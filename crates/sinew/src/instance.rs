//! One character in one pose: what is blended, changed by IK or physics, and drawn.

use crate::ik::Posed;
use crate::{Character, JobError, Mat3x4, Pose, job};
use std::sync::Arc;

/// The local pose of one character, with the model matrices and skin matrices that follow from it.
///
/// [`Player`](crate::Player) and [`Controller`](crate::Controller) each own one. Renderers take its matrices as they are. To pose a character by
/// hand, write into [`Instance::pose_mut`] and call [`Instance::finish`]. Nothing allocates after construction.
///
/// ```
/// # fn pose(character: std::sync::Arc<sinew::Character>) -> Result<(), sinew::JobError> {
/// use sinew::{Instance, Transform, glam::Vec3};
///
/// let mut instance = Instance::new(character);
/// instance.pose_mut().set(0, Transform::from_translation(Vec3::Y));
/// instance.finish()?;
/// let matrices = instance.skin_matrices(0);
/// # let _ = matrices;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    character: Arc<Character>,
    root: Mat3x4,
    pose: Pose,
    model: Vec<Mat3x4>,
    palette: Vec<Mat3x4>,
}

impl Instance {
    /// The rest pose.
    pub fn new(character: Arc<Character>) -> Self {
        let mut instance = Self {
            root: Mat3x4::IDENTITY,
            pose: character.skeleton().rest().clone(),
            model: vec![Mat3x4::IDENTITY; character.skeleton().len()],
            palette: vec![Mat3x4::IDENTITY; character.palette_len()],
            character,
        };
        let checked = instance.finish();
        // The rest pose fits its own skeleton.
        debug_assert_eq!(checked, Ok(()));
        instance
    }

    /// Computes model matrices and skin matrices from the pose: each once, however many meshes share them.
    ///
    /// Fails if the pose was replaced by one of another skeleton.
    pub fn finish(&mut self) -> Result<(), JobError> {
        job::exactly("pose", self.model.len(), self.pose.len())?;
        let character = &*self.character;
        job::local_to_model(
            character.skeleton().hierarchy(),
            self.pose.blocks(),
            &self.root,
            &mut self.model,
        )?;
        job::palette(character, &self.model, &mut self.palette)
    }

    /// The pose with its model matrices up to date, for the jobs of [`ik`](crate::ik). Skin matrices follow with [`Instance::finish`].
    ///
    /// Fails if the pose was replaced by one of another skeleton.
    pub fn posed(&mut self) -> Result<Posed<'_>, JobError> {
        let hierarchy = self.character.skeleton().hierarchy();
        Posed::new(hierarchy, &mut self.pose, &self.root, &mut self.model)
    }

    /// Places the whole model; part of the matrices from the next [`Instance::finish`] on.
    pub fn set_root(&mut self, root: impl Into<Mat3x4>) {
        self.root = root.into();
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Local transforms and scalars.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Local transforms and scalars, to be written. The matrices follow with [`Instance::finish`].
    pub fn pose_mut(&mut self) -> &mut Pose {
        &mut self.pose
    }

    /// Model matrices by joint.
    pub fn model_matrices(&self) -> &[Mat3x4] {
        &self.model
    }

    /// Where a socket is in model space, as of the last [`Instance::finish`]; `None` if the character has none of that name.
    pub fn socket(&self, name: &str) -> Option<Mat3x4> {
        let socket = self.character.socket(name)?;
        Some(*self.model.get(usize::from(socket.joint))? * socket.offset.to_affine().into())
    }

    /// The model matrix of one joint as the pose is now, from its chain alone; `None` if there is no such joint.
    pub fn joint_model(&self, joint: u16) -> Option<Mat3x4> {
        let skeleton = self.character.skeleton();
        if usize::from(joint) >= self.pose.len().min(skeleton.len()) {
            return None;
        }
        let local = |joint: u16| Mat3x4::from(self.pose.get(joint.into()).to_affine());
        let above = std::iter::successors(skeleton.parent(joint), |&joint| skeleton.parent(joint));
        Some(self.root * above.fold(local(joint), |below, joint| local(joint) * below))
    }

    /// Skin matrices of one mesh, one for each joint of its skin: what [`crate::skinning::skin`] or a shader takes. Empty if there is no such
    /// mesh.
    pub fn skin_matrices(&self, mesh: usize) -> &[Mat3x4] {
        &self.palette[self.character.palette_range(mesh)]
    }

    /// Skin matrices of all meshes. [`Character::palette_range`] says which of them a mesh uses.
    pub fn palette(&self) -> &[Mat3x4] {
        &self.palette
    }
}

/// What [`Player`](crate::Player) and [`Controller`](crate::Controller) have in common: a `mixer`, its `scratch`, an `instance`, and the `voice` that
/// was started last.
macro_rules! performing {
    () => {
        /// Moves on by `seconds` and brings pose and matrices up to date: [`Self::advance`], [`Self::mix`] and [`Self::finish`].
        pub fn update(&mut self, seconds: f64) {
            self.advance(seconds);
            self.mix();
            self.finish();
        }

        /// First part of an update: moves the clocks on by `seconds`. Events and root motion are known from here on.
        pub fn advance(&mut self, seconds: f64) {
            self.mixer.advance(seconds);
        }

        /// Second part: the local pose. What changes it (IK, physics) comes behind it, through [`Self::pose_mut`].
        pub fn mix(&mut self) {
            let checked = self.mixer.mix(&mut self.scratch, self.instance.pose_mut());
            // All are of one skeleton, unless a pose of another was put in its place.
            debug_assert_eq!(checked, Ok(()));
        }

        /// Last part: model matrices and skin matrices from the local pose.
        pub fn finish(&mut self) {
            let checked = self.instance.finish();
            debug_assert_eq!(checked, Ok(()));
        }

        /// Goes to a time of the clip that plays; fires no events and moves no root.
        pub fn seek(&mut self, time: f64) {
            if let Some(voice) = self.voice {
                self.mixer.seek(voice, time);
            }
            self.refresh();
        }

        /// Stays where it is until [`Self::resume`], or until something else is played.
        pub fn pause(&mut self) {
            self.mixer.pause_all(true);
        }

        /// Goes on after [`Self::pause`].
        pub fn resume(&mut self) {
            self.mixer.pause_all(false);
        }

        /// Changes the speed of the clip that plays from here on; negative plays backward.
        pub fn set_speed(&mut self, speed: f64) {
            if let Some(voice) = self.voice {
                self.mixer.set_speed(voice, speed);
            }
        }

        /// Changes what happens at the end of the clip that plays; the time stays.
        pub fn set_mode(&mut self, mode: $crate::LoopMode) {
            if let Some(voice) = self.voice {
                self.mixer.set_mode(voice, mode);
            }
        }

        /// Changes what becomes of the travel of the clip that plays, from the next update on.
        pub fn set_root_motion(&mut self, root_motion: $crate::RootMotion) {
            if let Some(voice) = self.voice {
                self.mixer.set_root_motion(voice, root_motion);
            }
        }

        /// Chooses the joint whose travel counts, instead of the highest one that moves.
        pub fn set_root_joint(&mut self, joint: Option<u16>) {
            self.mixer.set_root_joint(joint);
        }

        /// The voice that plays: the one that was started last by this type.
        pub fn voice(&self) -> Option<&$crate::Voice> {
            self.mixer.voice(self.voice?)
        }

        /// The clip that plays.
        pub fn clip(&self) -> Option<&std::sync::Arc<$crate::Clip>> {
            self.voice().map($crate::Voice::clip)
        }

        /// The clock of the clip that plays: time, speed, whether it is paused.
        pub fn playback(&self) -> &$crate::Playback {
            self.voice().map_or(&$crate::playback::AT_REST, $crate::Voice::playback)
        }

        /// Seconds from the start of the clip.
        pub fn time(&self) -> f64 {
            self.playback().time()
        }

        /// Whether the clip that plays has come to its end; a loop never does.
        pub fn has_ended(&self) -> bool {
            self.voice().is_some_and(|voice| voice.playback().has_ended())
        }

        /// Events that the last update passed: see [`Mixer::events`](crate::Mixer::events).
        pub fn events(&self) -> impl Iterator<Item = $crate::Fired<'_>> {
            self.mixer.events()
        }

        /// How the last update moved the character: see [`Mixer::root_delta`](crate::Mixer::root_delta).
        pub fn root_delta(&self) -> $crate::Transform {
            self.mixer.root_delta()
        }

        /// All voices.
        pub fn mixer(&self) -> &$crate::Mixer {
            &self.mixer
        }

        /// All voices, to add layers of one's own to.
        pub fn mixer_mut(&mut self) -> &mut $crate::Mixer {
            &mut self.mixer
        }

        /// Places the whole model; part of the model matrices from the next update on.
        pub fn set_root(&mut self, root: impl Into<$crate::Mat3x4>) {
            self.instance.set_root(root);
        }

        /// The character.
        pub fn character(&self) -> &std::sync::Arc<$crate::Character> {
            self.instance.character()
        }

        /// Pose and matrices, as a renderer takes them.
        pub fn instance(&self) -> &$crate::Instance {
            &self.instance
        }

        /// Local transforms and scalars.
        pub fn pose(&self) -> &$crate::Pose {
            self.instance.pose()
        }

        /// Local transforms and scalars, to be changed between [`Self::mix`] and [`Self::finish`].
        pub fn pose_mut(&mut self) -> &mut $crate::Pose {
            self.instance.pose_mut()
        }

        /// Model matrices by joint.
        pub fn model_matrices(&self) -> &[$crate::Mat3x4] {
            self.instance.model_matrices()
        }

        /// Skin matrices of one mesh: see [`Instance::skin_matrices`](crate::Instance::skin_matrices).
        pub fn skin_matrices(&self, mesh: usize) -> &[$crate::Mat3x4] {
            self.instance.skin_matrices(mesh)
        }

        fn refresh(&mut self) {
            self.mix();
            self.finish();
        }
    };
}
pub(crate) use performing;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::CharacterData;
    use crate::{ClipLibrary, Joint, Mat3x4, Mesh, Skeleton, Skin, Space, Transform};
    use glam::Vec3;

    fn character(meshes: Vec<Mesh>) -> Arc<Character> {
        let up = Transform::from_translation(Vec3::Y);
        let joints = vec![Joint::new("hips", None, up), Joint::new("head", Some(0), up)];
        let data = CharacterData {
            name: "hero".into(),
            skeleton: Skeleton::new(joints, vec![]).unwrap(),
            meshes,
            materials: vec![],
            textures: vec![],
            clips: ClipLibrary::default(),
            space: Space::CANONICAL,
        };
        Arc::new(Character::new(data).unwrap())
    }

    fn skinned(x: f32) -> Mesh {
        let inverse_binds = vec![Mat3x4::from_translation(Vec3::X * x); 2];
        let mut mesh = Mesh {
            skin: Some(Skin { joints: vec![0, 1].into(), inverse_binds: inverse_binds.into() }),
            ..Mesh::new("m")
        };
        mesh.influences.per_vertex = 4;
        mesh
    }

    fn rigid(joint: u16) -> Mesh {
        Mesh { joint, ..Mesh::new("r") }
    }

    #[test]
    fn equal_skins_share_one_palette() {
        let meshes = vec![skinned(1.0), rigid(1), skinned(2.0), skinned(1.0), rigid(1), rigid(0)];
        let instance = Instance::new(character(meshes));
        assert_eq!(instance.palette().len(), 2 + 1 + 2 + 1);
        let first = |mesh: usize| instance.skin_matrices(mesh).as_ptr();
        assert_eq!((first(0), first(1)), (first(3), first(4)));
        assert!(first(2) != first(0) && first(5) != first(1));
        assert_eq!(instance.skin_matrices(2)[1].translation(), Vec3::new(2.0, 2.0, 0.0));
        assert_eq!(instance.skin_matrices(5)[0].translation(), Vec3::Y);
        assert!(instance.skin_matrices(6).is_empty());
        let distinct: Vec<_> =
            instance.character().palette_layout().distinct().map(|(mesh, _)| mesh).collect();
        assert_eq!(distinct, [0, 1, 2, 5], "each palette is computed once");
    }

    #[test]
    fn a_socket_goes_with_its_joint() {
        use crate::Socket;
        use glam::Quat;
        let offset = Transform::from_translation(Vec3::X);
        let socket = Socket { name: "hand".into(), joint: 1, offset };
        let held = Arc::new(character(vec![]).with_sockets(vec![socket]).unwrap());
        let mut instance = Instance::new(held);
        instance.set_root(Mat3x4::from_translation(Vec3::Z));
        let turned = Transform {
            rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
            ..instance.pose().get(0)
        };
        instance.pose_mut().set(0, turned);
        // From the pose at once, and as of the last finish.
        let head = instance.joint_model(1).unwrap().translation();
        assert!(head.abs_diff_eq(Vec3::new(-1.0, 1.0, 1.0), 1e-6), "{head}");
        assert!(instance.model_matrices()[1].translation().abs_diff_eq(Vec3::new(0.0, 2.0, 0.0), 1e-6));
        instance.finish().unwrap();
        assert!(instance.model_matrices()[1].translation().abs_diff_eq(head, 1e-6));
        let hand = instance.socket("hand").unwrap().translation();
        assert!(hand.abs_diff_eq(Vec3::new(-1.0, 2.0, 1.0), 1e-6), "{hand}");
        assert!(instance.socket("foot").is_none() && instance.joint_model(9).is_none());
    }

    #[test]
    fn matrices_follow_the_pose_when_it_is_finished() {
        let mut instance = Instance::new(character(vec![rigid(1)]));
        instance.pose_mut().set(0, Transform::from_translation(Vec3::Z));
        assert_eq!(instance.skin_matrices(0)[0].translation(), Vec3::Y * 2.0);
        instance.finish().unwrap();
        assert_eq!(instance.skin_matrices(0)[0].translation(), Vec3::new(0.0, 1.0, 1.0));
        *instance.pose_mut() = Pose::identity(1, 0);
        assert!(instance.finish().is_err(), "a pose of another skeleton");
    }
}
