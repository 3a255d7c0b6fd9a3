//! Position sweeps (MBCN09 §4.1, Müller et al. 2007): gauge after gauge is moved to its limit, in
//! increasing order of distance to what is held, a number of times: the baseline.
//!
//! Unlike in the papers a gauge takes back what it pulled too much, down to nothing, so that it
//! never pushes; and gauges are weighted sums of up to three particles.

mod order;

use glam::DVec3;

use self::order::SweepOrder;
use super::LimitStep;
use super::preview::{Preview, RECOVERY};
use crate::matter::model::Model;
use crate::setup::limiter::Sweeps;
use crate::setup::limits::StrainLimits;
use crate::state::State;
use crate::step::outcome::Limited;
use crate::woven::Couples;

/// The fewest sweeps where they take turns with the couples of torn cloth.
const COUPLED: u32 = 3;

/// Memory of the sweeps.
#[derive(Debug)]
pub(crate) struct SweepMemory {
    settings: Sweeps,
    preview: Preview,
    order: SweepOrder,
    /// What each gauge has pulled so far (positive) or pushed [N·s, times its length at rest].
    pulls: Vec<f64>,
}

impl SweepMemory {
    pub fn new(model: &Model, settings: &Sweeps) -> Self {
        Self {
            settings: *settings,
            preview: Preview::new(model),
            order: SweepOrder::new(model),
            pulls: vec![0.0; model.gauges.len()],
        }
    }

    /// See [`super::LimiterMemory::limit`].
    pub fn limit(
        &mut self,
        step: &LimitStep,
        mut couples: Option<&mut Couples>,
        (candidate, reactions): (&mut State, &mut [DVec3]),
    ) -> Limited {
        self.preview.start(step, candidate, RECOVERY);
        self.order.follow(step.model, step.constraints);
        self.pulls.fill(0.0);
        if let Some(couples) = &mut couples {
            couples.aim(&step.state.positions, step.h);
        }
        let least = if couples.is_some() { COUPLED } else { 0 };
        let mut limited = Limited::default();
        loop {
            limited.converged = self.preview.worst_excess(step) <= 0.0;
            let enough = limited.converged || limited.iterations >= self.settings.sweeps;
            if enough && limited.iterations >= least {
                break;
            }
            if let Some(couples) = &mut couples {
                self.preview.move_by(step, |places, inverse_masses| {
                    couples.project(places, inverse_masses);
                });
            }
            self.sweep(step);
            limited.iterations += 1;
        }
        self.preview.finish(step, candidate, reactions);
        self.give_tensions(step, candidate);
        limited
    }

    /// Leaves what each gauge pulled as its tension, where somebody wants to know it.
    fn give_tensions(&self, step: &LimitStep, candidate: &mut State) {
        let areas = &step.model.gauge_areas;
        for (gauge, tension) in candidate.tensions.iter_mut().enumerate() {
            *tension = self.pulls[gauge] / (step.h * areas[gauge]);
        }
    }

    fn sweep(&mut self, step: &LimitStep) {
        let aim = step.limits.aim();
        for rank in 0..self.order.gauges().len() {
            self.project(self.order.gauges()[rank] as usize, step, &aim);
        }
    }

    /// Moves one gauge to its limit, or as far as it may.
    ///
    /// The gauge's impulse changes by C/(h w), where C is by how much it is too long and w the inverse
    /// mass of its particles along it.
    fn project(&mut self, index: usize, step: &LimitStep, aim: &StrainLimits) {
        let (gauge, pull) = (&step.model.gauges[index], self.pulls[index]);
        let vector = gauge.vector(&self.preview.places);
        let length = vector.length();
        let Some(side) = aim.side(length - 1.0, pull) else { return };
        let direction = vector / length;
        let inverse_mass = self.preview.inverse_mass(gauge, direction, &step.model.masses);
        // Without length there is no direction, and what is held at both ends cannot be moved.
        if length == 0.0 || inverse_mass == 0.0 {
            return;
        }
        let too_long = self.preview.too_long(aim, side, index, length - 1.0);
        self.pulls[index] = side.allowed(pull + too_long / (step.h * inverse_mass));
        self.preview.pull(gauge, direction * (self.pulls[index] - pull), step);
    }
}
