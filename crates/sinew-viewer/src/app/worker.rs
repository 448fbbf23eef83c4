//! A thread that loads files, and reloads them when they change.

use super::document::Document;
use super::marks::Feet;
use super::rows::FindingRow;
use super::sources::Sources;
use sinew::Character;
use sinew::machine::Machine;
use sinew_files::{Cache, Disk, Recorder, Watch};
use sinew_import::Options;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// A character's file and those of further clips.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The character.
    pub character: PathBuf,
    /// Files with further clips.
    pub animations: Vec<PathBuf>,
    /// A file of another humanoid, whose clips are retargeted and which plays beside the character.
    pub retarget: Option<PathBuf>,
    /// A state machine.
    pub machine: Option<PathBuf>,
}

impl Files {
    /// All, the character's first.
    pub fn iter(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.character).chain(&self.animations).chain(&self.retarget).chain(&self.machine)
    }
}

/// A request to the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Loads these files.
    Open(Files),
    /// Adds these animations. Without a character, one of the files is the character.
    Add(Vec<PathBuf>),
    /// Reloads everything.
    Reload,
}

/// A message of the worker.
#[derive(Debug)]
pub enum News {
    /// Loading has started.
    Reading,
    /// The files were loaded.
    Read(Box<Document>),
    /// A clip in a separate file was loaded.
    Clips,
    /// What was found out about the feet in a clip.
    Feet(usize, Feet),
    /// The state machine was read, or why it cannot be.
    Machine(Result<Arc<Machine>, String>),
    /// The findings of `doctor`.
    Examined(Vec<FindingRow>),
    /// Loading failed; the previous document stays.
    Failed(String),
}

impl News {
    /// The message if the worker thread has panicked.
    pub fn ended() -> Self {
        let text = "Files can no longer be loaded: the loading thread has failed. Please report this, and restart the viewer.";
        Self::Failed(text.to_owned())
    }
}

/// Interval between checks for changed files.
const POLL: Duration = Duration::from_millis(500);

/// The state of the worker, without its thread.
#[derive(Debug)]
pub struct Worker {
    options: Options,
    files: Option<Files>,
    /// Whether they were loaded at least once.
    has_read: bool,
    watch: Watch,
    /// The state machine's file is watched by itself: what it says needs no character to be read again.
    machine: Watch,
}

impl Worker {
    /// A worker without files.
    pub fn new(options: Options) -> Self {
        Self { options, files: None, has_read: false, watch: Watch::default(), machine: Watch::default() }
    }

    /// Runs on its own thread until the sender of requests is dropped. `wake` is called after every message.
    pub fn spawn(options: Options, wake: impl Fn() + Send + 'static) -> (Sender<Request>, Receiver<News>) {
        let mut worker = Self::new(options);
        spawn(wake, move |request, tell| match request {
            Some(request) => worker.take(request, tell),
            None => worker.look(tell),
        })
    }

    /// Executes a request.
    pub fn take(&mut self, request: Request, tell: &mut dyn FnMut(News)) {
        // If nothing is shown, a dropped file is a character, even if another failed to load before.
        let shown = self.files.clone().filter(|_| self.has_read);
        let files = match (request, shown) {
            (Request::Open(files), _) => {
                self.read_machine(&files, tell);
                Some(files)
            }
            (Request::Reload, _) => {
                let files = self.files.clone();
                files.iter().for_each(|files| self.read_machine(files, tell));
                files
            }
            (Request::Add(paths), None) => {
                let mut animations = paths;
                let character = largest(&animations).map(|place| animations.remove(place));
                character.map(|character| Files { character, animations, ..Files::default() })
            }
            (Request::Add(paths), Some(mut files)) => {
                // A file that is loaded already is reloaded. Compare full paths: dropped files have them, typed ones may not.
                let whole = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
                let there: Vec<PathBuf> = files.iter().map(whole).collect();
                let new: Vec<_> = paths.into_iter().filter(|path| !there.contains(&whole(path))).collect();
                files.animations.extend(new);
                Some(files)
            }
        };
        if let Some(files) = files {
            self.read(files, tell);
        }
    }

