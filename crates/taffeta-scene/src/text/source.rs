//! A text that problems point into, with its lines found once: showing each of many problems takes
//! no longer than showing one.

use std::sync::Arc;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// A text and where its lines begin.
#[derive(Debug)]
pub struct Lines {
    name: String,
    text: String,
    starts: Vec<usize>,
}

/// A text that many problems share.
#[derive(Clone, Debug)]
pub struct Source(pub Arc<Lines>);

impl Lines {
    /// A text with the name it is shown by.
    pub fn new(name: &str, text: &str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < text.len());
        let starts = std::iter::once(0).chain(after).collect();
        Self { name: name.into(), text: text.into(), starts }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the line a place is in, from 0.
    pub fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Where a line begins; the end of the text beyond the last.
    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let lines = &self.0;
        let end = span.offset() + span.len();
        if end > lines.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let at = lines.line(span.offset());
        let first = at.saturating_sub(before);
        let last = lines.line(end.max(span.offset() + 1) - 1) + after;
        // Without lines before it, what is read begins at the place itself.
        let (from, column) = match before {
            0 => (span.offset(), span.offset() - lines.start(at)),
            _ => (lines.start(first), 0),
        };
        let to = lines.start(last + 1).max(from);
        let shown = SourceSpan::from((from, to - from));
        let (name, data) = (lines.name.clone(), &lines.text.as_bytes()[from..to]);
        let count = lines.starts.len();
        let contents = MietteSpanContents::new_named(name, data, shown, first, column, count);
        Ok(Box::new(contents))
    }
}
