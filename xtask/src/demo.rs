//! `cargo xtask demo`: makes a character and its animations, examines and compiles them, and plays a clip.

use crate::{run, setup};
use std::process::ExitCode;

/// Where the demo's files go.
const FOLDER: &str = "target/demo";

pub(crate) fn run() -> ExitCode {
    let acts: [(&str, fn() -> Vec<String>); 6] = [
        ("A character and its animations, written from scratch", || example("write")),
        ("Is it right?", doctor),
        ("A project for its folder", || sinew(&["init", FOLDER])),
        ("One file of all that", || sinew(&["build", FOLDER])),
        ("Is that what the sources are?", verify),
        ("A game plays it", || example("play")),
    ];
    let done = setup::ensure("demo").and_then(|()| {
        acts.iter().try_for_each(|(title, arguments)| {
            println!("\n== {title}");
            cargo(&arguments())
        })
    });
    match done {
        Ok(()) => {
            println!("\nThe files are in {FOLDER}.");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn example(act: &str) -> Vec<String> {
    words(&["--example", "demo", "--", act, FOLDER])
}

fn doctor() -> Vec<String> {
    [sinew(&["doctor"]), sources()].concat()
}

fn verify() -> Vec<String> {
    [sinew(&["verify", &format!("{FOLDER}/build/hero.sinew")]), sources()].concat()
}

fn sources() -> Vec<String> {
    ["hero", "idle", "walk", "run", "jump", "bash", "wave"]
        .map(|name| format!("{FOLDER}/{name}.fbx"))
        .to_vec()
}

fn sinew(arguments: &[&str]) -> Vec<String> {
    words(&[&["--bin", "sinew", "--"], arguments].concat())
}

fn words(words: &[&str]) -> Vec<String> {
    let run = ["run", "--quiet", "--release", "--package", "sinew-cli"];
    run.iter().chain(words).map(|&word| word.to_owned()).collect()
}

fn cargo(arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run::cargo(&arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: cargo {}", arguments.join(" "))),
        Err(error) => Err(format!("cargo did not start: {error}")),
    }
}
