//! A figure that a paper prints, and ours.

use std::fmt::{self, Write};

/// One row of a table of figures.
pub struct Figure {
    what: String,
    printed: String,
    ours: String,
    ratio: String,
    /// Why it is not reached, if it is not.
    missed: Option<String>,
}

impl Figure {
    /// Seconds a frame: reached where ours are no more.
    pub fn time(what: impl Into<String>, printed: f64, ours: f64) -> Self {
        let ratio = printed / ours;
        Self {
            what: what.into(),
            printed: format!("{printed} s/frame"),
            ours: format!("{ours:.4} s/frame"),
            ratio: rounded(ratio),
            missed: (ratio < 1.0).then(|| "slower".into()),
        }
    }

    /// Any other figure, and whether it is reached.
    pub fn told(
        what: impl Into<String>,
        printed: impl Into<String>,
        ours: impl Into<String>,
        missed: Option<String>,
    ) -> Self {
        let (what, printed, ours) = (what.into(), printed.into(), ours.into());
        Self { what, printed, ours, ratio: "–".into(), missed }
    }
}

/// What a paper's experiments write down: all of it, and the figures that the page of results shows.
#[derive(Default)]
pub struct Account {
    pub text: String,
    pub figures: Vec<Figure>,
}

impl Account {
    pub fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

impl Write for Account {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.write_str(text)
    }
}

/// A ratio, to two digits or whole.
fn rounded(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

/// The table.
pub fn table(figures: &[Figure]) -> String {
    let mut text =
        String::from("| figure | printed | ours | ratio | reached |\n|---|---|---|---|---|\n");
    for Figure { what, printed, ours, ratio, missed } in figures {
        let reached = missed.as_ref().map_or("yes".into(), |why| format!("**no**: {why}"));
        let _ = writeln!(text, "| {what} | {printed} | {ours} | {ratio} | {reached} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_slower_is_not_reached() {
        let text = table(&[Figure::time("a", 2.0, 0.5), Figure::time("b", 0.5, 2.0)]);
        assert!(text.contains("| a | 2 s/frame | 0.5000 s/frame | 4.0 | yes |"), "{text}");
        assert!(text.contains("**no**: slower"), "{text}");
    }
}
