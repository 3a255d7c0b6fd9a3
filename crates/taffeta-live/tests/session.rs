//! What hands do, and that it can be taken back, saved and done again to the same bits.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use taffeta_io::cache::{CacheReader, CachedFrame, state_hash};
use taffeta_live::{Action, Checkpoint, Recording, Session, replay};
use taffeta_scene::{Scene, SceneFile, SceneText};

const MEMORY: u64 = 1 << 32;

const HANGING: &str = "\
[cloth]
rotation = [90.0, 0.0, 0.0]
[cloth.sheet]
size = [0.5, 0.5]
particles = [13, 13]
[[pin]]
edge = \"top\"
[[solid]]
position = [0.0, 0.0, -1.0]
[solid.sphere]
radius = 0.1
[contact]
self = true
[limits]
extension = 0.01
[frames]
count = 20
";

const WOVEN: &str = "\
[fabric]
density = 0.25
thickness = 6e-4
stretch = 4000.0
shear = 30.0
bend = 0.02
[cloth]
rotation = [90.0, 0.0, 0.0]
[cloth.sheet]
size = [0.1, 0.1]
particles = [21, 21]
[[pin]]
edge = \"top\"
[tear]
strength = [0.4, 0.9]
slip = 2.5e-3
[air]
[integrator.implicit]
[step]
max = 0.0166667
max_stretch_change = 0.5
[frames]
count = 20
";

/// The same, coarse where nothing pulls.
fn coarse() -> String {
    format!("{WOVEN}[tear.coarse]\nsize = 4\n")
}

fn file(text: &str) -> SceneFile {
    let scene = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text };
    SceneFile::read(scene, &[]).unwrap()
}

fn session(text: &str) -> Session {
    Session::new(&file(text), None, MEMORY).unwrap()
}

fn go(session: &mut Session, frames: u32) {
    for _ in 0..frames {
        session.next_frame().unwrap();
    }
}

/// A bit of everything.
fn play(session: &mut Session) {
    go(session, 3);
    let low = session.simulation().state().positions[150];
    let to = |dx: f64| (low + glam::DVec3::new(dx, -0.1, 0.1)).to_array();
    session.act(&Action::Grab { particle: 150, radius: 0.05, to: to(0.0) }).unwrap();
    for i in 0..6 {
        session.act(&Action::Drag { to: to(9.0) }).unwrap();
        session.act(&Action::Drag { to: to(f64::from(i) * 0.03) }).unwrap();
        go(session, 1);
    }
    session.act(&Action::Release).unwrap();
    session.act(&Action::Pin { particle: 160 }).unwrap();
    session.act(&Action::Unpin { particle: 3 }).unwrap();
    go(session, 3);
    session.act(&Action::Wind { value: [1.0, 0.0, 2.0] }).unwrap();
    session.act(&Action::Gravity { value: [0.0, -5.0, 0.0] }).unwrap();
    let fan = Action::Fan {
        position: [0.0, -0.2, -1.0],
        direction: [0.0, 0.0, 2.0],
        speed: 9.0,
        radius: 0.2,
    };
    session.act(&fan).unwrap();
    let throw = Action::Throw { from: [0.0, 0.0, 0.6], velocity: [0.0, 1.0, -4.0], radius: 0.06 };
    session.act(&throw).unwrap();
    go(session, 4);
    session.act(&Action::Friction { value: 0.7 }).unwrap();
    session.act(&Action::FanOff).unwrap();
    go(session, 2);
}

