//! The matrix of a step, of all that acts on the cloth, and its solution.

use std::sync::Arc;
use std::time::Instant;

use glam::{DMat3, DVec3, Mat3A};
use taffeta_linalg::{
    BlockMatrix, BlockPattern, Coupling, DirectSolver, ElementRows, Filter, FilteredSystem,
    Follower, PcgLimits, RowFactor, RowMatrix, RowPattern, RowPcg, RowPlan, fill, ordered_sum,
};

use super::following::Following;
use super::gauges::Gauges;
use super::membranes::{self, Moved};
use super::plate::PlateRows;
use crate::contact::ContactRow;
use crate::error::PlanError;
use crate::matter::elements::{Buckle, Condition, Corner, Fold, Local, Spring, Strut, outer};
use crate::matter::gauge::{Along, Gauge};
use crate::matter::model::{Coarse, ElementList, Model};
use crate::setup::integrator::{ImplicitEuler, Solver};
use crate::setup::piece::Piece;
use crate::step::outcome::{Refusal, Solved};
use crate::step::passage::Passage;

/// Level of fill of the incomplete factor. A first level takes a third off the iterations of a sheet on a
/// ball of 2,601 particles, and a fifth more time.
const LEVEL: u32 = 0;
/// In steps up to this long the stiffness of hinges is that of flat cloth [s].
const LONGEST_FLAT: f64 = 1.01 / 240.0;
/// Particles whose work repays a hand-over to another thread.
const GRAIN: usize = 2048;

/// A linear system for the changes of places in a step.
pub(super) struct System {
    matrix: RowMatrix,
    plans: Plans,
    plate: Option<PlateRows>,
    linear: Linear,
    /// By rows.
    right: Vec<DVec3>,
    /// By particles.
    pub change: Vec<DVec3>,
    /// Rows that pins hold, before they did: to know with what force.
    held: Vec<HeldRow>,
}

/// How the elements of a model go into the rows.
struct Plans {
    membranes: RowPlan<3>,
    /// Gauges that are no columns of membranes.
    gauges: RowPlan<2>,
    springs: RowPlan<2>,
    struts: RowPlan<2>,
    buckles: RowPlan<2>,
    corners: RowPlan<3>,
    folds: RowPlan<4>,
    hinges: RowPlan<4>,
    ties: RowPlan<2>,
    following: Option<Following>,
}

/// How the system is solved.
enum Linear {
    Pcg(Box<RowSolver>),
    Direct(Box<(BlockMatrix, DirectSolver)>),
}

struct RowSolver {
    factor: RowFactor,
    pcg: RowPcg,
    limits: PcgLimits,
    /// By rows.
    change: Vec<DVec3>,
}

/// A row that is held.
struct HeldRow {
    particle: u32,
    diagonal: DMat3,
    blocks: Vec<(u32, DMat3)>,
}

impl Linear {
    fn new(
        solver: Solver,
        model: &Model,
        rows: &RowPattern,
        groups: &[Vec<u32>],
    ) -> Result<Self, PlanError> {
        Ok(match solver {
            Solver::Pcg { tolerance, max_iterations } => Self::Pcg(Box::new(RowSolver {
                factor: RowFactor::new(rows, LEVEL).with_patches(rows, &model.rest),
                pcg: RowPcg::new(rows.len()),
                limits: PcgLimits {
                    tolerance,
                    enough: 0.0,
                    max_iterations: max_iterations as usize,
                },
                change: vec![DVec3::ZERO; rows.len()],
            })),
            Solver::Direct => {
                let blocks = Arc::new(block_pattern(model, groups)?);
                let solver = DirectSolver::new(&blocks, &model.rest)?;
                Self::Direct(Box::new((BlockMatrix::new(blocks), solver)))
            }
        })
    }

    /// Plans for another model, in the same memory where that is large: fresh memory takes as long as a
    /// plan.
    fn plan_again(
        &mut self,
        solver: Solver,
        model: &Model,
        rows: &RowPattern,
        groups: &[Vec<u32>],
    ) -> Result<(), PlanError> {
        if let Self::Direct(memory) = self {
            let (matrix, direct) = &mut **memory;
            let blocks = Arc::new(block_pattern(model, groups)?);
            direct.plan_again(&blocks, &model.rest)?;
            *matrix = BlockMatrix::new(blocks);
            return Ok(());
        }
        *self = Self::new(solver, model, rows, groups)?;
        Ok(())
    }
}

