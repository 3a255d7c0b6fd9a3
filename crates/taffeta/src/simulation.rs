//! The simulation: a model, its state, and the step that moves it.

use std::time::Instant;

use glam::DVec3;

use crate::constraint::Constraint;
use crate::control::StepControl;
use crate::error::{SetupError, StepError};
use crate::frame::Frame;
use crate::integrators::{IntegratorMemory, LongestStep, Refusal, Solved, Step};
use crate::judge::{Judge, Verdict};
use crate::limiters::{LimitStep, Limited, LimiterMemory, StageTimes};
use crate::load::LoadForces;
use crate::measure::{self, Energy, Strain};
use crate::model::Model;
use crate::phase::{Phase, PhaseTimes};
use crate::script::{self, Targets};
use crate::setup::Setup;
use crate::state::State;

/// Steps over the strain limits are tried again down to this part of the longest step.
const PATIENCE: f64 = 8.0;

/// Cloth in motion.
#[derive(Debug)]
pub struct Simulation {
    setup: Setup,
    state: State,
    trial: State,
    control: StepControl,
    longest: Option<LongestStep>,
    reactions: Vec<DVec3>,
    targets: Targets,
    loads: LoadForces,
    constraints: Vec<Constraint>,
    memory: IntegratorMemory,
    limiter: LimiterMemory,
    judge: Judge,
    pin_forces: Vec<(u32, DVec3)>,
}

/// What it took to advance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// Steps taken.
    pub steps: u32,
    /// Steps tried and discarded.
    pub rejected: u32,
    /// Iterations of linear solves.
    pub iterations: u32,
    /// Linear solves that did not reach their tolerance.
    pub unconverged: u32,
    /// Iterations of the limiter: sweeps, or solves of its own.
    pub limit_iterations: u32,
    /// Steps in which the limiter did not bring every gauge within its limits.
    pub limit_unconverged: u32,
    /// Steps that were taken although they are over the strain limits.
    pub over_limit: u32,
    /// The most that a gauge was over its limit in those, as a fraction of its rest length.
    pub worst_excess: f64,
    /// Shortest step taken \[s\].
    pub h_min: f64,
    /// Longest step taken \[s\].
    pub h_max: f64,
    /// Time spent in each phase.
    pub times: PhaseTimes,
    /// Time spent in each stage of the limiter's own linear solves, within the Limit phase.
    pub stages: StageTimes,
}

impl Default for Tally {
    fn default() -> Self {
        let times = PhaseTimes::default();
        Self {
            steps: 0,
            rejected: 0,
            iterations: 0,
            unconverged: 0,
            limit_iterations: 0,
            limit_unconverged: 0,
            over_limit: 0,
            worst_excess: 0.0,
            h_min: f64::INFINITY,
            h_max: 0.0,
            times,
            stages: StageTimes::default(),
        }
    }
}

/// All that a simulation needs to go on exactly as if it had never stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The state.
    pub state: State,
    /// What step control has learnt.
    pub control: StepControl,
}

