//! Coarse cloth away from the tear: beyond MBCN09.
//!
//! Where no yarn bears much, the crossings of a cell follow its four corners, so that only these
//! are unknowns of a step; springs of a cell go together into a few that are as stiff. All particles
//! are there at all times: when a cell becomes fine nothing moves, and mass, momentum, angular
//! momentum and kinetic energy are what they were.

use taffeta_linalg::{Follower, Followers};

use super::cloth::{Ends, Woven};
use super::lattice::{Cell, Lattice};
use super::tears::Tears;
use crate::matter::elements::{Buckle, Spring, Strut};
use crate::matter::model::{Coarse, ElementList, GridElements, Hanging, Model, Thread};

impl Coarse {
    /// Of a model of torn cloth; none where all of it is fine.
    pub fn new(woven: &Woven, tears: &Tears, model: &Model) -> Option<Self> {
        if tears.fine.iter().all(|fine| *fine) {
            return None;
        }
        let making = Making { woven, tears, lattice: &woven.lattice };
        let sides = making.sides();
        let followers = Followers::new(model.particles(), making.followers(&sides));
        let mut hanging = Hanging::default();
        let bend = model.structural + model.shear;
        let (flat, bent) = model.springs.split_at(bend);
        let mut springs = making.kept(flat, &followers, &mut hanging.springs, Making::is_within);
        springs.extend(making.kept(bent, &followers, &mut hanging.springs, Making::bends_within));
        let struts = &model.grid.struts.all;
        let mut struts = making.kept(struts, &followers, &mut hanging.struts, Making::is_within);
        let buckles = &model.grid.buckles.all;
        let mut buckles =
            making.kept(buckles, &followers, &mut hanging.buckles, Making::bends_within);
        making.add_bundles(&sides, &mut springs);
        making.add_diagonals(&mut springs, &mut struts);
        making.add_bends(&sides, &mut springs, &mut buckles);
        let mut grid = GridElements::none(model.particles());
        grid.struts = ElementList::new(model.particles(), struts);
        grid.buckles = ElementList::new(model.particles(), buckles);
        let cells = making.coarse_cells().map(|cell| making.corners(cell)).collect();
        Some(Self { followers, cells, springs, grid, hanging })
    }
}

/// A line of the lattice between two of its nodes.
#[derive(Clone, Copy)]
struct LatticeLine {
    thread: Thread,
    from: [u32; 2],
    to: [u32; 2],
    /// The cells on its two sides, before and after it, if they are there and coarse.
    cells: [Option<Cell>; 2],
}

struct Making<'a> {
    woven: &'a Woven,
    tears: &'a Tears,
    lattice: &'a Lattice,
}

