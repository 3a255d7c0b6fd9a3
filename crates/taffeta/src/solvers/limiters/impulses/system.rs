//! The matrix of the impulse system: planned once for a model, filled for every solve.

use glam::DVec3;
use taffeta_linalg::{Filter, LowerColumns, fill};

use super::rows::ImpulseRow;
use crate::matter::gauge::Gauge;
use crate::matter::model::{Incidence, Model};

/// Entries, or rows, whose sums repay a hand-over to another thread.
const GRAIN: usize = 16_384;

/// How much gauges give way at least, as a fraction of how much their particles do.
///
/// The paper calls A positive definite. It is not: a straight taut row of gauges between two fixed
/// particles can pull as it likes without moving anything. This much compliance makes its pivots
/// positive, and changes impulses in their ninth digit.
pub(super) const REGULARISATION: f64 = 1e-9;

/// A of A s = b, the lower triangle by columns.
#[derive(Debug)]
pub(super) struct ImpulseSystem {
    pub columns: LowerColumns,
    pub values: Vec<f64>,
    /// The diagonal, without what is added to it.
    pub diagonal: Vec<f64>,
    /// What compliance adds to the diagonal: as much as the mean diagonal of the free cloth, but
    /// in proportion to one over the gauge's area, so that one tension gives one strain.
    softness: Vec<f64>,
    /// Row and column of each entry.
    pairs: Vec<[u32; 2]>,
    /// Where the shared particles of each entry begin; one more than entries.
    starts: Vec<u32>,
    /// The particles two gauges share, each with the product of their weights over its mass.
    shared: Vec<(u32, f64)>,
}

impl ImpulseSystem {
    /// Plans the system: two gauges are coupled if they share a particle.
    pub fn new(model: &Model) -> Self {
        let gauges = &model.gauges;
        let members = gauges.iter().map(|gauge| gauge.corners().map(|(particle, _)| particle));
        let incidence = Incidence::new(model.particles(), members);
        let mut system = Self {
            columns: LowerColumns { offsets: vec![0], rows: Vec::new() },
            values: Vec::new(),
            diagonal: vec![0.0; gauges.len()],
            softness: softness(model),
            pairs: Vec::new(),
            starts: vec![0],
            shared: Vec::new(),
        };
        let mut meetings = Vec::new();
        for (q, gauge) in gauges.iter().enumerate() {
            meetings.clear();
            for (particle, weight) in gauge.corners() {
                let mass = model.masses[particle as usize];
                let later =
                    incidence.at(particle as usize).iter().filter(|(p, _)| *p as usize >= q);
                meetings.extend(later.map(|&(p, corner)| {
                    let other = gauges[p as usize].weight(corner as usize);
                    (p, particle, weight * other / mass)
                }));
            }
            system.add_column(q as u32, &mut meetings);
        }
        system.values = vec![0.0; system.pairs.len()];
        system
    }

    /// Appends a column from the meetings of its gauge with others: who, where, and how strongly.
    fn add_column(&mut self, q: u32, meetings: &mut [(u32, u32, f64)]) {
        meetings.sort_unstable_by_key(|&(p, particle, _)| (p, particle));
        for &(p, particle, strength) in meetings.iter() {
            if self.pairs.last() != Some(&[p, q]) {
                self.pairs.push([p, q]);
                self.columns.rows.push(p);
                self.starts.push(self.shared.len() as u32);
            }
            self.shared.push((particle, strength));
            if let Some(end) = self.starts.last_mut() {
                *end = self.shared.len() as u32;
            }
        }
        self.columns.offsets.push(self.columns.rows.len() as u32);
    }

    /// Fills in the values. A row that takes no part, or whose particles are all held along it
    /// (Ye08 §6 deletes it), becomes a row of the identity: the pattern never changes.
    pub fn fill(&mut self, rows: &[ImpulseRow], filters: &[Filter]) {
        let (pairs, starts, shared) = (&self.pairs, &self.starts, &self.shared);
        let entry = |e: usize| {
            let [p, q] = pairs[e];
            let (dp, dq) = (rows[p as usize].direction, rows[q as usize].direction);
            if dp == DVec3::ZERO || dq == DVec3::ZERO {
                return 0.0;
            }
            let together = &shared[starts[e] as usize..starts[e + 1] as usize];
            let sum = together.iter().map(|&(particle, strength)| {
                strength * filters[particle as usize].free_part(dp).dot(dq)
            });
            sum.sum()
        };
        fill(&mut self.values, GRAIN, entry);
        for p in 0..self.diagonal.len() {
            // The first entry of a column is its diagonal.
            let place = self.columns.offsets[p] as usize;
            self.diagonal[p] = self.values[place];
        }
    }

    /// Lets every gauge give way, as cloth with a little compliance does, and puts ones on the
    /// diagonal where there is nothing.
    pub fn give_way(&mut self, compliance: f64) {
        for (p, &diagonal) in self.diagonal.iter().enumerate() {
            let more = compliance * self.softness[p];
            let place = self.columns.offsets[p] as usize;
            self.values[place] = if diagonal > 0.0 { diagonal + more } else { 1.0 };
        }
    }

    /// Places for the rows, for an order of elimination: the middles of the gauges at rest.
    pub fn places(model: &Model) -> Vec<DVec3> {
        let middle = |gauge: &Gauge| {
            let corners = gauge.corners();
            let sum: DVec3 = corners.clone().map(|(p, _)| model.rest[p as usize]).sum();
            sum / corners.count() as f64
        };
        model.gauges.iter().map(middle).collect()
    }
}

fn softness(model: &Model) -> Vec<f64> {
    let inverse_mass = |gauge: &Gauge| -> f64 {
        gauge.corners().map(|(i, weight)| weight * weight / model.masses[i as usize]).sum()
    };
    let (gauges, areas) = (&model.gauges, &model.gauge_areas);
    let sum: f64 = gauges.iter().zip(areas).map(|(gauge, area)| inverse_mass(gauge) * area).sum();
    let mean = sum / gauges.len() as f64;
    areas.iter().map(|area| mean / area).collect()
}
