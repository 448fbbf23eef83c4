//! Any number of clips at once, mixed into one local pose.

mod clocks;
mod control;
mod events;
mod fade;
mod inertia;
mod mix;
mod options;
mod scratch;
mod source;
mod voice;

pub use events::Fired;
pub use fade::Ease;
pub use options::{Layering, SyncGroup, VoiceOptions};
pub use scratch::Scratch;
pub use voice::{Voice, VoiceId};

use crate::blend_space::BlendSpace;
use crate::play_options::Transition;
use crate::{Character, Clip, ClipId, PlayError};
use inertia::{Inertia, State};
use source::{MOST_PARTS, Source};
use std::sync::Arc;

/// Plays any number of clips at once: voices, each with its clock, its weight, and the joints where it counts.
///
/// A mixer holds clocks and weights only, so that a crowd can have many; poses are mixed in a [`Scratch`] that many mixers share. A frame is
/// [`Mixer::advance`], [`Mixer::mix`], and [`Instance::finish`](crate::Instance::finish); [`Player`](crate::Player) and [`Controller`](crate::Controller)
/// do the three in one call. Room for the voices is reserved when it is made; after that nothing allocates.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{ClipId, Instance, Mask, Mixer, PlayOptions, Scratch, VoiceOptions};
/// use std::sync::Arc;
///
/// let mut mixer = Mixer::new(character.clone(), 4);
/// let mut scratch = Scratch::new(character.skeleton());
/// let mut instance = Instance::new(character.clone());
///
/// mixer.play(ClipId::new(0), PlayOptions::default())?;
/// let arms = Arc::new(Mask::below(character.skeleton(), "Spine")?);
/// mixer.play(ClipId::new(1), VoiceOptions::from(PlayOptions::once(0.2)).on_layer(1).masked(arms))?;
///
/// mixer.advance(1.0 / 60.0);
/// mixer.mix(&mut scratch, instance.pose_mut())?;
/// instance.finish()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Mixer {
    character: Arc<Character>,
    /// Layer by layer, in the order in which they were started.
    voices: Vec<Voice>,
    /// For each part of each voice a byte for each block of joints: see [`crate::kernel::layer::Sides`].
    sides: Vec<u8>,
    inertias: Vec<Inertia>,
    capacity: usize,
    started: u32,
    root_joint: Option<u16>,
}

impl Mixer {
    /// A mixer without voices, which gives the rest pose, with room for so many.
    pub fn new(character: Arc<Character>, voices: usize) -> Self {
        let blocks = character.skeleton().rest().blocks().len();
        let capacity = voices.max(1);
        character.clips().prepare();
        Self {
            voices: Vec::with_capacity(capacity),
            sides: vec![0; capacity * MOST_PARTS * blocks],
            inertias: Vec::new(),
            capacity,
            started: 0,
            root_joint: None,
            character,
        }
    }

    /// The same with room for inertial transitions on so many layers at once, of two poses each. Without room, they are crossfades.
    pub fn with_inertia(mut self, layers: usize) -> Self {
        self.inertias.resize_with(layers, || Inertia::new(self.character.skeleton()));
        self
    }

    /// Plays a clip of the character as it is meant to be ([`crate::ClipInfo::options`]), except for what the options give. On its layer it takes the
    /// place of what played before, with a fade if the options have one: those play on until it has risen.
    ///
    /// Where there is no room, the voice that counts least among those that are fading makes it. On an error everything stays as it was.
    pub fn play(&mut self, clip: ClipId, options: impl Into<VoiceOptions>) -> Result<VoiceId, PlayError> {
        let (clip, options) = self.meant(clip, options.into())?;
        self.play_clip(clip, options)
    }

    /// Plays a clip beside the others of its layer: it fades in, if the options say so, and none goes out. See [`Mixer::play`].
    pub fn add(&mut self, clip: ClipId, options: impl Into<VoiceOptions>) -> Result<VoiceId, PlayError> {
        let (clip, options) = self.meant(clip, options.into())?;
        self.add_clip(clip, options)
    }

    /// As [`Mixer::play`], with any clip that was made for this skeleton.
    pub fn play_clip(
        &mut self,
        clip: Arc<Clip>,
        options: impl Into<VoiceOptions>,
    ) -> Result<VoiceId, PlayError> {
        let source = self.clip_source(clip)?;
        self.start(source, options.into(), true)
    }

    /// As [`Mixer::add`], with any clip that was made for this skeleton.
    pub fn add_clip(
        &mut self,
        clip: Arc<Clip>,
        options: impl Into<VoiceOptions>,
    ) -> Result<VoiceId, PlayError> {
        let source = self.clip_source(clip)?;
        self.start(source, options.into(), false)
    }

    /// As [`Mixer::play`], with a blend space; [`Mixer::set_parameter`] says where in it. Its clock counts turns, and plays in a loop or once.
    pub fn play_space(
        &mut self,
        space: Arc<BlendSpace>,
        options: impl Into<VoiceOptions>,
    ) -> Result<VoiceId, PlayError> {
        let source = self.space_source(space)?;
        self.start(source, options.into(), true)
    }

