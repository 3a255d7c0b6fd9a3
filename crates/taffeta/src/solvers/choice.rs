//! Which solver moves the cloth of a setup, how far it can step, and whether there is one.

use std::ops::Range;

use crate::error::{SetupError, StepError};
use crate::matter::model::Model;
use crate::setup::Setup;
use crate::setup::integrator::{ExplicitEuler, ImplicitEuler};
use crate::setup::limiter::{Constraints, Limiter, Strips};
use crate::setup::limits::StrainLimits;
use crate::setup::piece::Piece;
use crate::setup::stability::LongestStep;
use crate::solvers::strips::{Net, StripSolver};

impl Setup {
    /// Everything that keeps this setup from being simulated; empty if nothing does.
    pub fn problems(&self) -> Vec<SetupError> {
        let mut problems = self.own_problems();
        let by_strips = self.limits.is_some() && matches!(self.limiter, Limiter::Strips(_));
        if by_strips && self.strips().is_none() {
            problems.push(SetupError::StripsUnsuited);
        }
        if problems.is_empty() {
            problems.extend(self.step_problem());
        }
        problems
    }

    /// Whether the integrator can simulate this cloth, and with any step.
    fn step_problem(&self) -> Option<SetupError> {
        if !self.integrator.suits(&self.model) && self.strips().is_none() {
            return Some(SetupError::Unsuited);
        }
        let bound = self.longest_step(&self.model)?;
        let possible = bound.h.is_finite() && bound.h > 0.0;
        (!possible).then_some(SetupError::NoStableStep { particle: bound.particle, h: bound.h })
    }

    /// Limits how far the cloth may stretch, by what keeps that best: strips where they suit the cloth,
    /// constraints of implicit steps elsewhere. What kept limits before, and the integrator, are others
    /// then: choose settings of an integrator afterwards.
    pub fn limit(&mut self, limits: StrainLimits) {
        self.limits = Some(limits);
        if self.suits_strips() {
            self.limiter = Limiter::Strips(Strips::default());
            self.integrator = ExplicitEuler::default().into();
        } else {
            self.limiter = Limiter::Constraints(Constraints::default());
            self.integrator = ImplicitEuler::default().into();
        }
    }

    /// Whether strips would keep its limits well: cloth of quads that does not tear, whose gauges are
    /// its edges, and with no element that would need shorter steps than they do.
    pub fn suits_strips(&self) -> bool {
        if self.woven.is_some() {
            return false;
        }
        let by_strips = Self {
            integrator: ExplicitEuler::default().into(),
            limiter: Limiter::Strips(Strips::default()),
            ..self.clone()
        };
        let quads = self.model.faces.iter().all(|corners| corners.len() == 4);
        let solver =
            by_strips.strips().and_then(|how| StripSolver::new(&Piece::whole(&by_strips), how));
        let enough = |solver: StripSolver| {
            let bound = by_strips.longest_step(&self.model);
            bound.is_none_or(|bound| bound.h >= solver.longest())
        };
        quads && self.cloths_are_alike() && solver.is_some_and(enough)
    }

    /// The settings of strips, where they move the cloth by themselves.
    pub(crate) fn strips(&self) -> Option<&Strips> {
        match &self.limiter {
            Limiter::Strips(strips)
                if self.limits.is_some()
                    && self.integrator.is_explicit()
                    && self.woven.is_none()
                    && Net::suits(&self.model) =>
            {
                Some(strips)
            }
            _ => None,
        }
    }

    /// Which springs are integrated: all, or those that strips do not stand in for.
    pub(crate) fn integrated_springs(&self, model: &Model) -> Range<usize> {
        let by_strips = model.structural + model.shear;
        let first = if self.strips().is_some() { by_strips } else { 0 };
        first..model.springs.len()
    }

    /// The longest step the integrator can take, and the particle that bounds it, if any does.
    pub(crate) fn longest_step(&self, model: &Model) -> Option<LongestStep> {
        let springs = self.integrated_springs(model);
        let bound = self.integrator.longest_step_of(model, &self.pulls, springs)?;
        (bound.h.is_finite() || self.strips().is_none()).then_some(bound)
    }

    /// Whether frames of this length \[s\] would need more steps than the limits allow, as far as the
    /// integrator and the user bound steps; solvers may bound them more.
    pub fn refuse_too_many_steps(&self, frame: f64) -> Result<(), StepError> {
        too_many_steps((self, &self.model), self.longest_step(&self.model), frame)
    }
}

/// Whether this time \[s\] would need more steps than are allowed for a frame, of which none is longer
/// than the `longest`.
pub(crate) fn too_many_steps(
    (setup, model): (&Setup, &Model),
    longest: Option<LongestStep>,
    time: f64,
) -> Result<(), StepError> {
    let (max, limit) = (setup.step.max, setup.step.max_per_frame);
    let h = longest.map_or(max, |longest| longest.h.min(max));
    if time / h <= f64::from(limit) {
        return Ok(());
    }
    let needed = (time / h).ceil();
    let Some(bound) = longest.filter(|bound| bound.h <= max) else {
        return Err(StepError::StepMaxTooShort { needed, limit, h });
    };
    let particle = bound.particle;
    let mass = model.masses[particle as usize];
    let springs = model.spring_incidence.at(particle as usize);
    let stiffness = springs.iter().map(|&(s, _)| model.springs[s as usize].stiffness).sum();
    Err(StepError::TooManySteps { needed, limit, h, particle, mass, stiffness })
}
