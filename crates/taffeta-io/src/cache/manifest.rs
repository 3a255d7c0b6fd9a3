//! What a cache folder is.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::CacheError;
use super::seal::write_whole;

/// The format of the folder as a whole.
const FORMAT: u32 = 1;

/// What a cache folder is: the content of `run.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Manifest {
    /// Version of the folder's format.
    pub format: u32,
    /// Version of Taffeta that wrote it.
    pub taffeta: String,
    /// The scene's name.
    pub scene: String,
    /// Fingerprint of all in the scene that bears on the frames, in hexadecimal.
    pub identity: String,
    /// Frames per second.
    pub rate: f64,
    /// Number of the first frame, the initial state.
    pub first: u32,
    /// Number of the last frame that is planned.
    pub last: u32,
    /// How many particles it starts with.
    pub particles: usize,
}

impl Manifest {
    /// A manifest in the present format.
    pub fn new(scene: &str, identity: &str, rate: f64) -> Self {
        Self {
            format: FORMAT,
            taffeta: env!("CARGO_PKG_VERSION").into(),
            scene: scene.into(),
            identity: identity.into(),
            rate,
            first: 0,
            last: 0,
            particles: 0,
        }
    }

    pub(super) fn read(path: &Path) -> Result<Self, CacheError> {
        let text = fs::read_to_string(path).map_err(|e| CacheError::io("read", path, e))?;
        let damaged = |why: String| CacheError::Damaged { path: path.into(), why };
        let manifest: Self = serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
        if manifest.format != FORMAT {
            let (found, known) = (manifest.format, FORMAT);
            return Err(CacheError::Version { path: path.into(), found, known });
        }
        if !(manifest.rate.is_finite() && manifest.rate > 0.0) || manifest.last < manifest.first {
            return Err(damaged("its frame rate or range makes no sense".into()));
        }
        Ok(manifest)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), CacheError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| CacheError::io("write", path, e.into()))?;
        write_whole(path, (text + "\n").as_bytes())
    }
}
