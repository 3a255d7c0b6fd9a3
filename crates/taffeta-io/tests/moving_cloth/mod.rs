//! A cloth that moves by a formula: what the tests of the exporters write, and what they expect.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ops::RangeInclusive;

use glam::{DVec2, DVec3};
use serde_json::{Value, json};
use taffeta::Frame;
use taffeta::mesh::{Faces, Mesh, Sheet};
use taffeta_io::{FrameSource, SourceError};

/// A sheet of quads and two triangles, off the origin, different along every axis.
pub struct MovingCloth {
    pub rest: Mesh,
    /// Frames from which the cloth has another mesh, in order.
    pub changes: Vec<(u32, Mesh)>,
    /// A frame and vertex with a position that is not a number.
    pub broken: Option<(u32, u32)>,
    pub numbers: RangeInclusive<u32>,
    pub rate: f64,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl MovingCloth {
    pub fn new(columns: u32, rows: u32, numbers: RangeInclusive<u32>) -> Self {
        let mut rest = Sheet { width: 1.0, height: 0.7, columns, rows }.mesh();
        rest.positions.iter_mut().for_each(|position| *position += DVec3::new(0.3, 1.2, -0.1));
        rest.faces = with_the_last_quad_cut(&rest.faces);
        let (positions, velocities) = Default::default();
        Self { rest, changes: Vec::new(), broken: None, numbers, rate: 25.0, positions, velocities }
    }

    /// Gives the second half of the faces a piece of texture of their own.
    pub fn with_seam(mut self) -> Self {
        let (count, mut uvs) = (self.rest.faces.len(), Vec::new());
        for face in 0..count {
            let shift = DVec2::new(if face < count / 2 { 0.0 } else { 2.0 }, 0.0);
            uvs.extend(self.rest.faces.corner_uvs(face).unwrap().iter().map(|uv| uv + shift));
        }
        assert!(self.rest.faces.set_uvs(uvs));
        self
    }

    pub fn without_uvs(mut self) -> Self {
        let mut faces = Faces::new();
        self.rest.faces.iter().for_each(|corners| faces.push(corners));
        self.rest.faces = faces;
        self
    }

    /// From a frame on, the last face hangs on a vertex of its own, or one more of them.
    pub fn torn_at(mut self, number: u32) -> Self {
        let mut torn = self.last_mesh().clone();
        let (last, corner) = (torn.faces.len() - 1, self.changes.len());
        let mut faces = Faces::new();
        for (face, corners) in torn.faces.iter().enumerate() {
            let mut corners = corners.to_vec();
            if face == last {
                torn.positions.push(torn.positions[corners[corner] as usize]);
                corners[corner] = torn.positions.len() as u32 - 1;
            }
            faces.push(&corners);
        }
        faces.set_uvs(torn.faces.all_uvs().to_vec());
        torn.faces = faces;
        self.changes.push((number, torn));
        self
    }

    /// From a frame on, the same faces come in the opposite order.
    pub fn reordered_at(mut self, number: u32) -> Self {
        let mut mesh = self.last_mesh().clone();
        let (mut faces, mut uvs) = (Faces::new(), Vec::new());
        for face in (0..mesh.faces.len()).rev() {
            faces.push(mesh.faces.corners(face));
            uvs.extend_from_slice(mesh.faces.corner_uvs(face).unwrap());
        }
        assert!(faces.set_uvs(uvs));
        mesh.faces = faces;
        self.changes.push((number, mesh));
        self
    }

    fn last_mesh(&self) -> &Mesh {
        self.changes.last().map_or(&self.rest, |(_, mesh)| mesh)
    }

    /// Everything about the frames, for readers in other languages.
    pub fn expected(&mut self) -> Value {
        expected(self)
    }
}

/// Everything about the frames of a source, yarns aside.
pub fn expected(source: &mut impl FrameSource) -> Value {
    let rate = source.rate();
    let flat =
        |vectors: &[DVec3]| vectors.iter().map(|v| v.as_vec3().to_array()).collect::<Vec<_>>();
    let mut frames = Vec::new();
    for number in source.numbers() {
        let frame = source.read(number).unwrap();
        let uvs = frame.faces.all_uvs().iter().map(|uv| uv.as_vec2().to_array());
        frames.push(json!({
            "number": number,
            "counts": frame.faces.iter().map(<[u32]>::len).collect::<Vec<_>>(),
            "corners": frame.faces.all_corners(),
            "uvs": uvs.collect::<Vec<_>>(),
            "positions": flat(frame.positions),
            "velocities": flat(frame.velocities),
        }));
    }
    json!({ "rate": rate, "frames": frames })
}

impl FrameSource for MovingCloth {
    fn numbers(&self) -> RangeInclusive<u32> {
        self.numbers.clone()
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        if !self.numbers.contains(&number) {
            return Err(format!("there is no frame {number}").into());
        }
        let time = f64::from(number) / self.rate;
        let changes = self.changes.iter().take_while(|(from, _)| number >= *from);
        let revision = changes.clone().count() as u64;
        let mesh = changes.last().map_or(&self.rest, |(_, mesh)| mesh);
        let path = |rest: &DVec3| {
            DVec3::new(0.2 * rest.z * time, rest.x * rest.z * time, -0.4 * rest.x * time * time)
        };
        let speed = |rest: &DVec3| DVec3::new(0.2 * rest.z, rest.x * rest.z, -0.8 * rest.x * time);
        self.positions = mesh.positions.iter().map(|rest| rest + path(rest)).collect();
        self.velocities = mesh.positions.iter().map(speed).collect();
        if let Some((_, vertex)) = self.broken.filter(|(frame, _)| *frame == number) {
            self.positions[vertex as usize].y = f64::NAN;
        }
        Ok(Frame {
            number,
            time,
            revision,
            faces: &mesh.faces,
            positions: &self.positions,
            velocities: &self.velocities,
            yarns: None,
            cloths: &[],
        })
    }
}

fn with_the_last_quad_cut(faces: &Faces) -> Faces {
    let (mut cut, mut uvs) = (Faces::new(), Vec::new());
    for (face, corners) in faces.iter().enumerate() {
        let uv = faces.corner_uvs(face).unwrap();
        if face + 1 < faces.len() {
            cut.push(corners);
            uvs.extend_from_slice(uv);
            continue;
        }
        for triangle in [[0, 1, 2], [0, 2, 3]] {
            cut.push(&triangle.map(|corner| corners[corner]));
            uvs.extend(triangle.map(|corner| uv[corner]));
        }
    }
    assert!(cut.set_uvs(uvs));
    cut
}
