//! The yarns of woven cloth that can tear, as curves.

use glam::DVec3;
use taffeta::Frame;
use taffeta::woven::{Yarn, YarnPoint};

use super::normals::area_normals;

/// Every yarn of a frame as the points it passes through, the pieces of torn ones on their own.
pub(super) struct Curves {
    /// How many points each curve has, at least two: a piece of a single point is none.
    pub counts: Vec<u32>,
    /// The points of all curves, one after the other \[m\].
    pub points: Vec<DVec3>,
    /// Their velocities \[m/s\].
    pub velocities: Vec<DVec3>,
    /// How thick the yarns are: they touch where they cross \[m\].
    pub width: f64,
}

impl Curves {
    /// The curves of a frame; none if its cloth is not woven of yarns.
    pub fn of(frame: &Frame<'_>) -> Option<Self> {
        let yarns = frame.yarns?;
        let normals = area_normals(frame.faces, frame.positions);
        let (counts, points, velocities) = Default::default();
        let mut curves = Self { counts, points, velocities, width: yarns.thickness };
        for yarn in yarns.all.iter().filter(|yarn| yarn.points.len() > 1) {
            curves.add(yarn, frame, &normals);
        }
        Some(curves)
    }

    /// MBCN09 eq. 2: where warp and weft share a particle it lies between them, and they are half a
    /// yarn's thickness away along the normal. Where no face is left the normal is the last one
    /// along the yarn.
    fn add(&mut self, yarn: &Yarn, frame: &Frame<'_>, normals: &[DVec3]) {
        let normal = |point: &YarnPoint| normals[point.particle as usize].try_normalize();
        let mut upright = yarn.points.iter().find_map(normal).unwrap_or(DVec3::Y);
        for point in &yarn.points {
            let particle = point.particle as usize;
            upright = normal(point).unwrap_or(upright);
            let lift = match (point.split, point.over) {
                (true, _) => 0.0,
                (false, true) => self.width / 2.0,
                (false, false) => -self.width / 2.0,
            };
            self.points.push(frame.positions[particle] + upright * lift);
            self.velocities.push(frame.velocities[particle]);
        }
        self.counts.push(yarn.points.len() as u32);
    }
}

/// The runs of at least two particles along the yarns of a frame whose spans are no edges of faces:
/// what a mesh lacks of the cloth.
pub(super) fn runs_outside_faces(frame: &Frame<'_>) -> Vec<Vec<u32>> {
    let edges = frame.faces.edges();
    let is_edge = |a: u32, b: u32| {
        edges.binary_search_by_key(&[a.min(b), a.max(b)], |edge| edge.ends).is_ok()
    };
    let mut runs = Vec::new();
    for yarn in frame.yarns.into_iter().flat_map(|yarns| &yarns.all) {
        let outside = yarn.points.chunk_by(|a, b| !is_edge(a.particle, b.particle));
        let long = outside.filter(|run| run.len() > 1);
        runs.extend(long.map(|run| run.iter().map(|point| point.particle).collect()));
    }
    runs
}
