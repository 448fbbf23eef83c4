//! Any number of clips at once, mixed into one local pose.

mod events;
mod fade;
mod mix;
mod scratch;
mod voice;

pub use events::Fired;
pub use fade::Ease;
pub use scratch::Scratch;
pub use voice::{Layering, Voice, VoiceId, VoiceOptions};

use crate::{Character, Clip, ClipId, ClipInfo, PlayError, RootMotion};
use fade::Fade;
use glam::Vec3;
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
    /// For each voice a byte for each block of joints: see [`crate::kernel::layer::Sides`].
    sides: Vec<u8>,
    capacity: usize,
    started: u32,
    root_joint: Option<u16>,
}

impl Mixer {
    /// A mixer without voices, which gives the rest pose, with room for so many.
    pub fn new(character: Arc<Character>, voices: usize) -> Self {
        let blocks = character.skeleton().rest().blocks().len();
        let capacity = voices.max(1);
        Self {
            voices: Vec::with_capacity(capacity),
            sides: vec![0; capacity * blocks],
            capacity,
            started: 0,
            root_joint: None,
            character,
        }
    }

    /// Plays a clip of the character as it is meant to be ([`ClipInfo::options`]), except for what the options give. On its layer it takes the
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
        self.start(clip, options.into(), true)
    }

    /// As [`Mixer::add`], with any clip that was made for this skeleton.
    pub fn add_clip(
        &mut self,
        clip: Arc<Clip>,
        options: impl Into<VoiceOptions>,
    ) -> Result<VoiceId, PlayError> {
        self.start(clip, options.into(), false)
    }

    /// A clip of the character, loaded, with its own options below those given.
    fn meant(&self, clip: ClipId, mut options: VoiceOptions) -> Result<(Arc<Clip>, VoiceOptions), PlayError> {
        let clips = self.character.clips();
        let loaded = match clips.load(clip.index()) {
            Some(Ok(loaded)) => loaded.clone(),
            Some(Err(error)) => return Err(error.clone().into()),
            None => return Err(PlayError::NoSuchClip(clip)),
        };
        let own = clips.info(clip.index()).map(ClipInfo::options).unwrap_or_default();
        options.play = options.play.over(own);
        Ok((loaded, options))
    }

    fn start(
        &mut self,
        clip: Arc<Clip>,
        options: VoiceOptions,
        replaces: bool,
    ) -> Result<VoiceId, PlayError> {
        let id = VoiceId(self.started);
        let voice = Voice::new(id, &self.character, clip, options, self.root_joint)
            .map_err(|(clip, error)| PlayError::DoesNotFit { clip, error })?;
        let voice = Voice { replaces, ..voice };
        let layer = voice.layer;
        if replaces && voice.rise.is_none() {
            self.remove_if(|other| other.layer == layer);
        }
        self.make_room()?;
        self.started = self.started.wrapping_add(1);
        let place = self.voices.partition_point(|other| other.layer <= layer);
        self.insert(place, voice);
        self.share_out();
        Ok(id)
    }

    /// Takes out the quietest of the fading voices if all are in use.
    fn make_room(&mut self) -> Result<(), PlayError> {
        if self.voices.len() < self.capacity {
            return Ok(());
        }
        let fading = self.voices.iter().enumerate().filter(|(_, voice)| voice.is_fading);
        let quietest = fading.min_by(|(_, a), (_, b)| a.share.total_cmp(&b.share));
        let Some((place, _)) = quietest else { return Err(PlayError::NoVoice { voices: self.capacity }) };
        self.remove(place);
        Ok(())
    }

    /// Moves all clocks and fades on by `seconds`. A voice that goes silent on the way is heard for its part of the time.
    pub fn advance(&mut self, seconds: f64) {
        let seconds = if seconds >= 0.0 && seconds.is_finite() { seconds } else { 0.0 };
        self.remove_if(|voice| voice.is_over);
        // From the youngest to the oldest, since a voice is silent once one above it has risen.
        let mut risen = (0, f64::INFINITY);
        for voice in self.voices.iter_mut().rev() {
            if risen.0 != voice.layer {
                risen = (voice.layer, f64::INFINITY);
            }
            let heard = seconds.min(risen.1).min(voice.until_silent().unwrap_or(f64::INFINITY));
            if voice.replaces && !voice.playback.is_paused() {
                risen.1 = risen.1.min(voice.rise.map_or(0.0, |rise| rise.left()));
            }
            voice.advance(seconds, heard);
        }
        self.share_out();
    }

    /// What each voice counts: its weight and rise, times what those above it in its layer leave.
    fn share_out(&mut self) {
        let mut left = (0, 1.0);
        for voice in self.voices.iter_mut().rev() {
            if left.0 != voice.layer {
                left = (voice.layer, 1.0);
            }
            voice.share = voice.weight.now() * voice.risen() * left.1;
            voice.is_fading = left.1 < 1.0 || voice.weight.is_falling() || voice.ends_silent;
            voice.is_over = left.1 == 0.0 || (voice.ends_silent && voice.share == 0.0);
            left.1 *= voice.leaves();
        }
    }

    /// Takes all voices away, or those of one layer, at once.
    pub fn stop(&mut self, layer: Option<u8>) {
        self.remove_if(|voice| layer.is_none_or(|layer| voice.layer == layer));
        self.share_out();
    }

    /// Fades a voice out; it is over when it is silent. At once if `seconds` is zero.
    pub fn fade_out(&mut self, voice: VoiceId, seconds: f64, ease: Ease) {
        if Fade::new(seconds, ease).is_none() {
            self.remove_if(|other| other.id == voice);
        } else if let Some(voice) = self.find(voice) {
            voice.fade_out(seconds, ease);
        }
        self.share_out();
    }

    /// Ends all fades at once: what rises has risen, and what was on its way out is gone.
    pub fn settle(&mut self) {
        for voice in &mut self.voices {
            voice.settle();
        }
        self.share_out();
        self.remove_if(|voice| voice.is_over);
    }

    /// Gives a voice another weight, over so many seconds.
    pub fn set_weight(&mut self, voice: VoiceId, weight: f32, seconds: f64, ease: Ease) {
        if let Some(voice) = self.find(voice) {
            voice.weight.go_to(weight, Fade::new(seconds, ease));
        }
        self.share_out();
    }

    /// Goes to a time of the clip; fires no events and moves no root.
    pub fn seek(&mut self, voice: VoiceId, time: f64) {
        if let Some(voice) = self.find(voice) {
            voice.playback.seek(time);
        }
    }

    /// Changes the speed from here on; negative plays backward.
    pub fn set_speed(&mut self, voice: VoiceId, speed: f64) {
        if let Some(voice) = self.find(voice) {
            voice.playback.set_speed(speed);
        }
    }

    /// Changes what happens at the end; the time stays.
    pub fn set_mode(&mut self, voice: VoiceId, mode: crate::LoopMode) {
        if let Some(voice) = self.find(voice) {
            voice.playback.set_mode(mode);
        }
    }

    /// Stops the clock and the fades of a voice, or starts them again.
    pub fn set_paused(&mut self, voice: VoiceId, paused: bool) {
        if let Some(voice) = self.find(voice) {
            voice.playback.set_paused(paused);
        }
    }

    /// The same for all voices that there are.
    pub fn pause_all(&mut self, paused: bool) {
        for voice in &mut self.voices {
            voice.playback.set_paused(paused);
        }
    }

    /// Changes what becomes of a voice's travel.
    pub fn set_root_motion(&mut self, voice: VoiceId, root_motion: RootMotion) {
        if let Some(voice) = self.find(voice) {
            voice.root_motion = root_motion;
        }
    }

    /// Chooses the joint whose travel counts, instead of the highest one that moves.
    pub fn set_root_joint(&mut self, joint: Option<u16>) {
        self.root_joint = joint;
        for voice in &mut self.voices {
            voice.travel = voice.clip.travel(&self.character, joint);
        }
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

    /// How far the last advance moved the character, in model space: of voices whose root motion is extracted, each by what it counts at its root.
    pub fn root_delta(&self) -> Vec3 {
        let mut delta = Vec3::ZERO;
        for layer in self.voices.chunk_by(|a, b| a.layer == b.layer) {
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for voice in layer.iter().filter(|voice| voice.is_override()) {
                let share = voice.share_at(voice.travel.joint().unwrap_or(0));
                sum += voice.root_delta() * share;
                total += share;
            }
            delta = if total > 1.0 { sum / total } else { sum + delta * (1.0 - total) };
        }
        delta
    }

    fn find(&mut self, id: VoiceId) -> Option<&mut Voice> {
        self.voices.iter_mut().find(|voice| voice.id == id)
    }

    fn insert(&mut self, place: usize, voice: Voice) {
        let blocks = self.blocks();
        let used = self.voices.len() * blocks;
        self.sides.copy_within(place * blocks..used, (place + 1) * blocks);
        self.voices.insert(place, voice);
    }

    fn remove(&mut self, place: usize) {
        let blocks = self.blocks();
        let used = self.voices.len() * blocks;
        self.sides.copy_within((place + 1) * blocks..used, place * blocks);
        self.voices.remove(place);
    }

    fn remove_if(&mut self, is_gone: impl Fn(&Voice) -> bool) {
        for place in (0..self.voices.len()).rev() {
            if is_gone(&self.voices[place]) {
                self.remove(place);
            }
        }
    }

    fn blocks(&self) -> usize {
        self.character.skeleton().rest().blocks().len()
    }
}
