//! Drag and drop as a file manager does it: the source side of the XDND protocol.

use super::display::Display;
use super::viewer::PATIENCE;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

const VERSION: u32 = 5;

/// Drops files on a window and waits until it has accepted them.
pub fn drop_files(display: &Display, target: Window, files: &[PathBuf]) {
    let source = Source::new(display, target);
    let list: String = files.iter().map(|file| format!("file://{}\r\n", file.display())).collect();
    source.tell("XdndEnter", [source.window, VERSION << 24, source.atom("text/uri-list"), 0, 0]);
    let place = (100 << 16) | 100;
    let action = source.atom("XdndActionCopy");
    source.tell("XdndPosition", [source.window, 0, place, x11rb::CURRENT_TIME, action]);
    // The window requests the list, then the drop is finished.
    source.answer(list.as_bytes());
    source.tell("XdndDrop", [source.window, 0, x11rb::CURRENT_TIME, 0, 0]);
    source.wait_until_finished();
}

struct Source<'a> {
    display: &'a Display,
    window: Window,
    target: Window,
}

impl<'a> Source<'a> {
    /// An invisible window that owns the dragged data.
    fn new(display: &'a Display, target: Window) -> Self {
        let connection = &display.connection;
        let window = connection.generate_id().unwrap();
        let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        connection
            .create_window(0, window, display.root, 0, 0, 1, 1, 0, class, 0, &aux)
            .unwrap()
            .check()
            .unwrap();
        let source = Self { display, window, target };
        let selection = source.atom("XdndSelection");
        connection.set_selection_owner(window, selection, x11rb::CURRENT_TIME).unwrap().check().unwrap();
        source
    }

    fn atom(&self, name: &str) -> u32 {
        self.display.connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }

    fn tell(&self, what: &str, data: [u32; 5]) {
        let message = ClientMessageEvent::new(32, self.target, self.atom(what), data);
        let sent = self.display.connection.send_event(false, self.target, EventMask::NO_EVENT, message);
        sent.unwrap().check().unwrap();
    }

    fn answer(&self, list: &[u8]) {
        let request = self.wait(|event| match event {
            Event::SelectionRequest(request) => Some(request),
            _ => None,
        });
        let SelectionRequestEvent { requestor, property, selection, target, time, .. } = request;
        let connection = &self.display.connection;
        let written = connection.change_property8(PropMode::REPLACE, requestor, property, target, list);
        written.unwrap().check().unwrap();
        let notify = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time,
            requestor,
            selection,
            target,
            property,
        };
        connection.send_event(false, requestor, EventMask::NO_EVENT, notify).unwrap().check().unwrap();
    }

    fn wait_until_finished(&self) {
        let finished = self.atom("XdndFinished");
        let accepted = self.wait(|event| match event {
            Event::ClientMessage(message) if message.type_ == finished => Some(message.data.as_data32()[1]),
            _ => None,
        });
        assert_eq!(accepted & 1, 1, "the window takes what is dropped");
    }

    fn wait<T>(&self, wanted: impl Fn(Event) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.display.connection.poll_for_event().unwrap() {
                Some(event) => {
                    if let Some(found) = wanted(event) {
                        return found;
                    }
                }
                None => {
                    assert!(Instant::now() < deadline, "the window does not answer");
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }
}
