//! A run in memory, for tests of exporters.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::ops::RangeInclusive;

use glam::{DVec2, DVec3};
use taffeta::mesh::{Faces, Sheet};
use taffeta::{Frame, Mesh};
use taffeta_io::{FrameSource, SourceError};

/// One frame with everything it borrows.
#[derive(Clone)]
pub struct Moment {
    pub time: f64,
    pub revision: u64,
    pub mesh: Mesh,
    pub velocities: Vec<DVec3>,
}

/// Frames numbered from `first` on.
#[derive(Clone)]
pub struct Recorded {
    pub first: u32,
    pub rate: f64,
    pub moments: Vec<Moment>,
}

impl FrameSource for Recorded {
    fn numbers(&self) -> RangeInclusive<u32> {
        self.first..=self.first + self.moments.len() as u32 - 1
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        let moment = number
            .checked_sub(self.first)
            .and_then(|index| self.moments.get(index as usize))
            .ok_or("no such frame")?;
        Ok(Frame {
            number,
            time: moment.time,
            revision: moment.revision,
            faces: &moment.mesh.faces,
            positions: &moment.mesh.positions,
            velocities: &moment.velocities,
            yarns: None,
            cloths: &[],
        })
    }
}

/// A run of `count` frames in which a mesh sways, with velocities to match.
pub fn swaying(mesh: &Mesh, first: u32, count: u32) -> Recorded {
    let rate = 24.0;
    let moments = (0..count)
        .map(|index| {
            let time = f64::from(index) / rate;
            let mut mesh = mesh.clone();
            for at in &mut mesh.positions {
                at.y += time * at.x / 3.0;
            }
            let velocities = mesh.positions.iter().map(|at| DVec3::Y * at.x / 3.0).collect();
            Moment { time, revision: 0, mesh, velocities }
        })
        .collect();
    Recorded { first, rate, moments }
}

/// A sheet of quads; no coordinate is a round number.
pub fn quads() -> Mesh {
    Sheet { width: 1.1, height: 0.7, columns: 4, rows: 3 }.mesh()
}

/// The sheet with a triangle at its side.
pub fn patch() -> Mesh {
    let mut mesh = quads();
    let mut uvs = mesh.faces.all_uvs().to_vec();
    uvs.extend([(1.1, 0.0), (1.1, 0.35), (1.5, 0.2)].map(DVec2::from));
    mesh.positions.push(DVec3::new(0.9, 0.1, 0.3));
    mesh.faces.push(&[3, 7, 12]);
    assert!(mesh.faces.set_uvs(uvs));
    mesh
}

/// The mesh with a texture seam: three corners lie elsewhere in texture space.
pub fn with_seam(mut mesh: Mesh) -> Mesh {
    let mut uvs = mesh.faces.all_uvs().to_vec();
    for uv in uvs.iter_mut().rev().take(3) {
        uv.x += 2.0 / 3.0;
    }
    assert!(mesh.faces.set_uvs(uvs));
    mesh
}

/// The mesh without texture coordinates.
pub fn without_uvs(mesh: Mesh) -> Mesh {
    let mut faces = Faces::new();
    mesh.faces.iter().for_each(|face| faces.push(face));
    Mesh { faces, ..mesh }
}
