//! The thread that moves a session by the clock, does what pages say between steps, and publishes the
//! newest picture: of whole frames, and of steps between them while a frame takes long or a hand waits
//! for an answer. It waits for no page.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use serde_json::json;
use taffeta::{Preset, Tally};
use taffeta_scene::{Builtin, SceneFile, SceneText};
use tokio::sync::{broadcast, watch};

use crate::action::Action;
use crate::checkpoint::Checkpoint;
use crate::error::LiveError;
use crate::instruments::{Counter, Going, Status};
use crate::message::Message;
use crate::recording::Recording;
use crate::session::Session;
use crate::wire::{self, FrameMessage, HandSeen, TopologyMessage};

/// Messages that may wait; beyond them pages are told that there are too many.
const WAITING: usize = 512;

/// How often the instruments are read.
const GLANCE: Duration = Duration::from_millis(100);

/// Pictures are no closer to each other than this, but for whole frames.
const PICTURE: Duration = Duration::from_millis(15);

/// How long a session that stands still waits for messages.
const REST: Duration = Duration::from_millis(200);

/// What there is to show.
pub struct Library {
    /// The scene to begin with.
    pub scene: SceneFile,
    /// The state to begin it from.
    pub from: Option<Checkpoint>,
    /// Where states and recordings are saved.
    pub folder: PathBuf,
    /// The most memory a simulation may take \[bytes\].
    pub memory: u64,
}

/// The newest of everything that pages show.
#[derive(Clone, Debug, Default)]
pub struct Published {
    pub topology: (u32, Bytes),
    pub solids: (u32, Bytes),
    pub frame: Bytes,
    pub status: Arc<str>,
}

/// A session on a thread of its own.
pub struct Engine {
    pub(crate) orders: SyncSender<Message>,
    pub(crate) published: watch::Receiver<Published>,
    pub(crate) notices: broadcast::Sender<Arc<str>>,
    pub(crate) hello: Arc<str>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Begins to simulate, at once.
    pub fn start(library: Library, pool: rayon::ThreadPool) -> Result<Self, LiveError> {
        let session = Session::new(&library.scene, library.from.clone(), library.memory)?;
        let (orders, received) = sync_channel(WAITING);
        let (publish, published) = watch::channel(Published::default());
        let (notices, _) = broadcast::channel(64);
        let failed = |error: std::io::Error| LiveError::Server(error.to_string());
        let mut desk = Desk {
            session,
            publish,
            notices: notices.clone(),
            counter: Counter::new().map_err(failed)?,
            playing: true,
            speed: 1.0,
            tally: Tally::default(),
            made: VecDeque::new(),
            frame_ms: 0.0,
            spent: Duration::ZERO,
            shown: Instant::now(),
            topology: (None, 0),
            solids: (None, 0),
            glanced: None,
            library,
        };
        let hello = desk.hello();
        desk.show();
        let thread = thread::Builder::new().name("simulation".into());
        let thread =
            thread.spawn(move || pool.install(move || desk.work(&received))).map_err(failed)?;
        Ok(Self { orders, published, notices, hello: hello.into(), thread: Some(thread) })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The thread ends with the step it takes, once nobody can order anything.
        self.orders = sync_channel(1).0;
        drop(self.thread.take());
    }
}

/// The session and all around it.
struct Desk {
    library: Library,
    session: Session,
    publish: watch::Sender<Published>,
    notices: broadcast::Sender<Arc<str>>,
    counter: Counter,
    playing: bool,
    speed: f64,
    tally: Tally,
    /// When the frames of the last second were made.
    made: VecDeque<Instant>,
    frame_ms: f64,
    /// What the frame under way has taken.
    spent: Duration,
    /// When the last picture was published.
    shown: Instant,
    /// What the last message of faces and of solids was of, and its number.
    topology: (Option<(u32, u64)>, u32),
    solids: (Option<u32>, u32),
    glanced: Option<Instant>,
}

