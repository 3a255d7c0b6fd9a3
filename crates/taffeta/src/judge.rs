//! Is a step good? BW98 §7: look at the change of stretch, and discard the step if it is drastic.

use taffeta_linalg::fill;

use crate::elements::Spring;
use crate::state::State;

/// Structural springs judged as one piece of work.
const BLOCK: usize = 2048;

/// The spring that changed most in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// Change of length over rest length; infinite if a position is not finite.
    pub stretch: f64,
    /// The spring.
    pub spring: usize,
}

/// Finds the largest change of stretch, block by block, without allocating.
#[derive(Debug)]
pub(crate) struct Judge {
    blocks: Vec<Change>,
}

impl Judge {
    pub fn new(springs: usize) -> Self {
        let none = Change { stretch: 0.0, spring: 0 };
        Self { blocks: vec![none; springs.div_ceil(BLOCK)] }
    }

    /// The largest change of stretch from one state to another.
    ///
    /// Every particle of a mesh has a structural spring, so a position that is not finite shows
    /// up here as an infinite change.
    pub fn largest_change(&mut self, springs: &[Spring], from: &State, to: &State) -> Change {
        let change = |spring: &Spring| {
            let [a, b] = spring.ends.map(|end| end as usize);
            let before = (from.positions[b] - from.positions[a]).length_squared();
            let after = (to.positions[b] - to.positions[a]).length_squared();
            // (l'² − l²)/2l₀² is the change over l₀ for springs near their rest length, and
            // needs no square root.
            let stretch = (after - before).abs() / (2.0 * spring.rest_length * spring.rest_length);
            if stretch.is_nan() { f64::INFINITY } else { stretch }
        };
        fill(&mut self.blocks, 1, |block| {
            let first = block * BLOCK;
            let last = springs.len().min(first + BLOCK);
            largest((first..last).map(|s| Change { stretch: change(&springs[s]), spring: s }))
        });
        largest(self.blocks.iter().copied())
    }
}

/// The largest change; of equals, the first.
fn largest(changes: impl Iterator<Item = Change>) -> Change {
    let none = Change { stretch: 0.0, spring: 0 };
    changes.fold(none, |most, next| if next.stretch > most.stretch { next } else { most })
}
