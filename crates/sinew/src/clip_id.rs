//! A clip of a library, found once.

/// A clip of one [`ClipLibrary`](crate::ClipLibrary), found once by name, tag or number: no text is compared when it is played.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), sinew::PlayError> {
/// use sinew::Player;
///
/// let walk = character.clips().id("Walk");    // once
/// let mut player = Player::new(character);
/// if let Some(walk) = walk {
///     player.play(walk)?;                     // whenever
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClipId(u32);

impl ClipId {
    /// A clip by its number in the library. Whether there is one is seen when it is played.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its number in the library.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a game names a clip: as it was found before, or by text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipRef<'a> {
    /// Found before.
    Id(ClipId),
    /// Its name, its tag, or its number after `#`.
    Text(&'a str),
}

impl From<ClipId> for ClipRef<'_> {
    fn from(id: ClipId) -> Self {
        Self::Id(id)
    }
}

impl<'a> From<&'a str> for ClipRef<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for ClipRef<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}
