//! A simulation and what hands do to it. All that they do is between steps, and is kept with the step
//! it came after, so that whoever does the same there has the same bits.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use glam::DVec3;
use taffeta::{
    Air, Ease, Fan, Hand, HandGrip, Loads, Motion, MotionKey, Simulation, Snapshot, Tally,
};
use taffeta_io::cache::{CachedFrame, state_hash};
use taffeta_scene::{Scene, SceneFile};

use crate::action::Action;
use crate::checkpoint::Checkpoint;
use crate::draft::Draft;
use crate::error::LiveError;
use crate::recording::{Done, Recording};
use crate::stroke::edges_along;

/// How many moments can be gone back to.
const MOMENTS: usize = 40;

/// The most that a hand pulls with [N].
const STRENGTH: f64 = 25.0;

/// The distance at which it does, as a share of the cloth's size.
const REACH: f64 = 0.08;

/// How long a thrown ball flies [s], and from key to key [s].
const FLIGHT: (f64, f64) = (3.0, 0.05);

/// A simulation with hands on it.
#[derive(Debug)]
pub struct Session {
    /// The most that it may take [bytes].
    memory: u64,
    /// Where a garment was put on.
    dressed: Option<Vec<DVec3>>,
    scene: Scene,
    simulation: Simulation,
    draft: Draft,
    /// The last frame that was reached.
    frame: u32,
    /// What was done since, on the way to the next.
    under_way: Tally,
    /// Counts what may have changed faces or solids at once: new scenes, moments gone back to.
    version: u32,
    /// The ball's place among the solids, once it is thrown.
    ball: Option<usize>,
    begin: (Draft, Option<Checkpoint>),
    log: Vec<Done>,
    moments: VecDeque<Moment>,
    /// Where the frame that is under way began; nothing between frames.
    frame_began: Option<Box<Moment>>,
    /// The cloth's size [m].
    size: f64,
}

/// A moment to go back to.
#[derive(Clone, Debug)]
struct Moment {
    draft: Draft,
    snapshot: Snapshot,
    frame: u32,
    under_way: Tally,
    ball: Option<usize>,
    done: usize,
    /// Whether a hand held the cloth, which it does not after going back.
    held: bool,
}

impl Session {
    /// Begins a scene, or goes on with it from a state.
    pub fn new(file: &SceneFile, from: Option<Checkpoint>, memory: u64) -> Result<Self, LiveError> {
        Self::begin(Draft::of(file), from, memory)
    }

    pub(crate) fn begin(
        draft: Draft,
        from: Option<Checkpoint>,
        memory: u64,
    ) -> Result<Self, LiveError> {
        let mut scene = draft.resolve(memory)?;
        let dressed = scene.dress(&AtomicBool::new(false), &mut |_| {})?;
        let mut simulation = Simulation::new(scene.setup.clone())?;
        let mut frame = scene.frames.first;
        if let Some(from) = &from {
            simulation.restore(&from.snapshot)?;
            frame = from.frame;
        }
        let size = size_of(&scene.setup.positions);
        let begin = (draft.clone(), from);
        Ok(Self {
            memory,
            dressed,
            scene,
            simulation,
            draft,
            frame,
            under_way: Tally::default(),
            version: 0,
            ball: None,
            begin,
            log: Vec::new(),
            moments: VecDeque::new(),
            frame_began: None,
            size,
        })
    }

