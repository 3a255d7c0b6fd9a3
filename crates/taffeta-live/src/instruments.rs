//! What the instruments show: a few numbers of a session, and intersections, which are counted by a
//! thread of their own because the count takes longer than a frame may.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use serde::Serialize;
use taffeta::collision::{Surface, intersections};
use taffeta::{Model, Phase, Tally};

use glam::DVec3;

use crate::session::Session;

/// What pages show beside the cloth.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    say: &'static str,
    pub scene: String,
    pub playing: bool,
    pub speed: f64,
    pub frame: u32,
    pub time: f64,
    pub rate: f64,
    pub size: f64,
    /// Frames made in the last second.
    pub fps: f64,
    /// What a frame took [ms], by phase.
    pub phases: BTreeMap<&'static str, f64>,
    /// What a frame took in all [ms].
    pub frame_ms: f64,
    pub strain: f64,
    pub limit: Option<f64>,
    pub intersections: Option<usize>,
    pub contacts: u32,
    pub particles: usize,
    pub torn: Option<u32>,
    pub pieces: Option<u32>,
    pub pinned: usize,
    pub undo: usize,
    pub done: usize,
    pub fingerprint: String,
    pub gravity: [f64; 3],
    pub wind: [f64; 3],
    /// Where the fan is and where it blows to.
    pub fan: Option<[[f64; 3]; 2]>,
    pub friction: Option<f64>,
    pub fabric: Option<String>,
    pub cuts: bool,
}

/// How the session is going.
#[derive(Clone, Copy, Debug, Default)]
pub struct Going {
    pub playing: bool,
    pub speed: f64,
    pub fps: f64,
    pub frame_ms: f64,
}

impl Status {
    pub fn of(session: &Session, going: Going, tally: &Tally, meetings: Option<usize>) -> Self {
        let simulation = session.simulation();
        let setup = simulation.setup();
        let frays = simulation.frays();
        let phase = |phase: Phase| (phase.name(), tally.times.of(phase).as_secs_f64() * 1e3);
        let with_itself = simulation.state().pushes.len() as u32;
        Self {
            say: "status",
            scene: session.scene().name.clone(),
            playing: going.playing,
            speed: going.speed,
            frame: session.frame(),
            time: simulation.state().time,
            rate: session.rate(),
            size: session.size(),
            fps: going.fps,
            phases: Phase::ALL.into_iter().map(phase).filter(|(_, ms)| *ms > 0.0).collect(),
            frame_ms: going.frame_ms,
            strain: simulation.strain().extension,
            limit: setup.limits.map(|limits| limits.extension),
            intersections: meetings,
            contacts: simulation.touching() + with_itself,
            particles: simulation.model().particles(),
            torn: frays.map(|frays| frays.torn),
            pieces: frays.map(|frays| frays.pieces),
            pinned: session.pinned().count(),
            undo: session.undoable(),
            done: session.done(),
            fingerprint: format!("{:016x}", session.fingerprint()),
            gravity: setup.loads.gravity.to_array(),
            wind: setup.loads.air.map_or([0.0; 3], |air| air.wind.to_array()),
            fan: setup.loads.fan.map(|fan| [fan.place, fan.direction].map(|v| v.to_array())),
            friction: setup
                .solids
                .first()
                .map(|solid| solid.friction)
                .or(setup.self_contact.map(|contact| contact.friction)),
            fabric: session.fabric(),
            cuts: setup.woven.is_some(),
        }
    }

    pub fn text(&self) -> String {
        // Numbers that are none cannot be written, and are null.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// How long the count rests after each, as a multiple of what it took: the cores are the
/// simulation's.
const REST: u32 = 4;

/// Counts where cloth passes through itself, one state after another, beside the simulation.
pub struct Counter {
    orders: SyncSender<(Surface, Vec<DVec3>)>,
    counts: Receiver<usize>,
    busy: bool,
    /// Whether what is being counted is forgotten already.
    stale: bool,
    last: Option<usize>,
}

impl Counter {
    pub fn new() -> std::io::Result<Self> {
        let (orders, jobs) = sync_channel::<(Surface, Vec<DVec3>)>(1);
        let (tell, counts) = sync_channel(1);
        thread::Builder::new().name("intersections".into()).spawn(move || {
            for (surface, positions) in jobs {
                let begun = Instant::now();
                if tell.send(intersections(&surface, &positions).len()).is_err() {
                    return;
                }
                thread::sleep(begun.elapsed() * REST);
            }
        })?;
        Ok(Self { orders, counts, busy: false, stale: false, last: None })
    }

    /// The last count, if there is one; begins another if none is under way.
    pub fn look(&mut self, model: &Model, positions: &[DVec3]) -> Option<usize> {
        if let Ok(count) = self.counts.try_recv() {
            self.busy = false;
            if !std::mem::take(&mut self.stale) {
                self.last = Some(count);
            }
        }
        if !self.busy {
            self.busy = self.orders.try_send((Surface::of(model), positions.to_vec())).is_ok();
        }
        self.last
    }

    /// Forgets the last count: the cloth is another.
    pub fn forget(&mut self) {
        (self.last, self.stale) = (None, self.busy);
    }
}
