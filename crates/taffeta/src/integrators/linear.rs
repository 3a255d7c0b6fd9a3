//! The linear systems of implicit steps: planned once for a pattern, solved as the settings say.

use std::time::Instant;

use glam::DVec3;
use taffeta_linalg::{
    BlockPattern, DirectSolver, FactorError, FilteredSystem, Pcg, PcgLimits, TwoLevel,
};

use super::{Refusal, Solved, Solver};

/// Memory of the solver, planned once for a pattern.
pub(crate) enum LinearSolver {
    Pcg(Box<(Pcg, TwoLevel)>, PcgLimits),
    Direct(Box<DirectSolver>),
}

impl LinearSolver {
    /// Plans for matrices of a pattern; particles at rest places them.
    pub fn new(solver: Solver, pattern: &BlockPattern, rest: &[DVec3]) -> Result<Self, String> {
        let said = |error: FactorError| error.to_string();
        Ok(match solver {
            Solver::Pcg { tolerance, max_iterations } => {
                let two_level = TwoLevel::new(pattern, rest).map_err(said)?;
                let max_iterations = max_iterations as usize;
                let limits = PcgLimits { tolerance, enough: 0.0, max_iterations };
                Self::Pcg(Box::new((Pcg::new(pattern), two_level)), limits)
            }
            Solver::Direct => {
                let direct = DirectSolver::new(pattern, rest).map_err(said)?;
                Self::Direct(Box::new(direct))
            }
        })
    }

    /// Plans for the matrices of another pattern, in the same memory where it can.
    pub fn plan_again(
        &mut self,
        solver: Solver,
        pattern: &BlockPattern,
        rest: &[DVec3],
    ) -> Result<(), String> {
        match self {
            Self::Direct(direct) => {
                direct.plan_again(pattern, rest).map_err(|error| error.to_string())
            }
            Self::Pcg(..) => {
                *self = Self::new(solver, pattern, rest)?;
                Ok(())
            }
        }
    }

    /// Solves a system whose elements were evaluated at `positions`.
    pub fn solve(
        &mut self,
        system: &FilteredSystem,
        positions: &[DVec3],
        change: &mut [DVec3],
    ) -> Result<Solved, Refusal> {
        let begun = Instant::now();
        let solved = match self {
            Self::Pcg(memory, limits) => {
                let (pcg, two_level) = &mut **memory;
                two_level.refresh(system, positions).map_err(|_| Refusal)?;
                let report = pcg.solve(system, two_level, change, *limits);
                let report = report.map_err(|_| Refusal)?;
                let unconverged = u32::from(!report.converged);
                Solved { iterations: report.iterations as u32, unconverged, ..Solved::default() }
            }
            Self::Direct(direct) => {
                direct.factorize(system, positions).map_err(|_| Refusal)?;
                direct.solve(system, change);
                Solved { iterations: 1, ..Solved::default() }
            }
        };
        Ok(Solved { solving: begun.elapsed(), ..solved })
    }
}
