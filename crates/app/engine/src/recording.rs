//! The files that a run writes while it lasts: samples of every pipe, captures, the frame log, and
//! at the end the summary. Those of shared media are in `media`. Not here: the run itself (`run`),
//! the formats of files (`results`).

pub mod media;
mod ticks;

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use anyhow::Result;
use netloom_api::event::{EndReason, What};
use netloom_api::flow::FlowStatus;
use netloom_api::launch::StartUp;
use netloom_api::state::ProcessStatus;
use netloom_api::summary::{FrameLogSummary, Mode, Summary};
use netloom_course::{Carrier, Due, Facts, Recorder, Schedule, Wanted, log_header};
use netloom_dataplane::FrameLog;
use netloom_evidence::write_capture;
use netloom_fabric::LinkId;
use netloom_monitor::{Observation, SignalKind, Verdict};
use netloom_results::Results;
use netloom_scenario::Capture;
use netloom_units::{Duration, Time};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::capture::{self, Target};
use crate::client::say;
use crate::companion::{Begin, Busy, Companion, Went, whole_timeline};
use crate::deployment::Deployment;
use crate::end::End;
use crate::events::EventLog;
use crate::experiment::Experiment;
use crate::live::LiveNetwork;
use crate::member::{self, Followed};
use crate::metrics::Metrics;
use crate::monitoring::{Monitoring, SharedMonitor};
use crate::run::{self, Run, RunOutcome};
use crate::status;
use crate::usage;

/// The observers of a run.
pub struct Observed {
    /// The files of samples.
    pub recorder: Recorder,
    /// The frame log, if the scenario asks for it.
    pub frame_log: Option<FrameLog>,
    /// The contention monitor.
    pub monitoring: Monitoring,
    /// The metrics that applications report.
    pub metrics: Arc<Metrics>,
    /// The company of other machines, if several carry the experiment.
    pub machines: Option<Followed>,
}

/// Duration of the start, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// Until the network was up.
    pub up: f64,
    /// Until all that runs from the start was ready. `None` if nothing does.
    pub ready: Option<f64>,
}

/// Time until it is known whether a moment is to be left out, if the monitor has a CPU.
const MARKED_AFTER: Duration = Duration::from_millis(1200);

/// Runs timeline and processes to their end, and writes the results. An error of reporting or
/// writing is a failure of the run, and does not affect the other results.
pub async fn record(
    experiment: &Experiment,
    results: &Results,
    observed: Observed,
    took: Took,
) -> Result<()> {
    let Observed { recorder, frame_log, monitoring, metrics, mut machines } = observed;
    let Experiment { network, state, monitor, end, .. } = experiment;
    let companions = network.companions();
    begin(&companions, experiment, results)?;
    let measure = &network.deployment().whole.scenario.measure;
    let schedule = Schedule::new(measure, has_sampled_flows(&companions));
    let sampling = sample(network.clone(), monitor.clone(), end.clone(), recorder, schedule);
    let sampling = tokio::spawn(sampling);
    let mut outcome = Run::new(run_context(experiment), results.base())?.drive().await;
    let ended = network.since_zero();
    if let Some(machines) = &mut machines {
        machines.part(experiment, results).await?;
    }
    // Companions also report to the monitor.
    let finish = || companions.iter().filter_map(|one| one.finish(state.begun())).collect();
    let went: Vec<Went> = tokio::task::block_in_place(finish);
    let recorder = sampling.await;
    let mut verdict = tokio::task::block_in_place(|| monitoring.finish());
    outcome.failures.extend(match recorder {
        Ok(recorder) => finish_samples(recorder, monitor),
        Err(panic) => vec![format!("samples are not complete: internal error: {panic}")],
    });
    if let Err(error) = monitor.lock().end_record() {
        state.events.warn(format!("observations.jsonl is not complete: {error}"));
    }
    let reason = end.reason().unwrap_or(EndReason::Completed);
    outcome.end_events(&state.events, reason);
    outcome.failures.extend(metrics.lacks());
    let mut flows = outcome.write_traffic(results);
    let frame_log = frame_log.and_then(|log| {
        let logged = end_frame_log(network, &state.events, log).map(Some);
        outcome.part("how the frame log went", logged)
    });
    let (mut mode, mut simulation) = (Mode::Emulation, None);
    for went in went {
        mode = went.mode;
        flows.extend(went.flows);
        outcome.failures.extend(went.failures);
        if let Some(timeline) = went.timeline {
            let whole = &network.deployment().whole.scenario;
            outcome.timeline = whole_timeline(whole, &outcome.timeline, timeline);
        }
        if let Some(busy) = went.busy {
            advise(&busy, &mut verdict, &state.events);
        }
        simulation = Some(went.simulation);
    }
    let facts = (mode, ended, reason, took);
    let summary = summarize(experiment, outcome, facts);
    let verdict = Some(verdict);
    let summary = Summary { simulation, frame_log, flows, verdict, ..summary };
    results.finish(&summary).inspect_err(|_| {
        // The client may still read it here.
        say(&StartUp::Unwritten(Box::new(summary)));
    })
}

