//! Layers over what plays: each a clip with a weight, a mask, and whether it is added.

use super::Show;
use sinew::{Clip, Ease, LoopMode, Mask, Mixer, PlayOptions, Pose, Skeleton, VoiceId, VoiceOptions};
use std::sync::Arc;

/// Most layers of a show.
pub(super) const MOST: usize = 8;
/// The lowest layer of the mixer that is one of these; those of a machine lie below.
const LOWEST: u8 = 128;

/// A layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRow {
    /// Index of its clip.
    pub clip: usize,
    /// From 0 to 1.
    pub weight: f32,
    /// The joint from which on it counts; everywhere if there is none.
    pub joint: Option<u16>,
    /// Over how many joints it grows to all of its weight.
    pub falloff: u16,
    /// Whether it is added, as the difference from the first frame of its clip.
    pub additive: bool,
}

/// A layer that plays.
#[derive(Clone, Debug)]
struct Layer {
    row: LayerRow,
    /// Its number in the mixer.
    slot: u8,
    voice: VoiceId,
}

/// A change of the layers.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerChange {
    /// Adds one that plays a clip, everywhere or from a joint on.
    Add(usize, Option<u16>),
    /// Takes one away.
    Remove(usize),
    /// Plays another clip on it.
    Clip(usize, usize),
    /// Gives it another weight.
    Weight(usize, f32),
    /// Lets it count from a joint on.
    Mask(usize, Option<u16>),
    /// Lets it grow over so many joints.
    Falloff(usize, u16),
    /// Adds it, or lets it take the place of what lies below.
    Additive(usize, bool),
}

/// All layers, from the lowest to the highest.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers(Vec<Layer>);

impl Layers {
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &LayerRow> {
        self.0.iter().map(|layer| &layer.row)
    }

    pub(super) fn seek(&self, mixer: &mut Mixer, time: f64) {
        for layer in &self.0 {
            let Some(voice) = mixer.voice(layer.voice) else { continue };
            let duration = voice.playback().duration();
            let within = (0.0..=duration).contains(&time);
            mixer.seek(layer.voice, if within || duration <= 0.0 { time } else { time.rem_euclid(duration) });
        }
    }

    pub(super) fn set_speed(&self, mixer: &mut Mixer, speed: f64) {
        self.0.iter().for_each(|layer| mixer.set_speed(layer.voice, speed));
    }
}

impl Show {
    /// Changes the layers. On an error everything stays as it was.
    pub fn change_layer(&mut self, change: &LayerChange) -> Result<(), String> {
        match *change {
            LayerChange::Add(clip, joint) => self.add_layer(clip, joint)?,
            LayerChange::Remove(number) => {
                if number < self.layers.0.len() {
                    self.mixer.stop(Some(self.layers.0.remove(number).slot));
                }
            }
            LayerChange::Weight(number, weight) => {
                if let Some(layer) = self.layers.0.get_mut(number) {
                    layer.row.weight = weight.clamp(0.0, 1.0);
                    self.mixer.set_weight(layer.voice, layer.row.weight, 0.0, Ease::Linear);
                }
            }
            LayerChange::Clip(number, clip) => self.alter(number, |row| row.clip = clip)?,
            LayerChange::Mask(number, joint) => self.alter(number, |row| row.joint = joint)?,
            LayerChange::Falloff(number, joints) => self.alter(number, |row| row.falloff = joints)?,
            LayerChange::Additive(number, added) => self.alter(number, |row| row.additive = added)?,
        }
        self.refresh();
        Ok(())
    }

    /// The layers of another show, whose clips and joints may have other numbers here. Those whose clip or joint is gone are left out.
    pub fn take_layers(
        &mut self,
        other: &Self,
        clip: impl Fn(usize) -> Option<usize>,
        joint: impl Fn(u16) -> Option<u16>,
    ) {
        for row in other.layers.rows() {
            let masked = row.joint.map(&joint);
            let (Some(clip), false) = (clip(row.clip), masked == Some(None)) else { continue };
            // What does not fit the new character goes with it.
            let _ = self.push_layer(LayerRow { clip, joint: masked.flatten(), ..row.clone() });
        }
        self.refresh();
    }

    /// Starts all layers again, on a mixer that has none of them yet.
    pub(super) fn restart_layers(&mut self) {
        for row in std::mem::take(&mut self.layers.0).into_iter().map(|layer| layer.row) {
            // It was started before, so it can be again.
            let _ = self.push_layer(row);
        }
    }

    fn add_layer(&mut self, clip: usize, joint: Option<u16>) -> Result<(), String> {
        if self.layers.0.len() == MOST {
            return Err(format!("There are {MOST} layers already: take one away first"));
        }
        self.push_layer(LayerRow { clip, weight: 1.0, joint, falloff: 0, additive: false })
    }

    /// Adds a layer above all others.
    fn push_layer(&mut self, row: LayerRow) -> Result<(), String> {
        if self.layers.0.last().is_some_and(|layer| layer.slot == u8::MAX) {
            self.layers.0.iter().for_each(|layer| self.mixer.stop(Some(layer.slot)));
            self.restart_layers();
        }
        let slot = self.layers.0.last().map_or(LOWEST, |layer| layer.slot + 1);
        let voice = self.start_layer(&row, slot)?;
        self.layers.0.push(Layer { row, slot, voice });
        Ok(())
    }

    /// Changes what a voice cannot change while it plays: another takes its place, at the same time of its clip.
    fn alter(&mut self, number: usize, change: impl FnOnce(&mut LayerRow)) -> Result<(), String> {
        let Some(Layer { mut row, slot, voice }) = self.layers.0.get(number).cloned() else { return Ok(()) };
        let time = self.mixer.voice(voice).map_or(0.0, |voice| voice.playback().time());
        change(&mut row);
        let voice = self.start_layer(&row, slot)?;
        self.mixer.seek(voice, time);
        self.layers.0[number] = Layer { row, slot, voice };
        Ok(())
    }

    /// Plays a layer's clip at once.
    fn start_layer(&mut self, row: &LayerRow, slot: u8) -> Result<VoiceId, String> {
        let character = Arc::clone(self.character());
        let clip = character.clips().get(row.clip).map_err(|error| error.to_string())?;
        let speed = if self.runs_machine() { 1.0 } else { self.options.speed };
        let play = PlayOptions { mode: Some(LoopMode::Loop), speed: Some(speed), ..self.options.play() };
        let mut options = VoiceOptions::from(play).on_layer(slot).weighted(row.weight);
        if let Some(joint) = row.joint {
            options = options.masked(Arc::new(mask(character.skeleton(), joint, row.falloff)?));
        }
        if row.additive {
            options = options.additive(Arc::new(reference(character.skeleton(), &clip)?));
        }
        let name = clip.name().to_owned();
        self.mixer.play_clip(clip, options).map_err(|error| format!("clip `{name}`: {error}"))
    }
}

fn mask(skeleton: &Skeleton, joint: u16, falloff: u16) -> Result<Mask, String> {
    let mask = Mask::below(skeleton, skeleton.name(joint)).map_err(|error| error.to_string())?;
    Ok(if falloff > 0 { mask.falloff(skeleton, falloff) } else { mask })
}

fn reference(skeleton: &Skeleton, clip: &Clip) -> Result<Pose, String> {
    Pose::of_clip(skeleton, clip, 0.0).map_err(|error| error.to_string())
}
