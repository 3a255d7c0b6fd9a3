//! A list of stages that all run, whatever the others found, and one report at the end.

use std::time::{Duration, Instant};

/// How a stage ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// With the reason.
    Skipped(String),
    /// With every problem, one sentence each.
    Failed(Vec<String>),
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(problem) => Self::Failed(vec![problem]),
        }
    }
}

/// A list of problems: none is a pass.
impl From<Vec<String>> for Outcome {
    fn from(problems: Vec<String>) -> Self {
        if problems.is_empty() { Self::Passed } else { Self::Failed(problems) }
    }
}

/// What the stages found, in the order they ran.
#[derive(Default)]
pub struct Report {
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    time: Duration,
    outcome: Outcome,
}

impl Report {
    /// Runs one stage, times it and shows its problems at once.
    pub fn stage<T: Into<Outcome>>(&mut self, name: &str, work: impl FnOnce() -> T) {
        println!("\n== {name}");
        let start = Instant::now();
        let outcome = work().into();
        if let Outcome::Failed(problems) = &outcome {
            for problem in problems {
                println!("{problem}");
            }
        }
        self.entries.push(Entry { name: name.to_owned(), time: start.elapsed(), outcome });
    }

    /// Prints the table of stages; true when none failed.
    pub fn conclude(&self) -> bool {
        println!("\n{}", self.summary());
        !self.entries.iter().any(Entry::failed)
    }

    fn summary(&self) -> String {
        let width = self.entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
        let mut lines: Vec<String> = self.entries.iter().map(|entry| entry.line(width)).collect();
        let total: Duration = self.entries.iter().map(|entry| entry.time).sum();
        let failed: Vec<&str> =
            self.entries.iter().filter(|entry| entry.failed()).map(|e| e.name.as_str()).collect();
        let verdict = match failed.as_slice() {
            [] => "no stage failed".to_owned(),
            names => format!("failed: {}", names.join(", ")),
        };
        lines.push(format!("{:width$}  {:>7.1} s  {verdict}", "all", total.as_secs_f64()));
        lines.join("\n")
    }
}

impl Entry {
    fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    fn line(&self, width: usize) -> String {
        let outcome = match &self.outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Skipped(reason) => format!("skipped: {reason}"),
            Outcome::Failed(problems) if problems.len() == 1 => "FAILED".to_owned(),
            Outcome::Failed(problems) => format!("FAILED: {} problems", problems.len()),
        };
        format!("{:width$}  {:>7.1} s  {outcome}", self.name, self.time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_stages_run_after_a_failure_and_the_whole_fails() {
        let mut report = Report::default();
        let mut reached = false;
        report.stage("first", || vec!["one".to_owned(), "two".to_owned()]);
        report.stage("second", || {
            reached = true;
            Ok(())
        });
        assert!(reached);
        assert!(!report.conclude());
        let summary = report.summary();
        assert!(summary.contains("FAILED: 2 problems"), "{summary}");
        assert!(summary.ends_with("failed: first"), "{summary}");
    }

    #[test]
    fn a_skipped_stage_says_why_and_does_not_fail() {
        let mut report = Report::default();
        report.stage("golden", || Outcome::Skipped("no file".to_owned()));
        assert!(report.conclude());
        assert!(report.summary().contains("skipped: no file"));
    }

    #[test]
    fn no_problems_are_a_pass() {
        assert_eq!(Outcome::from(Vec::new()), Outcome::Passed);
        assert_eq!(Outcome::from(Err("x".to_owned())), Outcome::Failed(vec!["x".to_owned()]));
    }
}
