//! The linear systems of a step with tensions.

use std::sync::Arc;
use std::time::Instant;

use glam::{DMat3, DVec3};
use taffeta_linalg::{
    BlockMatrix, DirectSolver, ElementSystem, Filter, FilteredSystem, MultiplyScratch,
};

use super::Tension;
use super::gauges::GaugePlans;
use super::law::Law;
use crate::constraint::Link;
use crate::elements::Local;
use crate::gauge::Gauge;
use crate::integrators::{
    Contribution, ElementPlans, LinkMemory, Linked, Refusal, Solved, Step, Unknowns,
    longest_spring_step,
};
use crate::limits::StrainLimits;
use crate::model::Model;
use crate::state::State;

/// Bend springs stay out of the matrix while the step is at most this part of the longest that is
/// stable for them alone: they couple particles two cells apart, and make the factor three times
/// as expensive.
const SOFT: f64 = 0.5;

/// Memory of the system, planned once for a model.
pub(crate) struct TensionMemory {
    law: Law,
    limits: StrainLimits,
    max_solves: u32,
    matrix: BlockMatrix,
    solver: DirectSolver,
    scratch: MultiplyScratch,
    elements: ElementPlans,
    gauges: GaugePlans,
    /// Springs in the matrix; the rest are soft.
    stiff_springs: usize,
    /// Forces that are taken as they are at the beginning of the step [N].
    given: Vec<DVec3>,
    filters: Vec<Filter>,
    /// Where the particles are taken to be at the end of the step [m].
    places: Vec<DVec3>,
    /// How far that is from where their velocities carry them, corrections apart: velocities
    /// come from here, not from differences of places, which round-off would spoil [m].
    turns: Vec<DVec3>,
    right: Vec<DVec3>,
    change: Vec<DVec3>,
    residual: Vec<DVec3>,
    nothing: Vec<DVec3>,
    inertia: Vec<f64>,
    links: LinkMemory,
}

impl std::fmt::Debug for TensionMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "TensionMemory of {} particles", self.right.len())
    }
}

impl TensionMemory {
    /// Plans the system of a model for steps of at most `longest` seconds.
    pub fn new(
        model: &Model,
        limits: StrainLimits,
        settings: &Tension,
        longest: f64,
    ) -> Result<Self, String> {
        let stiff_springs = stiff_springs(model, longest);
        let (pattern, elements) = ElementPlans::new(model, stiff_springs)?;
        let pattern = Arc::new(pattern);
        let particles = model.particles();
        let zero = vec![DVec3::ZERO; particles];
        Ok(Self {
            law: Law::new(&limits),
            limits,
            max_solves: settings.max_solves,
            solver: DirectSolver::new(&pattern, &model.rest).map_err(|e| e.to_string())?,
            scratch: MultiplyScratch::new(&pattern),
            elements,
            gauges: GaugePlans::new(model, &pattern)?,
            stiff_springs,
            matrix: BlockMatrix::new(pattern),
            given: zero.clone(),
            filters: vec![Filter::FREE; particles],
            places: zero.clone(),
            turns: zero.clone(),
            right: zero.clone(),
            change: zero.clone(),
            residual: zero.clone(),
            nothing: zero,
            inertia: vec![0.0; particles],
            links: LinkMemory::default(),
        })
    }

    /// Gives `trial`, a copy of the state, its velocities and tensions after the step;
    /// `reactions` take the force of each constraint.
    pub fn advance(
        &mut self,
        step: &Step,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
    ) -> Result<Solved, Refusal> {
        self.gather_given_forces(step, trial);
        self.start(step, trial);
        let (mut solved, mut excess) = (Solved::default(), 0.0);
        for _ in 0..self.max_solves {
            self.assemble(step, trial);
            let begun = Instant::now();
            self.solve()?;
            solved.solving += begun.elapsed();
            self.follow_tensions(step.model, trial);
            let moved = self.places.iter_mut().zip(&mut self.turns);
            for ((place, turn), change) in moved.zip(&self.change) {
                *place += *change;
                *turn += *change;
            }
            solved.iterations += 1;
            excess = self.worst_excess(step.model);
            if excess <= 0.0 {
                break;
            }
        }
        solved.unconverged = u32::from(excess > 0.0);
        self.resist(step);
        self.react(step, reactions);
        let (places, from) = (&self.places, &trial.positions);
        let moved = |link: &Link| link.between(places) - link.between(from);
        self.links.take_down(step.links, moved, Unknowns { from_speed: step.h });
        self.give_velocities(step, trial);
        Ok(solved)
    }

    /// Loads and soft springs, as they are at the beginning of the step.
    fn gather_given_forces(&mut self, step: &Step, state: &State) {
        let (x, v) = (&state.positions, &state.velocities);
        self.given.copy_from_slice(step.loads);
        for spring in &step.model.springs[self.stiff_springs..] {
            let [a, b] = [spring.ends[0] as usize, spring.ends[1] as usize];
            let force = spring.force(x[b] - x[a], v[b] - v[a]);
            self.given[a] += force;
            self.given[b] -= force;
        }
    }

