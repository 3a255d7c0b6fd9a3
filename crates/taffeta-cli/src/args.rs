//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use taffeta::woven::Weave;
use taffeta_io::UpAxis;
use taffeta_render::Look;

use crate::values::{FrameRange, HexColour, PictureSize, Triple};

/// Simulates woven cloth: in SI units, the same bits every time, with a proof of how much it
/// stretched.
#[derive(Debug, Parser)]
#[command(name = "taffeta", version, propagate_version = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene
    Run(RunArgs),
    /// Put the garment of a scene on, as `run` does before its first frame, and make that frame
    Dress(DressArgs),
    /// Show a scene or a run in the browser, and lay hands on it
    View(ViewArgs),
    /// Prove from its frames alone that a run holds what its scene promises
    Check(CheckArgs),
    /// Write the frames of a run to a format other programs read
    Export(ExportArgs),
    /// Make pictures or a movie of a run
    Render(RenderArgs),
    /// Plot strain and energy of a run against time
    Plot(PlotArgs),
    /// List the fabrics that scenes can name
    Fabrics(FabricsArgs),
    /// List the built-in scenes, or print one to start from
    Scenes(ScenesArgs),
    /// Run a scene with many values, as tasks that can be stopped and gone on with
    Sweep(SweepArgs),
}

impl Command {
    /// Whether a machine is listening.
    pub fn json(&self) -> bool {
        match self {
            Self::Run(run) => run.json,
            Self::Check(check) => check.json,
            Self::Fabrics(fabrics) => fabrics.json,
            Self::Export(_)
            | Self::Render(_)
            | Self::Plot(_)
            | Self::Scenes(_)
            | Self::Sweep(_)
            | Self::Dress(_)
            | Self::View(_) => false,
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// A scene file, the name of a built-in scene, or a recording of hands (.hands.json)
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
    /// Then make pictures or a movie, as [camera] and [render] of the scene say; the extension
    /// chooses the format: png, mp4, webp, gif
    #[arg(long, value_name = "FILE")]
    pub render: Option<PathBuf>,
    /// Go on from a state that was saved with the scene in the browser
    #[arg(long, value_name = "STATE")]
    pub from: Option<PathBuf>,
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
pub struct DressArgs {
    /// A scene file, or the name of a built-in scene
    pub scene: String,
    /// Override a key of the scene; may be given many times
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Folder for the frames, where `run --resume` goes on [default: out/ and the scene's name]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Put it on again, and replace a run that is there
    #[arg(long)]
    pub overwrite: bool,
    /// Then make a picture of it; the extension chooses the format: png, webp
    #[arg(long, value_name = "FILE")]
    pub render: Option<PathBuf>,
    /// Threads to use; the frames have the same bits with any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Most memory the simulation may take, in GiB [default: three quarters of the machine's]
    #[arg(long, value_name = "GIB")]
    pub memory: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// A scene file, the name of a built-in scene, or the folder of a run [default: rip]
    pub what: Option<String>,
    /// Override a key of the scene; may be given many times
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Go on from a state that was saved with the scene in the browser
    #[arg(long, value_name = "STATE")]
    pub from: Option<PathBuf>,
    /// Write a page with the whole run in it, which opens anywhere, and show nothing
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// The port of 127.0.0.1 to serve at [default: any that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Print the address, but open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Threads to use; the frames have the same bits with any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Most memory the simulation may take, in GiB [default: three quarters of the machine's]
    #[arg(long, value_name = "GIB")]
    pub memory: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Folder of a run
    pub dir: PathBuf,
    /// Frames to check: 10..20, 10.., ..20 or 15, both ends included [default: all]
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
    /// Frames to export: 10..20, 10.., ..20 or 15, both ends included [default: all]
    #[arg(long, value_name = "RANGE")]
    pub frames: Option<FrameRange>,
    /// Frames a second of the program that reads the file, if it counts time in its own frames as
    /// Blender does with USD [default: the run's]
    #[arg(long, value_name = "RATE")]
    pub fps: Option<f64>,
    /// The axis that points up in the file: y or z [default: y]
    #[arg(long, value_name = "AXIS")]
    pub up: Option<UpAxis>,
    /// Leave the solids out
    #[arg(long)]
    pub cloth_only: bool,
}

#[derive(Debug, clap::Args)]
pub struct RenderArgs {
    /// Folder of a run
    pub dir: PathBuf,
    /// File to write; its extension chooses the format: png, mp4, webp, gif. With %04d in its name
    /// a png is a sequence, the frames' numbers in the names
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Override a key of the scene's camera or render tables; may be given many times
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE")]
    pub overrides: Vec<String>,
    /// The one frame to show
    #[arg(long, value_name = "FRAME", conflicts_with = "frames")]
    pub frame: Option<u32>,
    /// Frames to show: 10..20, 10.., ..20 or 15, both ends included [default: all]
    #[arg(long, value_name = "RANGE")]
    pub frames: Option<FrameRange>,
    /// How to show the cloth: cloth, strain, wire, levels or yarns [default: as the scene says, or cloth]
    #[arg(long, value_name = "LOOK")]
    pub look: Option<Look>,
    /// How yarns cross: plain, twill-2-2, twill-3-1 or satin-5 [default: as the scene says, or
    /// plain]; cloth that tears has its own yarns
    #[arg(long, value_name = "WEAVE")]
    pub weave: Option<Weave>,
    /// Width and height in pixels [default: as the scene says, or 1280x720]
    #[arg(long, value_name = "WxH")]
    pub size: Option<PictureSize>,
    /// A fraction of a second a frame, or without noise [default: preview]
    #[arg(long, value_enum)]
    pub quality: Option<Quality>,
    /// Samples in each pixel, in place of those of the quality
    #[arg(long, value_name = "N")]
    pub samples: Option<u32>,
    /// Where the camera is, in metres [default: as the scene says, or where it sees every frame of
    /// the run whole]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub camera: Option<Triple>,
    /// What the camera looks at, in metres
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub target: Option<Triple>,
    /// Angle between the lower and the upper border, in degrees [default: as the scene says, or 30]
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    pub fov: Option<f64>,
    /// Angle to look from around the cloth, from the front to the right, in degrees, instead of
    /// from the scene's camera
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, conflicts_with = "camera")]
    pub azimuth: Option<f64>,
    /// Angle to look from above the horizon, in degrees, instead of from the scene's camera
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, conflicts_with = "camera")]
    pub elevation: Option<f64>,
    /// Colour behind the cloth, as sRGB in hexadecimal
    #[arg(long, value_name = "RRGGBB")]
    pub background: Option<HexColour>,
    /// Leave the floor out
    #[arg(long)]
    pub no_ground: bool,
    /// Threads to use; pictures have the same bits with any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Most memory a picture may take, in GiB [default: three quarters of the machine's]
    #[arg(long, value_name = "GIB")]
    pub memory: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    /// Folder of a run
    pub dir: PathBuf,
    /// File to write; its extension chooses the format: svg, png
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
}

