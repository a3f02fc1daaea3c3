//! Where the runs of a sweep go: a number of places, each with a run at a time, on this machine, on
//! machines of a list, or on the nodes of a Ray cluster.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use futures_util::future::BoxFuture;
use netloom_lead::Secrets;
use netloom_lead::dialled::Tasks;
use netloom_lead::files::Packed;
use netloom_lead::start_command;
use netloom_sweep::Mode;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::sync::oneshot;

use super::stream::{Asked, unpack};
use super::{MODE, Request};
use crate::commands::sweep::child::{self, Order, Place, name_of};
use crate::commands::sweep::room::Room;
use crate::commands::sweep::setup::Setup;
use crate::exit;

/// A run that begins.
pub struct Begins<'b> {
    pub point: usize,
    pub seed: u64,
    /// Where its results go.
    pub part: PathBuf,
    pub room: &'b Room,
}

/// How a run has ended.
pub struct Ended {
    /// The machine that carried it.
    pub machine: String,
    pub seconds: f64,
    pub how: How,
}

/// How a run has ended.
pub enum How {
    /// Its results are there.
    Done,
    /// It has failed, for this reason.
    Failed(String),
    /// Its machine is lost.
    Lost(String),
}

/// The places for runs.
pub struct Places {
    all: Vec<Slot>,
    kind: Kind,
}

/// A place for a run at a time.
struct Slot {
    /// The machine, and the command that leads there.
    machine: String,
    command: Option<String>,
    is_lost: bool,
    /// How its run is ended, if it has one.
    run: Option<End>,
}

/// How a run is ended.
enum End {
    Process(Pid),
    Stream(oneshot::Sender<()>),
    /// All of Ray's end together.
    Task,
}

enum Kind {
    /// On this machine.
    Here,
    /// On machines that commands lead to.
    There { word: String, folder: Arc<Packed> },
    /// As tasks of a Ray cluster.
    Ray { tasks: Arc<Tasks>, folder: Arc<Packed> },
}

impl Places {
    /// Returns the places of a sweep: those of `room` on this machine, or the machines.
    ///
    /// # Errors
    /// If a Ray cluster cannot be reached, or the scenario's folder cannot be packed.
    pub async fn new(room: &Room, setup: &Setup) -> Result<Self> {
        let Some(machines) = &setup.machines else {
            let host = netloom_results::machine::describe().host;
            return Ok(Self::here((0..room.jobs).map(|_| host.clone())));
        };
        if machines.local.is_some() {
            let names = machines.names().into_iter().map(Into::into);
            return Ok(Self::here(names.take(room.jobs)));
        }
        let first = setup.loaded.first().context("the sweep has no point")?;
        let own = setup.directory.strip_prefix(&first.directory).ok();
        let folder = Arc::new(Packed::folder_without(&first.directory, own)?);
        let word = Secrets::random()?.in_words();
        if machines.ray.is_some() {
            let is_alone = setup.sweep.mode == Mode::Emulate;
            let tasks = Tasks::open(machines, is_alone, (&word, MODE), folder.bytes());
            let tasks = tasks.await.map_err(|error| exit::usage(format!("{error:#}")))?;
            let places = (0..tasks.places()).map(|_| (String::new(), None));
            let tasks = Arc::new(tasks);
            return Ok(Self::of(places, Kind::Ray { tasks, folder }));
        }
        let places = machines
            .list
            .iter()
            .map(|machine| Ok((machine.name.clone(), start_command(machines, machine)?)));
        let places: Result<Vec<_>> = places.collect();
        Ok(Self::of(places?, Kind::There { word, folder }))
    }

    fn here(names: impl Iterator<Item = String>) -> Self {
        Self::of(names.map(|name| (name, None)), Kind::Here)
    }

    fn of(places: impl IntoIterator<Item = (String, Option<String>)>, kind: Kind) -> Self {
        let all = places.into_iter().map(|(machine, command)| Slot {
            machine,
            command,
            is_lost: false,
            run: None,
        });
        Self { all: all.collect(), kind }
    }

    /// Returns their number.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of runs at a time of which each is alone on its machine.
    pub fn alone(&self) -> usize {
        match self.kind {
            Kind::Here => 1,
            Kind::There { .. } | Kind::Ray { .. } => self.all.len(),
        }
    }

    /// Returns the number of runs beside one, on its machine, while there are `running` others.
    pub fn beside(&self, running: usize) -> usize {
        if matches!(self.kind, Kind::Here) { running } else { 0 }
    }

    /// Returns a place without a run, if there is one.
    pub fn free(&self) -> Option<usize> {
        self.all.iter().position(|slot| !slot.is_lost && slot.run.is_none())
    }

