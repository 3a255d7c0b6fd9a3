//! The shadow of cloth on the ground under light from straight above, for the drape coefficient.

use glam::{DVec2, DVec3};

/// Rows that the shadow is cut into; within a row its length is exact.
const ROWS: usize = 4000;

/// The area that triangles cover seen from above \[m²\], counted once where they overlap.
pub fn area(positions: &[DVec3], triangles: impl Iterator<Item = [u32; 3]>) -> f64 {
    let flat = |corner: u32| DVec2::new(positions[corner as usize].x, positions[corner as usize].z);
    let triangles: Vec<[DVec2; 3]> = triangles.map(|corners| corners.map(flat)).collect();
    let all = || triangles.iter().flatten().map(|corner| corner.y);
    let (low, high) =
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if !(low.is_finite() && high > low) {
        return 0.0;
    }
    let height = (high - low) / ROWS as f64;
    let mut rows: Vec<Vec<[f64; 2]>> = vec![Vec::new(); ROWS];
    for triangle in &triangles {
        let ends = triangle.map(|corner| (corner.y - low) / height - 0.5);
        let first = ends.into_iter().fold(f64::INFINITY, f64::min).ceil().max(0.0) as usize;
        let last = ends.into_iter().fold(f64::NEG_INFINITY, f64::max).floor();
        for (row, spans) in rows.iter_mut().enumerate().skip(first) {
            if row as f64 > last {
                break;
            }
            spans.extend(span(triangle, low + (row as f64 + 0.5) * height));
        }
    }
    rows.iter_mut().map(|spans| covered(spans)).sum::<f64>() * height
}

/// Where a line along x cuts a triangle.
fn span(triangle: &[DVec2; 3], y: f64) -> Option<[f64; 2]> {
    let mut cut = [f64::INFINITY, f64::NEG_INFINITY];
    for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (triangle[a], triangle[b])) {
        if (a.y <= y) != (b.y <= y) {
            let x = a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
            cut = [cut[0].min(x), cut[1].max(x)];
        }
    }
    (cut[0] < cut[1]).then_some(cut)
}

/// The length that spans cover together.
fn covered(spans: &mut [[f64; 2]]) -> f64 {
    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut sum, mut reached) = (0.0, f64::NEG_INFINITY);
    for &[from, to] in spans.iter() {
        sum += (to - from.max(reached)).max(0.0);
        reached = reached.max(to);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(y: f64, shift: f64) -> Vec<DVec3> {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .map(|(x, z)| DVec3::new(x + shift, y, z))
            .to_vec()
    }

    #[test]
    fn a_square_covers_itself_and_what_lies_over_it_no_more() {
        let one = area(&square(0.0, 0.0), [[0, 1, 2], [0, 2, 3]].into_iter());
        assert!((one - 1.0).abs() < 1e-9, "{one}");
        let both = [square(0.0, 0.0), square(0.3, 0.25)].concat();
        let faces = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
        let two = area(&both, faces.into_iter());
        assert!((two - 1.25).abs() < 1e-9, "{two}");
    }

    #[test]
    fn a_tilted_square_has_the_shadow_of_its_cosine() {
        let (s, c) = libm::sincos(1.0);
        let tilted: Vec<DVec3> =
            square(0.0, 0.0).iter().map(|p| DVec3::new(p.x, p.z * s, p.z * c)).collect();
        let shadow = area(&tilted, [[0, 1, 2], [0, 2, 3]].into_iter());
        assert!((shadow - c).abs() < 1e-9, "{shadow}");
    }

    #[test]
    fn a_disc_has_the_area_of_its_polygon() {
        let corner = |i: u32| {
            let (s, c) = libm::sincos(f64::from(i) / 100.0 * std::f64::consts::TAU);
            DVec3::new(c, 0.0, s)
        };
        let rim: Vec<DVec3> = (0..100).map(corner).collect();
        let disc = area(&rim, (1..99).map(|i| [0, i, i + 1]));
        let exact = 50.0 * libm::sin(std::f64::consts::TAU / 100.0);
        assert!((disc / exact - 1.0).abs() < 1e-5, "{disc} {exact}");
    }
}
