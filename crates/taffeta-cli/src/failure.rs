//! How a command fails: every error is shown once, here.

use std::fmt::Display;
use std::process::ExitCode;

use miette::{GraphicalReportHandler, GraphicalTheme, JSONReportHandler, Report};
use taffeta_scene::SceneError;

use crate::console;

/// Why a command failed.
#[derive(Debug)]
pub struct Failure(Report);

impl Failure {
    /// A failure in plain words.
    pub fn new(error: impl Display) -> Self {
        Self(miette::miette!("{error}"))
    }

    /// All that is told to people: words, place and remedy, without colours.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
        // Writing to a String cannot fail.
        let _ = handler.render_report(&mut text, self.0.as_ref());
        text
    }

    /// What is wrong with the scene, if that is why.
    pub fn scene(&self) -> Option<&SceneError> {
        self.0.downcast_ref()
    }

    /// The same failure, after what was done before it.
    pub fn after(self, done: impl Display) -> Self {
        Self::new(format!("{done}, but {}", self.0))
    }

    /// Tells the user, or the machine, on standard error.
    pub fn show(&self, json: bool) -> ExitCode {
        if json {
            let mut text = String::new();
            // Writing to a String cannot fail.
            let _ = JSONReportHandler::new().render_report(&mut text, self.0.as_ref());
            console::warn(text);
        } else {
            console::warn(format_args!("{:?}", self.0));
        }
        ExitCode::FAILURE
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self(error.into())
    }
}
