//! The plan of a multifrontal factorisation: which dense matrices, the fronts, a sparse one is
//! eliminated in, and how they meet (Duff & Reid 1983).
//!
//! Every part of a nested dissection has a front: its own particles, which are eliminated in it,
//! and its border, the particles after them that the part and its halves are coupled to. What is
//! left of a front after the elimination goes into the front of the separator above.

use std::ops::Range;

use glam::DVec3;

use crate::ordering::{Graph, Part, dissect};

/// Particles in a part of the dissection that is not cut further.
const LEAF: usize = 16;
/// The work below two halves, in multiplications, that repays a hand-over to another thread.
const WORTH_A_THREAD: u64 = 2_000_000;

/// The numbers of the factor below two halves that repay one when unknowns are found.
const NUMBERS_WORTH_A_THREAD: usize = 50_000;
/// The rank of a particle that nothing is coupled to.
const ALONE: u32 = u32::MAX;

/// One front.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// The ranks of its own particles.
    pub own: Range<usize>,
    /// The ranks of its border, ascending.
    pub border: Vec<u32>,
    /// The halves below it.
    pub halves: Option<[Half; 2]>,
    /// The blocks of the matrix that enter here.
    pub entries: Vec<Entry>,
    /// Where the columns of its own particles begin among the factor's values.
    pub panel: usize,
    /// The stack that it and all fronts below need, in numbers.
    pub stack: usize,
    /// Whether its halves go to two threads.
    pub apart: bool,
    /// The same when unknowns are found with the factor.
    pub solved_apart: bool,
    /// The unknowns of all fronts below and of this one, with their borders.
    pub room: usize,
}

/// A front below another.
#[derive(Clone, Debug)]
pub(crate) struct Half {
    /// Its number.
    pub front: usize,
    /// Where its border is in the front above.
    pub runs: Vec<Run>,
}

/// Particles that follow each other in a border and in the front above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub from: u32,
    pub to: u32,
    pub count: u32,
}

/// A block of the matrix within a front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its place among the matrix's values.
    pub place: u32,
    pub row: u32,
    pub column: u32,
    /// Whether the front needs the block's transpose.
    pub transposed: bool,
}

impl Front {
    /// Scalars of its own.
    pub fn width(&self) -> usize {
        3 * self.own.len()
    }

    /// Scalars of its own and of its border.
    pub fn height(&self) -> usize {
        self.width() + 3 * self.border.len()
    }

    /// Numbers in what is left for the front above.
    pub fn left_over(&self) -> usize {
        9 * self.border.len() * self.border.len()
    }

    /// The row of a particle in it.
    fn row(&self, rank: usize) -> u32 {
        let own = self.own.len();
        if rank < self.own.end {
            return (rank - self.own.start) as u32;
        }
        (own + self.border.partition_point(|&other| (other as usize) < rank)) as u32
    }

    /// Multiplications of its elimination.
    fn work(&self) -> u64 {
        let (width, height) = (self.width() as u64, self.height() as u64);
        width * height * height / 2
    }
}

/// All fronts, halves before what is above them, and the order of elimination.
pub(crate) struct Fronts {
    /// The particles in the order of elimination.
    pub order: Vec<u32>,
    /// Blocks on the diagonal of particles that nothing is coupled to, by place: they need no front.
    pub alone: Vec<(u32, u32)>,
    pub all: Vec<Front>,
    /// Numbers in the factor.
    pub values: usize,
}

impl Fronts {
    /// Of a matrix with blocks at these places.
    pub fn new(places: &[(u32, u32)], points: &[DVec3]) -> Self {
        let graph = Graph::new(points.len(), places.iter().copied());
        let (coupled, alone): (Vec<u32>, Vec<u32>) =
            (0..points.len() as u32).partition(|vertex| !graph.neighbours(*vertex).is_empty());
        let (order, parts) = dissect(&graph, coupled, points, LEAF);
        let mut ranks = vec![ALONE; points.len()];
        for (rank, &particle) in order.iter().enumerate() {
            ranks[particle as usize] = rank as u32;
        }
        let mut planning =
            Planning { graph, order, ranks, seen: vec![0; points.len()], all: Vec::new() };
        let mut values = 0;
        for part in &parts {
            planning.add(part, values);
            values += planning.all.last().map_or(0, |front| front.width() * front.height());
        }
        planning.enter(places, &parts);
        let alone = alone_at(&alone, places);
        Self { order: planning.order, alone, all: planning.all, values }
    }
}

