//! Rigid impact zones (Provot 1997, Bridson et al. 2002 §7.3): particles that impulses cannot keep
//! apart move on as one body.
//!
//! The body's velocities are c + ω × r with the momentum the particles had. Followed in a straight
//! line, as all motion is within a step, such a field never brings two points nearer to each
//! other: |(1 + t[ω])r|² = |r|² + t²|ω × r|². So there is no rotation to compute exactly.

use glam::{DMat3, DVec3};

use super::finder::Hit;
use super::moving::Moving;
use crate::collision::surface::top;

/// How much heavier than itself a particle counts along its held directions: its pin decides.
const HELD: f64 = 1e9;

/// Groups of particles that move as bodies.
#[derive(Debug)]
pub(crate) struct Zones {
    /// For every particle one of its group, or itself; see [`top`].
    above: Vec<u32>,
    /// The particles in zones, sorted by zone.
    members: Vec<(u32, u32)>,
    /// Particles that are in a zone.
    joined: Vec<u32>,
}

impl Zones {
    pub fn new(particles: usize) -> Self {
        Self { above: (0..particles as u32).collect(), members: Vec::new(), joined: Vec::new() }
    }

    /// Dissolves all zones.
    pub fn clear(&mut self) {
        self.joined.iter().for_each(|&particle| self.above[particle as usize] = particle);
        self.joined.clear();
    }

    /// Joins the particles, and the zones, of every pair that meets.
    pub fn join(&mut self, hits: &[Hit]) {
        for hit in hits {
            let [first, others @ ..] = hit.pair.particles;
            self.joined.extend(hit.pair.particles);
            for other in others {
                let (a, b) = (top(&mut self.above, first), top(&mut self.above, other));
                self.above[a.max(b) as usize] = a.min(b);
            }
        }
        self.joined.sort_unstable();
        self.joined.dedup();
    }

    /// Gives every zone the velocities of one body; returns how many zones there are.
    pub fn stiffen(&mut self, moving: &mut Moving) -> u32 {
        self.members.clear();
        for k in 0..self.joined.len() {
            let particle = self.joined[k];
            self.members.push((top(&mut self.above, particle), particle));
        }
        self.members.sort_unstable();
        let mut zones = 0;
        for zone in self.members.chunk_by(|a, b| a.0 == b.0) {
            stiffen(zone, moving);
            zones += 1;
        }
        zones
    }
}

/// Gives the particles of a zone the velocities of a body that has their momentum, as far as pins
/// allow; a zone on a line keeps its own.
fn stiffen(zone: &[(u32, u32)], moving: &mut Moving) {
    let mass = |i: u32| moving.masses[i as usize];
    let total: f64 = zone.iter().map(|&(_, i)| mass(i)).sum();
    let at = |i: u32| moving.starts[i as usize];
    let centre = zone.iter().map(|&(_, i)| at(i) * mass(i)).sum::<DVec3>() / total;
    let mut system = Body::default();
    for &(_, particle) in zone {
        let weight = match moving.filter(particle) {
            None => DMat3::from_diagonal(DVec3::splat(mass(particle))),
            Some(filter) => {
                let held = DMat3::IDENTITY - filter.matrix();
                (filter.matrix() + held * HELD) * mass(particle)
            }
        };
        system.add(weight, at(particle) - centre, moving.velocities[particle as usize]);
    }
    let Some((velocity, turning)) = system.solve() else { return };
    for &(_, particle) in zone {
        let rigid = velocity + turning.cross(moving.starts[particle as usize] - centre);
        let now = moving.velocities[particle as usize];
        let next = match moving.filter(particle) {
            None => rigid,
            Some(filter) => filter.free_part(rigid) + filter.held_part(now),
        };
        moving.set_velocity(particle, next);
    }
}

/// The motion of a body closest to those of its particles: six equations in c and ω.
#[derive(Default)]
struct Body {
    matrix: [[f64; 6]; 6],
    right: [f64; 6],
}

impl Body {
    /// Takes in a particle at the end of an arm: minimises |v − c − ω × arm|², so weighted.
    fn add(&mut self, weight: DMat3, arm: DVec3, velocity: DVec3) {
        // The velocity of unit values of each unknown.
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let fields: [DVec3; 6] =
            std::array::from_fn(|k| if k < 3 { axes[k] } else { axes[k - 3].cross(arm) });
        for row in 0..6 {
            let weighted = weight * fields[row];
            self.right[row] += weighted.dot(velocity);
            for (entry, field) in self.matrix[row].iter_mut().zip(&fields) {
                *entry += weighted.dot(*field);
            }
        }
    }

