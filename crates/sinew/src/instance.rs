//! One character in one pose: what is blended, changed by IK or physics, and drawn.

use crate::ik::Posed;
use crate::{Character, JobError, Mat3x4, Pose, Skeleton, job};
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
        for (mesh, range) in character.palette_layout().distinct() {
            character.meshes()[mesh].skin_matrices(&self.model, &mut self.palette[range])?;
        }
        Ok(())
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

    /// The skeleton, to sample clips on, and the pose to sample into.
    pub(crate) fn skeleton_and_pose(&mut self) -> (&Skeleton, &mut Pose) {
        (self.character.skeleton(), &mut self.pose)
    }

    /// Model matrices by joint.
    pub fn model_matrices(&self) -> &[Mat3x4] {
        &self.model
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

/// Accessors of a type with a field `instance`, the same for [`Player`](crate::Player) and [`Controller`](crate::Controller).
macro_rules! accessors {
    () => {
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

        /// Model matrices by joint.
        pub fn model_matrices(&self) -> &[$crate::Mat3x4] {
            self.instance.model_matrices()
        }

        /// Skin matrices of one mesh: see [`Instance::skin_matrices`](crate::Instance::skin_matrices).
        pub fn skin_matrices(&self, mesh: usize) -> &[$crate::Mat3x4] {
            self.instance.skin_matrices(mesh)
        }
    };
}
pub(crate) use accessors;

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
