//! What a command shows while it works.

use std::error::Error;
use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use taffeta::Frame;
use taffeta_scene::run::{FrameReport, FrameSink};

use crate::console;

/// A progress bar for people; a line every tenth of the way where there is no terminal.
pub struct Bar {
    bar: ProgressBar,
    terminal: bool,
    first: u32,
    last: u32,
    begun: Option<(u32, Instant)>,
}

impl Bar {
    pub fn new(first: u32, last: u32) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target =
            if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(u64::from(last - first)), target);
        let template = "frame {prefix} {wide_bar} {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, terminal, first, last, begun: None }
    }

    /// Shows that a frame is done, and a word about it.
    pub fn show(&mut self, number: u32, word: &str) {
        let (origin, since) = *self.begun.get_or_insert((number, Instant::now()));
        let rate = f64::from(number - origin) / since.elapsed().as_secs_f64().max(1e-9);
        let left = f64::from(self.last - number) / rate.max(1e-9);
        let pace = if number == origin {
            String::new()
        } else {
            format!("{rate:.1} frames/s, {left:.0} s left, ")
        };
        let text = format!("{pace}{word}");
        self.bar.set_position(u64::from(number - self.first));
        self.bar.set_prefix(format!("{number}/{}", self.last));
        self.bar.set_message(text.clone());
        let tenth = (self.last - self.first).div_ceil(10).max(1);
        if !self.terminal && (number - self.first).is_multiple_of(tenth) {
            console::warn(format_args!("frame {number}/{}: {text}", self.last));
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl FrameSink for Bar {
    fn frame(
        &mut self,
        frame: &Frame,
        report: &FrameReport,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.show(frame.number, &format!("strain {:.2} %", report.extension * 100.0));
        Ok(())
    }
}

/// The report as JSON, a line per frame.
pub struct JsonLines;

impl FrameSink for JsonLines {
    fn frame(
        &mut self,
        _frame: &Frame,
        report: &FrameReport,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        console::say(serde_json::to_string(report)?);
        Ok(())
    }
}