impl System {
    pub fn new(piece: &Piece, settings: &ImplicitEuler) -> Result<Self, PlanError> {
        let (model, groups) = (piece.model, groups(piece));
        let rows = row_pattern(model, &groups);
        let linear = Linear::new(settings.solver, model, &rows, &groups)?;
        let zero = vec![DVec3::ZERO; model.particles()];
        let plate = model.bending().map(|bending| PlateRows::new(bending, &model.rest, &rows));
        Ok(Self {
            plans: Plans::new(piece, &rows)?,
            plate: plate.transpose()?,
            linear,
            matrix: RowMatrix::new(rows),
            right: zero.clone(),
            change: zero,
            held: Vec::new(),
        })
    }

    /// Plans for another model, as what is left of cloth that tears.
    pub fn plan_again(&mut self, piece: &Piece, settings: &ImplicitEuler) -> Result<(), PlanError> {
        let (model, groups) = (piece.model, groups(piece));
        let rows = row_pattern(model, &groups);
        self.linear.plan_again(settings.solver, model, &rows, &groups)?;
        let zero = vec![DVec3::ZERO; model.particles()];
        let plate = model.bending().map(|bending| PlateRows::new(bending, &model.rest, &rows));
        (self.plans, self.plate) = (Plans::new(piece, &rows)?, plate.transpose()?);
        (self.right, self.change) = (zero.clone(), zero);
        self.matrix = RowMatrix::new(rows);
        Ok(())
    }

    /// What was learnt from earlier solves.
    pub fn forget(&mut self) {
        if let Linear::Pcg(solver) = &mut self.linear {
            solver.factor.forget();
        }
    }

    /// Assembles the step with the particles at `places`, which are `turns` from where velocities
    /// alone carry them; of a `first` solve they are only predicted.
    pub fn assemble(
        &mut self,
        passage: &Passage,
        (places, turns): (&[DVec3], &[DVec3]),
        gauges: Option<(&Gauges, &[f64])>,
        first: bool,
    ) {
        let (model, rate) = (passage.model, 1.0 / passage.h);
        let moved = Moved { from: &passage.state.positions, to: places, rate, first };
        let long = passage.h > LONGEST_FLAT;
        if let (Some(plate), Some(bending)) = (&mut self.plate, model.bending()) {
            if long { plate.load(bending, &moved) } else { plate.bend(bending, &moved) }
        }
        let pattern = Arc::clone(self.matrix.pattern());
        let inertia = |i: usize| model.masses[i] * rate * rate;
        let masses = |row: usize| inertia(pattern.particle(row)) as f32;
        let plate = self.plate.as_ref().filter(|_| !long);
        match plate {
            Some(PlateRows { diagonal, beside, .. }) => {
                let damped = |[k, d]: [f32; 2]| k + d * rate as f32;
                self.matrix.set_scalars(
                    |row| masses(row) + damped(diagonal[row]),
                    |block| damped(beside[block]),
                );
            }
            None => self.matrix.set_scalars(masses, |_| 0.0),
        }
        let (loads, drag) = (passage.loads, passage.drag);
        let resisted = |i: usize| {
            let bent = plate.map_or(DVec3::ZERO, |plate| plate.force(i));
            loads[i] + bent - turns[i] * inertia(i) - drag[i] * (turns[i] * rate)
        };
        fill(&mut self.right, GRAIN, |row| resisted(pattern.particle(row)));
        // What acts on followers acts on their leaders.
        for follower in followers(passage.coarse) {
            let force = resisted(follower.particle as usize);
            self.right[pattern.row(follower.particle) as usize] = DVec3::ZERO;
            for &(leader, weight) in follower.leaders() {
                self.right[pattern.row(leader) as usize] += force * weight;
            }
        }
        for (i, drag) in (0..).zip(drag) {
            if *drag != DMat3::ZERO {
                self.matrix.add_to_diagonal(i, *drag * rate);
            }
        }
        if let (Some(coarse), Some(following)) = (passage.coarse, &self.plans.following) {
            coarse.followers.hand_over_blocks(drag, rate, &mut self.matrix);
            following.masses.add(&mut self.matrix, rate * rate);
        }
        self.plans.add(passage, &moved, gauges, (&mut self.matrix, &mut self.right));
        if let (true, Some(plate), Some(bending)) = (long, &self.plate, model.bending()) {
            self.plans.hinges.add(&mut self.matrix, &mut self.right, |e| {
                let hinge = &bending.hinges()[e];
                let at = hinge.corners.map(|i| places[i as usize]);
                rows_of(&hinge.corners, &hinge.derivatives(&at, plate.moments[e]), &moved)
            });
        }
    }

