//! Foot contacts: when the feet of a character stand on the ground.
//!
//! [`detect`] looks at height and speed of feet and toes, in model space, and says for each foot from when to when it stands. From that follow markers, by which
//! clips are synchronised ([`Contacts::markers`]), footsteps that a game hears of ([`Contacts::footsteps`]), how fast the ground passes below a clip that was made
//! in place ([`Contacts::ground_speed`]), and how far feet slide ([`Stand::slide`]).
//!
//! Feet are found by their names ([`feet`]), or given. All lengths of [`Criteria`] are parts of the figure's height, so that a mouse and a giant are
//! judged alike.
//!
//! ```
//! # fn demo(character: &sinew::Character) -> Result<(), Box<dyn std::error::Error>> {
//! use sinew_contacts::{Criteria, detect, feet};
//!
//! let walk = character.clips().by_name("walk")?;
//! let contacts = detect(character, &walk, &feet(character.skeleton()), &Criteria::default())?;
//! for foot in &contacts.feet {
//!     for stand in &foot.stands {
//!         println!("{} stands from {} to {} s", foot.name, stand.start, stand.end);
//!     }
//! }
//! let walk = sinew::Clip::clone(&walk).with_markers(contacts.markers())?;
//! # Ok(()) }
//! ```
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod detect;
mod feet;
mod samples;
mod spans;

pub use detect::{Contacts, Criteria, FootContacts, Stand, detect};
pub use feet::{Foot, feet};
