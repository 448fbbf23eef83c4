//! Measuring a compiled character against the files that it was made from.
//!
//! The reference is each file's own evaluator, composed in double precision; it is compared with the run time, in single precision.
//! Both are sampled between keys, where the errors of resampling and compression are.

mod sampling;
mod truth;

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use sinew::BundleError;
use sinew::{Character, ClipError, JobError, JointMap};
use sinew_files::hex;
use sinew_import::bundle::{BundleFile, Certificate, Input, Measure, Origin};
use sinew_import::{ClipOrigin, Imported, Loaded, MergeError, SourceInfo};
use std::sync::LazyLock;
pub(crate) use truth::{SourceClip, Truth};

/// Distance from a joint of the points at which its error is measured, relative to the diagonal: about 10 cm on an adult.
const REACH: f64 = 0.05;

/// A source file and the result of its import.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Name of the file, without folders.
    pub name: &'a str,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Its imported content.
    pub imported: &'a Imported,
    /// How merging matched the joints and scalars of an animation file to the character's. If `None`, they are matched again.
    pub map: Option<&'a JointMap>,
}

impl<'a> Evidence<'a> {
    /// A file as it was read.
    pub fn of(imported: &'a Imported) -> Self {
        let file = imported.files.first();
        let sha256 = file.and_then(|file| file.digest).unwrap_or_default();
        Self { name: file.map_or("", |file| file.name()), sha256, imported, map: None }
    }

    /// All files of a character that was loaded, with how its joints were matched.
    pub fn of_loaded(loaded: &'a Loaded) -> Vec<Self> {
        let files = loaded.sources.imported().iter().zip(&loaded.maps);
        files.map(|(imported, map)| Self { map: map.as_ref(), ..Self::of(imported) }).collect()
    }

    /// A file with its bytes.
    pub fn new(name: &'a str, bytes: &[u8], imported: &'a Imported) -> Self {
        Self { name, sha256: Sha256::digest(bytes).into(), imported, map: None }
    }
}

/// Where a certificate says that a clip comes from.
pub fn origin(origin: &ClipOrigin) -> Origin {
    // Limits keep the numbers of files and clips far below this.
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Origin { input: number(origin.file), clip: number(origin.clip) }
}

/// Why a character cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertifyError {
    /// The number of origins differs from the number of clips.
    #[error("there are {origins} origins for {clips} clips")]
    Origins {
        /// How many origins there are.
        origins: usize,
        /// How many clips.
        clips: usize,
    },
    /// There is no file to compare with.
    #[error(
        "there is no source to compare with: name the files that it was made from, the character's first"
    )]
    NoEvidence,
    /// A clip's origin names a source that was not given, or a clip that the source does not have.
    #[error("clip {clip} comes from clip {source_clip} of source {input}, which is not there")]
    NoSuchClip {
        /// The clip.
        clip: usize,
        /// Number of the file.
        input: usize,
        /// Number of the clip in it.
        source_clip: usize,
    },
    /// The character does not come from the first source.
    #[error("the character is not the one in {file}: {what} differ")]
    OtherCharacter {
        /// The first source.
        file: String,
        /// What differs.
        what: &'static str,
    },
    /// A joint or vertex is not finite, in the source or in the compiled clip.
    #[error(
        "clip {clip} at {time} s: the position of a joint or vertex is not finite, in the source or in the compiled clip"
    )]
    NotFinite {
        /// The clip.
        clip: usize,
        /// When.
        time: f64,
    },
    /// Clips of a source cannot be merged with the character.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// A clip cannot be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A clip does not fit the character.
    #[error(transparent)]
    Job(#[from] JobError),
}

sinew_findings::error_codes! { CertifyError {
    Self::Origins { .. } => "certify.origins", "The number of origins differs from the number of clips";
    Self::NoEvidence => "certify.no-source", "There is no source to compare with";
    Self::NoSuchClip { .. } => "certify.no-clip", "A clip comes from a source that does not have it";
    Self::OtherCharacter { .. } => "certify.other-character", "The character does not come from the first source";
    Self::NotFinite { .. } => "certify.not-finite", "The position of a joint or vertex is not finite";
    Self::Job(_) => "certify.pose", "A clip does not fit the character";
} passes on {
    Self::Merge(error) => error;
    Self::Clip(error) => error;
} }

