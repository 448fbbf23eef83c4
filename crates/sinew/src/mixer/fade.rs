//! How a weight goes from one value to another.

use crate::math::share;

/// How a fade goes from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Ease {
    /// Evenly.
    #[default]
    Linear,
    /// Slowly at both ends: `3x² − 2x³`.
    SmoothStep,
}

impl Ease {
    /// From 0 at 0 to 1 at 1.
    pub fn at(self, part: f64) -> f64 {
        match self {
            Self::Linear => part,
            Self::SmoothStep => part * part * (3.0 - 2.0 * part),
        }
    }
}

/// A stretch of time that is passed through once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fade {
    elapsed: f64,
    length: f64,
    ease: Ease,
}

impl Fade {
    /// `None` where there is nothing to pass through.
    pub(crate) fn new(length: f64, ease: Ease) -> Option<Self> {
        (length > 0.0 && length.is_finite()).then_some(Self { elapsed: 0.0, length, ease })
    }

    pub(crate) fn advance(&mut self, seconds: f64) {
        self.elapsed += seconds;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.elapsed >= self.length
    }

    /// Seconds until it is over.
    pub(crate) fn left(&self) -> f64 {
        (self.length - self.elapsed).max(0.0)
    }

    /// From 0 to 1.
    pub(crate) fn progress(&self) -> f32 {
        if self.is_over() { 1.0 } else { self.ease.at(self.elapsed / self.length) as f32 }
    }
}

/// A weight that may be on its way to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ramp {
    from: f32,
    to: f32,
    fade: Option<Fade>,
}

impl Ramp {
    /// A weight that stays.
    pub(crate) fn new(weight: f32) -> Self {
        Self { from: 0.0, to: share(weight), fade: None }
    }

    /// Goes on from where it is.
    pub(crate) fn go_to(&mut self, weight: f32, fade: Option<Fade>) {
        *self = Self { from: self.now(), to: share(weight), fade };
    }

    pub(crate) fn advance(&mut self, seconds: f64) {
        if let Some(fade) = &mut self.fade {
            fade.advance(seconds);
            if fade.is_over() {
                self.fade = None;
            }
        }
    }

    pub(crate) fn settle(&mut self) {
        self.fade = None;
    }

    pub(crate) fn now(&self) -> f32 {
        self.fade.map_or(self.to, |fade| self.from + (self.to - self.from) * fade.progress())
    }

    /// Seconds until it comes to zero, if it is on the way there.
    pub(crate) fn until_silent(&self) -> Option<f64> {
        self.fade.filter(|_| self.to == 0.0).map(|fade| fade.left())
    }

    pub(crate) fn is_falling(&self) -> bool {
        self.to < self.from && self.fade.is_some()
    }
}
