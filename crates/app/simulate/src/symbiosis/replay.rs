//! Repeats the loop of a symbiotic run without its real side, from the recorded actions of that
//! side.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use netloom_api::event::{EndReason, What};
use netloom_api::simulation::SimulationSummary;
use netloom_api::state::Phase;
use netloom_api::summary::{Mode, Summary};
use netloom_course::{Facts, failures};
use netloom_monitor::Marks;
use netloom_results::{EventFile, FlowSampler, Results, Sampler};
use netloom_scenario::{Scenario, TwinMethod};
use netloom_units::{Duration, Time};

use super::{CalibrationFile, Calibrators, Connections, Large, Tally, read_metadata};
use crate::Progress;
use crate::run::{summary, unix};

/// A loop to be repeated.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The scenario.
    pub scenario: Scenario,
    /// The text of the scenario, as the user wrote it.
    pub source: String,
    /// The file of the scenario.
    pub file: PathBuf,
    /// The directory for the results, which must not exist yet.
    pub results: PathBuf,
    /// The file `metadata.parquet` of the run.
    pub metadata: PathBuf,
}

/// Repeats the loop of a symbiotic run and writes its results: the simulation with the twins of
/// what real programs sent, and the calibrations that follow.
///
/// # Errors
/// If the scenario is not symbiotic, if the metadata belong to another one, or if results cannot be
/// written.
pub fn replay(
    job: &Replay,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary> {
    let begun = Instant::now();
    let scenario = &job.scenario;
    let plan = Arc::new(netloom_plan::plan(scenario)?);
    let (mut large, shrunk) = Large::new(scenario, &plan)?;
    let shown = job.metadata.display();
    let file = File::open(&job.metadata).with_context(|| format!("cannot read {shown}"))?;
    let periods = read_metadata(file, &shrunk).with_context(|| {
        format!("{shown} is not `metadata.parquet` of a symbiotic run of this scenario")
    })?;
    let results = Results::create(&job.results, &job.source, scenario)?;
    results.metric_file()?;
    let mut events = EventFile::new(results.event_file()?);
    let mut file = CalibrationFile::new(results.calibration_file()?)?;
    let mut samples = Sampler::new(results.sample_file()?)?;
    let mut flows = FlowSampler::new(results.flow_file()?)?;
    let mut calibrators = Calibrators::new(scenario, &shrunk);
    let mut tally = Tally::new(&shrunk);
    let mut connections = Connections::default();
    let deploy_seconds = begun.elapsed().as_secs_f64();
    let running = Instant::now();
    events.record(Time::ZERO, What::Phase { phase: Phase::Running });
    let mut reason = EndReason::Completed;
    let whole = Duration::from_nanos(shrunk.period.as_nanos() * periods.len() as u64);
    for (number, (metadata, applied)) in (0..).zip(&periods) {
        let stops = || stop.load(Ordering::Relaxed);
        let Some(reports) = large.period(metadata, &stops)? else {
            reason = EndReason::Interrupted;
            break;
        };
        connections.add(metadata);
        let orders = calibrators.orders(&reports);
        file.add(number, &shrunk, &orders, applied)?;
        tally.add((metadata, &reports), &orders, applied);
        large.record(&mut |time, what| events.record(time, what));
        flows.add(large.now(), &large.flows())?;
        samples.add(large.now(), Ok(large.links()));
        samples.mark(&Marks::none_until(large.now()));
        progress(Progress {
            simulated: large.now().since(Time::ZERO),
            whole: Some(whole),
            real: running.elapsed(),
            packet_hops: large.summary().packet_hops,
        });
    }
    let ended = large.now();
    events.record(ended, What::RunEnded { reason });
    events.finish().context("events.jsonl is not complete")?;
    file.finish()?;
    if shrunk.twins == TwinMethod::Connections {
        connections.write(results.connection_file()?, &shrunk, &large.sockets())?;
    }
    flows.finish()?;
    let lacks = samples.finish(None);
    if !lacks.is_empty() {
        bail!("{}", lacks.join("\n"));
    }
    let timeline = large.timeline();
    let failures = failures(&timeline).collect();
    let (mode, file) = (Mode::Simulation, &*job.file);
    let started_unix = unix() - running.elapsed().as_secs_f64();
    let facts =
        Facts { mode, scenario, file, started_unix, ended, reason, deploy_seconds, failures };
    let summary = Summary {
        timeline,
        links: large.links(),
        simulation: Some(SimulationSummary { symbiosis: Some(tally.summary()), ..large.summary() }),
        flows: large.flows(),
        ..summary(facts)
    };
    results.finish(&summary)?;
    Ok(summary)
}
