//! `taffeta sweep`

mod elsewhere;
mod progress;
mod workers;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use sysinfo::System;
use taffeta_sweep::{Folder, Made, Outcome, Plan, Record, Surroundings, TryError, work};

use crate::args::SweepArgs;
use crate::command_line::{program, quoted_path};
use crate::console::{say, warn};
use crate::export::tell_files;
use crate::failure::Failure;
use crate::host::{Errand, Host};
use crate::interrupt::{self, INTERRUPTED};
use crate::resources;

use progress::Progress;

/// How often the manifest is brought up to date while tasks are done.
const MANIFEST: Duration = Duration::from_secs(2);
/// Tasks that failed shown to people; the manifest has all of them.
const SHOWN: usize = 10;

pub fn sweep(args: &SweepArgs, host: &Host) -> Result<ExitCode, Failure> {
    let plan = Plan::read(&args.plan)?;
    let out = out_of(args, &plan);
    if args.template {
        say(elsewhere::template(&args.plan, &out, &plan));
        return Ok(ExitCode::SUCCESS);
    }
    let folder = Folder::open(&out, &plan).map_err(Failure::new)?;
    if args.worker {
        return workers::serve(&plan, &folder, args.jobs, host);
    }
    if let Some(task) = args.task {
        return one(args, &plan, &folder, (task, host));
    }
    if args.list {
        folder.pending(&plan).iter().for_each(|task| say(elsewhere::line(&args.plan, &out, *task)));
        return Ok(ExitCode::SUCCESS);
    }
    let kept = format!(
        "what is done is kept; go on with:\n    {} sweep {} --out {}",
        program(),
        quoted_path(&args.plan),
        quoted_path(&out)
    );
    let stop = interrupt::listen(kept)?;
    let begun = Instant::now();
    let made = make(args, (&plan, &folder), host, &stop)?;
    tell(&folder, &made, begun.elapsed().as_secs_f64());
    Ok(match (made.pending, made.failed.len()) {
        (0, 0) => ExitCode::SUCCESS,
        (1.., _) if stop.load(Ordering::Relaxed) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::FAILURE,
    })
}

/// A sweep for other programs, who read what there is to say from its folder.
pub fn call(args: &SweepArgs, host: &Host, stop: &AtomicBool) -> Result<(PathBuf, Made), Failure> {
    let plan = Plan::read(&args.plan)?;
    let out = out_of(args, &plan);
    let folder = Folder::open(&out, &plan).map_err(Failure::new)?;
    let made = make(args, (&plan, &folder), host, stop)?;
    Ok((out, made))
}

fn out_of(args: &SweepArgs, plan: &Plan) -> PathBuf {
    args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&plan.name))
}

/// Does what is not done yet, until somebody asks to stop, and makes the table.
fn make(
    args: &SweepArgs,
    (plan, folder): (&Plan, &Folder),
    host: &Host,
    stop: &AtomicBool,
) -> Result<Made, Failure> {
    let pending = folder.pending(plan);
    if !pending.is_empty() {
        check(plan, host)?;
    }
    let mut records = folder.records(plan);
    records.retain(|_, record| record.state == Outcome::Done);
    let mut progress = Progress::new(plan.tasks.len(), records.len(), args.quiet);
    let mut book = Book { plan, folder, records: &mut records, written: Instant::now() };
    let mut take = |record: Record| -> Result<bool, Failure> {
        book.enter(&record)?;
        progress.show(&record);
        Ok(!stop.load(Ordering::Relaxed))
    };
    match (&args.on, pending.is_empty()) {
        (_, true) => {}
        (None, _) => workers::distribute(args, host, &pending, stop, &mut take)?,
        (Some(address), _) => {
            let (plan, folder) = (args.plan.as_path(), folder.path());
            let errand = Errand { address, plan, folder, tasks: &pending, stop };
            on_cluster(&errand, host, &mut take)?;
        }
    }
    progress.finish();
    folder.finish(plan).map_err(Failure::new)
}

