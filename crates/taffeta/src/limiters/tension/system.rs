//! The linear systems of a step with tensions.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use taffeta_linalg::{
    AssemblyPlan, BlockMatrix, BlockPattern, DirectSolver, ElementSystem, Filter, FilteredSystem,
    MultiplyScratch, SmallPivots,
};

use super::Tension;
use super::law::Law;
use crate::elements::Local;
use crate::gauge::{Along, Gauge};
use crate::integrators::{
    Contribution, GridPlans, Refusal, Solved, Step, grid_members, longest_spring_step,
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
    springs: AssemblyPlan<2>,
    membranes: AssemblyPlan<3>,
    hinges: AssemblyPlan<4>,
    grid: GridPlans,
    edges: Limited<2>,
    triangles: Limited<3>,
    /// Springs in the matrix; the rest are soft.
    stiff_springs: usize,
    /// Forces that are taken as they are at the beginning of the step [N].
    given: Vec<DVec3>,
    filters: Vec<Filter>,
    /// Where the particles are taken to be at the end of the step [m].
    places: Vec<DVec3>,
    right: Vec<DVec3>,
    change: Vec<DVec3>,
    residual: Vec<DVec3>,
    nothing: Vec<DVec3>,
}

/// The gauges of K particles and how they go into the matrix.
struct Limited<const K: usize> {
    gauges: Vec<u32>,
    plan: AssemblyPlan<K>,
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
        let members = Members::new(model, stiff_springs);
        let particles = model.particles();
        let pattern = members.pattern(particles)?;
        let planned = |e: taffeta_linalg::PatternError| e.to_string();
        let solver = DirectSolver::new(&pattern, &model.rest).map_err(|e| e.to_string())?;
        let zero = vec![DVec3::ZERO; particles];
        Ok(Self {
            law: Law::new(&limits),
            limits,
            max_solves: settings.max_solves,
            solver,
            scratch: MultiplyScratch::new(&pattern),
            springs: AssemblyPlan::new(&pattern, &members.springs).map_err(planned)?,
            membranes: AssemblyPlan::new(&pattern, &members.membranes).map_err(planned)?,
            hinges: AssemblyPlan::new(&pattern, &members.hinges).map_err(planned)?,
            grid: GridPlans::new(&pattern, &model.grid).map_err(planned)?,
            edges: Limited {
                plan: AssemblyPlan::new(&pattern, &members.edges).map_err(planned)?,
                gauges: members.edge_gauges,
            },
            triangles: Limited {
                plan: AssemblyPlan::new(&pattern, &members.triangles).map_err(planned)?,
                gauges: members.triangle_gauges,
            },
            stiff_springs,
            matrix: BlockMatrix::new(pattern),
            given: zero.clone(),
            filters: vec![Filter::FREE; particles],
            places: zero.clone(),
            right: zero.clone(),
            change: zero.clone(),
            residual: zero.clone(),
            nothing: zero,
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
            self.solve()?;
            self.follow_tensions(step.model, trial);
            for (place, change) in self.places.iter_mut().zip(&self.change) {
                *place += *change;
            }
            solved.iterations += 1;
            excess = self.worst_excess(step.model);
            if excess <= 0.0 {
                break;
            }
        }
        solved.unconverged = u32::from(excess > 0.0);
        self.react(step, reactions);
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
        for (i, place) in self.places.iter_mut().enumerate() {
            *place = state.positions[i] + state.velocities[i] * h;
        }
        for constraint in step.constraints {
            let particle = constraint.particle as usize;
            self.filters[particle] = constraint.filter;
            self.places[particle] += constraint.velocity_change * h + constraint.correction;
        }
    }

    fn assemble(&mut self, step: &Step, state: &State) {
        let (h, x, v) = (step.h, &state.positions, &state.velocities);
        self.matrix.set_zero();
        let places = &self.places;
        let masses = &step.model.masses;
        for (i, diagonal) in self.matrix.diagonal_mut().iter_mut().enumerate() {
            let inertia = masses[i] / (h * h);
            // What the place is away from x + h v; drag is what it is there plus its slope.
            let away = places[i] - x[i] - v[i] * h;
            *diagonal = DMat3::from_diagonal(DVec3::splat(inertia)) + step.drag[i] * (1.0 / h);
            self.right[i] = self.given[i] - *diagonal * away;
        }
        self.add_elements(step.model, h, x);
        self.add_limits(step.model, &state.tensions);
    }

    fn add_elements(&mut self, model: &Model, h: f64, from: &[DVec3]) {
        let (matrix, right, places) = (&mut self.matrix, &mut self.right, &self.places);
        let at = |i: u32| places[i as usize];
        let velocity = |i: u32| (places[i as usize] - from[i as usize]) / h;
        self.springs.add(matrix, right, |e, out| {
            let spring = &model.springs[e];
            let [a, b] = spring.ends;
            contribute(&spring.derivatives(at(b) - at(a)), &[velocity(a), velocity(b)], h, out);
        });
        self.membranes.add(matrix, right, |e, out| {
            let membrane = &model.membranes[e];
            let local = membrane.derivatives(&membrane.corners.map(at));
            contribute(&local, &membrane.corners.map(velocity), h, out);
        });
        self.hinges.add(matrix, right, |e, out| {
            let hinge = &model.hinges[e];
            let local = hinge.derivatives(&hinge.corners.map(at));
            contribute(&local, &hinge.corners.map(velocity), h, out);
        });
        let moved = Moved { h, from, to: places };
        self.grid.add(&model.grid, places, (matrix, right), &moved);
    }

