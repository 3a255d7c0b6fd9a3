//! What contacts do in a solve: stiff springs along their normals, Coulomb's friction across, and what
//! is foretold of both before the first solve of a step.

use glam::DVec3;

use crate::contact::{ContactRow, Slide};

/// The stiffness of a contact over the mass that it moves [1/s²], so that what meets turns round within
/// half a millisecond or so; of a particle of mean mass it is at least this, for small cloth, which is
/// thin [N/m]. And how much of it sticking has.
const STIFFNESS: f64 = 3.2e6;
const LEAST_STIFFNESS: f64 = 250.0;
const STICKING: f64 = 0.5;
/// Contacts that start nearer than half of what they keep are stiffer, up to the square of this.
const MOST_TIGHT: f64 = 50.0;
/// Contacts are held for a solve within this share of what they keep.
const HOLD: f64 = 0.1;
/// What contacts are measured by.
pub(super) struct Scale {
    /// Stiffness for a unit of mass [1/s²].
    stiffness: f64,
    /// One over the square of the step [1/s²].
    pub per: f64,
}

/// What a contact does in a solve.
pub(super) struct Answer {
    /// On its first point [N].
    pub force: DVec3,
    /// Stiffness along the normal and across [N/m].
    pub along: f64,
    pub across: f64,
    pub slides: Option<Slide>,
}

impl Answer {
    /// With the particles at `places`; in a first solve, how far apart the points are `predicted` to come.
    pub fn of(row: &ContactRow, places: &[DVec3], scale: &Scale, predicted: Option<DVec3>) -> Self {
        let stiffness = scale.stiffness_of(row);
        let apart = row.between(places);
        let short = row.offset - row.normal.dot(apart);
        let pushes = if predicted.is_some() { row.pushes } else { short > 0.0 };
        let along = if pushes { stiffness } else { 0.0 };
        let force = row.normal * (along * short);
        let most = row.friction * row.expected * scale.per;
        if most <= 0.0 {
            return Self { force, along, across: 0.0, slides: None };
        }
        let across = STICKING * stiffness;
        let wanted = |slip: DVec3| row.tangential_impulse * scale.per - slip * across;
        match row.sticks {
            true => {
                let force = force + wanted(slip_of(row, apart));
                Self { force, along, across, slides: None }
            }
            // Sliding friction has no stiffness: its secant would take a third of it away.
            false => {
                // Nor does it turn from solve to solve.
                let known = row.slides.filter(|_| predicted.is_none());
                let slide = known.unwrap_or_else(|| {
                    let slip = slip_of(row, predicted.unwrap_or(apart));
                    Slide { force: wanted(slip).normalize_or_zero() * most, slip }
                });
                Self { force: force + slide.force, along, across: 0.0, slides: Some(slide) }
            }
        }
    }
}

impl Slide {
    /// The force that is known of it where the slip ends up like this: where it has turned round, as much
    /// as would have stopped it.
    pub(super) fn as_far_as_it_brakes(&self, end: DVec3) -> DVec3 {
        let (before, after) = (self.force.dot(self.slip), self.force.dot(end));
        match after > 0.0 {
            true => self.force * (before.min(0.0) / (before.min(0.0) - after)),
            false => self.force,
        }
    }
}

/// How far the points of a contact have slipped, in a step that brings them so far apart [m].
pub(super) fn slip_of(row: &ContactRow, apart: DVec3) -> DVec3 {
    (apart - row.start).reject_from_normalized(row.normal)
}

impl Scale {
    /// Of cloth with particles of this mass on average [kg], in a step of this length [s].
    pub fn new(mean_mass: f64, h: f64) -> Self {
        let stiffness = STIFFNESS.max(LEAST_STIFFNESS / mean_mass);
        Self { stiffness, per: 1.0 / (h * h) }
    }

    /// The stiffness of a contact [N/m].
    fn stiffness_of(&self, row: &ContactRow) -> f64 {
        let tight = (0.5 * row.kept / row.room.max(1e-6)).clamp(1.0, MOST_TIGHT);
        self.stiffness * row.inverse * tight * tight
    }
}

/// Whether a contact is taken to push in the first solve of a step, whose points `free` motion would bring so
/// far apart.
///
/// One that pushed in the step before stays even if the prediction leaves it, or else contacts would come
/// and go from step to step. One that did not, and as a `guess` by that step would have to pull, does not.
pub(super) fn is_thought_to_push(row: &ContactRow, (free, guess): (DVec3, Option<DVec3>)) -> bool {
    let gap = |apart: DVec3| row.normal.dot(apart) - row.offset;
    match row.normal_impulse > 0.0 {
        true => gap(free) < HOLD * row.kept,
        false => gap(free) < 0.0 && guess.is_none_or(|apart| gap(apart) < 0.0),
    }
}

/// Foretells what friction is taken from, and whether a particle sticks.
///
/// With what became of the step before as a `guess`, the impulses of that step act on the
/// way to it already: they grow by what would keep the particle from coming nearer, and from slipping.
/// Without, it is free motion.
pub(super) fn foretell(row: &mut ContactRow, (free, guess): (DVec3, Option<DVec3>), scale: &Scale) {
    let stiffness = scale.stiffness_of(row) / scale.per;
    let (apart, known) = (guess.unwrap_or(free), row.normal_impulse);
    let before = guess.map_or(DVec3::ZERO, |_| row.tangential_impulse);
    let needed = before - slip_of(row, apart) * row.inverse;
    row.expected = match guess.is_some() || known == 0.0 {
        true => {
            // What pushes has given way already.
            let short = row.offset - row.normal.dot(apart) - known / stiffness;
            (known + short * stops(row, stiffness)).max(0.0)
        }
        false => known,
    };
    row.sticks = needed.length() <= row.friction * row.expected;
}

/// The same where particles are in many contacts at once, and none of them knows its share. There friction
/// is taken from the push of the step before, so that in the end it has had its part of every push; and as
/// long as forces stay what they were, particles go on as they move.
pub(super) fn foretell_of_many(
    row: &mut ContactRow,
    coasting: impl Fn(u32) -> DVec3,
    scale: &Scale,
) {
    let stiffness = scale.stiffness_of(row) / scale.per;
    let corners = row.particles.iter().zip(row.weights);
    let apart = corners.map(|(&i, weight)| coasting(i) * weight).sum();
    let needed = row.tangential_impulse - slip_of(row, apart) * stops(row, STICKING * stiffness);
    row.expected = row.normal_impulse;
    row.sticks = needed.length() <= row.friction * row.expected;
}

/// What stops the masses of a contact over a unit of distance, through such a stiffness [kg].
fn stops(row: &ContactRow, stiffness: f64) -> f64 {
    row.inverse * stiffness / (stiffness + row.inverse)
}
