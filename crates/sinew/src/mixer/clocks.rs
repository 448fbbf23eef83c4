//! Time: clocks, fades, and voices that are kept in step.

use super::source::Source;
use super::{Mixer, SyncGroup, Voice};
use crate::blend_space::follow;
use crate::root_motion::{Motion, about};
use crate::{LoopMode, SyncMode, Transform};
use glam::DVec3;

impl Mixer {
    /// Moves all clocks and fades on by `seconds`. A voice that goes silent on the way is heard for its part of the time.
    pub fn advance(&mut self, seconds: f64) {
        let seconds = if seconds >= 0.0 && seconds.is_finite() { seconds } else { 0.0 };
        self.remove_if(|voice| voice.is_over);
        self.choose_leaders();
        // From the youngest to the oldest, since a voice is silent once one above it has risen.
        let mut risen = (0, f64::INFINITY);
        for voice in self.voices.iter_mut().rev() {
            if voice.is_outgoing {
                voice.advance(0.0, 0.0);
                continue;
            }
            if risen.0 != voice.layer {
                risen = (voice.layer, f64::INFINITY);
            }
            let heard = seconds.min(risen.1).min(voice.until_silent().unwrap_or(f64::INFINITY));
            if voice.replaces && !voice.playback.is_paused() {
                risen.1 = risen.1.min(voice.rise.map_or(0.0, |rise| rise.left()));
            }
            voice.advance(seconds, heard);
        }
        self.keep_in_step();
        for inertia in &mut self.inertias {
            inertia.advance(seconds);
        }
        self.share_out();
    }

    /// What each voice counts: its weight and rise, times what those above it in its layer leave.
    pub(super) fn share_out(&mut self) {
        let mut left = (0, 1.0);
        for voice in self.voices.iter_mut().rev() {
            if voice.is_outgoing {
                voice.is_fading = true;
                continue;
            }
            if left.0 != voice.layer {
                left = (voice.layer, 1.0);
            }
            voice.share = voice.weight.now() * voice.risen() * left.1;
            voice.is_fading = left.1 < 1.0 || voice.weight.is_falling() || voice.ends_silent;
            voice.is_over = left.1 == 0.0 || (voice.ends_silent && voice.share == 0.0);
            left.1 *= voice.leaves();
        }
    }

    /// The voice of a group that counts most.
    fn leader(&self, group: u8) -> Option<usize> {
        let members = (0..self.voices.len()).filter(|&i| is_in(&self.voices[i], group));
        members.fold(None, |best, i| match best {
            Some(best) if self.voices[i].share <= self.voices[best].share => Some(best),
            _ => Some(i),
        })
    }

    fn choose_leaders(&mut self) {
        for place in 0..self.voices.len() {
            let group = self.voices[place].group;
            let leads = group.is_none_or(|group| self.leader(group.group) == Some(place));
            self.voices[place].is_leader = leads;
        }
    }

    /// Brings the clocks of those that follow to where the leader of their group is.
    fn keep_in_step(&mut self) {
        for place in 0..self.voices.len() {
            let voice = &self.voices[place];
            let Some(group) = voice.group.filter(|_| !voice.is_leader && !voice.is_outgoing) else {
                continue;
            };
            let Some(leader) = self.voices.iter().find(|other| other.is_leader && is_in(other, group.group))
            else {
                continue;
            };
            if let Some(position) = followed(leader, voice, group) {
                self.voices[place].playback.steer(position);
            }
        }
    }

    /// Starts a voice where the leader of its group is.
    pub(super) fn take_over(&self, voice: &mut Voice) {
        let Some(group) = voice.group else { return };
        let Some(leader) = self.leader(group.group).map(|place| &self.voices[place]) else { return };
        let phase = mapped(leader, voice, group, leader.phase());
        voice.playback.seek((phase - phase.floor()) * voice.source.turn());
    }

    /// How the last advance moved the character: a turn about the up axis, then a way in model space. Of voices whose root motion is extracted, each
    /// by what it counts at its root. Apply it as `place = place · delta`.
    pub fn root_delta(&self) -> Transform {
        let (mut delta, mut up) = (Motion::default(), glam::Vec3::ZERO);
        for layer in self.voices.chunk_by(|a, b| a.layer == b.layer) {
            let (mut sum, mut total) = (Motion::default(), 0.0);
            for voice in layer.iter().filter(|voice| voice.is_heard() && voice.is_override()) {
                for part in voice.parts() {
                    let (share, motion) = (f64::from(voice.root_share(&part)), voice.root_delta(&part));
                    sum = Motion { way: sum.way + motion.way * share, turn: sum.turn + motion.turn * share };
                    total += share;
                    up = if motion.turn == 0.0 { up } else { part.travel.up() };
                }
            }
            let keep = (1.0 - total).max(0.0);
            let scale = 1.0 / f64::max(total, 1.0);
            delta = Motion {
                way: (sum.way + delta.way * keep) * scale,
                turn: (sum.turn + delta.turn * keep) * scale,
            };
        }
        let rotation = if delta.turn == 0.0 { glam::Quat::IDENTITY } else { about(up, delta.turn) };
        let most = DVec3::splat(f32::MAX.into());
        Transform { translation: delta.way.clamp(-most, most).as_vec3(), rotation, ..Transform::IDENTITY }
    }
}

fn is_in(voice: &Voice, group: u8) -> bool {
    !voice.is_outgoing && voice.group.is_some_and(|own| own.group == group)
}

/// Which phase of a voice belongs to a phase of its leader.
fn mapped(leader: &Voice, voice: &Voice, group: SyncGroup, phase: f64) -> f64 {
    match group.by {
        SyncMode::Markers => follow(leader.source.reference(), voice.source.reference(), phase),
        SyncMode::Phase | SyncMode::None => phase,
    }
}

/// Where the clock of a voice belongs on its unrolled line, by where its leader went. Clocks that end are left alone.
fn followed(leader: &Voice, voice: &Voice, group: SyncGroup) -> Option<f64> {
    let (own, other) = (voice.source.turn(), leader.source.turn());
    let loops = voice.playback.mode() == LoopMode::Loop && leader.playback.mode() == LoopMode::Loop;
    if !(loops && own > 0.0 && other > 0.0) || group.by == SyncMode::None || voice.playback.is_paused() {
        return None;
    }
    let [from, to] = leader.playback.positions().map(|position| position / other);
    let phase = mapped(leader, voice, group, to - to.floor());
    // Of all turns the one that lies nearest to where it would have gone.
    let expected = voice.playback.positions()[0] / own + (to - from);
    Some((phase + libm::rint(expected - phase)) * own)
}

impl Mixer {
    /// Moves within the blend space of a voice. A place that is not finite counts as zero.
    pub fn set_parameter(&mut self, voice: super::VoiceId, at: impl Into<glam::Vec2>) {
        let Some(voice) = self.find(voice) else { return };
        let Source::Space { members: before, .. } = voice.source else { return };
        voice.source.set_parameter(at.into());
        let Source::Space { members, .. } = &voice.source else { return };
        for slot in 0..members.len() {
            if members[slot].0 != before[slot].0 || members[slot].1 == 0.0 {
                // Another clip chooses its own side.
                voice.sides_held &= !(1 << slot);
            }
        }
    }
}
