//! What a simulation is made of, and what can be wrong with it.

use std::ops::Range;

use glam::DVec3;

use crate::collision::SelfContact;
use crate::control::StepLimits;
use crate::error::{PinProblem, SetupError};
use crate::integrators::{ImplicitEuler, Integrator, LongestStep};
use crate::limiters::{Constraints, Limiter, Strips};
use crate::limits::StrainLimits;
use crate::load::Loads;
use crate::model::Model;
use crate::motion::Motion;
use crate::pin::{Hold, Pin};
use crate::pull::Pull;
use crate::solid::{SLACK, Solid};
use crate::strips::{Net, StripSolver};
use crate::woven::Woven;

/// The coarsest that the numbers of a position may be, over the length of an edge.
const COARSEST: f64 = 1e-6;

/// What a simulation is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The cloth.
    pub model: Model,
    /// Where each particle starts \[m\].
    pub positions: Vec<DVec3>,
    /// What holds it.
    pub pins: Vec<Pin>,
    /// What it cannot enter.
    pub solids: Vec<Solid>,
    /// What pulls it.
    pub loads: Loads,
    /// What pulls single particles.
    pub pulls: Vec<Pull>,
    /// How steps are integrated.
    pub integrator: Integrator,
    /// How long steps may be.
    pub step: StepLimits,
    /// How far the cloth may stretch; without it, as far as its stiffness lets it.
    pub limits: Option<StrainLimits>,
    /// How that is kept.
    pub limiter: Limiter,
    /// What it is woven of, if it can tear: then `model` is the whole cloth.
    pub woven: Option<Woven>,
    /// How the cloth touches itself; without it, it passes through itself.
    pub self_contact: Option<SelfContact>,
}

/// Cloth that starts inside a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartsInside {
    /// The solid, by its place in the list.
    pub solid: usize,
    /// How many particles are inside.
    pub particles: u32,
    /// The deepest of them, and how deep it is \[m\].
    pub deepest: (u32, f64),
}

impl Setup {
    /// Cloth that falls freely under Earth's gravity.
    pub fn new(model: Model, positions: Vec<DVec3>) -> Self {
        Self {
            model,
            positions,
            pins: Vec::new(),
            solids: Vec::new(),
            loads: Loads::default(),
            pulls: Vec::new(),
            integrator: Integrator::default(),
            step: StepLimits::default(),
            limits: None,
            limiter: Limiter::default(),
            woven: None,
            self_contact: None,
        }
    }
}

impl Setup {
    /// Everything that keeps this setup from being simulated; empty if nothing does.
    pub fn problems(&self) -> Vec<SetupError> {
        let mut problems = Vec::new();
        self.find_bad_positions(&mut problems);
        self.find_bad_loads(&mut problems);
        problems.extend(self.integrator.check().err());
        self.find_bad_limits(&mut problems);
        problems.extend(self.self_contact.and_then(|contact| contact.check().err()));
        problems.extend(self.coarse_problem());
        problems.extend(self.step.check().err().map(SetupError::from));
        for pin in 0..self.pins.len() {
            let found = self.pin_problem(pin);
            problems.extend(found.map(|problem| SetupError::Pin { pin, problem }));
        }
        for (pull, written) in self.pulls.iter().enumerate() {
            let found = self.pull_problem(written);
            problems.extend(found.map(|problem| SetupError::Pull { pull, problem }));
        }
        for (solid, written) in self.solids.iter().enumerate() {
            let found = written.problem();
            problems.extend(found.map(|problem| SetupError::Solid { solid, problem }));
        }
        if problems.is_empty() {
            problems.extend(self.step_problem());
        }
        problems
    }

    /// Followers are known to plain implicit steps only.
    fn coarse_problem(&self) -> Option<SetupError> {
        let tearing = self.woven.as_ref()?.tearing();
        let plain = match self.integrator {
            Integrator::Implicit(ImplicitEuler { newton: None, .. }) => self.limits.is_none(),
            _ => false,
        };
        let suits =
            tearing.coarse.is_none_or(|coarse| coarse.size < 2) || (plain && !tearing.all_yarn);
        (!suits).then_some(SetupError::CoarseCloth)
    }

    /// Whether a limiter brings edges to their rest length.
    pub(crate) fn edges_are_kept(&self) -> bool {
        self.limits.is_some() && self.limiter.replaces_edges()
    }

    /// Which springs are integrated: all, or those that no limiter stands in for.
    ///
    /// Backward Euler keeps them all: there they bound no step.
    pub(crate) fn integrated_springs(&self) -> Range<usize> {
        let left_out = self.edges_are_kept() && self.integrator.is_explicit();
        let first = match left_out {
            _ if self.strips().is_some() => self.model.structural + self.model.shear,
            true => self.model.structural,
            false => 0,
        };
        first..self.model.springs.len()
    }

