//! A cut along a stroke: which yarns cross what an eye saw along it.

use glam::DVec3;
use taffeta::Simulation;

/// The edges of the whole cloth that cross the fan of triangles from an eye along its directions.
pub fn edges_along(simulation: &Simulation, eye: DVec3, rays: &[DVec3]) -> Vec<u32> {
    let snapshot = simulation.snapshot();
    let Some(tears) = &snapshot.tears else { return Vec::new() };
    let x = &snapshot.state.positions;
    // Far enough to be behind all of the cloth.
    let reach = x.iter().map(|p| p.distance(eye)).fold(0.0, f64::max) * 2.0;
    let far: Vec<DVec3> = rays.iter().map(|ray| eye + ray.normalize_or_zero() * reach).collect();
    let whole = (0u32..).zip(&tears.torn).filter(|(_, torn)| !**torn).map(|(edge, _)| edge);
    let ends = simulation.model().structural().iter().map(|spring| spring.ends);
    let crossed = |ends: [u32; 2]| {
        let [a, b] = ends.map(|end| x[end as usize]);
        far.windows(2).any(|pair| crosses([a, b], [eye, pair[0], pair[1]]))
    };
    whole.zip(ends).filter(|(_, ends)| crossed(*ends)).map(|(edge, _)| edge).collect()
}

/// Whether a segment passes through a triangle (Möller & Trumbore 1997).
fn crosses([a, b]: [DVec3; 2], [p, q, r]: [DVec3; 3]) -> bool {
    let (along, u, v) = (b - a, q - p, r - p);
    let across = along.cross(v);
    let volume = u.dot(across);
    if volume == 0.0 {
        return false;
    }
    let from = a - p;
    let s = from.dot(across) / volume;
    let other = from.cross(u);
    let (t, way) = (along.dot(other) / volume, v.dot(other) / volume);
    s >= 0.0 && t >= 0.0 && s + t <= 1.0 && (0.0..=1.0).contains(&way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_through_and_beside_a_triangle() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let at = |x: f64, y: f64| [DVec3::new(x, y, -1.0), DVec3::new(x, y, 1.0)];
        assert!(crosses(at(0.2, 0.2), triangle));
        assert!(!crosses(at(0.8, 0.8), triangle));
        assert!(!crosses(at(-0.1, 0.2), triangle));
        assert!(!crosses([DVec3::new(0.2, 0.2, 0.5), DVec3::new(0.2, 0.2, 1.0)], triangle));
        assert!(!crosses([DVec3::ZERO, DVec3::X], triangle));
    }
}
