//! A run of a sweep, in a process of its own: it may die without the others.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use netloom_scenario::Scenario;
use netloom_simulate::{Commands, Job};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use crate::commands::run::emulated;
use crate::find::Loaded;
use crate::{exit, profile_file};

/// Name by which the binary runs this part.
pub const ROLE: &str = "__sweep_run";

/// What is run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    scenario: Scenario,
    source: String,
    file: PathBuf,
    directory: PathBuf,
    results: PathBuf,
    simulate: bool,
    /// The CPUs on which it may run; all if none is named.
    cpus: Vec<usize>,
    /// The process whose end is that of the run.
    parent: i32,
}

/// Where and how a run is carried.
pub struct Place<'p> {
    /// Directory for its results.
    pub results: &'p Path,
    /// Whether it is simulated.
    pub simulate: bool,
    /// The CPUs on which it may run; all if none is named.
    pub cpus: Vec<usize>,
    /// The experiment's name, which no other run has at the same time.
    pub name: String,
}

/// Returns the name of the experiment in one of the runs at a time: no two have the same.
pub fn name_of(name: &str, slot: usize) -> String {
    if slot == 0 {
        return name.into();
    }
    let end = format!("-{slot}");
    let kept: String = name.chars().take(63 - end.len()).collect();
    kept + &end
}

impl Order {
    /// Orders the run of a scenario with a seed.
    pub fn of(loaded: &Loaded, seed: u64, place: Place<'_>) -> Self {
        let mut scenario = loaded.scenario.clone();
        scenario.seed = seed;
        scenario.name = place.name;
        Self {
            scenario,
            source: loaded.source.clone(),
            file: loaded.file.clone(),
            directory: loaded.directory.clone(),
            results: place.results.to_owned(),
            simulate: place.simulate,
            cpus: place.cpus,
            parent: std::process::id() as i32,
        }
    }

    /// Has the run of another machine here: in this folder of the scenario, with its results there.
    pub fn moved(self, directory: PathBuf, results: PathBuf) -> Self {
        let file = directory.join(self.file.file_name().unwrap_or_default());
        let parent = std::process::id() as i32;
        Self { file, directory, results, cpus: Vec::new(), parent, ..self }
    }
}

/// Returns the command of a run, which reads its order.
pub fn command() -> std::process::Command {
    // The same program, even if another has taken its place since.
    let mut command = std::process::Command::new("/proc/self/exe");
    command.arg(ROLE).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Starts a run.
pub async fn start(order: &Order) -> Result<Child> {
    let mut command = Command::from(command());
    let mut child = command.kill_on_drop(true).spawn().context("cannot start a run")?;
    let mut input = child.stdin.take().context("the run takes no orders")?;
    input.write_all(&serde_json::to_vec(order)?).await.context("the run takes no orders")?;
    Ok(child)
}

/// Carries out the run that standard input orders. Returns its exit code.
pub fn main() -> i32 {
    match carried_out() {
        Ok(()) => exit::SUCCESS,
        Err(error) => {
            let words = netloom_api::in_words(error.as_ref());
            let _ = writeln!(std::io::stderr(), "{words}");
            exit::FAILURE
        }
    }
}

fn carried_out() -> Result<()> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).context("cannot read the order of a run")?;
    let order: Order = serde_json::from_slice(&text).context("cannot understand the order")?;
    // Nobody would take the results of a run that outlives its sweep.
    set_pdeathsig(Signal::SIGKILL).context("cannot follow the sweep's end")?;
    if getppid() != Pid::from_raw(order.parent) {
        bail!("the sweep has ended");
    }
    if !order.cpus.is_empty() {
        let mut cpus = CpuSet::new();
        order.cpus.iter().try_for_each(|cpu| cpus.set(*cpu)).context("cannot choose CPUs")?;
        sched_setaffinity(Pid::from_raw(0), &cpus).context("cannot take CPUs of its own")?;
    }
    if order.simulate {
        let job = Job {
            scenario: order.scenario,
            source: order.source,
            file: order.file,
            results: order.results,
            commands: Commands::Refused,
            processes: None,
            threads: None,
            cells: None,
        };
        netloom_simulate::run(&job, None, &AtomicBool::new(false), &mut |_| {})?;
        return Ok(());
    }
    let calibration = profile_file::calibration();
    let start = emulated::Start { workers: None, calibration, fail_fast: false };
    let Order { scenario, source, file, directory, results, .. } = order;
    let loaded = Loaded::of(file, directory, source, scenario);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(emulated::once(&start, &loaded, &results))?;
    runtime.shutdown_background();
    Ok(())
}