    /// Adds a contact that answers with a force and stiffness along its normal, and across it.
    pub fn add_row(&mut self, row: &ContactRow, force: DVec3, (along, across): (f64, f64)) {
        let pattern = self.matrix.pattern();
        for (weight, &particle) in row.weights.iter().zip(&row.particles) {
            self.right[pattern.row(particle) as usize] += force * *weight;
        }
        let normal = outer(row.normal, row.normal) * (along - across);
        let strength = normal + DMat3::from_diagonal(DVec3::splat(across));
        if row.is_of_one() {
            self.matrix.add_to_diagonal(row.particles[0], strength);
        } else {
            let (particles, weights) = (row.particles, row.weights);
            self.matrix.couple(&Coupling { particles, weights, strength });
        }
    }

    /// Solves for the change, from the one that is there. Of what the loads make of the cloth, a residual
    /// of so many times the relative tolerance is `enough` in any case.
    pub fn solve(
        &mut self,
        passage: &Passage,
        filters: &[Filter],
        (places, enough): (&[DVec3], f64),
    ) -> Result<Solved, Refusal> {
        let begun = Instant::now();
        self.hold(passage);
        let pattern = Arc::clone(self.matrix.pattern());
        let solved = match &mut self.linear {
            Linear::Pcg(solver) => {
                let RowSolver { factor, pcg, limits, change } = &mut **solver;
                let guess = &self.change;
                fill(change, GRAIN, |row| guess[pattern.particle(row)]);
                factor.refresh(&self.matrix).map_err(|_| Refusal)?;
                let (loads, masses) = (passage.loads, &passage.model.masses);
                let work = ordered_sum(loads.len(), |i| loads[i].length_squared() / masses[i]);
                let share = enough * limits.tolerance * passage.h;
                let limits = PcgLimits { enough: share * share * work, ..*limits };
                let report = pcg.solve(&self.matrix, factor, (&self.right, change), limits);
                let report = report.map_err(|_| Refusal)?;
                let rows = (0..).zip(&*change);
                rows.for_each(|(row, dx)| self.change[pattern.particle(row)] = *dx);
                let unconverged = u32::from(!report.converged);
                Solved { iterations: report.iterations as u32, unconverged, ..Solved::default() }
            }
            Linear::Direct(solver) => {
                let (matrix, direct) = &mut **solver;
                self.matrix.copy_to(matrix);
                let mut right = vec![DVec3::ZERO; pattern.len()];
                for (row, sum) in self.right.iter().enumerate() {
                    right[pattern.particle(row)] = *sum;
                }
                let nothing = vec![DVec3::ZERO; pattern.len()];
                let system =
                    FilteredSystem { matrix, right: &right, filters, prescribed: &nothing };
                direct.factorize(&system, places).map_err(|_| Refusal)?;
                direct.solve(&system, &mut self.change);
                Solved { iterations: 1, ..Solved::default() }
            }
        };
        if let Some(coarse) = passage.coarse {
            coarse.followers.follow(&mut self.change);
        }
        Ok(Solved { solving: begun.elapsed(), ..solved })
    }

    /// Takes what pins hold out of the system, and keeps it.
    fn hold(&mut self, passage: &Passage) {
        self.held.clear();
        for constraint in passage.constraints {
            let (diagonal, blocks) = self.matrix.row_of(constraint.particle);
            let particle = constraint.particle;
            self.held.push(HeldRow { particle, diagonal, blocks: blocks.collect() });
        }
        for constraint in passage.constraints {
            self.matrix.hold(constraint.particle, &constraint.filter);
        }
    }

