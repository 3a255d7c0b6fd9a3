//! What can go wrong, with which particle and what to change.

use thiserror::Error;

use crate::control::StepLimitsError;
use crate::gauge::Gauge;
use crate::motion::Motion;
use crate::pin::{Hold, Pin};
use crate::simulation::Setup;

/// Why a setup cannot be simulated.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SetupError {
    /// Positions and model do not belong together.
    #[error("{positions} positions were given for a cloth of {particles} particles")]
    PositionCount {
        /// Positions given.
        positions: usize,
        /// Particles of the model.
        particles: usize,
    },
    /// A particle starts nowhere.
    #[error("particle {particle} starts at a position that is not finite")]
    StartNotFinite {
        /// The particle.
        particle: u32,
    },
    /// Gravity or air is not a sensible number.
    #[error("{what} must be finite{and}")]
    Load {
        /// Which load.
        what: &'static str,
        /// What else it has to be.
        and: &'static str,
    },
    /// The explicit integrator's safety factor makes no sense.
    #[error("the safety factor is {0}; it must be above 0 and at most 1")]
    Safety(f64),
    /// The step limits make no sense.
    #[error(transparent)]
    StepLimits(#[from] StepLimitsError),
    /// A pin cannot work.
    #[error("pin {pin}: {problem}")]
    Pin {
        /// Its place in the list.
        pin: usize,
        /// What is wrong.
        problem: PinProblem,
    },
    /// The stiffnesses and masses allow no step at all.
    #[error(
        "no time step is stable (particle {particle} would need {h} s): stiffness and density are too far apart, check their units"
    )]
    NoStableStep {
        /// The particle that bounds the step.
        particle: u32,
        /// The bound [s].
        h: f64,
    },
    /// A snapshot of something else.
    #[error(
        "the snapshot is of another scene: it holds {} particles and {} pinned places, this cloth has {} and {}", found.0, found.1, wanted.0, wanted.1
    )]
    ForeignSnapshot {
        /// Particles and pinned places here.
        wanted: (usize, usize),
        /// Particles and pinned places there.
        found: (usize, usize),
    },
    /// A snapshot that could not be gone on from.
    #[error("the snapshot is damaged: it holds numbers that are not finite, or no step")]
    BrokenSnapshot,
}

/// What is wrong with a pin.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PinProblem {
    /// It holds nothing.
    #[error("it holds no particle")]
    Empty,
    /// It holds something that does not exist.
    #[error("{particle} is not a particle of this cloth, which has {particles}, 0 to {}", *particles as i64 - 1)]
    OutOfRange {
        /// The number it names.
        particle: u32,
        /// Particles there are.
        particles: usize,
    },
    /// Two pins want the same particle at the same time.
    #[error("particle {particle} is held by pin {other} at the same time")]
    HeldTwice {
        /// The particle.
        particle: u32,
        /// The other pin.
        other: usize,
    },
    /// It ends before it begins, or its times are not numbers.
    #[error("it is active from {from} s until {until} s, which is no stretch of time")]
    Times {
        /// Beginning [s].
        from: f64,
        /// End [s].
        until: f64,
    },
    /// A normal, direction or axis has no direction.
    #[error("its {0} is zero or not finite and points nowhere")]
    Direction(&'static str),
    /// The axis of its motion is not of unit length.
    #[error("the axis of its motion has the length {0}; scale it to 1")]
    AxisLength(f64),
    /// Its motion turns about a point that is nowhere.
    #[error("the centre of its motion is not finite")]
    Centre,
    /// Keys out of order or not finite.
    #[error("key {0} of its motion is not finite or not later than the one before")]
    Key(usize),
}

/// Why a run cannot go on. The simulation stays at the last good step.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// A spring changes its length too fast for the shortest step.
    #[error("at {time:.6} s the {at} changes by {:.1} % of its length within a step of {h:.2e} s; lower the load or the speed of the pins, or raise step.max_stretch_change", change * 100.0)]
    Stretch {
        /// Where.
        at: Gauge,
        /// Change of length over rest length.
        change: f64,
        /// Simulated time [s].
        time: f64,
        /// The step [s].
        h: f64,
    },
    /// Positions are no longer numbers, at the shortest step.
    #[error(
        "at {time:.6} s the {at} is at a position that is not finite even with a step of {h:.2e} s; check the units of loads and stiffnesses"
    )]
    NotFinite {
        /// Where.
        at: Gauge,
        /// Simulated time [s].
        time: f64,
        /// The step [s].
        h: f64,
    },
    /// Steps keep being refused.
    #[error(
        "at {time:.6} s more than {limit} steps were tried for one frame, the last of {h:.2e} s for the {at}; soften the cloth or the loads, or raise step.max_per_frame"
    )]
    TooManyRetries {
        /// The limit.
        limit: u32,
        /// What changed too much.
        at: Gauge,
        /// Simulated time [s].
        time: f64,
        /// The step [s].
        h: f64,
    },
    /// The stable step is far too short for the time asked for.
    #[error(
        "one frame needs {needed:.0} steps of {h:.2e} s, over the limit of {limit}: particle {particle} weighs {mass:.2e} kg and its springs add up to {stiffness:.2e} N/m; check the units of density and stiffness, use fewer particles, or raise step.max_per_frame"
    )]
    TooManySteps {
        /// Steps needed.
        needed: f64,
        /// The limit.
        limit: u32,
        /// The longest stable step [s].
        h: f64,
        /// The particle that bounds it.
        particle: u32,
        /// Its mass [kg].
        mass: f64,
        /// The sum of its springs' stiffness [N/m].
        stiffness: f64,
    },
}

