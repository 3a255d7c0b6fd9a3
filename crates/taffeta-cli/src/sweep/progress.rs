//! How far a sweep is, and how long it will take.

use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use taffeta_sweep::{Outcome, Record};

use crate::console;

/// A bar for people; a line every tenth of the way where there is no terminal.
pub struct Progress {
    bar: ProgressBar,
    lines: bool,
    begun: Instant,
    all: usize,
    /// Tasks that were done before.
    before: usize,
    ended: usize,
    failed: usize,
}

impl Progress {
    pub fn new(all: usize, before: usize, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = match terminal && !quiet {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(all as u64), target);
        if let Ok(style) = ProgressStyle::with_template("task {pos}/{len} {wide_bar} {msg}") {
            bar.set_style(style);
        }
        bar.set_position(before as u64);
        let lines = !terminal && !quiet;
        Self { bar, lines, begun: Instant::now(), all, before, ended: 0, failed: 0 }
    }

    /// A task has ended. One that was done again to compare is no other task.
    pub fn show(&mut self, record: &Record) {
        if record.state == Outcome::Stopped || record.again.is_some() {
            return;
        }
        self.ended += 1;
        self.failed += usize::from(record.state == Outcome::Failed);
        let reached = self.before + self.ended;
        let pace = self.begun.elapsed().as_secs_f64() / self.ended as f64;
        let left = pace * self.all.saturating_sub(reached) as f64;
        let failed =
            if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        let words = format!("{left:.0} s left{failed}");
        self.bar.set_position(reached as u64);
        self.bar.set_message(words.clone());
        if self.lines && reached.is_multiple_of(self.all.div_ceil(10).max(1)) {
            console::warn(format_args!("task {reached}/{}: {words}", self.all));
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
