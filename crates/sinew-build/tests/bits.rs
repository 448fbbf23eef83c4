//! The same bits everywhere: recorded sums of poses, palettes and vertices of every clip, with plain arithmetic and with the machine's instructions, on one
//! thread and on several. Characters of the testkit always, those of the corpus where it is there.

use rayon::prelude::*;
use sinew::{Character, Kernels};
use sinew_bench::bits;
use sinew_build::compress::compress;
use sinew_compress::Profile;
use sinew_import::{Imported, Options, import, import_bytes};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The choice of kernels counts for the process.
static KERNELS: Mutex<()> = Mutex::new(());

/// A line for each clip of a character.
fn lines(name: &str, character: &Arc<Character>) -> Vec<String> {
    let clip = |index| {
        let clip = character.clips().get(index).ok()?;
        let sum = bits::of_clip(character, &clip).ok()?;
        Some(format!("{sum:016x} {name}: {}", clip.name()))
    };
    (0..character.clips().len()).filter_map(clip).collect()
}

/// Compares with what was recorded, for all kernels, and on one thread and on several.
fn check(recorded: &str, characters: &[(String, Arc<Character>)]) {
    let _one_at_a_time = KERNELS.lock();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bits").join(recorded);
    for kernels in [Kernels::Scalar, Kernels::Detect] {
        kernels.choose();
        let side_by_side: Vec<String> = characters.par_iter().flat_map(|(name, c)| lines(name, c)).collect();
        let in_turn: Vec<String> = characters.iter().flat_map(|(name, c)| lines(name, c)).collect();
        Kernels::default().choose();
        assert!(!in_turn.is_empty());
        assert_eq!(side_by_side, in_turn);
        let text = in_turn.join("\n") + "\n";
        if std::env::var_os("SINEW_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        let different = text.lines().zip(expected.lines()).find(|(a, b)| a != b);
        assert!(text == expected, "{kernels:?}: {different:?}");
    }
}

#[test]
fn clips_of_the_testkit_have_the_recorded_bits() {
    let imported = |(name, bytes): (String, Vec<u8>)| {
        let Imported { character, source, .. } =
            import_bytes(&bytes, Path::new(&name), &Options::default()).ok()?;
        let compiled = compress(&character, &source, Profile::Balanced).ok()?;
        Some([
            (name.clone(), Arc::new(character)),
            (format!("{name}, compiled"), Arc::new(compiled.character)),
        ])
    };
    let characters: Vec<_> =
        sinew_testkit::humanoid::files().into_iter().filter_map(imported).flatten().collect();
    check("testkit.txt", &characters);
}

#[test]
fn clips_of_the_corpus_have_the_recorded_bits() {
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        #[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
        {
            println!("SINEW-SKIP: clips_of_the_corpus_have_the_recorded_bits: corpus not set");
        }
        return;
    };
    let index = std::fs::read_to_string(corpus.join("index.tsv")).expect("the corpus has an index");
    let mut files: Vec<&str> = index.lines().skip(1).filter_map(|line| line.split('\t').nth(1)).collect();
    files.sort_unstable();
    files.dedup();
    let characters: Vec<_> = files
        .par_iter()
        .filter_map(|file| {
            let imported = import(&corpus.join(file), &Options::default()).ok()?;
            Some(((*file).to_owned(), Arc::new(imported.character)))
        })
        .collect();
    check("corpus.txt", &characters);
}
