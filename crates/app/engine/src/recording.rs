//! The files that a run writes while it lasts: samples of every pipe, captures, the frame log, and
//! at the end the summary. Those of shared media are in `media`. Not here: the run itself (`run`),
//! the formats of files (`results`).

pub mod media;
mod ticks;

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use netloom_api::event::{EndReason, TimelineStatus, What};
use netloom_api::flow::FlowStatus;
use netloom_api::launch::StartUp;
use netloom_api::simulation::SimulationSummary;
use netloom_api::summary::{FrameLogSummary, Mode, Summary};
use netloom_dataplane::FrameLog;
use netloom_evidence::write_capture;
use netloom_fabric::LinkId;
use netloom_link::LogHeader;
use netloom_monitor::{SignalKind, Verdict};
use netloom_results::{FlowSampler, Results, Sampler};
use netloom_scenario::{Capture, Scenario, TimelineAction};
use netloom_units::{Duration, Time};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::capture::{self, Target};
use crate::client::say;
use crate::end::End;
use crate::events::EventLog;
use crate::experiment::Experiment;
use crate::live::LiveNetwork;
use crate::metrics::Metrics;
use crate::monitoring::{Monitoring, SharedMonitor};
use crate::run::{self, Run, RunOutcome};
use crate::simulated::Simulated;
use crate::status;
use crate::symbiosis;
use crate::usage;
use ticks::Ticks;

/// The observers of a run.
pub struct Observed {
    /// The frame log, if the scenario asks for it.
    pub frame_log: Option<FrameLog>,
    /// The contention monitor.
    pub monitoring: Monitoring,
    /// The metrics that applications report.
    pub metrics: Arc<Metrics>,
}

/// Load of the thread of a simulation, as a part of a second, from which on it may at times be
/// late.
const BUSY: f64 = 0.8;

/// Time until it is known whether a moment is to be left out, if the monitor has a CPU.
const MARKED_AFTER: Duration = Duration::from_millis(1200);

/// Runs timeline and processes to their end, and writes the results. An error of reporting or
/// writing is a failure of the run, and does not affect the other results.
pub async fn record(
    experiment: &Experiment,
    results: &Results,
    observed: Observed,
    deploy_seconds: f64,
) -> Result<()> {
    let Observed { frame_log, monitoring, metrics } = observed;
    let Experiment { network, state, monitor, end, .. } = experiment;
    let symbiosis = symbiosis::of(experiment);
    let samplers = Samplers::start(experiment, results, symbiosis.is_some())?;
    if let Some(symbiosis) = &symbiosis {
        symbiosis.start_with(experiment, results)?;
    }
    let mut outcome = Run::new(run_context(experiment), results.base())?.drive().await;
    let ended = network.now();
    // The symbiosis also reports to the monitor.
    let finish = || symbiosis.and_then(|symbiosis| symbiosis.finish());
    let followed = tokio::task::block_in_place(finish);
    let sampled = samplers.end().await;
    let mut verdict = tokio::task::block_in_place(|| monitoring.finish());
    outcome.failures.extend(sampled.finish(monitor));
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
    let (mode, simulation) = match (simulated(experiment), followed) {
        (None, _) => (Mode::Emulation, None),
        (Some(_), Some(went)) => {
            flows.extend(went.flows);
            outcome.failures.extend(went.failures);
            outcome.timeline =
                whole_timeline(network.deployment().whole(), &outcome, went.timeline);
            (Mode::Symbiosis, Some(went.simulation))
        }
        (Some(simulated), None) => {
            flows.extend(outcome.part("the simulated flows", simulated.flows()));
            let went = outcome.part("how the simulation went", simulated.summary());
            warn_if_busy(&went, &mut verdict, &state.events);
            (Mode::Hybrid, Some(went))
        }
    };
    let summary = summarize(experiment, outcome, ended, reason, deploy_seconds);
    let verdict = Some(verdict);
    let summary = Summary { mode, simulation, frame_log, flows, verdict, ..summary };
    results.finish(&summary).inspect_err(|_| {
        // The client may still read it here.
        say(&StartUp::Unwritten(Box::new(summary)));
    })
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
    }
}

