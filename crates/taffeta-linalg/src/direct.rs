//! A direct solver for block systems with held directions.

use glam::{DMat3, DVec3};

use crate::coupling::Coupling;
use crate::factor::FactorError;
use crate::multifrontal::Multifrontal;
use crate::multiply::MultiplyScratch;
use crate::parallel::fill;
use crate::pattern::BlockPattern;
use crate::system::FilteredSystem;

/// Blocks whose filtering repays another thread.
const GRAIN: usize = 8192;

/// Solves S A S x = S b in the free directions, with x prescribed in the held ones, by a sparse
/// factorisation that is planned once per pattern, and anew where other particles are coupled.
pub struct DirectSolver {
    factor: Multifrontal,
    /// The factor of a pattern with couplings, while there are any.
    coupled: Option<Coupled>,
    /// S A S + (I − S) in the order of a matrix's values, and then what couples.
    blocks: Vec<DMat3>,
    /// Row and column of each block.
    places: Vec<(u32, u32)>,
    /// Blocks within the pattern.
    stored: usize,
    right: Vec<DVec3>,
    scratch: MultiplyScratch,
}

/// A factor for couplings of certain particles at certain places. Its order, and so its bits, follow
/// from both: what was solved before does not matter.
struct Coupled {
    particles: Vec<[u32; 4]>,
    positions: Vec<DVec3>,
    factor: Multifrontal,
}

impl DirectSolver {
    /// Plans solves with matrices of this pattern; `rest` places the particles so that near ones
    /// are coupled, for example their rest positions.
    pub fn new(pattern: &BlockPattern, rest: &[DVec3]) -> Result<Self, FactorError> {
        let mut solver = Self {
            factor: Multifrontal::new(&[], &[])?,
            coupled: None,
            blocks: Vec::new(),
            places: Vec::new(),
            stored: 0,
            right: Vec::new(),
            scratch: MultiplyScratch::new(pattern),
        };
        solver.plan_again(pattern, rest)?;
        Ok(solver)
    }

    /// The bytes that a solver of this pattern takes for its factor, without taking them: counted by
    /// the plan of it.
    pub fn bytes(pattern: &BlockPattern, rest: &[DVec3]) -> u64 {
        let places: Vec<(u32, u32)> = pattern.stored().collect();
        let blocks = places.len() * (size_of::<DMat3>() + size_of::<(u32, u32)>());
        Multifrontal::bytes(&places, rest) + blocks as u64
    }

    /// Plans for another pattern in the same memory.
    pub fn plan_again(
        &mut self,
        pattern: &BlockPattern,
        rest: &[DVec3],
    ) -> Result<(), FactorError> {
        let rows = pattern.rows();
        if rest.len() != rows {
            return Err(FactorError::Malformed("there must be one rest position for each row"));
        }
        self.places.clear();
        self.places.extend(pattern.stored());
        self.stored = self.places.len();
        self.factor.plan_again(&self.places, rest)?;
        self.coupled = None;
        self.blocks.resize(self.stored, DMat3::ZERO);
        self.right.resize(rows, DVec3::ZERO);
        self.scratch = MultiplyScratch::new(pattern);
        Ok(())
    }

    /// Factors the free part of the system's matrix. `positions` say which particles are near each
    /// other now: where cloth touches itself, those are coupled.
    pub fn factorize(
        &mut self,
        system: &FilteredSystem<'_>,
        positions: &[DVec3],
    ) -> Result<(), FactorError> {
        self.blocks.truncate(self.stored);
        self.places.truncate(self.stored);
        let places = &self.places;
        fill(&mut self.blocks, GRAIN, |k| system.free_block(k, places[k]));
        let couplings = system.matrix.couplings();
        if couplings.is_empty() {
            self.coupled = None;
            return self.factor.factorize(&self.blocks);
        }
        for coupling in couplings {
            let pairs = (1..4).flat_map(|k| (0..k).map(move |l| [k, l]));
            for [k, l] in pairs {
                let place = (coupling.particles[k], coupling.particles[l]);
                self.places.push(place);
                self.blocks.push(system.free_part(place, coupling.beside_diagonal(k, l)));
            }
        }
        let mut coupled = self.coupled_for(couplings, positions)?;
        let done = coupled.factor.factorize(&self.blocks);
        self.coupled = Some(coupled);
        done
    }

    /// The plan for these couplings: the last one, if it was made for the same particles where they
    /// are now.
    fn coupled_for(
        &mut self,
        couplings: &[Coupling],
        positions: &[DVec3],
    ) -> Result<Coupled, FactorError> {
        let particles = || couplings.iter().map(|coupling| coupling.particles);
        let mut coupled = match self.coupled.take() {
            Some(coupled) => coupled,
            None => Coupled {
                particles: Vec::new(),
                positions: Vec::new(),
                factor: Multifrontal::new(&[], &[])?,
            },
        };
        let same = coupled.particles.iter().copied().eq(particles());
        if !same || coupled.positions != positions {
            coupled.factor.plan_again(&self.places, positions)?;
            coupled.particles.clear();
            coupled.particles.extend(particles());
            coupled.positions.clear();
            coupled.positions.extend_from_slice(positions);
        }
        Ok(coupled)
    }

    /// Solves with the last factor; `x` holds exactly what the system prescribes.
    pub fn solve(&mut self, system: &FilteredSystem<'_>, x: &mut [DVec3]) {
        system.start(x);
        system.free_residual(x, &mut self.right, &mut self.scratch);
        let factor = self.coupled.as_mut().map_or(&mut self.factor, |coupled| &mut coupled.factor);
        factor.solve(&mut self.right);
        for (value, change) in x.iter_mut().zip(&self.right) {
            *value += *change;
        }
        system.impose(x);
    }
}