    /// Gaussian elimination; nothing if the particles are on a line.
    fn solve(mut self) -> Option<(DVec3, DVec3)> {
        for pivot in 0..6 {
            let scale = (0..6).map(|i| self.matrix[i][i].abs()).fold(0.0, f64::max);
            // The matrix is symmetric and positive: its diagonal is pivot enough.
            if self.matrix[pivot][pivot] <= 1e-24 * scale {
                return None;
            }
            for row in pivot + 1..6 {
                let factor = self.matrix[row][pivot] / self.matrix[pivot][pivot];
                for column in pivot..6 {
                    self.matrix[row][column] -= factor * self.matrix[pivot][column];
                }
                self.right[row] -= factor * self.right[pivot];
            }
        }
        let mut solution = [0.0; 6];
        for row in (0..6).rev() {
            let known: f64 = (row + 1..6).map(|k| self.matrix[row][k] * solution[k]).sum();
            solution[row] = (self.right[row] - known) / self.matrix[row][row];
        }
        let [x, y, z, u, v, w] = solution;
        Some((DVec3::new(x, y, z), DVec3::new(u, v, w)))
    }
}

#[cfg(test)]
mod tests {
    use taffeta_linalg::Filter;

    use super::*;
    use crate::collision::ccd::Impact;
    use crate::collision::proximity::Pairing;
    use crate::collision::respond::{Attempt, Pair};
    use crate::constraint::Constraint;
    use crate::state::State;

    const PLACES: [DVec3; 4] = [
        DVec3::ZERO,
        DVec3::new(1.0, 0.2, 0.0),
        DVec3::new(0.1, 0.0, 1.0),
        DVec3::new(0.3, 0.5, 0.2),
    ];

    /// Four particles that move wildly, joined into one zone.
    fn stiffened(constraints: &[Constraint]) -> Moving {
        let from = State::at_rest(PLACES.to_vec(), 0, 0);
        let mut to = from.clone();
        let turn = |i: usize| DVec3::new(i as f64 - 1.0, (i * i) as f64 * 0.3, 2.0 - i as f64);
        (0..4).for_each(|i| to.positions[i] += turn(i) * 0.1);
        constraints
            .iter()
            .for_each(|c| to.positions[c.particle as usize] = PLACES[c.particle as usize]);
        let mut moving = Moving::new(&[1.0, 2.0, 3.0, 4.0]);
        moving.begin(&Attempt { constraints, h: 0.1 }, &from, &to);
        let impact = Impact { time: 0.0, certain: true, normal: DVec3::Y, weights: [0.0; 4] };
        let pair = Pair { pairing: Pairing::EdgeEdge, particles: [0, 1, 2, 3] };
        let mut zones = Zones::new(4);
        zones.join(&[Hit { pair, kept: 0.0, impact }]);
        assert_eq!(zones.stiffen(&mut moving), 1);
        moving.follow();
        moving
    }

    #[test]
    fn a_zone_brings_no_two_particles_nearer() {
        let moving = stiffened(&[]);
        for i in 0..4 {
            for j in 0..i {
                let apart = |t: f64| {
                    let at = |k: usize| moving.starts[k].lerp(moving.ends[k], t);
                    at(i).distance(at(j))
                };
                assert!((1..=10).all(|t| apart(f64::from(t) / 10.0) >= apart(0.0) - 1e-15));
            }
        }
        assert!((moving.ends[0] - PLACES[0]).length() > 0.01);
    }

    #[test]
    fn a_zone_turns_about_the_particle_that_is_held() {
        let still = DVec3::ZERO;
        let held = Constraint {
            particle: 2,
            filter: Filter::HELD,
            velocity_change: still,
            correction: still,
        };
        let moving = stiffened(&[held]);
        assert_eq!(moving.ends[2], PLACES[2]);
        // All others turn about it: at right angles to their arms.
        for i in [0, 1, 3] {
            let arm = PLACES[i] - PLACES[2];
            let velocity = moving.velocities[i];
            assert!(velocity.length() > 0.1);
            assert!(velocity.dot(arm).abs() < 1e-6 * velocity.length() * arm.length());
        }
    }
}