/// Tasks that take samples until the run is over.
struct Samplers {
    pipes: JoinHandle<Result<Sampler, String>>,
    /// Each with the words for what lacks if it fails.
    others: Vec<(&'static str, JoinHandle<Result<()>>)>,
}

/// What was sampled.
struct Sampled {
    pipes: Result<Sampler, String>,
    failures: Vec<String>,
}

impl Samplers {
    fn start(experiment: &Experiment, results: &Results, is_symbiotic: bool) -> Result<Self> {
        const MEDIA: &str = "what was to be written of shared media";
        let Experiment { network, monitor, end, .. } = experiment;
        let samples = Samples {
            network: network.clone(),
            monitor: monitor.clone(),
            end: end.clone(),
            file: results.sample_file()?,
        };
        let pipes = tokio::spawn(samples.take());
        let mut others = Vec::new();
        if network.deployment().whole().nodes.iter().any(|node| node.medium.is_some()) {
            let sampled = media::sample(network.clone(), end.clone(), results.media_files());
            others.push((MEDIA, tokio::spawn(sampled)));
            let logged = media::AirLogs::new(network, results);
            let (network, end) = (network.clone(), end.clone());
            let logged = async move { logged?.write(network, end).await };
            others.push((MEDIA, tokio::spawn(logged)));
        }
        if let Some(simulated) = simulated(experiment).filter(|_| !is_symbiotic) {
            let (network, end) = (network.clone(), end.clone());
            let flows = sample_flows(network, simulated, end, results.flow_file());
            others.push(("flows.parquet", tokio::spawn(flows)));
        }
        Ok(Self { pipes, others })
    }

