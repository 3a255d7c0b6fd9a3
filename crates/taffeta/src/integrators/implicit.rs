//! Backward Euler with one linear solve a step (BW98 §3, §5): large steps for stiff cloth.
//!
//! (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h ∂f/∂x v + ∂f/∂x y), with every element's Hessian made
//! positive semidefinite, so that the matrix is positive definite whatever the cloth does.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use taffeta_linalg::{
    AssemblyPlan, BlockMatrix, BlockPattern, DirectSolver, ElementSystem, Filter, FilteredSystem,
    MultiplyScratch, Pcg, PcgLimits, SmallPivots, TwoLevel,
};

use super::{Contribution, GridPlans, Refusal, Solved, Step, grid_members};
use crate::elements::Local;
use crate::error::SetupError;
use crate::model::Model;
use crate::state::State;

/// Settings of backward Euler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitEuler {
    /// How its linear systems are solved.
    pub solver: Solver,
}

impl Default for ImplicitEuler {
    fn default() -> Self {
        Self { solver: Solver::Pcg { tolerance: 1e-4, max_iterations: 1000 } }
    }
}

impl ImplicitEuler {
    /// Whether the settings make sense.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        match self.solver {
            Solver::Pcg { tolerance, .. } if !(tolerance > 0.0 && tolerance < 1.0) => {
                Err(SetupError::Tolerance(tolerance))
            }
            Solver::Pcg { max_iterations: 0, .. } => Err(SetupError::NoIterations),
            _ => Ok(()),
        }
    }
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// By the filtered conjugate gradient method with a two-level preconditioner.
    Pcg {
        /// The residual to reach, relative to that of no motion.
        tolerance: f64,
        /// The most iterations to spend; a solve that needs more is counted as not converged.
        max_iterations: u32,
    },
    /// By a sparse factorisation.
    Direct,
}

/// Memory of the implicit system, planned once for a model.
pub(crate) struct ImplicitMemory {
    matrix: BlockMatrix,
    springs: AssemblyPlan<2>,
    membranes: AssemblyPlan<3>,
    hinges: AssemblyPlan<4>,
    grid: GridPlans,
    right: Vec<DVec3>,
    filters: Vec<Filter>,
    prescribed: Vec<DVec3>,
    corrections: Vec<DVec3>,
    change: Vec<DVec3>,
    residual: Vec<DVec3>,
    scratch: MultiplyScratch,
    solver: SolverMemory,
}

enum SolverMemory {
    Pcg(Box<(Pcg, TwoLevel)>, PcgLimits),
    Direct(Box<DirectSolver>),
}

impl std::fmt::Debug for ImplicitMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "ImplicitMemory of {} particles", self.right.len())
    }
}

impl ImplicitMemory {
    /// Plans the system of a model.
    pub fn new(model: &Model, settings: &ImplicitEuler) -> Result<Self, String> {
        let ends: Vec<[u32; 2]> = model.springs.iter().map(|spring| spring.ends).collect();
        let triangles: Vec<[u32; 3]> = model.membranes.iter().map(|m| m.corners).collect();
        let quads: Vec<[u32; 4]> = model.hinges.iter().map(|hinge| hinge.corners).collect();
        let grid: Vec<Vec<u32>> = grid_members(&model.grid).collect();
        let lists = ends
            .iter()
            .map(|e| &e[..])
            .chain(triangles.iter().map(|t| &t[..]))
            .chain(quads.iter().map(|q| &q[..]))
            .chain(grid.iter().map(|members| &members[..]));
        let particles = model.particles();
        let pattern = Arc::new(BlockPattern::new(particles, lists).map_err(|e| e.to_string())?);
        let zero = vec![DVec3::ZERO; particles];
        let said = |error: taffeta_linalg::FactorError| error.to_string();
        let solver = match settings.solver {
            Solver::Pcg { tolerance, max_iterations } => {
                let two_level = TwoLevel::new(&pattern, &model.rest).map_err(said)?;
                let limits = PcgLimits { tolerance, max_iterations: max_iterations as usize };
                SolverMemory::Pcg(Box::new((Pcg::new(&pattern), two_level)), limits)
            }
            Solver::Direct => {
                let direct = DirectSolver::new(&pattern, &model.rest).map_err(said)?;
                SolverMemory::Direct(Box::new(direct))
            }
        };
        Ok(Self {
            springs: AssemblyPlan::new(&pattern, &ends).map_err(|e| e.to_string())?,
            membranes: AssemblyPlan::new(&pattern, &triangles).map_err(|e| e.to_string())?,
            hinges: AssemblyPlan::new(&pattern, &quads).map_err(|e| e.to_string())?,
            grid: GridPlans::new(&pattern, &model.grid).map_err(|e| e.to_string())?,
            scratch: MultiplyScratch::new(&pattern),
            matrix: BlockMatrix::new(pattern),
            right: zero.clone(),
            filters: vec![Filter::FREE; particles],
            prescribed: zero.clone(),
            corrections: zero.clone(),
            change: zero.clone(),
            residual: zero,
            solver,
        })
    }

    /// Gives `trial`, a copy of the state, its velocities after the step; `reactions` take the
    /// force of each constraint.
    pub fn advance(
        &mut self,
        step: &Step,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
    ) -> Result<Solved, Refusal> {
        self.constrain(step);
        self.assemble(step, trial);
        let solved = self.solve(&trial.positions)?;
        self.react(step, reactions);
        for (velocity, change) in trial.velocities.iter_mut().zip(&self.change) {
            *velocity += *change;
        }
        Ok(solved)
    }

