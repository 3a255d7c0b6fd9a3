//! Newton's method on a step of backward Euler, with a line search.
//!
//! The change of velocity u of a step minimises ½ uᵀB u − h cᵀu + E(x(u)), where
//! x(u) = x + h (v + u) + y, E is the elastic energy, B = M + h (damping + drag) and c the loads
//! less the damping of v. Damping and the slope of drag are those at the start of the step:
//! elastic forces are what is stiff and turns with the cloth. The held directions of particles
//! are where they are wanted from the first iterate on and no iteration moves them.

use glam::{DMat3, DVec3};
use taffeta_linalg::{BlockMatrix, Filter, MultiplyScratch, ordered_sum};

use super::elements::{Damping, Elastic, ElementPlans};
use super::{ImplicitMemory, Newton, Refusal, Solved, Step, VELOCITIES};
use crate::constraint::Link;
use crate::measure;
use crate::state::State;

/// A step must gain at least this part of what its slope promises (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// The shortest step along a direction before the search gives up.
const SHORTEST: f64 = 1e-9;
/// What round-off may change of a potential, as a part of its terms.
const ROUND_OFF: f64 = 1e-13;

/// What Newton's method remembers besides the linear system.
pub(super) struct NewtonMemory {
    /// B.
    base: BlockMatrix,
    /// h c.
    pushes: Vec<DVec3>,
    /// u and the one being tried.
    change: Vec<DVec3>,
    trial: Vec<DVec3>,
    /// x(u), and B u.
    positions: Vec<DVec3>,
    product: Vec<DVec3>,
}

impl NewtonMemory {
    pub fn new(matrix: &BlockMatrix) -> Self {
        let zero = vec![DVec3::ZERO; matrix.rows()];
        Self {
            base: matrix.clone(),
            pushes: zero.clone(),
            change: zero.clone(),
            trial: zero.clone(),
            positions: zero.clone(),
            product: zero,
        }
    }

    /// B and h c at the start of a step.
    fn begin(&mut self, step: &Step, state: &State, plans: &mut ElementPlans) {
        let h = step.h;
        self.base.set_zero();
        let inertia = self.base.diagonal_mut().iter_mut().zip(&step.model.masses);
        for ((diagonal, mass), drag) in inertia.zip(step.drag) {
            *diagonal = DMat3::from_diagonal(DVec3::splat(*mass)) + *drag * h;
        }
        for (push, load) in self.pushes.iter_mut().zip(step.loads) {
            *push = *load * h;
        }
        let damping = Damping { h, velocities: &state.velocities };
        plans.add(step.model, &state.positions, (&mut self.base, &mut self.pushes), &damping);
    }
}

/// A potential, and the size of the terms it is the sum of.
#[derive(Clone, Copy)]
struct Potential {
    value: f64,
    terms: f64,
}

/// A step to be solved.
struct Problem<'a> {
    step: &'a Step<'a>,
    start: &'a State,
    corrections: &'a [DVec3],
}

impl Problem<'_> {
    /// x(u).
    fn positions(&self, change: &[DVec3], out: &mut [DVec3]) {
        let (x, v) = (&self.start.positions, &self.start.velocities);
        for (i, at) in out.iter_mut().enumerate() {
            *at = x[i] + (v[i] + change[i]) * self.step.h + self.corrections[i];
        }
    }

    /// The potential at `memory.trial`, whose positions and B u are left in the memory.
    fn potential(
        &self,
        memory: &mut NewtonMemory,
        plans: &mut ElementPlans,
        scratch: &mut MultiplyScratch,
    ) -> Potential {
        self.positions(&memory.trial, &mut memory.positions);
        memory.base.multiply(&memory.trial, &mut memory.product, scratch);
        let (u, product, pushes) = (&memory.trial, &memory.product, &memory.pushes);
        let inertia = 0.5 * ordered_sum(u.len(), |i| u[i].dot(product[i]));
        let pushed = ordered_sum(u.len(), |i| u[i].dot(pushes[i]));
        let bending = plans.bending.as_mut();
        let elastic = measure::elastic(self.step.model, &memory.positions, bending);
        Potential { value: inertia - pushed + elastic, terms: inertia + pushed.abs() + elastic }
    }
}

impl ImplicitMemory {
    /// Solves a step to the tolerance of its settings; leaves u in `self.change` and the forces of
    /// the constraints, times h, in `self.residual`.
    pub(super) fn minimise(
        &mut self,
        step: &Step,
        start: &State,
        settings: &Newton,
    ) -> Result<Solved, Refusal> {
        let mut memory = self.newton.take().ok_or(Refusal)?;
        let corrections = std::mem::take(&mut self.corrections);
        let problem = Problem { step, start, corrections: &corrections };
        memory.begin(step, start, &mut self.plans);
        self.link(&problem, &mut memory);
        let result = self.iterate(&problem, settings, &mut memory);
        if !step.constraints.is_empty() {
            self.linearise(&problem, &mut memory);
            self.residual.iter_mut().zip(&self.right).for_each(|(force, right)| *force = -*right);
        }
        self.change.copy_from_slice(&memory.change);
        (self.newton, self.corrections) = (Some(memory), corrections);
        result
    }

