//! One contact: an impulse without bounce, with Coulomb friction, between four particles.

use glam::{DMat3, DVec3};

use super::moving::Moving;
use crate::detection::Pair;

/// Shapes whose inertia is thinner than this share of a ball's have no inverse.
const THINNEST: f64 = 1e-12;
/// A contact whose impulse, to keep angular momentum, would mostly turn the four particles about
/// each other keeps less than this share of its effect.
const LEAST_EFFECT: f64 = 0.5;

/// Two points that must not approach each other faster than allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub pair: Pair,
    /// The two points, as weights of the four particles.
    weights: [f64; 4],
    /// From the second to the first.
    normal: DVec3,
    /// The least speed along the normal at which they may come apart; negative where they may
    /// approach [m/s].
    least_speed: f64,
    /// Weight over mass [1/kg].
    shares: [f64; 4],
    spin: Spin,
    /// What a unit impulse changes of the relative velocity, along the normal and across [1/kg].
    effect: [f64; 2],
    /// Whether a pin holds one of the particles.
    held: bool,
    /// The impulses along the normal and across that the integrator has already given [N·s].
    carried: [f64; 2],
    /// The impulses so far, along the normal and across [N·s].
    pressed: f64,
    rubbed: DVec3,
}

/// Takes out of an impulse on two points apart what would turn the four particles as a whole: so
/// angular momentum is kept although the points do not touch yet.
#[derive(Clone, Copy, Debug, Default)]
struct Spin {
    /// From an impulse to the turning it causes [1/(kg·m)].
    from_impulse: DMat3,
    /// From the centre of mass to each particle [m].
    arms: [DVec3; 4],
}

/// Where and how two points touch.
pub(crate) struct Touch {
    pub pair: Pair,
    pub weights: [f64; 4],
    pub normal: DVec3,
    pub least_speed: f64,
    /// The impulses that the integrator has already given, along the normal and across [N·s].
    pub carried: (f64, DVec3),
}

impl Contact {
    /// None if no impulse could act, for all particles are held.
    pub fn new(touch: &Touch, moving: &Moving) -> Option<Self> {
        let Touch { pair, weights, normal, least_speed, carried } = *touch;
        let mut shares = [0.0; 4];
        let mut effect = [0.0; 2];
        let mut held = false;
        for (k, &particle) in pair.particles.iter().enumerate() {
            shares[k] = weights[k] / moving.masses[particle as usize];
            let full = weights[k] * shares[k];
            let filter = moving.filter(particle);
            held |= filter.is_some();
            effect[0] += filter.map_or(full, |filter| full * normal.dot(filter.free_part(normal)));
            effect[1] += filter.map_or(full, |filter| full * largest(filter.matrix()));
        }
        let mut spin = Spin::default();
        if !held {
            let starts = moving.at_start(&pair);
            let apart: DVec3 = (0..4).map(|k| starts[k] * weights[k]).sum();
            spin = Spin::new(&pair, &starts, moving, apart);
            effect[0] -= apart.cross(normal).dot(spin.from_impulse * normal);
        }
        let (pressed, rubbed) = (0.0, DVec3::ZERO);
        let carried = [carried.0, carried.1.length()];
        let contact = Self {
            pair,
            weights,
            normal,
            least_speed,
            shares,
            spin,
            effect,
            held,
            carried,
            pressed,
            rubbed,
        };
        (effect[0] > 0.0).then_some(contact)
    }

    /// Whether the points are so far to the side of each other that an impulse which keeps angular
    /// momentum would hardly bring them to a halt.
    pub fn is_far(&self) -> bool {
        let full: f64 = (0..4).map(|k| self.weights[k] * self.shares[k]).sum();
        !self.held && self.effect[0] < LEAST_EFFECT * full
    }

    /// Whether the points come nearer than they may, as velocities are.
    pub fn is_needed(&self, moving: &Moving) -> bool {
        self.normal.dot(self.relative_velocity(moving)) < self.least_speed
    }

