//! The scene format is documented as it is: the reference is written from the declared keys, and
//! every declared key is really read.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use taffeta::Fabric;
use taffeta_scene::format::{Kind, SECTIONS, Section, document};
use taffeta_scene::{SceneFile, SceneText};

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-format.md")
}

#[test]
fn the_reference_is_what_the_keys_say() {
    if std::env::var_os("TAFFETA_UPDATE_DOCS").is_some() {
        fs::write(reference(), document()).unwrap();
    }
    let written = fs::read_to_string(reference()).unwrap_or_default();
    assert!(written == document(), "docs/scene-format.md is out of date: run `cargo xtask docs`");
}

fn read(text: &str) -> Result<SceneFile, taffeta_scene::SceneError> {
    let base = Path::new(".");
    SceneFile::read(SceneText { origin: "test.toml", name: "test", base, text }, &[])
}

/// A scene in which a section holds nothing but one line.
fn scene_with(section: &Section, line: &str) -> String {
    let sheet = "[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n";
    match section.heading {
        "" => format!("{line}\n{sheet}"),
        "[cloth]" => format!("[cloth]\n{line}\n{sheet}"),
        "[cloth.sheet]" => format!("[cloth.sheet]\n{line}\n"),
        "[cloth.tube]" => format!("[cloth.tube]\n{line}\n"),
        "[cloth.mesh]" => format!("[cloth.mesh]\n{line}\n"),
        "[[pin.key]]" => format!("{sheet}[[pin]]\nparticles = [0]\n[[pin.key]]\n{line}\n"),
        "[render.texture]" => {
            // A texture has one source, so the other keys need one beside them.
            let source = if line.starts_with("size") { "motif = \"checker\"\n" } else { "" };
            format!("{sheet}[render.texture]\n{source}{line}\n")
        }
        "[[pull.key]]" => format!("{sheet}[[pull]]\nparticle = 0\n[[pull.key]]\n{line}\n"),
        guide if guide.starts_with("[pin.") => {
            format!("{sheet}[[pin]]\nparticles = [0]\n{guide}\n{line}\n")
        }
        "[[cloth.panel]]" | "[[cloth.seam]]" => format!("{}\n{line}\n", section.heading),
        "[[cloth.panel.edge]]" => format!("[[cloth.panel]]\n[[cloth.panel.edge]]\n{line}\n"),
        "[[solid.key]]" => format!("{sheet}[[solid]]\n[solid.plane]\n[[solid.key]]\n{line}\n"),
        heading if heading.starts_with("[solid.") => {
            format!("{sheet}[[solid]]\n{heading}\n{line}\n")
        }
        heading => format!("{sheet}{heading}\n{line}\n"),
    }
}

#[test]
fn every_declared_key_is_read() {
    let mut keys = 0;
    for section in SECTIONS {
        for key in section.keys.iter().filter(|key| key.kind != Kind::Table) {
            // No key takes a date, so each must complain about exactly this value.
            let text = scene_with(section, &format!("{} = 1979-05-27", key.name));
            let at = text.find("1979").unwrap();
            let error = read(&text).expect_err(&text);
            let complains = error.problems().any(|p| p.span.range == (at..at + 10));
            assert!(complains, "{} {} is declared but never read", section.heading, key.name);
            keys += 1;
        }
    }
    assert!(keys > 40, "{keys}");
}

#[test]
fn loads_that_change_begin_with_those_that_last() {
    let text = "gravity = [0, -2, 0]\n[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n[air]\n\
                wind = [4, 0, 0]\n[[load]]\ntime = 0\n[[load]]\ntime = 2\nwind = [0, 0, 1]\n";
    let keys = read(text).unwrap().load_keys;
    let told: Vec<[f64; 4]> =
        keys.iter().map(|key| [key.time, key.gravity.y, key.wind.x, key.wind.z]).collect();
    assert_eq!(told, [[0.0, -2.0, 4.0, 0.0], [2.0, -2.0, 0.0, 1.0]]);
}

#[test]
fn defaults_are_those_of_the_library() {
    let scene = read("[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n").unwrap();
    assert_eq!(scene.fabric, Fabric::default());
    assert_eq!(scene.loads, taffeta::Loads::default());
    assert_eq!(scene.step, taffeta::StepLimits::default());
}

#[test]
fn every_default_is_in_range() {
    for section in SECTIONS {
        for key in section.keys {
            let Some(default) = key.default else { continue };
            let text = scene_with(section, &format!("{} = {default}", key.name));
            let at = text.find(&format!("{} = ", key.name)).unwrap() + key.name.len() + 3;
            let problems: Vec<_> = read(&text).err().into_iter().collect();
            let about_it = |p: &&taffeta_scene::text::Problem| p.span.range.start == at;
            let found = problems.iter().flat_map(|e| e.problems()).find(about_it);
            assert!(found.is_none(), "{} {}: {found:?}", section.heading, key.name);
        }
    }
}