impl Making<'_> {
    fn is_coarse(&self, cell: Cell) -> bool {
        !self.tears.fine[self.lattice.number(cell)]
    }

    fn coarse_cells(&self) -> impl Iterator<Item = Cell> {
        self.lattice.cells().filter(|cell| self.is_coarse(*cell))
    }

    /// Whether an element is within a coarse cell, or on its lines.
    fn is_within(&self, [a, b]: [u32; 2]) -> bool {
        let crossings = self.woven.crossings() as u32;
        a.max(b) < crossings && self.lattice.holding(a, b).any(|cell| self.is_coarse(cell))
    }

    /// Whether both halves of an element along a yarn are.
    fn bends_within(&self, [a, b]: [u32; 2]) -> bool {
        let middle = (a + b) / 2;
        self.is_within([a, middle]) && self.is_within([middle, b])
    }

    /// Elements that stay as they are; those at followers go to `hanging`.
    fn kept<E: Ends + Copy>(
        &self,
        elements: &[E],
        followers: &Followers,
        hanging: &mut Vec<E>,
        within: impl Fn(&Self, [u32; 2]) -> bool,
    ) -> Vec<E> {
        let kept = elements.iter().filter(|element| !within(self, element.ends()));
        let follows = |element: &&E| element.ends().iter().any(|end| followers.get(*end).is_some());
        let (hung, kept): (Vec<&E>, Vec<&E>) = kept.partition(follows);
        hanging.extend(hung.into_iter().copied());
        kept.into_iter().copied().collect()
    }

    /// Lines of the lattice with a coarse cell beside them.
    fn sides(&self) -> Vec<LatticeLine> {
        let [across, down] = self.lattice.shape();
        let coarse = |i: Option<u32>, j: Option<u32>| {
            let cell = i.zip(j).filter(|&(i, j)| i < across && j < down)?;
            Some([cell.0, cell.1]).filter(|cell| self.is_coarse(*cell))
        };
        let mut sides = Vec::new();
        for j in 0..=down {
            for i in 0..=across {
                let before = [coarse(Some(i), j.checked_sub(1)), coarse(i.checked_sub(1), Some(j))];
                let after = coarse(Some(i), Some(j));
                for (thread, to, before) in
                    [(Thread::Warp, [i + 1, j], before[0]), (Thread::Weft, [i, j + 1], before[1])]
                {
                    if before.is_some() || after.is_some() {
                        sides.push(LatticeLine {
                            thread,
                            from: [i, j],
                            to,
                            cells: [before, after],
                        });
                    }
                }
            }
        }
        sides.retain(|side| side.to[0] <= across && side.to[1] <= down);
        sides
    }

    /// Crossings from one end of a side to the other.
    fn length(&self, side: &LatticeLine) -> u32 {
        let axis = usize::from(side.thread == Thread::Weft);
        self.lattice.line(axis, side.to[axis]) - self.lattice.line(axis, side.from[axis])
    }

    /// The first crossing of each yarn that a side stands for, itself and those within the coarse
    /// cells beside it, each with its share.
    fn yarns(&self, side: &LatticeLine) -> Vec<(u32, f64)> {
        let first = self.lattice.node(side.from);
        let (axis, stride) = match side.thread {
            Thread::Warp => (1, self.woven.columns),
            Thread::Weft => (0, 1),
        };
        let mut yarns = vec![(first, 1.0)];
        for (after, cell) in side.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let lines = [cell[axis], cell[axis] + 1].map(|line| self.lattice.line(axis, line));
            let width = lines[1] - lines[0];
            for k in 1..width {
                let at = if after == 1 { first + k * stride } else { first - k * stride };
                yarns.push((at, 1.0 - f64::from(k) / f64::from(width)));
            }
        }
        yarns
    }

    fn followers(&self, sides: &[LatticeLine]) -> Vec<Follower> {
        let mut followers = Vec::new();
        for side in sides {
            let [from, to] = [side.from, side.to].map(|node| self.lattice.node(node));
            let (count, stride) = (self.length(side), self.stride(side.thread));
            for k in 1..count {
                let share = f64::from(k) / f64::from(count);
                followers.push(Follower::between(from + k * stride, [from, to], share));
            }
        }
        for cell in self.coarse_cells() {
            self.follow_corners(cell, &mut followers);
        }
        followers.sort_by_key(|follower| follower.particle);
        followers
    }

    fn stride(&self, thread: Thread) -> u32 {
        match thread {
            Thread::Warp => 1,
            Thread::Weft => self.woven.columns,
        }
    }

    /// The crossings within a cell follow its corners.
    fn follow_corners(&self, cell: Cell, followers: &mut Vec<Follower>) {
        let corners = self.corners(cell);
        let [width, height] = self.size(cell);
        for j in 1..height {
            for i in 1..width {
                let (u, v) = (f64::from(i) / f64::from(width), f64::from(j) / f64::from(height));
                let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
                let leaders: [(u32, f64); 4] = std::array::from_fn(|k| (corners[k], weights[k]));
                let particle = corners[0] + j * self.woven.columns + i;
                followers.push(Follower::among(particle, leaders));
            }
        }
    }

    fn corners(&self, [i, j]: Cell) -> [u32; 4] {
        [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(|node| self.lattice.node(node))
    }

    fn size(&self, cell: Cell) -> [u32; 2] {
        [0, 1].map(|k| self.lattice.line(k, cell[k] + 1) - self.lattice.line(k, cell[k]))
    }

    /// Springs along the sides, as stiff as all yarns they stand for.
    fn add_bundles(&self, sides: &[LatticeLine], springs: &mut Vec<Spring>) {
        for side in sides {
            let ends = [side.from, side.to].map(|node| self.lattice.node(node));
            let count = self.length(side);
            let own = Series::new(self.woven, ends[0], side.thread, count);
            let stiffness = self.yarns(side).into_iter().map(|(first, share)| {
                share * Series::new(self.woven, first, side.thread, count).stiffness
            });
            let stiffness: f64 = stiffness.sum();
            let damping = own.damping * stiffness;
            springs.push(Spring { ends, rest_length: own.length, stiffness, damping });
        }
    }

    /// Both diagonals of coarse cells. Sheared alike, cloth stores as much as in the diagonals of
    /// what the yarns enclose: stiffness goes with length² over area.
    fn add_diagonals(&self, springs: &mut Vec<Spring>, struts: &mut Vec<Strut>) {
        let rest = &self.woven.whole.rest;
        let (linear, strut) =
            (self.woven.whole.shear().first(), self.woven.whole.grid.struts.all.first());
        for cell in self.coarse_cells() {
            let [a, b, c, d] = self.corners(cell);
            let [width, height] = self.size(cell).map(f64::from);
            for ends in [[a, d], [b, c]] {
                let length = rest[ends[0] as usize].distance(rest[ends[1] as usize]);
                let scale = |fine: f64| (length / fine).powi(2) / (width * height);
                springs.extend(linear.map(|fine| {
                    let scale = scale(fine.rest_length);
                    let (stiffness, damping) = (fine.stiffness * scale, fine.damping * scale);
                    Spring { ends, rest_length: length, stiffness, damping }
                }));
                struts.extend(strut.map(|fine| {
                    let stiffness = fine.stiffness * scale(fine.rest_length);
                    Strut { ends, rest_length: length, stiffness, ..*fine }
                }));
            }
        }
    }

    /// What bends over two sides in a row.
    fn add_bends(
        &self,
        sides: &[LatticeLine],
        springs: &mut Vec<Spring>,
        buckles: &mut Vec<Buckle>,
    ) {
        let whole = &self.woven.whole;
        if whole.bend().is_empty() && whole.grid.buckles.all.is_empty() {
            return;
        }
        for first in sides {
            // Sides are in the order of rows and columns.
            let place = |node: [u32; 2]| [node[1], node[0]];
            let begin = sides.partition_point(|side| place(side.from) < place(first.to));
            let from_there = sides[begin..].iter().take_while(|side| side.from == first.to);
            let Some(next) = from_there.into_iter().find(|side| side.thread == first.thread) else {
                continue;
            };
            let ends = [first.from, next.to].map(|node| self.lattice.node(node));
            let length = whole.rest[ends[0] as usize].distance(whole.rest[ends[1] as usize]);
            let bent = self.bent([first, next]);
            springs.extend(bent_spring(whole.bend(), &bent, (ends, length)));
            buckles.extend(bent_buckle(&whole.grid.buckles.all, &bent, (ends, length)));
        }
    }

    /// The ends of what bends over the middle of two sides, of all yarns that they stand for, each
    /// with its share.
    fn bent(&self, [first, next]: [&LatticeLine; 2]) -> Vec<([u32; 2], f64)> {
        let stride = self.stride(first.thread);
        let forth = self.length(first) * stride;
        let before = self.yarns(first).into_iter().map(|(at, share)| (at + forth, share));
        let all = before.chain(self.yarns(next));
        let spans = all.map(|(at, share)| ([at - stride, at + stride], 0.5 * share));
        spans.filter(|(over, _)| self.bends_within(*over)).collect()
    }
}

