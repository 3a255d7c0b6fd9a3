//! The simulation: a model, its state, and the step that moves it.

mod change;
pub(crate) mod frame;
mod hand;
pub mod measure;
mod outside;
pub(crate) mod signal;
mod tearing;

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;

use crate::error::{SetupError, StepError};
use crate::geometry::collision::{Intersection, Surface, intersections};
use crate::matter::model::Model;
use crate::setup::Setup;
use crate::setup::piece::Piece;
use crate::setup::stability::LongestStep;
use crate::simulation::frame::Frame;
use crate::simulation::measure::{Energy, Strain};
use crate::simulation::signal::Signal;
use crate::solvers::choice::too_many_steps;
use crate::solvers::step_solver::StepSolver;
use crate::state::State;
use crate::state::constraint::Constraint;
use crate::state::touch::{Contact, ContactForce};
use crate::step::control::StepControl;
use crate::step::judge::{Judge, Verdict};
use crate::step::load_forces::LoadForces;
use crate::step::outcome::{Limited, Solved};
use crate::step::passage::Passage;
use crate::step::phase::Phase;
use crate::step::script::{self, Lead, Targets};
use crate::step::tally::Tally;
use crate::woven::{Frays, Tears, Weaving, Woven};
use hand::Holding;

pub use hand::{Hand, HandGrip};

/// Steps over the strain limits are tried again down to this part of the longest step.
const PATIENCE: f64 = 8.0;

/// Steps that begin so far over the limits, as a share of how they end, are not tried again.
const HOPELESS: f64 = 0.5;

/// Cloth in motion.
#[derive(Debug)]
pub struct Simulation {
    setup: Setup,
    /// The cloth as it is now; other than the setup's only where it can tear, and made anew when it
    /// has torn.
    model: Arc<Model>,
    state: State,
    trial: State,
    control: StepControl,
    longest: Option<LongestStep>,
    reactions: Vec<DVec3>,
    targets: Targets,
    /// Where places of pins are led from outside.
    leads: Vec<Option<Lead>>,
    loads: LoadForces,
    /// What pushes particles from outside [N].
    forces: Vec<DVec3>,
    /// A hand that pulls from outside.
    hand: Option<Holding>,
    constraints: Vec<Constraint>,
    solver: StepSolver,
    judge: Judge,
    pin_forces: Vec<(u32, DVec3)>,
    contact_forces: Vec<ContactForce>,
    weaving: Option<Box<Weaving>>,
    signal: Arc<Signal>,
    /// Whether the next step begins anew, with nothing learnt in the steps before that is not in the
    /// state.
    anew: bool,
}

/// All that a simulation needs to go on exactly as if it had never stopped, where a frame ends; between
/// the steps of a frame, what solvers have learnt since it began is not in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The state.
    pub state: State,
    /// What step control has learnt.
    pub control: StepControl,
    /// What has torn, if the cloth can tear.
    pub tears: Option<Tears>,
}

