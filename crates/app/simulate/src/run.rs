//! A run in virtual time, from the scenario to its summary.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use netloom_api::event::{EndReason, Event, What};
use netloom_api::flow::{FlowStatus, without_route};
use netloom_api::simulation::SimulationSummary;
use netloom_api::state::Phase;
use netloom_api::summary::{Mode, Summary};
use netloom_course::{Audience, Carrier, Due, Facts, Recorder, Schedule, Wanted, failures};
use netloom_monitor::Marks;
use netloom_results::{EventFile, Results};
use netloom_scenario::{Scenario, Threads};
use netloom_units::{Duration, Time};

use crate::carrier::InVirtualTime;
use crate::prepared::{Prepared, prepare};
use crate::processes::{Shares, Starting};
use crate::support::{Commands, Support, check};
use crate::timeline::Timeline;
use crate::traffic::Flow;
use crate::{ideal, statuses, threads, verdict};

/// Shortest time between two reports of progress.
const PROGRESS: std::time::Duration = std::time::Duration::from_millis(500);

/// Time between two looks at whether what was sent has arrived.
const STEP: Duration = Duration::from_millis(50);

/// A run to be made.
#[derive(Debug, Clone)]
pub struct Job {
    /// The scenario.
    pub scenario: Scenario,
    /// The text of the scenario, as the user wrote it.
    pub source: String,
    /// The file of the scenario.
    pub file: PathBuf,
    /// The directory for the results, which must not exist yet.
    pub results: PathBuf,
    /// The treatment of commands.
    pub commands: Commands,
    /// Largest number of processes, in place of the scenario's.
    pub processes: Option<NonZeroU32>,
    /// Number of threads of all processes, in place of the scenario's.
    pub threads: Option<NonZeroU32>,
    /// Largest number of cells that the network is divided into, in place of the scenario's.
    pub cells: Option<NonZeroU32>,
}

impl Job {
    /// Returns the division of the network, and the processes and threads that run it.
    fn shares(&self) -> Shares {
        let options = &self.scenario.simulation;
        let processes = self.processes.or(options.processes).map_or(1, NonZeroU32::get);
        // A process without a node would have nothing to do.
        let processes = processes.min(self.scenario.nodes.len().max(1) as u32);
        let threads = threads::number(self.threads.map_or(options.threads, Threads::Of));
        let threads = threads.max(processes);
        let cells = threads::cells(self.cells.or(options.cells), threads).max(processes);
        Shares { cells, processes, threads }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Time that has passed in the network.
    pub simulated: Duration,
    /// Duration of the run in the network, if it is known.
    pub whole: Option<Duration>,
    /// Real time that has passed.
    pub real: std::time::Duration,
    /// Number of frames that have come out of pipes so far.
    pub packet_hops: u64,
}

/// Runs a scenario and writes its results. `progress` is called with the progress of the run. The
/// run ends early once `stop` is set. It does the same whether or not an `audience` watches.
///
/// # Errors
/// If the scenario cannot be simulated, if frames go round in circles without time passing, or if
/// results cannot be written.
pub fn run(
    job: &Job,
    audience: Option<&dyn Audience>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary> {
    let begun = Instant::now();
    let support = check(&job.scenario, job.commands);
    if !support.errors.is_empty() {
        bail!("{}", support.errors.join("\n"));
    }
    let scenario = &ideal::routed(&job.scenario);
    let shares = job.shares();
    let others = Starting::new(scenario, shares)?;
    let prepared = prepare(scenario, shares.division(0))?;
    let Prepared { simulation, flows, course, timeline, configs } = prepared;
    let processes = others.finish(simulation, shares)?;
    let network = InVirtualTime::new(scenario, (flows, course), processes, configs, audience);
    let results = Results::create(&job.results, &job.source, scenario)?;
    // Every run has this file, but a simulation has no applications that could report metrics.
    results.metric_file()?;
    let events = Events { file: EventFile::new(results.event_file()?), audience, next: 0 };
    let recorder = Recorder::new(&results, scenario, Wanted { flows: true, frames: true });
    let deploy_seconds = begun.elapsed().as_secs_f64();
    let running = Instant::now();
    let mut run = Run { scenario, network, timeline, events, recorder, stop, running };
    let reason = run.drive(progress)?;
    let summary = run.summarize(job, support, reason, deploy_seconds)?;
    results.finish(&summary)?;
    Ok(summary)
}

/// A run under way.
struct Run<'a> {
    scenario: &'a Scenario,
    network: InVirtualTime<'a>,
    timeline: Timeline,
    events: Events<'a>,
    recorder: Recorder,
    stop: &'a AtomicBool,
    running: Instant,
}

/// The events of a run, for its results and for those who watch.
struct Events<'a> {
    file: EventFile,
    audience: Option<&'a dyn Audience>,
    next: u64,
}

impl Events<'_> {
    /// Records that `what` happened at `time`.
    fn record(&mut self, time: Time, what: What) {
        if let Some(audience) = self.audience {
            let event = Event { number: self.next, time, machine: None, what: what.clone() };
            audience.happened(&event);
        }
        self.next += 1;
        self.file.record(time, what);
    }
}