    /// Waits for the last samples.
    async fn end(self) -> Sampled {
        let pipes = self.pipes.await.unwrap_or_else(|panic| {
            Err(format!("pipes.parquet is not complete: internal error: {panic}"))
        });
        let mut failures = Vec::new();
        for (what, task) in self.others {
            let taken = task.await.unwrap_or_else(|panic| Err(anyhow!("internal error: {panic}")));
            failures.extend(taken.err().map(|error| {
                format!("{what} is not complete: {}", netloom_api::in_words(error.as_ref()))
            }));
        }
        Sampled { pipes, failures }
    }
}

impl Sampled {
    /// Completes the samples of pipes with the times that are to be left out. Returns all failures.
    fn finish(self, monitor: &SharedMonitor) -> Vec<String> {
        let of_pipes = match self.pipes {
            Ok(sampler) => sampler.finish(monitor.marks().as_ref()),
            Err(why) => vec![why],
        };
        self.failures.into_iter().chain(of_pipes).collect()
    }
}

/// Says so if the simulated part of a hybrid run may have been late.
fn warn_if_busy(went: &SimulationSummary, verdict: &mut Verdict, events: &EventLog) {
    let busiest = went.busiest_second.unwrap_or_default();
    if busiest <= BUSY {
        return;
    }
    let advice = advice(went);
    for finding in &mut verdict.findings {
        if finding.signal == SignalKind::Lateness {
            finding.why = format!("{}; {advice}", finding.why);
        }
    }
    events.warn(format!(
        "the simulated part was busy for {:.0} % of one second, and may have been late: {advice}; \
         or simulate less, or run with `--simulate`",
        busiest * 100.0
    ));
}

/// Returns advice for a simulated part that did not keep up: the dilation at which it would have.
fn advice(went: &SimulationSummary) -> String {
    let load = went.highest_load.unwrap_or_default();
    let took =
        format!("a second of the simulated part took {load:.2} s of its thread on this machine");
    match went.sufficient_dilation() {
        Some(dilation) => format!("{took}, for which a dilation of {dilation} would have sufficed"),
        None => format!("{took}, for which no dilation suffices"),
    }
}

/// Returns the simulated part of an experiment, if it has one and is not being taken down.
fn simulated(experiment: &Experiment) -> Option<Arc<Simulated>> {
    experiment.network.with(|live| Ok(live.simulated.clone())).ok().flatten()
}

/// Merges the events of a timeline that happened in nodes with those that happened in a simulation,
/// by their numbers in the whole `scenario`.
fn whole_timeline(
    scenario: &Scenario,
    outcome: &RunOutcome,
    simulated: Vec<TimelineStatus>,
) -> Vec<TimelineStatus> {
    let mut real = outcome.timeline.iter();
    let merged = scenario.happenings().into_iter().zip(simulated).map(|(event, simulated)| {
        match event.action {
            TimelineAction::Run { .. } => real.next().map_or(simulated.clone(), |real| {
                TimelineStatus { number: simulated.number, ..real.clone() }
            }),
            _ => simulated,
        }
    });
    merged.collect()
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
    ended: Time,
    reason: EndReason,
    deploy_seconds: f64,
) -> Summary {
    let Experiment { setting, network, state, memory_kills, .. } = experiment;
    let timing = outcome.part("how exactly the engine worked", status::timing(network));
    let vlan_ports = outcome.part("the ports of switches", status::vlan_ports(network)).into_iter();
    let vlan_ports = vlan_ports.map(|(endpoint, status)| (endpoint.to_string(), status)).collect();
    let links = outcome.part("the links", status::links(network, None));
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
    Summary {
        name: deployment.scenario.name.clone(),
        mode: Mode::Emulation,
        file: setting.file.clone(),
        seed: deployment.scenario.seed,
        dilation: deployment.scenario.dilation,
        version: env!("CARGO_PKG_VERSION").into(),
        started_unix: network.started_unix(),
        ended,
        reason,
        deploy_seconds,
        processes: state.process_table.rows(),
        timeline: outcome.timeline,
        expectations: outcome.expectations,
        success: outcome.failures.is_empty(),
        failures: outcome.failures,
        links,
        vlan_ports,
        usage: usage::of_all_nodes(network),
        frame_log: None,
        verdict: None,
        timing: Some(timing),
        simulation: None,
        flows: Vec::new(),
        warnings,
    }
}

/// Takes samples of the pipes of a network until its end.
struct Samples {
    network: Arc<LiveNetwork>,
    monitor: Arc<SharedMonitor>,
    end: End,
    file: fs::File,
}

impl Samples {
    /// Samples the statistics of every pipe until the run is over, and once more then. The error
    /// says why there are no samples.
    async fn take(self) -> Result<Sampler, String> {
        let Self { network, monitor, end, file } = self;
        let sampler = Sampler::new(file);
        let mut sampler = sampler.map_err(|error| netloom_api::in_words(error.as_ref()))?;
        let interval = network.deployment().scenario.measure.interval;
        let mut ticks = Ticks::every(interval, network.clock().dilation(), end);
        loop {
            let last = ticks.is_last().await;
            let now = network.now();
            sampler.add(now, status::links(&network, None));
            if sampler.has_unmarked(now - MARKED_AFTER) {
                monitor.marks().iter().for_each(|marks| sampler.mark(marks));
            }
            if last {
                return Ok(sampler);
            }
        }
    }
}

/// Samples the flows of the simulated part until the run is over, and once more then.
async fn sample_flows(
    network: Arc<LiveNetwork>,
    simulated: Arc<Simulated>,
    end: End,
    file: std::io::Result<fs::File>,
) -> Result<()> {
    let mut sampler = FlowSampler::new(file?)?;
    let interval = network.deployment().scenario.measure.flow_interval();
    let mut ticks = Ticks::every(interval, network.clock().dilation(), end);
    loop {
        let last = ticks.is_last().await;
        let flows = tokio::task::block_in_place(|| simulated.flows())?;
        sampler.add(network.now(), &flows)?;
        if last {
            return sampler.finish();
        }
    }
}

/// Starts the frame log that the scenario asks for.
pub fn start_frame_log(
    network: &LiveNetwork,
    events: &EventLog,
    results: &Results,
) -> Option<FrameLog> {
    let deployment = network.deployment();
    let links = &deployment.scenario.measure.frames;
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
    let pipes = deployment.scenario.modelled_links().flat_map(|link| {
        ["forward", "reverse"].map(|direction| format!("{}/{direction}", link.name))
    });
    let zero_unix_ns = (network.started_unix() * 1e9) as u64;
    let header = LogHeader { zero_unix_ns, pipes: pipes.collect() };
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
    let zero = network.started_unix();
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
    for wanted in &network.deployment().scenario.measure.capture {
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
