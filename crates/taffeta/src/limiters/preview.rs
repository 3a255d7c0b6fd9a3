//! Where candidate velocities carry the cloth, and the impulses that correct it: what every
//! limiter after the integrator works on.

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::LimitStep;
use crate::gauge::Gauge;
use crate::state::State;

/// Particles whose motion repays a hand-over to another thread.
const GRAIN: usize = 8192;

/// The end of the step as candidate velocities have it, x + h v + y, and what limiters do to it.
#[derive(Debug)]
pub(crate) struct Preview {
    /// What each particle may still do.
    pub filters: Vec<Filter>,
    /// Where each particle is at the end of the step [m].
    pub places: Vec<DVec3>,
    /// All impulses on each particle, the held part included [N·s].
    pub impulses: Vec<DVec3>,
}

impl Preview {
    pub fn new(particles: usize) -> Self {
        let zero = vec![DVec3::ZERO; particles];
        let filters = vec![Filter::FREE; particles];
        Self { filters, places: zero.clone(), impulses: zero }
    }

    /// Looks ahead with the candidate velocities; there are no impulses yet.
    pub fn start(&mut self, step: &LimitStep, candidate: &State) {
        self.filters.fill(Filter::FREE);
        self.impulses.fill(DVec3::ZERO);
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        self.look_ahead(step, candidate);
    }

    /// The places again, with all impulses so far.
    pub fn look_ahead(&mut self, step: &LimitStep, candidate: &State) {
        let (x, v, masses) = (&step.state.positions, &candidate.velocities, &step.model.masses);
        let (filters, impulses) = (&self.filters, &self.impulses);
        fill(&mut self.places, GRAIN, |i| {
            x[i] + (v[i] + filters[i].free_part(impulses[i]) / masses[i]) * step.h
        });
        for constraint in step.constraints {
            self.places[constraint.particle as usize] += constraint.correction;
        }
    }

    /// Gives the candidate its impulses: the free part changes the velocity, the held part is
    /// borne by the constraint.
    pub fn finish(&self, step: &LimitStep, candidate: &mut State, reactions: &mut [DVec3]) {
        let (filters, impulses, masses) = (&self.filters, &self.impulses, &step.model.masses);
        update(&mut candidate.velocities, GRAIN, |i, velocity| {
            *velocity += filters[i].free_part(impulses[i]) / masses[i];
        });
        for (reaction, constraint) in reactions.iter_mut().zip(step.constraints) {
            let impulse = impulses[constraint.particle as usize];
            *reaction -= constraint.filter.held_part(impulse) / step.h;
        }
    }

    /// How fast a gauge changes its length by an impulse along itself [1/(kg m²)].
    #[inline]
    pub fn mobility(&self, gauge: &Gauge, direction: DVec3, masses: &[f64]) -> f64 {
        let corners = gauge.corners();
        let of = |&(particle, weight): &(u32, f64)| {
            let i = particle as usize;
            weight * weight * self.filters[i].free_part(direction).dot(direction) / masses[i]
        };
        corners.iter().map(of).sum()
    }

    /// Lets a gauge pull its particles towards each other, and moves them at once.
    #[inline]
    pub fn pull(&mut self, gauge: &Gauge, pull: DVec3, step: &LimitStep) {
        for &(particle, weight) in gauge.corners().iter() {
            let (i, impulse) = (particle as usize, pull * -weight);
            self.impulses[i] += impulse;
            let moved = self.filters[i].free_part(impulse) * (step.h / step.model.masses[i]);
            self.places[i] += moved;
        }
    }

    /// The most that a gauge is over the limits at the previewed places; zero or less if none is.
    pub fn worst_excess(&self, step: &LimitStep) -> f64 {
        let excess = |gauge: &Gauge| {
            let excess = step.limits.excess(gauge.strain(&self.places));
            if excess.is_nan() { f64::INFINITY } else { excess }
        };
        step.model.gauges.iter().map(excess).fold(f64::NEG_INFINITY, f64::max)
    }
}
