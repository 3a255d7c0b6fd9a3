//! Where candidate velocities carry the cloth, and the impulses that correct it: what every
//! limiter after the integrator works on.

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::LimitStep;
use crate::matter::gauge::Gauge;
use crate::matter::model::Model;
use crate::setup::limits::{LimitSide, StrainLimits};
use crate::state::State;

/// Particles whose motion repays a hand-over to another thread.
const GRAIN: usize = 8192;

/// How long a gauge that starts a step over its limit takes to come back [s].
///
/// Where limits can be kept none does, except at the very start. Where pins pull cloth wider than
/// its limits allow, asking for all of it within a step would ask for speeds that grow without
/// bound as steps get shorter.
pub(super) const RECOVERY: f64 = 0.02;

/// The end of the step as candidate velocities have it, x + h v + y, and what limiters do to it.
#[derive(Debug)]
pub(crate) struct Preview {
    /// What each particle may still do.
    pub filters: Vec<Filter>,
    /// Where each particle is at the end of the step [m].
    pub places: Vec<DVec3>,
    /// All impulses on each particle, the held part included [N·s].
    pub impulses: Vec<DVec3>,
    /// How much each gauge may be over what limiters aim at, at the end of the step: nothing,
    /// unless it is so at the start.
    pub allowance: Vec<f64>,
    /// For those who move the places: one over each mass, zero of what is not free [1/kg], and
    /// where the places were before. Empty until somebody does.
    inverse_masses: Vec<f64>,
    before: Vec<DVec3>,
}

impl Preview {
    pub fn new(model: &Model) -> Self {
        let zero = vec![DVec3::ZERO; model.particles()];
        let filters = vec![Filter::FREE; model.particles()];
        let allowance = vec![0.0; model.gauges.len()];
        let (inverse_masses, before) = (Vec::new(), Vec::new());
        Self { filters, places: zero.clone(), impulses: zero, allowance, inverse_masses, before }
    }

    /// Looks ahead with the candidate velocities; there are no impulses yet. Gauges that are over
    /// their limits at the start may take `recovery` seconds to come back.
    pub fn start(&mut self, step: &LimitStep, candidate: &State, recovery: f64) {
        self.filters.fill(Filter::FREE);
        self.impulses.fill(DVec3::ZERO);
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        let (gauges, kept) = (&step.model.gauges, (1.0 - step.h / recovery).max(0.0));
        let aim = step.limits.aim();
        fill(&mut self.allowance, GRAIN, |g| {
            kept * aim.excess(gauges[g].strain(&step.state.positions)).max(0.0)
        });
        self.look_ahead(step, candidate);
    }

    /// By how much a gauge of this strain is to be shorter, held at a limit; negative if longer.
    #[inline]
    pub fn too_long(&self, aim: &StrainLimits, side: LimitSide, gauge: usize, strain: f64) -> f64 {
        match side {
            LimitSide::Extension => strain - aim.strain_at(side) - self.allowance[gauge],
            LimitSide::Compression => strain - aim.strain_at(side) + self.allowance[gauge],
        }
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

    /// Lets somebody else move the places; what that takes are impulses too.
    pub fn move_by(&mut self, step: &LimitStep, mover: impl FnOnce(&mut [DVec3], &[f64])) {
        let masses = &step.model.masses;
        let free = |i: usize| self.filters[i] == Filter::FREE;
        let inverse_mass = |i: usize| if free(i) { 1.0 / masses[i] } else { 0.0 };
        self.inverse_masses.clear();
        self.inverse_masses.extend((0..masses.len()).map(inverse_mass));
        self.before.clone_from(&self.places);
        mover(&mut self.places, &self.inverse_masses);
        for (i, (place, before)) in self.places.iter().zip(&self.before).enumerate() {
            self.impulses[i] += (*place - *before) * (masses[i] / step.h);
        }
    }

    /// How fast a gauge changes its length by an impulse along itself [1/(kg m²)].
    #[inline]
    pub fn inverse_mass(&self, gauge: &Gauge, direction: DVec3, masses: &[f64]) -> f64 {
        let of = |(particle, weight): (u32, f64)| {
            let i = particle as usize;
            weight * weight * self.filters[i].free_part(direction).dot(direction) / masses[i]
        };
        gauge.corners().map(of).sum()
    }

    /// Lets a gauge pull its particles towards each other, and moves them at once.
    #[inline]
    pub fn pull(&mut self, gauge: &Gauge, pull: DVec3, step: &LimitStep) {
        for (particle, weight) in gauge.corners() {
            let (i, impulse) = (particle as usize, pull * -weight);
            self.impulses[i] += impulse;
            let moved = self.filters[i].free_part(impulse) * (step.h / step.model.masses[i]);
            self.places[i] += moved;
        }
    }

    /// The most that a gauge is over what it may be at the previewed places; zero or less if none
    /// is.
    pub fn worst_excess(&self, step: &LimitStep) -> f64 {
        let margin = step.limits.margin();
        let excess = |(gauge, allowance): (&Gauge, &f64)| {
            let allowed = if *allowance > margin { *allowance } else { 0.0 };
            let excess = step.limits.excess(gauge.strain(&self.places)) - allowed;
            if excess.is_nan() { f64::INFINITY } else { excess }
        };
        let gauges = step.model.gauges.iter().zip(&self.allowance);
        gauges.map(excess).fold(f64::NEG_INFINITY, f64::max)
    }
}
