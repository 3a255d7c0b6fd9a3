//! Stills and sequences: one PNG a picture.

use std::path::{Path, PathBuf};

use super::{Created, Output, Plan, Writer, png_bytes};
use crate::error::RenderError;
use crate::picture::Picture;

struct Sequence {
    pattern: PathBuf,
    single: bool,
    files: Vec<PathBuf>,
}

pub(super) fn create(path: &Path, plan: &Plan) -> Created {
    let sequence = Sequence { pattern: path.into(), single: plan.single, files: Vec::new() };
    // Tells at once, not after the first picture is made, that nothing can be written there.
    drop(Output::create(&sequence.file(0))?);
    Ok(Box::new(sequence))
}

impl Sequence {
    /// The file of a frame: `%04d` is its number; a name without it is the still's own, or gets
    /// `_0001` and so on before its extension.
    fn file(&self, number: u32) -> PathBuf {
        let name = self.pattern.file_name().unwrap_or_default().to_string_lossy();
        match (placeholder(&name), self.single) {
            (Some((before, width, after)), _) => {
                self.pattern.with_file_name(format!("{before}{number:0width$}{after}"))
            }
            (None, true) => self.pattern.clone(),
            (None, false) => {
                let stem = self.pattern.file_stem().unwrap_or_default().to_string_lossy();
                self.pattern.with_file_name(format!("{stem}_{number:04}.png"))
            }
        }
    }
}

/// Cuts a name at its `%d` or `%0Nd`, and says how many digits that asks for.
fn placeholder(name: &str) -> Option<(&str, usize, &str)> {
    let (before, rest) = name.split_once('%')?;
    let (digits, after) = rest.split_once('d')?;
    let width = if digits.is_empty() { 1 } else { digits.parse().ok().filter(|w| *w <= 12)? };
    Some((before, width, after))
}

impl Writer for Sequence {
    fn add(&mut self, number: u32, picture: &Picture) -> Result<(), RenderError> {
        let mut output = Output::create(&self.file(number))?;
        let bytes = png_bytes(picture).map_err(|error| output.refuse(error.to_string()))?;
        output.append(&bytes)?;
        self.files.push(output.finish()?);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, RenderError> {
        Ok(self.files)
    }

    fn complete(&self) -> Vec<PathBuf> {
        self.files.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_pattern() {
        let name = |pattern: &str, single: bool| {
            let sequence = Sequence { pattern: pattern.into(), single, files: Vec::new() };
            sequence.file(7).display().to_string()
        };
        assert_eq!(name("a/%04d.png", false), "a/0007.png");
        assert_eq!(name("a/%04d.png", true), "a/0007.png");
        assert_eq!(name("a/f%d.x.png", false), "a/f7.x.png");
        assert_eq!(name("a/still.png", true), "a/still.png");
        assert_eq!(name("a/still.png", false), "a/still_0007.png");
        assert_eq!(name("a/100%.png", true), "a/100%.png");
    }
}
