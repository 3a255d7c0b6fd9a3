//! Solids of any shape as surfaces that cloth meets as it meets itself.
//!
//! Their vertices are numbered after the cloth's. They move as they are told: in a contact only what
//! belongs to the cloth can be moved.

use glam::DVec3;

use crate::geometry::collision::{Intersection, Surface, intersections};
use crate::geometry::mesh::Faces;
use crate::geometry::solid::{Shape, Solid};
use crate::step::passage::Passage;

/// The mesh solids of a scene.
#[derive(Debug)]
pub(super) struct Bodies {
    /// How many particles the cloth has.
    particles: usize,
    parts: Vec<Body>,
    /// Where their vertices are at both ends of the step [m].
    ends: [Vec<DVec3>; 2],
    /// Times of these [s].
    times: [f64; 2],
    /// Vertices of one body in its own frame [m].
    own: Vec<DVec3>,
    /// Cloth that is inside a body or through it, which contact with it has to leave alone; and whether
    /// any is.
    inside: Vec<bool>,
    any_inside: bool,
    /// Whether nothing was inside when it was last looked at, and nobody has moved the cloth since.
    clean: bool,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
struct Body {
    solid: u32,
    /// Its first vertex, counted from the first of all bodies.
    first: usize,
}

impl Bodies {
    /// Those of a list of solids, for cloth of so many particles; and their faces after the cloth's.
    pub fn new(solids: &[Solid], particles: usize, faces: &mut Faces) -> Self {
        let (mut parts, mut first) = (Vec::new(), 0);
        for (solid, body) in (0..).zip(solids) {
            let Shape::Mesh(_) = &body.shape else { continue };
            let mesh = body.surface_at(0.0);
            for corners in mesh.faces.triangles() {
                faces.push(&corners.map(|corner| corner + (particles + first) as u32));
            }
            parts.push(Body { solid, first });
            first += mesh.positions.len();
        }
        let mut bodies = Self {
            particles,
            parts,
            ends: [vec![DVec3::ZERO; first], vec![DVec3::ZERO; first]],
            own: Vec::new(),
            times: [f64::NAN; 2],
            inside: vec![false; particles],
            any_inside: false,
            clean: false,
        };
        bodies.place(solids, [0.0; 2]);
        bodies
    }

    /// Whether there is any.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Moves on to a step between two times.
    pub fn place(&mut self, solids: &[Solid], times: [f64; 2]) {
        for end in 0..2 {
            if self.times[end] != times[end] {
                if end == 0 && self.times[1] == times[0] {
                    self.ends.swap(0, 1);
                    self.times.swap(0, 1);
                    continue;
                }
                let mut places = std::mem::take(&mut self.ends[end]);
                self.at(solids, times[end], &mut places);
                (self.ends[end], self.times[end]) = (places, times[end]);
            }
        }
    }

    /// Where the vertices are at a time.
    pub fn at(&mut self, solids: &[Solid], time: f64, places: &mut Vec<DVec3>) {
        places.clear();
        for part in &self.parts {
            let solid = &solids[part.solid as usize];
            let Shape::Mesh(mesh) = &solid.shape else { continue };
            mesh.positions_at(time, &mut self.own);
            let pose = solid.pose_at(time);
            places.extend(self.own.iter().map(|&place| pose.apply(place)));
        }
    }

    /// Where they are when the step begins, and when it ends.
    pub fn ends(&self) -> [&[DVec3]; 2] {
        [&self.ends[0], &self.ends[1]]
    }

    /// Whether a number is that of a vertex of a body.
    #[inline]
    pub fn owns(&self, number: u32) -> bool {
        number as usize >= self.particles
    }

    /// The solid of a vertex of a body.
    pub fn solid_of(&self, number: u32) -> u32 {
        let vertex = number as usize - self.particles;
        let at = self.parts.partition_point(|part| part.first <= vertex);
        self.parts[at - 1].solid
    }

    /// How a vertex of a body moves in the step [m].
    #[inline]
    pub fn way(&self, number: u32) -> [DVec3; 2] {
        let vertex = number as usize - self.particles;
        [self.ends[0][vertex], self.ends[1][vertex]]
    }

    /// Nobody knows any more what is inside.
    pub fn forget(&mut self) {
        self.clean = false;
    }

    /// Looks for cloth that is inside of bodies or through them where a step begins; once none is,
    /// contact keeps it so.
    pub fn look(&mut self, passage: &Passage, surface: &Surface, x: &[DVec3]) {
        if self.clean || self.is_empty() {
            return;
        }
        self.inside.fill(false);
        for part in &self.parts {
            let solid = &passage.setup.solids[part.solid as usize];
            let depths = solid.depths(&x[..self.particles], passage.state.time);
            for (inside, depth) in self.inside.iter_mut().zip(depths) {
                *inside |= depth > 0.0;
            }
        }
        self.clean = !self.inside.iter().any(|&inside| inside);
        for Intersection { edge, triangle } in intersections(surface, x) {
            let rigid = |all: &[u32]| self.owns(all[0]);
            if rigid(&edge) != rigid(&triangle) {
                for &i in edge.iter().chain(&triangle).filter(|&&i| (i as usize) < self.particles) {
                    self.inside[i as usize] = true;
                }
                self.clean = false;
            }
        }
        self.any_inside = !self.clean;
    }

    /// Cloth that contact with bodies leaves alone, if any.
    pub fn inside(&self) -> Option<&[bool]> {
        self.any_inside.then_some(&self.inside[..])
    }
}