    /// Reloads the files if they have changed.
    pub fn look(&mut self, tell: &mut dyn FnMut(News)) {
        if self.machine.poll()
            && let Some(files) = self.files.clone()
        {
            self.read_machine(&files, tell);
        }
        if self.watch.poll()
            && let Some(files) = self.files.clone()
        {
            self.read(files, tell);
        }
    }

    fn read_machine(&mut self, files: &Files, tell: &mut dyn FnMut(News)) {
        let Some(path) = &files.machine else { return };
        self.machine = Watch::new([path.clone()]);
        let text = sinew_files::read_text(&Disk, path).map_err(|error| error.to_string());
        let machine = text.and_then(|text| Machine::from_toml(&text).map_err(|error| error.to_string()));
        tell(News::Machine(machine.map(Arc::new).map_err(|error| format!("{}: {error}", path.display()))));
    }

    fn read(&mut self, files: Files, tell: &mut dyn FnMut(News)) {
        tell(News::Reading);
        let sources = files.iter().filter(|path| files.machine.as_ref() != Some(*path));
        let mut watch = Watch::new(sources.cloned());
        let cache = Arc::new(Cache::new(Disk));
        let recorder = Arc::new(Recorder::new(cache.clone()));
        let place: Arc<dyn sinew_files::Files> = recorder.clone();
        let read = Sources::read_from(&place, &files, &self.options);
        watch.add_records(&recorder.records());
        match read.and_then(|sources| Ok((sources.document()?, sources))) {
            Err(problem) => {
                tell(News::Failed(problem));
                // Added files that fail to load are dropped; the first files are kept and watched.
                if !self.has_read {
                    (self.files, self.watch) = (Some(files), watch);
                }
            }
            Ok((mut document, sources)) => {
                let read = recorder.records().into_iter().chain(self.options.tags.file.clone());
                let read = read.filter(|record| record.digest.is_some()).map(|record| record.path);
                document.read = read.chain(files.machine.clone()).collect();
                let character = Arc::clone(&document.character);
                tell(News::Read(Box::new(document)));
                (self.files, self.watch, self.has_read) = (Some(files), watch, true);
                let clips = character.clips();
                for index in 0..clips.len() {
                    if !clips.is_ready(index) && matches!(clips.load(index), Some(Ok(_))) {
                        tell(News::Clips);
                    }
                }
                find_feet(&character, tell);
                tell(News::Examined(sources.examine(&character)));
                // Clips of a manifest hold on to where they were read from.
                cache.clear();
            }
        }
    }
}

/// Tells when feet stand, in each clip. What cannot be loaded or does not fit is told by `doctor`.
fn find_feet(character: &Character, tell: &mut dyn FnMut(News)) {
    for index in 0..character.clips().len() {
        let feet = character.clips().get(index).ok().and_then(|clip| Feet::find(character, &clip));
        if let Some(feet) = feet {
            tell(News::Feet(index, feet));
        }
    }
}

