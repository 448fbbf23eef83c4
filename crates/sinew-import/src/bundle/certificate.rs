//! What a bundle says about its own accuracy, and section `CERT`.

use super::layout::{CertificateHeader, MeasureRecord, OriginRecord};
use sinew::BundleError;
use sinew::bundle_file::{Cursor, NONE, Section};
use sinew_compress::Profile;

/// How far a compiled character is from its sources, and which sources these were.
///
/// Errors are in the character's own unit of length. The error of a joint is the largest distance, over its origin and the three
/// points at `reach` along its axes, between where the source and the compiled clip put them in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Name and version of the program that measured.
    pub tool: String,
    /// The files that the character was made from.
    pub inputs: Vec<Input>,
    /// Diagonal of the character at rest, which errors are compared with.
    pub diagonal: f64,
    /// How far from each joint its error was measured.
    pub reach: f64,
    /// How far compiled clips were allowed to be off; `None` if clips have their keys.
    pub profile: Option<Profile>,
    /// All clips together.
    pub whole: Measure,
    /// Clip by clip, in the order of the character's library.
    pub clips: Vec<Measure>,
    /// Where each clip comes from; none for a clip that no input holds, which is not measured.
    pub origins: Vec<Option<Origin>>,
}

/// Where a clip comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Number of the input.
    pub input: u32,
    /// Number of the clip in that file.
    pub clip: u32,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, without the folders that it lies in.
    pub name: String,
    /// SHA-256 of its bytes, as `sha256sum` prints it.
    pub sha256: [u8; 32],
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Measure {
    /// Times at which it was measured; zero for a clip that has no source.
    pub samples: u32,
    /// Largest error of a joint.
    pub joint_max: f64,
    /// The error that 99 of 100 measurements of a joint do not exceed.
    pub joint_p99: f64,
    /// The joint with the largest error.
    pub worst_joint: u16,
    /// When that was, in seconds from the start of the clip.
    pub worst_time: f64,
    /// Largest distance of a skinned vertex.
    pub vertex_max: f64,
}

pub(super) fn certificate(section: Section<'_>, clips: usize) -> Result<Certificate, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: CertificateHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let profile = match header.profile {
        0 => None,
        number => Some(Profile::numbered(number).ok_or_else(|| cursor.wrong("its profile is unknown"))?),
    };
    cursor.check(header.clips as usize == clips, "its number of clips differs from the bundle's")?;
    let amount = |number: f64| number.is_finite() && number >= 0.0;
    cursor.check(
        amount(header.diagonal) && amount(header.reach),
        "its diagonal or reach is not a valid length",
    )?;
    let hashes = cursor.array::<[u8; 32]>(header.inputs as usize)?;
    let whole = measure(&cursor.record()?, &cursor)?;
    let clips = cursor.array::<MeasureRecord>(header.clips as usize)?;
    let clips = clips.iter().map(|record| measure(record, &cursor)).collect::<Result<_, _>>()?;
    let origins = cursor.array::<OriginRecord>(header.clips as usize)?;
    let origins = origins.iter().map(|record| origin(record, &header, &cursor)).collect::<Result<_, _>>()?;
    let tool = cursor.name()?;
    let names = cursor.names(header.inputs as usize)?;
    cursor.finish()?;
    let inputs = names.into_iter().zip(hashes).map(|(name, sha256)| Input { name, sha256 }).collect();
    Ok(Certificate {
        tool,
        inputs,
        diagonal: header.diagonal,
        reach: header.reach,
        profile,
        whole,
        clips,
        origins,
    })
}

fn origin(
    record: &OriginRecord,
    header: &CertificateHeader,
    cursor: &Cursor<'_>,
) -> Result<Option<Origin>, BundleError> {
    if (record.input, record.clip) == (NONE, NONE) {
        return Ok(None);
    }
    cursor.check(record.input < header.inputs, "a clip's input is out of range")?;
    Ok(Some(Origin { input: record.input, clip: record.clip }))
}

fn measure(record: &MeasureRecord, cursor: &Cursor<'_>) -> Result<Measure, BundleError> {
    cursor.zero(record.reserved)?;
    let numbers = [record.joint_max, record.joint_p99, record.worst_time, record.vertex_max];
    let amounts = numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
    cursor.check(amounts, "a measured error is negative or not finite")?;
    Ok(Measure {
        samples: record.samples,
        joint_max: record.joint_max,
        joint_p99: record.joint_p99,
        worst_joint: record.worst_joint,
        worst_time: record.worst_time,
        vertex_max: record.vertex_max,
    })
}
