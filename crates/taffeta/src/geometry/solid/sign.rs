//! Which side of a closed mesh a point is on, by the normals of its faces, edges and vertices
//! (Bærentzen & Aanæs 2005, Signed Distance Computation Using the Angle Weighted Pseudonormal).

use std::collections::BTreeMap;

use glam::DVec3;

/// A corner's weight below this is none.
const NONE: f64 = 1e-12;

/// Normals of everything the nearest point can lie on.
#[derive(Debug)]
pub(super) struct Normals {
    faces: Vec<DVec3>,
    vertices: Vec<DVec3>,
    /// For each side of each triangle, from its first, second and third corner on, the triangle on
    /// the other side of it.
    beyond: Vec<[u32; 3]>,
}

impl Normals {
    /// Of a closed mesh, whose vertices are still nowhere.
    pub fn new(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let mut owners = BTreeMap::new();
        for (number, corners) in triangles.iter().enumerate() {
            for i in 0..3 {
                owners.insert([corners[i], corners[(i + 1) % 3]], number as u32);
            }
        }
        let beyond = triangles.iter().enumerate().map(|(number, corners)| {
            [0, 1, 2].map(|i: usize| {
                let back = [corners[(i + 1) % 3], corners[i]];
                owners.get(&back).copied().unwrap_or(number as u32)
            })
        });
        Self {
            faces: vec![DVec3::ZERO; triangles.len()],
            vertices: vec![DVec3::ZERO; vertices],
            beyond: beyond.collect(),
        }
    }

    /// Follows the vertices.
    pub fn update(&mut self, triangles: &[[u32; 3]], at: &[DVec3]) {
        self.vertices.fill(DVec3::ZERO);
        for (normal, corners) in self.faces.iter_mut().zip(triangles) {
            let corner = |i: usize| at[corners[i % 3] as usize];
            *normal = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalize_or_zero();
            for (i, &vertex) in corners.iter().enumerate() {
                let [to, back] = [corner(i + 1) - corner(i), corner(i + 2) - corner(i)];
                let angle = libm::atan2(to.cross(back).length(), to.dot(back));
                self.vertices[vertex as usize] += *normal * angle;
            }
        }
    }

    /// Outwards, at the point of a triangle with these weights.
    pub fn at(&self, triangle: u32, corners: [u32; 3], weights: [f64; 3]) -> DVec3 {
        let number = triangle as usize;
        let on = weights.map(|weight| weight > NONE);
        match on.iter().filter(|on| **on).count() {
            3 => self.faces[number],
            2 => {
                // The side from corner i to the next has nothing of the third.
                let side = (0..3).find(|&i| !on[(i + 2) % 3]).unwrap_or(0);
                self.faces[number] + self.faces[self.beyond[number][side] as usize]
            }
            _ => {
                let corner = (0..3).find(|&i| on[i]).unwrap_or(0);
                self.vertices[corners[corner] as usize]
            }
        }
    }
}