impl Setup {
    /// The first thing that keeps this setup from being simulated, if there is one.
    pub fn check(&self) -> Result<(), SetupError> {
        let particles = self.model.particles();
        if self.positions.len() != particles {
            let positions = self.positions.len();
            return Err(SetupError::PositionCount { positions, particles });
        }
        if let Some(particle) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(SetupError::StartNotFinite { particle: particle as u32 });
        }
        self.check_loads()?;
        let crate::Integrator::Explicit(explicit) = self.integrator;
        if !(explicit.safety > 0.0 && explicit.safety <= 1.0) {
            return Err(SetupError::Safety(explicit.safety));
        }
        self.step.check()?;
        for pin in 0..self.pins.len() {
            self.check_pin(pin).map_err(|problem| SetupError::Pin { pin, problem })?;
        }
        Ok(())
    }

    fn check_loads(&self) -> Result<(), SetupError> {
        if !self.loads.gravity.is_finite() {
            return Err(SetupError::Load { what: "gravity", and: "" });
        }
        let Some(air) = self.loads.air else { return Ok(()) };
        if !air.wind.is_finite() {
            return Err(SetupError::Load { what: "wind", and: "" });
        }
        for (what, value) in [("the density of air", air.density), ("drag", air.drag)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SetupError::Load { what, and: " and not negative" });
            }
        }
        Ok(())
    }

    fn check_pin(&self, index: usize) -> Result<(), PinProblem> {
        let pin = &self.pins[index];
        let particles = self.model.particles();
        if pin.particles.is_empty() {
            return Err(PinProblem::Empty);
        }
        if let Some(&particle) = pin.particles.iter().find(|&&p| p as usize >= particles) {
            return Err(PinProblem::OutOfRange { particle, particles });
        }
        let ordered = pin.from.is_finite() && pin.from < pin.until;
        if !ordered {
            return Err(PinProblem::Times { from: pin.from, until: pin.until });
        }
        match pin.hold {
            Hold::Plane(normal) if !points_somewhere(normal) => {
                return Err(PinProblem::Direction("normal"));
            }
            Hold::Line(direction) if !points_somewhere(direction) => {
                return Err(PinProblem::Direction("direction"));
            }
            _ => {}
        }
        check_motion(&pin.motion)?;
        self.check_held_once(index)
    }

    fn check_held_once(&self, index: usize) -> Result<(), PinProblem> {
        let pin = &self.pins[index];
        let mut own = pin.particles.clone();
        own.sort_unstable();
        if let Some(pair) = own.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(PinProblem::HeldTwice { particle: pair[0], other: index });
        }
        let together = |other: &Pin| pin.from < other.until && other.from < pin.until;
        for (other, earlier) in self.pins[..index].iter().enumerate() {
            let shared = earlier.particles.iter().find(|p| own.binary_search(p).is_ok());
            if let (Some(&particle), true) = (shared, together(earlier)) {
                return Err(PinProblem::HeldTwice { particle, other });
            }
        }
        Ok(())
    }
}

fn check_motion(motion: &Motion) -> Result<(), PinProblem> {
    if !points_somewhere(motion.axis) {
        return Err(PinProblem::Direction("axis"));
    }
    if (motion.axis.length() - 1.0).abs() > 1e-9 {
        return Err(PinProblem::AxisLength(motion.axis.length()));
    }
    if !motion.centre.is_finite() {
        return Err(PinProblem::Centre);
    }
    for (i, key) in motion.keys.iter().enumerate() {
        let finite = key.time.is_finite() && key.offset.is_finite() && key.angle.is_finite();
        let later = i == 0 || motion.keys[i - 1].time < key.time;
        if !(finite && later) {
            return Err(PinProblem::Key(i));
        }
    }
    Ok(())
}

fn points_somewhere(direction: glam::DVec3) -> bool {
    direction.is_finite() && direction.length() > 0.0 && direction.length().is_finite()
}
