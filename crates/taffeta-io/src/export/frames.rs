//! Reading the frames of an export, and refusing those that no format could hold.

use glam::DVec3;
use taffeta::Frame;

use super::ExportError;
use crate::{FrameSource, SourceError};

/// How many frames there are; none, or a rate that is no rate, is an error.
pub(super) fn count(source: &dyn FrameSource) -> Result<usize, ExportError> {
    let (numbers, rate) = (source.numbers(), source.rate());
    if numbers.is_empty() {
        return Err(ExportError::NoFrames);
    }
    if !(rate.is_finite() && rate > 0.0) {
        return Err(ExportError::BadRate { rate });
    }
    Ok((numbers.end() - numbers.start()) as usize + 1)
}

/// Reads one frame that is sound: one finite position and velocity a particle, also in single
/// precision, and faces and yarns over these particles.
pub(super) fn read(source: &mut dyn FrameSource, number: u32) -> Result<Frame<'_>, ExportError> {
    let unsound = |source: SourceError| ExportError::Read { frame: number, source };
    let frame = source.read(number).map_err(unsound)?;
    if frame.number != number {
        return Err(unsound(format!("frame {} came in its place", frame.number).into()));
    }
    let particles = frame.positions.len();
    if frame.velocities.len() != particles {
        let velocities = frame.velocities.len();
        return Err(unsound(format!("{particles} positions, but {velocities} velocities").into()));
    }
    if let Some(vertex) = frame.faces.all_corners().iter().find(|&&v| v as usize >= particles) {
        return Err(unsound(format!("a face uses vertex {vertex} of {particles}").into()));
    }
    let yarns = frame.yarns.into_iter().flat_map(|yarns| &yarns.all);
    let mut points = yarns.flat_map(|yarn| &yarn.points);
    if let Some(point) = points.find(|point| point.particle as usize >= particles) {
        let vertex = point.particle;
        return Err(unsound(format!("a yarn uses vertex {vertex} of {particles}").into()));
    }
    for (what, vectors) in [("position", frame.positions), ("velocity", frame.velocities)] {
        if let Some(vertex) = vectors.iter().position(overflows) {
            return Err(ExportError::NotFinite { frame: number, vertex: vertex as u32, what });
        }
    }
    for (corner, uv) in frame.faces.all_uvs().iter().enumerate() {
        if !uv.as_vec2().is_finite() {
            let (vertex, what) = (frame.faces.all_corners()[corner], "texture coordinate");
            return Err(ExportError::NotFinite { frame: number, vertex, what });
        }
    }
    Ok(frame)
}

/// Reads the first frame.
pub(super) fn first(source: &mut dyn FrameSource) -> Result<Frame<'_>, ExportError> {
    let number = *source.numbers().start();
    read(source, number)
}

fn overflows(vector: &DVec3) -> bool {
    !vector.as_vec3().is_finite()
}

/// The one mesh of a format that cannot change it.
pub(super) struct OneMesh {
    extension: &'static str,
    revision: u64,
    particles: usize,
}

impl OneMesh {
    /// Holds every frame to the mesh of this one.
    pub fn of(frame: &Frame<'_>, extension: &'static str) -> Self {
        Self { extension, revision: frame.revision, particles: frame.positions.len() }
    }

    /// Refuses a frame with another mesh.
    pub fn check(&self, frame: &Frame<'_>) -> Result<(), ExportError> {
        if (frame.revision, frame.positions.len()) == (self.revision, self.particles) {
            return Ok(());
        }
        Err(ExportError::TopologyChanges { frame: frame.number, extension: self.extension })
    }
}