impl Desk {
    fn work(&mut self, orders: &Receiver<Message>) {
        let mut due = Instant::now();
        loop {
            let now = Instant::now();
            let wait = if self.playing { due.saturating_duration_since(now) } else { REST };
            match orders.recv_timeout(wait) {
                Ok(message) => {
                    self.hear(message);
                    if !self.playing {
                        self.show();
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.playing {
                let (rate, before) = (self.session.rate() * self.speed, self.time());
                self.go_on();
                let gone = Duration::from_secs_f64((self.time() - before) / self.speed);
                // Who is late by more than a frame does not hurry: a slow simulation is shown slowly.
                let late = Instant::now().checked_sub(Duration::from_secs_f64(1.0 / rate));
                due = late.map_or(due + gone, |late| (due + gone).max(late));
            }
        }
    }

    fn time(&self) -> f64 {
        self.session.simulation().state().time
    }

    /// Takes a step; shows where it led if it is time for a picture.
    fn go_on(&mut self) {
        let whole = self.step();
        if whole || self.shown.elapsed() >= PICTURE {
            self.show();
        }
    }

    /// Goes on to a whole frame and shows it.
    fn make_frame(&mut self) {
        while !self.step() {}
        self.show();
    }

    /// Takes a step; tells whether a frame is whole, or can never be.
    fn step(&mut self) -> bool {
        let begun = Instant::now();
        let stepped = self.session.step();
        self.spent += begun.elapsed();
        match stepped {
            Ok(None) => return false,
            Ok(Some(tally)) => {
                self.tally = tally;
                self.frame_ms = std::mem::take(&mut self.spent).as_secs_f64() * 1e3;
                self.made.push_back(Instant::now());
            }
            Err(error) => {
                self.playing = false;
                self.tell("error", &format!("{error}. Undo or restart to go on."));
            }
        }
        true
    }

    fn tell(&self, level: &str, text: &str) {
        let notice = json!({ "say": "notice", "level": level, "text": text });
        // Without pages nobody hears.
        let _ = self.notices.send(notice.to_string().into());
    }

    fn hello(&self) -> String {
        let scenes = Builtin::ALL.iter();
        let scenes: Vec<_> =
            scenes.map(|s| json!({ "name": s.name, "summary": s.summary() })).collect();
        let fabrics: Vec<_> =
            Preset::ALL.iter().map(|f| json!({ "name": f.name, "summary": f.summary })).collect();
        let own = &self.session.scene().name;
        json!({ "say": "hello", "version": wire::VERSION, "scenes": scenes, "fabrics": fabrics,
                "own": own })
        .to_string()
    }

    fn hear(&mut self, message: Message) {
        if let Err(error) = self.do_as_told(message) {
            self.tell("error", &error.to_string());
        }
    }

    fn do_as_told(&mut self, message: Message) -> Result<(), LiveError> {
        match message {
            Message::Act { act } => self.session.act(&act)?,
            Message::TogglePin { particle } => {
                let pinned = self.session.is_pinned(particle);
                let act = match pinned {
                    true => Action::Unpin { particle },
                    false => Action::Pin { particle },
                };
                self.session.act(&act)?;
            }
            Message::Stroke { eye, rays } => {
                let cut = self.session.cut_along(eye, &rays)?;
                if !matches!(&cut, Action::Cut { edges } if edges.is_empty()) {
                    self.session.act(&cut)?;
                }
            }
            Message::Play => self.playing = true,
            // What pauses is a whole frame.
            Message::Pause => {
                self.playing = false;
                if self.session.steps() > 0 {
                    self.make_frame();
                }
            }
            Message::Step => {
                self.playing = false;
                self.make_frame();
            }
            Message::Restart => {
                self.session.restart()?;
                self.spent = Duration::ZERO;
                self.counter.forget();
                self.playing = true;
            }
            Message::Speed { value } => self.speed = value,
            Message::Scene { name } => self.open(&name)?,
            Message::Undo => {
                if !self.session.undo()? {
                    self.tell("info", "There is nothing to undo.");
                }
            }
            Message::SaveState => self.save_state()?,
            Message::SaveRecording => self.save_recording()?,
            Message::CopyScene => {
                let text = self.session.text();
                let _ =
                    self.notices.send(json!({ "say": "scene", "text": text }).to_string().into());
            }
        }
        Ok(())
    }

    /// Another scene, at once.
    fn open(&mut self, name: &str) -> Result<(), LiveError> {
        let file = if name == self.library.scene.name {
            self.library.scene.clone()
        } else {
            let Some(builtin) = Builtin::named(name) else {
                return Err(LiveError::refuse(format!("there is no scene `{name}`")));
            };
            let origin = format!("built-in scene {name}");
            let base = Path::new(".");
            SceneFile::read(SceneText { origin: &origin, name, base, text: builtin.text }, &[])?
        };
        let from = self.library.from.clone().filter(|_| name == self.library.scene.name);
        self.session = Session::new(&file, from, self.library.memory)?;
        (self.topology.0, self.solids.0) = (None, None);
        self.made.clear();
        self.counter.forget();
        self.tally = Tally::default();
        self.playing = true;
        Ok(())
    }

    fn save_state(&mut self) -> Result<(), LiveError> {
        let state = self.session.sealed()?;
        let folder = self.free_path("");
        write(&folder.join("scene.toml"), self.session.text().as_bytes())?;
        write(&folder.join("state.tff"), &state)?;
        let at = folder.display();
        let text =
            format!("Saved. Go on from here: taffeta view {at}/scene.toml --from {at}/state.tff");
        self.tell("saved", &text);
        Ok(())
    }

    fn save_recording(&mut self) -> Result<(), LiveError> {
        let recording = self.session.recording()?;
        let path = self.free_path(Recording::ENDING);
        write(&path, recording.text().as_bytes())?;
        self.tell("saved", &format!("Saved. Play it again: taffeta run {}", path.display()));
        Ok(())
    }

    /// A name that nothing has yet.
    fn free_path(&self, ending: &str) -> PathBuf {
        let name = format!("{}-{}", self.session.scene().name, self.session.frame());
        let path = |extra: String| self.library.folder.join(format!("{name}{extra}{ending}"));
        let mut free = path(String::new());
        let mut number = 2;
        while free.exists() {
            free = path(format!("-{number}"));
            number += 1;
        }
        free
    }

    /// Publishes the newest of all.
    fn show(&mut self) {
        let simulation = self.session.simulation();
        let (model, setup, state) = (simulation.model(), simulation.setup(), simulation.state());
        let mut next = self.publish.borrow().clone();
        let key = (self.session.version(), model.revision());
        if self.topology.0 != Some(key) {
            self.topology = (Some(key), self.topology.1 + 1);
            let message = TopologyMessage {
                number: self.topology.1,
                particles: model.particles(),
                faces: model.faces(),
                yarns: model.yarns(),
                spacing: spacing(model),
            };
            next.topology = (self.topology.1, message.encode().into());
        }
        let deforms = setup.solids.iter().any(wire::deforms);
        if self.solids.0 != Some(self.session.version()) || deforms {
            self.solids = (Some(self.session.version()), self.solids.1 + 1);
            let message = wire::solids_message(self.solids.1, &setup.solids, state.time);
            next.solids = (self.solids.1, message.into());
        }
        let pins: Vec<u32> = self.session.pinned().collect();
        let message = FrameMessage {
            time: state.time,
            number: self.session.frame(),
            topology: self.topology.1,
            solids_number: self.solids.1,
            positions: &state.positions,
            strains: &wire::strains(model.gauges(), &state.positions),
            solids: &setup.solids,
            pins: &pins,
            hand: simulation.hand().zip(simulation.hand_led_to()).map(|(hand, to)| HandSeen {
                force: simulation.hand_force(),
                place: hand.place,
                to,
            }),
        };
        next.frame = message.encode().into();
        if self.glanced.is_none_or(|last| last.elapsed() >= GLANCE) || !self.playing {
            self.glanced = Some(Instant::now());
            next.status = self.status().into();
        }
        self.publish.send_replace(next);
        self.shown = Instant::now();
    }

    fn status(&mut self) -> String {
        let second = Instant::now().checked_sub(Duration::from_secs(1));
        while self.made.front().is_some_and(|made| second.is_some_and(|second| *made < second)) {
            self.made.pop_front();
        }
        let going = Going {
            playing: self.playing,
            speed: self.speed,
            fps: self.made.len() as f64,
            frame_ms: self.frame_ms,
        };
        let simulation = self.session.simulation();
        // Cloth that may pass through itself is not blamed for it.
        let judged = simulation.setup().self_contact.is_some();
        let positions = &simulation.state().positions;
        let meetings = judged.then(|| self.counter.look(simulation.model(), positions)).flatten();
        Status::of(&self.session, going, &self.tally, meetings).text()
    }
}

/// The mean distance between the yarns of woven cloth.
fn spacing(model: &taffeta::Model) -> f64 {
    let springs = model.structural();
    springs.iter().map(|spring| spring.rest_length).sum::<f64>() / springs.len().max(1) as f64
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), LiveError> {
    let failed = |source| LiveError::File { path: path.into(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, bytes).map_err(failed)
}
