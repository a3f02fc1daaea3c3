//! The engine process, from its first line of input to its exit.
//!
//! One line of standard input says what to do ([`Launch`]); lines of standard output say how far it
//! is ([`StartUp`]). From then on it speaks through its API. Whatever ends it in an orderly way, it
//! takes the network down, and nothing of the experiment is left; what a `kill -9` leaves is
//! removed by `netloom cleanup`.

use std::any::Any;
use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::panic;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use netloom_api::ApiError;
use netloom_api::event::{EndReason, What};
use netloom_api::launch::{Launch, Mode, STAY, StartUp};
use netloom_api::state::Phase;
use netloom_dataplane::{Dataplane, Options};
use netloom_nodes::{Layout, Network};
use netloom_results::Results;
use netloom_units::Time;
use tokio::net::UnixListener;

use crate::cpus::Dedicated;
use crate::descriptors::{Share, Shares};
use crate::drawn::{Drawn, Numbers};
use crate::end::End;
use crate::events::EventLog;
use crate::experiment::{Experiment, Live, Setting};
use crate::http;
use crate::local;
use crate::metrics::{self, Metrics};
use crate::monitoring::{Monitoring, Preparation, Thresholds};
use crate::publish::{self, Reserved};
use crate::recording::{Observed, record, start_captures, start_frame_log};
use crate::services::{self, Logs, NodeStart, Prepared, Progress, Services};
use crate::state_lock::{Existed, StateLock};

/// Runs the engine to its end; the process' exit code.
pub fn main() -> i32 {
    // What was made is taken down on the way out of a panic, too.
    let ended = panic::catch_unwind(start).unwrap_or_else(|payload| Err(in_panic(&*payload)));
    match ended {
        Ok(()) => 0,
        Err(error) => {
            let error = ApiError { error: netloom_api::in_words(error.as_ref()), help: None };
            say(&StartUp::Failed(error));
            1
        }
    }
}

/// What a panic says: of a library that the kernel has refused something, or a defect of ours.
fn in_panic(payload: &(dyn Any + Send)) -> anyhow::Error {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason");
    anyhow!(
        "the engine gave up: {text}; if the machine has enough of everything (`netloom doctor`), this is a defect"
    )
}

/// Speaks to the client that started the engine. Nobody has to listen.
pub fn say(line: &StartUp) {
    // Plain data always has a JSON form; a reader that is gone does not matter.
    let text = serde_json::to_string(line).unwrap_or_default();
    let _ = writeln!(io::stdout(), "{text}");
}

