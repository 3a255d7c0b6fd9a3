//! Stages of solving a sparse system (Ye08 Table 1), and the time they take.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// A stage of solving a sparse system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finding an order of elimination; once for a pattern.
    Ordering,
    /// Filling in the matrix.
    Assembly,
    /// Finding the pattern of the factor; once for a pattern.
    Symbolic,
    /// Computing the factor, which begins with permuting the matrix.
    Numeric,
    /// Solving with the factor, or iterating.
    Solve,
}

impl Stage {
    /// Every stage, in the order of the table.
    pub const ALL: [Self; 5] =
        [Self::Ordering, Self::Assembly, Self::Symbolic, Self::Numeric, Self::Solve];

    /// The stage's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ordering => "ordering",
            Self::Assembly => "assembly",
            Self::Symbolic => "symbolic",
            Self::Numeric => "numeric",
            Self::Solve => "solve",
        }
    }
}

/// Time spent in each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; Stage::ALL.len()]);

impl StageTimes {
    /// Time spent in one stage.
    pub fn of(&self, stage: Stage) -> Duration {
        self.0[stage as usize]
    }

    /// Time spent in all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    pub(crate) fn add(&mut self, stage: Stage, time: Duration) {
        self.0[stage as usize] += time;
    }

    /// Charges the time since `clock` to a stage, and restarts the clock.
    pub(crate) fn charge(&mut self, stage: Stage, clock: &mut Instant) {
        let now = Instant::now();
        self.add(stage, now - *clock);
        *clock = now;
    }
}

impl AddAssign for StageTimes {
    fn add_assign(&mut self, other: Self) {
        for (time, more) in self.0.iter_mut().zip(other.0) {
            *time += more;
        }
    }
}
