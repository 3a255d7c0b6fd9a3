//! The phases of a step, by name, and the time each takes.

use std::time::{Duration, Instant};

/// A phase of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Pins take hold, move and let go.
    Script,
    /// Gravity and air.
    Forces,
    /// Pins and contacts become what each particle may still do.
    Constrain,
    /// Candidate velocities and positions, but for the solving of linear systems.
    Integrate,
    /// The solving of linear systems: a part of the phase before, timed apart.
    Solve,
    /// Candidate velocities within the strain limits.
    Limit,
    /// Contacts with solids are found, released, stick and slide; what cloth is near itself, and
    /// what will meet.
    Detect,
    /// Impulses that keep cloth apart from itself.
    Respond,
    /// Is the step good?
    Judge,
    /// The trial becomes the state.
    Commit,
    /// Yarns that bear too much tear, and the weave loosens.
    Tear,
}

impl Phase {
    /// Every phase, in the order of the step.
    pub const ALL: [Self; 11] = [
        Self::Script,
        Self::Forces,
        Self::Constrain,
        Self::Integrate,
        Self::Solve,
        Self::Limit,
        Self::Detect,
        Self::Respond,
        Self::Judge,
        Self::Commit,
        Self::Tear,
    ];

    /// The phase's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Forces => "forces",
            Self::Constrain => "constrain",
            Self::Integrate => "integrate",
            Self::Solve => "solve",
            Self::Limit => "limit",
            Self::Detect => "detect",
            Self::Respond => "respond",
            Self::Judge => "judge",
            Self::Commit => "commit",
            Self::Tear => "tear",
        }
    }
}

/// Time spent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseTimes([Duration; Phase::ALL.len()]);

impl PhaseTimes {
    /// Time spent in one phase.
    pub fn of(&self, phase: Phase) -> Duration {
        self.0[phase as usize]
    }

    /// Time spent in all phases.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Charges the time since `clock` to a phase, and restarts the clock.
    pub(crate) fn charge(&mut self, phase: Phase, clock: &mut Instant) {
        let now = Instant::now();
        self.0[phase as usize] += now - *clock;
        *clock = now;
    }
}
