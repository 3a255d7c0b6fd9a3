//! Backward Euler (BW98 §3, §5): large steps for stiff cloth, with one linear solve a step as in
//! the paper, or with Newton's method.
//!
//! (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h ∂f/∂x v + ∂f/∂x y), with every element's Hessian made
//! positive semidefinite, so that the matrix is positive definite whatever the cloth does.

mod elements;
mod following;
mod newton;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::{DMat3, DVec3};
use taffeta_linalg::{BlockMatrix, Filter, FilteredSystem, MultiplyScratch, both};

pub(crate) use self::elements::{Contribution, ElementPlans};

use self::elements::Linearised;
use self::following::followers;
use self::newton::NewtonMemory;
use super::{LinearSolver, LinkMemory, Linked, Refusal, Solved, Step, Unknowns};
use crate::constraint::Link;
use crate::error::SetupError;
use crate::model::Model;
use crate::state::State;

/// The unknowns are changes of velocity.
const VELOCITIES: Unknowns = Unknowns { from_speed: 1.0 };

/// Settings of backward Euler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitEuler {
    /// How its linear systems are solved.
    pub solver: Solver,
    /// Newton's method on each step; without it, one linear solve.
    pub newton: Option<Newton>,
}

/// How far Newton's method goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// It ends when an iteration strains or turns no part of the cloth by more than this.
    pub tolerance: f64,
    /// The most iterations to spend; a step that needs more is taken, and counted as not
    /// converged.
    pub max_iterations: u32,
}

impl Default for ImplicitEuler {
    fn default() -> Self {
        let solver = Solver::Pcg { tolerance: 1e-4, max_iterations: 1000 };
        Self { solver, newton: None }
    }
}

impl ImplicitEuler {
    /// Whether the settings make sense.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        match self.newton {
            Some(newton) if !(newton.tolerance > 0.0 && newton.tolerance.is_finite()) => {
                return Err(SetupError::NewtonTolerance(newton.tolerance));
            }
            Some(Newton { max_iterations: 0, .. }) => return Err(SetupError::NoIterations),
            _ => {}
        }
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
    plans: ElementPlans,
    right: Vec<DVec3>,
    filters: Vec<Filter>,
    prescribed: Vec<DVec3>,
    corrections: Vec<DVec3>,
    change: Vec<DVec3>,
    residual: Vec<DVec3>,
    inertia: Vec<f64>,
    scratch: MultiplyScratch,
    solver: LinearSolver,
    settings: ImplicitEuler,
    newton: Option<NewtonMemory>,
    links: LinkMemory,
}

impl std::fmt::Debug for ImplicitMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "ImplicitMemory of {} particles", self.right.len())
    }
}

impl ImplicitMemory {
    /// Plans the system of a model.
    pub fn new(model: &Model, settings: &ImplicitEuler) -> Result<Self, String> {
        let (pattern, plans) = ElementPlans::new(model, model.solved_springs().len())?;
        let (pattern, particles) = (Arc::new(pattern), model.particles());
        let zero = vec![DVec3::ZERO; particles];
        let solver = LinearSolver::new(settings.solver, &pattern, &model.rest)?;
        let matrix = BlockMatrix::new(Arc::clone(&pattern));
        Ok(Self {
            plans,
            scratch: MultiplyScratch::new(&pattern),
            newton: settings.newton.map(|_| NewtonMemory::new(&matrix)),
            matrix,
            right: zero.clone(),
            filters: vec![Filter::FREE; particles],
            prescribed: zero.clone(),
            corrections: zero.clone(),
            change: zero.clone(),
            residual: zero,
            inertia: vec![0.0; particles],
            solver,
            settings: *settings,
            links: LinkMemory::default(),
        })
    }

