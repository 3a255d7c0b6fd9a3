//! A contact while a step is tried.

use glam::DVec3;

use super::group::CREEP;
use super::{Contact, Grip};
use crate::solid::{Placed, Touch};

/// Normals at a smaller angle than this, by its cosine, belong to the same contact.
const SAME: f64 = 0.9;

/// A contact whose particle is farther from the surface than it keeps, by this fraction of the
/// thickness, is over; and by this length \[m\] for solids without any thickness.
const OUT_OF_REACH: (f64, f64) = (0.5, 1e-6);

/// Times that a particle is moved off a surface before it is held again.
const MOST_NUDGES: u32 = 3;

/// A contact and what it asks for in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    pub contact: Contact,
    /// The solid's friction coefficient.
    pub friction_limit: f64,
    /// The distance to keep at the end of the step [m].
    wanted: f64,
    /// The normal at the end of the step.
    pub normal: DVec3,
    /// How far the particle has to move along the normal [m].
    pub rise: f64,
    /// How far the surface under it moves [m].
    pub travel: DVec3,
    /// Coulomb's friction of a sliding particle, over the speed it slides at [N·s/m].
    pub drag: f64,
    /// It pulled and was let go.
    pub released: bool,
    /// It was let go, and needed after all: it stays.
    pub firm: bool,
    /// What moves a particle that was let go to where it must be, leaving its velocity alone [m].
    pub nudge: DVec3,
    nudges: u32,
    /// How many rounds of the step it has held its particle.
    pub rounds: u32,
    /// It slides no more, and sticks from the next step on.
    pub rests: bool,
    /// Whether it adds a direction to those in which its particle is held.
    pub counts: bool,
}

/// What a part of a solid asks of a particle at a corner of what it presses against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lift {
    pub normal: DVec3,
    /// How far the particle has to move along the normal [m].
    pub rise: f64,
    /// How far the part of the solid moves [m].
    pub travel: DVec3,
}

/// How a particle moves in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub mass: f64,
    pub h: f64,
    pub from: DVec3,
    pub velocity: DVec3,
    /// Where it would come without the contact.
    pub to: DVec3,
}

impl Active {
    /// Goes on with a contact of the step before, unless it is over.
    pub fn renewed(contact: &Contact, placed: &Placed, course: &Course) -> Option<Self> {
        let outset = placed.outset(course.from);
        let ahead = match contact.grip {
            Grip::Stick => outset.at,
            Grip::Slide => {
                let way = placed.to.invert(course.to) - outset.at;
                outset.at + way.reject_from_normalized(contact.normal)
            }
        };
        let solid = placed.solid;
        let reach = OUT_OF_REACH.0 * solid.thickness + OUT_OF_REACH.1;
        if placed.gap(&outset) > solid.thickness + reach {
            return None;
        }
        let old = Touch { point: contact.point, normal: contact.normal };
        let new = placed.plane_at(&outset, ahead)?;
        // In a corner the nearest plane may be that of another contact; over an edge the old one
        // has come to its end.
        let other = new.normal.dot(old.normal) <= SAME;
        let plane = if other && placed.has_below(ahead, &old, reach) { old } else { new };
        let mut active = Self::on(plane, placed, course);
        // What hovers comes back as slowly as what is too near comes out. Were it brought back at
        // once, no step would be short enough where something else holds it up.
        active.farther(placed.gap(&outset) - placed.lead);
        active.contact = Contact { grip: contact.grip, force: contact.force, ..active.contact };
        active.contact.particle = contact.particle;
        active.contact.solid = contact.solid;
        if contact.grip == Grip::Slide {
            active.slide_on(course);
        }
        Some(active)
    }

    /// A new contact of a particle whose course meets a solid.
    pub fn new(ids: [u32; 2], touch: Touch, placed: &Placed, course: &Course) -> Self {
        let mut active = Self::on(touch, placed, course);
        [active.contact.particle, active.contact.solid] = ids;
        // What it takes to stop the particle alone tells how it starts.
        let short = active.rise - active.normal.dot(course.to - course.from);
        active.contact.force = course.mass * short.max(0.0) / (course.h * course.h);
        active.start(course);
        active
    }

    /// A contact of a particle whose face or edge has to be lifted off a part of a solid; `before`
    /// is what it was like in the step before.
    pub fn pressed(
        ids: [u32; 2],
        lift: &Lift,
        placed: &Placed,
        (course, before): (&Course, Option<&Contact>),
    ) -> Self {
        let to = placed.to.invert(course.from + lift.normal * lift.rise);
        let normal = placed.to.turn.transpose() * lift.normal;
        let mut active = Self::on(Touch { point: to, normal }, placed, course);
        [active.contact.particle, active.contact.solid] = ids;
        (active.rise, active.travel, active.contact.beside) = (lift.rise, lift.travel, true);
        if let Some(before) = before {
            (active.contact.grip, active.contact.force) = (before.grip, before.force);
            if before.grip == Grip::Slide {
                active.slide_on(course);
            }
            return active;
        }
        let short = active.rise - active.normal.dot(course.to - course.from);
        active.contact.force = course.mass * short.max(0.0) / (course.h * course.h);
        active.start(course);
        active
    }

