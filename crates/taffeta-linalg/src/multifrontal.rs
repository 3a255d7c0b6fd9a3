//! A multifrontal Cholesky factorisation of symmetric matrices of 3×3 blocks, in parallel and with
//! the same bits on any number of threads: which fronts go to which thread is decided by the plan,
//! and each is eliminated by one thread.
//!
//! The general sparse factorisation of the library behind it works on single numbers, in one
//! thread; blocks make plans nine times smaller, and dense kernels do the rest.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par, Spec};
use glam::{DMat3, DVec3};

use crate::factor::FactorError;
use crate::fronts::{Front, Fronts, Run};
use crate::substitution::Substitution;

/// That of all memory for dense factorisations, in bytes: any of it fits any front that is no larger.
const ALIGNMENT: usize = 128;

/// The factor L Lᵀ of a block matrix with a fixed pattern.
pub(crate) struct Multifrontal {
    fronts: Fronts,
    /// The columns of L, front by front: a panel has the front's own columns.
    values: Vec<f64>,
    stack: Vec<f64>,
    /// The inverse of each block that is alone.
    alone: Vec<DMat3>,
    /// What each front's dense factorisation needs.
    memories: Vec<MemBuffer>,
    /// Unknowns in the order of elimination.
    ranked: Vec<f64>,
    /// The unknowns of fronts and of their borders.
    local: Vec<f64>,
}

/// Makes a list of numbers so long; an error where there is no memory for it.
fn resize(list: &mut Vec<f64>, len: usize) -> Result<(), FactorError> {
    list.try_reserve_exact(len.saturating_sub(list.len())).map_err(|_| FactorError::OutOfMemory)?;
    list.resize(len, 0.0);
    Ok(())
}

impl Multifrontal {
    /// Plans for matrices with blocks at these rows and columns, of each pair in one half only;
    /// `points` place the particles so that near ones are coupled.
    pub fn new(places: &[(u32, u32)], points: &[DVec3]) -> Result<Self, FactorError> {
        let mut factor = Self {
            fronts: Fronts::new(&[], &[]),
            values: Vec::new(),
            stack: Vec::new(),
            alone: Vec::new(),
            memories: Vec::new(),
            ranked: Vec::new(),
            local: Vec::new(),
        };
        factor.plan_again(places, points)?;
        Ok(factor)
    }

    /// Plans for other matrices in the same memory: fresh memory takes as long as a plan.
    pub fn plan_again(
        &mut self,
        places: &[(u32, u32)],
        points: &[DVec3],
    ) -> Result<(), FactorError> {
        let fronts = Fronts::new(places, points);
        self.make_room(&fronts.all)?;
        resize(&mut self.values, fronts.values)?;
        resize(&mut self.stack, fronts.all.last().map_or(0, |root| root.stack))?;
        self.ranked.resize(3 * fronts.order.len(), 0.0);
        self.local.resize(fronts.all.last().map_or(0, |root| root.room), 0.0);
        self.fronts = fronts;
        Ok(())
    }

    /// The bytes that a plan for such matrices would take, without any of them.
    pub fn bytes(places: &[(u32, u32)], points: &[DVec3]) -> u64 {
        let fronts = Fronts::new(places, points);
        let scratch = |front: &Front| {
            cholesky_in_place_scratch::<f64>(front.width(), Par::Seq, Spec::default()).size_bytes()
        };
        let scratch: usize = fronts.all.iter().map(scratch).sum();
        let stack = fronts.all.last().map_or(0, |root| root.stack + root.room);
        (size_of::<f64>() * (fronts.values + stack) + scratch) as u64
    }

    /// Memory for the dense factorisation of each front; what is large enough is kept.
    fn make_room(&mut self, fronts: &[Front]) -> Result<(), FactorError> {
        self.memories.truncate(fronts.len());
        for (k, front) in fronts.iter().enumerate() {
            let room = cholesky_in_place_scratch::<f64>(front.width(), Par::Seq, Spec::default());
            let enough = self.memories.get(k).is_some_and(|memory| {
                memory.len() >= room.size_bytes() && room.align_bytes() <= ALIGNMENT
            });
            if enough {
                continue;
            }
            let room = room.and(StackReq::new_aligned::<u8>(0, ALIGNMENT));
            let memory = MemBuffer::try_new(room).map_err(|_| FactorError::OutOfMemory)?;
            match self.memories.get_mut(k) {
                Some(old) => *old = memory,
                None => self.memories.push(memory),
            }
        }
        Ok(())
    }

