//! A virtual display: Xvfb, with input through XTEST and screenshots.

use sinew_render::Picture;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat, InputFocus, MapState, Window};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// XTEST uses the event codes of the core protocol.
const KEY_PRESS: u8 = 2;
const KEY_RELEASE: u8 = 3;
const BUTTON_PRESS: u8 = 4;
const BUTTON_RELEASE: u8 = 5;
const MOTION: u8 = 6;

pub struct Display {
    server: Child,
    name: String,
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
}

impl Display {
    /// Starts a display. Without Xvfb, prints that the test is skipped.
    pub fn open(test: &str, size: (u16, u16)) -> Option<Self> {
        let screen = format!("{}x{}x24", size.0, size.1);
        // The server chooses a free display number and writes it when it is ready.
        let started = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut server = match started {
            Ok(server) => server,
            Err(error) => {
                eprintln!("SINEW-SKIP: {test}: Xvfb missing ({error}; Debian and Ubuntu: apt install xvfb)");
                return None;
            }
        };
        let mut number = String::new();
        let out = server.stdout.take().expect("its output is taken");
        BufReader::new(out).read_line(&mut number).expect("Xvfb says its number");
        let name = format!(":{}", number.trim());
        let (connection, screen) = RustConnection::connect(Some(&name)).expect("Xvfb answers");
        let root = connection.setup().roots[screen].root;
        Some(Self { server, name, connection, root })
    }

    /// Value of `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The only window, once it is shown: before that it cannot be focused.
    pub fn window(&self) -> Window {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let tree = self.connection.query_tree(self.root).unwrap().reply().unwrap();
            let large = tree.children.into_iter().find(|&window| {
                let geometry = self.connection.get_geometry(window).unwrap().reply();
                let attributes = self.connection.get_window_attributes(window).unwrap().reply();
                geometry.is_ok_and(|g| g.width > 300 && g.height > 200)
                    && attributes.is_ok_and(|a| a.map_state == MapState::VIEWABLE)
            });
            if let Some(window) = large {
                return window;
            }
            assert!(Instant::now() < deadline, "there is no window");
        }
    }

    /// Focuses a window, as a window manager would.
    pub fn focus(&self, window: Window) {
        self.connection
            .set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)
            .unwrap()
            .check()
            .unwrap();
    }

    /// Presses and releases a key.
    pub fn press(&self, key: &str) {
        let code = self.code(keysym(key));
        [KEY_PRESS, KEY_RELEASE].into_iter().for_each(|kind| self.fake(kind, code, (0, 0)));
    }

    /// Presses a key while Shift is held.
    pub fn press_shifted(&self, key: &str) {
        let (shift, code) = (self.code(SHIFT), self.code(keysym(key)));
        for (kind, code) in [(KEY_PRESS, shift), (KEY_PRESS, code), (KEY_RELEASE, code), (KEY_RELEASE, shift)]
        {
            self.fake(kind, code, (0, 0));
        }
    }

    /// Clicks at a position of the screen.
    pub fn click(&self, at: (i16, i16)) {
        self.fake(MOTION, 0, at);
        [BUTTON_PRESS, BUTTON_RELEASE].into_iter().for_each(|kind| self.fake(kind, 1, at));
    }

    /// Drags slowly from one position to another: events within one frame would not count as a drag.
    pub fn drag(&self, from: (i16, i16), to: (i16, i16)) {
        const STEPS: i16 = 20;
        self.fake(MOTION, 0, from);
        self.fake(BUTTON_PRESS, 1, from);
        for step in 1..=STEPS {
            std::thread::sleep(Duration::from_millis(20));
            let between = |from: i16, to: i16| from + (to - from) * step / STEPS;
            self.fake(MOTION, 0, (between(from.0, to.0), between(from.1, to.1)));
        }
        self.fake(BUTTON_RELEASE, 1, to);
    }

    fn fake(&self, kind: u8, detail: u8, at: (i16, i16)) {
        let sent =
            self.connection.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, at.0, at.1, 0);
        sent.unwrap().check().unwrap();
    }

    /// The key code of a symbol.
    fn code(&self, keysym: u32) -> u8 {
        let setup = self.connection.setup();
        let (low, high) = (setup.min_keycode, setup.max_keycode);
        let map = self.connection.get_keyboard_mapping(low, high - low + 1).unwrap().reply().unwrap();
        let per_code = usize::from(map.keysyms_per_keycode);
        let place = map.keysyms.chunks(per_code).position(|symbols| symbols[0] == keysym);
        low + u8::try_from(place.expect("the keyboard has the key")).unwrap()
    }

    /// Screenshot of a part of the screen.
    pub fn picture(&self, at: (i16, i16), size: (u16, u16)) -> Picture {
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.root, at.0, at.1, size.0, size.1, u32::MAX)
            .unwrap()
            .reply()
            .unwrap();
        // Blue, green, red and a padding byte.
        let pixels = image.data.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0], 255]).collect();
        Picture::from_pixels(size.0.into(), size.1.into(), pixels).expect("four bytes a pixel")
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

const SHIFT: u32 = 0xffe1;

/// X11 symbols of keys that are not letters.
fn keysym(key: &str) -> u32 {
    match key {
        "Home" => 0xff50,
        "End" => 0xff57,
        "Left" => 0xff51,
        "Up" => 0xff52,
        "Right" => 0xff53,
        "Down" => 0xff54,
        "Escape" => 0xff1b,
        "space" => 0x20,
        letter => letter.chars().next().map(u32::from).expect("a letter"),
    }
}
