//! A test run that finds how many sweeps cloth needs that is not to tear by itself (N_proj of
//! MBCN09 §4.1).
//!
//! Too few sweeps leave cloth stretched that hangs by its own weight, and it tears where nothing
//! tears it. In the test run pins and solids stand still, nothing pulls and nothing is cut.

use thiserror::Error;

use crate::error::{SetupError, StepError};
use crate::limiter::{Limiter, Sweeps};
use crate::motion::{Motion, MotionKey};
use crate::setup::Setup;
use crate::simulation::Simulation;

/// The most sweeps that are tried.
const MOST: u32 = 4096;
/// Parts of the test run between which is looked whether the weave still holds.
const LOOKS: u32 = 16;

/// Why a test run found no number of sweeps.
#[derive(Debug, Error)]
pub enum TestRunError {
    /// What is to be run cannot be.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A run failed.
    #[error("a test run with {sweeps} sweeps failed: {source}")]
    Step {
        /// How many sweeps it had.
        sweeps: u32,
        /// Why.
        source: StepError,
    },
    /// The weave loosens whatever is done.
    #[error(
        "even {MOST} sweeps a step do not keep yarns below the share of their strength at which the \
         weave loosens while nothing pulls at the cloth: make them stronger or the cloth lighter, \
         or take shorter steps"
    )]
    TooWeak,
}

/// The fewest sweeps a step, as far as halving tells, with which the weave of cloth that is kept by
/// sweeps holds for some time
/// \[s\] while nothing moves that holds it; none if it does not tear, or is not kept by sweeps.
pub fn fewest_sweeps(setup: &Setup, time: f64) -> Result<Option<u32>, TestRunError> {
    let Limiter::Sweeps(settings) = setup.limiter else { return Ok(None) };
    if setup.woven.is_none() {
        return Ok(None);
    }
    let test = |sweeps: u32| holds(at_rest(setup, Sweeps { sweeps, ..settings }), time, sweeps);
    let mut enough = 1;
    loop {
        match test(enough) {
            Ok(true) => break,
            Ok(false) if enough >= MOST => return Err(TestRunError::TooWeak),
            // Cloth that hardly anything holds may come to where no step can be taken.
            Err(error) if enough >= MOST || matches!(error, TestRunError::Setup(_)) => {
                return Err(error);
            }
            _ => enough *= 2,
        }
    }
    let mut too_few = enough / 2;
    while enough - too_few > 1 {
        let middle = (enough + too_few) / 2;
        if test(middle).unwrap_or(false) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Ok(Some(enough))
}

/// The same with so many sweeps, and without what tears it.
fn at_rest(setup: &Setup, sweeps: Sweeps) -> Setup {
    let mut setup = setup.clone();
    setup.limiter = Limiter::Sweeps(sweeps);
    setup.pulls.clear();
    setup.pins.iter_mut().for_each(|pin| stop(&mut pin.motion));
    setup.solids.iter_mut().for_each(|solid| stop(&mut solid.motion));
    if let Some(woven) = &mut setup.woven {
        woven.tearing.cuts.clear();
    }
    setup
}

/// Stands still where a motion is at the start.
fn stop(motion: &mut Motion) {
    if !motion.keys.is_empty() {
        motion.keys = vec![MotionKey { time: 0.0, ..motion.at(0.0) }];
    }
}

/// Whether no crossing loosens.
fn holds(setup: Setup, time: f64, sweeps: u32) -> Result<bool, TestRunError> {
    let mut simulation = Simulation::new(setup)?;
    let start = simulation.frays();
    for look in 1..=LOOKS {
        let next = time * f64::from(look) / f64::from(LOOKS);
        let done = simulation.advance_to(next);
        done.map_err(|source| TestRunError::Step { sweeps, source })?;
        if simulation.frays() != start {
            return Ok(false);
        }
    }
    Ok(true)
}