/// Makes the files of samples.
pub fn recorder(network: &LiveNetwork, results: &Results) -> Recorder {
    let wanted = Wanted { flows: has_sampled_flows(&network.companions()), frames: false };
    Recorder::new(results, &network.deployment().whole.scenario, wanted)
}

fn has_sampled_flows(companions: &[Arc<dyn Companion>]) -> bool {
    companions.iter().any(|companion| companion.has_sampled_flows())
}

/// Samples at zero what links and media have counted before. Must be called at zero.
pub fn look_at_zero(network: &LiveNetwork, recorder: &mut Recorder) -> Result<()> {
    let due = Due { pipes: true, flows: false, air: false };
    network.carrying(|carriers| {
        recorder.look(Time::ZERO, due, carriers);
        Ok(())
    })
}

/// Begins the companions of the data plane.
fn begin(
    companions: &[Arc<dyn Companion>],
    experiment: &Experiment,
    results: &Results,
) -> Result<()> {
    let Experiment { network, state, monitor, .. } = experiment;
    for companion in companions {
        let monitor = Arc::clone(monitor);
        network.with(|live| {
            companion.begin(Begin {
                results,
                nodes: &live.network,
                events: state.events.clone(),
                observe: Arc::new(move |seen: &Observation| monitor.observe(seen)),
                clock: network.clock(),
                zero: state.begun(),
            })
        })?;
    }
    Ok(())
}

fn run_context(experiment: &Experiment) -> run::Context {
    let Experiment { setting, network, state, services, monitor, memory_kills, end, .. } =
        experiment;
    run::Context {
        network: network.clone(),
        state: state.clone(),
        services: services.clone(),
        monitor: monitor.clone(),
        memory_kills: memory_kills.clone(),
        end: end.clone(),
        is_open_ended: setting.shell.is_some(),
        fail_fast: setting.fail_fast,
    }
}

/// Samples all carriers of a network until the run is over, and once more then.
async fn sample(
    network: Arc<LiveNetwork>,
    monitor: Arc<SharedMonitor>,
    end: End,
    mut recorder: Recorder,
    mut schedule: Schedule,
) -> Recorder {
    let mut due = Due::ALL;
    loop {
        tokio::task::block_in_place(|| look(&network, &monitor, &mut recorder, due));
        let left = schedule.next().since(network.since_zero());
        let left = network.clock().dilation().to_machine(left);
        let over = tokio::select! {
            () = tokio::time::sleep(left.into()) => false,
            () = end.asked() => true,
        };
        due = schedule.due(network.since_zero());
        if over {
            tokio::task::block_in_place(|| look(&network, &monitor, &mut recorder, Due::ALL));
            return recorder;
        }
    }
}

/// Samples what is due, and marks samples for which it is known whether they are to be left out.
fn look(network: &LiveNetwork, monitor: &SharedMonitor, recorder: &mut Recorder, due: Due) {
    let now = network.since_zero();
    let looked = network.carrying(|carriers| {
        recorder.look(now, due, carriers);
        Ok(())
    });
    if let Err(gone) = looked {
        recorder.miss(now, due, &gone);
    }
    let unmarked = recorder.pipes().filter(|pipes| pipes.has_unmarked(now - MARKED_AFTER));
    if let Some(pipes) = unmarked {
        monitor.marks().iter().for_each(|marks| pipes.mark(marks));
    }
}

