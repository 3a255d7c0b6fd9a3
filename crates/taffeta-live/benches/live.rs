//! What live simulation costs, beside what is asked of it: `cargo bench -p taffeta-live [-- NAME …]`
//! with the names drape, rip, stream and answer; all without one.
//!
//! Frames are made as the engine makes them, with a hand on the cloth. Beside the time of a frame
//! stands how long its thread waited for a core that other programs had: on an idle machine it would
//! not have. Streaming and answers go through a real server and socket. Linux tells processor times;
//! elsewhere they are not told.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a bench fails by panicking")]
#![allow(clippy::print_stdout, reason = "a bench prints what it measures")]

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::DVec3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use taffeta_live::{Action, Content, Engine, Library, Server, Session};
use taffeta_scene::{Builtin, Override, SceneFile, SceneText};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

const MEMORY: u64 = 1 << 34;

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(2);
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    println!("{threads} threads\n");
    let small = scene("drape-limit", &["cloth.sheet.particles=[41, 41]"]);
    let woven = scene("rip", &[]);
    if wants("drape") {
        frames("41 × 41, limits, self-contact", &small, threads, &DRAPE);
    }
    if wants("rip") {
        frames("64 × 64 yarns, tearing", &woven, threads, &RIP);
    }
    if wants("stream") {
        streaming(threads);
    }
    if wants("answer") {
        answers("41 × 41, limits, self-contact", small, threads);
        answers("64 × 64 yarns", woven, threads);
    }
}

