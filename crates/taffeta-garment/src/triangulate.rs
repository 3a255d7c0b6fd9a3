//! A panel cut into good triangles: points on a triangular lattice inside of its outline, relaxed,
//! and the Delaunay triangulation that keeps the outline.

use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};

use crate::outline;
use crate::pattern::Panel;

/// Rounds in which inner points move to the middle of their neighbours.
const ROUNDS: usize = 12;

/// How near to the outline points of the lattice may be, over its spacing.
const CLEAR: f64 = 0.62;

/// Triangles of less than this area, over a side squared, are none.
const SLIVER: f64 = 1e-9;

/// A flat shape cut into triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangles {
    /// The corners; those of the outline first, in their order.
    pub points: Vec<DVec2>,
    /// The triangles, counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
}

/// Cuts what is within a simple, counter-clockwise way into triangles with sides of about `spacing`.
/// The points of the way stay, and no others are put on it. Nothing if that cannot be.
pub fn triangulate(way: &[DVec2], spacing: f64) -> Option<Triangles> {
    let mut points = way.to_vec();
    points.extend(lattice(way, spacing));
    let mut triangles = delaunay(way, &points)?;
    for _ in 0..ROUNDS {
        relax(way.len(), &mut points, &triangles);
        triangles = delaunay(way, &points)?;
    }
    Some(Triangles { points, triangles })
}

impl Triangles {
    /// The least angle of any triangle \[rad\], and which has it.
    pub fn least_angle(&self) -> (f64, usize) {
        let angle = |triangle: &[u32; 3]| {
            let at = triangle.map(|corner| self.points[corner as usize]);
            let corner = |i: usize| {
                let (a, b) = (at[(i + 1) % 3] - at[i], at[(i + 2) % 3] - at[i]);
                libm::atan2(a.perp_dot(b), a.dot(b))
            };
            corner(0).min(corner(1)).min(corner(2))
        };
        let angles = self.triangles.iter().map(angle).zip(0..);
        angles.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
    }
}

/// Points of a triangular lattice inside of a way, clear of it.
fn lattice(way: &[DVec2], spacing: f64) -> Vec<DVec2> {
    let low = way.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let high = way.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
    let rise = spacing * 0.75f64.sqrt();
    let counts = (high - low) / DVec2::new(spacing, rise);
    let row = |row: u32| {
        let shift = if row.is_multiple_of(2) { 0.25 } else { 0.75 };
        let y = low.y + (f64::from(row) + 0.5) * rise;
        let column =
            move |column: u32| DVec2::new(low.x + (f64::from(column) + shift) * spacing, y);
        (0..=counts.x as u32).map(column)
    };
    let clear = CLEAR * spacing;
    let fits =
        |point: &DVec2| outline::contains(way, *point) && outline::distance(way, *point) > clear;
    (0..=counts.y as u32).flat_map(row).filter(fits).collect()
}

/// The triangles inside of a way; nothing if points coincide or the way crosses itself.
fn delaunay(way: &[DVec2], points: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    let mut mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(points.len());
    for (number, point) in points.iter().enumerate() {
        let handle = mesh.insert(Point2::new(point.x, point.y)).ok()?;
        if handle.index() != number {
            return None;
        }
        handles.push(handle);
    }
    for corner in 0..way.len() {
        let ends = [handles[corner], handles[(corner + 1) % way.len()]];
        if !mesh.can_add_constraint(ends[0], ends[1]) {
            return None;
        }
        mesh.add_constraint(ends[0], ends[1]);
    }
    let corners = mesh.inner_faces().map(|face| face.vertices().map(|v| v.fix().index() as u32));
    let inside = |corners: &[u32; 3]| {
        let at = corners.map(|corner| points[corner as usize]);
        // Where the outline is straight but for rounding, there are slivers beside it.
        let longest = (at[1] - at[0]).length_squared().max((at[2] - at[0]).length_squared());
        let sliver = Panel::area_within(&at) < SLIVER * longest;
        !sliver && outline::contains(way, (at[0] + at[1] + at[2]) / 3.0)
    };
    Some(corners.filter(inside).collect())
}

/// Moves inner points to the middle of their neighbours.
fn relax(fixed: usize, points: &mut [DVec2], triangles: &[[u32; 3]]) {
    let mut sums = vec![(DVec2::ZERO, 0.0f64); points.len()];
    for triangle in triangles {
        for i in 0..3 {
            let [from, to] = [triangle[i] as usize, triangle[(i + 1) % 3] as usize];
            // Each inner edge is met from both sides, once in each direction.
            sums[from].0 += points[to];
            sums[from].1 += 1.0;
        }
    }
    for (point, (sum, count)) in points.iter_mut().zip(sums).skip(fixed) {
        if count > 0.0 {
            *point = sum / count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;

    /// A sleeve cap: a curve over a base.
    fn cap(spacing: f64) -> Vec<DVec2> {
        let [a, b] = [DVec2::new(-0.2, 0.0), DVec2::new(0.2, 0.0)];
        let controls = [DVec2::new(0.11, 0.08), DVec2::new(0.07, 0.14)];
        let top = DVec2::new(0.0, 0.14);
        let side = Curve::Cubic(controls);
        let [c, d] = controls.map(|control| DVec2::new(-control.x, control.y));
        let back = Curve::Cubic([d, c]);
        let parts = |length: f64| (length / spacing).round() as usize;
        let mut way = Curve::Line.sample([a, b], parts(0.4));
        way.pop();
        way.extend(side.sample([b, top], parts(side.length([b, top]))));
        way.pop();
        way.extend(back.sample([top, a], parts(back.length([top, a]))));
        way.pop();
        way
    }

    #[test]
    fn triangles_cover_the_shape_and_are_good() {
        for spacing in [0.03, 0.015, 0.007] {
            let way = cap(spacing);
            let cut = triangulate(&way, spacing).unwrap();
            assert_eq!(cut.points[..way.len()], way[..]);
            let area =
                |t: &[u32; 3]| Panel::area_within(&t.map(|corner| cut.points[corner as usize]));
            assert!(cut.triangles.iter().all(|triangle| area(triangle) > 0.0));
            let sum: f64 = cut.triangles.iter().map(area).sum();
            assert!((sum / Panel::area_within(&way) - 1.0).abs() < 1e-9);
            let (least, _) = cut.least_angle();
            assert!(least.to_degrees() > 20.0, "{}", least.to_degrees());
            let mean = sum / cut.triangles.len() as f64;
            assert!((0.7..1.4).contains(&(mean / (0.433 * spacing * spacing))), "{mean}");
        }
    }

    #[test]
    fn a_way_through_itself_has_no_triangles() {
        let bow = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)].map(DVec2::from);
        assert_eq!(triangulate(&bow, 0.3), None);
    }
}
