//! Closest points of a vertex and a triangle, and of two edges.

use glam::DVec3;

/// Two directions whose angle has a smaller sine than the root of this are parallel: a normal to
/// them would be made of round-off.
const PARALLEL: f64 = 1e-20;

/// What is paired with what, among four points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pairing {
    /// The first point with the triangle of the others.
    VertexTriangle,
    /// The edge of the first two points with the edge of the last two.
    EdgeEdge,
}

impl Pairing {
    /// How many of the four points belong to the first of the pair.
    pub fn first(self) -> usize {
        match self {
            Self::VertexTriangle => 1,
            Self::EdgeEdge => 2,
        }
    }

    /// Where the pair is closest.
    #[inline]
    pub fn closest(self, points: &[DVec3; 4]) -> Closest {
        match self {
            Self::VertexTriangle => point_triangle(points),
            Self::EdgeEdge => edge_edge(points),
        }
    }
}

/// Where two things are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Σ weight·point leads from the closest point of the second to that of the first. Weights of
    /// the first add up to 1, those of the second to −1.
    pub weights: [f64; 4],
    /// From the closest point of the second to that of the first \[m\].
    pub apart: DVec3,
    /// Perpendicular to both, of any length and to either side: of the triangle, or of both edges.
    pub normal: DVec3,
    /// Whether both closest points are inside: neither on a border of the triangle, nor at an end
    /// of an edge.
    pub inside: bool,
}

/// Closest points of the first point and the triangle of the others.
#[inline]
pub fn point_triangle([p, a, b, c]: &[DVec3; 4]) -> Closest {
    let (ab, ac, ap) = (*b - *a, *c - *a, *p - *a);
    let normal = ab.cross(ac);
    let area = normal.length_squared();
    let at_b = ap.cross(ac).dot(normal) / area;
    let at_c = ab.cross(ap).dot(normal) / area;
    let at_a = 1.0 - at_b - at_c;
    let flat = area <= PARALLEL * ab.length_squared() * ac.length_squared();
    if !flat && at_a >= 0.0 && at_b >= 0.0 && at_c >= 0.0 {
        let apart = normal * (ap.dot(normal) / area);
        let inside = at_a > 0.0 && at_b > 0.0 && at_c > 0.0;
        return Closest { weights: [1.0, -at_a, -at_b, -at_c], apart, normal, inside };
    }
    let sides = [(a, b, 1, 2), (b, c, 2, 3), (c, a, 3, 1)];
    let mut best = (f64::INFINITY, DVec3::ZERO, [1.0, 0.0, 0.0, 0.0]);
    for (from, to, first, second) in sides {
        let (share, apart) = point_segment(*p, *from, *to);
        let distance = apart.length_squared();
        if distance < best.0 {
            let mut weights = [1.0, 0.0, 0.0, 0.0];
            weights[first] = share - 1.0;
            weights[second] = -share;
            best = (distance, apart, weights);
        }
    }
    Closest { weights: best.2, apart: best.1, normal, inside: false }
}

/// Closest points of the edge between the first two points and that between the last two.
#[inline]
pub fn edge_edge([a, b, c, d]: &[DVec3; 4]) -> Closest {
    let (ab, cd, ca) = (*b - *a, *d - *c, *a - *c);
    let normal = ab.cross(cd);
    let area = normal.length_squared();
    // The lines are closest where ca + s·ab − t·cd is along the normal.
    let s = cd.cross(ca).dot(normal) / area;
    let t = ab.cross(ca).dot(normal) / area;
    let parallel = area <= PARALLEL * ab.length_squared() * cd.length_squared();
    if !parallel && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
        let apart = normal * (ca.dot(normal) / area);
        return Closest { weights: [1.0 - s, s, t - 1.0, -t], apart, normal, inside: true };
    }
    let mut best = (f64::INFINITY, DVec3::ZERO, [1.0, 0.0, -1.0, 0.0]);
    let mut keep = |apart: DVec3, s: f64, t: f64| {
        let distance = apart.length_squared();
        if distance < best.0 {
            best = (distance, apart, [1.0 - s, s, t - 1.0, -t]);
        }
    };
    for (end, s) in [(a, 0.0), (b, 1.0)] {
        let (t, apart) = point_segment(*end, *c, *d);
        keep(apart, s, t);
    }
    for (end, t) in [(c, 0.0), (d, 1.0)] {
        let (s, apart) = point_segment(*end, *a, *b);
        keep(-apart, s, t);
    }
    Closest { weights: best.2, apart: best.1, normal, inside: false }
}

/// The point of a segment closest to `p`, as a share of the way from `a` to `b`, and the vector
/// from there to `p`.
#[inline]
pub fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> (f64, DVec3) {
    let (along, offset) = (b - a, p - a);
    let share = offset.dot(along) / along.length_squared();
    // Not a number where the segment is a point.
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    // From the nearer end, for the sake of round-off.
    let apart = if share <= 0.5 { offset - along * share } else { p - b + along * (1.0 - share) };
    (share, apart)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from)
    }

    fn points() -> impl Strategy<Value = [DVec3; 4]> {
        prop::array::uniform4(point())
    }

    /// Some point of the first and some point of the second, as weights.
    fn any_two(pairing: Pairing, s: f64, t: f64) -> [f64; 4] {
        match pairing {
            Pairing::VertexTriangle => [1.0, s - 1.0, -s * (1.0 - t), -s * t],
            Pairing::EdgeEdge => [1.0 - s, s, t - 1.0, -t],
        }
    }

    fn between(points: &[DVec3; 4], weights: [f64; 4]) -> DVec3 {
        (0..4).map(|k| points[k] * weights[k]).sum()
    }

    proptest! {
        #[test]
        fn no_two_points_are_closer(points in points(), s in 0.0..=1.0f64, t in 0.0..=1.0f64) {
            for pairing in [Pairing::VertexTriangle, Pairing::EdgeEdge] {
                let closest = pairing.closest(&points);
                let other = between(&points, any_two(pairing, s, t)).length();
                prop_assert!(closest.apart.length() <= other + 1e-12);
                prop_assert!((between(&points, closest.weights) - closest.apart).length() < 1e-9);
                let (first, second) = closest.weights.split_at(pairing.first());
                prop_assert!((first.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert!((second.iter().sum::<f64>() + 1.0).abs() < 1e-12);
                prop_assert!(first.iter().all(|w| (0.0..=1.0).contains(w)));
                prop_assert!(second.iter().all(|w| (-1.0..=0.0).contains(w)));
            }
        }

        #[test]
        fn inside_the_shortest_way_is_along_the_normal(points in points()) {
            for pairing in [Pairing::VertexTriangle, Pairing::EdgeEdge] {
                let closest = pairing.closest(&points);
                let off = closest.apart.cross(closest.normal).length();
                prop_assert!(!closest.inside || off <= 1e-12 * closest.normal.length());
            }
        }

        /// Points on a line make triangles without area and parallel edges.
        #[test]
        fn on_a_line_too(at in prop::array::uniform4(-1.0..1.0f64), along in point(),
                         s in 0.0..=1.0f64, t in 0.0..=1.0f64) {
            let points = at.map(|x| along * x);
            for pairing in [Pairing::VertexTriangle, Pairing::EdgeEdge] {
                let apart = pairing.closest(&points).apart.length();
                prop_assert!(apart <= between(&points, any_two(pairing, s, t)).length() + 1e-12);
            }
        }
    }
}
