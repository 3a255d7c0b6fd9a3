//! What it took to advance.

use crate::state::touch::{ContactTally, Pinch};
use crate::step::outcome::{Limited, Solved};
use crate::step::phase::PhaseTimes;
use crate::step::stage::StageTimes;

/// What it took to advance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// Steps taken.
    pub steps: u32,
    /// Steps tried and discarded.
    pub rejected: u32,
    /// Iterations of linear solves.
    pub iterations: u32,
    /// Linear solves that did not reach their tolerance.
    pub unconverged: u32,
    /// Iterations of the limiter: sweeps, or solves of its own.
    pub limit_iterations: u32,
    /// Steps in which the limiter did not bring every gauge within its limits.
    pub limit_unconverged: u32,
    /// Steps that were taken although they are over the strain limits.
    pub over_limit: u32,
    /// The most that a gauge was over its limit in those, as a fraction of its rest length.
    pub worst_excess: f64,
    /// Iterations of Newton's method.
    pub newton: u32,
    /// Steps in which Newton's method did not reach its tolerance.
    pub newton_unconverged: u32,
    /// The most edges and corners of solids that cut the cloth between its particles in one step.
    pub pierced: u32,
    /// The most particles that had no room between solids in one step.
    pub pinched: u32,
    /// One of those particles.
    pub pinch: Option<Pinch>,
    /// Shortest step taken \[s\].
    pub h_min: f64,
    /// Longest step taken \[s\].
    pub h_max: f64,
    /// What self-contact did.
    pub contact: ContactTally,
    /// Time spent in each phase.
    pub times: PhaseTimes,
    /// Time spent in each stage of the limiter's own linear solves, within the Limit phase.
    pub stages: StageTimes,
}

impl Default for Tally {
    fn default() -> Self {
        let times = PhaseTimes::default();
        Self {
            steps: 0,
            rejected: 0,
            iterations: 0,
            unconverged: 0,
            limit_iterations: 0,
            limit_unconverged: 0,
            over_limit: 0,
            worst_excess: 0.0,
            newton: 0,
            newton_unconverged: 0,
            pierced: 0,
            pinched: 0,
            pinch: None,
            h_min: f64::INFINITY,
            h_max: 0.0,
            contact: ContactTally::default(),
            times,
            stages: StageTimes::default(),
        }
    }
}

impl Tally {
    /// What became of contacts.
    pub(crate) fn meet(&mut self, pierced: u32, pinches: &[Pinch]) {
        self.pierced = self.pierced.max(pierced);
        if pinches.len() as u32 > self.pinched {
            self.pinched = pinches.len() as u32;
            self.pinch = pinches.first().copied();
        }
    }

    pub(crate) fn accept(&mut self, h: f64, solved: Solved, limited: Limited) {
        self.limit_iterations += limited.iterations;
        self.limit_unconverged += u32::from(!limited.converged);
        self.stages += limited.times;
        self.iterations += solved.iterations;
        self.unconverged += solved.unconverged;
        self.newton += solved.newton;
        self.newton_unconverged += solved.newton_unconverged;
        self.steps += 1;
        self.h_min = self.h_min.min(h);
        self.h_max = self.h_max.max(h);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::step::stage::Stage;

    #[test]
    fn what_a_step_says_of_its_limiter_is_kept() {
        let mut tally = Tally::default();
        let mut limited = Limited { iterations: 3, converged: false, ..Limited::default() };
        limited.times.add(Stage::Numeric, Duration::from_millis(5));
        tally.accept(1.0, Solved::default(), limited);
        tally.accept(1.0, Solved::default(), limited);
        assert_eq!([tally.limit_iterations, tally.limit_unconverged], [6, 2]);
        assert_eq!(tally.stages.of(Stage::Numeric), Duration::from_millis(10));
    }
}