    /// Corrects the impulse by what the present velocities ask for; returns how much the relative
    /// velocity changed [m/s].
    ///
    /// The sum of all corrections pushes only, and rubs no more than friction allows: projected
    /// Gauss-Seidel on Coulomb's law.
    pub fn solve(&mut self, moving: &mut Moving, friction: f64) -> f64 {
        let speed = self.normal.dot(self.relative_velocity(moving));
        let pressed = (self.pressed + (self.least_speed - speed) / self.effect[0]).max(0.0);
        let change = pressed - self.pressed;
        self.pressed = pressed;
        if change != 0.0 {
            self.apply(self.normal * change, moving);
        }
        let mut largest = change.abs() * self.effect[0];
        // What the integrator gave is not taken back: its impulses move all the cloth around, and
        // these here four particles only.
        let [pushed, rubbed] = self.carried;
        let most = (friction * (pushed + pressed) - rubbed).max(0.0);
        if most > 0.0 || self.rubbed != DVec3::ZERO {
            let velocity = self.relative_velocity(moving);
            let across = velocity - self.normal * self.normal.dot(velocity);
            let rubbed = self.rubbed - across / self.effect[1];
            let rubbed = rubbed.clamp_length_max(most);
            let change = rubbed - self.rubbed;
            self.rubbed = rubbed;
            self.apply(change, moving);
            largest = largest.max(change.length() * self.effect[1]);
        }
        largest
    }

    fn relative_velocity(&self, moving: &Moving) -> DVec3 {
        let velocity = |k: usize| moving.velocities[self.pair.particles[k] as usize];
        velocity(0) * self.weights[0]
            + velocity(1) * self.weights[1]
            + velocity(2) * self.weights[2]
            + velocity(3) * self.weights[3]
    }

    fn apply(&self, impulse: DVec3, moving: &mut Moving) {
        let turning = self.spin.from_impulse * impulse;
        for k in 0..4 {
            let particle = self.pair.particles[k];
            let straight = impulse * self.shares[k];
            let change = match moving.filter(particle) {
                Some(filter) => filter.free_part(straight),
                None => straight - turning.cross(self.spin.arms[k]),
            };
            moving.set_velocity(particle, moving.velocities[particle as usize] + change);
        }
    }
}

impl Spin {
    /// Of four particles with an impulse between two points `apart` from each other.
    ///
    /// The impulse J brings the angular momentum apart × J; turning all four by ω about their
    /// centre, with I·ω = apart × J, takes it away again and leaves linear momentum alone.
    fn new(pair: &Pair, starts: &[DVec3; 4], moving: &Moving, apart: DVec3) -> Self {
        let mass = |k: usize| moving.masses[pair.particles[k] as usize];
        let total: f64 = (0..4).map(mass).sum();
        let centre = (0..4).map(|k| starts[k] * mass(k)).sum::<DVec3>() / total;
        let arms = std::array::from_fn(|k| starts[k] - centre);
        let inertia = (0..4).map(|k| inertia(mass(k), arms[k])).sum::<DMat3>();
        match inverse(inertia) {
            Some(inverse) => Self { from_impulse: inverse * cross_matrix(apart), arms },
            None => Self::default(),
        }
    }
}

/// The inertia of a mass at the end of an arm.
pub(super) fn inertia(mass: f64, arm: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass
}

/// The inverse of an inertia, unless the masses are on a line.
pub(super) fn inverse(inertia: DMat3) -> Option<DMat3> {
    let size = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    (inertia.determinant() > THINNEST * size * size * size).then(|| inertia.inverse())
}

/// The matrix that takes u to a × u.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}

/// The largest stretch of a projection: one, or nothing at all.
fn largest(projection: DMat3) -> f64 {
    let trace = projection.x_axis.x + projection.y_axis.y + projection.z_axis.z;
    trace.min(1.0)
}
