//! The gallery: every built-in scene is run and shown.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::metadata::Metadata;
use crate::process;

/// A picture shown beside the usual one of a scene.
struct Extra {
    scene: &'static str,
    name: &'static str,
    options: &'static [&'static str],
}

const EXTRA: [Extra; 6] = [
    Extra { scene: "hang", name: "strain", options: &["--look=strain"] },
    Extra { scene: "hang", name: "gingham", options: &["--set=render.texture.motif=\"gingham\""] },
    Extra { scene: "flag", name: "yarns", options: &["--look=yarns"] },
    Extra { scene: "flag", name: "twill", options: &["--look=yarns", "--weave=twill-2-2"] },
    Extra { scene: "tear-bars", name: "levels", options: &["--look=levels"] },
    Extra { scene: "twist", name: "wire", options: &["--look=wire"] },
];
/// Scenes whose moment is another than two thirds into their run, and when.
const MOMENTS: [(&str, f64); 4] =
    [("ball-hits-cloth", 0.39), ("skirt-live", 0.5), ("swing", 0.285), ("table-edge", 0.29)];
const USUAL_MOMENT: f64 = 2.0 / 3.0;
/// The scenes that are shown as movies too, the first things in the README, and how large those may be.
const MOVIES: [&str; 2] = ["tear-ball-plain", "skirt-walk"];
const LARGEST_MOVIE: u64 = 2_000_000;
/// The largest a picture may be, in bytes.
const LARGEST: u64 = 150_000;

/// The part of a run's manifest that is needed here.
#[derive(Deserialize)]
struct Manifest {
    first: u32,
    last: u32,
}

/// Makes the pictures and the page that shows them.
pub fn make() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let root = workspace.workspace_root.as_path();
    let runs = workspace.target_directory.join("gallery");
    process::show(Command::new("cargo").current_dir(root).args(["build", "--release"]))?;
    let program = workspace.target_directory.join("release").join("taffeta");
    let scenes = scenes(&program)?;
    let mut page = String::from(
        "# Gallery\n\nEvery built-in scene, most of them two thirds into their run; `cargo xtask gallery` \
         makes these pictures.\n",
    );
    for (name, summary) in &scenes {
        let folder = runs.join(name);
        process::show(
            Command::new(&program).args(["run", name, "--overwrite", "--out"]).arg(&folder),
        )?;
        page.push_str(&format!("\n## {name}\n{summary}\n"));
        let usual = Extra { scene: "", name: "cloth", options: &[] };
        for extra in [&usual].into_iter().chain(EXTRA.iter().filter(|e| e.scene == name)) {
            let file = format!("gallery/{name}-{}.png", extra.name);
            let moment = MOMENTS.iter().find(|(scene, _)| scene == name);
            let moment = moment.map_or(USUAL_MOMENT, |(_, moment)| *moment);
            let to = root.join("docs").join(&file);
            picture(&program, &folder, (extra.options, moment), &to)?;
            page.push_str(&format!("\n![{name}, as {}]({file})\n", extra.name));
        }
        if MOVIES.contains(&name.as_str()) {
            movie(&program, &folder, &root.join(format!("docs/gallery/{name}.webp")))?;
        }
    }
    fs::write(root.join("docs/gallery.md"), page).map_err(|error| error.to_string())?;
    Ok(true)
}

/// Names and summaries of the built-in scenes.
fn scenes(program: &Path) -> Result<Vec<(String, String)>, String> {
    let listed = process::capture(Command::new(program).arg("scenes"))?;
    let pair = |line: &str| {
        let (name, summary) = line.split_once(' ')?;
        Some((name.to_owned(), summary.trim().to_owned()))
    };
    Ok(listed.lines().filter_map(pair).collect())
}

fn movie(program: &Path, run: &Path, file: &Path) -> Result<(), String> {
    let mut render = Command::new(program);
    render.arg("render").arg(run).arg("--out").arg(file).args(["--size", "480x270"]);
    process::show(&mut render)?;
    refuse_large(file, LARGEST_MOVIE)
}

fn picture(
    program: &Path,
    run: &Path,
    (options, moment): (&[&str], f64),
    file: &Path,
) -> Result<(), String> {
    let manifest = fs::read_to_string(run.join("run.json")).map_err(|error| error.to_string())?;
    let Manifest { first, last } =
        serde_json::from_str(&manifest).map_err(|error| error.to_string())?;
    let frame = (first + (f64::from(last - first) * moment) as u32).to_string();
    let mut render = Command::new(program);
    render.arg("render").arg(run).arg("--out").arg(file);
    render.args(["--frame", &frame, "--size", "640x360", "--quality", "final"]).args(options);
    process::show(&mut render)?;
    refuse_large(file, LARGEST)
}

fn refuse_large(file: &Path, largest: u64) -> Result<(), String> {
    let size = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > largest {
        return Err(format!("{} has {size} bytes, more than {largest}", file.display()));
    }
    Ok(())
}
