//! The linear system of an implicit step with held directions (BW98 §5.2).

use glam::{DMat3, DVec3};

use crate::filter::Filter;
use crate::matrix::BlockMatrix;
use crate::multiply::MultiplyScratch;
use crate::parallel::update;

/// Particles whose filtering repays another thread.
const GRAIN: usize = 4096;

/// Find x with S (A x − b) = 0 and (I − S) x = (I − S) z.
#[derive(Clone, Copy, Debug)]
pub struct FilteredSystem<'a> {
    /// A, symmetric and positive definite in the free directions.
    pub matrix: &'a BlockMatrix,
    /// b.
    pub right: &'a [DVec3],
    /// S, one filter for each particle.
    pub filters: &'a [Filter],
    /// z, of which only the held part is used.
    pub prescribed: &'a [DVec3],
}

impl FilteredSystem<'_> {
    /// Sets `x` to what is prescribed and to no motion in the free directions.
    pub(crate) fn start(&self, x: &mut [DVec3]) {
        x.fill(DVec3::ZERO);
        self.impose(x);
    }

    /// Replaces the held part of `x` by what is prescribed.
    pub(crate) fn impose(&self, x: &mut [DVec3]) {
        update(x, GRAIN, |i, x| {
            let filter = &self.filters[i];
            *x = filter.free_part(*x) + filter.held_part(self.prescribed[i]);
        });
    }

    /// `out` = S (b − A x).
    pub(crate) fn free_residual(
        &self,
        x: &[DVec3],
        out: &mut [DVec3],
        scratch: &mut MultiplyScratch,
    ) {
        self.matrix.multiply(x, out, scratch);
        update(out, GRAIN, |i, r| *r = self.filters[i].free_part(self.right[i] - *r));
    }

    /// Diagonal block i of S A S + (I − S): A in the free directions, the identity in the held
    /// ones, and so invertible whatever is held.
    fn free_diagonal(&self, i: usize) -> DMat3 {
        let block = self.matrix.diagonal()[i];
        let filter = &self.filters[i];
        if *filter == Filter::FREE {
            return block;
        }
        let s = filter.matrix();
        s * block * s + (DMat3::IDENTITY - s)
    }

    /// The k-th stored block of S A S + (I − S), at this row and column.
    pub(crate) fn free_block(&self, k: usize, (row, column): (u32, u32)) -> DMat3 {
        if row == column {
            return self.free_diagonal(row as usize);
        }
        self.free_part((row, column), self.matrix.values[k])
    }

    /// What is free of a block beside the diagonal.
    pub(crate) fn free_part(&self, (row, column): (u32, u32), block: DMat3) -> DMat3 {
        let (left, right) = (&self.filters[row as usize], &self.filters[column as usize]);
        if *left == Filter::FREE && *right == Filter::FREE {
            return block;
        }
        left.matrix() * block * right.matrix()
    }
}
