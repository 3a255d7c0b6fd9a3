//! A disc of cloth, and what is seen of it from above.

use std::f64::consts::TAU;
use std::fmt::Write;

/// The angle by which each ring is turned against the one before: never twice the same place \[rad\].
const GOLDEN: f64 = 2.399_963_229_728_653;
/// Side of a cell of the shadow \[m\].
const CELL: f64 = 2.5e-4;
/// Directions in which the outline is looked at.
const DIRECTIONS: usize = 180;

/// Triangles on rings around a middle.
pub struct Disc {
    pub places: Vec<[f64; 2]>,
    pub triangles: Vec<[usize; 3]>,
    /// How many particles are within the ring that is held.
    pub held: usize,
}

impl Disc {
    /// Rings so far apart \[m\]; a ring is at the radius of the support \[m\] if that is a multiple.
    pub fn new(radius: f64, support: f64, spacing: f64) -> Self {
        let rings = (radius / spacing).round() as usize;
        let mut disc = Self { places: vec![[0.0, 0.0]], triangles: Vec::new(), held: 1 };
        let mut inner = vec![(0.0, 0)];
        for ring in 1..=rings {
            let at = ring as f64 * spacing;
            let count = (TAU * at / spacing).round() as usize;
            let turned = GOLDEN * ring as f64;
            let angle = |k: usize| (turned + TAU * k as f64 / count as f64).rem_euclid(TAU);
            let mut outer: Vec<(f64, usize)> = (0..count).map(|k| (angle(k), 0)).collect();
            outer.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (angle, number) in &mut outer {
                *number = disc.places.len();
                disc.places.push([at * libm::cos(*angle), at * libm::sin(*angle)]);
            }
            disc.join(&inner, &outer);
            if at < support + 0.1 * spacing {
                disc.held = disc.places.len();
            }
            inner = outer;
        }
        disc
    }

    /// Triangles between two rings, whose particles are in the order of their angles: each step goes on
    /// along the ring whose next particle comes first.
    fn join(&mut self, inner: &[(f64, usize)], outer: &[(f64, usize)]) {
        let around = |ring: &[(f64, usize)], k: usize| {
            let (angle, number) = ring[k % ring.len()];
            (angle + TAU * (k / ring.len()) as f64, number)
        };
        // A middle is one particle, and no ring to go along.
        let steps = if inner.len() == 1 { 0 } else { inner.len() };
        let (mut i, mut o) = (0, 0);
        while i < steps || o < outer.len() {
            let (a, b) = (around(inner, i).1, around(outer, o).1);
            let goes_out =
                i == steps || (o < outer.len() && around(outer, o + 1).0 <= around(inner, i + 1).0);
            if goes_out {
                self.triangles.push([a, around(outer, o + 1).1, b]);
                o += 1;
            } else {
                self.triangles.push([a, around(inner, i + 1).1, b]);
                i += 1;
            }
        }
    }

