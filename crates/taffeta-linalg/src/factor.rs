//! Sparse LDLᵀ of a symmetric matrix: planned once per pattern, factored many times in memory
//! of its own.

use std::time::{Duration, Instant};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::{LdltError, LdltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};
use glam::DVec3;
use thiserror::Error;

use crate::ordering::{Graph, nested_dissection};

/// Scalars in a part of the dissection that is not cut further.
const LEAF: usize = 40;

/// Why a matrix could not be planned or factored.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FactorError {
    /// The arrays do not describe the lower triangle of a square matrix.
    #[error("the matrix pattern is not a lower triangle by columns: {0}")]
    Malformed(&'static str),
    /// A value is infinite or not a number.
    #[error("the matrix holds a value that is not a finite number, at place {place}")]
    NotFinite {
        /// Its place among the values.
        place: usize,
    },
    /// A pivot is zero, of the wrong sign or not finite.
    #[error(
        "pivot {row} is not positive: the matrix is singular or indefinite there; add mass or \
         regularisation, or hold the particle"
    )]
    Pivot {
        /// The scalar row of the matrix whose pivot failed.
        row: usize,
    },
    /// There is not enough memory for the factor.
    #[error(
        "the factor does not fit into memory; solve by conjugate gradients ([solver.pcg]), or use fewer particles"
    )]
    OutOfMemory,
}

/// The lower triangle of a symmetric sparse matrix by columns, values apart.
#[derive(Clone, Debug)]
pub struct LowerColumns {
    /// Where each column begins in `rows`; one more entry than columns.
    pub offsets: Vec<u32>,
    /// The rows of the entries, none above its column.
    pub rows: Vec<u32>,
}

impl LowerColumns {
    /// Number of columns.
    pub fn size(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn check(&self) -> Result<(), FactorError> {
        let ascending = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (self.offsets.first(), self.offsets.last().map(|&end| end as usize));
        if !ascending || ends != (Some(&0), Some(self.rows.len())) {
            return Err(FactorError::Malformed("offsets must ascend from 0 to the entries"));
        }
        let lower =
            self.entries().all(|(row, column)| row >= column && (row as usize) < self.size());
        if lower {
            Ok(())
        } else {
            Err(FactorError::Malformed("a row is above its column or beyond"))
        }
    }

    /// Row and column of every entry.
    fn entries(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.size() as u32).flat_map(move |column| {
            let range =
                self.offsets[column as usize] as usize..self.offsets[column as usize + 1] as usize;
            self.rows[range].iter().map(move |&row| (row, column))
        })
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        SymbolicSparseColMatRef::new_unsorted_checked(
            self.size(),
            self.size(),
            &self.offsets,
            None,
            &self.rows,
        )
    }
}

/// The factor L D Lᵀ of a sparse symmetric positive matrix with a fixed pattern.
pub struct SparseFactor {
    columns: LowerColumns,
    symbolic: SymbolicCholesky<u32>,
    values: Vec<f64>,
    memory: MemBuffer,
    times: PlanTimes,
}

/// What it took to plan a factorisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanTimes {
    /// Finding an order of elimination.
    pub ordering: Duration,
    /// Finding the pattern of the factor.
    pub symbolic: Duration,
}

impl SparseFactor {
    /// Plans the factorisation with nested dissection by a place for each row, for example the
    /// rest position of the particle or the midpoint of the spring it belongs to.
    pub fn by_coordinates(columns: LowerColumns, points: &[DVec3]) -> Result<Self, FactorError> {
        columns.check()?;
        if points.len() != columns.size() {
            return Err(FactorError::Malformed("there must be one point for each row"));
        }
        let clock = Instant::now();
        let order = nested_dissection(&Graph::new(columns.size(), columns.entries()), points, LEAF);
        let ordering = clock.elapsed();
        let mut factor = Self::plan(columns, &order)?;
        factor.times.ordering = ordering;
        Ok(factor)
    }

