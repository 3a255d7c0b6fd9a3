//! What a program does to a simulation between steps: it pushes particles, leads pins, and keeps
//! the arrays of a state it looks at.

use glam::DVec3;

use super::Simulation;
use crate::error::{PinProblem, SetupError};
use crate::setup::pin::Hold;
use crate::state::State;
use crate::step::script::Lead;

impl Simulation {
    /// Pushes every particle with a force \[N\] from the next step on, until other forces are set;
    /// no forces at all push nothing. Particles that come into being when cloth tears have none.
    ///
    /// They are no part of a snapshot, and stay what they are when one is restored.
    pub fn set_forces(&mut self, forces: &[DVec3]) -> Result<(), SetupError> {
        let particles = self.state.positions.len();
        if !forces.is_empty() && forces.len() != particles {
            return Err(SetupError::ForceCount { forces: forces.len(), particles });
        }
        if let Some(particle) = forces.iter().position(|force| !force.is_finite()) {
            return Err(SetupError::ForceNotFinite { particle: particle as u32 });
        }
        self.forces.clear();
        self.forces.extend_from_slice(forces);
        Ok(())
    }

    /// Leads the particles of a pin to these places \[m\], in the pin's order and in straight lines
    /// at constant speed, so that they are there at a time \[s\]; there they stay until they are led
    /// on. While a pin is led, its own motion does not move it.
    pub fn lead_pin(&mut self, pin: usize, to: &[DVec3], until: f64) -> Result<(), SetupError> {
        let pins = &self.setup.pins;
        let Some(led) = pins.get(pin) else {
            return Err(SetupError::NoSuchPin { pin, pins: pins.len() });
        };
        let (places, particles) = (to.len(), led.particles.len());
        let problem = if matches!(led.hold, Hold::Guide(_)) {
            Some(PinProblem::LeadOnGuide)
        } else if places != particles {
            Some(PinProblem::LeadCount { places, particles })
        } else if !(until.is_finite() && until > self.state.time) {
            Some(PinProblem::LeadTime { until, now: self.state.time })
        } else {
            let lost = to.iter().position(|place| !place.is_finite());
            lost.map(|place| PinProblem::LeadNotFinite { particle: led.particles[place] })
        };
        if let Some(problem) = problem {
            return Err(SetupError::Pin { pin, problem });
        }
        let first: usize = pins[..pin].iter().map(|pin| pin.particles.len()).sum();
        self.leads.resize(self.state.anchors.len(), None);
        for (lead, &to) in self.leads[first..].iter_mut().zip(to) {
            *lead = Some(Lead { to, until });
        }
        Ok(())
    }

    /// No more forces and leads from outside: led pins stay where they are.
    pub fn let_go(&mut self) {
        self.forces.clear();
        self.leads.clear();
    }

    /// Lets go of the state, arrays and all, and goes on with a copy: whoever looks at those arrays
    /// has them for good, however the cloth moves on.
    pub fn part_with_state(&mut self) -> State {
        let copy = self.state.clone();
        std::mem::replace(&mut self.state, copy)
    }
}