/// How much time a picture is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Quality {
    /// To see what happens
    Preview,
    /// To show others
    Final,
}

#[derive(Debug, clap::Args)]
pub struct FabricsArgs {
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ScenesArgs {
    /// The scene to print
    pub name: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct SweepArgs {
    /// The plan: a scene, the values its keys take, what is measured (docs/sweeps.md)
    pub plan: PathBuf,
    /// Folder for the tasks, the manifest, the table and the plots [default: out/ and the plan's
    /// name]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How many tasks are done at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Do the tasks on a Ray cluster: ray://HOST:PORT, or auto for the one this machine belongs to
    #[arg(long, value_name = "ADDRESS")]
    pub on: Option<String>,
    /// Print a command for each task that is not done yet, for others to run in any order
    #[arg(long, conflicts_with_all = ["on", "jobs"])]
    pub list: bool,
    /// Print a job template of Open Job Description, for render farms
    #[arg(long, conflicts_with_all = ["on", "jobs", "list"])]
    pub template: bool,
    /// Do this task only, in this process
    #[arg(long, value_name = "TASK", conflicts_with_all = ["on", "jobs", "list", "template"])]
    pub task: Option<u32>,
    /// Do the tasks that come in, as a process of a sweep
    #[arg(long, hide = true)]
    pub worker: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
