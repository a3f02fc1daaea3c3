//! Commands of the command line that the server runs on behalf of the page. Each is a process of
//! its own, so it goes on if the server ends, and does what the same words do in a terminal.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{self, KeepAlive, Sse};
use futures_util::future::OptionFuture;
use futures_util::stream::{self, Stream};
use netloom_api::progress::Progress;
use netloom_api::ui::job::{
    Action, Ending, Job, JobCommand, JobEnd, JobEvent, JobStream, JobText, Plan,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::answer::{Answer, Refused, apart};
use crate::folder::{Folder, below};

/// Most lines that are kept of a job. Later ones take the place of the oldest.
const MAX_EVENTS: usize = 20_000;

/// Most jobs that are remembered after their end.
const MAX_JOBS: usize = 100;

/// All jobs.
pub struct Jobs {
    all: Mutex<BTreeMap<u64, Arc<Running>>>,
    version: watch::Sender<u64>,
    /// Runs the processes. Its thread has the user's priority, which they inherit.
    runtime: Handle,
}

/// A job.
struct Running {
    job: Mutex<Job>,
    said: Mutex<Said>,
    /// Number of events so far.
    count: watch::Sender<usize>,
    pid: Mutex<Option<Pid>>,
    /// Whether it was asked to end.
    stopping: Mutex<bool>,
}

/// What a job has said.
#[derive(Default)]
struct Said {
    /// Number of events that are gone.
    gone: usize,
    events: VecDeque<JobEvent>,
}

impl Jobs {
    /// Makes a list without jobs. `runtime` runs their processes.
    pub fn new(runtime: Handle) -> Self {
        Self { all: Mutex::default(), version: watch::Sender::new(0), runtime }
    }

    /// Returns a number that changes with every job.
    pub fn version(&self) -> u64 {
        *self.version.borrow()
    }

    /// Waits for another version.
    pub async fn changed(&self, version: u64) {
        // The sender lives as long as the list.
        let _ = self.version.subscribe().wait_for(|now| *now != version).await;
    }

    /// Returns all jobs.
    pub fn all(&self) -> Vec<Job> {
        self.lock().values().map(|running| running.job().clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Running>>> {
        locked(&self.all)
    }

    fn find(&self, id: u64) -> Answer<Arc<Running>> {
        self.lock().get(&id).cloned().ok_or_else(|| Refused::not_found(format!("no job {id}")))
    }

    /// Starts a command.
    async fn start(self: &Arc<Self>, mut command: Command, job: Job) -> Answer<Job> {
        let list = self.clone();
        let started = self.runtime.spawn(async move {
            let child = command.spawn().context("cannot start netloom")?;
            let running = list.add(job, &child);
            let job = running.job().clone();
            tokio::spawn(async move {
                follow(&running, child).await;
                list.version.send_modify(|version| *version += 1);
            });
            anyhow::Ok(job)
        });
        let started = started.await.context("the server cannot start processes any more")?;
        Ok(started?)
    }

    fn add(&self, job: Job, child: &Child) -> Arc<Running> {
        let mut all = self.lock();
        let id = all.last_key_value().map_or(1, |(last, _)| last + 1);
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).map(Pid::from_raw);
        let running = Arc::new(Running {
            job: Mutex::new(Job { id, ..job }),
            said: Mutex::default(),
            count: watch::Sender::new(0),
            pid: Mutex::new(pid),
            stopping: Mutex::default(),
        });
        all.insert(id, running.clone());
        let ended = |running: &Arc<Running>| running.job().ended.is_some();
        let old = all.iter().find(|(_, running)| ended(running)).map(|(id, _)| *id);
        if let Some(old) = old.filter(|_| all.len() > MAX_JOBS) {
            all.remove(&old);
        }
        drop(all);
        self.version.send_modify(|version| *version += 1);
        running
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    fn job(&self) -> MutexGuard<'_, Job> {
        locked(&self.job)
    }

    fn say(&self, event: JobEvent) {
        let mut said = locked(&self.said);
        said.events.push_back(event);
        if said.events.len() > MAX_EVENTS {
            said.events.pop_front();
            said.gone += 1;
        }
        drop(said);
        self.count.send_modify(|count| *count += 1);
    }

    /// Returns the event of this number, or the oldest one that is left, with its number.
    fn event(&self, number: usize) -> Option<(usize, JobEvent)> {
        let said = locked(&self.said);
        let number = number.max(said.gone);
        Some((number, said.events.get(number - said.gone)?.clone()))
    }
}

/// Reads what a command says until it has ended. An engine that it leaves running has a log of its
/// own, and holds no output of it open.
async fn follow(running: &Running, mut child: Child) {
    let out = child.stdout.take().map(|out| read(running, out, JobStream::Stdout));
    let err = child.stderr.take().map(|err| read(running, err, JobStream::Stderr));
    let (out, err) = (OptionFuture::from(out), OptionFuture::from(err));
    let (status, ..) = tokio::join!(child.wait(), out, err);
    *locked(&running.pid) = None;
    let code = status.ok().map_or(-1, |status| {
        status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
    });
    running.job().ended = Some(JobEnd { code });
    running.say(JobEvent::Ended(JobEnd { code }));
}

async fn read(running: &Running, output: impl AsyncRead + Unpin, stream: JobStream) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let progress = match stream {
            JobStream::Stdout => serde_json::from_str::<Progress>(&line).ok(),
            JobStream::Stderr => None,
        };
        if let Some(Progress::Ready(ready)) = &progress {
            running.job().experiment = Some(ready.experiment.clone());
        }
        running.say(match progress {
            Some(progress) => JobEvent::Progress(Box::new(progress)),
            None => JobEvent::Text(JobText { stream, line }),
        });
    }
}

