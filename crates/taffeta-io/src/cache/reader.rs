//! Reading a cache folder.

use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffeta::{Frame, Solid};

use super::seal::{Kind, read};
use super::{CacheError, CachedFrame, Dressed, Manifest, Solids, Topology, folder};
use crate::{FrameSource, SourceError};

/// A cache folder, opened for reading.
#[derive(Debug)]
pub struct CacheReader {
    folder: PathBuf,
    manifest: Manifest,
    numbers: Vec<u32>,
    topology: Option<Topology>,
    frame: Option<CachedFrame>,
}

impl CacheReader {
    /// Opens a folder and lists its frames; an error if `run.json` is damaged or was changed.
    pub fn open(path: &Path) -> Result<Self, CacheError> {
        let file = folder::manifest(path);
        if !file.exists() {
            return Err(CacheError::NotACache { path: path.into() });
        }
        let manifest = Manifest::read(&file)?;
        let numbers = folder::numbers(&folder::frames(path), "tff")?;
        Ok(Self { folder: path.into(), manifest, numbers, topology: None, frame: None })
    }

    /// What the folder is.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The numbers of the frames there are, in order; a damaged run may have gaps.
    pub fn frames(&self) -> &[u32] {
        &self.numbers
    }

    /// The last frame up to which none is missing, if there is any.
    pub fn last_whole(&self) -> Option<u32> {
        let first = self.manifest.first;
        let run = self.numbers.iter().zip(first..).take_while(|(found, wanted)| *found == wanted);
        run.last().map(|(found, _)| *found)
    }

    /// The scene text as it was run; an error if it was changed since.
    pub fn scene(&self) -> Result<String, CacheError> {
        let path = folder::scene(&self.folder);
        let text = fs::read_to_string(&path).map_err(|e| CacheError::io("read", &path, e))?;
        if self.manifest.of_scene(&text) == self.manifest {
            return Ok(text);
        }
        let why = "it is not the text that was run; running the scene again puts that back";
        Err(CacheError::Damaged { path, why: why.into() })
    }

    /// The report's lines; empty if there is none. Nothing vouches for them but the frames.
    pub fn report(&self) -> Result<String, CacheError> {
        let path = folder::report(&self.folder);
        match fs::read(&path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(CacheError::io("read", &path, error)),
        }
    }

    /// Reads one frame and checks that it is what its name says.
    pub fn load(&self, number: u32) -> Result<CachedFrame, CacheError> {
        if self.numbers.binary_search(&number).is_err() {
            return Err(CacheError::NoFrame { path: self.folder.clone(), frame: number });
        }
        let path = folder::frame(&self.folder, number);
        read((Kind::Frame, self.manifest.run()), &path, |bytes| {
            let frame = CachedFrame::decode(bytes)?;
            match frame.number == number {
                true => Ok(frame),
                false => Err(format!("it is frame {}, not {number}", frame.number)),
            }
        })
    }

    /// Reads the topology of a revision.
    pub fn topology(&self, revision: u64) -> Result<Topology, CacheError> {
        let path = folder::topology(&self.folder, revision);
        read((Kind::Topology, self.manifest.run()), &path, |bytes| {
            let topology = Topology::decode(bytes)?;
            match topology.revision == revision {
                true => Ok(topology),
                false => Err(format!("it is topology {}, not {revision}", topology.revision)),
            }
        })
    }

    /// Reads the solids of the run; an error if there is no file of them.
    pub fn solids(&self) -> Result<Solids, CacheError> {
        let path = folder::solids(&self.folder);
        read((Kind::Solids, self.manifest.run()), &path, Solids::decode)
    }

    /// Reads how a garment was put on; nothing if there is no file of it.
    pub fn dressed(&self) -> Result<Option<Dressed>, CacheError> {
        let path = folder::dressed(&self.folder);
        match path.exists() {
            true => read((Kind::Dressed, self.manifest.run()), &path, Dressed::decode).map(Some),
            false => Ok(None),
        }
    }

    /// Reads a frame and the topology it belongs to, kept from the last call where it is the same.
    pub fn frame(&mut self, number: u32) -> Result<(&CachedFrame, &Topology), CacheError> {
        let frame = self.load(number)?;
        let topology = match self.topology.take() {
            Some(topology) if topology.revision == frame.revision => topology,
            _ => self.topology(frame.revision)?,
        };
        let (found, wanted) = (frame.snapshot.state.positions.len(), topology.masses.len());
        if found != wanted {
            let path = folder::frame(&self.folder, number);
            let why = format!("it has {found} particles, its topology {wanted}");
            return Err(CacheError::Damaged { path, why });
        }
        Ok((self.frame.insert(frame), self.topology.insert(topology)))
    }
}

impl FrameSource for CacheReader {
    fn numbers(&self) -> RangeInclusive<u32> {
        match self.last_whole() {
            Some(last) => self.manifest.first..=last,
            None => RangeInclusive::new(1, 0),
        }
    }

    fn rate(&self) -> f64 {
        self.manifest.rate
    }

    fn bodies(&mut self) -> Result<Arc<Vec<Solid>>, SourceError> {
        Ok(Arc::new(CacheReader::solids(self)?.0))
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        let (frame, topology) = self.frame(number)?;
        Ok(Frame {
            number,
            time: frame.snapshot.state.time,
            revision: frame.revision,
            faces: &topology.faces,
            positions: &frame.snapshot.state.positions,
            velocities: &frame.snapshot.state.velocities,
            yarns: topology.yarns.as_ref(),
            cloths: &topology.cloths,
        })
    }
}
