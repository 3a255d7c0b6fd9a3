//! Solves impulse systems, directly or by conjugate gradients, and keeps the time of each stage.

use std::time::Instant;

use taffeta_linalg::SparseFactor;

use super::cg::Cg;
use super::system::ImpulseSystem;
use crate::error::PlanError;
use crate::matter::model::Model;
use crate::setup::limiter::ImpulseSolver;
use crate::step::outcome::Refusal;
use crate::step::stage::{Stage, StageTimes};

/// A solver planned for one pattern.
pub(super) enum PlannedSolver {
    Direct(Box<SparseFactor>),
    Cg(Box<Cg>, (f64, u32)),
}

impl std::fmt::Debug for PlannedSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Direct(factor) => write!(f, "Direct of {} rows", factor.size()),
            Self::Cg(..) => write!(f, "Cg"),
        }
    }
}

impl PlannedSolver {
    /// Plans solves of a system; the time this takes is charged to `times`.
    pub fn new(
        model: &Model,
        system: &ImpulseSystem,
        settings: ImpulseSolver,
        times: &mut StageTimes,
    ) -> Result<Self, PlanError> {
        match settings {
            ImpulseSolver::Direct => {
                let places = ImpulseSystem::places(model);
                let factor = SparseFactor::by_coordinates(system.columns.clone(), &places)?;
                times.add(Stage::Ordering, factor.plan_times().ordering);
                times.add(Stage::Symbolic, factor.plan_times().symbolic);
                Ok(Self::Direct(Box::new(factor)))
            }
            ImpulseSolver::Cg { tolerance, max_iterations } => {
                Ok(Self::Cg(Box::new(Cg::new(&system.columns)), (tolerance, max_iterations)))
            }
        }
    }

    /// Solves in place. Returns whether the solution is as good as it was asked to be.
    pub fn solve(
        &mut self,
        system: &ImpulseSystem,
        x: &mut [f64],
        times: &mut StageTimes,
    ) -> Result<bool, Refusal> {
        let clock = &mut Instant::now();
        match self {
            Self::Direct(factor) => {
                factor.factorize(&system.values).map_err(|_| Refusal)?;
                times.charge(Stage::Numeric, clock);
                factor.solve(x);
                times.charge(Stage::Solve, clock);
                Ok(true)
            }
            Self::Cg(cg, limits) => {
                let (_, converged) = cg.solve(system, x, *limits);
                times.charge(Stage::Solve, clock);
                Ok(converged)
            }
        }
    }
}
