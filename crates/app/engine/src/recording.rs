//! A run and what it writes while it lasts: samples of every pipe, captures, the frame log, and at the
//! end the summary. Not here: what the run does (`run`), how files look (`results`).

use std::fs;
use std::sync::Arc;

use anyhow::Result;
use netloom_api::event::{EndReason, What};
use netloom_api::launch::StartUp;
use netloom_api::summary::{FrameLogSummary, Mode, Summary};
use netloom_dataplane::FrameLog;
use netloom_results::{Results, Sampler};
use netloom_scenario::Capture;
use netloom_units::{Duration, Time};
use tokio::task::JoinHandle;

use crate::capture::write_capture;
use crate::daemon::say;
use crate::end::End;
use crate::experiment::Experiment;
use crate::metrics::Metrics;
use crate::monitoring::Monitoring;
use crate::run::{Outcome, Run};

/// What observes a run.
pub struct Observed {
    /// What happens to frames, if the scenario asks for it.
    pub frame_log: Option<FrameLog>,
    /// Contention.
    pub monitoring: Monitoring,
    /// What applications report.
    pub metrics: Arc<Metrics>,
}

/// How long it takes to know whether a time is to be left out, where the monitor has a CPU.
const MARKED_AFTER: Duration = Duration::from_millis(1200);

/// Runs timeline and processes to their end, and writes the results. What cannot be told or
/// written is a failure of the run, and does not cost the rest.
pub async fn record(
    experiment: &Arc<Experiment>,
    results: &Results,
    end: &End,
    observed: Observed,
    deploy_seconds: f64,
) -> Result<()> {
    let Observed { frame_log, monitoring, metrics } = observed;
    let samples = tokio::spawn(sample(experiment.clone(), results.sample_file()?, end.clone()));
    let run = Run::new(experiment.clone(), results.base(), end.clone())?;
    let mut outcome = run.drive().await;
    let ended = experiment.now();
    let samples = samples.await.unwrap_or_else(|panic| {
        Err(format!("pipes.parquet is not complete: internal error: {panic}"))
    });
    let verdict = tokio::task::block_in_place(|| monitoring.finish());
    outcome.failures.extend(match samples {
        Ok(sampler) => sampler.finish(experiment.marks().as_ref()),
        Err(why) => vec![why],
    });
    if let Err(error) = experiment.monitor().end_record() {
        let message = format!("observations.jsonl is not complete: {error}");
        experiment.record(What::Warning { message });
    }
    let reason = end.reason().unwrap_or(EndReason::Completed);
    experiment.record(What::RunEnded { reason });
    if reason == EndReason::StateGone {
        outcome.failures.push(format!("the run ended early: {}", reason.in_words()));
    }
    if let Some(error) = experiment.events.take_write_error() {
        outcome.failures.push(format!("events.jsonl is not complete: {error}"));
    }
    outcome.failures.extend(metrics.lacks());
    let mut flows = Vec::new();
    if let Some(rows) = outcome.traffic.take() {
        flows = rows.flows();
        let written = results.traffic_file().map_err(Into::into).and_then(|file| rows.write(file));
        outcome.failures.extend(written.err().map(|error| {
            format!("traffic.parquet is not complete: {}", netloom_api::in_words(error.as_ref()))
        }));
    }
    let frame_log = frame_log.and_then(|log| {
        let logged = end_frame_log(experiment, log).map(Some);
        outcome.part("how the frame log went", logged)
    });
    let summary = summarize(experiment, outcome, ended, reason, deploy_seconds);
    let summary = Summary { frame_log, flows, verdict: Some(verdict), ..summary };
    results.finish(&summary).inspect_err(|_| {
        // Somebody may still read it here.
        say(&StartUp::Unwritten(Box::new(summary)));
    })
}

