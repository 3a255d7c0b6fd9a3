//! A plan: a scene, the values its keys take, what is measured.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use taffeta::{Simulation, Tally};
use taffeta_scene::format::{Key, Kind, Reader, Section};
use taffeta_scene::run::FrameReport;
use taffeta_scene::text::{Node, Problem, Problems, Sources, Span};
use taffeta_scene::{Builtin, Scene, SceneError, SceneFile, SceneText};
use xxhash_rust::xxh3::xxh3_128;

use crate::measure::{MEASURE, Measures, number};
use crate::task::{Ingredients, Setting, Task};
use crate::vary::{self, VARY};

const PLAN: Section = Section {
    heading: "",
    doc: "A plan is a TOML file.",
    keys: &[
        Key::new("scene", Kind::Text, "The scene: a file beside the plan, or a built-in one.")
            .required(),
        Key::new(
            "table",
            Kind::Text,
            "A CSV file beside the plan: keys in its first line, and in \
             each other line values that go together.",
        ),
        Key::new("samples", Kind::Count(1, 1_000_000), "How often what is random is drawn.")
            .or("1"),
        Key::new("seed", Kind::Count(0, u32::MAX), "Seed of what is random.").or("0"),
        Key::new("threads", Kind::Count(1, 1024), "Threads of each task.").or("1"),
        Key::new("vary", Kind::Table, ""),
        Key::new("measure", Kind::Table, ""),
    ],
};

/// Every section of a plan, for the documentation.
pub const SECTIONS: &[&Section] = &[&PLAN, &VARY, &MEASURE];

/// What a sweep does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name: that of its file.
    pub name: String,
    /// The text it was read from.
    pub text: String,
    /// What is measured of each task.
    pub measures: Measures,
    /// Threads of each task.
    pub threads: u32,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The folder of the plan, which files it names start from.
    pub base: PathBuf,
    scene: Arc<SceneSource>,
    /// The files of the scene and the table.
    named: Vec<PathBuf>,
}

/// The scene's text, read once for all tasks.
#[derive(Debug)]
struct SceneSource {
    origin: String,
    name: String,
    base: PathBuf,
    text: String,
    /// Its file, unless it is built in.
    file: Option<PathBuf>,
}

impl Plan {
    /// Reads a plan and the scene and table it names.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let origin = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            let nowhere = Sources(vec![(origin.clone(), String::new())]);
            let message = format!("cannot read the plan {origin}: {error}");
            SceneError::new(&nowhere, vec![Problem::at(Span { source: 0, range: 0..0 }, message)])
        })?;
        let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let sources = Sources(vec![(origin, text.clone())]);
        let problems = Problems::default();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let root = Node::parse(&text, 0, &problems);
        let read = match problems.is_empty() {
            true => Self::of_tree(&root, (name, text, base), &problems),
            false => None,
        };
        match read {
            Some(plan) if problems.is_empty() => Ok(plan),
            _ => Err(SceneError::new(&sources, problems.into_vec())),
        }
    }

    fn of_tree(
        root: &Node,
        (name, text, base): (String, String, PathBuf),
        problems: &Problems,
    ) -> Option<Self> {
        let top = Reader::new(root, &PLAN, problems);
        let scene = scene_source(&top, &base);
        let items = match root.entry("vary").map(|entry| &entry.node.value) {
            Some(taffeta_scene::text::Value::List(items)) => &items[..],
            _ => &[],
        };
        let tables = top.tables("vary", &VARY);
        let vary: Vec<_> =
            tables.iter().zip(items).map(|(table, node)| vary::read(table, node)).collect();
        let rows = rows(&top, &base);
        let measures = Measures::read(&top.table("measure", &MEASURE));
        let (samples, seed) = (top.count("samples").max(1), top.count("seed"));
        let threads = top.count("threads").max(1);
        if !problems.is_empty() {
            return None;
        }
        let all = Ingredients { rows: &rows, vary: &vary, samples, seed };
        if all.count().is_none() {
            let message = "the plan has more tasks than can be numbered, or none";
            problems.add(Problem::at(top.span(), message));
        }
        let tasks = all.tasks();
        let (scene, table) = (scene?, top.has("table").then(|| base.join(top.text("table"))));
        let named = scene.file.clone().into_iter().chain(table).collect();
        Some(Self { name, text, measures, threads, tasks, base, scene: Arc::new(scene), named })
    }

    /// The scene of a task.
    pub fn scene_of(&self, task: &Task) -> Result<SceneFile, SceneError> {
        let SceneSource { origin, name, base, text, .. } = &*self.scene;
        SceneFile::read(SceneText { origin, name, base, text }, &task.overrides())
    }

    /// Tries the first task's start, so that keys that do not exist and fields that nobody reports
    /// are told before anything is computed.
    pub fn try_first(&self, memory: u64) -> Result<(), TryError> {
        let Some(task) = self.tasks.first() else { return Ok(()) };
        let scene = Scene::resolve(&self.scene_of(task)?, memory)?;
        let simulation =
            Simulation::new(scene.setup).map_err(|error| TryError::Measure(error.to_string()))?;
        let report = FrameReport::measure(&simulation, 0, Some(&Tally::default()));
        let line = serde_json::to_value(&report).map_err(|e| TryError::Measure(e.to_string()))?;
        for field in self.measures.fields() {
            number(&line, field).map_err(TryError::Measure)?;
        }
        Ok(())
    }

    /// The files of functions of Python; those of modules are not known.
    fn function_files(&self) -> Vec<PathBuf> {
        let file = |function: &String| {
            let (file, _) = function.rsplit_once(':')?;
            file.ends_with(".py").then(|| self.base.join(file))
        };
        self.measures.python.iter().filter_map(file).collect()
    }

    /// The files that the tasks need besides the plan: those that it names, and those that its
    /// scene names with the values of any task that makes a scene.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            self.named.iter().cloned().chain(self.function_files()).collect();
        // Only values of such keys make tasks differ in the files they need.
        let names_file = |set: &Setting| set.key.ends_with("file") || set.value.is_table();
        let differs = |task: &&Task| task.settings.iter().any(names_file);
        let others = self.tasks.iter().skip(1).filter(differs);
        let scenes = self.tasks.first().into_iter().chain(others);
        files.extend(scenes.flat_map(|task| self.scene_of(task).map_or(vec![], |s| s.files())));
        files.sort();
        files.dedup();
        files
    }

    /// A fingerprint of all that bears on the results.
    pub fn identity(&self) -> String {
        let mut bytes = self.scene.text.clone().into_bytes();
        bytes.extend(format!("{:?}", self.measures).bytes());
        // Whoever changes a function measures something else, and another mesh is another scene.
        for file in self.files() {
            let content = fs::read(file).unwrap_or_default();
            bytes.extend(xxh3_128(&content).to_le_bytes());
        }
        for task in &self.tasks {
            bytes.extend(task.overrides().iter().flat_map(|set| set.0.bytes().chain([b'\n'])));
            bytes.push(b'\n');
        }
        format!("{:032x}", xxh3_128(&bytes))
    }
}

