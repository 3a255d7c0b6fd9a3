//! What a scene leaves open is chosen for it, and the run says what and why.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use taffeta::{Integrator, Limiter, Solver};
use taffeta_scene::Scene;
use taffeta_scene::run::Mode;
use tempfile::tempdir;

use common::{go, scene_of};

const STIFF: &str = "[fabric]\npreset = \"cotton\"\n[cloth.sheet]\nsize = [1.0, 1.0]\n\
                     particles = [41, 41]\n[[pin]]\nparticles = [0, 40]\n[frames]\ncount = 3\n";
const BALL: &str = "[[solid]]\nposition = [0.0, -0.32, 0.0]\n[solid.sphere]\nradius = 0.3\n\
                    [contact]\nself = true\nthickness = 0.002\n";
const TEARING: &str = "[cloth.sheet]\nsize = [0.02, 0.01]\nparticles = [24, 12]\n[tear]\n";

/// Some words that a note has to have, all of them.
#[track_caller]
fn says(scene: &Scene, words: &[&str]) {
    let fits = |note: &String| words.iter().all(|word| note.contains(word));
    assert!(scene.notes.iter().any(fits), "no note {words:?} in {:#?}", scene.notes);
}

fn solver(scene: &Scene) -> Option<Solver> {
    match scene.setup.integrator {
        Integrator::Implicit(settings) => Some(settings.solver),
        Integrator::Explicit(_) => None,
    }
}

#[test]
fn stiff_cloth_moves_in_implicit_steps_and_soft_cloth_in_explicit_ones() {
    for more in ["", BALL, "[model.springs]\nbend = \"bridson\"\n"] {
        let scene = scene_of(&format!("{STIFF}{more}"), &[]);
        assert!(solver(&scene).is_some(), "{more}");
        says(&scene, &["steps are implicit", "e-5 s", "to a frame", "[integrator]"]);
        says(&scene, &["at most 8.3 ms", "[step]"]);
    }
    let soft = "[fabric]\ndensity = 0.4\nstretch = 20.0\nshear = 5.0\nbend = 0.01\n";
    let scene = scene_of(&STIFF.replace("[fabric]\npreset = \"cotton\"\n", soft), &[]);
    assert_eq!((solver(&scene), scene.notes), (None, Vec::new()));
}

#[test]
fn what_is_written_is_taken() {
    let written = ["[integrator.explicit]\n", "[integrator.implicit]\n[step]\nmax = 0.02\n"];
    for (text, implicit) in written.into_iter().zip([false, true]) {
        let scene = scene_of(&format!("{STIFF}{text}"), &[]);
        assert_eq!(solver(&scene).is_some(), implicit, "{text}");
        assert_eq!(scene.notes, Vec::<String>::new(), "{text}");
        assert_eq!(scene.setup.step.max, if implicit { 0.02 } else { 1.0 / 30.0 });
    }
    // A shortest step bounds what is chosen.
    let scene = scene_of(&format!("{STIFF}[step]\nmin = 0.01\n"), &[]);
    assert_eq!(scene.setup.step.max, 0.01);
    let scene = scene_of(&format!("{STIFF}[solver.direct]\n"), &[]);
    assert_eq!(solver(&scene), Some(Solver::Direct));
    says(&scene, &["[solver] is for those"]);
}

#[test]
fn limits_that_are_kept_after_a_step_make_it_short() {
    for limiter in ["impulses", "sweeps"] {
        let text = format!("{STIFF}[limits]\nextension = 0.05\n[limiter.{limiter}]\n");
        let scene = scene_of(&text, &[]);
        assert!(solver(&scene).is_some());
        assert_eq!(scene.setup.step.max, 1.0 / 240.0);
        says(&scene, &["at most 4.2 ms", "directions"]);
    }
    let alone = scene_of(&format!("{STIFF}[limits]\nextension = 0.05\n"), &[]);
    assert!(matches!(alone.setup.limiter, Limiter::Strips(_)));
    says(&alone, &["kept by strips"]);
}

#[test]
fn cloth_that_tears_takes_steps_as_short_as_its_tension_is_averaged() {
    for more in ["", "[limits]\nextension = 0.02\n"] {
        let scene = scene_of(&format!("{TEARING}{more}"), &[]);
        assert_eq!(scene.setup.step.max, 0.005);
        assert_eq!(solver(&scene), Some(Solver::Direct));
        says(&scene, &["at most 5.0 ms", "averaged"]);
    }
    let slow = scene_of(TEARING, &["tear.averaging=0.1"]);
    assert_eq!(slow.setup.step.max, 1.0 / 120.0);
}

#[test]
fn a_run_with_nothing_said_is_told_and_takes_few_steps() {
    let folder = tempdir().unwrap();
    let scene = scene_of(&format!("{STIFF}{BALL}"), &["cloth.sheet.particles=[21, 21]"]);
    let ending = go(&scene, folder.path(), Mode::New, None).unwrap();
    assert!(ending.complete);
    assert!(ending.summary.steps <= 3 * 20, "{}", ending.summary.steps);
}