impl Simulation {
    /// Checks a setup and makes it ready to move; [`Setup::problems`] tells all that is wrong.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        if let Some(problem) = setup.problems().into_iter().next() {
            return Err(problem);
        }
        let tied = !setup.integrator.is_explicit();
        let woven = |woven: &Woven| Weaving::new(woven.clone(), woven.untorn(), tied);
        let mut weaving = setup.woven.as_ref().map(|of| Box::new(woven(of)));
        let model = match &mut weaving {
            None => Arc::clone(&setup.model),
            Some(weaving) => {
                let model = Arc::new(weaving.model());
                weaving.plan_coarse(&model);
                model
            }
        };
        let mut solver = StepSolver::new(&piece(&setup, &model, weaving.as_deref()))?;
        let longest = solver.bound(setup.longest_step(&model));
        let places = setup.pins.iter().map(|pin| pin.particles.len()).sum();
        let tensions = solver.tensions(&piece(&setup, &model, weaving.as_deref()));
        let mut state = State::at_rest(setup.positions.clone(), places, tensions);
        script::start_on_guides(&setup.pins, &mut state.positions);
        if let Some(weaving) = &mut weaving {
            weaving.carry(&mut state);
            weaving.turn_ties(&model, &state.positions);
            if weaving.refine_uneven(&state.positions) {
                weaving.plan_coarse(&model);
                solver.refine(&piece(&setup, &model, Some(weaving)))?;
            }
        }
        Ok(Self {
            trial: state.clone(),
            state,
            control: StepControl::new(
                longest.map_or(setup.step.max, |longest| longest.h.min(setup.step.max)),
            ),
            longest,
            targets: Targets::new(places),
            leads: Vec::new(),
            loads: LoadForces::new(&model),
            forces: Vec::new(),
            hand: None,
            constraints: Vec::with_capacity(places),
            reactions: Vec::with_capacity(places),
            judge: Judge::new(model.gauges().len()),
            pin_forces: Vec::with_capacity(places),
            contact_forces: Vec::new(),
            weaving,
            model,
            solver,
            signal: Arc::default(),
            anew: true,
            setup,
        })
    }

    /// Moves on to a time \[s\], in as many steps as it takes, and lands on it exactly.
    ///
    /// On failure the simulation stays at the last good step.
    pub fn advance_to(&mut self, time: f64) -> Result<Tally, StepError> {
        let mut tally = Tally::default();
        self.refuse_too_many_steps(time)?;
        self.anew = true;
        while self.step_towards(time, &mut tally)? {}
        Ok(tally)
    }

    /// Takes one good step towards a time \[s\], for those who cannot wait until it is reached; tells
    /// whether there is more to go. All those steps are, to the bit, what [`Simulation::advance_to`]
    /// takes, if nothing comes from outside between them, and if one tally counts all steps of a frame.
    ///
    /// On failure the simulation stays at the last good step.
    pub fn step_towards(&mut self, time: f64, tally: &mut Tally) -> Result<bool, StepError> {
        if self.state.time >= time {
            return Ok(false);
        }
        if std::mem::take(&mut self.anew) {
            self.solver.forget(false);
        }
        let end = script::next_event(self.setup.events(), self.state.time, time);
        let stepped = self.step(end, tally);
        self.anew = stepped.is_err() || self.state.time >= time;
        stepped.map(|()| self.state.time < time)
    }

    /// Takes one good step towards a time, and no further.
    fn step(&mut self, end: f64, tally: &mut Tally) -> Result<(), StepError> {
        let clock = &mut Instant::now();
        self.refine_held().map_err(|source| self.torn(source))?;
        loop {
            let bound = self.solver.longest_step(&self.model, &self.state);
            let control = self.control.within(bound);
            let h = control.propose(end - self.state.time);
            self.signal.begin(self.state.time, h, tally)?;
            let next_time = if h < end - self.state.time { self.state.time + h } else { end };

            self.trial.copy_from(&self.state);
            self.trial.time = next_time;
            self.targets.script(&self.setup.pins, &self.leads, &self.state, &mut self.trial);
            tally.times.charge(Phase::Script, clock);
            let drag = self.load(h, next_time);
            tally.times.charge(Phase::Forces, clock);
            let verdict = match self.attempt((h, drag), tally, clock) {
                Ok((solved, limited)) => {
                    self.commit((h, control.h), (solved, limited), tally);
                    tally.times.charge(Phase::Commit, clock);
                    let torn = self.tear(h);
                    tally.times.charge(Phase::Tear, clock);
                    return torn;
                }
                Err(verdict) => verdict,
            };
            let too_coarse = verdict == Verdict::TooCoarse;
            if too_coarse && self.refine_touched().map_err(|source| self.torn(source))? {
                continue;
            }
            self.control.reject(h);
            self.solver.forget(false);
            tally.rejected += 1;
            self.signal.refuse(verdict, self.model.gauges());
            tally.contact.retries += u32::from(matches!(verdict, Verdict::Contact(_)));
            self.give_up_if_hopeless(h, verdict, tally)?;
        }
    }

    /// Gathers what acts on the particles from outside in a step; tells how much of its speed the air
    /// takes from cloth in an explicit one.
    fn load(&mut self, h: f64, end: f64) -> f64 {
        // In the middle of the step, whose whole impulse is then that of loads that change steadily.
        let loads = self.setup.loads_at(0.5 * (self.state.time + end));
        let drag_rate = self.loads.evaluate(&loads, &self.model, &self.state);
        let explicit = self.setup.integrator.is_explicit();
        if !explicit {
            self.loads.evaluate_slopes(&loads, &self.model);
        }
        self.loads.add_pulls(&self.setup.pulls, &self.state, end, !explicit);
        self.loads.add(&self.forces);
        if let Some(hand) = &mut self.hand {
            hand.pull(&self.model, &self.state, (end, !explicit), &mut self.loads);
        }
        let on_particles = &mut self.loads.on_particles;
        self.solver.untangle(&self.model.masses, &self.state, h, on_particles);
        if explicit { h * drag_rate } else { 0.0 }
    }

    /// Shorter steps keep limits better; but where limits cannot be kept at all, ever shorter ones
    /// would never end. So a step of a small part of the longest passes, counted and reported.
    fn let_pass_over_limits(&self, verdict: Verdict, h: f64, tally: &mut Tally) -> Verdict {
        let Verdict::OverLimit(excess) = verdict else { return verdict };
        // Cloth that tears may be pulled beyond any limit.
        let tries_again = match self.solver {
            StepSolver::Strips(_) => true,
            _ => self.setup.limiter.tries_again(),
        };
        let patient = tries_again && self.weaving.is_none();
        // Where a step begins over the limits already, as between pins too far apart, shorter ones
        // do not help.
        let started = || match (self.setup.limits, self.setup.of_cloths.is_empty()) {
            (Some(limits), true) => limits.excess(self.strain().extension),
            (Some(_), false) => self.setup.worst_excess(&self.state.positions),
            (None, _) => 0.0,
        };
        let hopeless = started() > HOPELESS * excess.stretch;
        if patient && !hopeless && h > self.longest_step() / PATIENCE {
            return verdict;
        }
        tally.over_limit += 1;
        tally.worst_excess = tally.worst_excess.max(excess.stretch);
        Verdict::Good
    }

    /// Tries a step: everything that acts on the cloth in one solver, and judges what came of it. The
    /// air slows the cloth down by `drag` in it.
    fn attempt(
        &mut self,
        (h, drag): (f64, f64),
        tally: &mut Tally,
        clock: &mut Instant,
    ) -> Result<(Solved, Limited), Verdict> {
        self.signal.enter(Phase::Solve);
        self.targets.constrain(&self.state, h, &mut self.constraints);
        tally.times.charge(Phase::Constrain, clock);
        // Couples learn in a step, and what else is woven does not.
        let mut couples = self.weaving.as_mut().map(|weaving| std::mem::take(&mut weaving.couples));
        let ends = (self.trial.time, h, self.longest_step());
        let piece = piece(&self.setup, &self.model, self.weaving.as_deref());
        let ties = self.weaving.as_ref().map_or(&[][..], |weaving| &weaving.ties);
        let acting = (ties, &self.loads, &self.constraints[..]);
        let passage = passage(piece, &self.state, acting, ends);
        let coupled = couples.as_mut().filter(|couples| !couples.is_empty());
        let after = (&mut self.trial, &mut self.reactions);
        let tried = self.solver.advance(&passage, coupled, after, (tally, clock));
        let verdict = match &tried {
            Err(verdict) => *verdict,
            Ok(_) => {
                self.targets.settle(&passage, &mut self.trial, &mut self.reactions);
                let states = [&self.state, &self.trial];
                let verdict = self.judge.verdict(&piece, states, drag);
                self.let_pass_over_limits(verdict, h, tally)
            }
        };
        tally.times.charge(Phase::Judge, clock);
        if verdict == Verdict::Good {
            self.solver.accept(&passage);
            self.solver.surroundings().forces(&passage, &mut self.contact_forces);
        }
        if let (Some(weaving), Some(couples)) = (&mut self.weaving, couples) {
            weaving.couples = couples;
        }
        if verdict == Verdict::Good { tried } else { Err(verdict) }
    }

    /// The step last tried was good, and could have been as long as was `allowed`: its end is where the
    /// next begins.
    fn commit(
        &mut self,
        (h, allowed): (f64, f64),
        (solved, limited): (Solved, Limited),
        tally: &mut Tally,
    ) {
        std::mem::swap(&mut self.state, &mut self.trial);
        let explicit = self.setup.integrator.is_explicit();
        if let Some(hand) = &mut self.hand {
            hand.follow(self.trial.time, &self.state, !explicit);
        }
        // Where cloth tears, one violent step is followed by others; explicit steps have a bound that
        // is known.
        let waits = matches!(self.solver, StepSolver::Explicit(_));
        match waits || self.weaving.is_some() {
            true => self.control.accept(self.longest_step()),
            false => self.control.grow(allowed, self.longest_step()),
        }
        // A step that is tried after this one, and refused, has forces too.
        let particles = self.constraints.iter().map(|constraint| constraint.particle);
        self.pin_forces.clear();
        self.pin_forces.extend(particles.zip(self.reactions.iter().copied()));
        tally.accept(h, solved, limited);
        let surroundings = self.solver.surroundings();
        tally.meet(surroundings.pierced(), surroundings.pinches());
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
        let gauge = |gauge: usize| self.model.gauges()[gauge];
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
            Verdict::Contact(at) if hopeless || tired => Err(StepError::Contact { at, time, h }),
            Verdict::Drag if hopeless || tired => Err(StepError::Drag { time, h }),
            Verdict::OverLimit(change) if hopeless || tired => {
                Err(StepError::TooManyRetries { limit, at: gauge(change.gauge), time, h })
            }
            Verdict::Unsolved | Verdict::TooCoarse if hopeless || tired => {
                Err(StepError::Unsolvable { time, h })
            }
            Verdict::Blocked { particle, solid } if hopeless || tired => {
                Err(StepError::Blocked { particle, solid, time, h })
            }
            _ => Ok(()),
        }
    }

    /// Whether the time from now to `time` would need more steps than the limits allow for a frame.
    pub fn refuse_too_many_steps(&self, time: f64) -> Result<(), StepError> {
        too_many_steps((&self.setup, &self.model), self.longest, time - self.state.time)
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

    /// The cloth as it is now.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A line to this simulation from other threads, while it steps.
    pub fn signal(&self) -> Arc<Signal> {
        Arc::clone(&self.signal)
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
        let state = &self.state;
        let weaving = self.weaving.as_mut();
        if weaving.is_some_and(|weaving| weaving.refine_strays(state)) {
            self.refine()
        } else {
            Ok(())
        }
    }

    /// The force \[N\] that held each pinned particle in the last good step; none before the first
    /// step, from the start or from a snapshot.
    pub fn pin_forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.pin_forces.iter().copied()
    }

    /// How many particles touch a solid now.
    pub fn touching(&self) -> u32 {
        let own = self.state.positions.len() as u32;
        // Vertices of bodies are numbered after the cloth's.
        let on_bodies = self.state.pushes.iter().map(|push| push.pair.particles);
        let on_bodies = on_bodies.filter(|particles| particles.iter().any(|&i| i >= own));
        let on_bodies = on_bodies.flatten().filter(|&i| i < own);
        let contacts = self.state.contacts.iter().map(|contact| contact.particle);
        contacts.chain(on_bodies).collect::<std::collections::BTreeSet<u32>>().len() as u32
    }

    /// What solids did to the particles that touched them in the last good step; nothing before
    /// the first step, from the start or from a snapshot.
    pub fn contact_forces(&self) -> &[ContactForce] {
        &self.contact_forces
    }

    /// The cloth as a frame of this number.
    pub fn frame(&self, number: u32) -> Frame<'_> {
        Frame {
            number,
            time: self.state.time,
            revision: self.model.revision(),
            faces: self.model.faces(),
            positions: &self.state.positions,
            velocities: &self.state.velocities,
            yarns: self.model.yarns(),
            cloths: self.model.cloths(),
        }
    }

    /// The strain now, at the model's gauges.
    pub fn strain(&self) -> Strain {
        measure::strain(self.model.gauges(), &self.state.positions)
    }

    /// The energy now. What the law of strain limits stores, where tensions keep them, is elastic.
    pub fn energy(&self) -> Energy {
        let model = &*self.model;
        let mut energy = measure::energy(model, &self.setup.loads_at(self.state.time), &self.state);
        energy.elastic += self.solver.energy(model, &self.state);
        let woven = self.weaving.as_ref();
        energy.elastic += woven.map_or(0.0, |of| of.energy(model, &self.state.positions));
        energy
    }

    /// Keeps all that is needed to go on later.
    pub fn snapshot(&self) -> Snapshot {
        let tears = self.weaving.as_ref().map(|weaving| weaving.tears.clone());
        Snapshot { state: self.state.clone(), control: self.control, tears }
    }

    /// Goes on from a snapshot of the same setup, taken where a call of [`Simulation::advance_to`] ended
    /// or [`Simulation::step_towards`] said that there is no more to go: every bit from here on is as it
    /// would have been, if the same comes from outside. On failure nothing has changed.
    ///
    /// A hand lets go of cloth that has fewer particles than it knew.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SetupError> {
        self.refuse_foreign(snapshot)?;
        self.restore_tears(snapshot)?;
        self.state.copy_from(&snapshot.state);
        self.turn_ties();
        let particles = self.state.positions.len();
        self.hand.take_if(|hand| hand.particles().any(|particle| particle as usize >= particles));
        self.control = snapshot.control;
        self.pin_forces.clear();
        self.contact_forces.clear();
        self.solver.forget(true);
        self.anew = true;
        Ok(())
    }

    /// A snapshot of other cloth, or one that was damaged.
    fn refuse_foreign(&self, snapshot: &Snapshot) -> Result<(), SetupError> {
        let (state, tears) = (&snapshot.state, snapshot.tears.as_ref());
        let same = self.state.positions.len();
        let particles = tears.map_or(same, Tears::particles);
        let wanted = (particles, self.state.anchors.len());
        let found = (state.positions.len(), state.anchors.len());
        let whole = |tears: &Tears| tears.torn.iter().filter(|torn| !**torn).count();
        let tensions = match self.state.tensions.len() {
            0 => 0,
            same => tears.map_or(same, whole),
        };
        if wanted != found
            || state.velocities.len() != particles
            || state.tensions.len() != tensions
        {
            return Err(SetupError::ForeignSnapshot { wanted, found });
        }
        let solids = self.setup.solids.len();
        let foreign = |contact: &Contact| {
            contact.particle as usize >= particles || contact.solid as usize >= solids
        };
        let sound = state.is_finite() && snapshot.control.h.is_finite() && snapshot.control.h > 0.0;
        match sound && !state.contacts.iter().any(foreign) {
            true => Ok(()),
            false => Err(SetupError::BrokenSnapshot),
        }
    }

    /// What has torn, if the cloth can tear.
    pub fn frays(&self) -> Option<Frays> {
        let weaving = self.weaving.as_ref()?;
        let followers = weaving.coarse.iter().flat_map(|coarse| coarse.followers.all());
        Some(Frays { coarse: followers.count() as u32, ..weaving.frays() })
    }

    /// Where the cloth passes through itself now: every edge with every triangle it cuts.
    pub fn intersections(&self) -> Vec<Intersection> {
        intersections(&Surface::of(&self.model), &self.state.positions)
    }
}

/// A setup and its cloth as it is now.
fn piece<'a>(setup: &'a Setup, model: &'a Model, weaving: Option<&'a Weaving>) -> Piece<'a> {
    Piece { setup, model, coarse: weaving.and_then(|weaving| weaving.coarse.as_ref()) }
}

/// A step as its solver sees it.
fn passage<'a>(
    Piece { setup, model, coarse }: Piece<'a>,
    state: &'a State,
    (ties, loads, constraints): (&'a [DVec3], &'a LoadForces, &'a [Constraint]),
    (end, h, longest): (f64, f64, f64),
) -> Passage<'a> {
    let (loads, drag) = (&loads.on_particles[..], &loads.slopes[..]);
    Passage { setup, model, coarse, ties, state, loads, drag, constraints, h, longest, end }
}
