//! The surface of a solid during one step: what is nearest, and what a path meets.

use glam::DVec3;

use super::mesh::SolidMesh;
use super::primitive::{Nearest, Shape};
use super::sign::Normals;
use crate::geometry::collision::ccd::impact;
use crate::geometry::collision::{Bounds, Hierarchy, Pairing, point_triangle};

/// A path that comes nearer to a triangle than this share of the distance to be kept meets it.
const MEETING: f64 = 0.2;

/// What a solid's surface needs to be asked, prepared for a step.
#[derive(Debug)]
pub(crate) enum SolidSurface {
    /// Simple shapes need nothing.
    Simple,
    /// Triangles.
    Mesh(Box<MeshSurface>),
}

/// A mesh with its vertices at the two ends of a step, in the solid's own frame.
#[derive(Debug)]
pub(crate) struct MeshSurface {
    triangles: Vec<[u32; 3]>,
    hierarchy: Hierarchy,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// Which way is out, at the beginning; of closed meshes only.
    normals: Option<Normals>,
    largest_shift: f64,
    ready: bool,
}

impl SolidSurface {
    /// Prepares a shape.
    pub fn new(shape: &Shape) -> Self {
        match shape {
            Shape::Mesh(mesh) => Self::Mesh(Box::new(MeshSurface::new(mesh))),
            _ => Self::Simple,
        }
    }

    /// Moves on to a step between two times.
    pub fn place(&mut self, shape: &Shape, times: [f64; 2]) {
        if let (Self::Mesh(surface), Shape::Mesh(mesh)) = (self, shape) {
            surface.place(mesh, times);
        }
    }
}

impl MeshSurface {
    fn new(mesh: &SolidMesh) -> Self {
        let triangles = mesh.triangles().to_vec();
        let rest = &mesh.keys()[0].positions;
        let centre = |corners: &[u32; 3]| {
            corners.iter().map(|&corner| rest[corner as usize]).sum::<DVec3>() / 3.0
        };
        let centres: Vec<DVec3> = triangles.iter().map(centre).collect();
        Self {
            hierarchy: Hierarchy::new(&centres),
            normals: mesh.is_closed().then(|| Normals::new(&triangles, rest.len())),
            triangles,
            from: Vec::new(),
            to: Vec::new(),
            largest_shift: 0.0,
            ready: false,
        }
    }

    fn place(&mut self, mesh: &SolidMesh, [begin, end]: [f64; 2]) {
        if self.ready && !mesh.deforms() {
            return;
        }
        self.ready = true;
        mesh.positions_at(begin, &mut self.from);
        mesh.positions_at(end, &mut self.to);
        let (triangles, from, to) = (&self.triangles, &self.from, &self.to);
        self.hierarchy.refit(|triangle| {
            let corners = triangles[triangle as usize].iter();
            Bounds::around(corners.flat_map(|&c| [from[c as usize], to[c as usize]]))
        });
        let shifts = from.iter().zip(to).map(|(from, to)| from.distance_squared(*to));
        self.largest_shift = shifts.fold(0.0, f64::max).sqrt();
        if let Some(normals) = &mut self.normals {
            normals.update(triangles, from);
        }
    }

    /// How far a vertex moves in the step at most, in the solid's own frame [m].
    pub fn largest_shift(&self) -> f64 {
        self.largest_shift
    }

    /// The box around all of it, over the step.
    pub fn bounds(&self) -> Bounds {
        self.hierarchy.bounds()
    }

    /// What is nearest to a point at the beginning of the step, if it is within reach; with the
    /// sign of its side where `sided` asks for that and the mesh has sides.
    pub fn nearest_at_start(&self, p: DVec3, reach: f64, sided: bool) -> Option<Nearest> {
        let (triangle, weights, near) = self.search(p, reach, &self.from)?;
        let shift = self.blend(triangle, weights, &self.to) - near.point;
        let normals = self.normals.as_ref().filter(|_| sided);
        let out = normals.map(|n| n.at(triangle, self.triangles[triangle as usize], weights));
        let inside = out.is_some_and(|out| out.dot(p - near.point) < 0.0);
        let sign = if inside { -1.0 } else { 1.0 };
        Some(Nearest { distance: near.distance * sign, normal: near.normal * sign, shift, ..near })
    }

    /// What is nearest to a point at the end of the step, if it is within reach.
    pub fn nearest_at_end(&self, p: DVec3, reach: f64) -> Option<Nearest> {
        self.search(p, reach, &self.to).map(|(_, _, near)| near)
    }

    /// Where a path first comes to the surface, as it is at the end of the step; the path starts
    /// at least `gap` away from it.
    pub fn meeting(&self, path: [DVec3; 2], gap: f64) -> Option<Nearest> {
        let separation = MEETING * gap;
        let around = Bounds::around(path).grown(separation);
        let mut first: Option<(f64, u32, [f64; 3], DVec3)> = None;
        self.hierarchy.overlapping(&around, &mut |triangle| {
            let corners = self.triangles[triangle as usize];
            let motion = [(path[0], &self.from), (path[1], &self.to)].map(|(p, at)| {
                let corner = |i: usize| at[corners[i] as usize];
                [p, corner(0), corner(1), corner(2)]
            });
            let [start, end] = &motion;
            let Some(hit) = impact(Pairing::VertexTriangle, [start, end], separation) else {
                return;
            };
            let earlier =
                |(time, other, ..): &(f64, u32, _, _)| (hit.time, triangle) < (*time, *other);
            if first.as_ref().is_none_or(earlier) {
                let weights = [1, 2, 3].map(|i: usize| -hit.weights[i]);
                first = Some((hit.time, triangle, weights, hit.normal));
            }
        });
        let (_, triangle, weights, normal) = first?;
        let point = self.blend(triangle, weights, &self.to);
        Some(Nearest { distance: 0.0, point, normal, shift: DVec3::ZERO })
    }

    /// The nearest triangle, the weights of its corners, and the point there; of equals, the first.
    fn search(&self, p: DVec3, reach: f64, at: &[DVec3]) -> Option<(u32, [f64; 3], Nearest)> {
        let mut best: Option<(f64, u32, [f64; 3], DVec3)> = None;
        let around = Bounds::around([p]).grown(reach);
        self.hierarchy.overlapping(&around, &mut |triangle| {
            let corners = self.triangles[triangle as usize];
            let corner = |i: usize| at[corners[i] as usize];
            let closest = point_triangle(&[p, corner(0), corner(1), corner(2)]);
            let distance = closest.apart.length();
            let nearer =
                |(other, number, ..): &(f64, u32, _, _)| (distance, triangle) < (*other, *number);
            if distance <= reach && best.as_ref().is_none_or(nearer) {
                let weights = [1, 2, 3].map(|i: usize| -closest.weights[i]);
                let normal = match closest.apart.try_normalize() {
                    Some(normal) => normal,
                    None => closest.normal.normalize_or(DVec3::Y),
                };
                best = Some((distance, triangle, weights, normal));
            }
        });
        let (distance, triangle, weights, normal) = best?;
        let near = Nearest { distance, point: p - normal * distance, normal, shift: DVec3::ZERO };
        Some((triangle, weights, near))
    }

    fn blend(&self, triangle: u32, weights: [f64; 3], at: &[DVec3]) -> DVec3 {
        let corners = self.triangles[triangle as usize];
        (0..3).map(|i| at[corners[i] as usize] * weights[i]).sum()
    }
}