#[test]
fn a_recording_is_done_again_to_the_same_bits_in_a_run_folder() {
    for text in [HANGING, WOVEN, &coarse()] {
        let mut session = session(text);
        play(&mut session);
        if text != HANGING {
            let cut =
                session.cut_along([0.0, 0.0, 1.0], &[[-0.2, -0.02, -1.0], [0.2, -0.02, -1.0]]);
            session.act(&cut.unwrap()).unwrap();
        } else {
            session.act(&Action::Limit { value: 0.02 }).unwrap();
            session.act(&Action::MoveSolid { solid: 0, to: [0.1, 0.0, -0.9] }).unwrap();
        }
        go(&mut session, 3);
        let recording = Recording::read(&session.recording().unwrap().text()).unwrap();
        assert_eq!(recording, session.recording().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let mut seen = 0;
        let done = replay(&recording, &folder.path().join("run"), MEMORY, &stop, |_| seen += 1);
        let done = done.unwrap();
        assert!(done.same && done.complete, "{done:?}");
        assert_eq!(seen, session.frame() + 1);
        let reader = CacheReader::open(&folder.path().join("run")).unwrap();
        let last = reader.load(session.frame()).unwrap();
        assert_eq!(state_hash(&last.snapshot), session.fingerprint());
        // A second time the folder is full.
        assert!(replay(&recording, &folder.path().join("run"), MEMORY, &stop, |_| ()).is_err());
    }
}

/// A hand that acts in the middle of frames, lets go, takes back.
fn play_between_steps(session: &mut Session) {
    go(session, 2);
    let low = session.simulation().state().positions[150];
    let to = |dx: f64| (low + glam::DVec3::new(dx, -0.05, 0.1)).to_array();
    step(session, 1);
    session.act(&Action::Grab { particle: 150, radius: 0.05, to: to(0.0) }).unwrap();
    for i in 0..9 {
        step(session, 1 + i % 2);
        session.act(&Action::Drag { to: to(f64::from(i) * 0.02) }).unwrap();
    }
    step(session, 1);
    session.act(&Action::Pin { particle: 160 }).unwrap();
    step(session, 1);
    assert!(session.undo().unwrap());
    step(session, 2);
    session.act(&Action::Fabric { name: "silk".into() }).unwrap();
    step(session, 3);
    session.act(&Action::Release).unwrap();
}

fn step(session: &mut Session, steps: u32) {
    for _ in 0..steps {
        session.step().unwrap();
    }
}

#[test]
fn hands_act_between_the_steps_of_a_frame() {
    for text in [HANGING, WOVEN, &coarse()] {
        let text = match text.contains("[step]") {
            true => text.replace("max = 0.0166667", "max = 0.005"),
            false => format!("{text}[step]\nmax = 0.005\n"),
        };
        let mut session = session(&text);
        play_between_steps(&mut session);
        assert!(session.steps() > 0, "all of it was between frames");
        let recording = Recording::read(&session.recording().unwrap().text()).unwrap();
        assert_eq!(session.steps(), 0);
        assert!(recording.actions.iter().any(|done| done.step > 0));
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let done = replay(&recording, &folder.path().join("run"), MEMORY, &stop, |_| ()).unwrap();
        assert!(done.same && done.complete, "{done:?}");
    }
}

#[test]
fn what_is_cut_after_the_last_frame_is_done_again_too() {
    let mut session = session(WOVEN);
    go(&mut session, 1);
    let cut = session.cut_along([0.0, 0.0, 1.0], &[[-0.2, 0.0, -1.0], [0.2, 0.0, -1.0]]).unwrap();
    session.act(&cut).unwrap();
    let recording = session.recording().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let done = replay(&recording, &folder.path().join("run"), MEMORY, &stop, |_| ()).unwrap();
    assert!(done.same && done.complete, "{done:?}");
}

#[test]
fn the_scene_and_the_state_go_on_as_the_session_does() {
    for text in [HANGING, WOVEN] {
        let mut session = session(text);
        play(&mut session);
        session.act(&Action::Release).unwrap();
        let saved = file(&session.text());
        let identity = Scene::resolve(&saved, MEMORY).unwrap().identity;
        let frame = CachedFrame::unsealed(&identity, &session.sealed().unwrap()).unwrap();
        let from = Checkpoint { frame: frame.number, snapshot: frame.snapshot };
        let mut other = Session::new(&saved, Some(from), MEMORY).unwrap();
        assert_eq!((other.frame(), other.fingerprint()), (session.frame(), session.fingerprint()));
        go(&mut session, 3);
        go(&mut other, 3);
        assert_eq!(other.fingerprint(), session.fingerprint(), "{}", session.text());
    }
}

#[test]
fn fabrics_are_swapped_while_it_goes_on() {
    let mut session = session(HANGING);
    for name in ["silk", "denim", "wool"] {
        go(&mut session, 4);
        let before = session.fingerprint();
        session.act(&Action::Fabric { name: name.into() }).unwrap();
        assert_eq!(session.fabric().as_deref(), Some(name));
        go(&mut session, 4);
        assert_ne!(session.fingerprint(), before);
        assert!(session.simulation().strain().extension < 0.0101, "{name}");
    }
    let recording = session.recording().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    assert!(replay(&recording, folder.path(), MEMORY, &stop, |_| ()).unwrap().same);
}

#[test]
fn fabrics_are_swapped_while_a_ball_hits_the_cloth() {
    for text in [HANGING, WOVEN] {
        let mut session = session(text);
        go(&mut session, 2);
        let radius = 0.12 * session.size();
        let from = [0.0, 0.0, 4.0 * radius];
        session.act(&Action::Throw { from, velocity: [0.0, 0.5, -5.0], radius }).unwrap();
        for name in ["denim", "silk", "wool"] {
            go(&mut session, 2);
            session.act(&Action::Fabric { name: name.into() }).unwrap();
        }
        go(&mut session, 4);
    }
}

#[test]
fn what_was_done_is_taken_back() {
    let mut session = session(WOVEN);
    go(&mut session, 3);
    let before = (session.frame(), session.fingerprint(), session.text());
    let cut = session.cut_along([0.0, 0.0, 1.0], &[[-0.2, 0.0, -1.0], [0.2, 0.0, -1.0]]).unwrap();
    session.act(&cut).unwrap();
    assert_eq!(session.simulation().frays().unwrap().torn, 21);
    go(&mut session, 2);
    session.act(&Action::Pin { particle: 200 }).unwrap();
    go(&mut session, 1);
    assert!(session.is_pinned(200));
    assert!(session.undo().unwrap() && !session.is_pinned(200));
    assert!(session.undo().unwrap());
    assert_eq!((session.frame(), session.fingerprint(), session.text()), before);
    assert!(!session.undo().unwrap() && session.done() == 0);
    go(&mut session, 1);
}

/// A recording of a session gives the same bits again.
fn assert_done_again(session: &mut Session) {
    let recording = session.recording().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let done = replay(&recording, &folder.path().join("run"), MEMORY, &stop, |_| {}).unwrap();
    assert!(done.same && done.complete, "{done:?}");
}

/// Two at one step, of which the second is taken back: the first was done, and is recorded.
#[test]
fn what_is_left_after_undo_is_recorded() {
    let mut session = session(HANGING);
    go(&mut session, 1);
    session.act(&Action::Gravity { value: [2.0, -5.0, 0.0] }).unwrap();
    session.act(&Action::Gravity { value: [0.0, 5.0, 0.0] }).unwrap();
    assert!(session.undo().unwrap());
    go(&mut session, 2);
    assert_done_again(&mut session);
}

/// A frame that fails in its middle does not keep what went before it from being saved.
#[test]
fn what_went_well_is_saved_after_a_step_that_fails() {
    let mut session = session(&WOVEN.replace("[step]", "[step]\nmin = 8e-3"));
    go(&mut session, 2);
    let whole = session.fingerprint();
    step(&mut session, 1);
    session.act(&Action::Gravity { value: [0.0, -9e5, 0.0] }).unwrap();
    assert!((0..50).any(|_| session.step().is_err()));
    assert!(session.steps() > 0);
    session.sealed().unwrap();
    assert_eq!((session.frame(), session.steps(), session.fingerprint()), (2, 0, whole));
    assert_done_again(&mut session);
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let mut session = session(HANGING);
    go(&mut session, 2);
    let before = (session.fingerprint(), session.text(), session.done());
    for action in [
        Action::Pin { particle: 10_000 },
        Action::Pin { particle: 3 },
        Action::Unpin { particle: 150 },
        Action::Cut { edges: vec![1] },
        Action::Grab { particle: 999, radius: 0.1, to: [0.0; 3] },
        Action::Grab { particle: 9, radius: f64::NAN, to: [0.0; 3] },
        Action::Fabric { name: "steel".into() },
        Action::MoveSolid { solid: 7, to: [0.0; 3] },
        Action::MoveSolid { solid: 0, to: [0.0, 1e5, 0.0] },
        Action::Gravity { value: [0.0, f64::INFINITY, 0.0] },
    ] {
        assert!(session.act(&action).is_err(), "{action:?}");
    }
    assert!(session.cut_along([0.0; 3], &[[0.0, 0.0, 1.0], [0.0, 1.0, 1.0]]).is_err());
    assert_eq!((session.fingerprint(), session.text(), session.done()), before);
}

#[test]
fn a_hard_pull_tears_yarns_and_frays_them() {
    let mut session = session(WOVEN);
    go(&mut session, 2);
    let place = session.simulation().state().positions[10 * 21 + 10];
    let to = |i: u32| (place + glam::DVec3::new(0.0, -0.01, 0.01) * f64::from(i)).to_array();
    session.act(&Action::Grab { particle: 10 * 21 + 10, radius: 0.01, to: to(0) }).unwrap();
    for i in 1..=20 {
        session.act(&Action::Drag { to: to(i) }).unwrap();
        go(&mut session, 1);
    }
    let frays = session.simulation().frays().unwrap();
    assert!(frays.torn > 3 && frays.ends > 3, "{frays:?}");
    assert!(session.simulation().state().velocities.iter().all(|v| v.length() < 50.0));
}

#[test]
fn rubbish_is_no_recording() {
    let good = session(HANGING).recording().unwrap().text();
    for bad in [
        String::new(),
        "{}".into(),
        good.replace("\"taffeta-hands\":2", "\"taffeta-hands\":1"),
        good.replace(
            "\"actions\":[]",
            "\"actions\":[[5,1,{\"do\":\"release\"}],[5,0,{\"do\":\"release\"}]]",
        ),
        good.replace("\"fingerprint\":\"", "\"fingerprint\":\"x"),
        good.replace("\"last\":0", "\"last\":0,\"from\":\"AAAA\""),
    ] {
        assert_ne!(bad, good);
        assert!(Recording::read(&bad).is_err(), "{bad}");
    }
}