    fn add_limits(&mut self, model: &Model, tensions: &[f64]) {
        let (matrix, right) = (&mut self.matrix, &mut self.right);
        let (places, law) = (&self.places, self.law);
        let limit = |gauge: u32| {
            let (index, gauge) = (gauge as usize, &model.gauges[gauge as usize]);
            let vector = gauge.vector(places);
            let branch = law.branch(vector.length() - 1.0, tensions[index]);
            let (gradient, stiffness) = branch.derivatives(vector, tensions[index]);
            let area = model.gauge_areas[index];
            (gradient * area, stiffness * area)
        };
        let edges = &self.edges.gauges;
        self.edges.plan.add(matrix, right, |e, out| {
            let weight = model.gauges[edges[e] as usize].weights[0];
            let (gradient, stiffness) = limit(edges[e]);
            spread(&[-weight, weight], gradient, stiffness, out);
        });
        let triangles = &self.triangles.gauges;
        self.triangles.plan.add(matrix, right, |e, out| {
            let [b, c] = model.gauges[triangles[e] as usize].weights;
            let (gradient, stiffness) = limit(triangles[e]);
            spread(&[-b - c, b, c], gradient, stiffness, out);
        });
    }

    fn solve(&mut self) -> Result<(), Refusal> {
        let system = FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.nothing,
        };
        self.solver.factorize(&system, SmallPivots::Refuse).map_err(|_| Refusal)?;
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

    /// Corrections move particles without giving them speed.
    fn give_velocities(&self, step: &Step, trial: &mut State) {
        for ((v, x), place) in trial.velocities.iter_mut().zip(&trial.positions).zip(&self.places) {
            *v = (*place - *x) / step.h;
        }
        for constraint in step.constraints {
            trial.velocities[constraint.particle as usize] -= constraint.correction / step.h;
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

/// The particles of everything that goes into the matrix.
struct Members {
    springs: Vec<[u32; 2]>,
    membranes: Vec<[u32; 3]>,
    hinges: Vec<[u32; 4]>,
    grid: Vec<Vec<u32>>,
    edges: Vec<[u32; 2]>,
    edge_gauges: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    triangle_gauges: Vec<u32>,
}

impl Members {
    fn new(model: &Model, stiff_springs: usize) -> Self {
        let gauges = |edges: bool| {
            let wanted = move |gauge: &Gauge| (gauge.along == Along::Edge) == edges;
            (0..model.gauges.len() as u32).filter(move |&g| wanted(&model.gauges[g as usize]))
        };
        let particles = |gauge: u32| model.gauges[gauge as usize].particles;
        Self {
            springs: model.springs[..stiff_springs].iter().map(|spring| spring.ends).collect(),
            membranes: model.membranes.iter().map(|membrane| membrane.corners).collect(),
            hinges: model.hinges.iter().map(|hinge| hinge.corners).collect(),
            grid: grid_members(&model.grid).collect(),
            edges: gauges(true).map(|g| [particles(g)[0], particles(g)[1]]).collect(),
            edge_gauges: gauges(true).collect(),
            triangles: gauges(false).map(particles).collect(),
            triangle_gauges: gauges(false).collect(),
        }
    }

    fn pattern(&self, particles: usize) -> Result<Arc<BlockPattern>, String> {
        let lists = self.springs.iter().chain(&self.edges).map(|ends| &ends[..]);
        let lists = lists.chain(self.membranes.iter().chain(&self.triangles).map(|t| &t[..]));
        let lists = lists.chain(self.hinges.iter().map(|hinge| &hinge[..]));
        let lists = lists.chain(self.grid.iter().map(|members| &members[..]));
        BlockPattern::new(particles, lists).map(Arc::new).map_err(|e| e.to_string())
    }
}

/// A motion from some places to others within a step.
struct Moved<'a> {
    h: f64,
    from: &'a [DVec3],
    to: &'a [DVec3],
}

impl Contribution for Moved<'_> {
    fn add<const N: usize>(
        &self,
        corners: &[u32; N],
        local: &Local<N>,
        out: &mut ElementSystem<N>,
    ) {
        let velocity = std::array::from_fn(|k| {
            let i = corners[k] as usize;
            (self.to[i] - self.from[i]) / self.h
        });
        contribute(local, &velocity, self.h, out);
    }
}

/// What an element adds: K + D/h to the matrix, −∇E − D v to the right-hand side.
fn contribute<const N: usize>(
    local: &Local<N>,
    velocity: &[DVec3; N],
    h: f64,
    out: &mut ElementSystem<N>,
) {
    for i in 0..N {
        let mut force = local.gradient[i];
        for (j, velocity) in velocity.iter().enumerate() {
            force += local.damping.block(i, j) * *velocity;
        }
        out.vectors[i] = -force;
        for j in 0..=i {
            out.blocks[i][j] = local.hessian.block(i, j) + local.damping.block(i, j) * (1.0 / h);
        }
    }
}

/// Spreads derivatives by a weighted sum of particles over the particles.
fn spread<const N: usize>(
    weights: &[f64; N],
    gradient: DVec3,
    stiffness: DMat3,
    out: &mut ElementSystem<N>,
) {
    for i in 0..N {
        out.vectors[i] = gradient * -weights[i];
        for j in 0..=i {
            out.blocks[i][j] = stiffness * (weights[i] * weights[j]);
        }
    }
}
