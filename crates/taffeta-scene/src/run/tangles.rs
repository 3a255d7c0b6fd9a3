//! What is told of cloth that passes through itself from the start.

use super::report::FrameReport;

/// Follows a run that may begin with cloth through cloth.
#[derive(Default)]
pub struct Tangles {
    before: usize,
    /// How many there were in the first frame.
    first: Option<usize>,
}

impl Tangles {
    /// Looks at a frame; says what the user should know.
    pub fn look(&mut self, report: &FrameReport) -> Option<String> {
        let (frame, tangled) = (report.frame, &report.contact.as_ref()?.tangled);
        let before = std::mem::replace(&mut self.before, tangled.len());
        self.first.get_or_insert(tangled.len());
        match (before, tangled.first()) {
            (0, Some(first)) => {
                let ([a, b], [c, d, e]) = (first.edge, first.triangle);
                Some(format!(
                    "in frame {frame} {} edges pass through triangles, first {a}–{b} through \
                     {c}–{d}–{e} (the report lists all): they are pushed out of each other, \
                     and contact does nothing there until they come apart",
                    tangled.len()
                ))
            }
            (1.., None) => Some(format!("in frame {frame} the cloth has come apart from itself")),
            _ => None,
        }
    }
    /// What is left of them when the run ends.
    pub fn end(&self) -> Option<String> {
        let (first, left) = (self.first?, self.before);
        let grown = if left > first { ": they have become more" } else { "" };
        let words = format!("the last frame has {left} edges through triangles, the first {first}");
        (left > 0).then(|| format!("{words}{grown}; start from cloth that does not cut itself"))
    }
}