    /// Whether strips would keep its limits well: cloth of quads that does not tear, whose gauges are
    /// its edges, and with no element that would need shorter steps than they do.
    pub fn suits_strips(&self) -> bool {
        let by_strips = Self {
            integrator: Integrator::default(),
            limiter: Limiter::Strips(Strips::default()),
            ..self.clone()
        };
        let quads = self.model.faces.iter().all(|corners| corners.len() == 4);
        let solver = by_strips.strips().and_then(|how| StripSolver::new(&by_strips, how));
        let enough = |solver: StripSolver| {
            let bound = by_strips.longest_step();
            bound.is_none_or(|bound| bound.h >= solver.longest())
        };
        quads && solver.is_some_and(enough)
    }

    /// The settings of strips, where they move the cloth by themselves.
    pub(crate) fn strips(&self) -> Option<&Strips> {
        match &self.limiter {
            Limiter::Strips(strips)
                if self.limits.is_some()
                    && self.integrator.is_explicit()
                    && self.woven.is_none()
                    && Net::suits(&self.model) =>
            {
                Some(strips)
            }
            _ => None,
        }
    }

    /// The most solves of a step, where implicit steps move the cloth by themselves.
    pub(crate) fn implicit_solves(&self) -> Option<u32> {
        if self.integrator.is_explicit() || self.woven.is_some() {
            return None;
        }
        match (&self.limiter, self.limits) {
            (Limiter::Constraints(how), Some(_)) => Some(how.max_solves),
            (_, None) => Some(Constraints::default().max_solves),
            _ => None,
        }
    }

    /// The longest step the integrator can take, and the particle that bounds it, if any does.
    pub(crate) fn longest_step(&self) -> Option<LongestStep> {
        let springs = self.integrated_springs();
        let bound = self.integrator.longest_step_of(&self.model, &self.pulls, springs)?;
        (bound.h.is_finite() || !self.edges_are_kept()).then_some(bound)
    }

    /// How many tensions the state carries from step to step.
    pub(crate) fn kept_tensions(&self) -> usize {
        match self.limiter {
            Limiter::Tension(_)
            | Limiter::Constraints(_)
            | Limiter::Impulses(_)
            | Limiter::Strips(_)
                if self.limits.is_some() =>
            {
                self.model.gauges.len()
            }
            Limiter::Sweeps(_) if self.limits.is_some() && self.woven.is_some() => {
                self.model.gauges.len()
            }
            _ => 0,
        }
    }

    /// When pins and pulls begin and end \[s\].
    pub(crate) fn events(&self) -> impl Iterator<Item = f64> {
        let pins = self.pins.iter().flat_map(|pin| [pin.from, pin.until]);
        let pulls = self.pulls.iter().flat_map(|pull| [pull.from, pull.until]);
        let cuts = self.woven.iter().flat_map(|woven| &woven.tearing().cuts).map(|cut| cut.time);
        pins.chain(pulls).chain(cuts)
    }

    fn pull_problem(&self, pull: &Pull) -> Option<PinProblem> {
        let (particle, particles) = (pull.particle, self.model.particles());
        if particle as usize >= particles {
            return Some(PinProblem::OutOfRange { particle, particles });
        }
        if !(pull.from.is_finite() && pull.from < pull.until) {
            return Some(PinProblem::Times { from: pull.from, until: pull.until });
        }
        let good = |value: f64| value.is_finite() && value >= 0.0;
        if !(pull.point.is_finite() && good(pull.stiffness) && good(pull.damping)) {
            return Some(PinProblem::Spring);
        }
        motion_problem(&pull.motion)
    }

    /// The solids that cloth starts inside of, which leads it out slowly: at
    /// [`crate::solid::LEAD_OUT`].
    pub fn starts_inside(&self) -> Vec<StartsInside> {
        let found = self.solids.iter().enumerate().filter_map(|(solid, body)| {
            let depths = body.depths(&self.positions, 0.0);
            let inside = depths.into_iter().zip(0u32..).filter(|(depth, _)| *depth > SLACK);
            let mut all = StartsInside { solid, particles: 0, deepest: (0, 0.0) };
            for (depth, particle) in inside {
                all.particles += 1;
                if depth > all.deepest.1 {
                    all.deepest = (particle, depth);
                }
            }
            (all.particles > 0).then_some(all)
        });
        found.collect()
    }

