//! Woven cloth that turns like a board while it tears: what the tests of the exporters write, and
//! what they expect.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::ops::RangeInclusive;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use taffeta::mesh::Sheet;
use taffeta::woven::{Bond, Tearing, Tears, Weave, Woven};
use taffeta::{Fabric, Frame, Model, Setup, Simulation};
use taffeta_io::{FrameSource, SourceError};

const COLUMNS: u32 = 7;
const ROWS: u32 = 5;
pub const THICKNESS: f64 = 0.01;

/// A sheet that is whole, then loose, then torn.
pub struct TornWeave {
    pub numbers: RangeInclusive<u32>,
    /// From which frame on the cloth is what, and its particles at rest.
    stages: Vec<(u32, (Model, Vec<DVec3>))>,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl TornWeave {
    /// Loosens at one frame and tears at another.
    pub fn new(numbers: RangeInclusive<u32>, loosens: u32, tears: u32) -> Self {
        let sheet = Sheet { width: 1.0, height: 0.7, columns: COLUMNS, rows: ROWS };
        let mesh = sheet.mesh();
        let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
        let weave = (Weave::plain(), THICKNESS);
        let tearing = Tearing { slip: 2.0 * THICKNESS, ..Tearing::default() };
        let woven = Woven::new(model.clone(), &sheet, weave, tearing).unwrap();
        let (mut state, mut positions) = (woven.untorn(), mesh.positions);
        let setup = Setup { woven: Some(woven.clone()), ..Setup::new(model, positions.clone()) };
        let mut simulation = Simulation::new(setup).unwrap();
        let mut become_torn = |tears: &Tears, positions: &[DVec3]| {
            let mut snapshot = simulation.snapshot();
            snapshot.tears = Some(tears.clone());
            snapshot.state.positions = positions.to_vec();
            snapshot.state.velocities = vec![DVec3::ZERO; positions.len()];
            simulation.restore(&snapshot).unwrap();
            (simulation.model().clone(), positions.to_vec())
        };
        let mut stages = vec![(*numbers.start(), become_torn(&state, &positions))];
        for crossing in (0..COLUMNS * 3).filter(|crossing| (2..5).contains(&(crossing % COLUMNS))) {
            state.wefts[crossing as usize] = state.particles() as u32;
            state.bonds[crossing as usize] = Bond::Loose;
            // Faces go with the warp: it stays, so that their normals are known.
            positions.push(positions[crossing as usize] + DVec3::new(0.002, -THICKNESS, 0.001));
        }
        state.revision += 1;
        stages.push((loosens, become_torn(&state, &positions)));
        for edge in 0..woven.edges() {
            let [a, b] = woven.ends(edge);
            state.torn[edge] = b == a + 1 && a % COLUMNS == 2 && a / COLUMNS < 2;
        }
        for crossing in [2, 3, 2 + COLUMNS, 3 + COLUMNS] {
            state.bonds[crossing as usize] = Bond::Apart;
            positions[crossing as usize] += DVec3::new(0.0, 0.03, 0.01);
        }
        state.revision += 1;
        stages.push((tears, become_torn(&state, &positions)));
        Self { numbers, stages, positions: Vec::new(), velocities: Vec::new() }
    }

    fn turn(&self, number: u32) -> DQuat {
        DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.1 * f64::from(number))
    }

    /// What the frames hold, yarns included.
    pub fn expected(&mut self) -> Value {
        let mut expected = crate::moving_cloth::expected(self);
        for (index, number) in self.numbers.clone().enumerate() {
            let up = self.turn(number) * DVec3::Y;
            let frame = self.read(number).unwrap();
            let (mut counts, mut points, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
            let whole = |yarn: &&taffeta::woven::Yarn| yarn.points.len() > 1;
            for yarn in frame.yarns.unwrap().all.iter().filter(whole) {
                counts.push(yarn.points.len());
                for point in &yarn.points {
                    let particle = point.particle as usize;
                    let side = if point.over { 0.5 } else { -0.5 };
                    let lift = if point.split { 0.0 } else { side * THICKNESS };
                    let at = frame.positions[particle] + up * lift;
                    points.push(at.as_vec3().to_array());
                    velocities.push(frame.velocities[particle].as_vec3().to_array());
                }
            }
            expected["frames"][index]["yarns"] = json!({
                "counts": counts, "points": points, "velocities": velocities,
                "width": THICKNESS as f32,
            });
        }
        expected
    }
}

impl FrameSource for TornWeave {
    fn numbers(&self) -> RangeInclusive<u32> {
        self.numbers.clone()
    }

    fn rate(&self) -> f64 {
        25.0
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        let turn = self.turn(number);
        let drift = DVec3::new(0.3, 1.0, 0.02 * f64::from(number));
        let stage = self.stages.iter().rfind(|(from, ..)| *from <= number);
        let (_, (model, rest)) = stage.ok_or("no such frame")?;
        self.positions = rest.iter().map(|at| turn * *at + drift).collect();
        self.velocities = rest.iter().map(|at| DVec3::new(at.z, 0.5, -at.x)).collect();
        Ok(Frame {
            number,
            time: f64::from(number) / 25.0,
            revision: model.revision(),
            faces: model.faces(),
            positions: &self.positions,
            velocities: &self.velocities,
            yarns: model.yarns(),
            cloths: &[],
        })
    }
}
