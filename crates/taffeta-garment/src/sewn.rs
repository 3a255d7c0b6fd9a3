//! Sewing: particles that seams bring together become one.

use glam::{DVec2, DVec3};
use taffeta::Mesh;
use taffeta::mesh::Faces;

use crate::cut::Cut;
use crate::groups::Groups;

/// A garment whose seams are closed: which particles of the panels have become which.
#[derive(Clone, Debug, PartialEq)]
pub struct Sewn {
    /// For each particle of the panels, its particle of the garment.
    pub of: Vec<u32>,
    /// How many particles the garment has.
    pub particles: usize,
}

impl Sewn {
    /// What becomes of panels when all their seams are closed.
    pub fn new(cut: &Cut) -> Self {
        let all: Vec<[u32; 2]> = cut.seams.iter().flatten().copied().collect();
        Self::joining(cut, &all)
    }

    /// What becomes of panels when these pairs of their particles are joined.
    pub fn joining(cut: &Cut, pairs: &[[u32; 2]]) -> Self {
        let mut groups = Groups::new(cut.places.len());
        pairs.iter().for_each(|pair| groups.join(*pair));
        let leaders = groups.leaders();
        let mut of = vec![0; leaders.len()];
        let mut particles = 0;
        for (particle, &leader) in leaders.iter().enumerate() {
            of[particle] = match leader as usize == particle {
                true => {
                    particles += 1;
                    particles - 1
                }
                false => of[leader as usize],
            };
        }
        Self { of, particles: particles as usize }
    }

    /// The faces of the garment; texture coordinates say how each lies flat, in metres.
    pub fn faces(&self, cut: &Cut) -> Faces {
        let mut faces = Faces::new();
        let mut corners = Vec::new();
        for face in cut.flat.faces.iter() {
            corners.clear();
            corners.extend(face.iter().map(|&corner| self.of[corner as usize]));
            faces.push(&corners);
        }
        let uvs: Vec<DVec2> = cut.flat.faces.all_uvs().to_vec();
        // There is one for each corner, as before.
        faces.set_uvs(uvs);
        faces
    }

    /// Where the particles of the garment are if those of the panels are here: in the middle of those
    /// that it is made of.
    pub fn middles(&self, of_panels: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![(DVec3::ZERO, 0.0); self.particles];
        for (place, &particle) in of_panels.iter().zip(&self.of) {
            let (sum, count) = &mut sums[particle as usize];
            *sum += *place;
            *count += 1.0;
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }

    /// Places for the particles of a garment that is still in panels: for each that of the first it is
    /// made of.
    pub fn firsts(&self, of_panels: &[DVec3]) -> Vec<DVec3> {
        let mut places = vec![DVec3::ZERO; self.particles];
        for (place, &particle) in of_panels.iter().zip(&self.of).rev() {
            places[particle as usize] = *place;
        }
        places
    }

    /// Where the particles of the panels are if those of the garment are here.
    pub fn spread(&self, of_garment: &[DVec3]) -> Vec<DVec3> {
        self.of.iter().map(|&particle| of_garment[particle as usize]).collect()
    }

    /// The garment with the particles of its panels in these places.
    pub fn mesh(&self, cut: &Cut, of_panels: &[DVec3]) -> Mesh {
        Mesh { positions: self.middles(of_panels), faces: self.faces(cut) }
    }

    /// The particles along an edge of a panel.
    pub fn along(&self, edge: &[u32]) -> Vec<u32> {
        let mut all: Vec<u32> = edge.iter().map(|&particle| self.of[particle as usize]).collect();
        all.dedup();
        all
    }
}
