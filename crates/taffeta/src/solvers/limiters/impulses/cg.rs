//! Conjugate gradients with a diagonal preconditioner, for comparison with the factorisation
//! (Ye08 §7).

use taffeta_linalg::{LowerColumns, fill, ordered_sum, update};

use super::system::ImpulseSystem;

/// Rows whose products repay a hand-over to another thread.
const GRAIN: usize = 4096;

/// Memory of conjugate gradients over one pattern.
#[derive(Debug)]
pub(super) struct Cg {
    /// Where each row of the whole matrix begins; one more than rows.
    starts: Vec<u32>,
    /// Column and place among the values, of every entry of the whole matrix.
    entries: Vec<(u32, u32)>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Cg {
    pub fn new(columns: &LowerColumns) -> Self {
        let size = columns.size();
        let mut rows: Vec<Vec<(u32, u32)>> = vec![Vec::new(); size];
        for column in 0..size {
            let places = columns.offsets[column]..columns.offsets[column + 1];
            for place in places {
                let row = columns.rows[place as usize];
                rows[row as usize].push((column as u32, place));
                if row as usize != column {
                    rows[column].push((row, place));
                }
            }
        }
        let mut starts = vec![0];
        for row in &mut rows {
            row.sort_unstable();
            starts.push(starts[starts.len() - 1] + row.len() as u32);
        }
        let zero = vec![0.0; size];
        Self {
            starts,
            entries: rows.concat(),
            residual: zero.clone(),
            direction: zero.clone(),
            image: zero,
        }
    }

    /// Solves A x = b in place from zero; `limits` are the relative residual to reach and the most
    /// iterations. Returns the iterations spent and whether the residual was reached.
    pub fn solve(
        &mut self,
        system: &ImpulseSystem,
        x: &mut [f64],
        (tolerance, max_iterations): (f64, u32),
    ) -> (u32, bool) {
        self.residual.copy_from_slice(x);
        x.fill(0.0);
        let size = x.len();
        let diagonal = |i: usize| system.values[system.columns.offsets[i] as usize];
        let squared = |r: &[f64]| ordered_sum(size, |i| r[i] * r[i] / diagonal(i));
        let residual = &mut self.residual;
        let mut norm = squared(residual);
        let enough = tolerance * tolerance * norm;
        fill(&mut self.direction, GRAIN, |i| residual[i] / diagonal(i));
        for iteration in 0..max_iterations {
            if norm <= enough {
                return (iteration, true);
            }
            let (direction, values) = (&self.direction, &system.values);
            let (starts, entries) = (&self.starts, &self.entries);
            fill(&mut self.image, GRAIN, |i| {
                let row = &entries[starts[i] as usize..starts[i + 1] as usize];
                row.iter().map(|&(j, place)| values[place as usize] * direction[j as usize]).sum()
            });
            let image = &self.image;
            let step = norm / ordered_sum(size, |i| direction[i] * image[i]);
            update(x, GRAIN, |i, x| *x += step * direction[i]);
            update(residual, GRAIN, |i, r| *r -= step * image[i]);
            let next = squared(residual);
            let turn = next / norm;
            norm = next;
            update(&mut self.direction, GRAIN, |i, d| *d = residual[i] / diagonal(i) + turn * *d);
        }
        (max_iterations, norm <= enough)
    }
}