    fn constrain(&mut self, step: &Step) {
        self.filters.fill(Filter::FREE);
        self.prescribed.fill(DVec3::ZERO);
        self.corrections.fill(DVec3::ZERO);
        for constraint in step.constraints {
            let particle = constraint.particle as usize;
            self.filters[particle] = constraint.filter;
            self.prescribed[particle] = constraint.velocity_change;
            self.corrections[particle] = constraint.correction;
        }
    }

    fn assemble(&mut self, step: &Step, state: &State) {
        let (model, h) = (step.model, step.h);
        let (x, v, y) = (&state.positions, &state.velocities, &self.corrections);
        self.matrix.set_zero();
        let inertia = self.matrix.diagonal_mut().iter_mut().zip(&model.masses);
        for ((diagonal, mass), drag) in inertia.zip(step.drag) {
            *diagonal = DMat3::from_diagonal(DVec3::splat(*mass)) + *drag * h;
        }
        for (right, load) in self.right.iter_mut().zip(step.loads) {
            *right = *load * h;
        }
        let (matrix, right) = (&mut self.matrix, &mut self.right);
        let travel = |i: u32| v[i as usize] * h + y[i as usize];
        let velocity = |i: u32| v[i as usize];
        self.springs.add(matrix, right, |e, out| {
            let spring = &model.springs[e];
            let [a, b] = spring.ends.map(|end| x[end as usize]);
            let motion =
                Motion { h, travel: spring.ends.map(travel), velocity: spring.ends.map(velocity) };
            contribute(&spring.derivatives(b - a), &motion, out);
        });
        self.membranes.add(matrix, right, |e, out| {
            let membrane = &model.membranes[e];
            let corners = membrane.corners;
            let motion = Motion { h, travel: corners.map(travel), velocity: corners.map(velocity) };
            contribute(&membrane.derivatives(&corners.map(|c| x[c as usize])), &motion, out);
        });
        self.hinges.add(matrix, right, |e, out| {
            let hinge = &model.hinges[e];
            let corners = hinge.corners;
            let motion = Motion { h, travel: corners.map(travel), velocity: corners.map(velocity) };
            contribute(&hinge.derivatives(&corners.map(|c| x[c as usize])), &motion, out);
        });
        let linearised = Linearised { h, velocities: v, corrections: y };
        self.grid.add(&model.grid, x, (matrix, right), &linearised);
    }

    fn solve(&mut self, positions: &[DVec3]) -> Result<Solved, Refusal> {
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        };
        self.change.fill(DVec3::ZERO);
        match &mut self.solver {
            SolverMemory::Pcg(memory, limits) => {
                let (pcg, two_level) = &mut **memory;
                two_level.refresh(&system, positions).map_err(|_| Refusal)?;
                let report = pcg.solve(&system, two_level, &mut self.change, *limits);
                let report = report.map_err(|_| Refusal)?;
                let unconverged = u32::from(!report.converged);
                Ok(Solved { iterations: report.iterations as u32, unconverged })
            }
            SolverMemory::Direct(direct) => {
                direct.factorize(&system, SmallPivots::Refuse).map_err(|_| Refusal)?;
                direct.solve(&system, &mut self.change);
                Ok(Solved { iterations: 1, unconverged: 0 })
            }
        }
    }

    /// BW98 §5.4: what the solution leaves of the equations is the force of the constraints.
    fn react(&mut self, step: &Step, reactions: &mut Vec<DVec3>) {
        reactions.clear();
        if step.constraints.is_empty() {
            return;
        }
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        };
        system.constraint_forces(&self.change, &mut self.residual, &mut self.scratch);
        reactions.extend(step.constraints.iter().map(|constraint| {
            let impulse = self.residual[constraint.particle as usize];
            constraint.filter.held_part(impulse) / step.h
        }));
    }
}

/// How the corners of an element move in a step.
struct Motion<const N: usize> {
    h: f64,
    /// h·v + y.
    travel: [DVec3; N],
    velocity: [DVec3; N],
}

/// The linear system of a step, element by element.
struct Linearised<'a> {
    h: f64,
    velocities: &'a [DVec3],
    corrections: &'a [DVec3],
}

impl Contribution for Linearised<'_> {
    fn add<const N: usize>(
        &self,
        corners: &[u32; N],
        local: &Local<N>,
        out: &mut ElementSystem<N>,
    ) {
        let velocity = std::array::from_fn(|k| self.velocities[corners[k] as usize]);
        let travel = std::array::from_fn(|k| {
            self.velocities[corners[k] as usize] * self.h + self.corrections[corners[k] as usize]
        });
        contribute(local, &Motion { h: self.h, travel, velocity }, out);
    }
}

/// What an element adds to the matrix, h²K + hD, and to the right-hand side,
/// −h (∇E + D v + K (h v + y)).
fn contribute<const N: usize>(local: &Local<N>, motion: &Motion<N>, out: &mut ElementSystem<N>) {
    let h = motion.h;
    for i in 0..N {
        let mut force = local.gradient[i];
        for j in 0..N {
            force += local.damping.block(i, j) * motion.velocity[j]
                + local.hessian.block(i, j) * motion.travel[j];
        }
        out.vectors[i] = -force * h;
        for j in 0..=i {
            out.blocks[i][j] = local.hessian.block(i, j) * (h * h) + local.damping.block(i, j) * h;
        }
    }
}
