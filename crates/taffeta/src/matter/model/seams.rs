//! Seams: pairs of particles that are drawn together and stay so.

use super::{Incidence, Model, ModelError};
use crate::matter::elements::Spring;

/// Particles that are sewn together, pair by pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// The pairs.
    pub pairs: Vec<[u32; 2]>,
    /// Force per distance of each pair \[N/m\].
    pub stiffness: f64,
    /// The time in which the distance of a pair falls to 1/e \[s\]: a damper beside each spring,
    /// beside which the mass of the cloth hardly counts.
    pub time: f64,
}

impl Model {
    /// The same cloth with seams: a spring of no length between the particles of each pair. Implicit
    /// steps alone can take such springs.
    pub fn with_seams(mut self, seams: &[Seam]) -> Result<Self, ModelError> {
        let particles = self.particles() as u32;
        for seam in seams {
            for &ends in &seam.pairs {
                if ends[0] == ends[1] || ends.iter().any(|end| *end >= particles) {
                    return Err(ModelError::Seam { ends, particles });
                }
                let damping = seam.time * seam.stiffness;
                self.springs.push(Spring {
                    ends,
                    rest_length: 0.0,
                    stiffness: seam.stiffness,
                    damping,
                });
            }
        }
        let ends = self.springs.iter().map(|spring| spring.ends);
        self.spring_incidence = Incidence::new(self.particles(), ends);
        Ok(self)
    }
}