    /// Adds links to B and h c, as strong as the stiffness at the start of the step asks for.
    fn link(&mut self, problem: &Problem, memory: &mut NewtonMemory) {
        let Problem { step, start, corrections } = *problem;
        if step.links.is_empty() {
            return self.links.measure(&[], (&self.matrix, &self.filters), VELOCITIES);
        }
        self.matrix.copy_from(&memory.base);
        let system = (&mut self.matrix, &mut self.right[..]);
        self.plans.add(step.model, &start.positions, system, &Elastic { h: step.h });
        self.links.measure(step.links, (&self.matrix, &self.filters), VELOCITIES);
        let moved =
            |link: &Link| link.between(&start.velocities) + link.between(corrections) / step.h;
        let system = (&mut memory.base, &mut memory.pushes[..]);
        self.links.couple(step.links, system, moved, VELOCITIES);
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        settings: &Newton,
        memory: &mut NewtonMemory,
    ) -> Result<Solved, Refusal> {
        let mut potential = self.choose_start(problem, memory);
        // From here on no iteration moves what is held.
        self.prescribed.fill(DVec3::ZERO);
        let mut solved = Solved { newton_unconverged: 1, ..Solved::default() };
        while solved.newton < settings.max_iterations && solved.newton_unconverged > 0 {
            self.linearise(problem, memory);
            self.change.fill(DVec3::ZERO);
            let linear = self.solve(&memory.positions)?;
            solved.newton += 1;
            solved.iterations += linear.iterations;
            solved.unconverged += linear.unconverged;
            solved.solving += linear.solving;
            let Some(lower) = self.search(problem, memory, potential) else { break };
            potential = lower;
            let small = self.largest_turn(problem.step) <= settings.tolerance;
            solved.newton_unconverged = u32::from(!small);
        }
        if potential.value.is_finite() { Ok(solved) } else { Err(Refusal) }
    }

    /// Starts where free particles coast or where they stay, whichever has the lower potential.
    fn choose_start(&mut self, problem: &Problem, memory: &mut NewtonMemory) -> Potential {
        let start = |filter: &Filter, prescribed: DVec3, free: DVec3| {
            filter.held_part(prescribed) + filter.free_part(free)
        };
        let particles = 0..memory.trial.len();
        for i in particles.clone() {
            let stay = -problem.start.velocities[i];
            memory.trial[i] = start(&self.filters[i], self.prescribed[i], stay);
        }
        let staying = problem.potential(memory, &mut self.plans, &mut self.scratch);
        memory.change.copy_from_slice(&memory.trial);
        for i in particles {
            memory.trial[i] = start(&self.filters[i], self.prescribed[i], DVec3::ZERO);
        }
        let coasting = problem.potential(memory, &mut self.plans, &mut self.scratch);
        if coasting.value < staying.value {
            memory.change.copy_from_slice(&memory.trial);
            return coasting;
        }
        staying
    }

    /// The linear system of an iteration: B + h²K, and minus the slope of the potential.
    fn linearise(&mut self, problem: &Problem, memory: &mut NewtonMemory) {
        problem.positions(&memory.change, &mut memory.positions);
        memory.base.multiply(&memory.change, &mut memory.product, &mut self.scratch);
        for (i, right) in self.right.iter_mut().enumerate() {
            *right = memory.pushes[i] - memory.product[i];
        }
        self.matrix.copy_from(&memory.base);
        let system = (&mut self.matrix, &mut self.right[..]);
        let elastic = Elastic { h: problem.step.h };
        self.plans.add(problem.step.model, &memory.positions, system, &elastic);
    }

    /// Goes along `self.change` as far as pays; the new potential, or none if nothing pays. What
    /// was gone is left in `self.change`.
    fn search(
        &mut self,
        problem: &Problem,
        memory: &mut NewtonMemory,
        potential: Potential,
    ) -> Option<Potential> {
        let (direction, right) = (&self.change, &self.right);
        let slope = -ordered_sum(direction.len(), |i| direction[i].dot(right[i]));
        let mut length = 1.0;
        while length > SHORTEST {
            for (i, trial) in memory.trial.iter_mut().enumerate() {
                *trial = memory.change[i] + self.change[i] * length;
            }
            let found = problem.potential(memory, &mut self.plans, &mut self.scratch);
            // Near the minimum the gain drowns in the round-off of the terms.
            let noise = ROUND_OFF * potential.terms;
            if found.value <= potential.value + SUFFICIENT * length * slope + noise {
                std::mem::swap(&mut memory.change, &mut memory.trial);
                self.change.iter_mut().for_each(|change| *change *= length);
                return Some(found);
            }
            length *= 0.5;
        }
        None
    }

    /// The largest change that the last iteration made to a gauge's vector: a strain or a turn.
    fn largest_turn(&self, step: &Step) -> f64 {
        let change = |gauge: &crate::gauge::Gauge| gauge.vector(&self.change).length() * step.h;
        step.model.gauges.iter().map(change).fold(0.0, f64::max)
    }
}