/// Completes the samples with the times that are to be left out. Returns all failures.
fn finish_samples(recorder: Recorder, monitor: &SharedMonitor) -> Vec<String> {
    recorder.finish(monitor.marks().as_ref()).failures
}

/// Says why a companion may have been late.
fn advise(busy: &Busy, verdict: &mut Verdict, events: &EventLog) {
    for finding in &mut verdict.findings {
        if finding.signal == SignalKind::Lateness {
            finding.why = format!("{}; {}", finding.why, busy.advice);
        }
    }
    events.warn(busy.warning.clone());
}

impl RunOutcome {
    /// Records the end of the run, the last of its events.
    fn end_events(&mut self, events: &EventLog, reason: EndReason) {
        events.record(What::RunEnded { reason });
        if reason == EndReason::StateGone {
            self.failures.push(format!("the run ended early: {}", reason.in_words()));
        }
        if let Some(error) = events.take_write_error() {
            self.failures.push(format!("events.jsonl is not complete: {error}"));
        }
    }

    /// Writes what became of the traffic. Returns it as flows.
    fn write_traffic(&mut self, results: &Results) -> Vec<FlowStatus> {
        let Some(rows) = self.traffic.take() else { return Vec::new() };
        let flows = rows.flows();
        let written = results.traffic_file().map_err(Into::into).and_then(|file| rows.write(file));
        self.failures.extend(written.err().map(|error| {
            format!("traffic.parquet is not complete: {}", netloom_api::in_words(error.as_ref()))
        }));
        flows
    }

    /// Returns a part of the summary. If there is an error, it is recorded as a failure, and the
    /// part is its default.
    fn part<T: Default>(&mut self, what: &str, part: Result<T>) -> T {
        part.unwrap_or_else(|error| {
            let why = netloom_api::in_words(error.as_ref());
            self.failures.push(format!("summary.json lacks {what}: {why}"));
            T::default()
        })
    }
}

fn summarize(
    experiment: &Experiment,
    mut outcome: RunOutcome,
    (mode, ended, reason, took): (Mode, Time, EndReason, Took),
) -> Summary {
    let Experiment { setting, network, state, memory_kills, .. } = experiment;
    let timing = outcome.part("how exactly the engine worked", status::timing(network));
    let vlan_ports = outcome.part("the ports of switches", status::vlan_ports(network)).into_iter();
    let vlan_ports = vlan_ports.map(|(endpoint, status)| (endpoint.to_string(), status)).collect();
    let mut links = outcome.part("the links", network.links(None));
    let lost = member::count_losses(network, &mut links);
    outcome.part("what was lost between machines", lost);
    let media = network.carrying(|carriers| Ok(carriers.media(false)?.media));
    let media = outcome.part("the media", media);
    let deployment = network.deployment();
    let mut warnings = state.events.warnings();
    let lost: u64 = timing.unmodelled_drops.values().sum();
    if lost > 0 {
        warnings.push(format!(
            "{lost} frames were lost outside the model: this machine or the engine could not keep \
             up"
        ));
    }
    warnings.extend(timing.failures.iter().cloned());
    for node in deployment.memory_limited() {
        let kills = memory_kills.record(&node);
        if kills > 0 {
            warnings.push(What::MemoryKilled { node, processes: kills }.in_words());
        }
    }
    let RunOutcome { failures, timeline, expectations, .. } = outcome;
    let facts = Facts {
        mode,
        scenario: &deployment.whole.scenario,
        file: &setting.file,
        started_unix: network.started_unix(),
        ended,
        reason,
        deploy_seconds: took.up,
        failures,
    };
    Summary {
        ready_seconds: took.ready,
        processes: processes_here(&deployment, state.process_table.rows()),
        timeline,
        expectations,
        links,
        media,
        vlan_ports,
        usage: usage::of_all_nodes(network),
        timing: Some(timing),
        warnings,
        ..facts.summary()
    }
}

