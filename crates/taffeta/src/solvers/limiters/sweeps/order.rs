//! The order of the gauges in a sweep: by their distance to what is held (MBCN09 §4.1), so that a
//! sweep carries the hold of pins from gauge to gauge through the whole cloth.

use crate::matter::model::{Incidence, Model};
use crate::state::constraint::Constraint;

/// Gauges by distance; of equals, by number.
#[derive(Debug)]
pub(super) struct SweepOrder {
    gauges: Vec<u32>,
    /// The constrained particles that the order is made for.
    held: Vec<u32>,
    incidence: Incidence,
    /// Gauges between each particle and what is held.
    distances: Vec<u32>,
    front: Vec<u32>,
}

impl SweepOrder {
    pub fn new(model: &Model) -> Self {
        let corners = model.gauges.iter().map(|gauge| gauge.particles);
        Self {
            gauges: (0..model.gauges.len() as u32).collect(),
            held: Vec::new(),
            incidence: Incidence::new(model.particles(), corners),
            distances: vec![u32::MAX; model.particles()],
            front: Vec::with_capacity(model.particles()),
        }
    }

    pub fn gauges(&self) -> &[u32] {
        &self.gauges
    }

    /// Makes the order anew if other particles are constrained than before.
    pub fn follow(&mut self, model: &Model, constraints: &[Constraint]) {
        let held = || constraints.iter().map(|constraint| constraint.particle);
        if held().eq(self.held.iter().copied()) {
            return;
        }
        self.held.clear();
        self.held.extend(held());
        self.measure(model);
        let distances = &self.distances;
        let key = |gauge: u32| {
            let [a, b, c] = model.gauges[gauge as usize].particles;
            let mut ends = [distances[a as usize], distances[b as usize], distances[c as usize]];
            ends.sort_unstable();
            (ends, gauge)
        };
        self.gauges.sort_unstable_by_key(|&gauge| key(gauge));
    }

    /// Breadth first from the held particles; what hangs on none of them is farthest.
    fn measure(&mut self, model: &Model) {
        self.distances.fill(u32::MAX);
        self.front.clear();
        for &particle in &self.held {
            self.distances[particle as usize] = 0;
            self.front.push(particle);
        }
        let mut next = 0;
        while let Some(&particle) = self.front.get(next) {
            next += 1;
            let distance = self.distances[particle as usize] + 1;
            for &(gauge, _) in self.incidence.at(particle as usize) {
                for other in model.gauges[gauge as usize].particles {
                    if self.distances[other as usize] == u32::MAX {
                        self.distances[other as usize] = distance;
                        self.front.push(other);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use taffeta_linalg::Filter;

    use super::*;
    use crate::{Fabric, Sheet};

    fn held(particle: u32) -> Constraint {
        let zero = DVec3::ZERO;
        Constraint { particle, filter: Filter::HELD, velocity_change: zero, correction: zero }
    }

    fn row() -> Model {
        let mesh = Sheet { width: 4.0, height: 1.0, columns: 5, rows: 2 }.mesh();
        Model::mass_spring(&mesh, &Fabric::default()).unwrap()
    }

    /// The nearest particle of each gauge in order, in steps from the held column.
    fn columns(order: &SweepOrder, model: &Model, from: u32) -> Vec<u32> {
        let nearest = |gauge: &u32| {
            let particles = model.gauges[*gauge as usize].particles;
            particles.map(|p| (p % 5).abs_diff(from)).into_iter().min().unwrap()
        };
        order.gauges().iter().map(nearest).collect()
    }

    #[test]
    fn gauges_follow_their_distance_to_what_is_held() {
        let model = row();
        let mut order = SweepOrder::new(&model);
        for column in [0, 4, 2] {
            order.follow(&model, &[held(column), held(column + 5)]);
            assert!(columns(&order, &model, column).is_sorted(), "{:?}", order.gauges());
        }
    }

    #[test]
    fn without_anything_held_gauges_follow_their_numbers_again() {
        let model = row();
        let mut order = SweepOrder::new(&model);
        let start = order.gauges().to_vec();
        order.follow(&model, &[held(4)]);
        assert_ne!(order.gauges(), start);
        order.follow(&model, &[]);
        assert_eq!(order.gauges(), start);
    }
}