    /// Plans the system of another model, as what is left of cloth that tears, with the same
    /// settings. Large memory is kept: fresh memory takes as long as a plan.
    pub fn plan_again(&mut self, model: &Model) -> Result<(), String> {
        let (particles, springs) = (model.particles(), model.solved_springs().len());
        let pattern = ElementPlans::pattern(model, springs)?;
        let (plans, solver) = both(
            || ElementPlans::within(&pattern, model, springs),
            || self.solver.plan_again(self.settings.solver, &pattern, &model.rest),
        );
        solver?;
        for vectors in [
            &mut self.right,
            &mut self.prescribed,
            &mut self.corrections,
            &mut self.change,
            &mut self.residual,
        ] {
            vectors.clear();
            vectors.resize(particles, DVec3::ZERO);
        }
        self.filters.resize(particles, Filter::FREE);
        self.inertia.resize(particles, 0.0);
        self.scratch = MultiplyScratch::new(&pattern);
        self.matrix = BlockMatrix::new(Arc::new(pattern));
        self.newton = self.settings.newton.map(|_| NewtonMemory::new(&self.matrix));
        self.plans = plans?;
        Ok(())
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
        if !step.again {
            self.change.fill(DVec3::ZERO);
        }
        let solved = match self.settings.newton {
            Some(newton) => self.minimise(step, trial, &newton)?,
            None => {
                self.assemble(step, trial);
                let solved = self.solve(&trial.positions)?;
                self.leave_over();
                solved
            }
        };
        self.resist(step);
        self.react(step, reactions);
        self.take_links_down(step, trial);
        for (velocity, change) in trial.velocities.iter_mut().zip(&self.change) {
            *velocity += *change;
        }
        if let Some(followers) = followers(step.model) {
            followers.follow(&mut trial.velocities);
        }
        Ok(solved)
    }

    /// What the last step made of its links.
    pub fn linked(&self) -> &[Linked] {
        self.links.results()
    }

    fn take_links_down(&mut self, step: &Step, state: &State) {
        let (velocities, corrections, change) =
            (&state.velocities, &self.corrections, &self.change);
        let moved = |link: &Link| {
            let speeds = link.between(velocities) + link.between(change);
            speeds + link.between(corrections) / step.h
        };
        self.links.take_down(step.links, moved, VELOCITIES);
    }

    /// The mean resistance of each particle to a force in the last step, its neighbours being
    /// held, without drag [kg].
    pub fn inertia(&self) -> &[f64] {
        &self.inertia
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
        let Some(followers) = followers(step.model) else { return };
        for follower in followers.all() {
            self.filters[follower.particle as usize] = Filter::HELD;
        }
    }

    fn assemble(&mut self, step: &Step, state: &State) {
        let h = step.h;
        self.matrix.set_zero();
        let inertia = self.matrix.diagonal_mut().iter_mut().zip(&step.model.masses);
        for ((diagonal, mass), drag) in inertia.zip(step.drag) {
            *diagonal = DMat3::from_diagonal(DVec3::splat(*mass)) + *drag * h;
        }
        for (right, load) in self.right.iter_mut().zip(step.loads) {
            *right = *load * h;
        }
        if let (Some(followers), Some(plans)) = (followers(step.model), &self.plans.following) {
            followers.hand_over_blocks(step.drag, h, self.matrix.diagonal_mut());
            followers.hand_over(&mut self.right);
            plans.add_masses(&mut self.matrix);
        }
        let linearised =
            Linearised { h, velocities: &state.velocities, corrections: &self.corrections };
        let system = (&mut self.matrix, &mut self.right[..]);
        self.plans.add(step.model, &state.positions, system, &linearised);
        self.links.measure(step.links, (&self.matrix, &self.filters), VELOCITIES);
        let corrections = &self.corrections;
        let moved = |link: &Link| link.between(&state.velocities) + link.between(corrections) / h;
        let system = (&mut self.matrix, &mut self.right[..]);
        self.links.couple(step.links, system, moved, VELOCITIES);
    }

    fn resist(&mut self, step: &Step) {
        let blocks = self.matrix.diagonal().iter().zip(step.drag);
        for (inertia, (block, drag)) in self.inertia.iter_mut().zip(blocks) {
            let block = *block - *drag * step.h;
            *inertia = (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0;
        }
        for follower in followers(step.model).into_iter().flat_map(|followers| followers.all()) {
            let particle = follower.particle as usize;
            self.inertia[particle] = step.model.masses[particle];
        }
    }

    fn solve(&mut self, positions: &[DVec3]) -> Result<Solved, Refusal> {
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        };
        self.solver.solve(&system, positions, &mut self.change)
    }

    /// BW98 §5.4: what the solution leaves of the equations is the force of the constraints, here
    /// times h.
    fn leave_over(&mut self) {
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        };
        system.constraint_forces(&self.change, &mut self.residual, &mut self.scratch);
    }

    fn react(&self, step: &Step, reactions: &mut Vec<DVec3>) {
        reactions.clear();
        reactions.extend(step.constraints.iter().map(|constraint| {
            let impulse = self.residual[constraint.particle as usize];
            constraint.filter.held_part(impulse) / step.h
        }));
    }
}
