//! A sheet with a tear from its first row down to its middle, made by hand.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glam::DVec3;
use taffeta::woven::{Bond, Tearing, Tears, Weave, Woven};
use taffeta::{Fabric, Frame, Model, Setup, Sheet, Simulation};

pub const COLUMNS: u32 = 21;
pub const ROWS: u32 = 17;
pub const THICKNESS: f64 = 0.004;

/// Woven cloth and its particles.
pub struct Torn {
    pub model: Model,
    pub positions: Vec<DVec3>,
}

impl Torn {
    pub fn frame(&self) -> Frame<'_> {
        Frame {
            number: 0,
            time: 0.0,
            revision: self.model.revision(),
            faces: self.model.faces(),
            positions: &self.positions,
            velocities: &[],
            yarns: self.model.yarns(),
            cloths: &[],
        }
    }
}

/// What cloth has become, as a simulation has it.
fn become_torn(woven: Woven, mut tears: Tears, positions: Vec<DVec3>) -> Torn {
    let whole = Sheet { width: 1.0, height: 0.8, columns: COLUMNS, rows: ROWS }.mesh();
    let model = Model::mass_spring(&whole, &Fabric::default()).unwrap();
    let setup = Setup { woven: Some(woven), ..Setup::new(model, whole.positions) };
    let mut simulation = Simulation::new(setup).unwrap();
    let mut snapshot = simulation.snapshot();
    tears.revision += 1;
    snapshot.tears = Some(tears);
    snapshot.state.velocities = vec![DVec3::ZERO; positions.len()];
    snapshot.state.positions.clone_from(&positions);
    simulation.restore(&snapshot).unwrap();
    Torn { model: simulation.model().clone(), positions }
}

fn weave(weave: Weave) -> (Woven, Vec<DVec3>) {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: COLUMNS, rows: ROWS };
    let mesh = sheet.mesh();
    let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
    let tearing = Tearing { slip: 2.0 * THICKNESS, ..Tearing::default() };
    let woven = Woven::new(model, &sheet, (weave, THICKNESS), tearing).unwrap();
    (woven, mesh.positions)
}

/// Flat cloth that is whole, some of its crossings split.
pub fn split(over: &Weave, crossings: &[u32]) -> Torn {
    let (woven, mut positions) = weave(over.clone());
    let mut tears = woven.untorn();
    for &crossing in crossings {
        split_one(&mut tears, crossing, Bond::Loose);
        let (row, column) = (crossing / COLUMNS, crossing % COLUMNS);
        let sign = if over.warp_on_top(row as i32, column as i32) { 0.5 } else { -0.5 };
        let offset = DVec3::Y * (sign * THICKNESS);
        positions.push(positions[crossing as usize] - offset);
        positions[crossing as usize] += offset;
    }
    become_torn(woven, tears, positions)
}

fn split_one(tears: &mut Tears, crossing: u32, bond: Bond) {
    tears.wefts[crossing as usize] = tears.particles() as u32;
    tears.bonds[crossing as usize] = bond;
}

/// Upright cloth whose warp yarns are torn in the middle of the upper rows; their ends have come out
/// of two weft yarns on either side and hang.
pub fn torn() -> Torn {
    let (woven, mut positions) = weave(Weave::plain());
    let mut tears = woven.untorn();
    let middle = COLUMNS / 2;
    for edge in 0..woven.edges() {
        let [a, b] = woven.ends(edge);
        let within = a / COLUMNS == b / COLUMNS && a / COLUMNS < ROWS / 2;
        tears.torn[edge] = within && a % COLUMNS == middle;
    }
    let near = |crossing: u32| (crossing % COLUMNS).abs_diff(middle) < 4;
    for crossing in (0..COLUMNS * (ROWS / 2 + 2)).filter(|c| near(*c)) {
        let loose = (crossing % COLUMNS).abs_diff(middle) > 2 || crossing / COLUMNS >= ROWS / 2;
        split_one(&mut tears, crossing, if loose { Bond::Loose } else { Bond::Apart });
        positions.push(positions[crossing as usize]);
        if !loose {
            let out = f64::from(3 - (crossing % COLUMNS).abs_diff(middle));
            positions[crossing as usize] += DVec3::new(0.0, 0.012 * out, 0.02 * out);
        }
    }
    for DVec3 { y, z, .. } in &mut positions {
        (*y, *z) = (-*z, *y);
    }
    become_torn(woven, tears, positions)
}