fn start() -> Result<()> {
    let began = Instant::now();
    netloom_dataplane::take_memory_in_large_pieces();
    // The terminal of whoever started it is not its own: what is typed there, and its end, are for
    // the client. Fails for a leader of a process group, which has none of its parent's.
    let _ = nix::unistd::setsid();
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("cannot read what to launch")?;
    let mut launch: Launch =
        serde_json::from_str(&line).context("cannot understand what to launch")?;
    launch.scenario.share_data();
    // Before there are threads and processes, which inherit it, and before there is anything to take back.
    let dedicated = Dedicated::set_apart(launch.scenario.workers.dedicated_cpus)?;
    let layout = Layout::new(&launch.scenario.name);
    let claim = Arc::new(claim(&layout, &launch.scenario.name)?);
    redirect_stderr(&layout.state_dir().join("engine.log"))?;
    if let Err(error) = enter_user_namespace(&layout) {
        netloom_nodes::cleanup_layout(&layout)?;
        return Err(error);
    }
    let told_monitor = launch.scenario.monitor.clone();
    let thresholds = Thresholds::set(&mut launch.scenario.monitor.criteria, &launch.calibration);
    let preparation = Preparation::start(&launch.scenario);
    let built = build(&launch, &layout, told_monitor, dedicated, preparation);
    let Built { experiment, results, starts, published, preparation } = match built {
        Ok(built) => built,
        Err(error) => {
            // `build` has taken back what it made; this removes the state directory.
            netloom_nodes::cleanup_layout(&layout)?;
            return Err(error);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the engine's runtime")?;
    let experiment = Arc::new(experiment);
    let deploy_seconds = began.elapsed().as_secs_f64();
    let watching = Watching { preparation, thresholds };
    let start = Start { claim: Arc::clone(&claim), starts, published, watching, deploy_seconds };
    let served = runtime.block_on(serve(&layout, experiment.clone(), results, start));
    // Streams that are still open end with the runtime, not before their last event was sent.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    // What is left is the state directory, and whatever could not be removed at the first try.
    // Without the state directory, what is at its place is another engine's.
    let cleaned = match claim.has_directory() {
        true => netloom_nodes::cleanup_layout(&layout).map(drop),
        false => Ok(()),
    };
    drop(claim);
    served.and(cleaned.map_err(Into::into))
}

/// Claims the experiment's name, and removes what a dead engine of that name left.
fn claim(layout: &Layout, name: &str) -> Result<StateLock> {
    layout.create_state_root()?;
    for _ in 0..3 {
        let directory = layout.state_dir();
        let claim = StateLock::claim(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
        let Some((lock, existed)) = claim else {
            if local::wait_if_going(layout)? {
                continue;
            }
            bail!(
                "an experiment called `{name}` is already running; \
                 end it with `netloom destroy {name}` or choose another name with `--name`"
            );
        };
        if existed == Existed::New {
            return match local::write_process(layout) {
                Ok(()) => Ok(lock),
                Err(error) => {
                    let _ = fs::remove_dir_all(directory);
                    Err(error)
                }
            };
        }
        if local::is_running(layout) {
            bail!("the engine of `{name}` has lost its lock and is about to end; try again");
        }
        say(&StartUp::Note(format!("cleaned up after an engine of `{name}` that had died")));
        netloom_nodes::cleanup_layout(layout)?;
    }
    bail!("the state directory of `{name}` keeps coming back: is another start under way?")
}

/// For an ordinary user, goes where one may make networks; before there are threads. What a dead engine
/// left was made in a namespace beside this one, and must have been removed before.
fn enter_user_namespace(layout: &Layout) -> Result<()> {
    if layout.is_rootless()
        && let Some(problem) = netloom_nodes::rootless::enter()?
    {
        say(&StartUp::Note(format!(
            "programs in nodes cannot change to other users: {problem} (docs/rootless.md)"
        )));
    }
    Ok(())
}

/// From now on the engine's own words go to a file: the terminal belongs to the client.
fn redirect_stderr(log: &Path) -> Result<()> {
    let file = fs::File::create(log).with_context(|| format!("cannot make {}", log.display()))?;
    nix::unistd::dup2_stderr(&file).context("cannot redirect standard error")?;
    Ok(())
}

/// What was made.
struct Built {
    experiment: Experiment,
    results: Option<Results>,
    starts: Vec<NodeStart>,
    published: Reserved,
    preparation: Preparation,
}

/// Makes the network. On an error nothing that was made is left.
fn build(
    launch: &Launch,
    layout: &Layout,
    told_monitor: netloom_scenario::Monitor,
    dedicated: Dedicated,
    preparation: Preparation,
) -> Result<Built> {
    let plan = netloom_plan::plan(&launch.scenario)?;
    let Prepared { views, starts } = services::prepare(&launch.scenario, &plan, &launch.directory)?;
    // What others may hold is asked for first.
    let published = publish::reserve(&launch.scenario)?;
    let results = match &launch.mode {
        Mode::Run { results } => Some(Results::create(results, &launch.source, &launch.scenario)?),
        Mode::Deploy => None,
    };
    let events = EventLog::new(results.as_ref().map(Results::event_file).transpose()?);
    if let Some(message) = dedicated.problem {
        events.record(Time::ZERO, What::Warning { message });
    }
    let context = netloom_nodes::Context {
        work_dir: launch.directory.clone(),
        init: std::env::current_exe().context("cannot find the netloom binary")?,
        env: metrics::environment(),
        files: metrics::files(layout)?,
        views,
    };
    let last = Mutex::new(Instant::now());
    let progress = |done: usize, total: usize| {
        // A line each 50 ms is enough for eyes. A poisoned lock only says less.
        let Ok(mut last) = last.lock() else { return };
        if done == total || last.elapsed().as_millis() >= 50 {
            *last = Instant::now();
            say(&StartUp::Nodes { done, total });
        }
    };
    let (network, devices) = Network::create(layout, &plan, context, &progress)?;
    let numbers = Numbers::default();
    let numbered = numbers.of(&launch.scenario);
    let drawn = Drawn::new(launch.scenario.clone(), plan, numbered, launch.file.clone());
    let preparation = match launch.mode {
        // All of it is to be watched.
        Mode::Run { .. } => preparation.wait(),
        Mode::Deploy => preparation,
    };
    let wiring = crate::wiring::wire(&drawn, devices);
    let options = Options {
        seed: launch.scenario.seed,
        workers: launch.workers,
        dedicated_cpus: dedicated.cpus,
        ..Options::default()
    };
    let dataplane = wiring
        .and_then(|(wiring, lost_outside)| Ok((Dataplane::start(wiring, options)?, lost_outside)));
    let (dataplane, lost_outside) = match dataplane {
        Ok(started) => started,
        Err(error) => {
            network.destroy()?;
            return Err(error);
        }
    };
    let logs = Logs {
        shown: results.as_ref().map_or(layout.state_dir(), Results::directory).join("services"),
        reached: results.as_ref().map_or(layout.state_dir().into(), Results::base).join("services"),
    };
    let experiment = Experiment::new(
        drawn,
        numbers,
        Setting {
            layout: layout.clone(),
            file: launch.file.clone(),
            results: results.as_ref().map(|results| results.directory().into()),
            told_monitor,
        },
        events,
        Services::new(&starts, logs),
        Live { network, dataplane, lost_outside },
    );
    Ok(Built { experiment, results, starts, published, preparation })
}

/// What is still to be started, and how the start went so far.
struct Start {
    claim: Arc<StateLock>,
    starts: Vec<NodeStart>,
    published: Reserved,
    watching: Watching,
    deploy_seconds: f64,
}

/// What the monitor is told before there is anything to watch.
struct Watching {
    preparation: Preparation,
    thresholds: Thresholds,
}

/// Serves the API, runs what is to be run, and takes the network down.
async fn serve(
    layout: &Layout,
    experiment: Arc<Experiment>,
    results: Option<Results>,
    start: Start,
) -> Result<()> {
    let Start { claim, starts, published, watching, deploy_seconds } = start;
    let end = End::new();
    let names = watch_names(claim, &experiment, &end);
    let Shares { metrics, published: of_ports } = Shares::set();
    experiment.publisher.share(of_ports);
    if let Err(error) = experiment.publisher.serve(&experiment, published, |_| false) {
        tear_down(&experiment)?;
        return Err(error);
    }
    let memory = watch_memory(&experiment);
    let workers = experiment.look_after_workers();
    let listener = match listen(&layout.socket()) {
        Ok(listener) => listener,
        Err(error) => {
            tear_down(&experiment)?;
            return Err(error);
        }
    };
    let context = http::Context { experiment: experiment.clone(), end: end.clone() };
    let server = tokio::spawn(async move { axum::serve(listener, http::router(context)).await });
    watch_signals(&end)?;
    watch_lease(&end);
    let prepared = async {
        // Nodes see the socket for metrics: it is there before anything runs in them.
        let metrics = take_metrics(layout, &experiment, results.as_ref(), metrics)?;
        let progress = |progress| {
            say(&match progress {
                Progress::Ready(done, total) => StartUp::Services { done, total },
                Progress::Slow(words) => StartUp::Note(words),
            });
        };
        services::start(&experiment, starts, &end, progress).await?;
        experiment.begin();
        let Watching { preparation, thresholds } = watching;
        let monitoring = Monitoring::start(&experiment, preparation, &thresholds, &end)?;
        anyhow::Ok((monitoring, metrics))
    };
    let (monitoring, metrics) = match prepared.await {
        Ok(prepared) => prepared,
        Err(error) => {
            tear_down(&experiment)?;
            return Err(error);
        }
    };
    let mut captures = Vec::new();
    let outcome = match &results {
        Some(results) => {
            captures = start_captures(&experiment, results);
            let frame_log = start_frame_log(&experiment, results);
            experiment.enter(Phase::Running);
            say(&StartUp::Ready);
            let observed = Observed { frame_log, monitoring, metrics };
            record(&experiment, results, &end, observed, deploy_seconds).await
        }
        None => {
            experiment.enter(Phase::Deployed);
            say(&StartUp::Ready);
            end.asked().await;
            drop(monitoring);
            Ok(())
        }
    };
    experiment.enter(Phase::Stopping);
    names.abort();
    memory.abort();
    workers.abort();
    experiment.publisher.end().await;
    let torn_down = tear_down(&experiment);
    for capture in captures {
        // A panic in a capture costs its file only.
        let _ = capture.await;
    }
    experiment.events.close().await;
    server.abort();
    outcome.and(torn_down)
}

/// Begins to take what the experiment's applications report.
fn take_metrics(
    layout: &Layout,
    experiment: &Arc<Experiment>,
    results: Option<&Results>,
    share: Share,
) -> Result<Arc<Metrics>> {
    let recording = results.filter(|_| experiment.drawn().scenario.measure.observations);
    if let Some(results) = recording {
        experiment.monitor().record_to(results.observation_file()?);
    }
    let file = results.map(Results::metric_file).transpose()?;
    let metrics = Arc::new(Metrics::new(experiment, file));
    metrics.serve(layout, share)?;
    Ok(metrics)
}

/// Tells when the kernel kills processes because of limits on memory.
fn watch_memory(experiment: &Arc<Experiment>) -> tokio::task::JoinHandle<()> {
    const PERIOD: std::time::Duration = std::time::Duration::from_millis(500);
    let experiment = Arc::clone(experiment);
    tokio::spawn(async move {
        let (mut drawn, mut limited) = (experiment.drawn(), experiment.memory_limited());
        loop {
            tokio::time::sleep(PERIOD).await;
            let now = experiment.drawn();
            if !Arc::ptr_eq(&now, &drawn) {
                (drawn, limited) = (now, experiment.memory_limited());
            }
            let look = || limited.iter().for_each(|node| _ = experiment.tell_memory_kills(node));
            tokio::task::block_in_place(look);
        }
    })
}

/// Ends the experiment when its state directory has gone, as no command would find it any more, and tells when the
/// names of nodes' namespaces go.
fn watch_names(
    claim: Arc<StateLock>,
    experiment: &Arc<Experiment>,
    end: &End,
) -> tokio::task::JoinHandle<()> {
    const PERIOD: std::time::Duration = std::time::Duration::from_secs(1);
    let (experiment, end) = (Arc::clone(experiment), end.clone());
    tokio::spawn(async move {
        let mut told = HashSet::new();
        while claim.is_in_force() {
            let unnamed = || experiment.with_live(|live| Ok(live.network.unnamed()));
            for node in tokio::task::block_in_place(unnamed).unwrap_or_default() {
                if told.insert(node.clone()) {
                    experiment
                        .record(What::Warning { message: unnamed_in_words(&experiment, &node) });
                }
            }
            tokio::time::sleep(PERIOD).await;
        }
        end.ask(EndReason::StateGone);
    })
}

fn unnamed_in_words(experiment: &Experiment, node: &str) -> String {
    let path = experiment.layout.namespace(node);
    format!(
        "the name of {node}'s network namespace, {}, has gone (`ip netns del`?): the node goes on, but \
         `ip netns exec` does not find it",
        path.display()
    )
}

fn listen(socket: &Path) -> Result<UnixListener> {
    let listener = UnixListener::bind(socket)
        .with_context(|| format!("cannot listen on {}", socket.display()))?;
    // Whoever may write to the socket owns the experiment.
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))
        .with_context(|| format!("cannot keep {} from others", socket.display()))?;
    Ok(listener)
}

/// Turns the signals that ask for an end into an orderly one.
fn watch_signals(end: &End) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in
        [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()]
    {
        let mut signals = signal(kind).context("cannot watch for signals")?;
        let end = end.clone();
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                end.ask(EndReason::Interrupted);
            }
        });
    }
    Ok(())
}

/// Ends the experiment when standard input closes before the client has let it live on without
/// itself: the client that started it is gone.
fn watch_lease(end: &End) {
    let end = end.clone();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        while io::stdin().lock().read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            if line == STAY {
                return;
            }
            line.clear();
        }
        end.ask(EndReason::ClientGone);
    });
}

/// Takes everything down. The order is that of the fastest teardown, see [`Network::destroy`].
fn tear_down(experiment: &Experiment) -> Result<()> {
    let Some(Live { network, dataplane, lost_outside }) = experiment.take_live() else {
        return Ok(());
    };
    // Each device holds its namespace.
    drop((dataplane.stop(), lost_outside));
    network.destroy().context("cannot take the network down")
}