/// Measures every clip of a character against its source. The first source is the character's own file; `origins` says for each clip
/// where it comes from, `None` for a clip that is not measured. `source` says where joints in another order than the file's belong.
///
/// Errors are rounded up to three digits, so the certificate never states less than was measured.
pub fn certify(
    character: &Character,
    source: &SourceInfo,
    origins: &[Option<Origin>],
    evidence: &[Evidence<'_>],
) -> Result<Certificate, CertifyError> {
    let clips = character.clips().len();
    if origins.len() != clips {
        return Err(CertifyError::Origins { origins: origins.len(), clips });
    }
    let diagonal = f64::from(character.size());
    let reach = REACH * diagonal;
    let truth = Truth::new(character, source, evidence)?;
    // Where no clip is measured they are not needed.
    let meshes = LazyLock::new(|| sampling::Meshes::new(character, source, &truth));
    let measured = (0..clips).into_par_iter().map(|clip| match origins.get(clip).copied().flatten() {
        Some(origin) => sampling::measure(character, source, &truth, &meshes, clip, origin, reach),
        None => Ok(sampling::Errors::default()),
    });
    let mut measured = measured.collect::<Result<Vec<_>, CertifyError>>()?;
    let whole = sampling::whole(&mut measured);
    Ok(Certificate {
        tool: format!("sinew {}", env!("CARGO_PKG_VERSION")),
        inputs: evidence.iter().map(|e| Input { name: e.name.to_owned(), sha256: e.sha256 }).collect(),
        diagonal,
        reach,
        profile: None,
        whole,
        clips: measured.into_iter().map(|errors| errors.measure).collect(),
        origins: origins.to_vec(),
    })
}

/// Why a bundle could not be verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The bundle is damaged.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// It has no certificate.
    #[error("the bundle has no certificate: build it again from its sources")]
    NoCertificate,
    /// None of the sources is the file that the certificate names.
    #[error(
        "{name} is not among the sources{}; the certificate asks for the file with SHA-256 {}",
        if *.changed { ", or has changed since" } else { "" }, hex(.sha256)
    )]
    Input {
        /// Name of the input.
        name: String,
        /// Whether a source has that name, but not that content.
        changed: bool,
        /// The digest in the certificate.
        sha256: [u8; 32],
    },
    /// The sources cannot be compared with the character.
    #[error(transparent)]
    Certify(#[from] CertifyError),
    /// A measured error is larger than the certificate states.
    #[error("{what} is {measured:.3e}, and the certificate states {stated:.3e}: build the bundle again")]
    Worse {
        /// Which error.
        what: String,
        /// The measured error.
        measured: f64,
        /// The certified error.
        stated: f64,
    },
}

sinew_findings::error_codes! { VerifyError {
    Self::NoCertificate => "verify.no-certificate", "The bundle has no certificate";
    Self::Input { .. } => "verify.input", "A source that the certificate names is missing or has changed";
    Self::Worse { .. } => "verify.worse", "An error against the sources is larger than the certificate states";
} passes on {
    Self::Bundle(error) => error;
    Self::Certify(error) => error;
} }

/// A bundle that passed verification.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its content, with the stated certificate.
    pub bundle: BundleFile,
    /// The errors measured now, if sources were given.
    pub measured: Option<Certificate>,
}

/// Checks the integrity of a bundle and, if there are sources, measures it again. Sources may come in any order: they are identified
/// by their digests.
pub fn verify(bytes: &[u8], evidence: &[Evidence<'_>]) -> Result<Verified, VerifyError> {
    let bundle = BundleFile::read(bytes)?;
    if evidence.is_empty() {
        return Ok(Verified { bundle, measured: None });
    }
    let stated = bundle.certificate.as_ref().ok_or(VerifyError::NoCertificate)?;
    let named = stated.inputs.iter().map(|input| {
        let wrong = || VerifyError::Input {
            name: input.name.clone(),
            changed: evidence.iter().any(|e| e.name == input.name),
            sha256: input.sha256,
        };
        evidence.iter().find(|e| e.sha256 == input.sha256).copied().ok_or_else(wrong)
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let mut measured = certify(&bundle.character, &bundle.source, &stated.origins, &named)?;
    measured.profile = stated.profile;
    compare("all clips", &measured.whole, &stated.whole)?;
    let names = bundle.character.clips().names();
    for (name, (measured, stated)) in names.zip(measured.clips.iter().zip(&stated.clips)) {
        compare(&format!("clip `{name}`"), measured, stated)?;
    }
    Ok(Verified { measured: Some(measured), bundle })
}

fn compare(place: &str, measured: &Measure, stated: &Measure) -> Result<(), VerifyError> {
    let pairs = [
        ("the largest joint error", measured.joint_max, stated.joint_max),
        ("the 99th percentile of joint errors", measured.joint_p99, stated.joint_p99),
        ("the largest vertex error", measured.vertex_max, stated.vertex_max),
    ];
    match pairs.into_iter().find(|(_, measured, stated)| measured > stated) {
        Some((what, measured, stated)) => {
            Err(VerifyError::Worse { what: format!("{place}: {what}"), measured, stated })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
