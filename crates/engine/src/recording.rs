//! A run and what it writes while it lasts: samples of every pipe, captures, the frame log, and at the
//! end the summary. Not here: what the run does (`run`), how files look (`results`).

use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_api::event::{EndReason, What};
use netloom_api::summary::{FrameLogSummary, Summary};
use netloom_dataplane::FrameLog;
use netloom_scenario::Capture;
use netloom_units::Time;
use tokio::task::JoinHandle;

use crate::end::End;
use crate::experiment::Experiment;
use crate::monitoring::Monitoring;
use crate::results::capture::write_capture;
use crate::results::{Results, Sampler};
use crate::run::{Outcome, Run};

/// Runs timeline and processes to their end, and writes the results.
pub async fn record(
    experiment: &Arc<Experiment>,
    results: &Results,
    end: &End,
    frame_log: Option<FrameLog>,
    monitoring: Monitoring,
    deploy_seconds: f64,
) -> Result<()> {
    let samples = tokio::spawn(sample(experiment.clone(), results.sample_file()?, end.clone()));
    let run = Run::new(experiment.clone(), results.directory().into(), end.clone())?;
    let mut outcome = run.drive().await;
    let ended = experiment.now();
    samples.await.context("the sampling of pipes failed")??;
    let verdict = tokio::task::block_in_place(|| monitoring.finish());
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
    let logged = frame_log.map(|log| end_frame_log(experiment, log)).transpose()?;
    let summary = summarize(experiment, outcome, ended, reason, deploy_seconds)?;
    results.finish(&Summary { frame_log: logged, verdict: Some(verdict), ..summary })?;
    Ok(())
}

fn summarize(
    experiment: &Experiment,
    outcome: Outcome,
    ended: Time,
    reason: EndReason,
    deploy_seconds: f64,
) -> Result<Summary> {
    let timing = experiment.timing()?;
    let vlan_ports = experiment.vlan_ports()?.into_iter();
    let vlan_ports = vlan_ports.map(|(endpoint, status)| (endpoint.to_string(), status)).collect();
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
    Ok(Summary {
        name: drawn.scenario.name.clone(),
        file: experiment.file.clone(),
        seed: drawn.scenario.seed,
        version: env!("CARGO_PKG_VERSION").into(),
        started_unix: experiment.started_unix(),
        ended,
        reason,
        deploy_seconds,
        processes: experiment.processes(),
        timeline: outcome.timeline,
        success: outcome.failures.is_empty(),
        failures: outcome.failures,
        links: experiment.links(None)?,
        vlan_ports,
        usage: experiment.usages(),
        frame_log: None,
        verdict: None,
        timing,
        warnings,
    })
}

/// Samples the statistics of every pipe until the run is over, and once more then.
async fn sample(experiment: Arc<Experiment>, file: fs::File, end: End) -> Result<()> {
    let mut sampler = Sampler::new(file)?;
    let mut ticks = tokio::time::interval(experiment.drawn().scenario.measure.interval.into());
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        let last = tokio::select! {
            _ = ticks.tick() => false,
            () = end.asked() => true,
        };
        sampler.add(experiment.now(), &experiment.links(None)?)?;
        if last {
            return sampler.finish();
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
