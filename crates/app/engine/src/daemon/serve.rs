//! The life of an experiment whose network is up: serves its API, runs it or waits for its end, and
//! ends it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_api::launch::StartUp;
use netloom_api::state::Phase;
use netloom_api::taken_back;
use netloom_course::Recorder;
use netloom_host::StateLock;
use netloom_nodes::Doorway;
use netloom_nodes::shell::Gateway;
use netloom_results::Results;
use netloom_units::Time;
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::watch;
use crate::associations::Associations;
use crate::cables::Cables;
use crate::client::say;
use crate::descriptors::{Share, Shares};
use crate::exec_socket;
use crate::experiment::Experiment;
use crate::http;
use crate::live::Live;
use crate::member::Company;
use crate::metrics::Metrics;
use crate::monitoring::{Monitoring, Preparation, Thresholds, Watched, joined_by_pasta};
use crate::names::Forwarder;
use crate::publish::Reserved;
use crate::rebalancer::Rebalancer;
use crate::recording::{
    Observed, Took, look_at_zero, media, record, recorder, start_captures, start_frame_log,
};
use crate::services::{self, NodeStart, Progress};

/// Longest time for processes of a shell to end when asked to, before they are killed.
const SESSION_PATIENCE: Duration = Duration::from_secs(2);

/// The parts that are still to be started, and the course of the start so far.
pub struct Start {
    /// The claim on the experiment's name.
    pub claim: Arc<StateLock>,
    /// The programs that run in nodes from the start.
    pub starts: Vec<NodeStart>,
    /// Ports that are still to be served.
    pub published: Reserved,
    /// The monitor's probes.
    pub preparation: Preparation,
    /// The origin of the monitor's thresholds.
    pub thresholds: Thresholds,
    /// The process that joins the network of an ordinary user's shell to the machine's.
    pub gateway: Option<Gateway>,
    /// A thread in the machine's network.
    pub machine: Handle,
    /// When the start began.
    pub began: Instant,
    /// Duration of the start until the network was up, in seconds.
    pub deploy_seconds: f64,
}

/// Serves the API, runs the experiment, and takes the network down.
pub async fn serve(
    experiment: Arc<Experiment>,
    results: Option<Results>,
    start: Start,
) -> Result<()> {
    let Start {
        claim,
        starts,
        published,
        preparation,
        thresholds,
        gateway,
        machine,
        began,
        deploy_seconds,
    } = start;
    let names = watch::names(claim, &experiment);
    if gateway.is_some() {
        joined_by_pasta(&mut |observation| experiment.monitor.observe(&observation));
    }
    let gateway = watch::gateway(gateway, &experiment);
    let Shares { metrics, published: of_ports } = Shares::set();
    let names_share = of_ports.clone();
    let opened = open(&experiment, published, of_ports);
    let (listener, doorway) = or_tear_down(&experiment, opened)?;
    let answering = answer_names(&experiment, machine, names_share).await;
    let _forwarder = or_tear_down(&experiment, answering)?;
    let followers = or_tear_down(&experiment, follow(&experiment))?;
    let tasks: Vec<_> = [names, gateway].into_iter().chain(followers).collect();
    let router = http::router(experiment.clone());
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let executing = tokio::spawn(exec_socket::serve(doorway, experiment.network.clone()));
    or_tear_down(&experiment, watch::signals(&experiment.end))?;
    let (mut company, orders) = Company::of(&experiment).unzip();
    watch::lease(&experiment.end, orders);
    let beginning = Beginning { starts, preparation, thresholds, metrics, began, deploy_seconds };
    let prepared = prepare(&experiment, results.as_ref(), beginning, company.as_mut()).await;
    let (monitoring, metrics, recorder, took) = or_tear_down(&experiment, prepared)?;
    let mut captures = Vec::new();
    let Experiment { network, state, end, .. } = &*experiment;
    let media = media::watch(network.clone(), state.events.clone(), end.clone());
    let outcome = match results.as_ref().zip(recorder) {
        Some((results, recorder)) => {
            captures = start_captures(network, &state.events, results);
            let frame_log = start_frame_log(network, &state.events, results);
            state.enter(Phase::Running);
            say(&StartUp::Ready);
            let machines = company.map(|company| company.follow(experiment.clone(), results));
            let observed = Observed { recorder, frame_log, monitoring, metrics, machines };
            record(&experiment, results, observed, took).await
        }
        None => {
            state.enter(Phase::Deployed);
            say(&StartUp::Ready);
            end.asked().await;
            drop(monitoring);
            Ok(())
        }
    };
    if let Some(media) = media {
        // There are no more frames to record.
        let _ = media.await;
    }
    let torn_down = stop(&experiment, &tasks, captures).await;
    server.abort();
    executing.abort();
    match outcome {
        Ok(()) => torn_down,
        Err(error) => Err(taken_back(error, torn_down)),
    }
}

