//! Which cells of coarse cloth become fine, and when.

use glam::DVec3;

use super::cloth::Woven;
use super::tearing::CoarseCells;
use super::tears::{Bond, Tears};
use super::weaving::{Marks, Weaving};
use crate::matter::model::{Coarse, Model};
use crate::state::State;

/// Crossings beside an edge that are fine with it.
const MARGIN: u32 = 2;
/// How far a follower may be from where its leaders would have it, as a part of the distance between
/// yarns, for cloth to start coarse.
const FLAT: f64 = 0.02;
/// How much the velocity of a follower may differ from that of its leaders by round-off.
const ROUND_OFF: f64 = 1e-9;

impl Woven {
    /// Whether every cell with a crossing that is split, or a yarn that is torn, is fine.
    pub(crate) fn is_fine_where_split(&self, tears: &Tears) -> bool {
        let is_fine = |a: u32, b: u32| {
            let mut cells = self.lattice.holding(a, b).map(|cell| self.lattice.number(cell));
            cells.all(|cell| tears.fine.get(cell).is_none_or(|fine| *fine))
        };
        let mut bonds = (0u32..).zip(&tears.bonds);
        let mut torn = tears.torn.iter().enumerate().filter(|(_, torn)| **torn);
        bonds.all(|(crossing, bond)| *bond == Bond::Woven || is_fine(crossing, crossing))
            && torn.all(|(edge, _)| {
                let [a, b] = self.ends(edge);
                is_fine(a, b)
            })
    }
}

impl Weaving {
    /// Makes cells fine; tells whether any was not.
    fn refine(tears: &mut Tears, cells: impl Iterator<Item = usize>) -> bool {
        let mut refined = false;
        for cell in cells {
            if let Some(fine) = tears.fine.get_mut(cell) {
                refined |= !std::mem::replace(fine, true);
            }
        }
        refined
    }

    /// Cells around yarns that bear much are fine, and those beside them.
    pub(super) fn refine_loaded(&mut self) -> bool {
        let Some(CoarseCells { until, .. }) = self.woven.tearing.coarse else { return false };
        let (woven, lattice) = (&self.woven, &self.woven.lattice);
        let loaded = self.edges.iter().filter(|edge| self.strain_of(**edge) >= until);
        let cells = loaded.flat_map(|edge| lattice.near(woven.ends(*edge as usize), MARGIN));
        let cells: Vec<usize> = cells.map(|cell| lattice.number(cell)).collect();
        Self::refine(&mut self.tears, cells.into_iter())
    }

    /// Cells whose followers were moved by something that does not know leaders.
    pub fn refine_strays(&mut self, state: &State) -> bool {
        let Some(coarse) = &self.coarse else { return false };
        let v = &state.velocities;
        let strays = coarse.followers.all().iter().filter(|follower| {
            let own = v[follower.particle as usize];
            own.distance(follower.mean(v)) > ROUND_OFF * (1.0 + own.length())
        });
        let strays: Vec<u32> = strays.map(|follower| follower.particle).collect();
        self.refine_at(strays.into_iter())
    }

    /// At the start: cells that are not flat.
    pub fn refine_uneven(&mut self, positions: &[DVec3]) -> bool {
        let Some(coarse) = &self.coarse else { return false };
        let pitch = self.woven.whole.structural().first().map_or(0.0, |spring| spring.rest_length);
        let strays = coarse.followers.all().iter().filter(|follower| {
            let own = positions[follower.particle as usize];
            own.distance(follower.mean(positions)) > FLAT * pitch
        });
        let strays: Vec<u32> = strays.map(|follower| follower.particle).collect();
        self.refine_at(strays.into_iter())
    }

    /// Makes the cells fine in which these crossings are, on their lines too. Particles of the weft
    /// alone are in cells that are fine already.
    pub fn refine_at(&mut self, particles: impl Iterator<Item = u32>) -> bool {
        let (lattice, count) = (&self.woven.lattice, self.woven.crossings() as u32);
        let crossings = particles.filter(|particle| *particle < count);
        let cells = crossings.flat_map(|crossing| lattice.holding(crossing, crossing));
        Self::refine(&mut self.tears, cells.map(|cell| lattice.number(cell)))
    }

    /// Plans anew for cloth that is as fine as it is now.
    pub fn plan_coarse(&mut self, model: &Model) {
        self.coarse = Coarse::new(&self.woven, &self.tears, model);
    }

    /// What is torn or split is fine.
    pub(super) fn refine_split(&mut self, marks: &Marks) -> bool {
        if self.tears.fine.is_empty() {
            return false;
        }
        let torn: Vec<u32> =
            marks.torn.iter().flat_map(|edge| self.woven.ends(*edge as usize)).collect();
        self.refine_at(torn.into_iter().chain(marks.split.iter().copied()))
    }
}
