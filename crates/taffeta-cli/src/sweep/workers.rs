//! Sweeps on one machine: processes that do one task after the other.
//!
//! A worker reads the number of a task from its standard input and answers with a record on its
//! standard output. When its input ends, because whoever started it is done, stops or is gone, it
//! stops too, in the middle of a step; what it had begun goes on another time.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use taffeta_sweep::{Folder, Outcome, Plan, Record, Surroundings, Task, work};

use super::machine;
use crate::args::SweepArgs;
use crate::console::say;
use crate::failure::Failure;
use crate::host::Host;
use crate::resources;

/// How often it is looked whether somebody asked to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How often a task is tried whose process ends before it answers.
const ATTEMPTS: u32 = 3;

/// A worker's own life.
pub fn serve(
    plan: &Plan,
    folder: &Folder,
    jobs: Option<u32>,
    host: &Host,
) -> Result<ExitCode, Failure> {
    // Ctrl-C reaches all processes of a terminal; workers stop when their input ends.
    ctrlc::set_handler(|| ())
        .map_err(|error| Failure::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, orders) = channel();
    let flag = Arc::clone(&stop);
    thread::spawn(move || listen(&sender, &flag));
    let memory = resources::memory(None)? / u64::from(jobs.unwrap_or(1).max(1));
    let (pool, machine) = (resources::threads(Some(plan.threads))?, machine());
    for number in orders {
        let Some(task) = plan.tasks.get(number as usize) else { continue };
        let (run, functions) = (folder.run(number), host.functions());
        let around = Surroundings { run: &run, memory, machine: &machine, stop: &stop, functions };
        let record = pool.install(|| work(plan, task, &around));
        folder.keep(&record).map_err(Failure::new)?;
        say(serde_json::to_string(&record).map_err(Failure::new)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Passes the numbers on that come in, and tells to stop when no more do.
fn listen(orders: &Sender<u32>, stop: &AtomicBool) {
    for line in io::stdin().lock().lines() {
        match line.map(|line| line.trim().parse()) {
            Ok(Ok(number)) if orders.send(number).is_ok() => {}
            _ => break,
        }
    }
    stop.store(true, Ordering::Relaxed);
}

/// Does tasks in as many processes as there are cores, or as asked for; records go to `take`, which
/// says whether to go on.
pub fn distribute(
    args: &SweepArgs,
    host: &Host,
    pending: &[u32],
    stop: &AtomicBool,
    take: &mut (dyn FnMut(Record) -> Result<bool, Failure> + Send),
) -> Result<(), Failure> {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let jobs = args.jobs.unwrap_or(cores).min(pending.len() as u32).max(1);
    let office = Office {
        words: Words::of(args, host, jobs),
        queue: Mutex::new(pending.iter().copied().collect()),
        attempts: Mutex::default(),
        plan: Plan::read(&args.plan)?,
    };
    // Dropping a worker's input stops it.
    let inputs: Vec<Mutex<Option<ChildStdin>>> = (0..jobs).map(|_| Mutex::default()).collect();
    thread::scope(|scope| {
        let (sender, records) = channel();
        for input in &inputs {
            let (office, sender) = (&office, sender.clone());
            scope.spawn(move || {
                if let Err(failure) = office.employ(input, stop, &sender) {
                    // Nobody listens any more when the sweep is stopped.
                    let _ = sender.send(Err(failure));
                }
            });
        }
        drop(sender);
        let taken = take_all(&records, stop, take, || office.close(&inputs));
        // Whatever happened, nobody is left behind.
        office.close(&inputs);
        taken
    })
}

/// Takes records until there are no more; when somebody asks to stop, or something fails, `close`
/// is called, and the rest is waited for.
fn take_all(
    records: &Receiver<Result<Record, Failure>>,
    stop: &AtomicBool,
    take: &mut (dyn FnMut(Record) -> Result<bool, Failure> + Send),
    close: impl Fn(),
) -> Result<(), Failure> {
    let mut failure = None;
    loop {
        let taken = match records.recv_timeout(LOOK) {
            Ok(record) => record.and_then(&mut *take),
            Err(RecvTimeoutError::Timeout) => Ok(true),
            Err(RecvTimeoutError::Disconnected) => return failure.map_or(Ok(()), Err),
        };
        let go_on = taken.unwrap_or_else(|found| {
            failure.get_or_insert(found);
            false
        });
        if !go_on || stop.load(Ordering::Relaxed) {
            close();
        }
    }
}

/// The words that start a worker.
struct Words(Vec<std::ffi::OsString>);

impl Words {
    fn of(args: &SweepArgs, host: &Host, jobs: u32) -> Self {
        let mut words = host.launch.clone();
        words.extend(["sweep".into(), args.plan.clone().into()]);
        if let Some(out) = &args.out {
            words.extend(["--out".into(), out.into()]);
        }
        words.extend(["--worker".into(), "--jobs".into(), jobs.to_string().into()]);
        Self(words)
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.0[0]);
        command.args(&self.0[1..]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    }
}

/// Where tasks are handed out.
struct Office {
    words: Words,
    queue: Mutex<VecDeque<u32>>,
    /// How often tasks were begun whose process ended.
    attempts: Mutex<BTreeMap<u32, u32>>,
    plan: Plan,
}

impl Office {
    /// Nobody gets another task, and workers stop.
    fn close(&self, inputs: &[Mutex<Option<ChildStdin>>]) {
        lock(&self.queue).clear();
        inputs.iter().for_each(|input| drop(lock(input).take()));
    }

    /// Keeps a worker busy until there are no more tasks; one that ends is replaced.
    fn employ(
        &self,
        input: &Mutex<Option<ChildStdin>>,
        stop: &AtomicBool,
        records: &Sender<Result<Record, Failure>>,
    ) -> Result<(), Failure> {
        while !lock(&self.queue).is_empty() {
            let failed = |e: io::Error| Failure::new(format!("cannot start a worker: {e}"));
            let mut child = self.words.start().map_err(failed)?;
            *lock(input) = child.stdin.take();
            let output = child.stdout.take();
            let mut answers = output.map(|output| BufReader::new(output).lines());
            let mut unanswered = None;
            loop {
                let Some(task) = lock(&self.queue).pop_front() else { break };
                unanswered = Some(task);
                let ask = |to: &mut ChildStdin| writeln!(to, "{task}").is_ok();
                if !lock(input).as_mut().is_some_and(ask) {
                    break;
                }
                let Some(Ok(answer)) = answers.as_mut().and_then(Iterator::next) else { break };
                let record = serde_json::from_str(&answer).map_err(Failure::new);
                unanswered = None;
                if records.send(record).is_err() {
                    break;
                }
            }
            drop(lock(input).take());
            let status = child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
            if let Some(task) = unanswered.filter(|_| !stop.load(Ordering::Relaxed)) {
                self.try_again(task, &status, records);
            }
        }
        Ok(())
    }

    /// A task whose process ended before it answered is put back, unless that happens every time.
    fn try_again(&self, task: u32, status: &str, records: &Sender<Result<Record, Failure>>) {
        let attempt = {
            let mut attempts = lock(&self.attempts);
            let count = attempts.entry(task).or_default();
            *count += 1;
            *count
        };
        if attempt < ATTEMPTS {
            return lock(&self.queue).push_back(task);
        }
        let message = format!("its process ended {ATTEMPTS} times before it was done ({status})");
        if let Some(task) = self.plan.tasks.get(task as usize) {
            // As above.
            let _ = records.send(Ok(failed(task, message)));
        }
    }
}

fn failed(task: &Task, message: String) -> Record {
    Record {
        task: task.clone(),
        state: Outcome::Failed,
        fingerprint: None,
        measures: BTreeMap::new(),
        message: Some(message),
        seconds: 0.0,
        overhead: 0.0,
        machine: machine(),
        again: None,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