/// What is still to be started before the experiment begins.
struct Beginning {
    starts: Vec<NodeStart>,
    preparation: Preparation,
    thresholds: Thresholds,
    metrics: Share,
    began: Instant,
    deploy_seconds: f64,
}

/// Starts all that runs from the start, and begins. Returns the observers of the run.
async fn prepare(
    experiment: &Experiment,
    results: Option<&Results>,
    beginning: Beginning,
    mut company: Option<&mut Company>,
) -> Result<(Monitoring, Arc<Metrics>, Option<Recorder>, Took)> {
    let Beginning { starts, preparation, thresholds, metrics, began, deploy_seconds } = beginning;
    // The socket for metrics is visible in nodes, so it must exist before anything runs in them.
    let metrics = take_metrics(experiment, results, metrics)?;
    if let Some(company) = &mut company {
        company.meet(experiment).await?;
    }
    let has_starts = start_all(experiment, starts).await?;
    let ready = has_starts.then(|| began.elapsed().as_secs_f64());
    let mut recorder = results.map(|results| recorder(&experiment.network, results));
    let zero = match &mut company {
        Some(company) => Some(await_zero(experiment, company.agree(experiment).await?).await),
        None => has_starts.then(|| experiment.network.now()),
    };
    begin(experiment, &metrics, recorder.as_mut(), zero)?;
    let monitoring = Monitoring::start(watched(experiment), preparation, &thresholds)?;
    Ok((monitoring, metrics, recorder, Took { up: deploy_seconds, ready }))
}

/// Starts what follows the network while it lives: kills for want of memory, the load of workers,
/// stations, and what nodes do to their ends of links.
fn follow(experiment: &Experiment) -> Result<[JoinHandle<()>; 3]> {
    let (network, events) = (&experiment.network, &experiment.state.events);
    let workers = Rebalancer {
        network: network.clone(),
        monitor: experiment.monitor.clone(),
        events: events.clone(),
    };
    let stations = Associations { network: network.clone(), events: events.clone() };
    Cables { network: network.clone(), events: events.clone() }.start()?;
    Ok([experiment.memory_kills.watch(), workers.start(), stations.start()])
}

/// Returns what the monitor watches.
fn watched(experiment: &Experiment) -> Watched {
    Watched {
        network: experiment.network.clone(),
        state: experiment.state.clone(),
        monitor: experiment.monitor.clone(),
        end: experiment.end.clone(),
    }
}

/// Opens the entries from outside: published ports, and the sockets of the API and of commands.
fn open(
    experiment: &Experiment,
    published: Reserved,
    share: Share,
) -> Result<(UnixListener, Doorway)> {
    experiment.publisher.share(share);
    experiment.publisher.serve(&experiment.network, published, |_| false)?;
    let layout = &experiment.setting.layout;
    Ok((listen(&layout.socket())?, exec_socket::listen(&layout.exec_socket())?))
}

/// Answers name queries of the command of a shell.
async fn answer_names(
    experiment: &Experiment,
    machine: Handle,
    share: Share,
) -> Result<Option<Forwarder>> {
    let shell = experiment.setting.shell.as_ref();
    let Some(address) = shell.and_then(|shell| shell.resolver) else { return Ok(None) };
    let forwarder = Forwarder::start(address, machine, share).await?;
    if forwarder.is_none() {
        say(&StartUp::Note(format!(
            "another program of this machine has port 53 at all addresses: it, and not NetLoom, \
             answers what is asked for names at {address}"
        )));
    }
    Ok(forwarder)
}

fn listen(socket: &Path) -> Result<UnixListener> {
    let listener = UnixListener::bind(socket)
        .with_context(|| format!("cannot listen on {}", socket.display()))?;
    // Anyone who may write to the socket controls the experiment.
    fs::set_permissions(socket, fs::Permissions::from_mode(0o600))
        .with_context(|| format!("cannot keep {} from others", socket.display()))?;
    Ok(listener)
}

