//! Every combination of integrator, limiter, model, contact, solids and tearing that a scene may ask for keeps
//! its promises on a small cloth, or is refused at the table that has to change; and none takes a hundred
//! times as long as one that differs from it in one thing.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Instant;

use taffeta_io::cache::CacheReader;
use taffeta_scene::check::check;
use taffeta_scene::run::Mode;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

use common::go;

/// What limits allow.
const LIMIT: f64 = 0.05;
/// How many times as long as a neighbour a combination may take.
const MOST: f64 = 100.0;
/// Times shorter than this are not told apart \[s\].
const SHORTEST: f64 = 0.05;

/// Choices for each thing, each a piece of a scene; the first leaves it open.
const INTEGRATOR: [&str; 3] = ["", "[integrator.explicit]\n", "[integrator.implicit]\n"];
const LIMITER: [&str; 6] = [
    "",
    "[limits]\nextension = 0.05\n",
    "[limits]\nextension = 0.05\n[limiter.constraints]\n",
    "[limits]\nextension = 0.05\n[limiter.impulses]\n",
    "[limits]\nextension = 0.05\n[limiter.sweeps]\nsweeps = 100\n",
    "[limits]\nextension = 0.05\n[limiter.strips]\n",
];
const MODEL: [&str; 2] = ["", "[model.continuum]\n"];
const CONTACT: [&str; 2] = ["", "[contact]\nself = true\nthickness = 0.002\n"];
const SOLIDS: [&str; 3] = ["", BALL, MESH];
const TEAR: [&str; 2] = ["", "[tear]\nstrength = [0.02, 0.04]\n"];

const BALL: &str = "[[solid]]\nposition = [0.0, -0.06, 0.0]\nthickness = 0.003\nfriction = 0.3\n\
                    [solid.sphere]\nradius = 0.04\n";
const MESH: &str = "[[solid]]\nposition = [0.0, -0.06, 0.0]\nthickness = 0.003\nfriction = 0.3\n\
                    faceted = true\n[solid.box]\nsize = [0.07, 0.07, 0.07]\n";

/// A small sheet that hangs by a corner and falls.
const CLOTH: &str = "[fabric]\ndensity = 0.2\nstretch = 300.0\nshear = 20.0\nbending = 1e-5\n\
                     stretch_damping = 1e-3\n[cloth.sheet]\nsize = [0.2, 0.2]\nparticles = [9, 9]\n\
                     [[pin]]\nparticles = [0]\n[frames]\ncount = 4\nrate = 24.0\n";

/// Which choice is taken of each thing.
type Combination = [usize; 6];

fn pieces(combination: Combination) -> [&'static str; 6] {
    let [integrator, limiter, model, contact, solids, tear] = combination;
    [
        INTEGRATOR[integrator],
        LIMITER[limiter],
        MODEL[model],
        CONTACT[contact],
        SOLIDS[solids],
        TEAR[tear],
    ]
}

fn all() -> Vec<Combination> {
    let sizes = [3, 6, 2, 2, 3, 2];
    let count: usize = sizes.iter().product();
    let nth = |number: usize| {
        let mut left = number;
        sizes.map(|size| {
            let choice = left % size;
            left /= size;
            choice
        })
    };
    (0..count).map(nth).collect()
}

fn text(combination: Combination) -> String {
    let mut check = String::from("[check]\n");
    if combination[1] > 0 {
        check.push_str(&format!("extension = {LIMIT}\n"));
    }
    if combination[3] > 0 {
        check.push_str("intersections = 0\n");
    }
    if combination[4] > 0 {
        check.push_str("inside = 0\n");
    }
    format!("{CLOTH}{}{check}", pieces(combination).concat())
}

/// What became of a combination.
enum Outcome {
    /// The line that the refusal points at, and its words.
    Refused(String, String),
    /// What does not hold, and how long it took \[s\].
    Ran(Vec<String>, f64),
}