    /// BW98 §5.4: what the last solution leaves of the equations is the force of the constraints [N].
    pub fn reactions(&self, passage: &Passage, reactions: &mut Vec<DVec3>) {
        let pattern = self.matrix.pattern();
        let times = |block: DMat3, i: usize| block * self.change[i];
        reactions.clear();
        for (constraint, held) in passage.constraints.iter().zip(&self.held) {
            let i = held.particle as usize;
            let others = held.blocks.iter().map(|&(other, block)| times(block, other as usize));
            let left = times(held.diagonal, i) + others.sum::<DVec3>();
            let left = left - self.right[pattern.row(held.particle) as usize];
            reactions.push(constraint.filter.held_part(left));
        }
    }
}

/// Which particles the matrix of a model couples.
pub(crate) fn pattern(piece: &Piece) -> Result<BlockPattern, PlanError> {
    block_pattern(piece.model, &groups(piece))
}

fn block_pattern(model: &Model, groups: &[Vec<u32>]) -> Result<BlockPattern, PlanError> {
    let lists = groups.iter().map(|group| &group[..]);
    Ok(BlockPattern::new(model.particles(), lists)?)
}

fn row_pattern(model: &Model, groups: &[Vec<u32>]) -> Arc<RowPattern> {
    Arc::new(RowPattern::new(&model.rest, groups.iter().map(|group| &group[..])))
}

/// What is not an unknown, but follows others.
fn followers(coarse: Option<&Coarse>) -> &[Follower] {
    coarse.map_or(&[], |coarse| coarse.followers.all())
}

/// The particles of each element, for a pattern.
fn groups(piece: &Piece) -> Vec<Vec<u32>> {
    let (model, grid) = (piece.model, piece.solved_grid());
    // Coarse cloth has no limits.
    let gauges = if piece.coarse.is_some() { &[][..] } else { &model.gauges };
    let coarse = piece.coarse.map(Following::groups);
    let hinges = model.bending().map_or(&[][..], |bending| bending.hinges());
    let membranes = model.membranes.iter().map(|membrane| membrane.corners.to_vec());
    membranes
        .chain(hinges.iter().map(|hinge| hinge.corners.to_vec()))
        .chain(piece.solved_springs().iter().map(|spring| spring.ends.to_vec()))
        .chain(model.ties.iter().map(|tie| tie.ends.to_vec()))
        .chain(gauges.iter().map(|gauge| gauge.corners().map(|(i, _)| i).collect()))
        .chain(grid.struts.all.iter().map(|e| e.corners().to_vec()))
        .chain(grid.buckles.all.iter().map(|e| e.corners().to_vec()))
        .chain(grid.corners.all.iter().map(|e| e.corners().to_vec()))
        .chain(grid.folds.all.iter().map(|e| e.corners().to_vec()))
        .chain(coarse.unwrap_or_default())
        .collect()
}

impl Plans {
    fn new(piece: &Piece, pattern: &RowPattern) -> Result<Self, PlanError> {
        let model = piece.model;
        let triangles: Vec<[u32; 3]> = model.membranes.iter().map(|m| m.corners).collect();
        let springs = piece.solved_springs().iter();
        let springs: Vec<[u32; 2]> = springs.map(|spring| spring.ends).collect();
        let ties: Vec<[u32; 2]> = model.ties.iter().map(|tie| tie.ends).collect();
        let grid = piece.solved_grid();
        let ends = |gauge: &Gauge| [gauge.particles[0], gauge.particles[1]];
        let coarse = piece.coarse.is_some();
        let edges = model.gauges.iter().filter(|gauge| gauge.along == Along::Edge && !coarse);
        let edges: Vec<[u32; 2]> = edges.map(ends).collect();
        let hinges = model.bending().map_or(&[][..], |bending| bending.hinges());
        let hinges: Vec<[u32; 4]> = hinges.iter().map(|hinge| hinge.corners).collect();
        Ok(Self {
            hinges: RowPlan::new(pattern, &hinges)?,
            membranes: RowPlan::new(pattern, &triangles)?,
            gauges: RowPlan::new(pattern, &edges)?,
            springs: RowPlan::new(pattern, &springs)?,
            struts: plan(pattern, &grid.struts)?,
            buckles: plan(pattern, &grid.buckles)?,
            corners: plan(pattern, &grid.corners)?,
            folds: plan(pattern, &grid.folds)?,
            ties: RowPlan::new(pattern, &ties)?,
            following: Following::new(pattern, piece)?,
        })
    }