    /// Whether no place is left.
    pub fn are_lost(&self) -> bool {
        self.all.iter().all(|slot| slot.is_lost)
    }

    /// Takes note that the run in a place has ended. A machine that is lost gets no other one.
    pub fn ended(&mut self, place: usize, ended: &Ended) {
        self.all[place].run = None;
        if matches!(ended.how, How::Lost(_)) {
            match self.kind {
                Kind::Ray { .. } => self.all.iter_mut().for_each(|slot| slot.is_lost = true),
                Kind::Here | Kind::There { .. } => self.all[place].is_lost = true,
            }
        }
    }

    /// Asks all runs to end.
    pub fn end(&mut self) {
        for slot in &mut self.all {
            match slot.run.take() {
                Some(End::Process(pid)) => _ = kill(pid, Signal::SIGTERM),
                Some(End::Stream(end)) => _ = end.send(()),
                Some(End::Task) | None => {}
            }
        }
        if let Kind::Ray { tasks, .. } = &self.kind {
            tasks.end();
        }
    }

    /// Begins a run. What is returned is its end.
    pub async fn begin(
        &mut self,
        place: usize,
        setup: &Setup,
        run: Begins<'_>,
    ) -> Result<BoxFuture<'static, Ended>> {
        let loaded = &setup.loaded[run.point];
        let slot = &mut self.all[place];
        let machine = slot.machine.clone();
        let part = run.part;
        let order = Order::of(
            loaded,
            run.seed,
            Place {
                results: &part,
                simulate: setup.sweep.mode == Mode::Simulate,
                cpus: run.room.cpus(place),
                name: name_of(&loaded.scenario.name, place),
            },
        );
        match &self.kind {
            Kind::Here => {
                let began = Instant::now();
                let child = child::start(&order).await?;
                let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).map(Pid::from_raw);
                slot.run = pid.map(End::Process);
                Ok(Box::pin(async move {
                    let how = match child.wait_with_output().await {
                        Ok(output) if output.status.success() => How::Done,
                        Ok(output) => {
                            let words = String::from_utf8_lossy(&output.stderr);
                            How::Failed(format!("{} ({})", words.trim(), output.status))
                        }
                        Err(error) => How::Failed(error.to_string()),
                    };
                    Ended { machine, seconds: began.elapsed().as_secs_f64(), how }
                }))
            }
            Kind::There { word, folder } => {
                let (sender, end) = oneshot::channel();
                slot.run = Some(End::Stream(sender));
                let asked = Asked {
                    command: slot.command.clone().unwrap_or_default(),
                    word: word.clone(),
                    request: Request::of(order, folder, true),
                    folder: Arc::clone(folder),
                    results: part,
                };
                Ok(Box::pin(async move { Ended::of(machine, asked.carried(end).await) }))
            }
            Kind::Ray { tasks, folder } => {
                slot.run = Some(End::Task);
                let request = serde_json::to_string(&Request::of(order, folder, false))?;
                let tasks = Arc::clone(tasks);
                Ok(Box::pin(async move { of_task(&tasks, request, part).await }))
            }
        }
    }
}

impl Ended {
    fn of(machine: String, ended: Result<super::Ended>) -> Self {
        let (seconds, how) = match ended {
            Ok(super::Ended { failed: None, seconds }) => (seconds, How::Done),
            Ok(super::Ended { failed: Some(why), seconds }) => (seconds, How::Failed(why)),
            Err(why) => (0.0, How::Lost(netloom_api::in_words(why.as_ref()))),
        };
        Self { machine, seconds, how }
    }
}

/// Waits for a task of Ray, and takes its results.
async fn of_task(tasks: &Tasks, request: String, part: PathBuf) -> Ended {
    let mut archive = part.clone().into_os_string();
    archive.push(".tar.gz");
    let archive = PathBuf::from(archive);
    let ended = tasks.carried(request, &archive).await;
    let taken = ended.and_then(|(node, said)| {
        let said = serde_json::from_str(&said).context("cannot understand the task")?;
        let super::Said::Ended(ended) = said else { anyhow::bail!("a task says: {said:?}") };
        unpack(std::fs::File::open(&archive)?, &part)?;
        Ok((node, ended))
    });
    let _ = std::fs::remove_file(&archive);
    match taken {
        Ok((node, ended)) => Ended::of(node, Ok(ended)),
        Err(why) => {
            let why = netloom_api::in_words(why.as_ref());
            // Of a node that was lost, Ray has done the task again elsewhere.
            let how = if tasks.are_gone() { How::Lost(why) } else { How::Failed(why) };
            Ended { machine: "ray".into(), seconds: 0.0, how }
        }
    }
}