fn outcome(combination: Combination) -> Outcome {
    let text = text(combination);
    let source = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text: &text };
    let file = SceneFile::read(source, &[]);
    let scene = match file.and_then(|file| Scene::resolve(&file, 1 << 30)) {
        Ok(scene) => scene,
        Err(error) => return refusal(&text, &error),
    };
    let folder = tempdir().unwrap();
    let begun = Instant::now();
    let ending = match go(&scene, folder.path(), Mode::New, None) {
        Ok(ending) => ending,
        Err(error) => return Outcome::Ran(vec![error.to_string()], begun.elapsed().as_secs_f64()),
    };
    let seconds = ending.summary.seconds.values().sum();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check(&mut reader, &scene.checks, None).unwrap();
    let found = certificate.violations.iter().map(|found| found.what.clone());
    // What is said beforehand is no promise.
    let loose = scene.warnings.iter().any(|warning| warning.kind == "loose");
    let mut broken: Vec<String> =
        found.filter(|what| !(loose && what.contains("inside solid"))).collect();
    broken.extend(certificate.unread);
    Outcome::Ran(broken, seconds)
}

fn refusal(text: &str, error: &SceneError) -> Outcome {
    let first = error.problems().next().unwrap();
    let start = text[..first.span.range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    Outcome::Refused(line.into(), first.message.clone())
}

/// Which line a combination is refused at, if it is.
fn refused_at([integrator, limiter, model, _, _, tear]: Combination) -> Option<&'static str> {
    let (explicit, implicit) = (integrator == 1, integrator == 2);
    let (by_constraints, by_strips) = (limiter == 1 || limiter == 2, limiter == 5);
    let (continuum, tears) = (model == 1, tear == 1);
    match () {
        // Limits without a limiter are kept by constraints, and these are a part of implicit steps.
        () if explicit && by_constraints => Some("[integrator.explicit]"),
        () if explicit && continuum && !by_strips => Some("[integrator.explicit]"),
        () if continuum && tears => Some("[tear]"),
        () if by_strips && (implicit || tears) => Some("[limiter.strips]"),
        () => None,
    }
}

/// All outcomes, made on as many threads as there are.
fn outcomes() -> BTreeMap<Combination, Outcome> {
    let combinations = all();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = combinations.len().div_ceil(workers);
    thread::scope(|scope| {
        let start = |part: &'_ [Combination]| {
            let part = part.to_vec();
            scope.spawn(move || part.iter().map(|one| (*one, outcome(*one))).collect::<Vec<_>>())
        };
        let started: Vec<_> = combinations.chunks(share).map(start).collect();
        started.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// Combinations that differ from another in one thing.
fn neighbours(of: Combination) -> impl Iterator<Item = Combination> {
    all().into_iter().filter(move |other| of.iter().zip(other).filter(|(a, b)| a != b).count() == 1)
}

#[test]
fn every_combination_keeps_its_promises_or_is_refused() {
    let outcomes = outcomes();
    let mut wrong = Vec::new();
    for (combination, outcome) in &outcomes {
        let expected = refused_at(*combination);
        let written = pieces(*combination).concat();
        match outcome {
            Outcome::Refused(line, message) if expected != Some(line) => {
                wrong.push(format!("{written}is refused at `{line}`: {message}"));
            }
            Outcome::Ran(..) if expected.is_some() => wrong.push(format!("{written}runs")),
            Outcome::Ran(broken, _) if !broken.is_empty() => {
                wrong.push(format!("{written}breaks {}: {}", broken.len(), broken[0]));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} combinations:\n{}", wrong.len(), wrong.join("\n\n"));
    let seconds = |combination: Combination| match outcomes[&combination] {
        Outcome::Ran(_, seconds) => Some(seconds.max(SHORTEST)),
        Outcome::Refused(..) => None,
    };
    for (combination, slow) in all().into_iter().filter_map(|one| Some((one, seconds(one)?))) {
        let quickest = neighbours(combination).filter_map(seconds).fold(f64::INFINITY, f64::min);
        assert!(
            slow < MOST * quickest,
            "{slow} s and {quickest}:\n{}",
            pieces(combination).concat()
        );
    }
}
