//! What is wrong with a scene: every problem with its place, all at once.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, SourceSpan};

use super::Span;
use super::source::{Lines, Source};

/// Lines up to this long are shown whole [bytes].
const LONGEST_LINE: usize = 1000;
/// How much of a longer line is shown on either side of a problem [bytes].
const WINDOW: usize = 60;

/// One thing that is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to say at that place.
    pub label: Option<String>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn at(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, label: None, help: None }
    }

    /// Says something at the place.
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Says what to write instead.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Problems being collected.
#[derive(Debug, Default)]
pub struct Problems(RefCell<Vec<Problem>>);

impl Problems {
    /// Adds one.
    pub fn add(&self, problem: Problem) {
        self.0.borrow_mut().push(problem);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<Problem> {
        self.0.into_inner()
    }
}

/// The texts a scene was read from: its file, then the overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources(pub Vec<(String, String)>);

/// All that is wrong with a scene, shown with file, line and column.
#[derive(Debug)]
pub struct SceneError {
    located: Vec<Located>,
}

impl SceneError {
    /// Joins problems with the texts they point into.
    pub fn new(sources: &Sources, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.span.source, problem.span.range.start));
        problems.dedup();
        let shared = |(name, text): &(String, String)| Source(Arc::new(Lines::new(name, text)));
        let shown: Vec<Source> = sources.0.iter().map(shared).collect();
        let nowhere = Source(Arc::new(Lines::new("", "")));
        let locate = |problem: Problem| {
            Located::new(shown.get(problem.span.source).unwrap_or(&nowhere), problem)
        };
        Self { located: problems.into_iter().map(locate).collect() }
    }

    /// Where each problem is for people: the name of its text, line and column, from 1.
    pub fn places(&self) -> impl ExactSizeIterator<Item = (&str, usize, usize)> {
        self.located.iter().map(|Located { source, shown, .. }| {
            let (lines, line) = (&source.0, source.0.line(shown.start));
            let column = lines.text()[lines.start(line)..shown.start].chars().count();
            (lines.name(), line + 1, column + 1)
        })
    }

    /// The problems, in the order of their places.
    pub fn problems(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.located.iter().map(|located| &located.problem)
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.located.len() {
            1 => write!(f, "the scene has a problem"),
            n => write!(f, "the scene has {n} problems"),
        }
    }
}

impl std::error::Error for SceneError {}

impl Diagnostic for SceneError {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.located.iter().map(|located| located as &dyn Diagnostic)))
    }
}

#[derive(Debug)]
struct Located {
    problem: Problem,
    source: Source,
    /// The place in `source`.
    shown: Range<usize>,
}

impl Located {
    /// Shows a problem in its text; of a line too long for any screen, a window around the place.
    fn new(source: &Source, problem: Problem) -> Self {
        let (lines, text) = (&source.0, source.0.text());
        let start = problem.span.range.start.min(text.len());
        let end = problem.span.range.end.clamp(start, text.len());
        let line = lines.line(start);
        let (line_start, line_end) = (lines.start(line), lines.start(line + 1));
        if line_end - line_start <= LONGEST_LINE {
            return Self { source: source.clone(), shown: start..end, problem };
        }
        let near = |at: usize| (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        let from = near(start.saturating_sub(WINDOW).max(line_start));
        let to = near((start + WINDOW).min(line_end));
        let column = text[line_start..start].chars().count() + 1;
        let name = format!("{}:{}:{column}, cut", lines.name(), line + 1);
        let source = Source(Arc::new(Lines::new(&name, text[from..to].trim_end_matches('\n'))));
        let shown = start - from..end.min(to).max(start) - from;
        Self { shown: shown.start..shown.end.min(source.0.text().len()), source, problem }
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Located {}

impl Diagnostic for Located {
    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.problem.label.clone().unwrap_or_else(|| "here".into());
        let span = SourceSpan::from((self.shown.start, self.shown.len()));
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(label), span))))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }
}
