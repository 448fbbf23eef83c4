//! Stands with spectators around a scene: what [`sinew::Crowd`] is for.
//!
//! All spectators share one character. Those in the same state share their poses too, distant ones are posed less often, and those behind the camera not
//! at all; their clocks run on.

use super::Result;
use super::actors::Actor;
use super::props::{Props, around, chance, rgb};
use sinew::glam::{Affine3, Quat, Vec2, Vec3};
use sinew::{Aabb, ClipId, Crowd, PlayOptions};
use sinew_render::{Batch, Camera, Color, Renderer, Skinning};
use std::f32::consts::TAU;

/// Metres between neighbours, between rows, and from one row up to the next.
const SEAT: f32 = 0.8;
const ROW: f32 = 0.9;
const RISE: f32 = 0.35;
/// Metres from the camera beyond which a spectator is posed in every second frame only.
const FAR: f32 = 20.0;

/// A crowd in rows that rise outward.
pub struct Stands {
    crowd: Crowd,
    seats: Vec<Vec3>,
    batch: Batch,
    steps: Batch,
    idle: ClipId,
    cheer: ClipId,
    cheers: u32,
}

impl Stands {
    /// So many spectators, the first row at a distance from the middle.
    pub fn new(renderer: &mut Renderer, actor: &Actor, count: usize, distance: f32) -> Result<Self> {
        let (seats, steps) = rows(count, distance);
        let clips = actor.character.clips();
        let clip = |tag: &str| clips.id(tag).ok_or_else(|| format!("the creature has no clip for {tag}"));
        let (idle, cheer) = (clip("Idle")?, clip("Attack1")?);
        let mut crowd = Crowd::new(actor.character.clone(), count, 2);
        crowd.share_poses(1.0 / 30.0, 256);
        let mut batch = renderer.batch(&actor.model, count, Skinning::Auto)?;
        batch.cast_shadow(false);
        for (number, (member, seat)) in crowd.members_mut().iter_mut().zip(&seats).enumerate() {
            let voice = member.mixer_mut().play(idle, PlayOptions::default())?;
            member.mixer_mut().seek(voice, 2.0 * f64::from(chance(number as u32)));
            let inward = Quat::from_rotation_y((-seat.x).atan2(-seat.z));
            batch.place(number, Affine3::from_rotation_translation(inward, *seat))?;
            let shade = 150 + (100.0 * chance(number as u32 + 1)) as u8;
            batch.tint(number, Color([shade, 255 - shade / 3, 220, 255]))?;
        }
        Ok(Self { crowd, seats, batch, steps: steps.build(renderer)?, idle, cheer, cheers: 0 })
    }

    /// Every third spectator jumps, not always the same ones.
    pub fn cheer(&mut self) -> Result {
        self.cheers += 1;
        for (number, member) in self.crowd.members_mut().iter_mut().enumerate() {
            if chance(number as u32 * 3 + self.cheers) < 0.33 {
                member.mixer_mut().play(self.cheer, PlayOptions::once(0.1))?;
            }
        }
        Ok(())
    }

    /// Advances all clocks; who has cheered sits down again.
    pub fn update(&mut self, seconds: f64) -> Result {
        self.crowd.advance(seconds);
        for member in self.crowd.members_mut() {
            if member.mixer().voices().last().is_some_and(|voice| voice.playback().has_ended()) {
                member.mixer_mut().play(self.idle, PlayOptions::looping(0.3))?;
            }
        }
        Ok(())
    }

    /// Poses those whom a camera sees, and gives what is to be drawn.
    pub fn draw(&mut self, camera: &Camera, aspect: f32) -> Result<[&mut Batch; 2]> {
        for (member, &seat) in self.crowd.members_mut().iter_mut().zip(&self.seats) {
            let around = Aabb { min: seat - Vec3::ONE, max: seat + Vec3::new(1.0, 2.0, 1.0) };
            member.set_visible(camera.sees(&around, aspect));
            member.set_every(if seat.distance(camera.eye()) < FAR { 1 } else { 2 });
        }
        self.crowd.pose()?;
        for number in self.crowd.renewed() {
            if let Some(shown) = self.crowd.shown(number) {
                self.batch.set(number, shown)?;
            }
        }
        Ok([&mut self.steps, &mut self.batch])
    }
}

/// Seats in rings, and the steps below them.
fn rows(count: usize, distance: f32) -> (Vec<Vec3>, Props) {
    let (mut seats, mut props, mut line) = (Vec::new(), Props::default(), Vec::new());
    let (mut radius, mut height) = (distance, 0.0);
    while seats.len() < count {
        let fit = ((TAU * radius / SEAT) as usize).min(count - seats.len());
        height += RISE;
        seats.extend((0..fit).map(|i| around(i as f32 / fit as f32, radius) + Vec3::Y * height));
        let (inner, outer) = (radius - ROW / 2.0, radius + ROW / 2.0);
        line.push((Vec2::new(inner, height - RISE), rgb(0x6f5a48)));
        line.push((Vec2::new(inner, height), rgb(0x8c7355)));
        line.push((Vec2::new(outer, height), rgb(0xa88c6c)));
        radius += ROW;
    }
    props.lathe(-Vec3::Y * 0.002, &line, 64);
    (seats, props)
}
