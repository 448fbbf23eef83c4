//! Thousands of instances of one character.

mod member;
mod shared;
mod span;
#[cfg(test)]
mod tests;

pub use member::Member;

use crate::{Character, JobError, Mat3x4, Pose, Shown};
use member::Task;
use shared::Shared;
use span::{Span, Work, shape};
use std::sync::Arc;

/// Thousands of instances of one character, in few bytes each.
///
/// A member has its own voices ([`Mixer`](crate::Mixer)) and its own model matrices; poses are made in room that neighbours share, and palettes are
/// computed when a renderer asks for them, straight into its buffer ([`Shown::write_palette`]). Only members that are visible are posed, distant ones
/// less often ([`Member::set_every`]), and those in the same state together ([`Crowd::share_poses`]). With the feature `rayon` all threads take part. The
/// results are the same, bit by bit, for any number of threads. Nothing allocates after construction.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>, buffer: &mut [sinew::Mat3x4]) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{ClipId, Crowd, PlayOptions};
///
/// let mut crowd = Crowd::new(character.clone(), 1000, 2);    // of two voices each
/// for (number, member) in crowd.members_mut().iter_mut().enumerate() {
///     let walk = member.mixer_mut().play(ClipId::new(0), PlayOptions::default())?;
///     member.mixer_mut().seek(walk, number as f64 * 0.01);
/// }
///
/// crowd.update(1.0 / 60.0)?;    // every frame
/// for number in crowd.renewed() {
///     let own = number * character.palette_len();
///     crowd.shown(number).map_or(Ok(()), |shown| shown.write_palette(&mut buffer[own..]))?;
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Crowd {
    character: Arc<Character>,
    members: Vec<Member>,
    /// For each slot a matrix for each joint, and the scalars: first the slots of the members, then those of shared poses.
    model: Vec<Mat3x4>,
    scalars: Vec<f32>,
    shared: Shared,
    works: Vec<Work>,
    frame: u64,
}

/// How a pose is changed between mixing and the hierarchy.
type Change<'a> = dyn Fn(usize, &mut Pose) + Sync + 'a;

impl Crowd {
    /// So many members in the rest pose, each with room for so many voices.
    pub fn new(character: Arc<Character>, members: usize, voices: usize) -> Self {
        let skeleton = character.skeleton();
        Self {
            members: (0..members).map(|slot| Member::new(&character, voices, slot)).collect(),
            model: skeleton.rest_model().repeat(members),
            scalars: skeleton.rest().scalars().repeat(members),
            shared: Shared::new(0.0, 0),
            works: Work::for_slots(skeleton, members),
            frame: 0,
            character,
        }
    }

    /// Lets members show one pose together if each of them is in the same state: a single clip, the same one, at the same time. For that, times are
    /// rounded to multiples of `step` seconds; with zero they stay as they are. `poses` of them are kept (at most as many as there are members), so a state
    /// that comes again, as in a loop, is not computed again. Members that find no room are posed by themselves, at the same rounded time: the number of
    /// poses changes the work and nothing else. Zero poses, the default, share none and round nothing.
    ///
    /// Call it once: it allocates, and puts all members into the rest pose until they are posed again.
    pub fn share_poses(&mut self, step: f64, poses: usize) {
        let skeleton = self.character.skeleton();
        let members = self.members.len();
        let poses = poses.min(members);
        self.model = skeleton.rest_model().repeat(members + poses);
        self.scalars = skeleton.rest().scalars().repeat(members + poses);
        self.shared = Shared::new(step, poses);
        for (slot, member) in self.members.iter_mut().enumerate() {
            member.slot = slot as u32;
        }
    }

    /// Moves all clocks on by `seconds` and poses those whose turn it is: [`Crowd::advance`] and [`Crowd::pose`].
    pub fn update(&mut self, seconds: f64) -> Result<(), JobError> {
        self.advance(seconds);
        self.pose()
    }

    /// First part of an update: moves the clocks of all members on, hidden ones too. Events and root motion are known from here on.
    pub fn advance(&mut self, seconds: f64) {
        let (span, _) = self.parts();
        let advanced = span.run(&|_, member: &mut Member, _: &mut Work| {
            member.mixer.advance(seconds);
            Ok(false)
        });
        debug_assert_eq!(advanced, Ok(()));
    }

