//! Props on joints, to find out where a socket should be.

use super::{App, Document, Overlay};
use sinew::glam::{EulerRot, Quat, Vec3};
use sinew::{Socket, Transform};

/// A placeholder on a joint, as a socket of the character would hold it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prop {
    /// Joint that it moves with.
    pub joint: u16,
    /// Where it is, in the joint's space.
    pub translation: Vec3,
    /// How it is turned about the joint's X, Y and Z, in degrees.
    pub degrees: Vec3,
}

/// A change of the props.
#[derive(Clone, Debug, PartialEq)]
pub enum PropChange {
    /// Puts one on a joint.
    Add(u16),
    /// Takes one away.
    Remove(usize),
    /// Moves and turns one.
    Set(usize, Prop),
}

impl Prop {
    /// On a joint, where the joint is.
    pub fn new(joint: u16) -> Self {
        Self { joint, translation: Vec3::ZERO, degrees: Vec3::ZERO }
    }

    /// As a socket.
    pub fn socket(&self, name: &str) -> Socket {
        let [x, y, z] = self.degrees.to_array().map(f32::to_radians);
        let rotation = Quat::from_euler(EulerRot::XYZ, x, y, z);
        let offset = Transform { translation: self.translation, rotation, ..Transform::IDENTITY };
        Socket { name: name.to_owned(), joint: self.joint, offset }
    }
}

impl App {
    /// Props that were put on joints.
    pub fn props(&self) -> &[Prop] {
        &self.props
    }

    /// The character's sockets, and the props as such.
    pub fn sockets(&self) -> Vec<Socket> {
        let Some(document) = &self.document else { return Vec::new() };
        let props = self.props.iter().map(|prop| prop.socket(document.tree.name(prop.joint)));
        document.character.sockets().iter().cloned().chain(props).collect()
    }

    pub(super) fn change_prop(&mut self, change: &PropChange) {
        match *change {
            PropChange::Add(joint) => {
                self.props.push(Prop::new(joint));
                self.overlays.insert(Overlay::Sockets);
            }
            PropChange::Remove(number) if number < self.props.len() => {
                self.props.remove(number);
            }
            PropChange::Remove(_) => {}
            PropChange::Set(number, prop) => {
                let is_finite = prop.translation.is_finite() && prop.degrees.is_finite();
                if let Some(place) = self.props.get_mut(number).filter(|_| is_finite) {
                    *place = prop;
                }
            }
        }
    }

    /// Props on joints that are still there.
    pub(super) fn carry_props(&mut self, before: &Document, document: &Document) {
        let same = |prop: &Prop| Some(Prop { joint: document.same_joint(before, prop.joint)?, ..*prop });
        self.props = self.props.iter().filter_map(same).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{character, character_of};
    use crate::app::{Action, News};

    fn read(app: &mut App, character: std::sync::Arc<sinew::Character>) {
        app.receive(News::Read(Box::new(Document::new(character, &[]))));
    }

    #[test]
    fn a_prop_is_a_socket_on_its_joint() {
        let mut app = App::default();
        read(&mut app, character());
        app.apply(Action::Prop(PropChange::Add(2)));
        assert!(app.has(Overlay::Sockets), "or it would not be seen");
        let turned = Prop { translation: Vec3::X, degrees: Vec3::new(0.0, 0.0, 90.0), ..Prop::new(2) };
        app.apply(Action::Prop(PropChange::Set(0, turned)));
        let sockets = app.sockets();
        assert_eq!((sockets[0].name.as_str(), sockets[0].joint), ("Head", 2));
        let tip = sockets[0].offset.to_affine().transform_point3(Vec3::Y);
        assert!(tip.abs_diff_eq(Vec3::ZERO, 1e-6), "what was up points to the left: {tip}");
        app.apply(Action::Prop(PropChange::Set(0, Prop { translation: Vec3::NAN, ..turned })));
        assert_eq!(app.props(), [turned]);
        read(&mut app, character_of(&[("Hips", None), ("Head", Some(0))], ["Rise", "Walk"]));
        assert_eq!(app.props(), [Prop { joint: 1, ..turned }], "by name");
        read(&mut app, character_of(&[("Hips", None)], ["Rise", "Walk"]));
        assert!(app.props().is_empty());
        app.apply(Action::Prop(PropChange::Remove(0)));
    }
}