    /// Factors the matrix with these blocks, in the order of their places; those at the same place
    /// are added up. No memory is allocated.
    pub fn factorize(&mut self, blocks: &[DMat3]) -> Result<(), FactorError> {
        if let Some(place) = blocks.iter().position(|block| !block.is_finite()) {
            return Err(FactorError::NotFinite { place });
        }
        self.invert_alone(blocks)?;
        let tree = EliminationTree { fronts: &self.fronts.all, first: 0, blocks };
        let memory = (&mut self.values[..], &mut self.memories[..]);
        tree.eliminate(memory, &mut self.stack).map_err(|rank| {
            let particle = self.fronts.order[rank / 3] as usize;
            FactorError::Pivot { row: 3 * particle + rank % 3 }
        })
    }

    fn invert_alone(&mut self, blocks: &[DMat3]) -> Result<(), FactorError> {
        self.alone.clear();
        for &(particle, place) in &self.fronts.alone {
            let block = blocks[place as usize];
            if block.determinant() <= 0.0 {
                return Err(FactorError::Pivot { row: 3 * particle as usize });
            }
            self.alone.push(block.inverse());
        }
        Ok(())
    }

    /// Solves A x = b in place. The result means nothing before a successful factorisation.
    pub fn solve(&mut self, x: &mut [DVec3]) {
        let Self { fronts, values, local, ranked, alone, .. } = self;
        for (&(particle, _), inverse) in fronts.alone.iter().zip(alone) {
            x[particle as usize] = *inverse * x[particle as usize];
        }
        for (scalars, &particle) in ranked.chunks_exact_mut(3).zip(&fronts.order) {
            scalars.copy_from_slice(&x[particle as usize].to_array());
        }
        let tree = Substitution { fronts: &fronts.all, values };
        tree.forward(ranked, local);
        tree.backward(ranked, local);
        for (scalars, &particle) in ranked.chunks_exact(3).zip(&fronts.order) {
            x[particle as usize] = DVec3::from_slice(scalars);
        }
    }
}

/// Fronts of which the last is above all others.
#[derive(Clone, Copy)]
struct EliminationTree<'a> {
    fronts: &'a [Front],
    /// The number of the first.
    first: usize,
    blocks: &'a [DMat3],
}

/// The panels and memories of a tree's fronts.
type Memory<'a> = (&'a mut [f64], &'a mut [MemBuffer]);

impl<'a> EliminationTree<'a> {
    /// Eliminates all fronts; what the last leaves over is at the beginning of the stack. Fails
    /// with the rank, in scalars, of the first pivot that is not positive.
    fn eliminate(self, (values, memories): Memory<'_>, stack: &mut [f64]) -> Result<(), usize> {
        let Some((front, below)) = self.fronts.split_last() else { return Ok(()) };
        let (left, stack) = stack.split_at_mut(front.left_over());
        let panel_begin = front.panel - self.fronts[0].panel;
        let (below_values, panel) = values.split_at_mut(panel_begin);
        let (memory, below_memories) = match memories.split_last_mut() {
            Some(split) => split,
            None => return Ok(()),
        };
        enter(front, self.blocks, panel);
        if let Some([near, far]) = &front.halves {
            let cut = near.front + 1 - self.first;
            let [near_tree, far_tree] = self.halves(below, cut);
            let (near_values, far_values) =
                below_values.split_at_mut(far_tree.fronts[0].panel - self.fronts[0].panel);
            let (near_memories, far_memories) = below_memories.split_at_mut(cut);
            let [near_front, far_front] = [&self.fronts[cut - 1], &below[below.len() - 1]];
            let room = if front.apart { near_front.stack } else { near_front.left_over() };
            let near_memory = (near_values, near_memories);
            let far_memory = (far_values, far_memories);
            if front.apart {
                let (near_stack, far_stack) = stack.split_at_mut(room);
                let (near_done, far_done) = rayon::join(
                    || near_tree.eliminate(near_memory, near_stack),
                    || far_tree.eliminate(far_memory, far_stack),
                );
                near_done.and(far_done)?;
            } else {
                near_tree.eliminate(near_memory, stack)?;
                far_tree.eliminate(far_memory, &mut stack[room..])?;
            }
            let near_left = &stack[..near_front.left_over()];
            let far_left = &stack[room..][..far_front.left_over()];
            add_to_panel(front, &near.runs, near_left, panel);
            add_to_panel(front, &far.runs, far_left, panel);
            reduce(front, panel, left, memory)?;
            add_to_left(front, &near.runs, near_left, left);
            add_to_left(front, &far.runs, far_left, left);
            return Ok(());
        }
        reduce(front, panel, left, memory)
    }

