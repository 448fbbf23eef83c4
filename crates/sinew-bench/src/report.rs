//! The tables and plots of docs/performance.md.

use crate::clock::Rounds;
use crate::plot::{Line, svg};
use crate::synthetic::{self, Extras, Size};
use crate::work::{self, Workload, Wrong};
use crate::{humanoid, machine};
use sinew::{Character, Controller, Crowd, Kernels, Player};
use sinew_compress::Profile;
use std::fmt::Write;
use std::sync::Arc;

/// Joints of the character that most rows are about.
pub const JOINTS: usize = 70;
/// Seconds of its clip.
const SECONDS: f32 = 4.0;

/// Text and pictures.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Tables, in Markdown.
    pub text: String,
    /// Names of files and their contents.
    pub plots: Vec<(&'static str, String)>,
}

/// Measures everything. `allocated` is how many bytes are allocated at present.
///
/// # Errors
/// If a result differs from the reference: such a row is never written.
pub fn write(rounds: Rounds, allocated: &dyn Fn() -> usize) -> Result<Report, Wrong> {
    let mut report = Report::default();
    let (character, _) = synthetic::character(JOINTS, SECONDS, 30.0, Profile::Balanced);
    report.one_character(&character, rounds)?;
    report.sizes();
    report.memory(&character, allocated);
    report.joints(rounds)?;
    report.vertices(rounds)?;
    report.instances(&character, rounds)?;
    report.lengths(rounds)?;
    report.retarget(rounds)?;
    report.above(rounds)?;
    #[cfg(feature = "threads")]
    report.threads(rounds)?;
    Ok(report)
}

/// The time of a verified workload.
fn timed(mut work: Workload, rounds: Rounds) -> Result<f64, Wrong> {
    work.verify()?;
    Ok(work.time(Kernels::Detect, rounds))
}

/// Runs something on one thread, also where there are several.
#[cfg(feature = "threads")]
fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

#[cfg(not(feature = "threads"))]
fn alone<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Nanoseconds that copying so many bytes takes.
fn copy(bytes: usize, rounds: Rounds) -> f64 {
    let (from, mut to) = (vec![1u8; bytes], vec![0u8; bytes]);
    rounds.time(|| std::hint::black_box(&mut to).copy_from_slice(std::hint::black_box(&from)))
}

impl Report {
    fn heading(&mut self, title: &str, columns: &[&str]) {
        let rule: Vec<&str> = columns.iter().map(|_| "---").collect();
        let _ = writeln!(self.text, "\n### {title}\n\n| {} |\n| {} |", columns.join(" | "), rule.join(" | "));
    }

    fn row(&mut self, cells: &[String]) {
        let _ = writeln!(self.text, "| {} |", cells.join(" | "));
    }

    fn plot(&mut self, file: &'static str, title: &str, [x, y]: [&str; 2], lines: &[Line]) {
        let _ = writeln!(self.text, "\n![{title}](images/{file})");
        self.plots.push((file, svg(title, x, y, lines)));
    }

    fn one_character(&mut self, character: &Character, rounds: Rounds) -> Result<(), Wrong> {
        let title = format!("One character of {JOINTS} joints, one thread, ns");
        self.heading(
            &title,
            &["work", "equal bits", "plain", "ratio", "`Fast`", "copy of the result", "ratio"],
        );
        for mut work in work::all(character, 10_000) {
            work.verify()?;
            let each = 1.0 / work.items as f64;
            let [detected, plain, fast] = [Kernels::Detect, Kernels::Scalar, Kernels::Fast]
                .map(|kernels| work.time(kernels, rounds) * each);
            let copied = copy(work.bytes, rounds) * each;
            let unit = if work.items > 1 { ", a vertex of 10,000" } else { "" };
            self.row(&[
                format!("{}{unit}", work.title),
                figure(detected),
                figure(plain),
                format!("{:.1} ×", plain / detected),
                figure(fast),
                figure(copied),
                format!("{:.1} ×", detected / copied),
            ]);
        }
        Ok(())
    }

