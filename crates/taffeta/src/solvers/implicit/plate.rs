//! Bending in implicit steps: exact forces, and a stiffness that does not change.
//!
//! The stiffness of hinges is taken as that of flat cloth, k·c cᵀ for the heights of four corners, and in
//! all directions alike (as in Bergou et al. 2006, A Quadratic Bending Model for Inextensible Surfaces): where cloth
//! is folded it is an upper bound along the surface, where far stiffer elements rule. In long steps it would
//! slow stiff cloth down that is bent and turns, so there the stiffness of each hinge is its own.

use glam::DVec3;
use taffeta_linalg::{RowPattern, fill, update};

use crate::error::PlanError;
use crate::matter::elements::{Bending, BendingMemory, Hinge};
use crate::matter::model::Incidence;

use super::membranes::Moved;

/// Hinges whose forces repay a hand-over to another thread.
const GRAIN: usize = 1024;

/// The bending of a model in a pattern of rows.
pub(super) struct PlateRows {
    /// Stiffness [N/m] and damping [N·s/m] of each row and of each block beside the diagonal.
    pub diagonal: Vec<[f32; 2]>,
    pub beside: Vec<[f32; 2]>,
    memory: BendingMemory,
    /// What keeps each hinge bent [N·m].
    pub moments: Vec<f64>,
    /// How far each hinge is bent from rest, and how that grows with its corners [rad, 1/m].
    slopes: Vec<(f64, [DVec3; 4])>,
    around: Incidence,
}

impl PlateRows {
    pub fn new(bending: &Bending, rest: &[DVec3], pattern: &RowPattern) -> Result<Self, PlanError> {
        let mut diagonal = vec![[0.0; 2]; pattern.len()];
        let mut beside = vec![[0.0; 2]; pattern.blocks()];
        for hinge in bending.hinges() {
            let coefficients = heights(&hinge.corners.map(|i| rest[i as usize]));
            let rows = hinge.corners.map(|i| pattern.row(i));
            for i in 0..4 {
                for j in 0..4 {
                    let product = coefficients[i] * coefficients[j];
                    let place = match i == j {
                        true => &mut diagonal[rows[i] as usize],
                        false => match pattern.place(rows[i], rows[j]) {
                            Some(place) => &mut beside[place],
                            None => continue,
                        },
                    };
                    place[0] += (hinge.stiffness * product) as f32;
                    place[1] += (hinge.damping * product) as f32;
                }
            }
        }
        let hinges = bending.hinges();
        Ok(Self {
            diagonal,
            beside,
            memory: bending.memory()?,
            moments: vec![0.0; hinges.len()],
            slopes: vec![(0.0, [DVec3::ZERO; 4]); hinges.len()],
            around: Incidence::new(rest.len(), hinges.iter().map(|hinge| hinge.corners)),
        })
    }

    /// Computes the moments of all hinges.
    pub fn load(&mut self, bending: &Bending, moved: &Moved) {
        self.moments.copy_from_slice(bending.moments(moved.to, &mut self.memory));
    }

    /// Computes the moments of all hinges, damping included, and what they do to their corners.
    pub fn bend(&mut self, bending: &Bending, moved: &Moved) {
        let hinges = bending.hinges();
        fill(&mut self.slopes, GRAIN, |e| {
            hinges[e].bend_and_slope(&hinges[e].corners.map(|i| moved.to[i as usize]))
        });
        let slopes = &self.slopes;
        fill(&mut self.moments, 4 * GRAIN, |e| slopes[e].0);
        bending.moments_of_bends(&mut self.moments, &mut self.memory);
        update(&mut self.moments, GRAIN, |e, moment| {
            let Hinge { corners, damping, .. } = &hinges[e];
            if *damping > 0.0 {
                let travel = |i: u32| moved.to[i as usize] - moved.from[i as usize];
                let turn: f64 = (0..4).map(|k| slopes[e].1[k].dot(travel(corners[k]))).sum();
                *moment += damping * turn * moved.rate;
            }
        });
    }

    /// The force on a particle [N].
    pub fn force(&self, particle: usize) -> DVec3 {
        let at = self.around.at(particle).iter().map(|&(hinge, corner)| (hinge as usize, corner));
        at.map(|(e, corner)| self.slopes[e].1[corner as usize] * -self.moments[e]).sum()
    }
}

/// How the angle of flat cloth grows with the height of each corner [1/m].
fn heights([a, b, c, d]: &[DVec3; 4]) -> [f64; 4] {
    let edge = *b - *a;
    let length2 = edge.length_squared();
    let height = |far: &DVec3| edge.cross(*far - *a).length() / length2.sqrt();
    let share = |far: &DVec3| (*far - *a).dot(edge) / length2;
    let (left, right) = (1.0 / height(c), 1.0 / height(d));
    if !(left.is_finite() && right.is_finite()) {
        return [0.0; 4];
    }
    let (s, t) = (share(c), share(d));
    [-left * (1.0 - s) - right * (1.0 - t), -left * s - right * t, left, right]
}