/// Returns the processes of this machine's nodes.
fn processes_here(deployment: &Deployment, mut all: Vec<ProcessStatus>) -> Vec<ProcessStatus> {
    all.retain(|row| deployment.is_here(&row.node));
    all
}

/// Starts the frame log that the scenario asks for.
pub fn start_frame_log(
    network: &LiveNetwork,
    events: &EventLog,
    results: &Results,
) -> Option<FrameLog> {
    let deployment = network.deployment();
    let links = &deployment.mine.scenario.measure.frames;
    if links.is_empty() {
        return None;
    }
    let file = results.frame_log_file().map_err(Into::into);
    match file.and_then(|file| log_frames(network, links, file)) {
        Ok(log) => Some(log),
        Err(error) => {
            let words = netloom_api::in_words(error.as_ref());
            events.warn(format!("frames are not logged: {words}"));
            None
        }
    }
}

/// Logs the fate of every frame of `links` into `file` from now on.
fn log_frames(network: &LiveNetwork, links: &[String], file: fs::File) -> Result<FrameLog> {
    let deployment = network.deployment();
    let named = deployment.mine.scenario.modelled_links().map(|link| &*link.name);
    let header = log_header((network.started_unix() * 1e9) as u64, named);
    // The header names all pipes, in the order of the scenario.
    let places: HashMap<LinkId, usize> =
        deployment.modelled_links().map(|(id, _)| id).zip(0..).collect();
    let wanted = links.iter().map(|name| {
        let id = deployment.modelled(name)?;
        Ok((id, places.get(&id).copied().unwrap_or(usize::MAX / 4)))
    });
    let wanted = wanted.collect::<Result<Vec<_>>>()?;
    network.with(|live| Ok(live.dataplane.log_frames(&wanted, &header, file)?))
}

/// Ends the frame log, and warns of anything that is missing in it.
fn end_frame_log(
    network: &LiveNetwork,
    events: &EventLog,
    log: FrameLog,
) -> Result<FrameLogSummary> {
    let ended = tokio::task::block_in_place(|| {
        network.with(|live| Ok(live.dataplane.end_frame_log(log)?))
    })?;
    let (entries, lost, bytes) = (ended.entries, ended.lost, ended.bytes);
    if lost > 0 {
        events.warn(format!(
            "{lost} entries are missing in frames.nlf: they came faster than they could be \
             written; log fewer links"
        ));
    }
    let failure = ended.failure.map(|error| error.to_string());
    if let Some(failure) = &failure {
        events.warn(format!("frames.nlf is not complete: {failure}"));
    }
    Ok(FrameLogSummary { entries, lost, bytes, failure })
}

/// Starts the captures that the scenario asks for. They end with the data plane.
pub fn start_captures(
    network: &LiveNetwork,
    events: &Arc<EventLog>,
    results: &Results,
) -> Vec<JoinHandle<()>> {
    let zero = network.clock_unix();
    let start = |wanted: &Capture| -> Result<JoinHandle<()>> {
        let Capture { interface: endpoint, drops } = wanted.clone();
        let capture = capture::open(network, &endpoint, drops)?;
        let mut file = results.capture_file(&endpoint.node, &endpoint.interface)?;
        let events = Arc::clone(events);
        let writer = Target::Interface(endpoint.clone()).writer(zero)?;
        let (over, ended) = oneshot::channel::<()>();
        // A thread of its own: those that answer requests are few, and there may be many captures.
        std::thread::Builder::new().name("capture".into()).spawn(move || {
            if let Err(error) = write_capture(capture, writer, &mut file) {
                events.warn(format!("the capture at {endpoint} is not complete: {error}"));
            }
            drop(over);
        })?;
        Ok(tokio::spawn(async move {
            // The other end goes with the thread.
            let _ = ended.await;
        }))
    };
    let mut captures = Vec::new();
    for wanted in &network.deployment().mine.scenario.measure.capture {
        match start(wanted) {
            Ok(capture) => captures.push(capture),
            Err(error) => {
                let words = netloom_api::in_words(error.as_ref());
                events.warn(format!("capture failed: {words}"));
            }
        }
    }
    captures
}