impl Simulation {
    /// Checks a setup and makes it ready to move; [`Setup::problems`] tells all that is wrong.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        if let Some(problem) = setup.problems().into_iter().next() {
            return Err(problem);
        }
        let model = &setup.model;
        let longest = setup.integrator.longest_step(model);
        let places = setup.pins.iter().map(|pin| pin.particles.len()).sum();
        let state = State::at_rest(setup.positions.clone(), places, setup.kept_tensions());
        Ok(Self {
            trial: state.clone(),
            state,
            control: StepControl::new(
                longest.map_or(setup.step.max, |longest| longest.h.min(setup.step.max)),
            ),
            longest,
            targets: Targets::new(places),
            loads: LoadForces::new(model),
            constraints: Vec::with_capacity(places),
            memory: setup.integrator.memory(&setup)?,
            limiter: setup.limiter.memory(&setup)?,
            reactions: Vec::with_capacity(places),
            judge: Judge::new(model.gauges().len()),
            pin_forces: Vec::with_capacity(places),
            setup,
        })
    }

    /// Moves on to a time \[s\], in as many steps as it takes, and lands on it exactly.
    ///
    /// On failure the simulation stays at the last good step.
    pub fn advance_to(&mut self, time: f64) -> Result<Tally, StepError> {
        let mut tally = Tally::default();
        self.refuse_too_many_steps(time)?;
        while self.state.time < time {
            let end = script::next_event(&self.setup.pins, self.state.time, time);
            self.step(end, &mut tally)?;
        }
        Ok(tally)
    }

    /// Takes one good step towards a time, and no further.
    ///
    /// Contact and tearing will stand here as phases of their own: Detect before Constrain, Respond
    /// after Limit, Tear after Commit.
    fn step(&mut self, end: f64, tally: &mut Tally) -> Result<(), StepError> {
        let clock = &mut Instant::now();
        loop {
            let h = self.control.propose(end - self.state.time);
            let next_time = if h < end - self.state.time { self.state.time + h } else { end };

            self.trial.copy_from(&self.state);
            self.trial.time = next_time;
            let (model, pins) = (&self.setup.model, &self.setup.pins);
            self.targets.script(pins, &self.state, &mut self.trial);
            tally.times.charge(Phase::Script, clock);

            let drag_rate = self.loads.evaluate(&self.setup.loads, model, &self.state);
            let explicit = self.setup.integrator.is_explicit();
            if !explicit {
                self.loads.evaluate_slopes(&self.setup.loads, model);
            }
            tally.times.charge(Phase::Forces, clock);

            self.targets.constrain(&self.state, h, &mut self.constraints);
            tally.times.charge(Phase::Constrain, clock);

            let loads = &self.loads.on_particles;
            let drag = &self.loads.slopes;
            let step = Step { model, loads, drag, constraints: &self.constraints, h };
            let solved = self.memory.advance(&step, &mut self.trial, &mut self.reactions);
            tally.times.charge(Phase::Integrate, clock);

            let limited = self.limit(h);
            tally.stages += limited.map(|limited| limited.times).unwrap_or_default();
            self.trial.move_by(h, &self.constraints);
            tally.times.charge(Phase::Limit, clock);

            let states = [&self.state, &self.trial];
            let drag = if explicit { h * drag_rate } else { 0.0 };
            let verdict = match solved.and(limited) {
                Ok(_) => self.judge.verdict(&self.setup, states, drag),
                Err(Refusal) => Verdict::Unsolved,
            };
            let verdict = self.let_pass_over_limits(verdict, h, tally);
            tally.times.charge(Phase::Judge, clock);

            if verdict == Verdict::Good {
                std::mem::swap(&mut self.state, &mut self.trial);
                self.control.accept(self.longest_step());
                self.keep_pin_forces();
                tally.accept(h, solved.unwrap_or_default(), limited.unwrap_or_default());
                tally.times.charge(Phase::Commit, clock);
                return Ok(());
            }
            self.control.reject(h);
            tally.rejected += 1;
            self.give_up_if_hopeless(h, verdict, tally)?;
        }
    }

    /// Corrects the trial's velocities so that they keep the strain limits.
    fn limit(&mut self, h: f64) -> Result<Limited, Refusal> {
        let Some(limits) = &self.setup.limits else { return Ok(Limited::default()) };
        let (model, constraints) = (&self.setup.model, &self.constraints[..]);
        let (longest, state) = (self.longest_step(), &self.state);
        let step = LimitStep { model, limits, constraints, h, longest, state };
        self.limiter.limit(&step, &mut self.trial, &mut self.reactions)
    }

    /// Shorter steps keep limits better; but where limits cannot be kept at all, ever shorter ones
    /// would never end. So a step of a small part of the longest passes, counted and reported.
    fn let_pass_over_limits(&self, verdict: Verdict, h: f64, tally: &mut Tally) -> Verdict {
        let Verdict::OverLimit(excess) = verdict else { return verdict };
        if self.setup.limiter.tries_again() && h > self.longest_step() / PATIENCE {
            return verdict;
        }
        tally.over_limit += 1;
        tally.worst_excess = tally.worst_excess.max(excess.stretch);
        Verdict::Good
    }

    /// A step that is tried after this one, and refused, has forces too.
    fn keep_pin_forces(&mut self) {
        let particles = self.constraints.iter().map(|constraint| constraint.particle);
        self.pin_forces.clear();
        self.pin_forces.extend(particles.zip(self.reactions.iter().copied()));
    }

    fn give_up_if_hopeless(
        &self,
        h: f64,
        verdict: Verdict,
        tally: &Tally,
    ) -> Result<(), StepError> {
        let (time, limits) = (self.state.time, &self.setup.step);
        let hopeless = self.control.h < limits.min;
        let limit = limits.max_per_frame;
        let tired = tally.steps + tally.rejected > limit;
        let gauge = |gauge: usize| self.setup.model.gauges()[gauge];
        match verdict {
            Verdict::Stretch(change) if hopeless && change.stretch.is_finite() => {
                let at = gauge(change.gauge);
                Err(StepError::Stretch { at, change: change.stretch, time, h })
            }
            Verdict::Stretch(change) if hopeless => {
                Err(StepError::NotFinite { at: gauge(change.gauge), time, h })
            }
            Verdict::Stretch(change) if tired => {
                Err(StepError::TooManyRetries { limit, at: gauge(change.gauge), time, h })
            }
            Verdict::Drag if hopeless || tired => Err(StepError::Drag { time, h }),
            Verdict::OverLimit(change) if hopeless || tired => {
                Err(StepError::TooManyRetries { limit, at: gauge(change.gauge), time, h })
            }
            Verdict::Unsolved if hopeless || tired => Err(StepError::Unsolvable { time, h }),
            _ => Ok(()),
        }
    }

    /// Whether the time from now to `time` would need more steps than the limits allow for a frame.
    pub fn refuse_too_many_steps(&self, time: f64) -> Result<(), StepError> {
        let h = self.longest_step();
        let needed = (time - self.state.time) / h;
        let limit = self.setup.step.max_per_frame;
        if needed <= f64::from(limit) {
            return Ok(());
        }
        let needed = needed.ceil();
        let Some(bound) = self.longest.filter(|bound| bound.h <= self.setup.step.max) else {
            return Err(StepError::StepMaxTooShort { needed, limit, h });
        };
        let (particle, model) = (bound.particle, &self.setup.model);
        let mass = model.masses[particle as usize];
        let springs = model.spring_incidence.at(particle as usize);
        let stiffness = springs.iter().map(|&(s, _)| model.springs[s as usize].stiffness).sum();
        Err(StepError::TooManySteps { needed, limit, h, particle, mass, stiffness })
    }

    /// The longest step taken here: the integrator's bound or the user's, whichever is less \[s\].
    pub fn longest_step(&self) -> f64 {
        let max = self.setup.step.max;
        self.longest.map_or(max, |longest| longest.h.min(max))
    }

    /// The longest step the integrator could take on this cloth, whatever the user allows, if it
    /// is bounded at all.
    pub fn integrator_bound(&self) -> Option<LongestStep> {
        self.longest
    }

    /// What the simulation is made of.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The cloth.
    pub fn model(&self) -> &Model {
        &self.setup.model
    }

    /// Where everything is now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Gives every particle a velocity \[m/s\], to start in motion.
    pub fn set_velocities(&mut self, velocities: &[DVec3]) -> Result<(), SetupError> {
        if velocities.len() != self.state.velocities.len() {
            let (positions, particles) = (velocities.len(), self.state.velocities.len());
            return Err(SetupError::PositionCount { positions, particles });
        }
        if let Some(particle) = velocities.iter().position(|v| !v.is_finite()) {
            return Err(SetupError::StartNotFinite { particle: particle as u32 });
        }
        self.state.velocities.copy_from_slice(velocities);
        Ok(())
    }

    /// The force \[N\] that held each pinned particle in the last good step; none before the first
    /// step, from the start or from a snapshot.
    pub fn pin_forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.pin_forces.iter().copied()
    }

    /// The cloth as a frame of this number.
    pub fn frame(&self, number: u32) -> Frame<'_> {
        Frame {
            number,
            time: self.state.time,
            revision: self.setup.model.revision(),
            faces: self.setup.model.faces(),
            positions: &self.state.positions,
            velocities: &self.state.velocities,
        }
    }

    /// The strain now, at the model's gauges.
    pub fn strain(&self) -> Strain {
        measure::strain(self.setup.model.gauges(), &self.state.positions)
    }

    /// The energy now.
    pub fn energy(&self) -> Energy {
        measure::energy(&self.setup.model, &self.setup.loads, &self.state)
    }

    /// Keeps all that is needed to go on later.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.state.clone(), control: self.control }
    }

    /// Goes on from a snapshot of the same setup: every bit from here on is as it would have been.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SetupError> {
        let wanted = (self.state.positions.len(), self.state.anchors.len());
        let state = &snapshot.state;
        let found = (state.positions.len(), state.anchors.len());
        if wanted != found
            || state.velocities.len() != wanted.0
            || state.tensions.len() != self.state.tensions.len()
        {
            return Err(SetupError::ForeignSnapshot { wanted, found });
        }
        if !(state.is_finite() && snapshot.control.h.is_finite() && snapshot.control.h > 0.0) {
            return Err(SetupError::BrokenSnapshot);
        }
        self.state.copy_from(state);
        self.control = snapshot.control;
        self.pin_forces.clear();
        Ok(())
    }
}

impl Tally {
    fn accept(&mut self, h: f64, solved: Solved, limited: Limited) {
        self.limit_iterations += limited.iterations;
        self.limit_unconverged += u32::from(!limited.converged);
        self.iterations += solved.iterations;
        self.unconverged += solved.unconverged;
        self.steps += 1;
        self.h_min = self.h_min.min(h);
        self.h_max = self.h_max.max(h);
    }
}