type List = State<Arc<Jobs>>;
type Begun = Answer<(StatusCode, Json<Job>)>;

/// Returns a `netloom` with these words, in the server's folder. A signal to the server's terminal
/// does not reach it.
fn netloom(folder: &Folder, words: &[&str]) -> Answer<Command> {
    let binary = std::env::current_exe().context("cannot find the netloom binary")?;
    let mut command = Command::new(binary);
    command.args(words).current_dir(folder.path()).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn new(command: JobCommand, file: Option<String>, experiment: Option<String>) -> Job {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let started_unix = since.map_or(0, |since| since.as_secs());
    Job { id: 0, command, file, experiment, started_unix, ended: None }
}

/// Adds the file and the options of an action to a command.
fn with_action(folder: &Folder, command: &mut Command, action: &Action) -> Answer<()> {
    let file = below(&action.file)?;
    folder.file(&file)?;
    // A file may have the name of an option.
    command.arg("--topology").arg(folder.path().join(file));
    if let Some(name) = &action.name {
        netloom_scenario::check_experiment_name(name).map_err(Refused::bad)?;
        command.arg(format!("--name={name}"));
    }
    if let Some(seed) = action.seed {
        command.arg(format!("--seed={seed}"));
    }
    if let Some(dilation) = action.dilation {
        command.arg(format!("--dilation={dilation}"));
    }
    Ok(())
}

async fn begin(
    jobs: Arc<Jobs>,
    folder: Arc<Folder>,
    (kind, words): (JobCommand, &[&str]),
    action: Action,
) -> Begun {
    let mut command = netloom(&folder, words)?;
    with_action(&folder, &mut command, &action)?;
    if action.wait && kind == JobCommand::Deploy {
        command.arg("--wait");
    }
    let job = new(kind, Some(action.file), action.name);
    Ok((StatusCode::ACCEPTED, Json(jobs.start(command, job).await?)))
}

/// `POST /api/deploy`
pub async fn deploy(
    State(jobs): List,
    State(folder): State<Arc<Folder>>,
    Json(action): Json<Action>,
) -> Begun {
    begin(jobs, folder, (JobCommand::Deploy, &["deploy", "--format=json"]), action).await
}

/// `POST /api/run`
pub async fn run(
    State(jobs): List,
    State(folder): State<Arc<Folder>>,
    Json(action): Json<Action>,
) -> Begun {
    begin(jobs, folder, (JobCommand::Run, &["run", "--format=json"]), action).await
}

/// `POST /api/simulate`
pub async fn simulate(
    State(jobs): List,
    State(folder): State<Arc<Folder>>,
    Json(action): Json<Action>,
) -> Begun {
    let words = ["run", "--format=json", "--simulate", "--watched"];
    begin(jobs, folder, (JobCommand::Simulate, &words), action).await
}

/// `POST /api/apply`
pub async fn apply(
    State(jobs): List,
    State(folder): State<Arc<Folder>>,
    Json(action): Json<Action>,
) -> Begun {
    begin(jobs, folder, (JobCommand::Apply, &["apply"]), action).await
}

/// `POST /api/destroy`
pub async fn destroy(
    State(jobs): List,
    State(folder): State<Arc<Folder>>,
    Json(ending): Json<Ending>,
) -> Begun {
    end(jobs, folder, (JobCommand::Destroy, "destroy"), ending).await
}

/// `POST /api/cleanup`
pub async fn cleanup(
    State(jobs): List,
    State(folder): State<Arc<Folder>>,
    Json(ending): Json<Ending>,
) -> Begun {
    end(jobs, folder, (JobCommand::Cleanup, "cleanup"), ending).await
}

async fn end(
    jobs: Arc<Jobs>,
    folder: Arc<Folder>,
    (kind, word): (JobCommand, &str),
    Ending { experiment }: Ending,
) -> Begun {
    netloom_scenario::check_experiment_name(&experiment).map_err(Refused::bad)?;
    let command = netloom(&folder, &[word, &experiment])?;
    let job = new(kind, None, Some(experiment));
    Ok((StatusCode::ACCEPTED, Json(jobs.start(command, job).await?)))
}

/// `GET /api/jobs`
pub async fn list(State(jobs): List) -> Json<Vec<Job>> {
    Json(jobs.all())
}

/// `GET /api/jobs/{id}/events`: what a job says, from its first line on.
pub async fn events(
    State(jobs): List,
    Path(id): Path<u64>,
) -> Answer<Sse<impl Stream<Item = Result<sse::Event, Infallible>>>> {
    let running = jobs.find(id)?;
    let count = running.count.subscribe();
    let events = stream::unfold(Some((running, count, 0)), |state| async move {
        let (running, mut count, next) = state?;
        let (number, event) = loop {
            if let Some(found) = running.event(next) {
                break found;
            }
            // The sender lives as long as the job.
            count.changed().await.ok()?;
        };
        let is_last = matches!(event, JobEvent::Ended(_));
        let line = sse::Event::default().json_data(event).unwrap_or_default();
        Some((Ok(line), (!is_last).then_some((running, count, number + 1))))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// `POST /api/jobs/{id}/stop`: ends a command in order. A second time it is killed.
pub async fn stop(State(jobs): List, Path(id): Path<u64>) -> Begun {
    let running = jobs.find(id)?;
    let again = std::mem::replace(&mut *locked(&running.stopping), true);
    let signal = if again { Signal::SIGKILL } else { Signal::SIGINT };
    if let Some(pid) = *locked(&running.pid) {
        kill(pid, signal).context("cannot end it")?;
    }
    let job = running.job().clone();
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// `POST /api/plan`: what `netloom apply` would do.
pub async fn plan(
    State(folder): State<Arc<Folder>>,
    Json(action): Json<Action>,
) -> Answer<Json<Plan>> {
    let path = below(&action.file)?;
    folder.file(&path)?;
    let file = folder.path().join(path);
    let prepared = apart(move || Ok(netloom_cli::ui::prepare(&file, &action)?)).await?;
    Ok(Json(netloom_cli::ui::plan(&prepared).await?))
}
