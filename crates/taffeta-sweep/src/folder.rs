//! The folder of a sweep.
//!
//! ```text
//! sweep.json           says that the folder is a sweep's, and which
//! plan.toml            the plan as it was read
//! tasks/000012/        the run of a task, like any other run
//! tasks/000012.json    its record, once it is done or has failed
//! manifest.jsonl       a line for each task, made of the records
//! table.csv            one line for each task: settings, measures, fingerprint
//! table.parquet        the same
//! plots/               measures against keys
//! ```
//!
//! The records are the truth: each appears whole under its name, whoever writes it, so that tasks
//! may be done by any process on any machine that sees the folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::error::SweepError;
use crate::plan::Plan;
use crate::plots;
use crate::record::{Outcome, Record};
use crate::table::Table;

const MARKER: &str = "sweep.json";

/// The folder of a sweep.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// What a sweep leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// The table and the plots.
    pub files: Vec<PathBuf>,
    /// The records of tasks that failed.
    pub failed: Vec<Record>,
    /// How many are done.
    pub done: usize,
    /// How many are still to be done.
    pub pending: usize,
}

impl Folder {
    /// Takes a folder for a plan: a new one, an empty one, or one that is this plan's.
    pub fn open(path: &Path, plan: &Plan) -> Result<Self, SweepError> {
        let folder = Self { path: path.into() };
        let marker = path.join(MARKER);
        if marker.is_file() {
            let text =
                fs::read_to_string(&marker).map_err(|e| SweepError::io("read", &marker, e))?;
            let found: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            if found.get("identity").and_then(|value| value.as_str()) != Some(&plan.identity()) {
                return Err(SweepError::OtherPlan { folder: path.into() });
            }
            return Ok(folder);
        }
        let tasks = path.join("tasks");
        let empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if !empty {
            return Err(SweepError::Foreign { folder: path.into() });
        }
        fs::create_dir_all(&tasks).map_err(|e| SweepError::io("make", &tasks, e))?;
        write(&path.join("plan.toml"), plan.text.as_bytes())?;
        let says = json!({
            "identity": plan.identity(),
            "tasks": plan.tasks.len(),
            "taffeta": env!("CARGO_PKG_VERSION"),
        });
        write(&marker, format!("{says:#}\n").as_bytes())?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a task's run.
    pub fn run(&self, task: u32) -> PathBuf {
        self.path.join(format!("tasks/{task:06}"))
    }

    fn record_file(&self, task: u32) -> PathBuf {
        self.path.join(format!("tasks/{task:06}.json"))
    }

    /// Keeps a record; tasks that were stopped have none.
    pub fn keep(&self, record: &Record) -> Result<(), SweepError> {
        if record.state == Outcome::Stopped {
            return Ok(());
        }
        let task = record.task.number;
        let text = serde_json::to_string_pretty(record)
            .map_err(|error| SweepError::Record { task, why: error.to_string() })?;
        write(&self.record_file(task), text.as_bytes())
    }

    /// The records there are, of tasks as the plan has them; one that cannot be read is none.
    pub fn records(&self, plan: &Plan) -> BTreeMap<u32, Record> {
        let read = |task: &crate::task::Task| {
            let text = fs::read_to_string(self.record_file(task.number)).ok()?;
            let record: Record = serde_json::from_str(&text).ok()?;
            (record.task == *task).then_some((task.number, record))
        };
        plan.tasks.iter().filter_map(read).collect()
    }

    /// The tasks that are not done yet; those that failed are tried again.
    pub fn pending(&self, plan: &Plan) -> Vec<u32> {
        let records = self.records(plan);
        let done = |task: u32| records.get(&task).is_some_and(|r| r.state == Outcome::Done);
        plan.tasks.iter().map(|task| task.number).filter(|task| !done(*task)).collect()
    }

    /// Writes the manifest: every task with its parameters, fingerprint, state, seconds and machine.
    pub fn write_manifest(
        &self,
        plan: &Plan,
        records: &BTreeMap<u32, Record>,
    ) -> Result<(), SweepError> {
        let mut text = String::new();
        for task in &plan.tasks {
            let line = match records.get(&task.number) {
                Some(record) => serde_json::to_string(record),
                None => serde_json::to_string(&json!({
                    "number": task.number, "settings": task.settings, "state": "pending",
                })),
            };
            let refuse =
                |e: serde_json::Error| SweepError::Record { task: task.number, why: e.to_string() };
            text.push_str(&line.map_err(refuse)?);
            text.push('\n');
        }
        write(&self.path.join("manifest.jsonl"), text.as_bytes())
    }

    /// Makes the manifest, the table and the plots of what is done.
    pub fn finish(&self, plan: &Plan) -> Result<Made, SweepError> {
        let records = self.records(plan);
        self.write_manifest(plan, &records)?;
        let table = Table::of(plan, &records);
        let (csv, parquet) = (self.path.join("table.csv"), self.path.join("table.parquet"));
        write(&csv, table.csv().as_bytes())?;
        write(&parquet, &table.parquet())?;
        let mut files = vec![csv, parquet];
        files.extend(plots::make(plan, &table, &self.path.join("plots"))?);
        let failed = records.values().filter(|record| record.state == Outcome::Failed);
        let failed: Vec<Record> = failed.cloned().collect();
        let done = records.len() - failed.len();
        Ok(Made { files, pending: plan.tasks.len() - records.len(), failed, done })
    }
}

/// Writes a file that appears under its name whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), SweepError> {
    // Several processes may write the same file, with the same content.
    let partial = path.with_extension(format!("part{}", std::process::id()));
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| SweepError::io("write", path, error))
}