    /// Plans the factorisation with an order of elimination, a permutation of the rows.
    fn plan(columns: LowerColumns, order: &[u32]) -> Result<Self, FactorError> {
        let mut inverse = vec![0; order.len()];
        for (rank, &row) in order.iter().enumerate() {
            inverse[row as usize] = rank as u32;
        }
        let order =
            SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, columns.size()));
        // Left to itself the library takes its slow kind for large dissected matrices.
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let clock = Instant::now();
        let symbolic = factorize_symbolic_cholesky(columns.pattern(), Side::Lower, order, params)
            .map_err(|_| FactorError::OutOfMemory)?;
        let room = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(room).map_err(|_| FactorError::OutOfMemory)?;
        let mut values = Vec::new();
        values.try_reserve_exact(symbolic.len_val()).map_err(|_| FactorError::OutOfMemory)?;
        values.resize(symbolic.len_val(), 0.0);
        let times = PlanTimes { ordering: Duration::ZERO, symbolic: clock.elapsed() };
        Ok(Self { columns, symbolic, values, memory, times })
    }

    /// What planning took.
    pub fn plan_times(&self) -> PlanTimes {
        self.times
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.columns.size()
    }

    /// Factors the matrix with these values, one for each entry of the pattern. No memory is
    /// allocated.
    pub fn factorize(&mut self, values: &[f64]) -> Result<(), FactorError> {
        if values.len() != self.columns.rows.len() {
            return Err(FactorError::Malformed("there must be one value for each entry"));
        }
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            return Err(FactorError::NotFinite { place });
        }
        let matrix = SparseColMatRef::new(self.columns.pattern(), values);
        let stack = MemStack::new(&mut self.memory);
        let done = self.symbolic.factorize_numeric_ldlt(
            &mut self.values,
            matrix,
            Side::Lower,
            LdltRegularization::default(),
            Par::Seq,
            stack,
            Spec::default(),
        );
        let bad = match done {
            Ok(_) => self.pivots().position(|pivot| !(pivot.is_finite() && pivot > 0.0)),
            Err(LdltError::ZeroPivot { index }) => Some(index),
        };
        bad.map_or(Ok(()), |rank| Err(FactorError::Pivot { row: self.row_of(rank) }))
    }

    /// The diagonal of D in the order of elimination.
    fn pivots(&self) -> impl Iterator<Item = f64> {
        let parts = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(parts) => Some(parts),
            SymbolicCholeskyRaw::Simplicial(_) => None,
        };
        parts.into_iter().flat_map(move |parts| {
            (0..parts.n_supernodes()).flat_map(move |s| {
                let width = (parts.supernode_end()[s] - parts.supernode_begin()[s]) as usize;
                let height = width + parts.supernode(s).pattern().len();
                let first = parts.col_ptr_for_val()[s] as usize;
                (0..width).map(move |k| self.values[first + k * (height + 1)])
            })
        })
    }

    /// The row that is eliminated at this rank.
    fn row_of(&self, rank: usize) -> usize {
        self.symbolic.perm().map_or(rank, |order| order.arrays().0[rank] as usize)
    }

    /// Solves A x = b in place. The result means nothing before a successful factorisation.
    pub fn solve(&mut self, x: &mut [f64]) {
        solve(&self.symbolic, &self.values, x, &mut self.memory);
    }

    /// Memory for solves of those who share the factor.
    pub fn solve_memory(&self) -> Result<SolveMemory, FactorError> {
        let room = self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        MemBuffer::try_new(room).map(SolveMemory).map_err(|_| FactorError::OutOfMemory)
    }

    /// Like [`SparseFactor::solve`], for those who share the factor.
    pub fn solve_in(&self, memory: &mut SolveMemory, x: &mut [f64]) {
        solve(&self.symbolic, &self.values, x, &mut memory.0);
    }
}

/// Memory for solves with a shared factor.
pub struct SolveMemory(MemBuffer);

fn solve(symbolic: &SymbolicCholesky<u32>, values: &[f64], x: &mut [f64], memory: &mut MemBuffer) {
    let size = x.len();
    let right = MatMut::from_column_major_slice_mut(x, size, 1);
    let factor = LdltRef::<u32, f64>::new(symbolic, values);
    factor.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(memory));
}