/// Starts all that runs in nodes from the start: kernels and programs. Returns when all of it is
/// ready, with whether there is any.
async fn start_all(experiment: &Experiment, starts: Vec<NodeStart>) -> Result<bool> {
    let has_services = !experiment.services.table.is_idle();
    let has_starts = has_services || experiment.network.has_kernels();
    if has_starts {
        say(&StartUp::Up);
    }
    experiment.network.start_kernels()?;
    let progress = |progress| {
        say(&match progress {
            Progress::Ready(done, total) => StartUp::Services { done, total },
            Progress::Slow(words) => StartUp::Note(words),
        });
    };
    services::start(&experiment.services, starts, progress).await?;
    Ok(has_starts)
}

/// Waits until it is `zero`, a time of the engine's clock on which several machines have agreed.
async fn await_zero(experiment: &Experiment, zero: Time) -> Time {
    let clock = experiment.network.clock();
    let left = clock.dilation().to_machine(zero.since(clock.now()));
    tokio::time::sleep(left.into()).await;
    zero
}

/// Makes `zero` the zero of time, or that at which the network was up if nothing runs from the
/// start. Records what links have counted before.
fn begin(
    experiment: &Experiment,
    metrics: &Metrics,
    recorder: Option<&mut Recorder>,
    zero: Option<Time>,
) -> Result<()> {
    let Experiment { network, state, monitor, .. } = experiment;
    let has_starts = zero.is_some();
    let zero = zero.unwrap_or_default();
    state.events.begin(zero);
    tokio::task::block_in_place(|| {
        if let Some(recorder) = recorder.filter(|_| has_starts) {
            look_at_zero(network, recorder)?;
        }
        network.with(|live| Ok(live.dataplane.begin(zero)?))
    })?;
    monitor.lock().begin();
    metrics.begin();
    Ok(())
}

/// Begins to accept the metrics that applications of the experiment report.
fn take_metrics(
    experiment: &Experiment,
    results: Option<&Results>,
    share: Share,
) -> Result<Arc<Metrics>> {
    let Experiment { setting, network, monitor, state, .. } = experiment;
    let recording = results.filter(|_| network.deployment().mine.scenario.measure.observations);
    if let Some(results) = recording {
        monitor.lock().record_to(results.observation_file()?);
    }
    let file = results.map(Results::metric_file).transpose()?;
    let metrics = Metrics::new(network.clone(), monitor.clone(), state.events.clone(), file);
    let metrics = Arc::new(metrics);
    metrics.serve(&setting.layout, share)?;
    Ok(metrics)
}

/// Stops everything but the API, which sends the last events.
async fn stop(
    experiment: &Experiment,
    tasks: &[JoinHandle<()>],
    captures: Vec<JoinHandle<()>>,
) -> Result<()> {
    experiment.state.enter(Phase::Stopping);
    tasks.iter().for_each(JoinHandle::abort);
    experiment.publisher.end().await;
    end_session(experiment);
    let torn_down = tear_down(experiment);
    for capture in captures {
        // A panic in a capture costs only its file.
        let _ = capture.await;
    }
    experiment.state.events.close().await;
    torn_down
}

/// Lets programs in the network of a shell end by themselves: experiments that were started there
/// take down their networks.
fn end_session(experiment: &Experiment) {
    let Some(shell) = &experiment.setting.shell else { return };
    let hang_up = || {
        experiment.network.with(|live| Ok(live.network.hang_up(&shell.node, SESSION_PATIENCE)?))
    };
    // Processes that have not ended are killed with the network.
    if let Err(error) = tokio::task::block_in_place(hang_up) {
        experiment.state.events.warn(netloom_api::in_words(error.as_ref()));
    }
}

/// Takes the network down if something has failed.
fn or_tear_down<T>(experiment: &Experiment, result: Result<T>) -> Result<T> {
    result.map_err(|error| taken_back(error, tear_down(experiment)))
}

/// Takes everything down, in the order of the fastest teardown: see
/// [`Network::destroy`](netloom_nodes::Network::destroy).
fn tear_down(experiment: &Experiment) -> Result<()> {
    experiment.state.events.give_up();
    let Some(live) = experiment.network.take() else { return Ok(()) };
    let Live { network, dataplane, lost_outside, companions, .. } = live;
    // Each device keeps its namespace alive.
    companions.iter().for_each(|companion| companion.stop());
    drop((dataplane.stop(), lost_outside));
    network.destroy().context("cannot take the network down")
}
