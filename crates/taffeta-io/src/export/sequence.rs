//! Sequences: one file a frame.

use std::path::{Path, PathBuf};

use taffeta::Frame;

use super::output::Output;
use super::{ExportError, Exported, frames};
use crate::FrameSource;

/// Writes every frame to a file of its own. The mesh may change from frame to frame.
pub(super) fn write_sequence(
    source: &mut dyn FrameSource,
    pattern: &Path,
    write: impl Fn(&Frame, &mut Output) -> Result<(), ExportError>,
) -> Result<Exported, ExportError> {
    let mut files = Vec::with_capacity(frames::count(source)?);
    for number in source.numbers() {
        let frame = frames::read(source, number)?;
        let mut output = Output::create(&frame_path(pattern, number))?;
        write(&frame, &mut output)?;
        files.push(output.finish()?);
    }
    Ok(Exported { frames: files.len(), files })
}

/// The file of one frame: `%04d` in the name is replaced by the padded frame number; a name
/// without a `%0Nd` gets `_0001` and so on before its extension.
pub(super) fn frame_path(pattern: &Path, number: u32) -> PathBuf {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let numbered = match placeholder(&name) {
        Some((start, end, width)) => {
            format!("{}{number:0width$}{}", &name[..start], &name[end..])
        }
        None => {
            let stem = pattern.file_stem().unwrap_or_default().to_string_lossy();
            let extension = pattern.extension().unwrap_or_default().to_string_lossy();
            format!("{stem}_{number:04}.{extension}")
        }
    };
    pattern.with_file_name(numbered)
}

/// Finds `%d` or `%0Nd`: where it starts and ends, and the width it asks for.
fn placeholder(name: &str) -> Option<(usize, usize, usize)> {
    let start = name.find('%')?;
    let digits = name[start + 1..].find('d')?;
    let width = &name[start + 1..start + 1 + digits];
    let width = if width.is_empty() { 0 } else { width.parse().ok().filter(|w| *w <= 12)? };
    Some((start, start + digits + 2, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_pattern_or_get_a_number() {
        let name = |pattern: &str| frame_path(Path::new(pattern), 7).display().to_string();
        assert_eq!(name("a/cloth.obj"), "a/cloth_0007.obj");
        assert_eq!(name("a/c%03d.obj"), "a/c007.obj");
        assert_eq!(name("a/c%d.x.ply"), "a/c7.x.ply");
        assert_eq!(name("a/50%.stl"), "a/50%_0007.stl");
    }
}