/// Why a plan cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum TryError {
    /// The scene cannot be simulated with the first values.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// What is to be measured is not there.
    #[error("{0}")]
    Measure(String),
}

/// The text of the scene that a plan names; problems are noted.
fn scene_source(top: &Reader, base: &Path) -> Option<SceneSource> {
    let named = top.text("scene");
    if named.is_empty() {
        return None;
    }
    let path = base.join(&named);
    if let (Some(builtin), false) = (Builtin::named(&named), path.is_file()) {
        let (origin, text) = (format!("built-in scene {named}"), builtin.text.into());
        return Some(SceneSource { origin, name: named, base: base.into(), text, file: None });
    }
    match fs::read_to_string(&path) {
        Ok(text) => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let (origin, folder) = (path.display().to_string(), path.parent().unwrap_or(base));
            let (base, file) = (folder.into(), Some(path.clone()));
            Some(SceneSource { origin, name, base, text, file })
        }
        Err(error) => {
            let message = format!("cannot read the scene {}: {error}", path.display());
            let help = "name a file, from the folder of the plan, or a built-in scene";
            top.add(Problem::at(top.span_of("scene"), message).help(help));
            None
        }
    }
}

/// The rows of the table that a plan names; problems are noted.
fn rows(top: &Reader, base: &Path) -> Vec<Vec<Setting>> {
    if !top.has("table") {
        return vec![Vec::new()];
    }
    let path = base.join(top.text("table"));
    match read_rows(&path) {
        Ok(rows) if !rows.is_empty() => rows,
        Ok(_) => {
            let message = format!("{} has no line of values", path.display());
            top.add(Problem::at(top.span_of("table"), message));
            Vec::new()
        }
        Err(error) => {
            let message = format!("cannot read the table {}: {error}", path.display());
            top.add(Problem::at(top.span_of("table"), message));
            Vec::new()
        }
    }
}

fn read_rows(path: &Path) -> io::Result<Vec<Vec<Setting>>> {
    let mut reader = csv::Reader::from_path(path)?;
    let keys = reader.headers()?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        let setting = |(key, word): (&str, &str)| Setting {
            key: key.trim().into(),
            value: value_of(word.trim()),
        };
        rows.push(keys.iter().zip(&record).map(setting).collect());
    }
    Ok(rows)
}

/// A word of a table as TOML, or as text if it is none.
fn value_of(word: &str) -> toml::Value {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {word}"));
    let parsed = parsed.ok().and_then(|mut table| table.remove("value"));
    parsed.unwrap_or_else(|| toml::Value::String(word.into()))
}