    fn add(
        &self,
        passage: &Passage,
        moved: &Moved,
        gauges: Option<(&Gauges, &[f64])>,
        (matrix, right): (&mut RowMatrix, &mut [DVec3]),
    ) {
        let (x, model, piece) = (moved.to, passage.model, passage.piece());
        let (springs, grid) = (piece.solved_springs(), piece.solved_grid());
        // The gauges of a continuum are the columns of its membranes, in their order.
        let laws = |e: usize| {
            let law = |(gauges, tensions): (&Gauges, &[f64]), g: usize| {
                (gauges.law(g), gauges.dual(g, tensions))
            };
            gauges.map(|all| [law(all, 2 * e), law(all, 2 * e + 1)])
        };
        self.membranes
            .add(matrix, right, |e| membranes::element(&model.membranes[e], laws(e), moved));
        if let Some((gauges, tensions)) = gauges.filter(|_| model.membranes.is_empty()) {
            self.gauges.add(matrix, right, |g| {
                gauges.edge(model, g, x, (gauges.dual(g, tensions), moved.first))
            });
        }
        self.springs.add(matrix, right, |e| rows_of_spring(&springs[e], moved));
        self.ties.add(matrix, right, |e| {
            let tie = &model.ties[e];
            rows_of(
                &tie.ends,
                &tie.derivatives(passage.ties[e], tie.ends.map(|i| x[i as usize])),
                moved,
            )
        });
        add_list::<2, Strut>(&self.struts, &grid.struts, moved, (matrix, right));
        add_list::<2, Buckle>(&self.buckles, &grid.buckles, moved, (matrix, right));
        add_list::<3, Corner>(&self.corners, &grid.corners, moved, (matrix, right));
        add_list::<4, Fold>(&self.folds, &grid.folds, moved, (matrix, right));
        if let (Some(coarse), Some(following)) = (passage.coarse, &self.following) {
            following.add(&coarse.hanging, moved, (matrix, right));
        }
    }
}

fn plan<const N: usize, E: Condition<N>>(
    pattern: &RowPattern,
    list: &ElementList<E>,
) -> Result<RowPlan<N>, PlanError> {
    let corners: Vec<[u32; N]> = list.all.iter().map(Condition::corners).collect();
    Ok(RowPlan::new(pattern, &corners)?)
}

fn add_list<const N: usize, E: Condition<N> + Sync>(
    plan: &RowPlan<N>,
    list: &ElementList<E>,
    moved: &Moved,
    (matrix, right): (&mut RowMatrix, &mut [DVec3]),
) {
    plan.add(matrix, right, |e| rows_of_condition(&list.all[e], moved));
}

/// What an element of a grid adds.
pub(super) fn rows_of_condition<const N: usize, E: Condition<N>>(
    element: &E,
    moved: &Moved,
) -> ElementRows<N> {
    let corners = element.corners();
    let at = std::array::from_fn(|k| moved.to[corners[k] as usize]);
    rows_of(&corners, &element.derivatives(&at), moved)
}

/// What a spring adds.
pub(super) fn rows_of_spring(spring: &Spring, moved: &Moved) -> ElementRows<2> {
    let [a, b] = spring.ends.map(|end| moved.to[end as usize]);
    rows_of(&spring.ends, &spring.derivatives(b - a), moved)
}

/// What an element adds: K + D/h to the matrix, −∇E − D v to the right.
fn rows_of<const N: usize>(corners: &[u32; N], local: &Local<N>, moved: &Moved) -> ElementRows<N> {
    let mut out = ElementRows::ZERO;
    for i in 0..N {
        let mut force = local.gradient[i];
        for (j, &corner) in corners.iter().enumerate() {
            let travel = moved.to[corner as usize] - moved.from[corner as usize];
            force += local.damping.block(i, j) * (travel * moved.rate);
        }
        out.forces[i] = -force;
        for j in 0..=i {
            let block = local.hessian.block(i, j) + local.damping.block(i, j) * moved.rate;
            out.blocks[i][j] = Mat3A::from_cols_array(&block.as_mat3().to_cols_array());
        }
    }
    out
}