/// The particles that are alone, ascending, with the place of each in the matrix.
fn alone_at(alone: &[u32], places: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let on_diagonal = (0u32..).zip(places).filter(|(_, (row, column))| row == column);
    let found = on_diagonal.filter(|(_, (row, _))| alone.binary_search(row).is_ok());
    found.map(|(place, (row, _))| (*row, place)).collect()
}

/// Where a border is in a front. A run never crosses from the front's own particles to its border.
fn runs(front: &Front, border: &[u32]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (from, &rank) in (0u32..).zip(border) {
        let to = front.row(rank as usize);
        match runs.last_mut() {
            Some(run) if run.to + run.count == to && to as usize != front.own.len() => {
                run.count += 1;
            }
            _ => runs.push(Run { from, to, count: 1 }),
        }
    }
    runs
}

struct Planning {
    graph: Graph,
    order: Vec<u32>,
    /// The rank of each particle in the order.
    ranks: Vec<u32>,
    /// The last front that met a rank.
    seen: Vec<u32>,
    all: Vec<Front>,
}

impl Planning {
    fn add(&mut self, part: &Part, panel: usize) {
        let mut front = Front {
            own: part.ranks.clone(),
            border: self.border(part),
            halves: None,
            entries: Vec::new(),
            panel,
            stack: 0,
            apart: false,
            solved_apart: false,
            room: 0,
        };
        front.halves = part.halves.map(|halves| {
            halves.map(|half| Half { front: half, runs: runs(&front, &self.all[half].border) })
        });
        self.size(&mut front);
        self.all.push(front);
    }

    /// Particles after a part that it or its halves are coupled to.
    fn border(&mut self, part: &Part) -> Vec<u32> {
        let (end, number) = (part.ranks.end as u32, self.all.len() as u32 + 1);
        let mut border = Vec::new();
        let mut meet = |rank: u32, seen: &mut [u32]| {
            if rank >= end && std::mem::replace(&mut seen[rank as usize], number) != number {
                border.push(rank);
            }
        };
        for &particle in &self.order[part.ranks.clone()] {
            for &other in self.graph.neighbours(particle) {
                meet(self.ranks[other as usize], &mut self.seen);
            }
        }
        for half in part.halves.into_iter().flatten() {
            self.all[half].border.iter().for_each(|&rank| meet(rank, &mut self.seen));
        }
        border.sort_unstable();
        border
    }

    /// How much stack a front needs: halves that go one after the other share theirs, but for what
    /// the first leaves over.
    fn size(&self, front: &mut Front) {
        let Some([near, far]) =
            front.halves.as_ref().map(|h| [&self.all[h[0].front], &self.all[h[1].front]])
        else {
            front.stack = front.left_over();
            front.room = front.height();
            return;
        };
        front.apart = self.work_below(near).min(self.work_below(far)) >= WORTH_A_THREAD;
        let below = match front.apart {
            true => near.stack + far.stack,
            false => near.stack.max(near.left_over() + far.stack),
        };
        front.stack = front.left_over() + below;
        front.room = front.height() + near.room + far.room;
        let numbers = self.numbers_below(near).min(self.numbers_below(far));
        front.solved_apart = numbers >= NUMBERS_WORTH_A_THREAD;
    }

    fn numbers_below(&self, front: &Front) -> usize {
        let halves = front.halves.iter().flatten();
        let own = front.width() * front.height();
        own + halves.map(|half| self.numbers_below(&self.all[half.front])).sum::<usize>()
    }

    fn work_below(&self, front: &Front) -> u64 {
        let halves = front.halves.iter().flatten();
        front.work() + halves.map(|half| self.work_below(&self.all[half.front])).sum::<u64>()
    }

    /// Puts every block of the matrix into the front that eliminates the first of its particles.
    fn enter(&mut self, places: &[(u32, u32)], parts: &[Part]) {
        let mut of_rank = vec![0; self.order.len()];
        for (number, part) in parts.iter().enumerate() {
            of_rank[part.ranks.clone()].fill(number as u32);
        }
        for (place, &(row, column)) in (0u32..).zip(places) {
            let [row, column] = [row, column].map(|particle| self.ranks[particle as usize]);
            if row == ALONE {
                continue;
            }
            let (first, last) = (row.min(column), row.max(column));
            let front = &mut self.all[of_rank[first as usize] as usize];
            let entry = Entry {
                place,
                row: front.row(last as usize),
                column: front.row(first as usize),
                transposed: row < column,
            };
            front.entries.push(entry);
        }
    }
}
