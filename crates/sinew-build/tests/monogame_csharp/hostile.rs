//! Broken files: an exception of the framework that says what is wrong, never another one.

use crate::characters::write;
use crate::csharp::CSharp;
use crate::figures;
use sinew_build::monogame::{ClipFiles, MonoGameOptions, SkinningVersion};
use std::path::Path;

/// Writes the first bytes of a file as a file that is as long as its header says.
fn write_cut(path: &Path, bytes: &[u8], length: usize) {
    let mut cut = bytes[..length].to_vec();
    cut[6..10].copy_from_slice(&(length as u32).to_le_bytes());
    std::fs::write(path, cut).unwrap();
}

#[test]
fn a_truncated_tag_says_so() {
    for version in [SkinningVersion::V1, SkinningVersion::V2] {
        let content = tempfile::tempdir().unwrap();
        let options = MonoGameOptions::default().with(|options| {
            options.version = version;
            options.clips = ClipFiles::Files;
        });
        write(content.path(), "ribbon", &figures::ribbon(3), &options);
        let bytes = std::fs::read(content.path().join("ribbon/clips/bend.xnb")).unwrap();
        // Behind the header, the table with one reader, the number of shared resources and of the reader.
        let payload = 10 + 1 + 1 + options.reader.len() + 4 + 1 + 1;
        let Some(mut csharp) = CSharp::start("a_truncated_tag_says_so", content.path()) else { return };
        csharp.tell(&["read", "ribbon/clips/bend"]);
        for length in payload..bytes.len() {
            let name = format!("cut{length}");
            write_cut(&content.path().join(format!("{name}.xnb")), &bytes, length);
            let answer = csharp.ask(&["read", &name]);
            assert_eq!(answer.kind, "ContentLoadException", "{version:?}, {length} bytes: {}", answer.text);
            assert!(answer.text.contains("truncated") && answer.text.contains(&name), "{}", answer.text);
        }
    }
}

#[test]
fn no_byte_of_a_tag_brings_another_exception() {
    for version in [SkinningVersion::V1, SkinningVersion::V2] {
        let content = tempfile::tempdir().unwrap();
        let options = MonoGameOptions::default().with(|options| {
            options.version = version;
            options.clips = ClipFiles::Files;
        });
        write(content.path(), "ribbon", &figures::ribbon(3), &options);
        let bytes = std::fs::read(content.path().join("ribbon/clips/bend.xnb")).unwrap();
        let payload = 10 + 1 + 1 + options.reader.len() + 4 + 1 + 1;
        let Some(mut csharp) = CSharp::start("no_byte_of_a_tag_brings_another_exception", content.path())
        else {
            return;
        };
        let mut refused = 0;
        for at in payload..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0xFF;
            let name = format!("broken{at}");
            std::fs::write(content.path().join(format!("{name}.xnb")), broken).unwrap();
            let answer = csharp.ask(&["read", &name]);
            assert!(["ok", "ContentLoadException"].contains(&answer.kind.as_str()), "byte {at}: {answer:?}");
            refused += usize::from(answer.kind != "ok");
        }
        assert!(refused > 20, "{version:?}: {refused}");
    }
}

#[test]
fn a_model_without_our_tag_says_why() {
    let content = tempfile::tempdir().unwrap();
    let reader = "Sinew.NoSuchReader, Sinew.MonoGame";
    let options = MonoGameOptions::default().with(|options| options.reader = reader.into());
    write(content.path(), "ribbon", &figures::ribbon(3), &options);
    let Some(mut csharp) = CSharp::start("a_model_without_our_tag_says_why", content.path()) else { return };
    assert!(csharp.ask(&["load", "ribbon"]).text.contains(reader));
}
