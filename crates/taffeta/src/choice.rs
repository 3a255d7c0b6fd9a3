//! Which solver moves the cloth of a setup, and how far it can step.

use std::ops::Range;

use crate::integrator::Integrator;
use crate::limiter::{Limiter, Strips};
use crate::setup::Setup;
use crate::stability::LongestStep;
use crate::strips::{Net, StripSolver};

impl Setup {
    /// Whether all cloths are of one fabric and have one limit.
    pub(crate) fn cloths_are_alike(&self) -> bool {
        let alike = self.of_cloths.windows(2).all(|pair| pair[0].limits == pair[1].limits);
        alike && self.model.has_one_fabric()
    }

    /// Whether strips would keep its limits well: cloth of quads that does not tear, whose gauges are
    /// its edges, and with no element that would need shorter steps than they do.
    pub fn suits_strips(&self) -> bool {
        let by_strips = Self {
            integrator: Integrator::default(),
            limiter: Limiter::Strips(Strips::default()),
            ..self.clone()
        };
        let quads = self.model.faces.iter().all(|corners| corners.len() == 4);
        let solver = by_strips.strips().and_then(|how| StripSolver::new(&by_strips, how));
        let enough = |solver: StripSolver| {
            let bound = by_strips.longest_step();
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

    /// Which springs are integrated: all, or those that no limiter stands in for.
    ///
    /// Backward Euler keeps them all: there they bound no step.
    pub(crate) fn integrated_springs(&self) -> Range<usize> {
        let left_out = self.edges_are_kept() && self.integrator.is_explicit();
        let first = match left_out {
            _ if self.strips().is_some() => self.model.structural + self.model.shear,
            true => self.model.structural,
            false => 0,
        };
        first..self.model.springs.len()
    }

    /// The longest step the integrator can take, and the particle that bounds it, if any does.
    pub(crate) fn longest_step(&self) -> Option<LongestStep> {
        let springs = self.integrated_springs();
        let bound = self.integrator.longest_step_of(&self.model, &self.pulls, springs)?;
        (bound.h.is_finite() || !self.edges_are_kept()).then_some(bound)
    }
}
