//! The harness, tried on pages made for the purpose.

use super::*;

/// A page in a folder of its own, checked or blessed.
struct Sample {
    root: PathBuf,
}

impl Sample {
    fn new(name: &str, text: &str) -> Sample {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples").join(name);
        let docs = root.join("docs/deep");
        fs::create_dir_all(&docs).unwrap();
        // The page's own name, for the folder it runs in is named after it.
        fs::write(docs.join(format!("{name}.md")), text).unwrap();
        Sample { root }
    }

    fn path(&self) -> PathBuf {
        let pages = pages(&self.root);
        assert_eq!(pages.len(), 1, "{pages:?}");
        pages[0].clone()
    }

    fn problems(&self) -> Vec<String> {
        check(&self.root, &self.path(), false)
    }

    fn blessed(&self) -> String {
        assert_eq!(check(&self.root, &self.path(), true), Vec::<String>::new());
        fs::read_to_string(self.path()).unwrap()
    }
}

const HOLDS: &str = "\
# A page

```console
$ printf 'one\\ntwo\\n' > list; cat list
one
two
$ for i in 1 2; do
>     echo $i
> done
1
2
```

```console exit-3
$ echo to the other stream >&2; exit 3
to the other stream
```

The blocks share their folder:

````console
$ cat list
one
two
````

```text
$ this is not run
```
";

#[test]
fn a_page_that_holds_has_no_problems_and_is_blessed_as_it_is() {
    let sample = Sample::new("holds", HOLDS);
    assert_eq!(sample.problems(), Vec::<String>::new());
    assert_eq!(sample.blessed(), HOLDS);
}

#[test]
fn other_output_and_other_status_are_problems() {
    let text = HOLDS.replace("one\ntwo\n$", "one\n$").replace(" exit-3", "");
    let problems = Sample::new("differs", &text).problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("docs/deep/differs.md:4: $ printf"), "{}", problems[0]);
    assert!(problems[1].contains("(exit 0)") && problems[1].contains("(exit 3)"), "{}", problems[1]);
}

#[test]
fn blessing_writes_what_the_commands_do() {
    let wrong = HOLDS.replace("one\ntwo\n$", "three\n$").replace("1\n2\n", "1\n");
    assert_eq!(Sample::new("blessed", &wrong).blessed(), HOLDS);
}

#[test]
fn a_command_that_is_not_there_is_a_problem() {
    let sample = Sample::new("unknown", "```console\n$ no-such-command-anywhere\n```\n");
    assert_eq!(sample.problems().len(), 1);
}

#[test]
fn each_page_starts_in_a_fresh_folder() {
    let sample = Sample::new("fresh", "```console\n$ test ! -e left && touch left\n```\n");
    assert_eq!(sample.problems(), Vec::<String>::new());
    assert_eq!(sample.problems(), Vec::<String>::new());
}

#[test]
fn the_command_is_the_one_just_built() {
    let text = format!("```console\n$ command -v sinew\n{}\n```\n", env!("CARGO_BIN_EXE_sinew"));
    assert_eq!(Sample::new("built", &text).problems(), Vec::<String>::new());
}

#[test]
fn malformed_transcripts_are_problems_with_their_line() {
    let unclosed = Sample::new("unclosed", "text\n```console\n$ true\n");
    assert_eq!(unclosed.problems(), ["docs/deep/unclosed.md:2: this block is never closed"]);
    let headless = Sample::new("headless", "```console\noutput\n```\n");
    assert_eq!(headless.problems(), ["docs/deep/headless.md:2: a transcript starts with `$ ` and a command"]);
    let status = Sample::new("status", "```console exit-well\n$ true\n```\n");
    assert_eq!(status.problems(), ["docs/deep/status.md:1: `exit-well` is not an exit status: use `exit-N`"]);
    for text in ["```console,ignore\n$ true\n```\n", "- item\n\n  ```console\n  $ true\n  ```\n"] {
        let problems = Sample::new("hidden", text).problems();
        assert!(problems.len() == 1 && problems[0].contains("run"), "{problems:?}");
    }
}