/// A thread that calls `act` for every request, and without a request at every interval.
fn spawn(
    wake: impl Fn() + Send + 'static,
    mut act: impl FnMut(Option<Request>, &mut dyn FnMut(News)) + Send + 'static,
) -> (Sender<Request>, Receiver<News>) {
    let (requests, asked) = mpsc::channel();
    let (sender, news) = mpsc::channel();
    std::thread::spawn(move || {
        let guard = WakeOnPanic(&wake);
        // Locals are dropped in reverse order: on a panic the channel is closed before the other side is woken.
        let sender = sender;
        let mut tell = |news| {
            // Fails only if the window is closed; the loop below ends then.
            let _ = sender.send(news);
            (guard.0)();
        };
        loop {
            match asked.recv_timeout(POLL) {
                Ok(request) => act(Some(request), &mut tell),
                Err(RecvTimeoutError::Timeout) => act(None, &mut tell),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    (requests, news)
}

/// Wakes the other side if the thread panics, so that it sees the closed channel.
struct WakeOnPanic<'a, F: Fn()>(&'a F);

impl<F: Fn()> Drop for WakeOnPanic<'_, F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Which of several dropped files is the character: a folder, else the largest file, which has the meshes.
fn largest(paths: &[PathBuf]) -> Option<usize> {
    let size = |path: &PathBuf| {
        path.metadata().map_or(0, |about| if about.is_dir() { u64::MAX } else { about.len() })
    };
    (0..paths.len()).max_by_key(|&place| size(&paths[place]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_testkit::fixtures::stick;
    use sinew_testkit::{creature, fbx, scene::Scene};
    use std::path::Path;

    /// The messages as text.
    fn told(act: impl FnOnce(&mut dyn FnMut(News))) -> Vec<String> {
        let mut words = Vec::new();
        act(&mut |news| {
            words.push(match news {
                News::Reading => "reading".to_owned(),
                News::Read(document) => {
                    format!(
                        "read {}",
                        document.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" ")
                    )
                }
                News::Clips => "clip".to_owned(),
                News::Feet(..) => "feet".to_owned(),
                News::Machine(Ok(machine)) => format!("machine of {} layers", machine.layers()),
                News::Machine(Err(text)) => format!("no machine {text}"),
                News::Examined(_) => "examined".to_owned(),
                News::Failed(text) => format!("failed {text}"),
            });
        });
        words
    }

    fn write(path: &Path, scene: &Scene) {
        std::fs::write(path, fbx::write(scene)).unwrap();
    }

    #[test]
    fn files_are_added_and_read_again_when_they_change() {
        let folder = tempfile::tempdir().unwrap();
        let [hero, walk, text] = ["hero.fbx", "walk.fbx", "notes.txt"].map(|name| folder.path().join(name));
        write(&hero, &stick::character());
        write(&walk, &stick::clip());
        std::fs::write(&text, "no clip").unwrap();
        let mut worker = Worker::new(Options::default());
        let words = told(|tell| worker.take(Request::Add(vec![hero.clone()]), tell));
        assert_eq!(words, ["reading", "read ", "examined"]);
        let again = folder.path().join(".").join("hero.fbx");
        let words = told(|tell| worker.take(Request::Add(vec![walk.clone(), again]), tell));
        assert_eq!(words, ["reading", "read sway", "feet", "examined"]);

        let words = told(|tell| worker.take(Request::Add(vec![text]), tell));
        assert!(words[1].starts_with("failed ") && words[1].contains("notes.txt"), "{words:?}");
        let words = told(|tell| worker.take(Request::Reload, tell));
        assert_eq!(
            words,
            ["reading", "read sway", "feet", "examined"],
            "files that fail to load are dropped"
        );

        assert!(told(|tell| worker.look(tell)).is_empty());
        std::fs::write(&walk, "half a file").unwrap();
        assert!(told(|tell| worker.look(tell)).is_empty(), "it may still be written");
        assert!(told(|tell| worker.look(tell))[1].starts_with("failed "));
        assert!(told(|tell| worker.look(tell)).is_empty(), "it is reported once");
        write(&walk, &stick::clip());
        told(|tell| worker.look(tell));
        assert_eq!(told(|tell| worker.look(tell)), ["reading", "read sway", "feet", "examined"]);
    }

    #[test]
    fn a_first_file_that_cannot_be_read_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let hero = folder.path().join("hero.fbx");
        std::fs::write(&hero, "not yet").unwrap();
        let files = Files { character: hero.clone(), ..Files::default() };
        let mut worker = Worker::new(Options::default());
        assert_eq!(told(|tell| worker.take(Request::Open(files), tell)).len(), 2);
        write(&hero, &stick::character());
        told(|tell| worker.look(tell));
        assert_eq!(told(|tell| worker.look(tell)), ["reading", "read ", "examined"]);
    }

    #[test]
    fn a_manifest_is_read_again_with_the_files_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        creature::write_to(folder.path(), &creature::Style::default()).unwrap();
        let mut worker = Worker::new(Options::default());
        let manifest = folder.path().join("manifest.json");
        assert_eq!(told(|tell| worker.take(Request::Add(vec![manifest]), tell))[0], "reading");
        assert!(told(|tell| worker.look(tell)).is_empty());
        let clip = std::fs::read_dir(folder.path().join("animations")).unwrap().next().unwrap().unwrap();
        std::fs::write(clip.path(), "another clip").unwrap();
        assert!(told(|tell| worker.look(tell)).is_empty());
        assert_eq!(told(|tell| worker.look(tell))[0], "reading");
    }

    #[test]
    fn a_machine_is_read_again_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let [hero, machine] = ["hero.fbx", "m.machine.toml"].map(|name| folder.path().join(name));
        write(&hero, &stick::character());
        let good = "layers = [{ name = \"body\", start = \"Off\", states = { Off = {} } }]";
        std::fs::write(&machine, good).unwrap();
        let files = Files { character: hero, machine: Some(machine.clone()), ..Files::default() };
        let mut worker = Worker::new(Options::default());
        let words = told(|tell| worker.take(Request::Open(files), tell));
        assert_eq!(words, ["machine of 1 layers", "reading", "read ", "examined"]);
        std::fs::write(&machine, "layers = 3 # not a list").unwrap();
        assert!(told(|tell| worker.look(tell)).is_empty(), "it may still be written");
        let words = told(|tell| worker.look(tell));
        assert!(words.len() == 1 && words[0].contains("m.machine.toml: line 1, column 10"), "{words:?}");
        std::fs::write(&machine, good).unwrap();
        told(|tell| worker.look(tell));
        assert_eq!(told(|tell| worker.look(tell)), ["machine of 1 layers"]);
    }

    #[test]
    fn another_character_can_be_dropped_instead_of_one_that_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let [broken, hero] = ["broken.fbx", "hero.fbx"].map(|name| folder.path().join(name));
        std::fs::write(&broken, "half a file").unwrap();
        write(&hero, &stick::character());
        let mut worker = Worker::new(Options::default());
        assert!(told(|tell| worker.take(Request::Add(vec![broken]), tell))[1].starts_with("failed "));
        let clip = folder.path().join("clip.fbx");
        write(&clip, &stick::clip());
        let words = told(|tell| worker.take(Request::Add(vec![clip, hero]), tell));
        assert_eq!(words, ["reading", "read sway", "feet", "examined"], "in any order");
    }

    #[test]
    fn the_thread_answers_and_wakes() {
        let folder = tempfile::tempdir().unwrap();
        let hero = folder.path().join("hero.fbx");
        write(&hero, &stick::character());
        let (woken, wakes) = mpsc::channel();
        let (requests, news) = Worker::spawn(Options::default(), move || {
            let _ = woken.send(());
        });
        requests.send(Request::Add(vec![hero])).unwrap();
        let patience = Duration::from_secs(60);
        for _ in 0..3 {
            wakes.recv_timeout(patience).unwrap();
            news.recv_timeout(patience).unwrap();
        }
        drop(requests);
        assert!(wakes.recv_timeout(patience).is_err(), "the thread ends with the sender");
    }

    #[test]
    fn a_thread_that_panics_wakes_once_it_can_be_seen() {
        let (woken, wakes) = mpsc::channel();
        let wake = move || {
            let _ = woken.send(());
        };
        let (requests, news) = spawn(wake, |request, _| assert!(request.is_none(), "panics on purpose"));
        requests.send(Request::Reload).unwrap();
        wakes.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(matches!(news.try_recv(), Err(mpsc::TryRecvError::Disconnected)));
    }
}