    fn retarget(&mut self, rounds: Rounds) -> Result<(), Wrong> {
        let title = format!("Retargeting, from {} joints to as many, ns", humanoid::JOINTS);
        self.heading(&title, &["work", "one pose"]);
        for work in [work::retarget(false), work::retarget(true)].into_iter().flatten() {
            let title = work.title.to_owned();
            let time = timed(work, rounds)?;
            self.row(&[title, figure(time)]);
        }
        Ok(())
    }

    fn above(&mut self, rounds: Rounds) -> Result<(), Wrong> {
        let title = format!(
            "Inverse kinematics on {} joints, state machines on {JOINTS}, one thread, ns",
            humanoid::JOINTS
        );
        self.heading(&title, &["work", "one character"]);
        let members = 10_000;
        for work in work::above(JOINTS) {
            let title = work.title.to_owned();
            let time = timed(work, rounds)?;
            self.row(&[title, figure(time)]);
        }
        let (title, time) = alone(|| {
            let work = machine::together(JOINTS, members);
            let title = work.title.to_owned();
            // A frame of all of them is long: a few rounds do.
            timed(work, Rounds(rounds.0.div_ceil(6))).map(|time| (title, time / members as f64))
        })?;
        self.row(&[title, figure(time)]);
        Ok(())
    }

    fn sizes(&mut self) {
        let title = format!("A clip of {SECONDS} s for {JOINTS} joints, every joint of which moves");
        self.heading(
            &title,
            &["profile", "keys, bytes", "compiled, bytes", "rate, Hz", "p99, mm", "most, mm"],
        );
        for profile in Profile::ALL {
            let (_, Size { keys, tried }) = synthetic::character(JOINTS, SECONDS, 30.0, profile);
            self.row(&[
                format!("`{}`", profile.name()),
                keys.to_string(),
                tried.bytes.to_string(),
                tried.layout.rate.to_string(),
                format!("{:.3}", tried.error.p99 * 1e3),
                format!("{:.3}", tried.error.max * 1e3),
            ]);
        }
    }

    fn memory(&mut self, character: &Character, allocated: &dyn Fn() -> usize) {
        self.heading(&format!("Memory of an instance of {JOINTS} joints"), &["type", "bytes"]);
        let character = Arc::new(character.clone());
        let (_player, bytes) = crate::bytes_of(allocated, || Player::new(Arc::clone(&character)));
        self.row(&["`Player`".into(), bytes.to_string()]);
        let (_controller, bytes) = crate::bytes_of(allocated, || Controller::new(Arc::clone(&character)));
        self.row(&["`Controller`".into(), bytes.to_string()]);
        for voices in [1, 3] {
            let members = 1_000;
            let (_crowd, bytes) =
                crate::bytes_of(allocated, || Crowd::new(Arc::clone(&character), members, voices));
            let name = format!("a member of `Crowd`, {}", sinew_findings::plural(voices, "voice", "voices"));
            self.row(&[name, (bytes / members).to_string()]);
        }
    }

    fn joints(&mut self, rounds: Rounds) -> Result<(), Wrong> {
        self.heading("Joints, ns", &["joints", "sample", "mix 2 layers", "local → model", "skin matrices"]);
        let mut lines = ["sample", "mix 2 layers", "local → model", "skin matrices"]
            .map(|name| Line { name: name.into(), points: vec![] });
        for joints in [10, 20, 50, 100, 200, 500] {
            let (character, _) = synthetic::character(joints, 1.0, 30.0, Profile::Balanced);
            let mix = work::blends(&character).into_iter().find(|work| work.name == "mix-2");
            let works = [
                Some(work::sample(&character, true)),
                mix,
                Some(work::local_to_model(&character)),
                Some(work::skin_matrices(&character)),
            ];
            let mut cells = vec![joints.to_string()];
            for (work, line) in works.into_iter().flatten().zip(&mut lines) {
                let time = timed(work, rounds)?;
                line.points.push((joints as f64, time));
                cells.push(figure(time));
            }
            self.row(&cells);
        }
        self.plot("performance-joints.svg", "A frame by the number of joints", ["joints", "ns"], &lines);
        Ok(())
    }