    /// Begins again.
    pub fn restart(&mut self) -> Result<(), LiveError> {
        let (draft, from) = self.begin.clone();
        let version = self.version + 1;
        *self = Self { version, ..Self::begin(draft, from, self.memory)? };
        Ok(())
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The scene as it is now, but for its loads and the ways of its solids.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene's text as it is now.
    pub fn text(&self) -> String {
        self.draft.text()
    }

    /// The last frame that was reached.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Frames a second of simulated time.
    pub fn rate(&self) -> f64 {
        self.scene.frames.rate
    }

    /// How many moments can be gone back to.
    pub fn undoable(&self) -> usize {
        self.moments.len()
    }

    /// How many actions would be recorded.
    pub fn done(&self) -> usize {
        self.log.len()
    }

    /// Moves when solids, or faces without a new revision, may have changed.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The fabric's name, if it has one.
    pub fn fabric(&self) -> Option<String> {
        self.draft.fabric_name()
    }

    /// The cloth's size \[m\].
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The fingerprint of the state.
    pub fn fingerprint(&self) -> u64 {
        state_hash(&self.simulation.snapshot())
    }

    /// The state as the bytes of a frame's file, for the scene as it is now. A frame that is under way
    /// is finished first; if it cannot be, it is as if it had not begun.
    pub fn sealed(&mut self) -> Result<Vec<u8>, LiveError> {
        self.finish_or_go_back()?;
        let identity = self.draft.resolve(self.memory)?.identity;
        Ok(CachedFrame {
            number: self.frame,
            revision: self.simulation.model().revision(),
            snapshot: self.simulation.snapshot(),
        }
        .sealed(&identity))
    }

    /// What hands did since the beginning. A frame that is under way is finished first; if it cannot be,
    /// it is as if it had not begun, what was done since included.
    pub fn recording(&mut self) -> Result<Recording, LiveError> {
        self.finish_or_go_back()?;
        let (draft, from) = &self.begin;
        Ok(Recording {
            name: self.scene.name.clone(),
            scene: draft.text(),
            from: from.clone(),
            last: self.frame,
            actions: self.log.clone(),
            fingerprint: self.fingerprint(),
        })
    }

    /// How many steps were taken since the last frame.
    pub fn steps(&self) -> u32 {
        self.under_way.steps
    }

    /// Goes on by one step; if that reaches the next frame, tells what it took to get there. If it
    /// fails, the cloth is where it was, and the hand lets go.
    pub fn step(&mut self) -> Result<Option<Tally>, LiveError> {
        let frame = self.frame + 1;
        let time = self.scene.frames.time(frame);
        if self.steps() == 0 {
            let refused = self.simulation.refuse_too_many_steps(time);
            refused.map_err(|source| LiveError::Step { frame, source })?;
            self.frame_began = Some(Box::new(self.moment()));
        }
        let before = (self.simulation.snapshot(), self.under_way);
        match self.simulation.step_towards(time, &mut self.under_way) {
            Ok(true) => Ok(None),
            Ok(false) => {
                self.frame = frame;
                self.frame_began = None;
                Ok(Some(std::mem::take(&mut self.under_way)))
            }
            Err(source) => {
                self.simulation.restore(&before.0)?;
                self.under_way = before.1;
                self.let_go()?;
                Err(LiveError::Step { frame, source })
            }
        }
    }

    /// Goes on to the next frame.
    pub fn next_frame(&mut self) -> Result<Tally, LiveError> {
        loop {
            if let Some(tally) = self.step()? {
                return Ok(tally);
            }
        }
    }

    /// Goes on to the next frame, if it is under way.
    pub fn finish_frame(&mut self) -> Result<(), LiveError> {
        if self.steps() > 0 { self.next_frame().map(drop) } else { Ok(()) }
    }

    /// The same, or back to where it began if it cannot be finished.
    fn finish_or_go_back(&mut self) -> Result<(), LiveError> {
        let Err(problem) = self.finish_frame() else { return Ok(()) };
        let Some(began) = self.frame_began.take() else { return Err(problem) };
        self.moments.retain(|moment| moment.frame < began.frame || moment.under_way.steps == 0);
        self.go_back_to(*began)
    }

    /// Does what a hand does, from the next step on; what cannot be done changes nothing.
    pub fn act(&mut self, action: &Action) -> Result<(), LiveError> {
        if let Some(problem) = action.problem() {
            return Err(LiveError::refuse(problem));
        }
        let moment = (!action.continues()).then(|| self.moment());
        self.perform(action)?;
        self.write_down(action);
        if let Some(moment) = moment {
            self.moments.push_back(moment);
            // The oldest is gone for good, as the page says by how many there are.
            if self.moments.len() > MOMENTS {
                self.moments.pop_front();
            }
        }
        Ok(())
    }

    /// Keeps what was done, with the step it came after.
    fn write_down(&mut self, action: &Action) {
        let done = Done { frame: self.frame, step: self.steps(), action: action.clone() };
        let again = |last: &Done| last.when() == done.when() && action.replaces(&last.action);
        if self.log.last().is_some_and(again) {
            self.log.pop();
        }
        self.log.push(done);
    }

    /// No hand holds the cloth, and the next step begins anew: here and wherever this is done again.
    fn let_go(&mut self) -> Result<(), LiveError> {
        self.simulation.take_hold(None)?;
        self.write_down(&Action::Release);
        Ok(())
    }

    /// Goes back to before the last thing a hand did, and no hand holds the cloth; tells whether there was one.
    pub fn undo(&mut self) -> Result<bool, LiveError> {
        let Some(moment) = self.moments.pop_back() else { return Ok(false) };
        self.go_back_to(moment).map(|()| true)
    }

    /// No hand holds the cloth there.
    fn go_back_to(&mut self, moment: Moment) -> Result<(), LiveError> {
        let scene = self.resolve(&moment.draft)?;
        let mut simulation = Simulation::new(scene.setup.clone())?;
        simulation.restore(&moment.snapshot)?;
        (self.scene, self.simulation) = (scene, simulation);
        (self.draft, self.frame, self.ball) = (moment.draft, moment.frame, moment.ball);
        self.under_way = moment.under_way;
        self.frame_began = None;
        self.log.truncate(moment.done);
        self.version += 1;
        if moment.held || self.steps() > 0 {
            self.let_go()?;
        }
        Ok(())
    }

    fn moment(&self) -> Moment {
        Moment {
            draft: self.draft.clone(),
            snapshot: self.simulation.snapshot(),
            frame: self.frame,
            under_way: self.under_way,
            ball: self.ball,
            done: self.log.len(),
            held: self.simulation.hand().is_some(),
        }
    }

    /// The cut that a stroke makes.
    pub fn cut_along(&self, eye: [f64; 3], rays: &[[f64; 3]]) -> Result<Action, LiveError> {
        if self.simulation.setup().woven.is_none() {
            return Err(taffeta::SetupError::CutNeedsTearing.into());
        }
        let rays: Vec<DVec3> = rays.iter().copied().map(DVec3::from).collect();
        Ok(Action::Cut { edges: edges_along(&self.simulation, eye.into(), &rays) })
    }

    /// Whether a pin holds a particle now.
    pub fn is_pinned(&self, particle: u32) -> bool {
        self.holding_pin(particle).is_some()
    }

    /// The particles that pins hold now.
    pub fn pinned(&self) -> impl Iterator<Item = u32> {
        let now = self.simulation.state().time;
        let pins = self.simulation.setup().pins.iter().filter(move |pin| pin.holds_at(now + 1e-8));
        pins.flat_map(|pin| pin.particles.iter().copied())
    }

    fn holding_pin(&self, particle: u32) -> Option<usize> {
        let now = self.simulation.state().time + 1e-8;
        let pins = &self.simulation.setup().pins;
        pins.iter().position(|pin| pin.holds_at(now) && pin.particles.contains(&particle))
    }

    /// When what is moved from now on arrives \[s\]: after as long as from frame to frame.
    fn soon(&self) -> f64 {
        self.simulation.state().time + 1.0 / self.rate()
    }

    fn perform(&mut self, action: &Action) -> Result<(), LiveError> {
        match action {
            Action::Grab { particle, radius, to } => self.grab(*particle, *radius, (*to).into()),
            Action::Drag { to } => Ok(self.simulation.lead_hand((*to).into(), self.soon())?),
            Action::Release => Ok(self.simulation.take_hold(None)?),
            Action::Pin { particle } => self.pin(*particle),
            Action::Unpin { particle } => self.unpin(*particle),
            Action::Cut { edges } => Ok(self.simulation.cut(edges).map(drop)?),
            Action::Throw { from, velocity, radius } => {
                self.throw((*from).into(), (*velocity).into(), *radius)
            }
            Action::MoveSolid { solid, to } => self.move_solid(*solid, (*to).into()),
            Action::Fan { position, direction, speed, radius } => self.load(|loads| {
                let direction = DVec3::from(*direction).normalize();
                let fan =
                    Fan { place: (*position).into(), direction, speed: *speed, radius: *radius };
                Loads { air: Some(loads.air.unwrap_or(STILL)), fan: Some(fan), ..loads }
            }),
            Action::FanOff => self.load(|loads| Loads { fan: None, ..loads }),
            Action::Gravity { value } => {
                self.load(|loads| Loads { gravity: (*value).into(), ..loads })
            }
            Action::Wind { value } => self.load(|loads| {
                let air = Air { wind: (*value).into(), ..loads.air.unwrap_or(STILL) };
                Loads { air: Some(air), ..loads }
            }),
            Action::Limit { value } => {
                if self.simulation.setup().limits.is_none() {
                    return Err(LiveError::refuse(
                        "this scene has no [limits], and cannot get them while it goes on",
                    ));
                }
                self.redraft(|draft| draft.limit(*value))
            }
            Action::Friction { value } => self.redraft(|draft| draft.friction(*value)),
            Action::Fabric { name } => self.redraft(|draft| draft.fabric(name)),
        }
    }

    /// A scene of the same cloth; a garment has been put on.
    fn resolve(&self, draft: &Draft) -> Result<Scene, LiveError> {
        let mut scene = draft.resolve(self.memory)?;
        if let Some(places) = &self.dressed {
            scene.put_on(places.clone())?;
        }
        Ok(scene)
    }

    /// Goes on with a changed scene of the same cloth.
    fn redraft(&mut self, change: impl FnOnce(&mut Draft)) -> Result<(), LiveError> {
        let mut draft = self.draft.clone();
        change(&mut draft);
        let scene = self.resolve(&draft)?;
        self.simulation.go_on_with(scene.setup.clone())?;
        (self.draft, self.scene) = (draft, scene);
        self.version += 1;
        Ok(())
    }

    /// Other loads need no other simulation.
    fn load(&mut self, change: impl FnOnce(Loads) -> Loads) -> Result<(), LiveError> {
        let loads = change(self.simulation.setup().loads);
        self.simulation.set_loads(loads)?;
        let before = self.scene.setup.loads;
        if loads.gravity != before.gravity {
            self.draft.gravity(loads.gravity.to_array());
        }
        if let Some(air) = loads.air {
            self.draft.wind(air.wind.to_array());
            self.draft.fan(loads.fan.as_ref());
        }
        self.scene.setup.loads = loads;
        Ok(())
    }

    fn grab(&mut self, particle: u32, radius: f64, to: DVec3) -> Result<(), LiveError> {
        let x = &self.simulation.state().positions;
        let Some(&place) = x.get(particle as usize) else {
            return Err(LiveError::refuse(format!("there is no particle {particle}")));
        };
        let masses = self.simulation.model().masses();
        let near = (0u32..).zip(x).filter_map(|(i, p)| {
            let share = 1.0 - p.distance_squared(place) / (radius * radius);
            (share > 0.0 || i == particle).then_some((i, *p - place, share.max(1e-3)))
        });
        let patch: Vec<(u32, DVec3, f64)> = near.collect();
        let all: f64 = patch.iter().map(|(_, _, share)| share).sum();
        let mass: f64 = patch.iter().map(|(i, ..)| masses[*i as usize]).sum();
        let grip = |&(particle, offset, share): &(u32, DVec3, f64)| HandGrip {
            particle,
            offset,
            share: share / all,
        };
        let stiffness = STRENGTH / (REACH * self.size);
        self.simulation.take_hold(Some(Hand {
            grips: patch.iter().map(grip).collect(),
            place,
            stiffness,
            // Critical for the patch by itself.
            damping: 2.0 * (stiffness * mass).sqrt(),
            strength: STRENGTH,
        }))?;
        Ok(self.simulation.lead_hand(to, self.soon())?)
    }

    fn pin(&mut self, particle: u32) -> Result<(), LiveError> {
        let particles = self.simulation.setup().positions.len();
        if particle as usize >= particles {
            return Err(LiveError::refuse(
                "this end of a yarn cannot be pinned: crossings of the whole cloth can",
            ));
        }
        if self.is_pinned(particle) {
            return Err(LiveError::refuse("this place is pinned already"));
        }
        let now = self.simulation.state().time;
        self.redraft(|draft| draft.pin(particle, now))
    }

    fn unpin(&mut self, particle: u32) -> Result<(), LiveError> {
        let Some(pin) = self.holding_pin(particle) else {
            return Err(LiveError::refuse("this place is not pinned"));
        };
        let kept = self.simulation.setup().pins[pin].particles.iter().copied();
        let kept: Vec<u32> = kept.filter(|&other| other != particle).collect();
        self.redraft(|draft| draft.keep_of_pin(pin, &kept))
    }

    /// The ball flies freely from key to key, and rests where its flight ends, far away.
    fn throw(&mut self, from: DVec3, velocity: DVec3, radius: f64) -> Result<(), LiveError> {
        let (now, gravity) = (self.simulation.state().time, self.simulation.setup().loads.gravity);
        let (flight, between) = FLIGHT;
        let key = |i: u32| {
            let t = f64::from(i) * between;
            let offset = from + velocity * t + gravity * (0.5 * t * t);
            MotionKey { time: now + t, offset, ..MotionKey::default() }
        };
        let keys = (0..=(flight / between) as u32).map(key).collect();
        let way = Motion { keys, ..Motion::still() };
        let thickness = self.thickness();
        let mut ball = self.ball;
        self.redraft(|draft| ball = Some(draft.ball(ball, radius, thickness, &way)))?;
        self.ball = ball;
        Ok(())
    }

    /// The distance that cloth keeps from the ball: what it keeps from other solids, or a part of
    /// its edges.
    fn thickness(&self) -> f64 {
        let setup = self.simulation.setup();
        let known = setup.solids.iter().map(|solid| solid.thickness).find(|t| *t > 0.0);
        let edges = self.size / (setup.positions.len() as f64).sqrt();
        known.unwrap_or(0.2 * edges)
    }

    /// Moves a solid within the time of a frame; from then on it rests, whatever its keys said.
    fn move_solid(&mut self, solid: usize, to: DVec3) -> Result<(), LiveError> {
        let Some(known) = self.simulation.setup().solids.get(solid) else {
            return Err(LiveError::refuse(format!("there is no solid {solid}")));
        };
        let (now, soon) = (self.simulation.state().time, self.soon());
        let here = known.motion.at(now);
        let by = to - known.pose_at(now).shift;
        let mut keys: Vec<MotionKey> = match known.motion.ease {
            Ease::Linear => known.motion.keys.iter().filter(|k| k.time < now).copied().collect(),
            Ease::Smooth => Vec::new(),
        };
        keys.push(MotionKey { time: now, ..here });
        keys.push(MotionKey { time: soon, offset: here.offset + by, ..here });
        let way = Motion { keys, ease: Ease::Linear, ..known.motion.clone() };
        self.simulation.move_solid(solid, way.clone())?;
        self.draft.solid_way(solid, &way);
        self.scene.setup.solids[solid].motion = way;
        Ok(())
    }
}

/// Air that does not move.
const STILL: Air = Air { density: 1.2, drag: 1.2, wind: DVec3::ZERO };

/// The longest side of the box around some places.
fn size_of(places: &[DVec3]) -> f64 {
    let low = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = places.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (high - low).max_element().max(1e-6)
}
