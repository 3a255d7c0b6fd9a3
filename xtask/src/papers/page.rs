//! The page of results, `docs/results.md`: a section for each set of experiments, which replaces its own
//! and leaves the others as they are.

use std::fs;
use std::path::{Path, PathBuf};

const TITLE: &str = "# Results\n\nEvery figure of the papers beside ours, how time and memory grow, and \
    cloth against the laws of physics: measured by runs of the release build. `cargo xtask papers` makes \
    this page, `cargo xtask papers --quick` in five minutes by smaller experiments, and `cargo xtask papers \
    KEY` one section; each says what it was made with. Times are of the processor, files included, \
    unless said otherwise; ratios are the other's time over ours, on the papers' hardware and on this. \
    What is not reached is in bold.\n";

/// The last section: what the others say in bold.
const MISSED: &str = "What is not reached";

/// The page, as it is on disk.
pub struct Page {
    path: PathBuf,
    sections: Vec<Section>,
}

/// A heading and what is under it.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    title: String,
    text: String,
}

impl Page {
    /// Reads the page, if there is one.
    pub fn open(root: &Path) -> Self {
        let path = root.join("docs/results.md");
        let sections = split(&fs::read_to_string(&path).unwrap_or_default());
        Self { path, sections }
    }

    /// Replaces the section of this title or adds it, and writes the page with sections in this order;
    /// those it does not name come last.
    pub fn put(&mut self, title: &str, text: &str, order: &[&str]) -> Result<(), String> {
        let section = Section { title: title.into(), text: text.trim().into() };
        match self.sections.iter_mut().find(|known| known.title == title) {
            Some(known) => *known = section,
            None => self.sections.push(section),
        }
        let place = |section: &Section| {
            order.iter().position(|title| *title == section.title).unwrap_or(order.len())
        };
        self.sections.retain(|section| section.title != MISSED);
        self.sections.sort_by_key(place);
        let text = self.missed();
        self.sections.push(Section { title: MISSED.into(), text });
        fs::write(&self.path, self.text()).map_err(|e| format!("{}: {e}", self.path.display()))
    }

    /// What sections say in bold, line by line.
    fn missed(&self) -> String {
        let mut text = String::new();
        for Section { title, text: section } in &self.sections {
            let mut head: Vec<&str> = Vec::new();
            for line in section.lines() {
                let cells: Vec<&str> = line.split('|').map(str::trim).collect();
                if !line.starts_with('|') {
                    head.clear();
                } else if head.is_empty() {
                    head = cells.clone();
                }
                if line.contains("**") {
                    text.push_str(&format!("- {title}: {}\n", in_words(line, &cells, &head)));
                }
            }
        }
        if text.is_empty() { "Nothing.".into() } else { text }
    }

    fn text(&self) -> String {
        let mut text = String::from(TITLE);
        for Section { title, text: section } in &self.sections {
            text.push_str(&format!("\n## {title}\n{section}\n"));
        }
        text
    }
}

/// A line with something in bold: of a table, its first two cells, and what is bold below which heads.
fn in_words(line: &str, cells: &[&str], head: &[&str]) -> String {
    if head.is_empty() {
        return line.replace("**", "");
    }
    let bold = |(cell, head): (&&str, &&str)| {
        cell.contains("**").then(|| format!("{head}: {}", cell.replace("**", "")))
    };
    let found: Vec<String> = cells.iter().zip(head).filter_map(bold).collect();
    let row: Vec<&str> =
        cells.iter().skip(1).take(2).filter(|c| !c.contains("**")).copied().collect();
    format!("{}; {}", row.join(", "), found.join("; "))
}

/// The sections of a page.
fn split(text: &str) -> Vec<Section> {
    let mut sections = Vec::<Section>::new();
    for line in text.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(title), _) => {
                sections.push(Section { title: title.into(), text: String::new() });
            }
            (None, Some(section)) => section.text.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    for section in &mut sections {
        section.text.truncate(section.text.trim_end().len());
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_replaces_its_own_and_leaves_the_others() {
        let root = std::env::temp_dir().join(format!("taffeta-page-{}", std::process::id()));
        fs::create_dir_all(root.join("docs")).unwrap();
        let order = ["first", "second"];
        for (title, text) in [("second", "b\n\n### part\nc"), ("first", "a"), ("first", "A")] {
            Page::open(&root).put(title, text, &order).unwrap();
        }
        let page = fs::read_to_string(root.join("docs/results.md")).unwrap();
        let sections = "\n## first\nA\n\n## second\nb\n\n### part\nc\n";
        assert!(page.ends_with(&format!("{sections}\n## {MISSED}\nNothing.\n")), "{page}");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_is_bold_is_gathered() {
        let text = "so **bad**\n\n| a | b | c |\n|---|---|---|\n| 1 | 2 | **3** |\n| 1 | 2 | 3 |\n";
        let sections = vec![Section { title: "t".into(), text: text.into() }];
        let page = Page { path: PathBuf::new(), sections };
        assert_eq!(page.missed(), "- t: so bad\n- t: 1, 2; c: 3\n");
    }
}