    fn on(plane: Touch, placed: &Placed, course: &Course) -> Self {
        let outset = placed.outset(course.from);
        let normal = placed.to.turn * plane.normal;
        let surface = placed.to.apply(plane.point) - course.from;
        Self {
            contact: Contact {
                particle: 0,
                solid: 0,
                point: plane.point,
                normal: plane.normal,
                grip: Grip::Stick,
                force: 0.0,
                rub: DVec3::ZERO,
                beside: false,
            },
            friction_limit: placed.solid.friction,
            wanted: outset.wanted,
            normal,
            rise: normal.dot(surface) + outset.wanted,
            travel: placed.travel(&outset),
            drag: 0.0,
            released: false,
            firm: false,
            nudge: DVec3::ZERO,
            nudges: 0,
            rounds: 0,
            rests: false,
            counts: true,
        }
    }

    /// Keeps at least this distance \[m\].
    fn farther(&mut self, least: f64) {
        let more = (least - self.wanted).max(0.0);
        self.wanted += more;
        self.rise += more;
    }

    /// Whether it does anything in this round.
    pub fn matters(&self) -> bool {
        !self.released || self.nudge != DVec3::ZERO
    }

    /// Whether it is between this particle and this solid.
    pub fn is_of(&self, [particle, solid]: [u32; 2]) -> bool {
        (self.contact.particle, self.contact.solid) == (particle, solid)
    }

    /// Whether a plane is this contact's, seen from elsewhere.
    pub fn is_at(&self, touch: &Touch) -> bool {
        self.contact.normal.dot(touch.normal) > SAME
    }

    /// Takes another plane, where the particle is now known to come to, at this velocity \[m/s\].
    pub fn move_to(&mut self, touch: Touch, placed: &Placed, course: &Course, velocity: DVec3) {
        self.contact.point = touch.point;
        self.contact.normal = touch.normal;
        self.normal = placed.to.turn * touch.normal;
        let surface = placed.to.apply(touch.point) - course.from;
        self.rise = self.normal.dot(surface) + self.wanted;
        if !self.released {
            return;
        }
        if self.normal.dot(velocity - self.surface_velocity(course.h)) < 0.0 {
            // It was let go too soon, before all else that pushes the particle was known. Were it
            // only moved, it would lie on the surface and fall all the same.
            self.hold_again();
            return;
        }
        // It leaves the surface and comes too near all the same, round a corner say: that is a
        // matter of its place, not of its velocity. Stiff cloth may not let it be moved so.
        self.nudges += 1;
        self.nudge += self.normal * (self.rise - self.normal.dot(course.to - course.from));
        if self.nudges > MOST_NUDGES {
            self.hold_again();
            self.firm = true;
        }
    }

    fn hold_again(&mut self) {
        (self.released, self.nudge) = (false, DVec3::ZERO);
    }

    /// Begins to stick or to slide, as a particle alone would: what friction stops in this step
    /// sticks.
    fn start(&mut self, course: &Course) {
        let way = course.to - course.from - self.travel;
        let slip = way.reject_from_normalized(self.normal).length() / course.h;
        let limit = self.friction_limit * self.contact.force;
        let left = slip - limit * course.h / course.mass;
        if self.friction_limit == 0.0 || left > 0.0 {
            self.contact.grip = Grip::Slide;
            self.drag = if left > 0.0 { limit / left } else { 0.0 };
        }
    }

    /// Goes on sliding at the speed and with the friction of the step before.
    fn slide_on(&mut self, course: &Course) {
        let slip = course.velocity - self.surface_velocity(course.h);
        let speed = slip.reject_from_normalized(self.normal).length();
        self.drag = self.friction_limit * self.contact.force / speed.max(CREEP);
    }

    /// Asks that the particle comes higher than where it would come to now.
    pub fn raise(&mut self, lift: f64, course: &Course) {
        if self.released {
            self.hold_again();
            self.firm = true;
        }
        self.rise = self.rise.max(self.normal.dot(course.to - course.from) + lift);
    }

    /// What is left of it for the next step.
    pub fn kept(&self) -> Contact {
        let grip = if self.rests { Grip::Stick } else { self.contact.grip };
        Contact { grip, ..self.contact }
    }

    /// The velocity of the surface under the particle \[m/s\].
    pub fn surface_velocity(&self, h: f64) -> DVec3 {
        self.travel / h
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use crate::solid::{Shape, Solid, Surface};

    /// A contact with a floor that was let go, and whose particle sinks in all the same.
    fn sunk(velocity: DVec3) -> Active {
        let floor = Solid::resting(Shape::Plane { drawn: 1.0 }, Pose::IDENTITY);
        let solid = &Solid { thickness: 2e-3, ..floor };
        let (surface, from) = (&Surface::new(&solid.shape), DVec3::Y * 2e-3);
        let placed =
            Placed { solid, surface, from: Pose::IDENTITY, to: Pose::IDENTITY, lead: 1e-3 };
        let touch = Touch { point: DVec3::ZERO, normal: DVec3::Y };
        let to = DVec3::Y * 1.5e-3;
        let course = Course { mass: 1e-3, h: 0.01, from, velocity: DVec3::ZERO, to };
        let mut active = Active::new([0, 0], touch, &placed, &course);
        active.released = true;
        active.move_to(touch, &placed, &course, velocity);
        active
    }

    #[test]
    fn what_was_let_go_and_moves_into_the_surface_is_held_again() {
        let active = sunk(DVec3::Y * -0.05);
        assert!(!active.released);
        assert_eq!(active.nudge, DVec3::ZERO);
    }

    #[test]
    fn what_was_let_go_and_leaves_the_surface_is_only_moved() {
        let active = sunk(DVec3::Y * 0.05);
        assert!(active.released);
        assert!(active.nudge.distance(DVec3::Y * 5e-4) < 1e-15, "{}", active.nudge);
    }
}
