//! What can be typed.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};

/// Simulates woven cloth: in SI units, the same bits every time, with a proof of how much it
/// stretched.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene
    Run(RunArgs),
    /// Prove from its frames alone that a run holds what its scene promises
    Check(CheckArgs),
    /// Write the frames of a run to a format other programs read
    Export(ExportArgs),
    /// List the built-in scenes, or print one to start from
    Scenes(ScenesArgs),
}

impl Command {
    /// Whether a machine is listening.
    pub fn json(&self) -> bool {
        match self {
            Self::Run(run) => run.json,
            Self::Check(check) => check.json,
            Self::Export(_) | Self::Scenes(_) => false,
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// A scene file, or the name of a built-in scene
    pub scene: String,
    /// Override a key of the scene; may be given many times
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Folder for the frames [default: out/ and the scene's name]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on after the last sound frame; frames that are damaged are made again
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Replace a run that is there
    #[arg(long)]
    pub overwrite: bool,
    /// Stop after this frame; a later run can --resume
    #[arg(long, value_name = "FRAME")]
    pub last_frame: Option<u32>,
    /// Threads to use; the frames have the same bits with any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Most memory the simulation may take, in GiB [default: three quarters of the machine's]
    #[arg(long, value_name = "GIB")]
    pub memory: Option<f64>,
    /// Print the report as JSON, a line per frame, then a summary
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Folder of a run
    pub dir: PathBuf,
    /// Frames to check: 10..20, 10.., ..20 or 15 [default: all]
    #[arg(long, value_name = "RANGE")]
    pub frames: Option<FrameRange>,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Folder of a run
    pub dir: PathBuf,
    /// File to write; its extension chooses the format: abc, usda, glb, obj, ply, stl, pc2, mdd,
    /// npz. For one file a frame (obj, ply, stl), %04d in the name is the frame's number
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Frames to export: 10..20, 10.., ..20 or 15 [default: all]
    #[arg(long, value_name = "RANGE")]
    pub frames: Option<FrameRange>,
}

#[derive(Debug, clap::Args)]
pub struct ScenesArgs {
    /// The scene to print
    pub name: Option<String>,
}

/// A range of frames as typed; both ends count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: Option<u32>,
    last: Option<u32>,
}

impl From<RangeInclusive<u32>> for FrameRange {
    fn from(range: RangeInclusive<u32>) -> Self {
        Self { first: Some(*range.start()), last: Some(*range.end()) }
    }
}

impl FrameRange {
    /// The frames meant, where these are there.
    pub fn within(self, all: &RangeInclusive<u32>) -> RangeInclusive<u32> {
        self.first.unwrap_or(*all.start())..=self.last.unwrap_or(*all.end())
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => {
                digits.parse().map(Some).map_err(|_| format!("`{digits}` is no frame number"))
            }
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        match (first, last) {
            (None, None) => Err("a range has the form 10..20, 10.., ..20 or 15".into()),
            (Some(first), Some(last)) if first > last => Err(format!("{first} comes after {last}")),
            _ => Ok(Self { first, last }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_people_write_them() {
        let within = |text: &str| text.parse::<FrameRange>().map(|range| range.within(&(5..=50)));
        assert_eq!(within("10..20"), Ok(10..=20));
        assert_eq!(within("10.."), Ok(10..=50));
        assert_eq!(within("..20"), Ok(5..=20));
        assert_eq!(within("15"), Ok(15..=15));
        for rubbish in ["", "..", "a..3", "9..3", "-1"] {
            assert!(within(rubbish).is_err(), "{rubbish}");
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
