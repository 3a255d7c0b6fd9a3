//! Cloth that pushes itself apart, and rubs on itself, within an implicit solve.
//!
//! BW98 §6 put strong damped springs there. A spring strong enough to keep layers apart spoils the
//! matrix, and a weak one gives way. So a link is a moderate spring and an impulse: what the spring
//! had to push in one round is the impulse that the next round begins with (the augmented
//! Lagrangian of Hestenes 1969 and Powell 1969), and the points come to where they should be.
//! Friction is a drag, as in BW98, but one whose strength comes from Coulomb's law and the round
//! before.

use glam::{DMat3, DVec3};
use taffeta_linalg::{BlockMatrix, Coupling, Filter};

use crate::constraint::Link;

/// How much stronger a link is than what the particles around it resist.
const STRONGER: f64 = 10.0;
/// A link whose particles are held, so that less than this share of what would yield is left, is
/// none: nothing could move them apart.
const LEAST_YIELDING: f64 = 1e-3;

/// What a solve makes of links.
#[derive(Debug, Default)]
pub(crate) struct LinkMemory {
    strengths: Vec<Strength>,
    results: Vec<Linked>,
}

/// How strong a link is along its normal and across; nothing of both if it is left out.
#[derive(Clone, Copy, Debug)]
struct Strength {
    along: f64,
    across: f64,
}

/// What came of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linked {
    /// The impulse along its normal; negative where it pulled [N·s].
    pub push: f64,
    /// The impulse across [N·s].
    pub rub: DVec3,
    /// How fast its points would come apart, but for its pull, about [m/s].
    pub pull: f64,
}

/// The unknowns of a system: velocities, or places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknowns {
    /// What speeds are multiplied by to be unknowns: 1, or the step [s].
    pub from_speed: f64,
}

impl LinkMemory {
    /// What came of each link.
    pub fn results(&self) -> &[Linked] {
        &self.results
    }

    /// Gives each link a strength by what the matrix has on its diagonal, before it is coupled.
    pub fn measure(
        &mut self,
        links: &[Link],
        (matrix, filters): (&BlockMatrix, &[Filter]),
        unknowns: Unknowns,
    ) {
        let strength = |link: &Link| {
            let (mut along, mut across, mut unheld) = (0.0, 0.0, 0.0);
            for (weight, &particle) in link.weights.iter().zip(&link.particles) {
                let (block, filter) =
                    (matrix.diagonal()[particle as usize], &filters[particle as usize]);
                let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
                let normal = link.normal.dot(block * link.normal);
                let square = weight * weight;
                along += square * filter.free_part(link.normal).length_squared() / normal;
                across += square * 2.0 / (trace - normal);
                unheld += square / normal;
            }
            if along <= LEAST_YIELDING * unheld {
                return Strength { along: 0.0, across: 0.0 };
            }
            let drag = link.drag / unknowns.from_speed.powi(2);
            Strength { along: STRONGER / along, across: drag.min(STRONGER / across) }
        };
        self.strengths.clear();
        self.strengths.extend(links.iter().map(strength));
    }

    /// Couples the particles of links in a system. `moved` tells how far the points of a link come
    /// apart as things are, in terms of the unknowns.
    pub fn couple(
        &self,
        links: &[Link],
        (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
        moved: impl Fn(&Link) -> DVec3,
        unknowns: Unknowns,
    ) {
        for (link, strength) in links.iter().zip(&self.strengths) {
            if strength.along == 0.0 {
                continue;
            }
            let Link { particles, weights, normal, .. } = *link;
            let (push, rub) = strength.answer(link, moved(link), unknowns);
            for (weight, particle) in weights.iter().zip(particles) {
                right[particle as usize] += (normal * push + rub) * *weight;
            }
            let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            let isotropic = DMat3::from_diagonal(DVec3::splat(strength.across));
            let strength = outer * (strength.along - strength.across) + isotropic;
            matrix.couple(Coupling { particles, weights, strength });
        }
    }

    /// Takes down what came of each link, where its points come apart by `moved` in the end.
    pub fn take_down(
        &mut self,
        links: &[Link],
        moved: impl Fn(&Link) -> DVec3,
        unknowns: Unknowns,
    ) {
        let result = |(link, strength): (&Link, &Strength)| {
            if strength.along == 0.0 {
                return Linked { push: 0.0, rub: DVec3::ZERO, pull: 0.0 };
            }
            let (push, rub) = strength.answer(link, moved(link), unknowns);
            let pull = (-push * STRONGER / strength.along / unknowns.from_speed).max(0.0);
            let (push, rub) = (push * unknowns.from_speed, rub * unknowns.from_speed);
            Linked { push, rub, pull }
        };
        self.results.clear();
        self.results.extend(links.iter().zip(&self.strengths).map(result));
    }
}

impl Strength {
    /// What a link does about points that come apart by `moved`: along the normal and across, in
    /// units of the right-hand side.
    fn answer(&self, link: &Link, moved: DVec3, unknowns: Unknowns) -> (f64, DVec3) {
        let speed = link.normal.dot(moved);
        let missing = link.least_speed * unknowns.from_speed - speed;
        let push = link.impulse / unknowns.from_speed + self.along * missing;
        (push, (link.normal * speed - moved) * self.across)
    }
}
