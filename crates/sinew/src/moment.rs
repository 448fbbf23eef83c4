//! Named times of a clip: events, which the game hears of, and markers, by which clips are synchronised.

/// A named moment of a clip that the game hears of: a footstep, a hit.
///
/// ```
/// use sinew::{Event, Fire};
///
/// let step = Event::new(0.4, "step");
/// let cry = Event { payload: "voice/cry.ogg".into(), fire: Some(Fire::UnlessFading), ..Event::new(0.1, "sound") };
/// assert_eq!((step.fire, cry.name.as_str()), (None, "sound"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Seconds from the start of the clip, at most its duration.
    pub time: f32,
    /// What the game asks for.
    pub name: String,
    /// Whatever else the game wants to know, as it was written; empty for none.
    pub payload: String,
    /// When it is fired while several clips play; `None` is [`Fire::Leader`] within a sync group, else [`Fire::Always`].
    pub fire: Option<Fire>,
}

impl Event {
    /// An event without payload, fired as is usual.
    pub fn new(time: f32, name: impl Into<String>) -> Self {
        Self { time, name: name.into(), ..Self::default() }
    }
}

/// When an event is fired while several clips play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Fire {
    /// Whenever its clip passes it.
    Always,
    /// Only by the clip that leads its sync group, the one with the most weight.
    Leader,
    /// Unless its clip is fading out.
    UnlessFading,
}

impl Fire {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Always, Self::Leader, Self::UnlessFading];

    /// As files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Leader => "leader",
            Self::UnlessFading => "unless-fading",
        }
    }
}

/// A named moment by which clips are synchronised: the left foot touches the ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marker {
    /// Seconds from the start of the clip, at most its duration.
    pub time: f32,
    /// Clips are matched by equal names.
    pub name: String,
}

impl Marker {
    /// A marker.
    pub fn new(time: f32, name: impl Into<String>) -> Self {
        Self { time, name: name.into() }
    }
}
