//! The zero of a function as a closed mesh: one vertex in every cell of a grid that it passes through
//! (Gibson 1998, Constrained Elastic Surface Nets), brought onto it, and evened out along it.

use std::collections::BTreeMap;

use glam::DVec3;
use taffeta::Mesh;
use taffeta::mesh::Faces;

/// Turns of evening out, and how much of the way to the neighbours' middle each goes.
const TURNS: usize = 6;
const SHARE: f64 = 0.6;
/// Newton's steps onto the surface after each.
const STEPS: usize = 3;
/// Over which a slope is taken, as a share of a cell.
const NUDGE: f64 = 1e-3;

/// A box of cells.
pub struct Grid {
    pub low: DVec3,
    pub counts: [usize; 3],
    pub cell: f64,
}

impl Grid {
    fn place(&self, at: [usize; 3]) -> DVec3 {
        self.low + DVec3::from_array(at.map(|count| count as f64)) * self.cell
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * (self.counts[1] + 1) + y) * (self.counts[0] + 1) + x
    }

    fn points(&self) -> impl Iterator<Item = [usize; 3]> {
        let [nx, ny, nz] = self.counts;
        (0..=nz).flat_map(move |z| (0..=ny).flat_map(move |y| (0..=nx).map(move |x| [x, y, z])))
    }
}

/// The surface on which `signed` is zero, seen from where it is above; triangles.
pub fn surface(grid: &Grid, signed: impl Fn(DVec3) -> f64) -> Mesh {
    let values: Vec<f64> = grid.points().map(|at| signed(grid.place(at))).collect();
    let mut vertices = BTreeMap::new();
    let mut positions = Vec::new();
    for at in grid.points().filter(|at| (0..3).all(|axis| at[axis] < grid.counts[axis])) {
        if let Some(place) = crossing(grid, &values, at) {
            vertices.insert(at, positions.len() as u32);
            positions.push(place);
        }
    }
    let quads = quads(grid, &values, &vertices);
    let neighbours = neighbours(&quads, positions.len());
    for _ in 0..TURNS {
        even_out(&mut positions, &neighbours, (&signed, grid.cell * NUDGE));
    }
    let mut faces = Faces::new();
    for [a, b, c, d] in quads {
        let at = |vertex: u32| positions[vertex as usize];
        let across = at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d));
        let two = if across { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        two.iter().for_each(|triangle| faces.push(triangle));
    }
    Mesh { positions, faces }
}

/// The middle of the places at which the surface crosses the edges of a cell; none if it does not.
fn crossing(grid: &Grid, values: &[f64], at: [usize; 3]) -> Option<DVec3> {
    let corner = |k: usize| [at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2 & 1)];
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for from in 0..8 {
        for to in [1, 2, 4].map(|bit| from | bit).into_iter().filter(|to| *to != from) {
            let [a, b] = [from, to].map(|k| values[grid.index(corner(k))]);
            if (a < 0.0) != (b < 0.0) {
                let [p, q] = [from, to].map(|k| grid.place(corner(k)));
                sum += p + (q - p) * (a / (a - b));
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// A quad around every edge of the grid that the surface crosses, between the cells at it.
fn quads(grid: &Grid, values: &[f64], vertices: &BTreeMap<[usize; 3], u32>) -> Vec<[u32; 4]> {
    let mut quads = Vec::new();
    for at in grid.points() {
        for axis in 0..3 {
            let mut next = at;
            next[axis] += 1;
            if next[axis] > grid.counts[axis] {
                continue;
            }
            let [a, b] = [at, next].map(|at| values[grid.index(at)] < 0.0);
            if a == b {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let cell = |du: usize, dv: usize| {
                let mut cell = at;
                cell[u] = cell[u].checked_sub(du)?;
                cell[v] = cell[v].checked_sub(dv)?;
                vertices.get(&cell).copied()
            };
            let around = [cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)];
            let [Some(p), Some(q), Some(r), Some(s)] = around else { continue };
            // Fronts face where it is above zero.
            quads.push(if a { [p, q, r, s] } else { [s, r, q, p] });
        }
    }
    quads
}

fn neighbours(quads: &[[u32; 4]], vertices: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); vertices];
    for quad in quads {
        for k in 0..4 {
            all[quad[k] as usize].push(quad[(k + 1) % 4]);
        }
    }
    all
}

fn even_out(
    positions: &mut [DVec3],
    neighbours: &[Vec<u32>],
    (signed, nudge): (&impl Fn(DVec3) -> f64, f64),
) {
    let before = positions.to_vec();
    for (place, around) in positions.iter_mut().zip(neighbours) {
        let sum: DVec3 = around.iter().map(|other| before[*other as usize]).sum();
        let way = (sum / around.len().max(1) as f64 - *place) * SHARE;
        let normal = slope(*place, signed, nudge).normalize_or_zero();
        *place += way - normal * way.dot(normal);
        for _ in 0..STEPS {
            let steep = slope(*place, signed, nudge);
            *place -= steep * (signed(*place) / steep.length_squared().max(0.1));
        }
    }
}

fn slope(at: DVec3, signed: &impl Fn(DVec3) -> f64, nudge: f64) -> DVec3 {
    let along =
        |axis: DVec3| (signed(at + axis * nudge) - signed(at - axis * nudge)) / (2.0 * nudge);
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}