/// What cannot work is told before anything is computed.
fn check(plan: &Plan, host: &Host) -> Result<(), Failure> {
    plan.try_first(resources::memory(None)?).map_err(|error| match error {
        TryError::Scene(problems) => problems.into(),
        other => Failure::new(other),
    })?;
    match (plan.measures.python.first(), host.functions()) {
        (Some(function), None) => Err(Failure::new(format!(
            "`{function}` is a function of Python: use the `taffeta` command that comes with \
             `pip install taffeta`"
        ))),
        _ => Ok(()),
    }
}

fn on_cluster(
    errand: &Errand,
    host: &Host,
    take: &mut (dyn FnMut(Record) -> Result<bool, Failure> + Send),
) -> Result<(), Failure> {
    let Some(python) = host.python else {
        return Err(Failure::new(
            "--on needs Python: use the `taffeta` command that comes with `pip install \
             \"taffeta[ray]\"`",
        ));
    };
    let mut failure = None;
    let mut keep = |record| {
        take(record).unwrap_or_else(|found| {
            failure = Some(found);
            false
        })
    };
    let done = python.on_cluster(errand, &mut keep).map_err(Failure::new);
    failure.map_or(done, Err)
}

/// Keeps the records that come, and the manifest up to date.
struct Book<'a> {
    plan: &'a Plan,
    folder: &'a Folder,
    records: &'a mut BTreeMap<u32, Record>,
    written: Instant,
}

impl Book<'_> {
    fn enter(&mut self, record: &Record) -> Result<(), Failure> {
        self.folder.keep(record).map_err(Failure::new)?;
        self.records.insert(record.task.number, record.clone());
        if self.written.elapsed() > MANIFEST {
            self.folder.write_manifest(self.plan, self.records).map_err(Failure::new)?;
            self.written = Instant::now();
        }
        Ok(())
    }
}

/// One task in this process.
fn one(
    args: &SweepArgs,
    plan: &Plan,
    folder: &Folder,
    (number, host): (u32, &Host),
) -> Result<ExitCode, Failure> {
    let task = plan.tasks.get(number as usize).ok_or_else(|| {
        let tasks = plan.tasks.len();
        Failure::new(taffeta_sweep::SweepError::NoSuchTask { task: number, tasks })
    })?;
    let again = elsewhere::line(&args.plan, folder.path(), number);
    let stop = interrupt::listen(format!("the task goes on with:\n    {again}"))?;
    let (run, machine) = (folder.run(number), machine());
    let around = Surroundings {
        run: &run,
        memory: resources::memory(None)?,
        machine: &machine,
        stop: &stop,
        functions: host.functions(),
    };
    let record = resources::threads(Some(plan.threads))?.install(|| work(plan, task, &around));
    folder.keep(&record).map_err(Failure::new)?;
    match &record.state {
        Outcome::Done => say(json!(record)),
        Outcome::Stopped => return Ok(ExitCode::from(INTERRUPTED)),
        Outcome::Failed => {
            let why = record.message.as_deref().unwrap_or_default();
            return Err(Failure::new(format!("task {number}: {why}")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What this machine is called.
pub fn machine() -> String {
    System::host_name().unwrap_or_else(|_| "unknown".into())
}

fn tell(folder: &Folder, made: &Made, seconds: f64) {
    let Made { files, failed, done, pending } = made;
    let mut words = format!("{done} tasks are done");
    if !failed.is_empty() {
        words += &format!(", {} failed", failed.len());
    }
    if *pending > 0 {
        words += &format!(", {pending} are still to be done");
    }
    say(format_args!("{words}, after {seconds:.1} s"));
    for record in failed.iter().take(SHOWN) {
        let why = record.message.as_deref().unwrap_or_default();
        warn(format_args!("task {} failed: {why}", record.task.number));
    }
    if failed.len() > SHOWN {
        let manifest = folder.path().join("manifest.jsonl");
        warn(format_args!("and {} more; {} lists them", failed.len() - SHOWN, manifest.display()));
    }
    tell_files(files);
}
