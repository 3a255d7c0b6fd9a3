//! What can be wrong with a setup.

use glam::DVec3;

use crate::error::{PinProblem, SetupError};
use crate::geometry::motion::Motion;
use crate::setup::Setup;
use crate::setup::integrator::{ImplicitEuler, Integrator};
use crate::setup::limiter::Limiter;
use crate::setup::load_keys;
use crate::setup::pin::{Hold, Pin};
use crate::setup::pull::Pull;

/// The coarsest that the numbers of a position may be, over the length of an edge.
const COARSEST: f64 = 1e-6;

impl Setup {
    /// Everything that is wrong with it, whatever solves its steps.
    pub(crate) fn own_problems(&self) -> Vec<SetupError> {
        let mut problems = Vec::new();
        self.find_bad_positions(&mut problems);
        self.find_bad_loads(&mut problems);
        problems.extend(self.integrator.check().err());
        self.find_bad_limits(&mut problems);
        problems.extend(self.self_contact.and_then(|contact| contact.check().err()));
        problems.extend(self.of_cloths.iter().filter_map(|own| own.contact.check().err()));
        let (given, cloths) = (self.of_cloths.len(), self.model.cloths().len());
        if given != 0 && given != cloths {
            problems.push(SetupError::ClothCount { given, cloths });
        }
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

    pub(crate) fn find_bad_loads(&self, problems: &mut Vec<SetupError>) {
        if let Some((key, problem)) = load_keys::problem(self.loads, &self.load_keys) {
            problems.push(SetupError::LoadKey { key, problem });
        }
        let mut refuse = |good: bool, what: &'static str, and: &'static str| {
            if !good {
                problems.push(SetupError::Load { what, and });
            }
        };
        refuse(self.loads.gravity.is_finite(), "gravity", "");
        refuse(self.loads.fan.is_none_or(|fan| fan.is_sound()), "the fan", " and not negative");
        let Some(air) = self.loads.air else { return };
        refuse(air.wind.is_finite(), "wind", "");
        for (what, value) in [("the density of air", air.density), ("drag", air.drag)] {
            refuse(value.is_finite() && value >= 0.0, what, " and not negative");
        }
    }

    fn find_bad_limits(&self, problems: &mut Vec<SetupError>) {
        let Some(limits) = self.limits else { return };
        problems.extend(limits.check().err());
        problems.extend(self.of_cloths.iter().filter_map(|own| own.limits.check().err()));
        problems.extend(self.limiter.check().err());
        if self.limiter.needs_implicit() && self.integrator.is_explicit() {
            problems.push(SetupError::LimiterNeedsImplicit);
        }
        if !matches!(self.limiter, Limiter::Constraints(_)) && !self.cloths_are_alike() {
            problems.push(SetupError::ClothsDiffer);
        }
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
