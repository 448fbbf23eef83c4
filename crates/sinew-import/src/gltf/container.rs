//! Where the document and its buffers are: in one binary file, in a text with data inside, or in files beside it.

use super::json::{Asset, Document};
use super::{draco, extensions, meshopt};
use crate::{Budget, Cause, Options, json_cost, json_error, limits};
use sinew_files::{Access, Files, Place, Recorder};
use sinew_findings::plural;
use std::borrow::Cow;
use std::path::Path;

/// A document and its buffers.
pub(super) struct File<'b> {
    pub(super) document: Document,
    pub(super) buffers: Vec<Cow<'b, [u8]>>,
    /// What compressed buffer views hold.
    pub(super) decoded_views: Vec<Option<Vec<u8>>>,
    /// What accessors are counted in: zeros need no bytes in the file.
    pub(super) budget: &'b Budget<'b>,
}

pub(super) fn open<'b>(
    bytes: &'b [u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
    budget: &'b Budget<'b>,
) -> Result<File<'b>, Cause> {
    let access = Access::of_asset(path, &[], options.outside_textures);
    let (text, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    // A text may begin with a mark of its byte order.
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    budget.memory(json_cost::memory(text))?;
    let document: Document = serde_json::from_slice(text)
        .map_err(|error| old_version(text).err().unwrap_or_else(|| json_error::cause(&error, text)))?;
    check_version(&document.asset)?;
    extensions::check_required(&document)?;
    let buffers = read_buffers(&document, binary, &access, files, options, budget)?;
    let decoded_views = meshopt::decode_views(&document, &buffers, budget)?;
    let mut file = File { document, buffers, decoded_views, budget };
    draco::decode(&mut file)?;
    Ok(file)
}

fn read_buffers<'b>(
    document: &Document,
    binary: Option<&'b [u8]>,
    access: &Access,
    files: &Recorder,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Vec<Cow<'b, [u8]>>, Cause> {
    let fallbacks = meshopt::fallbacks(document);
    let mut total = 0u64;
    let mut buffers = Vec::with_capacity(document.buffers.len().min(16));
    for ((index, buffer), fallback) in document.buffers.iter().enumerate().zip(fallbacks) {
        if fallback {
            buffers.push(Cow::default());
            continue;
        }
        let place = format!("buffers[{index}]");
        let inside = buffer.uri.as_ref().map_or(0, String::len);
        budget.memory(buffer.byte_length.max(inside) as u64)?;
        let mut data = match &buffer.uri {
            Some(uri) => Cow::Owned(resolve(uri, access, files, options.limits.bytes, &place)?),
            None if index == 0 => Cow::Borrowed(binary.unwrap_or_default()),
            None => Cow::default(),
        };
        if data.len() < buffer.byte_length {
            let what = format!(
                "has {} where {} are declared",
                plural(data.len(), "byte", "bytes"),
                buffer.byte_length
            );
            return Err(Cause::malformed(what, place));
        }
        // The chunk of a binary file may be padded.
        match &mut data {
            Cow::Borrowed(chunk) => *chunk = chunk.get(..buffer.byte_length).unwrap_or(chunk),
            Cow::Owned(content) => content.truncate(buffer.byte_length),
        }
        total = total.saturating_add(data.len() as u64);
        limits::check("bytes", total, options.limits.bytes)?;
        buffers.push(data);
    }
    Ok(buffers)
}

/// The text and the binary chunk of a binary file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Cause> {
    let cut = || Cause::malformed("the file ends within a chunk", "");
    let number = |bytes: &[u8], at: usize| {
        let field = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(field.try_into().ok()?))
    };
    match number(bytes, 4) {
        Some(2) => {}
        Some(version) => {
            return Err(Cause::malformed(
                format!("version {version} of binary glTF is not read, only 2"),
                "",
            ));
        }
        None => return Err(cut()),
    }
    let length = number(bytes, 8).ok_or_else(cut)? as usize;
    let mut rest = bytes.get(12..length).ok_or_else(cut)?;
    let (mut text, mut binary) = (None, None);
    while !rest.is_empty() {
        let (length, kind) = (number(rest, 0).ok_or_else(cut)?, number(rest, 4).ok_or_else(cut)?);
        let body = rest.get(8..).ok_or_else(cut)?;
        let (chunk, after) = body.split_at_checked(length as usize).ok_or_else(cut)?;
        match &kind.to_le_bytes() {
            b"JSON" if text.is_none() => text = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            // Other chunks are for extensions.
            _ => {}
        }
        rest = after;
    }
    let text = text.ok_or_else(|| Cause::malformed("the file has no JSON chunk", ""))?;
    Ok((text, binary))
}

/// Version 1 has objects where version 2 has lists, so that it fails before its version is read.
fn old_version(text: &[u8]) -> Result<(), Cause> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        asset: Asset,
    }
    serde_json::from_slice::<Versioned>(text).map_or(Ok(()), |document| check_version(&document.asset))
}

fn check_version(asset: &Asset) -> Result<(), Cause> {
    if asset.version.starts_with("2.") {
        return Ok(());
    }
    let what = format!("version `{}` of glTF is not read, only 2.x", asset.version);
    Err(Cause::malformed(what, "asset.version"))
}

/// The bytes that a URI stands for: inside it, or in a file beside the document.
fn resolve(uri: &str, access: &Access, files: &Recorder, limit: u64, place: &str) -> Result<Vec<u8>, Cause> {
    if let Some(data) = data_uri(uri) {
        return data.ok_or_else(|| Cause::malformed("its data URI is not base64", place));
    }
    let file = access.path(uri).filter(|_| !uri.contains("://"));
    match file.filter(|file| access.place(files, file) != Place::Outside) {
        Some(file) => match files.read(&file, limit) {
            Ok(content) => Ok(content.to_vec()),
            Err(error) => Err(Cause::beside(&file, error)),
        },
        None => Err(Cause::Outside { reference: uri.to_owned(), place: place.to_owned() }),
    }
}

/// The bytes of a data URI, `Some(None)` if they cannot be read, `None` for any other URI.
pub(super) fn data_uri(uri: &str) -> Option<Option<Vec<u8>>> {
    let (head, data) = uri.strip_prefix("data:")?.split_once(',')?;
    Some(if head.ends_with(";base64") { base64(data) } else { None })
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0u32, 0u32);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        word = (word << 6 | u32::from(digit)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris() {
        let read = |uri: &str| data_uri(uri);
        assert_eq!(read("data:application/octet-stream;base64,AAECAw=="), Some(Some(vec![0, 1, 2, 3])));
        assert_eq!(read("data:;base64,/+8="), Some(Some(vec![0xFF, 0xEF])));
        assert_eq!(read("data:;base64,a b"), Some(None));
        assert_eq!(read("hero.bin"), None);
    }
}