    fn halves(self, below: &'a [Front], cut: usize) -> [Self; 2] {
        let (near, far) = below.split_at(cut);
        [Self { fronts: near, ..self }, Self { fronts: far, first: self.first + cut, ..self }]
    }
}

/// Puts the blocks of the matrix into a front.
fn enter(front: &Front, blocks: &[DMat3], panel: &mut [f64]) {
    let height = front.height();
    panel.fill(0.0);
    for entry in &front.entries {
        let block = blocks[entry.place as usize];
        let block = if entry.transposed { block.transpose() } else { block };
        for axis in 0..3 {
            let begin = (3 * entry.column as usize + axis) * height + 3 * entry.row as usize;
            for (sum, value) in panel[begin..begin + 3].iter_mut().zip(block.col(axis).to_array()) {
                *sum += value;
            }
        }
    }
}

/// Adds to a front's own columns what a front below left over.
fn add_to_panel(front: &Front, runs: &[Run], from: &[f64], panel: &mut [f64]) {
    let own = front.own.len() as u32;
    let own_runs = runs.iter().filter(|run| run.to < own);
    let sum = Sum { runs, from_height: 3 * below(runs), to_height: front.height(), above: 0 };
    own_runs.for_each(|run| sum.add(run, from, panel));
}

/// Adds to what a front leaves over what a front below left over.
fn add_to_left(front: &Front, runs: &[Run], from: &[f64], left: &mut [f64]) {
    let own = front.own.len() as u32;
    let border_runs = runs.iter().filter(|run| run.to >= own);
    let to_height = front.height() - front.width();
    let sum = Sum { runs, from_height: 3 * below(runs), to_height, above: own };
    border_runs.for_each(|run| sum.add(run, from, left));
}

/// The particles of the border that runs describe.
fn below(runs: &[Run]) -> usize {
    runs.last().map_or(0, |run| (run.from + run.count) as usize)
}

/// How columns of what is left over are added to those of the front above.
struct Sum<'a> {
    runs: &'a [Run],
    from_height: usize,
    to_height: usize,
    /// Particles before the first row and column of what is added to.
    above: u32,
}

impl Sum<'_> {
    /// Adds the lower triangle in the columns of a run.
    fn add(&self, columns: &Run, from: &[f64], to: &mut [f64]) {
        let first = 3 * columns.from as usize;
        for k in 0..3 * columns.count as usize {
            let from = &from[(first + k) * self.from_height..][..self.from_height];
            let column = 3 * (columns.to - self.above) as usize + k;
            let to = &mut to[column * self.to_height..][..self.to_height];
            for run in self.runs.iter().filter(|run| run.from >= columns.from) {
                let at = 3 * (run.to - self.above) as usize;
                let values = &from[3 * run.from as usize..][..3 * run.count as usize];
                for (sum, value) in to[at..].iter_mut().zip(values) {
                    *sum += value;
                }
            }
        }
    }
}

/// Eliminates a front's own particles: its panel becomes columns of L, and what they take off the
/// border is left over.
fn reduce(
    front: &Front,
    panel: &mut [f64],
    left: &mut [f64],
    memory: &mut MemBuffer,
) -> Result<(), usize> {
    let (width, height) = (front.width(), front.height());
    let first = 3 * front.own.start;
    let panel = MatMut::from_column_major_slice_mut(panel, height, width);
    let (mut own, mut border) = panel.split_at_row_mut(width);
    let plain = LltRegularization::default();
    let stack = MemStack::new(memory);
    cholesky_in_place(own.rb_mut(), plain, Par::Seq, stack, Spec::default())
        .map_err(|LltError::NonPositivePivot { index }| first + index)?;
    let good = |pivot: f64| pivot.is_finite() && pivot > 0.0;
    if let Some(bad) = (0..width).find(|&k| !good(own[(k, k)])) {
        return Err(first + bad);
    }
    let border_height = height - width;
    solve_lower_triangular_in_place(own.rb(), border.rb_mut().transpose_mut(), Par::Seq);
    let border: MatRef<'_, f64> = border.rb();
    matmul(
        MatMut::from_column_major_slice_mut(left, border_height, border_height),
        BlockStructure::TriangularLower,
        Accum::Replace,
        border,
        BlockStructure::Rectangular,
        border.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
    Ok(())
}