    /// As [`Mixer::add`], with a blend space.
    pub fn add_space(
        &mut self,
        space: Arc<BlendSpace>,
        options: impl Into<VoiceOptions>,
    ) -> Result<VoiceId, PlayError> {
        let source = self.space_source(space)?;
        self.start(source, options.into(), false)
    }

    /// A clip of the character, loaded, with its own options below those given.
    fn meant(&self, clip: ClipId, mut options: VoiceOptions) -> Result<(Arc<Clip>, VoiceOptions), PlayError> {
        let (loaded, play) = self.character.clips().to_play(clip, options.play)?;
        options.play = play;
        Ok((loaded, options))
    }

    fn clip_source(&self, clip: Arc<Clip>) -> Result<Source, PlayError> {
        self.check(&clip)?;
        Ok(Source::Clip { travel: clip.travel(&self.character, self.root_joint), clip })
    }

    fn space_source(&self, space: Arc<BlendSpace>) -> Result<Source, PlayError> {
        space.clips().try_for_each(|clip| self.check(clip))?;
        let members = space.members([0.0, 0.0]);
        Ok(Source::Space { space, members })
    }

    fn check(&self, clip: &Arc<Clip>) -> Result<(), PlayError> {
        let rest = self.character.skeleton().rest();
        clip.prepare();
        clip.fits(rest.len(), rest.scalars().len())
            .map_err(|error| PlayError::DoesNotFit { clip: clip.clone(), error })
    }

    fn start(&mut self, source: Source, options: VoiceOptions, replaces: bool) -> Result<VoiceId, PlayError> {
        let id = VoiceId(self.started);
        let (layer, play) = (options.layer, options.play);
        let mut voice = Voice::new(id, source, options, replaces);
        let at_once = replaces && voice.rise.is_none();
        self.make_room(|other| at_once && other.layer == layer)?;
        self.take_over(&mut voice);
        if at_once {
            self.remove_if(|other| other.layer == layer);
        } else if replaces
            && play.transition == Transition::Inertial
            && self.begin_inertia(layer, play.crossfade)
        {
            voice.rise = None;
        }
        self.started = self.started.wrapping_add(1);
        let place = self.voices.partition_point(|other| other.layer <= layer);
        self.insert(place, voice);
        self.share_out();
        Ok(id)
    }

    /// Takes out the quietest of the fading voices if all are in use and none will go anyway.
    fn make_room(&mut self, goes: impl Fn(&Voice) -> bool) -> Result<(), PlayError> {
        if self.voices.len() < self.capacity || self.voices.iter().any(goes) {
            return Ok(());
        }
        let fading = self.voices.iter().enumerate().filter(|(_, voice)| voice.is_fading);
        let quietest = fading.min_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()));
        let Some((place, _)) = quietest else { return Err(PlayError::NoVoice { voices: self.capacity }) };
        self.remove(place);
        Ok(())
    }

    /// Hands the voices of a layer over to an inertial transition, if there is room for one.
    fn begin_inertia(&mut self, layer: u8, seconds: f64) -> bool {
        let own =
            self.inertias.iter().position(|inertia| inertia.layer == layer && inertia.state != State::Done);
        let place = own.or_else(|| self.inertias.iter().position(|inertia| inertia.state == State::Done));
        let Some(inertia) = place.map(|place| &mut self.inertias[place]) else { return false };
        if inertia.state == State::Pending {
            // The voices that wait are those that were shown last; what came after them never was.
            self.remove_if(|other| other.layer == layer && !other.is_outgoing);
            return true;
        }
        inertia.begin(layer, seconds);
        for voice in self.voices.iter_mut().filter(|voice| voice.layer == layer) {
            voice.is_outgoing = true;
        }
        true
    }

    /// A voice, until it is over.
    pub fn voice(&self, id: VoiceId) -> Option<&Voice> {
        self.voices.iter().find(|voice| voice.id == id)
    }

    /// All voices, layer by layer, in the order in which they were started.
    pub fn voices(&self) -> &[Voice] {
        &self.voices
    }

    /// For how many voices there is room.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    fn find(&mut self, id: VoiceId) -> Option<&mut Voice> {
        self.voices.iter_mut().find(|voice| voice.id == id)
    }

    fn insert(&mut self, place: usize, voice: Voice) {
        let bytes = self.side_bytes();
        let used = self.voices.len() * bytes;
        self.sides.copy_within(place * bytes..used, (place + 1) * bytes);
        self.voices.insert(place, voice);
    }

    fn remove(&mut self, place: usize) {
        let bytes = self.side_bytes();
        let used = self.voices.len() * bytes;
        self.sides.copy_within((place + 1) * bytes..used, place * bytes);
        self.voices.remove(place);
    }

    fn remove_if(&mut self, is_gone: impl Fn(&Voice) -> bool) {
        for place in (0..self.voices.len()).rev() {
            if is_gone(&self.voices[place]) {
                self.remove(place);
            }
        }
    }

    /// Of one voice.
    fn side_bytes(&self) -> usize {
        MOST_PARTS * self.character.skeleton().rest().blocks().len()
    }
}

#[cfg(test)]
pub(crate) mod tests;