    /// Linearises where the velocities carry the cloth, which keeps the limits better than free
    /// flight does; held directions go where they have to.
    fn start(&mut self, step: &Step, state: &State) {
        let h = step.h;
        self.filters.fill(Filter::FREE);
        self.turns.fill(DVec3::ZERO);
        for (i, place) in self.places.iter_mut().enumerate() {
            *place = state.positions[i] + state.velocities[i] * h;
        }
        for constraint in step.constraints {
            let particle = constraint.particle as usize;
            self.filters[particle] = constraint.filter;
            self.turns[particle] = constraint.velocity_change * h;
            self.places[particle] += self.turns[particle] + constraint.correction;
        }
    }

    fn assemble(&mut self, step: &Step, state: &State) {
        let (h, x) = (step.h, &state.positions);
        self.matrix.set_zero();
        let places = &self.places;
        let masses = &step.model.masses;
        for (i, diagonal) in self.matrix.diagonal_mut().iter_mut().enumerate() {
            let inertia = masses[i] / (h * h);
            *diagonal = DMat3::from_diagonal(DVec3::splat(inertia)) + step.drag[i] * (1.0 / h);
            self.right[i] = self.given[i] - *diagonal * self.turns[i];
        }
        let whole = Whole { h, from: x, places };
        let system = (&mut self.matrix, &mut self.right[..]);
        self.elements.add(step.model, places, system, &whole);
        let system = (&mut self.matrix, &mut self.right[..]);
        self.gauges.add((step.model, self.law), places, &state.tensions, system);
        let unknowns = Unknowns { from_speed: h };
        self.links.measure(step.links, (&self.matrix, &self.filters), unknowns);
        let moved = |link: &Link| link.between(places) - link.between(x);
        let system = (&mut self.matrix, &mut self.right[..]);
        self.links.couple(step.links, system, moved, unknowns);
    }

    fn solve(&mut self) -> Result<(), Refusal> {
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.nothing,
        };
        self.solver.factorize(&system, &self.places).map_err(|_| Refusal)?;
        self.solver.solve(&system, &mut self.change);
        Ok(())
    }

    /// The tension of every gauge at the end of the linear motion just solved for.
    fn follow_tensions(&self, model: &Model, state: &mut State) {
        for (gauge, tension) in model.gauges.iter().zip(&mut state.tensions) {
            let vector = gauge.vector(&self.places);
            let length = vector.length();
            let branch = self.law.branch(length - 1.0, *tension);
            let growth = gauge.vector(&self.change).dot(vector) / length;
            *tension = branch.tension(length - 1.0 + growth);
        }
    }

    fn worst_excess(&self, model: &Model) -> f64 {
        let excess = |gauge: &Gauge| self.limits.excess(gauge.strain(&self.places));
        model.gauges.iter().map(excess).fold(f64::NEG_INFINITY, f64::max)
    }

    /// What the last step made of its links.
    pub fn linked(&self) -> &[Linked] {
        self.links.results()
    }

    /// The mean resistance of each particle to a force in the last step, its neighbours being
    /// held, without drag [kg].
    pub fn inertia(&self) -> &[f64] {
        &self.inertia
    }

    fn resist(&mut self, step: &Step) {
        let blocks = self.matrix.diagonal().iter().zip(step.drag);
        for (inertia, (block, drag)) in self.inertia.iter_mut().zip(blocks) {
            let block = (*block - *drag * (1.0 / step.h)) * (step.h * step.h);
            *inertia = (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0;
        }
    }

    /// BW98 §5.4: what the last solution leaves of the equations is the force of the constraints.
    fn react(&mut self, step: &Step, reactions: &mut Vec<DVec3>) {
        reactions.clear();
        if step.constraints.is_empty() {
            return;
        }
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.nothing,
        };
        system.constraint_forces(&self.change, &mut self.residual, &mut self.scratch);
        reactions.extend(step.constraints.iter().map(|constraint| {
            constraint.filter.held_part(self.residual[constraint.particle as usize])
        }));
    }

    fn give_velocities(&self, step: &Step, trial: &mut State) {
        for (velocity, turn) in trial.velocities.iter_mut().zip(&self.turns) {
            *velocity += *turn / step.h;
        }
    }
}

/// How many springs, counted from the first, have to be in the matrix.
fn stiff_springs(model: &Model, longest: f64) -> usize {
    let first_bend = model.structural + model.shear;
    let all = model.springs.len();
    let bound = longest_spring_step(model, first_bend..all);
    if longest <= SOFT * bound.h { first_bend } else { all }
}

/// What an element adds to a system for places: K + D/h to the matrix, −∇E − D v to the right.
struct Whole<'a> {
    h: f64,
    from: &'a [DVec3],
    places: &'a [DVec3],
}

impl Contribution for Whole<'_> {
    fn add<const N: usize>(
        &self,
        corners: &[u32; N],
        local: &Local<N>,
        out: &mut ElementSystem<N>,
    ) {
        for i in 0..N {
            let mut force = local.gradient[i];
            for (j, &corner) in corners.iter().enumerate() {
                let travel = self.places[corner as usize] - self.from[corner as usize];
                force += local.damping.block(i, j) * (travel / self.h);
            }
            out.vectors[i] = -force;
            for j in 0..=i {
                out.blocks[i][j] =
                    local.hessian.block(i, j) + local.damping.block(i, j) * (1.0 / self.h);
            }
        }
    }
}