    /// As an OBJ file, level, with the warp along x.
    pub fn obj(&self) -> String {
        let mut text = String::new();
        for [x, z] in &self.places {
            let _ = writeln!(text, "v {x} 0 {z}\nvt {x} {z}");
        }
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|corner| corner + 1);
            let _ = writeln!(text, "f {a}/{a} {b}/{b} {c}/{c}");
        }
        text
    }

    /// The area of the shadow of the draped disc, lit from above \[m²\].
    pub fn shadow(&self, at: &[[f64; 3]]) -> f64 {
        let reach = at.iter().flat_map(|p| [p[0].abs(), p[2].abs()]).fold(0.0, f64::max) + CELL;
        let side = (2.0 * reach / CELL).ceil() as usize;
        let mut dark = vec![false; side * side];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(|k| [at[k][0] + reach, at[k][2] + reach].map(|x| x / CELL));
            let bounds = |axis: usize| {
                let (low, high) = [b, c].iter().fold((a[axis], a[axis]), |(low, high), p| {
                    (low.min(p[axis]), high.max(p[axis]))
                });
                (low as usize)..=(high as usize).min(side - 1)
            };
            for (x, z) in bounds(1).flat_map(|z| bounds(0).map(move |x| (x, z))) {
                if holds([a, b, c], [x as f64 + 0.5, z as f64 + 0.5]) {
                    dark[z * side + x] = true;
                }
            }
        }
        dark.iter().filter(|dark| **dark).count() as f64 * CELL * CELL
    }

    /// How far the outline of the draped disc reaches in every direction \[m\].
    fn outline(&self, at: &[[f64; 3]]) -> Vec<f64> {
        let mut reach = vec![0.0f64; DIRECTIONS];
        let ends = self.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        for [a, b] in ends {
            // Edges are short beside the circle: some points along each are enough.
            for k in 0..=8 {
                let part = f64::from(k) / 8.0;
                let [x, z] = [0, 2].map(|axis| at[a][axis] * (1.0 - part) + at[b][axis] * part);
                let turn = libm::atan2(z, x).rem_euclid(TAU) / TAU;
                let direction = (turn * DIRECTIONS as f64) as usize % DIRECTIONS;
                reach[direction] = reach[direction].max(libm::hypot(x, z));
            }
        }
        reach
    }

    /// Folds: places where the outline is farthest out, farther than the hollows beside by so much \[m\].
    pub fn folds(&self, at: &[[f64; 3]], depth: f64) -> usize {
        peaks(&self.outline(at), depth)
    }
}

/// Whether a triangle holds a point, whichever way it is turned.
fn holds([a, b, c]: [[f64; 2]; 3], p: [f64; 2]) -> bool {
    let side =
        |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}

/// Peaks of a closed series that are at least so far above the hollows on both sides.
fn peaks(series: &[f64], depth: f64) -> usize {
    let lowest = (0..series.len()).min_by(|a, b| series[*a].total_cmp(&series[*b])).unwrap_or(0);
    let (mut count, mut climbing) = (0, true);
    let (mut low, mut high) = (series[lowest], series[lowest]);
    for k in 0..=series.len() {
        let value = series[(lowest + k) % series.len()];
        if climbing {
            high = high.max(value);
            low = low.min(value);
            if high - low >= depth && high - value >= depth {
                (count, climbing, low) = (count + 1, false, value);
            }
        } else {
            low = low.min(value);
            if value - low >= depth {
                (climbing, high) = (true, value);
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn level(disc: &Disc) -> Vec<[f64; 3]> {
        disc.places.iter().map(|[x, z]| [*x, 0.0, *z]).collect()
    }

    #[test]
    fn a_disc_is_closed_and_its_shadow_is_its_area() {
        let disc = Disc::new(0.15, 0.09, 0.01);
        // Euler: of a disc, vertices − edges + faces = 1, with 3 f = 2 e − border.
        let border = disc.places.iter().filter(|p| libm::hypot(p[0], p[1]) > 0.1499).count();
        assert_eq!(disc.triangles.len(), 2 * (disc.places.len() - 1) - border);
        let shadow = disc.shadow(&level(&disc));
        assert!((shadow / (PI * 0.0225) - 1.0).abs() < 0.005, "{shadow}");
        let held = &disc.places[..disc.held];
        assert!(held.iter().all(|p| libm::hypot(p[0], p[1]) < 0.0901));
        assert!(disc.places[disc.held..].iter().all(|p| libm::hypot(p[0], p[1]) > 0.0901));
    }

    #[test]
    fn folds_are_counted() {
        let disc = Disc::new(0.15, 0.09, 0.005);
        let waved = |count: f64| -> Vec<[f64; 3]> {
            let place = |[x, z]: &[f64; 2]| {
                let pulled = 0.9 + 0.08 * libm::cos(count * libm::atan2(*z, *x));
                [x * pulled, 0.0, z * pulled]
            };
            disc.places.iter().map(place).collect()
        };
        for count in [2, 5, 8] {
            assert_eq!(disc.folds(&waved(f64::from(count)), 0.004), count as usize);
        }
        assert_eq!(disc.folds(&level(&disc), 0.004), 0);
    }
}
