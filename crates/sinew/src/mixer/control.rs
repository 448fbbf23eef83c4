//! What a game changes while voices play.

use super::fade::{Ease, Fade};
use super::source::Source;
use super::{Mixer, VoiceId};
use crate::{LoopMode, RootMotion};

impl Mixer {
    /// Takes all voices away, or those of one layer, at once.
    pub fn stop(&mut self, layer: Option<u8>) {
        self.remove_if(|voice| layer.is_none_or(|layer| voice.layer == layer));
        for inertia in self.inertias.iter_mut().filter(|own| layer.is_none_or(|layer| own.layer == layer)) {
            inertia.end();
        }
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
        self.inertias.iter_mut().for_each(super::Inertia::end);
        self.share_out();
        self.remove_if(|voice| voice.is_over || voice.is_outgoing);
    }

    /// Gives a voice another weight, over so many seconds.
    pub fn set_weight(&mut self, voice: VoiceId, weight: f32, seconds: f64, ease: Ease) {
        if let Some(voice) = self.find(voice) {
            voice.weight.go_to(weight, Fade::new(seconds, ease));
        }
        self.share_out();
    }

    /// Goes to a time of the clip, or to a turn of the blend space; fires no events and moves no root.
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
    pub fn set_mode(&mut self, voice: VoiceId, mode: LoopMode) {
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

    /// Chooses the joint whose travel counts, instead of the highest one that moves. Clips of a blend space keep the one it was made with.
    pub fn set_root_joint(&mut self, joint: Option<u16>) {
        self.root_joint = joint;
        for voice in &mut self.voices {
            if let Source::Clip { clip, travel } = &mut voice.source {
                *travel = clip.travel(&self.character, joint);
            }
        }
    }
}
