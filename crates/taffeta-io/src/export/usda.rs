//! (to be written)
use std::path::Path;

use super::{ExportError, Exported};
use crate::FrameSource;

pub(super) fn write(_source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    Err(ExportError::UnknownExtension { path: to.to_path_buf() })
}