impl Run<'_> {
    /// Runs the network to its end, and returns the reason for it.
    fn drive(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<EndReason> {
        let mut schedule = Schedule::new(&self.scenario.measure, true);
        let end = self.scenario.duration.map(|duration| Time::ZERO + duration);
        let mut shown = Instant::now();
        self.events.record(Time::ZERO, What::Phase { phase: Phase::Running });
        self.look(Due::ALL)?;
        loop {
            let now = self.now();
            let done_at = self.network.processes().standing().done_at;
            let over = end.or_else(|| done_at.map(|over| over.max(now)));
            if over.is_some_and(|over| over <= now) {
                self.look(schedule.rest(now))?;
                let Some(end) = end else { return Ok(EndReason::Completed) };
                self.await_arrivals(end)?;
                return Ok(EndReason::Duration);
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(EndReason::Interrupted);
            }
            let until = over.map_or(schedule.next(), |over| over.min(schedule.next()));
            self.network.processes().advance(until)?;
            self.look(schedule.due(until))?;
            if shown.elapsed() >= PROGRESS {
                shown = Instant::now();
                progress(Progress {
                    simulated: self.now().since(Time::ZERO),
                    whole: self.scenario.duration,
                    real: self.running.elapsed(),
                    packet_hops: self.network.processes().standing().work.packet_hops,
                });
            }
        }
    }

    fn now(&self) -> Time {
        self.network.processes().now()
    }

    /// Lets what was sent arrive after the end of the run, as in emulated runs: until nothing is
    /// under way any more, or for the time that the plan gives it.
    fn await_arrivals(&mut self, end: Time) -> Result<()> {
        let last = end + netloom_plan::drain_time(self.scenario);
        while self.now() < last && !self.stop.load(Ordering::Relaxed) {
            if self.network.flows()?.iter().all(statuses::has_arrived) {
                break;
            }
            let until = last.min(self.now() + STEP);
            self.network.processes().advance(until)?;
        }
        if self.now() > end { self.look(Due::ALL) } else { Ok(()) }
    }

    /// Takes samples, and writes the events since the last ones.
    fn look(&mut self, due: Due) -> Result<()> {
        let now = self.now();
        self.recorder.look(now, due, &self.network);
        // No period of a simulated run has to be left out.
        self.recorder.pipes().into_iter().for_each(|pipes| pipes.mark(&Marks::none_until(now)));
        if due.pipes {
            for (time, what) in self.network.take_events(&mut self.timeline) {
                self.events.record(time, what);
            }
        }
        match self.recorder.failures() {
            [] => Ok(()),
            failures => bail!("{}", failures.join("\n")),
        }
    }

    fn summarize(
        mut self,
        job: &Job,
        support: Support,
        reason: EndReason,
        deploy_seconds: f64,
    ) -> Result<Summary> {
        let wall_seconds = self.running.elapsed().as_secs_f64();
        let ended = self.now();
        let standing = self.network.processes().standing().clone();
        let not_forwarded = statuses::not_forwarded(standing.nodes);
        let (links, flows) = (self.network.links(None)?, self.network.flows()?);
        let warnings = warnings(&support, &not_forwarded, &flows);
        for message in &warnings {
            self.events.record(ended, What::Warning { message: message.clone() });
        }
        self.events.record(ended, What::RunEnded { reason });
        let media = self.network.media(false)?.media;
        let timeline = self.timeline.statuses();
        let mut failures: Vec<String> = failures(&timeline).collect();
        failures.extend(standing.not_begun.into_iter().map(|flow| {
            let Flow { name, from, .. } = self.network.flow(flow);
            format!("traffic `{name}` in `{from}` could not begin: the node had failed")
        }));
        self.events.file.finish().context("events.jsonl is not complete")?;
        let recorded = self.recorder.finish(None);
        if !recorded.failures.is_empty() {
            bail!("{}", recorded.failures.join("\n"));
        }
        let processes = self.network.processes();
        Ok(Summary {
            timeline,
            links,
            frame_log: recorded.frame_log,
            simulation: Some(SimulationSummary {
                events: standing.work.events,
                packet_hops: standing.work.packet_hops,
                wall_seconds,
                busiest_second: None,
                highest_load: None,
                processes: processes.count(),
                threads: processes.threads(),
                cells: processes.cells(),
                not_modelled: support.not_modelled,
                not_forwarded,
                same_for_all_seeds: !self.scenario.is_random(),
                symbiosis: None,
            }),
            flows,
            media,
            warnings,
            ..summary(Facts {
                mode: Mode::Simulation,
                scenario: self.scenario,
                file: &job.file,
                started_unix: unix() - wall_seconds,
                ended,
                reason,
                deploy_seconds,
                failures,
            })
        })
    }
}

/// Returns what is to be checked before relying on the results.
fn warnings(
    support: &Support,
    not_forwarded: &BTreeMap<String, u64>,
    flows: &[FlowStatus],
) -> Vec<String> {
    let mut warnings: Vec<String> =
        support.left_out.iter().map(|what| format!("left out: {what}")).collect();
    warnings.extend(flows.iter().filter(|flow| flow.refused > 0).map(|flow| {
        let ends = (&*flow.name, &*flow.from, &*flow.to);
        without_route(flow.refused, &flow.protocol, ends)
    }));
    if !not_forwarded.is_empty() {
        let each = not_forwarded.iter().map(|(reason, packets)| format!("{packets} {reason}"));
        let each = each.collect::<Vec<_>>().join(", ");
        warnings.push(format!("nodes did not pass on or take packets: {each}"));
    }
    warnings
}

/// Returns the summary of a run in virtual time of which only `facts` are known: nothing about a
/// kernel, and a verdict.
pub fn summary(facts: Facts<'_>) -> Summary {
    let verdict = verdict::verdict(&facts.scenario.monitor, facts.ended);
    Summary { verdict: Some(verdict), ..facts.summary() }
}

/// Returns the date in seconds since 1970-01-01 UTC.
pub fn unix() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