fn scene(name: &str, overrides: &[&str]) -> SceneFile {
    let text = Builtin::named(name).unwrap().text;
    let overrides: Vec<Override> = overrides.iter().map(|&word| Override(word.into())).collect();
    let scene = SceneText { origin: name, name, base: Path::new("."), text };
    SceneFile::read(scene, &overrides).unwrap()
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// A pull: what is taken hold of after some frames, and how far it is led in how many.
struct Pull {
    particle: u32,
    radius: f64,
    after: u32,
    frames: u32,
    by: DVec3,
}

const DRAPE: Pull =
    Pull { particle: 0, radius: 0.045, after: 15, frames: 105, by: DVec3::new(-0.5, 0.3, -0.4) };

const RIP: Pull = Pull {
    particle: 40 * 64 + 32,
    radius: 0.0142,
    after: 10,
    frames: 110,
    by: DVec3::new(0.25, -0.45, 0.35),
};

/// What frames take while a hand pulls.
fn frames(what: &str, scene: &SceneFile, threads: usize, pull: &Pull) {
    let mut session = Session::new(scene, None, MEMORY).unwrap();
    let (mut times, mut alone) = (Vec::new(), Vec::new());
    let mut counts = [0; 4];
    let spent = Spent::now();
    pool(threads).install(|| {
        for frame in 0..pull.after + pull.frames {
            if frame == pull.after {
                take(&mut session, pull);
            } else if frame > pull.after {
                lead(&mut session, pull, frame - pull.after);
            }
            let (here, begun) = (Spent::of_this_thread(), Instant::now());
            let tally = session.next_frame().unwrap();
            counts[0] += tally.steps;
            counts[1] += tally.rejected;
            counts[2] += tally.iterations;
            counts[3] += tally.newton;
            let time = begun.elapsed().as_secs_f64();
            times.push(time * 1e3);
            alone.push((time - here.waited_since()) * 1e3);
        }
    });
    let count = times.len() as f64;
    println!("{what}: {:.0} frames/s asked", session.rate());
    println!("  {}", summary(&mut times));
    println!(
        "  {} without waiting for a core; {:.1} ms of processor",
        summary(&mut alone),
        spent.since() * 1e3 / count
    );
    let [steps, discarded, iterations, newton] = counts.map(|n| f64::from(n) / count);
    println!(
        "  {steps:.1} steps a frame and {discarded:.1} discarded, {iterations:.0} iterations, {newton:.1} of Newton"
    );
    let strain = session.simulation().strain().extension * 100.0;
    let torn = session.simulation().frays().map_or(0, |frays| frays.torn);
    println!("  strain at the end {strain:.2} %, {torn} spans torn\n");
}

/// Frames a second, and how long frames take \[ms\].
fn summary(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let (most, longest) = (times[times.len() * 95 / 100], times[times.len() - 1]);
    format!(
        "{:.0} frames/s: {mean:.1} ms a frame, 95 % within {most:.1}, the longest {longest:.1}",
        1e3 / mean
    )
}

fn take(session: &mut Session, pull: &Pull) {
    let to = session.simulation().state().positions[pull.particle as usize].to_array();
    session.act(&Action::Grab { particle: pull.particle, radius: pull.radius, to }).unwrap();
}

/// There and back again, so that the cloth comes back as well.
fn lead(session: &mut Session, pull: &Pull, frame: u32) {
    let place = session.simulation().hand().unwrap().place;
    let step = pull.by * 2.0 / f64::from(pull.frames);
    let to = if frame > pull.frames / 2 { place - step } else { place + step };
    session.act(&Action::Drag { to: to.to_array() }).unwrap();
}

/// What 60 messages a second of 6,561 vertices take, all but making the frames: a simulation that
/// stands still answers whatever it is told with a frame.
fn streaming(threads: usize) {
    let scene = scene("hang", &["cloth.sheet.particles=[81, 81]"]);
    let server = serve(scene, threads);
    let mut page = page(&server);
    say(&mut page, r#"{"say":"pause"}"#);
    let (seconds, rate) = (8, 60);
    frames_of(&mut page, 2);
    let (spent, own) = (Spent::now(), Spent::of_this_thread());
    let begun = Instant::now();
    let mut bytes = 0;
    for i in 1..=seconds * rate {
        say(&mut page, r#"{"say":"pause"}"#);
        bytes += frames_of(&mut page, 1);
        let due = Duration::from_secs_f64(f64::from(i) / f64::from(rate));
        std::thread::sleep(due.saturating_sub(begun.elapsed()));
    }
    let wall = begun.elapsed().as_secs_f64();
    println!("6,561 vertices, 60 messages/s: under 5 % of a core asked");
    println!(
        "  {:.1} messages/s, {:.2} MB/s, {:.2} % of a core for encoding and sending\n",
        f64::from(seconds * rate) / wall,
        bytes as f64 / wall / 1e6,
        100.0 * (spent.since() - own.since()) / wall
    );
}

/// How long it takes from when a hand has moved to when a picture of cloth that felt it is there.
fn answers(what: &str, scene: SceneFile, threads: usize) {
    let server = serve(scene, threads);
    let mut page = page(&server);
    frames_of(&mut page, 20);
    say(
        &mut page,
        r#"{"say":"act","act":{"do":"grab","particle":900,"radius":0.03,"to":[0,0,0]}}"#,
    );
    let mut times: Vec<f64> = (0..60u32)
        .map(|i| {
            // Not always at the same moment between two frames.
            std::thread::sleep(Duration::from_millis(u64::from(i * 7 % 34)));
            let x = 1e-3 * f64::from(i + 1);
            let begun = Instant::now();
            say(&mut page, &format!(r#"{{"say":"act","act":{{"do":"drag","to":[{x},0.1,0]}}}}"#));
            while led_to(&next_frame(&mut page)) != x as f32 {}
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what}: an answer to the hand within 100 ms asked, picture and all");
    println!(
        "  median {:.0} ms, 95 % within {:.0}, the longest {:.0}\n",
        times[30], times[57], times[59]
    );
}

fn serve(scene: SceneFile, threads: usize) -> Server {
    let folder = std::env::temp_dir();
    let library = Library { scene, from: None, folder, memory: MEMORY };
    let engine = Engine::start(library, pool(threads)).unwrap();
    Server::start(Content::Live(Box::new(engine)), 0).unwrap()
}

type Page = WebSocket<TcpStream>;

fn page(server: &Server) -> Page {
    let rest = server.address().strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut request = format!("ws://{host}/{path}live").into_client_request().unwrap();
    request.headers_mut().insert("Origin", format!("http://{host}").parse().unwrap());
    let stream = TcpStream::connect(host).unwrap();
    stream.set_nodelay(true).unwrap();
    tungstenite::client(request, stream).unwrap().0
}

fn say(page: &mut Page, text: &str) {
    page.send(Message::text(text)).unwrap();
}

/// The next frame; what hands are refused is an error.
fn next_frame(page: &mut Page) -> Vec<u8> {
    loop {
        match page.read().unwrap() {
            Message::Binary(bytes) if bytes[6] == 1 => return bytes.to_vec(),
            Message::Text(text) => assert!(!text.contains(r#""level":"error""#), "{text}"),
            _ => {}
        }
    }
}

/// How long so many frames are together \[bytes\].
fn frames_of(page: &mut Page, count: usize) -> usize {
    (0..count).map(|_| next_frame(page).len()).sum()
}

/// Where the hand of a frame is led to, along x.
fn led_to(frame: &[u8]) -> f32 {
    f32::from_le_bytes(frame[64..68].try_into().unwrap())
}

/// Processor time at a moment, of all threads or of this one.
struct Spent {
    one: bool,
    ran: f64,
    waited: f64,
}

impl Spent {
    fn now() -> Self {
        let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let all = tasks
            .map(|task| schedstat(&task.path()))
            .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        Self { one: false, ran: all.0, waited: all.1 }
    }

    fn of_this_thread() -> Self {
        let (ran, waited) = schedstat(Path::new("/proc/thread-self"));
        Self { one: true, ran, waited }
    }

    fn again(&self) -> Self {
        if self.one { Self::of_this_thread() } else { Self::now() }
    }

    /// Seconds of processor since.
    fn since(&self) -> f64 {
        self.again().ran - self.ran
    }

    /// Seconds that it waited for a core since.
    fn waited_since(&self) -> f64 {
        self.again().waited - self.waited
    }
}

/// How long a thread ran and how long it waited for a core \[s\].
fn schedstat(task: &Path) -> (f64, f64) {
    let text = fs::read_to_string(task.join("schedstat")).unwrap_or_default();
    let mut words = text.split_whitespace().map(|word| word.parse().unwrap_or(0.0) * 1e-9);
    (words.next().unwrap_or(0.0), words.next().unwrap_or(0.0))
}
