//! Compiles `contrib/monogame` and a driver for it with Mono, and talks to the driver: a line to it, a text and numbers back.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

/// A running driver. It plays one character at a time.
pub struct CSharp {
    process: Child,
    lines: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What the driver answers: `ok` or the type of an exception, a text, and numbers.
#[derive(Debug)]
pub struct Answer {
    pub kind: String,
    pub text: String,
    pub numbers: Vec<f32>,
}

impl CSharp {
    /// A driver that loads content from a folder. `None`, with a note, if Mono is not installed.
    pub fn start(test: &str, content: &Path) -> Option<Self> {
        let driver = program(test)?;
        let mut process = Command::new("mono")
            .arg(driver)
            .arg(content)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("mono runs");
        let lines = process.stdin.take().expect("its input is piped");
        let answers = BufReader::new(process.stdout.take().expect("its output is piped"));
        Some(Self { process, lines, answers })
    }

    /// Sends a line of words and waits for the answer, whatever it is.
    pub fn ask(&mut self, words: &[&str]) -> Answer {
        self.lines.write_all(words.join("\t").as_bytes()).expect("the driver runs");
        self.lines.write_all(b"\n").expect("the driver runs");
        self.lines.flush().expect("the driver runs");
        let (kind, text) = (self.text(), self.text());
        let bytes = self.block(4);
        let numbers = bytes.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number)).collect();
        Answer { kind, text, numbers }
    }

    /// The same where an exception is a failure.
    pub fn tell(&mut self, words: &[&str]) -> Answer {
        let answer = self.ask(words);
        assert_eq!(answer.kind, "ok", "{words:?}: {}", answer.text);
        answer
    }

    fn text(&mut self) -> String {
        String::from_utf8(self.block(1)).expect("texts are UTF-8")
    }

    /// A number of things of so many bytes each.
    fn block(&mut self, size: usize) -> Vec<u8> {
        let mut count = [0; 4];
        self.answers.read_exact(&mut count).expect("the driver answers");
        let mut bytes = vec![0; u32::from_le_bytes(count) as usize * size];
        self.answers.read_exact(&mut bytes).expect("the driver answers");
        bytes
    }
}

impl Drop for CSharp {
    fn drop(&mut self) {
        // A test that failed leaves it waiting for a line.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The compiled driver, made once; or why there is none.
#[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
fn program(test: &str) -> Option<&'static Path> {
    static PROGRAM: OnceLock<Result<PathBuf, &'static str>> = OnceLock::new();
    match PROGRAM.get_or_init(compile) {
        Ok(path) => Some(path),
        Err(why) => {
            println!("SINEW-SKIP: {test}: {why}");
            None
        }
    }
}

fn compile() -> Result<PathBuf, &'static str> {
    for program in ["mcs", "mono"] {
        if !Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()) {
            return Err("Mono is not installed (install mono-mcs mono-runtime)");
        }
    }
    // Test processes may run side by side.
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("monogame-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("the folder of tests is writable");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/monogame_csharp");
    let contrib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/monogame");
    let (framework, library) = (out.join("MonoGame.Framework.dll"), out.join("Sinew.MonoGame.dll"));
    mcs(&tests.join("stand-in"), &framework, &[]);
    mcs(&contrib.join("Sinew.MonoGame"), &library, &[&framework]);
    mcs(&contrib.join("Sample"), &out.join("Sample.exe"), &[&framework, &library]);
    let driver = out.join("driver.exe");
    mcs(&tests.join("driver"), &driver, &[&framework, &library]);
    Ok(driver)
}

/// Compiles the sources of a folder as the project files say: C# 7, no warnings.
fn mcs(sources: &Path, out: &Path, references: &[&Path]) {
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cs");
    let entries = std::fs::read_dir(sources).expect("the sources are there");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("it is listed").path()).filter(is_source).collect();
    files.sort();
    let target = if out.extension().is_some_and(|extension| extension == "dll") { "library" } else { "exe" };
    let output = Command::new("mcs")
        .args(["-langversion:7", "-warnaserror"])
        .arg(format!("-target:{target}"))
        .arg(format!("-out:{}", out.display()))
        .args(references.iter().map(|path| format!("-r:{}", path.display())))
        .args(&files)
        .output()
        .expect("mcs runs");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}: {}", sources.display(), String::from_utf8_lossy(&text));
}
