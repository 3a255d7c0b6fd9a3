//! What became of a step: of its linear solves and of its strain limits.

use std::time::Duration;

use crate::step::stage::StageTimes;

/// A step's linear solves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    /// Iterations spent.
    pub iterations: u32,
    /// Solves that did not reach their tolerance.
    pub unconverged: u32,
    /// Iterations of Newton's method.
    pub newton: u32,
    /// One if Newton's method did not reach its tolerance.
    pub newton_unconverged: u32,
    /// Time spent in linear solves.
    pub solving: Duration,
}

impl Solved {
    /// Takes the solves of another round in.
    pub fn add(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.unconverged += other.unconverged;
        self.newton += other.newton;
        self.newton_unconverged += other.newton_unconverged;
        self.solving += other.solving;
    }
}

/// The step cannot be solved; a shorter one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal;

/// What became of the limits in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limited {
    /// Sweeps, or linear solves.
    pub iterations: u32,
    /// Whether every gauge is within its limits, or as near as the limiter means to bring it.
    pub converged: bool,
    /// What solves of its own took.
    pub times: StageTimes,
}

impl Limited {
    /// Another turn: how it ended is what counts.
    pub fn add(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.converged = other.converged;
        self.times += other.times;
    }
}

impl Default for Limited {
    /// There was nothing to do.
    fn default() -> Self {
        Self { iterations: 0, converged: true, times: StageTimes::default() }
    }
}
