//! What each gauge asks of the impulses.

use glam::DVec3;

use crate::setup::limits::LimitSide;
use crate::solvers::limiters::LimitStep;
use crate::solvers::limiters::preview::Preview;
use crate::state::State;

/// The row of a gauge in the system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImpulseRow {
    /// Unit direction of the gauge; zero if it has none or takes no part.
    pub direction: DVec3,
    /// By how much its strain should grow less [1/s].
    pub slower: f64,
    /// The limit it is held at, if it may only pull or only push.
    pub side: Option<LimitSide>,
}

/// The paper's row (Ye08 §4, eq. 5): directions and lengths of the start of the step.
///
/// The strain's rate should become z/h, with z what brings a strain that is over its limit back
/// to it; zero if it would leave the limits within this step; and no change otherwise.
pub(super) fn paper(
    step: &LimitStep,
    preview: &Preview,
    candidate: &State,
    index: usize,
) -> ImpulseRow {
    let gauge = &step.model.gauges[index];
    let vector = gauge.vector(&step.state.positions);
    let length = vector.length();
    if length == 0.0 {
        return ImpulseRow::default();
    }
    let direction = vector / length;
    let rate = gauge.vector(&candidate.velocities).dot(direction);
    let (now, predicted) = (length - 1.0, gauge.strain(&preview.places));
    let slower = if step.limits.excess(now) > 0.0 {
        let back = (step.limits.excess(now) - preview.allowance[index]).max(0.0);
        rate + back.copysign(now) / step.h
    } else if step.limits.excess(predicted) > 0.0 {
        rate
    } else {
        0.0
    };
    ImpulseRow { direction, slower, side: None }
}

/// The refined row: at the previewed places, a gauge that is over its limit or pulls already is
/// brought to the limit; the others take no part, for a string within its limit is slack.
pub(super) fn refined(step: &LimitStep, preview: &Preview, pull: f64, gauge: usize) -> ImpulseRow {
    let aim = step.limits.aim();
    let vector = step.model.gauges[gauge].vector(&preview.places);
    let length = vector.length();
    match aim.side(length - 1.0, pull) {
        Some(side) if length > 0.0 => ImpulseRow {
            direction: vector / length,
            slower: preview.too_long(&aim, side, gauge, length - 1.0) / step.h,
            side: Some(side),
        },
        _ => ImpulseRow::default(),
    }
}

/// The refined row of the first solve of a step: a gauge that pulled in the step before will pull
/// again, if its tension would bring it back farther than it is within its limit now. Guessed
/// right, one solve is enough.
pub(super) fn expected(step: &LimitStep, preview: &Preview, index: usize) -> ImpulseRow {
    let (gauge, tension) = (&step.model.gauges[index], step.state.tensions[index]);
    let row = refined(step, preview, tension, index);
    let pull = tension * step.model.gauge_areas[index] * step.h;
    let slowed = pull * preview.inverse_mass(gauge, row.direction, &step.model.masses);
    let taut = match row.side {
        Some(LimitSide::Extension) => row.slower + slowed > 0.0,
        Some(LimitSide::Compression) => row.slower + slowed < 0.0,
        None => false,
    };
    if taut { row } else { ImpulseRow::default() }
}