    fn vertices(&mut self, rounds: Rounds) -> Result<(), Wrong> {
        self.heading(
            "Vertices, one thread, ns a vertex",
            &["vertices", "skinning: position, normal", "copy of the result"],
        );
        let mut lines = ["skinning", "copy"].map(|name| Line { name: name.into(), points: vec![] });
        for vertices in [1_000, 10_000, 100_000, 1_000_000] {
            let each = 1.0 / vertices as f64;
            let (bytes, time) = alone(|| {
                let work = work::skinning(vertices, Extras::default());
                let bytes = work.bytes;
                timed(work, rounds).map(|time| (bytes, time))
            })?;
            let times = [time * each, copy(bytes, rounds) * each];
            for (line, time) in lines.iter_mut().zip(times) {
                line.points.push((vertices as f64, time));
            }
            self.row(&[vertices.to_string(), figure(times[0]), figure(times[1])]);
        }
        self.plot(
            "performance-vertices.svg",
            "Skinning by the size of the mesh",
            ["vertices", "ns a vertex"],
            &lines,
        );
        Ok(())
    }

    fn instances(&mut self, character: &Character, rounds: Rounds) -> Result<(), Wrong> {
        self.heading(
            &format!("A crowd of {JOINTS} joints each, by the number of voices that are blended, one thread, ns a member"),
            &["members", "1 voice", "2 voices", "3 voices"],
        );
        let mut lines = [1, 2, 3]
            .map(|voices| Line { name: sinew_findings::plural(voices, "voice", "voices"), points: vec![] });
        for members in [1, 10, 100, 1_000, 10_000] {
            let mut cells = vec![members.to_string()];
            for (voices, line) in (1..).zip(&mut lines) {
                let time = alone(|| timed(work::crowd(character, members, voices), rounds))? / members as f64;
                line.points.push((members as f64, time));
                cells.push(figure(time));
            }
            self.row(&cells);
        }
        self.plot("performance-instances.svg", "A frame of a crowd", ["members", "ns a member"], &lines);
        Ok(())
    }

    fn lengths(&mut self, rounds: Rounds) -> Result<(), Wrong> {
        self.heading(
            "Length of a clip of 24 joints with 5 keys a second, ns",
            &["seconds", "bytes", "sample forward", "random seek"],
        );
        let mut lines = ["forward", "random seek"].map(|name| Line { name: name.into(), points: vec![] });
        for seconds in [1.0f32, 10.0, 60.0, 600.0, 3600.0] {
            let (character, size) = synthetic::character(24, seconds, 5.0, Profile::Balanced);
            let times = [
                timed(work::sample(&character, false), rounds)?,
                timed(work::sample(&character, true), rounds)?,
            ];
            for (line, time) in lines.iter_mut().zip(times) {
                line.points.push((f64::from(seconds), time));
            }
            self.row(&[
                seconds.to_string(),
                size.tried.bytes.to_string(),
                figure(times[0]),
                figure(times[1]),
            ]);
        }
        self.plot("performance-length.svg", "Sampling by the length of the clip", ["seconds", "ns"], &lines);
        Ok(())
    }

    #[cfg(feature = "threads")]
    fn threads(&mut self, rounds: Rounds) -> Result<(), Wrong> {
        self.heading("Threads, skinning of 200,000 vertices, µs", &["threads", "µs", "speed-up"]);
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let mut alone = 0.0;
        for threads in (1..=most).filter(|n| n.is_power_of_two() || *n == most) {
            let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
            // The workload is made and run in the pool: it is not sent there.
            let time = pool.install(|| timed(work::skinning(200_000, Extras::default()), rounds))? / 1e3;
            if threads == 1 {
                alone = time;
            }
            self.row(&[threads.to_string(), figure(time), format!("{:.2} ×", alone / time)]);
        }
        Ok(())
    }
}

/// Three digits that count.
fn figure(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}
