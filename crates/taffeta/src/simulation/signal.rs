//! A line to a simulation while it steps, from another thread: to ask it to stop, and to hear what
//! it is doing. Nothing of this changes a bit of what it computes.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::error::StepError;
use crate::matter::gauge::Gauge;
use crate::step::judge::Verdict;
use crate::step::phase::Phase;
use crate::step::tally::Tally;

/// Asks a simulation to stop, and hears what it is doing.
#[derive(Debug, Default)]
pub struct Signal {
    stop: AtomicBool,
    /// Bits of numbers.
    time: AtomicU64,
    h: AtomicU64,
    steps: AtomicU32,
    rejected: AtomicU32,
    /// The phase, by its place among all, and how often the step was tried with other contacts.
    phase: AtomicU32,
    rounds: AtomicU32,
    /// Why a step was last refused, plus one, and the particle there.
    refusal: AtomicU32,
    particle: AtomicU32,
}

/// What a simulation is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doing {
    /// Simulated time that is reached \[s\].
    pub time: f64,
    /// The step being tried \[s\].
    pub h: f64,
    /// The phase it is in.
    pub phase: Phase,
    /// How often it was tried so far, each time with other contacts.
    pub rounds: u32,
    /// Steps taken since the frame before.
    pub steps: u32,
    /// Steps tried and discarded since then.
    pub rejected: u32,
    /// Why a step was last discarded, and a particle there, if there is one.
    pub refusal: Option<(&'static str, Option<u32>)>,
}

/// Why steps are refused.
const REFUSALS: [&str; 6] = [
    "the stretch changed drastically",
    "the air would turn the cloth around",
    "the system could not be solved",
    "it was over the strain limits",
    "a particle would be inside a solid",
    "contact could not keep the cloth off itself",
];

impl Signal {
    /// Asks the simulation to stop: the step being tried is given up, and whoever advances it gets
    /// [`StepError::Stopped`]; it can be advanced again from where it is.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// What the simulation is doing now.
    pub fn doing(&self) -> Doing {
        let number = |bits: &AtomicU64| f64::from_bits(bits.load(Relaxed));
        let why = (self.refusal.load(Relaxed) as usize).checked_sub(1);
        let particle = Some(self.particle.load(Relaxed)).filter(|&particle| particle != u32::MAX);
        Doing {
            time: number(&self.time),
            h: number(&self.h),
            phase: Phase::ALL[self.phase.load(Relaxed) as usize % Phase::ALL.len()],
            rounds: self.rounds.load(Relaxed),
            steps: self.steps.load(Relaxed),
            rejected: self.rejected.load(Relaxed),
            refusal: why.and_then(|why| REFUSALS.get(why)).map(|why| (*why, particle)),
        }
    }

    /// Tells that a step is tried, unless it shall not be.
    pub(crate) fn begin(&self, time: f64, h: f64, tally: &Tally) -> Result<(), StepError> {
        self.time.store(time.to_bits(), Relaxed);
        self.h.store(h.to_bits(), Relaxed);
        self.steps.store(tally.steps, Relaxed);
        self.rejected.store(tally.rejected, Relaxed);
        if tally.rejected == 0 {
            self.refusal.store(0, Relaxed);
        }
        self.rounds.store(0, Relaxed);
        self.enter(Phase::Forces);
        if self.stop.swap(false, Relaxed) { Err(StepError::Stopped { time }) } else { Ok(()) }
    }

    /// Tells that a phase of the step begins.
    pub(crate) fn enter(&self, phase: Phase) {
        if phase == Phase::Constrain {
            self.rounds.fetch_add(1, Relaxed);
        }
        let place = Phase::ALL.iter().position(|known| *known == phase);
        self.phase.store(place.unwrap_or_default() as u32, Relaxed);
    }

    /// Tells why a step was discarded.
    pub(crate) fn refuse(&self, verdict: Verdict, gauges: &[Gauge]) {
        let at = |gauge: usize| gauges.get(gauge).map(|gauge| gauge.particles[0]);
        let (why, particle) = match verdict {
            Verdict::Good | Verdict::TooCoarse => return,
            Verdict::Stretch(change) => (0, at(change.gauge)),
            Verdict::Drag => (1, None),
            Verdict::Unsolved => (2, None),
            Verdict::OverLimit(change) => (3, at(change.gauge)),
            Verdict::Blocked { particle, .. } => (4, Some(particle)),
            Verdict::Contact(pair) => (5, Some(pair.particles[0])),
        };
        self.particle.store(particle.unwrap_or(u32::MAX), Relaxed);
        self.refusal.store(why + 1, Relaxed);
    }
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { time, h, phase, rounds, steps, rejected, refusal } = *self;
        write!(f, "at {time:.5} s it tries a step of {h:.1e} s, after {steps} steps")?;
        if let Some((why, particle)) = refusal {
            write!(f, " and {rejected} discarded ones, the last because {why}")?;
            particle.map_or(Ok(()), |particle| write!(f, " at particle {particle}"))?;
        }
        write!(f, "; now in round {rounds}, phase {}", phase.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard_and_stopping_is_an_error() {
        let (signal, tally) = (Signal::default(), Tally { rejected: 1, ..Tally::default() });
        assert_eq!(signal.begin(0.25, 1e-3, &tally), Ok(()));
        signal.refuse(Verdict::Blocked { particle: 7, solid: 0 }, &[]);
        signal.enter(Phase::Constrain);
        signal.enter(Phase::Respond);
        let doing = signal.doing();
        let why = "a particle would be inside a solid";
        assert_eq!((doing.time, doing.h, doing.refusal), (0.25, 1e-3, Some((why, Some(7)))));
        let words = "inside a solid at particle 7; now in round 1, phase respond";
        assert!(doing.to_string().ends_with(words), "{doing}");
        signal.stop();
        assert_eq!(signal.begin(0.5, 1e-3, &tally), Err(StepError::Stopped { time: 0.5 }));
        assert_eq!(signal.begin(0.5, 1e-3, &tally), Ok(()), "it was stopped once");
    }
}
