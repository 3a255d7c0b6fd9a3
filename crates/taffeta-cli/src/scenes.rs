//! `taffeta scenes`, and finding the scene a user names.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use taffeta_scene::format::nearest;
use taffeta_scene::{Builtin, Override, SceneFile, SceneText};

use crate::args::ScenesArgs;
use crate::console::{print, say};
use crate::failure::Failure;

pub fn scenes(args: &ScenesArgs) -> Result<ExitCode, Failure> {
    match &args.name {
        None => {
            for scene in Builtin::ALL {
                say(format_args!("{:20} {}", scene.name, scene.summary()));
            }
        }
        Some(name) => match Builtin::named(name) {
            Some(scene) => print(scene.text),
            None => return Err(unknown(name)),
        },
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a scene by the name of a built-in scene or the path of a file.
pub fn read(scene: &str, overrides: &[String]) -> Result<SceneFile, Failure> {
    let overrides: Vec<Override> = overrides.iter().cloned().map(Override).collect();
    let path = Path::new(scene);
    if let (Some(builtin), false) = (Builtin::named(scene), path.is_file()) {
        let base = Path::new(".");
        let origin = format!("built-in scene {scene}");
        let text = SceneText { origin: &origin, name: scene, base, text: builtin.text };
        return Ok(SceneFile::read(text, &overrides)?);
    }
    if path.is_dir() {
        return Err(folder_instead(path));
    }
    if path.extension().is_none() && !path.is_file() {
        return Err(unknown(scene));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read the scene {scene}: {error}")))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let base = path.parent().unwrap_or(Path::new("."));
    let text = SceneText { origin: scene, name: &name, base, text: &text };
    Ok(SceneFile::read(text, &overrides)?)
}

fn folder_instead(path: &Path) -> Failure {
    let kept = path.join("scene.toml");
    let hint = match kept.is_file() {
        true => format!("; did you mean {}?", kept.display()),
        false => "; name a file that ends in .toml, or a built-in scene".into(),
    };
    Failure::new(format!("{} is a folder, not a scene{hint}", path.display()))
}

fn unknown(name: &str) -> Failure {
    let names = || Builtin::ALL.iter().map(|scene| scene.name);
    let all = names().collect::<Vec<_>>().join(", ");
    let hint = nearest(name, names()).map_or(String::new(), |n| format!("; did you mean {n}?"));
    Failure::new(format!(
        "there is no scene `{name}`{hint} Built-in scenes: {all}. A scene file ends in .toml."
    ))
}