    fn find_bad_positions(&self, problems: &mut Vec<SetupError>) {
        let (positions, particles) = (self.positions.len(), self.model.particles());
        if let Some(woven) = self.woven.as_ref().filter(|woven| woven.crossings() != particles) {
            let positions = woven.crossings();
            return problems.push(SetupError::PositionCount { positions, particles });
        }
        if positions != particles {
            return problems.push(SetupError::PositionCount { positions, particles });
        }
        if let Some(particle) = self.positions.iter().position(|p| !p.is_finite()) {
            return problems.push(SetupError::StartNotFinite { particle: particle as u32 });
        }
        let lost = self.model.gauges().iter().find_map(|gauge| {
            let particle = gauge.particles[0];
            let distance = self.positions[particle as usize].length();
            let coarseness = distance * f64::EPSILON * gauge.weights[0].abs();
            (coarseness > COARSEST).then_some(SetupError::TooFar { particle, distance })
        });
        problems.extend(lost);
    }

    fn find_bad_loads(&self, problems: &mut Vec<SetupError>) {
        let mut refuse = |good: bool, what: &'static str, and: &'static str| {
            if !good {
                problems.push(SetupError::Load { what, and });
            }
        };
        refuse(self.loads.gravity.is_finite(), "gravity", "");
        let Some(air) = self.loads.air else { return };
        refuse(air.wind.is_finite(), "wind", "");
        for (what, value) in [("the density of air", air.density), ("drag", air.drag)] {
            refuse(value.is_finite() && value >= 0.0, what, " and not negative");
        }
    }

    fn find_bad_limits(&self, problems: &mut Vec<SetupError>) {
        let Some(limits) = self.limits else { return };
        problems.extend(limits.check().err());
        problems.extend(self.limiter.check().err());
        if self.limiter.needs_implicit() && self.integrator.is_explicit() {
            problems.push(SetupError::LimiterNeedsImplicit);
        }
        if matches!(self.limiter, Limiter::Constraints(_)) && self.woven.is_some() {
            problems.push(SetupError::ConstraintsCannotTear);
        }
        if matches!(self.limiter, Limiter::Strips(strips) if strips.elastic)
            && !self.integrator.is_explicit()
        {
            problems.push(SetupError::ElasticStripsNeedExplicit);
        }
        if !self.limiter.suits(&self.model) && self.strips().is_none() {
            problems.push(SetupError::StripsNeedEdges);
        }
    }

    /// Whether the integrator can simulate this cloth, and with any step.
    fn step_problem(&self) -> Option<SetupError> {
        if !self.integrator.suits(&self.model) && self.strips().is_none() {
            return Some(SetupError::Unsuited);
        }
        let bound = self.longest_step()?;
        let possible = bound.h.is_finite() && bound.h > 0.0;
        (!possible).then_some(SetupError::NoStableStep { particle: bound.particle, h: bound.h })
    }

    fn pin_problem(&self, index: usize) -> Option<PinProblem> {
        let pin = &self.pins[index];
        let particles = self.model.particles();
        if pin.particles.is_empty() {
            return Some(PinProblem::Empty);
        }
        if let Some(&particle) = pin.particles.iter().find(|&&p| p as usize >= particles) {
            return Some(PinProblem::OutOfRange { particle, particles });
        }
        if !(pin.from.is_finite() && pin.from < pin.until) {
            return Some(PinProblem::Times { from: pin.from, until: pin.until });
        }
        match &pin.hold {
            Hold::Plane(normal) if !points_somewhere(*normal) => {
                return Some(PinProblem::Direction("normal"));
            }
            Hold::Line(direction) if !points_somewhere(*direction) => {
                return Some(PinProblem::Direction("direction"));
            }
            Hold::Guide(guide) if guide.problem().is_some() => {
                return guide.problem().map(PinProblem::Guide);
            }
            _ => {}
        }
        motion_problem(&pin.motion).or_else(|| self.held_twice(index))
    }

    fn held_twice(&self, index: usize) -> Option<PinProblem> {
        let pin = &self.pins[index];
        let mut own = pin.particles.clone();
        own.sort_unstable();
        if let Some(pair) = own.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(PinProblem::NamedTwice { particle: pair[0] });
        }
        let together = |other: &Pin| pin.from < other.until && other.from < pin.until;
        self.pins[..index].iter().enumerate().find_map(|(other, earlier)| {
            let shared = earlier.particles.iter().find(|p| own.binary_search(p).is_ok());
            let particle = *shared.filter(|_| together(earlier))?;
            Some(PinProblem::HeldTwice { particle, other })
        })
    }
}

fn motion_problem(motion: &Motion) -> Option<PinProblem> {
    if !points_somewhere(motion.axis) {
        return Some(PinProblem::Direction("axis"));
    }
    if (motion.axis.length() - 1.0).abs() > 1e-9 {
        return Some(PinProblem::AxisLength(motion.axis.length()));
    }
    if !motion.centre.is_finite() {
        return Some(PinProblem::Centre);
    }
    motion.bad_key().map(PinProblem::Key)
}

fn points_somewhere(direction: DVec3) -> bool {
    direction.is_finite() && direction.length() > 0.0 && direction.length().is_finite()
}
