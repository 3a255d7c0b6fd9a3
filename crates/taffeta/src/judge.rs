//! Is a step good? BW98 §7: look at the change of stretch, and discard the step if it is drastic.

use taffeta_linalg::fill;

use crate::collision::Pair;
use crate::gauge::Gauge;
use crate::setup::Setup;
use crate::state::State;

/// Gauges judged as one piece of work.
const BLOCK: usize = 2048;

/// The gauge that changed most in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// Change of length over rest length; infinite if a position is not finite.
    pub stretch: f64,
    /// The gauge.
    pub gauge: usize,
}

/// What becomes of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Good,
    /// A gauge changed drastically.
    Stretch(Change),
    /// The air would turn the cloth around within the step.
    Drag,
    /// The integrator could not solve it.
    Unsolved,
    /// A gauge is over its limit by this much.
    OverLimit(Change),
    /// A particle would be inside a solid.
    Blocked {
        particle: u32,
        solid: u32,
    },
    /// Contact could not keep these apart.
    Contact(Pair),
}

/// The most that the air may slow cloth down in an explicit step, as a fraction of its velocity:
/// what the springs leave of stability at nine tenths of their own limit.
const MOST_DRAG: f64 = 0.25;

/// Finds the largest change of stretch, block by block, without allocating.
#[derive(Debug)]
pub(crate) struct Judge {
    blocks: Vec<Change>,
}

impl Judge {
    pub fn new(gauges: usize) -> Self {
        let none = Change { stretch: 0.0, gauge: 0 };
        Self { blocks: vec![none; gauges.div_ceil(BLOCK)] }
    }

    /// Judges a step from one state to another, in which the air slows cloth down by `drag`.
    pub fn verdict(&mut self, setup: &Setup, states: [&State; 2], drag: f64) -> Verdict {
        let limit = setup.step.max_stretch_change;
        let change = self.largest_change(setup.model.gauges(), states, limit);
        if change.stretch > limit {
            Verdict::Stretch(change)
        } else if drag > MOST_DRAG {
            Verdict::Drag
        } else {
            self.judge_limits(setup, states[1])
        }
    }

    /// Whether the strain limits are kept.
    fn judge_limits(&mut self, setup: &Setup, state: &State) -> Verdict {
        let (Some(limits), gauges) = (setup.limits, setup.model.gauges()) else {
            return Verdict::Good;
        };
        fill(&mut self.blocks, 1, |block| {
            let first = block * BLOCK;
            let last = gauges.len().min(first + BLOCK);
            let excess = |gauge: usize| limits.excess(gauges[gauge].strain(&state.positions));
            largest((first..last).map(|g| Change { stretch: excess(g), gauge: g }))
        });
        let worst = largest(self.blocks.iter().copied());
        if worst.stretch > 0.0 { Verdict::OverLimit(worst) } else { Verdict::Good }
    }

    /// The largest change of stretch from one state to another.
    ///
    /// Every particle of a mesh is at a gauge, so a position that is not finite shows up here as
    /// an infinite change.
    /// Changes up to `limit` may be told as zero.
    fn largest_change(&mut self, gauges: &[Gauge], [from, to]: [&State; 2], limit: f64) -> Change {
        let change = |gauge: &Gauge| {
            let before = gauge.vector(&from.positions).length_squared();
            let after = gauge.vector(&to.positions).length_squared();
            let squares = (after - before).abs();
            // |l'² − l²| = |l' − l|·(l' + l) is at least |l' − l|², so most gauges need no root.
            if squares <= limit * limit {
                return 0.0;
            }
            let stretch = squares / (after.sqrt() + before.sqrt());
            if stretch.is_nan() { f64::INFINITY } else { stretch }
        };
        fill(&mut self.blocks, 1, |block| {
            let first = block * BLOCK;
            let last = gauges.len().min(first + BLOCK);
            largest((first..last).map(|g| Change { stretch: change(&gauges[g]), gauge: g }))
        });
        largest(self.blocks.iter().copied())
    }
}

/// The largest change; of equals, the first.
fn largest(changes: impl Iterator<Item = Change>) -> Change {
    let none = Change { stretch: 0.0, gauge: 0 };
    changes.fold(none, |most, next| if next.stretch > most.stretch { next } else { most })
}