    /// Second part: the matrices of members that are visible and whose turn it is.
    ///
    /// Fails if the mixer of a member was replaced by one of another skeleton; then that member stays as it was.
    pub fn pose(&mut self) -> Result<(), JobError> {
        self.assign(true);
        let posed = self.pose_shared();
        posed.and(self.pose_members(None))
    }

    /// As [`Crowd::pose`], with a function that may change the local pose of each member, by its number: IK, physics. No pose is shared.
    ///
    /// Fails too if the function replaces a pose by one of another skeleton.
    pub fn pose_with(&mut self, change: impl Fn(usize, &mut Pose) + Sync) -> Result<(), JobError> {
        self.assign(false);
        self.pose_members(Some(&change))
    }

    /// Says what is to be done for each member in this frame.
    fn assign(&mut self, share: bool) {
        let Self { character, members, shared, .. } = self;
        let share = share && !shared.entries.is_empty();
        let own_slots = members.len();
        shared.begin();
        for (number, member) in members.iter_mut().enumerate() {
            (member.task, member.renewed) = (Task::Nothing, false);
            if !member.is_due(number, self.frame) {
                continue;
            }
            let before = member.slot as usize;
            if let Some(entry) = before.checked_sub(own_slots) {
                shared.release(entry);
            }
            (member.task, member.slot) = (Task::Mix, number as u32);
            let is_own = Arc::ptr_eq(member.mixer.character(), character);
            let Some((place, voice)) = member.mixer.lone_voice().filter(|_| share && is_own) else {
                continue;
            };
            let time = shared.time(voice);
            member.task = Task::Sample { voice: place, time };
            if let Some(entry) = shared.take(number, place, voice, time) {
                let slot = own_slots + entry;
                member.task = Task::Nothing;
                member.slot = slot as u32;
                member.renewed = slot != before || shared.entries[entry].sampled.is_some();
            }
        }
        self.frame += 1;
    }

    /// Samples the shared poses that are new in this frame.
    fn pose_shared(&mut self) -> Result<(), JobError> {
        let (joints, scalars) = shape(&self.character);
        let (members, skeleton) = (&self.members, self.character.skeleton());
        let span = Span {
            character: &self.character,
            first: 0,
            items: &mut self.shared.entries,
            model: &mut self.model[members.len() * joints..],
            scalars: &mut self.scalars[members.len() * scalars..],
            works: &mut self.works,
        };
        span.run(&|_, entry: &mut shared::Entry, work: &mut Work| {
            let Some((member, voice, time)) = entry.sampled else { return Ok(false) };
            let Work { scratch, pose } = work;
            members[member as usize].mixer.voices()[voice].sample_at(time, skeleton, scratch, pose);
            Ok(true)
        })
    }

    /// Poses the members that share nothing.
    fn pose_members(&mut self, change: Option<&Change<'_>>) -> Result<(), JobError> {
        let (span, character) = self.parts();
        let skeleton = character.skeleton();
        span.run(&|number, member: &mut Member, work: &mut Work| {
            let Work { scratch, pose } = &mut *work;
            match member.task {
                Task::Nothing => return Ok(false),
                Task::Mix => member.mixer.mix(scratch, pose)?,
                Task::Sample { voice, time } => {
                    member.mixer.voices()[voice].sample_at(time, skeleton, scratch, pose);
                }
            }
            if let Some(change) = change {
                change(number, pose);
                work.check(skeleton)?;
            }
            member.renewed = true;
            Ok(true)
        })
    }

    /// All members with their own slots.
    fn parts(&mut self) -> (Span<'_, Member>, &Character) {
        let Self { character, members, model, scalars, works, .. } = self;
        (Span { character, first: 0, items: members, model, scalars, works }, character)
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// All members, by their numbers.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// All members, to play clips with.
    pub fn members_mut(&mut self) -> &mut [Member] {
        &mut self.members
    }

    /// A member as a renderer takes it, if there is one of that number. Before it was first posed it is at rest.
    pub fn shown(&self, number: usize) -> Option<Shown<'_>> {
        let (joints, scalars) = shape(&self.character);
        let slot = self.members.get(number)?.slot as usize;
        let model = &self.model[slot * joints..(slot + 1) * joints];
        Some(Shown::new(&self.character, model, &self.scalars[slot * scalars..(slot + 1) * scalars]))
    }

    /// Numbers of the members whose matrices the last [`Crowd::pose`] changed, in rising order: the ones that a renderer needs anew.
    pub fn renewed(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().enumerate().filter(|(_, member)| member.renewed).map(|(number, _)| number)
    }
}
