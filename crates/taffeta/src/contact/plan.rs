//! What all that touches one particle prescribes together: one (S, z, y).

use glam::DVec3;
use taffeta_linalg::{Filter, HeldDirections};

use crate::constraint::Constraint;
use crate::solid::SLACK;

/// Velocity and displacement of a particle along the directions in which it is held.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    held: HeldDirections,
    velocity: DVec3,
    shift: DVec3,
}

/// What a surface asks of a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// Of unit length.
    pub normal: DVec3,
    /// Velocity along it [m/s].
    pub velocity: f64,
    /// Displacement along it [m].
    pub rise: f64,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    /// The particle is held along a further direction.
    Held,
    /// It will be where it is asked to be anyway.
    Spare,
    /// It cannot: it will be short by so much \[m\].
    Short(f64),
}

impl Plan {
    /// Starts from what a pin prescribes.
    pub fn pinned(pin: &Constraint, velocity: DVec3, h: f64) -> Self {
        let velocity = pin.filter.held_part(velocity + pin.velocity_change);
        let held = HeldDirections::of(&pin.filter);
        Self { held, velocity, shift: velocity * h + pin.correction }
    }

    /// Takes one more surface in. Surfaces come in their order and never undo what is planned.
    pub fn ask(&mut self, ask: Ask) -> Answer {
        let (velocity, rise) = (ask.normal.dot(self.velocity), ask.normal.dot(self.shift));
        if let Some(new) = self.held.add(ask.normal) {
            let share = new.dot(ask.normal);
            self.velocity += new * ((ask.velocity - velocity) / share);
            self.shift += new * ((ask.rise - rise) / share);
            return Answer::Held;
        }
        let short = ask.rise - rise;
        if short <= SLACK { Answer::Spare } else { Answer::Short(short) }
    }

    /// Moves the particle without regard to what is planned: between solids that leave no room.
    pub fn give_way(&mut self, way: DVec3) {
        self.shift += way;
    }

    /// The constraint of a particle with this velocity; one that sticks moves by `carried` along
    /// the directions that are still free.
    pub fn constraint(
        &self,
        particle: u32,
        velocity: DVec3,
        carried: Option<DVec3>,
        h: f64,
    ) -> Constraint {
        let free = self.held.filter();
        let (filter, along) = match carried {
            Some(carried) => (Filter::HELD, free.free_part(carried)),
            None => (free, DVec3::ZERO),
        };
        let wanted = self.velocity + along / h;
        Constraint {
            particle,
            filter,
            velocity_change: filter.held_part(wanted - velocity),
            correction: filter.held_part(self.shift + along - wanted * h),
        }
    }
}

/// How strongly each of up to three normals pushes, if together they make a force.
pub(super) fn shares(normals: &[DVec3], force: DVec3) -> [f64; 3] {
    match normals {
        [] => [0.0; 3],
        [n] => [n.dot(force), 0.0, 0.0],
        [n, m] => {
            let (overlap, a, b) = (n.dot(*m), n.dot(force), m.dot(force));
            let scale = 1.0 / (1.0 - overlap * overlap);
            [(a - overlap * b) * scale, (b - overlap * a) * scale, 0.0]
        }
        [n, m, k, ..] => {
            let matrix = glam::DMat3::from_cols(*n, *m, *k);
            (matrix.inverse() * force).to_array()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 0.01;

    #[test]
    fn every_surface_gets_what_it_asks_for() {
        let normals = [DVec3::Y, DVec3::new(0.6, 0.8, 0.0), DVec3::new(0.0, 0.6, -0.8)];
        let asks = [0, 1, 2].map(|i: usize| Ask {
            normal: normals[i],
            velocity: 0.1 + i as f64,
            rise: 0.02 - 0.01 * i as f64,
        });
        let start = DVec3::new(1.0, -2.0, 0.5);
        let mut plan = Plan::default();
        for count in 1..=3 {
            assert_eq!(plan.ask(asks[count - 1]), Answer::Held);
            let c = plan.constraint(7, start, None, H);
            let velocity = start + c.velocity_change;
            for ask in &asks[..count] {
                assert!((velocity.dot(ask.normal) - ask.velocity).abs() < 1e-12);
                let shift = velocity * H + c.correction;
                assert!((shift.dot(ask.normal) - ask.rise).abs() < 1e-12);
            }
            assert!(c.filter.free_part(c.velocity_change).length() < 1e-14);
            assert!(c.filter.free_part(c.correction).length() < 1e-14);
        }
    }

    #[test]
    fn what_sticks_is_carried_along() {
        let mut plan = Plan::default();
        plan.ask(Ask { normal: DVec3::Y, velocity: 0.3, rise: 0.005 });
        let carried = DVec3::new(0.02, 0.003, -0.01);
        let c = plan.constraint(0, DVec3::ONE, Some(carried), H);
        let velocity = DVec3::ONE + c.velocity_change;
        assert!((velocity - DVec3::new(2.0, 0.3, -1.0)).length() < 1e-12);
        assert!((velocity * H + c.correction - carried.with_y(0.005)).length() < 1e-12);
    }

    #[test]
    fn opposite_surfaces_agree_or_are_short() {
        let ask = |normal, rise| Ask { normal, velocity: 0.0, rise };
        let mut plan = Plan::default();
        assert_eq!(plan.ask(ask(DVec3::Y, 0.01)), Answer::Held);
        assert_eq!(plan.ask(ask(DVec3::NEG_Y, -0.02)), Answer::Spare);
        let short = plan.ask(ask(DVec3::NEG_Y, 0.02));
        assert!(matches!(short, Answer::Short(by) if (by - 0.03).abs() < 1e-15), "{short:?}");
    }

    #[test]
    fn forces_are_shared_among_normals() {
        let normals = [DVec3::Y, DVec3::new(0.6, 0.8, 0.0), DVec3::new(0.0, 0.6, -0.8)];
        let truth = [0.7, 1.1, -0.4];
        for count in 1..=3 {
            let pushes = normals.iter().zip(truth).take(count);
            let force = pushes.map(|(n, push)| *n * push).sum();
            let found = shares(&normals[..count], force);
            for i in 0..count {
                assert!((found[i] - truth[i]).abs() < 1e-12, "{found:?}");
            }
        }
    }
}
