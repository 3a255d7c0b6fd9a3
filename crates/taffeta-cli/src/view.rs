//! `taffeta view`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use taffeta_io::cache::{CachedFrame, Holder, holder};
use taffeta_live::{Checkpoint, Content, Engine, Library, Run, Server, single_file};
use taffeta_scene::{Scene, SceneFile};

use crate::args::ViewArgs;
use crate::console::{say, warn};
use crate::failure::Failure;
use crate::resources::{memory, threads};
use crate::{interrupt, scenes};

/// The scene that is shown when none is named.
const FIRST: &str = "rip";

/// Where states and recordings of hands are saved.
const SAVED: &str = "out/live";

pub fn view(args: &ViewArgs) -> Result<ExitCode, Failure> {
    let memory = memory(args.memory)?;
    let named = args.what.as_deref().unwrap_or(FIRST);
    let folder = Path::new(named);
    let content = if folder.is_dir() {
        refuse_for_runs(args)?;
        let run = open(folder, memory)?;
        if let Some(page) = &args.page {
            return write_page(&run, page);
        }
        Content::Run(Box::new(run))
    } else {
        if args.page.is_some() {
            return Err(Failure::new(format!(
                "--page is made of a run's frames: first `taffeta run {named}`, then \
                 `taffeta view out/{named} --page ...`"
            )));
        }
        Content::Live(Box::new(simulate(args, named, memory)?))
    };
    serve(args, content)
}

/// What a finished run cannot be given.
fn refuse_for_runs(args: &ViewArgs) -> Result<(), Failure> {
    let given = [("--set", !args.overrides.is_empty()), ("--from", args.from.is_some())];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::new(format!(
            "{name} is for scenes that are simulated; a folder is a run that is played"
        ))),
        None => Ok(()),
    }
}

fn open(folder: &Path, memory: u64) -> Result<Run, Failure> {
    if holder(folder).map_err(Failure::new)? != Holder::Taffeta {
        let folder = folder.display();
        return Err(Failure::new(format!(
            "{folder} is a folder, but not of a run; name a folder that `taffeta run` made, or a \
             scene"
        )));
    }
    Run::open(folder, memory).map_err(Failure::new)
}

fn simulate(args: &ViewArgs, named: &str, memory: u64) -> Result<Engine, Failure> {
    let scene = scenes::read(named, &args.overrides)?;
    let from = args.from.as_deref().map(|path| checkpoint(&scene, path, memory)).transpose()?;
    // Mistakes are shown with their places, as `run` shows them.
    let resolved = Scene::resolve(&scene, memory)?;
    resolved.warnings.iter().for_each(|warning| warn(format_args!("warning: {warning}")));
    let library = Library { scene, from, folder: PathBuf::from(SAVED), memory };
    Engine::start(library, threads(args.threads)?).map_err(Failure::new)
}

/// A state that was saved with a scene.
pub fn checkpoint(scene: &SceneFile, path: &Path, memory: u64) -> Result<Checkpoint, Failure> {
    let refuse = |why: &dyn std::fmt::Display| Failure::new(format!("{}: {why}", path.display()));
    let bytes = fs::read(path).map_err(|error| refuse(&error))?;
    let identity = Scene::resolve(scene, memory)?.identity;
    let frame = CachedFrame::unsealed(&identity, &bytes).map_err(|error| refuse(&error))?;
    Ok(Checkpoint { frame: frame.number, snapshot: frame.snapshot })
}

fn write_page(run: &Run, path: &Path) -> Result<ExitCode, Failure> {
    let packed = run.pack().map_err(Failure::new)?;
    let page = single_file(&packed);
    fs::write(path, &page)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    say(format_args!(
        "{}: {} frames, {:.1} MB; it opens in any browser, also from disk",
        path.display(),
        run.frames().len(),
        page.len() as f64 / 1e6
    ));
    Ok(ExitCode::SUCCESS)
}

fn serve(args: &ViewArgs, content: Content) -> Result<ExitCode, Failure> {
    let stop = interrupt::listen("nothing was being written".into())?;
    let server = Server::start(content, args.port).map_err(Failure::new)?;
    say(server.address());
    if !args.no_open && open::that_detached(server.address()).is_err() {
        warn("no browser could be opened; open the address above in one");
    }
    say("Ctrl-C ends it.");
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(ExitCode::SUCCESS)
}