impl Outcome {
    /// A part of the summary; what there is instead is its default, and a failure.
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
    mut outcome: Outcome,
    ended: Time,
    reason: EndReason,
    deploy_seconds: f64,
) -> Summary {
    let timing = outcome.part("how exactly the engine worked", experiment.timing());
    let vlan_ports = outcome.part("the ports of switches", experiment.vlan_ports()).into_iter();
    let vlan_ports = vlan_ports.map(|(endpoint, status)| (endpoint.to_string(), status)).collect();
    let links = outcome.part("the links", experiment.links(None));
    let mut warnings = experiment.events.warnings();
    let lost: u64 = timing.unmodelled_drops.values().sum();
    if lost > 0 {
        warnings.push(format!(
            "{lost} frames were lost outside the model: this machine or the engine could not keep up"
        ));
    }
    warnings.extend(timing.failures.iter().cloned());
    for node in experiment.memory_limited() {
        let kills = experiment.tell_memory_kills(&node);
        if kills > 0 {
            warnings.push(What::MemoryKilled { node, processes: kills }.in_words());
        }
    }
    let drawn = experiment.drawn();
    Summary {
        name: drawn.scenario.name.clone(),
        mode: Mode::Emulation,
        file: experiment.file.clone(),
        seed: drawn.scenario.seed,
        version: env!("CARGO_PKG_VERSION").into(),
        started_unix: experiment.started_unix(),
        ended,
        reason,
        deploy_seconds,
        processes: experiment.processes(),
        timeline: outcome.timeline,
        expectations: outcome.expectations,
        success: outcome.failures.is_empty(),
        failures: outcome.failures,
        links,
        vlan_ports,
        usage: experiment.usages(),
        frame_log: None,
        verdict: None,
        timing: Some(timing),
        simulation: None,
        flows: Vec::new(),
        warnings,
    }
}

/// Samples the statistics of every pipe until the run is over, and once more then; or why not.
async fn sample(experiment: Arc<Experiment>, file: fs::File, end: End) -> Result<Sampler, String> {
    let sampler = Sampler::new(file);
    let mut sampler = sampler.map_err(|error| netloom_api::in_words(error.as_ref()))?;
    let mut ticks = tokio::time::interval(experiment.drawn().scenario.measure.interval.into());
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        let last = tokio::select! {
            _ = ticks.tick() => false,
            () = end.asked() => true,
        };
        let now = experiment.now();
        sampler.add(now, experiment.links(None));
        if sampler.has_unmarked(now - MARKED_AFTER) {
            experiment.marks().iter().for_each(|marks| sampler.mark(marks));
        }
        if last {
            return Ok(sampler);
        }
    }
}

/// Starts the frame log that the scenario asks for.
pub fn start_frame_log(experiment: &Experiment, results: &Results) -> Option<FrameLog> {
    let drawn = experiment.drawn();
    let links = &drawn.scenario.measure.frames;
    if links.is_empty() {
        return None;
    }
    let file = results.frame_log_file().map_err(Into::into);
    match file.and_then(|file| experiment.log_frames(links, file)) {
        Ok(log) => Some(log),
        Err(error) => {
            let message =
                format!("frames are not logged: {}", netloom_api::in_words(error.as_ref()));
            experiment.record(What::Warning { message });
            None
        }
    }
}

/// Ends the frame log, and warns of what it does not hold.
fn end_frame_log(experiment: &Experiment, log: FrameLog) -> Result<FrameLogSummary> {
    let ended = tokio::task::block_in_place(|| experiment.end_frame_log(log))?;
    let (entries, lost, bytes) = (ended.entries, ended.lost, ended.bytes);
    if lost > 0 {
        let message = format!(
            "{lost} entries are missing in frames.nlf: they came faster than they could be written; \
             log fewer links"
        );
        experiment.record(What::Warning { message });
    }
    let failure = ended.failure.map(|error| error.to_string());
    if let Some(failure) = &failure {
        let message = format!("frames.nlf is not complete: {failure}");
        experiment.record(What::Warning { message });
    }
    Ok(FrameLogSummary { entries, lost, bytes, failure })
}

/// Starts the captures that the scenario asks for. They end with the data plane.
pub fn start_captures(experiment: &Arc<Experiment>, results: &Results) -> Vec<JoinHandle<()>> {
    let start = |wanted: Capture| -> Result<JoinHandle<()>> {
        let Capture { interface: endpoint, drops } = wanted;
        let capture = experiment.capture(&endpoint, drops)?;
        let mut file = results.capture_file(&endpoint.node, &endpoint.interface)?;
        let experiment = experiment.clone();
        Ok(tokio::task::spawn_blocking(move || {
            let zero = experiment.started_unix();
            if let Err(error) = write_capture(capture, &endpoint, zero, &mut file) {
                let message = format!("the capture at {endpoint} is not complete: {error}");
                experiment.record(What::Warning { message });
            }
        }))
    };
    let mut captures = Vec::new();
    for wanted in experiment.drawn().scenario.measure.capture.clone() {
        match start(wanted) {
            Ok(capture) => captures.push(capture),
            Err(error) => {
                experiment.record(What::Warning {
                    message: format!("capture failed: {}", netloom_api::in_words(error.as_ref())),
                });
            }
        }
    }
    captures
}
