//! A step as solvers that move the cloth as a whole see it.

use glam::{DMat3, DVec3};

use crate::matter::gauge::Gauge;
use crate::matter::model::{Coarse, Model};
use crate::setup::Setup;
use crate::setup::piece::Piece;
use crate::state::State;
use crate::state::constraint::Constraint;

/// The step being tried.
#[derive(Clone, Copy)]
pub(crate) struct Passage<'a> {
    pub setup: &'a Setup,
    /// The cloth, torn or not, and what of it follows the rest.
    pub model: &'a Model,
    pub coarse: Option<&'a Coarse>,
    /// How far apart each of its ties is at rest [m].
    pub ties: &'a [DVec3],
    /// Where it begins.
    pub state: &'a State,
    pub loads: &'a [DVec3],
    /// How drag grows with each particle's velocity, with the sign turned; explicit solvers have none
    /// [N·s/m].
    pub drag: &'a [DMat3],
    /// What pins prescribe.
    pub constraints: &'a [Constraint],
    pub h: f64,
    /// The longest step that could be taken [s].
    pub longest: f64,
    /// When it ends [s].
    pub end: f64,
}

impl<'a> Passage<'a> {
    /// The setup and the cloth.
    pub fn piece(&self) -> Piece<'a> {
        Piece { setup: self.setup, model: self.model, coarse: self.coarse }
    }

    /// Puts what pins hold back along the directions they hold it in.
    pub fn hold(&self, places: &mut [DVec3]) {
        let (x, v, h) = (&self.state.positions, &self.state.velocities, self.h);
        for constraint in self.constraints {
            let i = constraint.particle as usize;
            let wanted = x[i] + (v[i] + constraint.velocity_change) * h + constraint.correction;
            let off = wanted - places[i];
            places[i] += constraint.filter.held_part(off);
        }
    }

    /// Gives what pins hold the velocities they have along the directions they hold it in.
    pub fn hold_velocities(&self, velocities: &mut [DVec3]) {
        for Constraint { particle, filter, velocity_change, .. } in self.constraints {
            let i = *particle as usize;
            let held = self.state.velocities[i] + *velocity_change;
            velocities[i] = filter.free_part(velocities[i]) + filter.held_part(held);
        }
    }

    /// Whether strain limits are kept with the particles at these places.
    pub fn keeps_limits(&self, places: &[DVec3]) -> bool {
        let Some(limits) = self.setup.limits else { return true };
        if !self.setup.of_cloths.is_empty() {
            return self.setup.worst_excess(places) <= 0.0;
        }
        let over = |gauge: &Gauge| limits.excess(gauge.strain(places)) > 0.0;
        !self.model.gauges().iter().any(over)
    }

    /// The particles that pins hold.
    pub fn held(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.constraints.iter().map(|constraint| constraint.particle)
    }
}