/// Springs one after the other, as one.
#[derive(Clone, Copy)]
struct Series {
    length: f64,
    stiffness: f64,
    /// Damping over stiffness [s].
    damping: f64,
}

impl Series {
    /// Of the springs along a yarn from a crossing on.
    fn new(woven: &Woven, first: u32, thread: Thread, count: u32) -> Self {
        let (mut length, mut compliance, mut damping, mut at) = (0.0, 0.0, 0.0, Some(first));
        for _ in 0..count {
            let Some(crossing) = at else { break };
            if let Some(edge) = woven.edge(crossing, thread, true) {
                let Spring { rest_length, stiffness, damping: force, .. } =
                    woven.whole.springs[edge as usize];
                length += rest_length;
                compliance += 1.0 / stiffness;
                damping = force / stiffness;
            }
            at = woven.beside(crossing, thread, true);
        }
        Self { length, stiffness: 1.0 / compliance, damping }
    }
}

/// One spring for those over these ends, as stiff as cloth of its length.
fn bent_spring(
    fine: &[Spring],
    bent: &[([u32; 2], f64)],
    (ends, rest_length): ([u32; 2], f64),
) -> Option<Spring> {
    let mut sum = Spring { ends, rest_length, stiffness: 0.0, damping: 0.0 };
    for (over, share) in bent {
        let Ok(k) = fine.binary_search_by_key(over, |spring| spring.ends) else { continue };
        let scale = share * fine[k].rest_length / rest_length;
        sum.stiffness += fine[k].stiffness * scale;
        sum.damping += fine[k].damping * scale;
    }
    (sum.stiffness > 0.0).then_some(sum)
}

/// One buckling spring for those over these ends, as rigid.
fn bent_buckle(
    fine: &[Buckle],
    bent: &[([u32; 2], f64)],
    (ends, length): ([u32; 2], f64),
) -> Option<Buckle> {
    let found = bent.iter().filter_map(|(over, share)| {
        let k = fine.binary_search_by_key(over, |buckle| buckle.ends).ok()?;
        Some(share * fine[k].rigidity)
    });
    let rigidity: f64 = found.sum();
    let damping = fine.first().map_or(0.0, |buckle| buckle.damping);
    (rigidity > 0.0).then(|| Buckle::new(ends, length, rigidity, damping))
}
