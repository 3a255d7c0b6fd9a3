//! Pictures to files: stills, sequences and movies, one file a format, chosen by extension.

mod gif;
#[cfg(feature = "movies")]
mod h264;
#[cfg(feature = "movies")]
mod mp4;
mod output;
mod png;
mod sequence;
#[cfg(feature = "movies")]
mod webp;

use std::path::{Path, PathBuf};

pub(crate) use output::Output;
pub(crate) use png::encode as png_bytes;

use crate::error::RenderError;
use crate::picture::Picture;

/// A format pictures can be written to.
#[derive(Clone, Copy, Debug)]
pub struct MovieFormat {
    /// The file name extension, without the dot.
    pub extension: &'static str,
    /// What it is, for people.
    pub description: &'static str,
    create: fn(&Path, &Plan) -> Created,
}

/// Every format that is built in, in the order they are listed to users.
pub const FORMATS: &[MovieFormat] = &[
    MovieFormat {
        extension: "png",
        description: "a still, or a sequence with %04d in its name",
        create: sequence::create,
    },
    #[cfg(feature = "movies")]
    MovieFormat { extension: "mp4", description: "H.264 movie", create: mp4::create },
    #[cfg(feature = "movies")]
    MovieFormat { extension: "webp", description: "animated WebP", create: webp::create },
    MovieFormat { extension: "gif", description: "animated GIF", create: gif::create },
];

/// What is said of the formats that are not.
const NOT_BUILT_IN: &str = match cfg!(feature = "movies") {
    true => "",
    false => "; mp4 and webp are in builds with the feature `movies`",
};

/// A writer that has started its file.
type Created = Result<Box<dyn Writer>, RenderError>;

/// What a movie will be.
struct Plan {
    size: [u32; 2],
    /// Frames per second.
    rate: f64,
    /// Whether there is only one picture.
    single: bool,
}

/// A file, or several, that pictures go to.
trait Writer {
    /// Adds the picture of a frame.
    fn add(&mut self, number: u32, picture: &Picture) -> Result<(), RenderError>;

    /// Completes the files and names them.
    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, RenderError>;

    /// The files that are complete already; a movie is not until it is finished.
    fn complete(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// A movie, still or sequence being written; its files appear when they are complete.
pub struct Movie {
    path: PathBuf,
    size: [u32; 2],
    writer: Box<dyn Writer>,
}

impl Movie {
    /// Refuses a path whose extension names no format.
    pub fn format_of(path: &Path) -> Result<MovieFormat, RenderError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        FORMATS.iter().find(|format| format.extension == extension).copied().ok_or_else(|| {
            let known: Vec<&str> = FORMATS.iter().map(|format| format.extension).collect();
            let (path, known) = (path.to_path_buf(), known.join(", ") + NOT_BUILT_IN);
            RenderError::UnknownExtension { path, kind: "picture or movie", known }
        })
    }

    /// Starts a file of the format its extension names, for so many pictures of one size.
    pub fn create(
        path: &Path,
        size: [u32; 2],
        rate: f64,
        pictures: usize,
    ) -> Result<Self, RenderError> {
        let format = Self::format_of(path)?;
        if !(rate.is_finite() && rate > 0.0 && rate <= 1000.0) {
            let why = format!("{rate} frames a second is no rate; it must be between 0 and 1000");
            return Err(RenderError::Encode { path: path.into(), why });
        }
        let plan = Plan { size, rate, single: pictures == 1 };
        Ok(Self { path: path.into(), size, writer: (format.create)(path, &plan)? })
    }

    /// Adds the picture of a frame.
    pub fn add(&mut self, number: u32, picture: &Picture) -> Result<(), RenderError> {
        if picture.size() != self.size {
            let why = format!("picture {number} has another size than the movie");
            return Err(RenderError::Encode { path: self.path.clone(), why });
        }
        self.writer.add(number, picture)
    }

    /// Gives up: nothing is left of an unfinished file. Names the pictures that are complete.
    pub fn abandon(self) -> Vec<PathBuf> {
        self.writer.complete()
    }

    /// Completes the files and names them.
    pub fn finish(self) -> Result<Vec<PathBuf>, RenderError> {
        self.writer.finish()
    }
}

/// The moments pictures are shown, in whole ticks: rounding does not add up over a movie.
struct Ticks {
    rate: f64,
    per_second: f64,
    shown: u64,
}

impl Ticks {
    fn new(rate: f64, per_second: f64) -> Self {
        Self { rate, per_second, shown: 0 }
    }

    /// How long the next picture is shown.
    fn next(&mut self) -> u64 {
        let at = |count: u64| (count as f64 * self.per_second / self.rate).round() as u64;
        let length = at(self.shown + 1) - at(self.shown);
        self.shown += 1;
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_keep_time_over_a_long_movie() {
        for (rate, per_second) in [(30.0, 100.0), (24.0, 1000.0), (29.97, 100.0), (7.0, 100.0)] {
            let mut ticks = Ticks::new(rate, per_second);
            let total: u64 = (0..1000).map(|_| ticks.next()).sum();
            assert!((total as f64 / per_second - 1000.0 / rate).abs() < 0.6 / per_second);
        }
    }
}
