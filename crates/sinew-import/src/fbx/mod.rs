//! Autodesk FBX.

use crate::{Cause, Imported, Options};
use std::path::Path;

pub(crate) fn import(_bytes: &[u8], _path: &Path, _options: &Options) -> Result<Imported, Cause> {
    Err(Cause::UnknownFormat)
}
