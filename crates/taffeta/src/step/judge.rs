//! Is a step good? BW98 §7: look at the change of stretch, and discard the step if it is drastic.

use taffeta_linalg::fill;

use crate::geometry::detection::Pair;
use crate::matter::gauge::Gauge;
use crate::setup::piece::Piece;
use crate::state::State;
use crate::state::touch::Pinch;

/// Gauges judged as one, and how many times as many repay a hand-over to another thread.
const BLOCK: usize = 1024;
const GRAIN_BLOCKS: usize = 4;

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
    /// Something touches particles that follow others.
    TooCoarse,
}

impl From<Pinch> for Verdict {
    fn from(Pinch { particle, solid }: Pinch) -> Self {
        Self::Blocked { particle, solid }
    }
}

/// The most that the air may slow cloth down in an explicit step, as a fraction of its velocity:
/// what the springs leave of stability at nine tenths of their own limit.
const MOST_DRAG: f64 = 0.25;

/// Finds the largest change of stretch, block by block, without allocating.
#[derive(Debug)]
pub(crate) struct Judge {
    blocks: Vec<Change>,
    /// Whether all gauges of a block are near their rest length.
    near: Vec<bool>,
}

impl Judge {
    pub fn new(gauges: usize) -> Self {
        let none = Change { stretch: 0.0, gauge: 0 };
        let blocks = gauges.div_ceil(BLOCK);
        Self { blocks: vec![none; blocks], near: vec![true; blocks] }
    }

    /// Judges a step from one state to another, in which the air slows cloth down by `drag`.
    pub fn verdict(&mut self, piece: &Piece, states: [&State; 2], drag: f64) -> Verdict {
        let Piece { setup, model, .. } = piece;
        let limit = setup.step.max_stretch_change;
        let change = match setup.is_moved_by_strips() {
            true if drag <= MOST_DRAG && self.all_near_rest(piece, states[1]) => {
                return Verdict::Good;
            }
            true => self.largest_growth(model.gauges(), states, limit),
            false => self.largest_change(piece, states, limit),
        };
        if change.stretch > limit {
            Verdict::Stretch(change)
        } else if drag > MOST_DRAG {
            Verdict::Drag
        } else {
            self.judge_limits(piece, states[1])
        }
    }

    /// Whether the strain limits are kept.
    fn judge_limits(&mut self, piece: &Piece, state: &State) -> Verdict {
        let Piece { setup, model, .. } = piece;
        let (Some(limits), gauges) = (setup.limits, model.gauges()) else {
            return Verdict::Good;
        };
        // Most gauges are within by their square, and need no root.
        let most = (1.0 + limits.extension).powi(2);
        let least = limits.compression.map_or(0.0, |limit| (1.0 - limit).powi(2));
        let excess = |gauge: &Gauge| {
            let vector = gauge.vector(&state.positions);
            match (least..=most).contains(&vector.length_squared()) {
                true => 0.0,
                false => limits.excess(vector.length() - 1.0),
            }
        };
        let own = |g: usize| {
            let limits = setup.limits_at(g).unwrap_or(limits);
            limits.excess(gauges[g].strain(&state.positions)).max(0.0)
        };
        let worst = match setup.of_cloths.is_empty() {
            true => self.largest(gauges, excess),
            false => self.largest_of(gauges.len(), own),
        };
        if worst.stretch > 0.0 { Verdict::OverLimit(worst) } else { Verdict::Good }
    }

    /// Whether every edge is so near its rest length that it is within every limit.
    fn all_near_rest(&mut self, piece: &Piece, state: &State) -> bool {
        let Piece { setup, model, .. } = piece;
        let all = setup.of_cloths.iter().map(|own| own.limits).chain(setup.limits);
        let limits = all.flat_map(|l| [l.extension, l.compression.unwrap_or(1.0)]);
        let near = limits.fold(setup.step.max_stretch_change, f64::min);
        // |l − 1| ≤ |l² − 1|: no gauge needs a root.
        let is_near =
            |gauge: &Gauge| (gauge.vector(&state.positions).length_squared() - 1.0).abs() <= near;
        let gauges = model.gauges();
        fill(&mut self.near, GRAIN_BLOCKS, |block| {
            gauges[block * BLOCK..gauges.len().min((block + 1) * BLOCK)].iter().all(is_near)
        });
        self.near.iter().all(|&near| near)
    }

    /// The most that an edge went away from its rest length. Where strips keep the edges, a step
    /// that brings them back is good, however far that is, and a shorter one would do the same.
    fn largest_growth(&mut self, gauges: &[Gauge], [from, to]: [&State; 2], limit: f64) -> Change {
        let away = |squared: f64| (squared.sqrt() - 1.0).abs();
        // |l − 1| ≤ |l² − 1|, so few gauges need a root.
        let growth = |gauge: &Gauge| {
            let after = gauge.vector(&to.positions).length_squared();
            if (after - 1.0).abs() <= limit {
                return 0.0;
            }
            let growth = away(after) - away(gauge.vector(&from.positions).length_squared());
            if growth.is_nan() { f64::INFINITY } else { growth }
        };
        self.largest(gauges, growth)
    }

    /// The largest change of stretch from one state to another.
    ///
    /// Every particle of a mesh is at a gauge, so a position that is not finite shows up here as
    /// an infinite change.
    /// Changes up to `limit` may be told as zero.
    fn largest_change(&mut self, piece: &Piece, [from, to]: [&State; 2], limit: f64) -> Change {
        let impacts = piece.setup.self_contact.is_some();
        let change = |gauge: &Gauge| {
            let before = gauge.vector(&from.positions).length_squared();
            let after = gauge.vector(&to.positions).length_squared();
            // |l'² − l²| = |l' − l|·(l' + l) is at least |l' − l|², so most gauges need no root.
            if (after - before).abs() <= limit * limit {
                return 0.0;
            }
            let (before, after) = (before.sqrt() - 1.0, after.sqrt() - 1.0);
            let stretch = if impacts { away(before, after) } else { (after - before).abs() };
            if stretch.is_nan() { f64::INFINITY } else { stretch }
        };
        self.largest(piece.model.gauges(), change)
    }

    /// The largest of a measure of all gauges.
    fn largest(&mut self, gauges: &[Gauge], measure: impl Fn(&Gauge) -> f64 + Sync) -> Change {
        self.largest_of(gauges.len(), |g| measure(&gauges[g]))
    }

    /// The largest of a measure of all gauges, by their numbers.
    fn largest_of(&mut self, gauges: usize, measure: impl Fn(usize) -> f64 + Sync) -> Change {
        fill(&mut self.blocks, GRAIN_BLOCKS, |block| {
            let first = block * BLOCK;
            let last = gauges.min(first + BLOCK);
            largest((first..last).map(|g| Change { stretch: measure(g), gauge: g }))
        });
        largest(self.blocks.iter().copied())
    }
}

/// How much of a change of strain leads away from rest.
///
/// Impulses of cloth that meets itself may stretch or squeeze it in one step. That it springs back
/// in the next is no sign of an unstable step, and a shorter one would do the same; what springs
/// back through rest counts by how far it comes on the other side.
fn away(before: f64, after: f64) -> f64 {
    let held = if before * after > 0.0 { before.abs() } else { 0.0 };
    after.abs() - held
}

/// The largest change; of equals, the first.
fn largest(changes: impl Iterator<Item = Change>) -> Change {
    let none = Change { stretch: 0.0, gauge: 0 };
    changes.fold(none, |most, next| if next.stretch > most.stretch { next } else { most })
}
