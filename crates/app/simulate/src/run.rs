//! A run in virtual time, from the scenario to its summary.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use netloom_api::event::{EndReason, What};
use netloom_api::simulation::SimulationSummary;
use netloom_api::state::Phase;
use netloom_api::summary::{FrameLogSummary, Mode, Summary};
use netloom_link::{CapturedFrame, LogEncoder, LogEntry, LogHeader};
use netloom_monitor::Marks;
use netloom_results::{CaptureWriter, EventFile, FlowSampler, MediaSampler, Results, Sampler};
use netloom_scenario::{Scenario, Threads};
use netloom_sim::MediumSample;
use netloom_units::{Dilation, Duration, Time};

use crate::configs::Configs;
use crate::prepared::{Prepared, prepare};
use crate::processes::{Processes, Shares, Starting};
use crate::support::{Commands, Support, check};
use crate::timeline::Timeline;
use crate::traffic::Flow;
use crate::{statuses, threads, verdict};

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
/// run ends early once `stop` is set.
///
/// # Errors
/// If the scenario cannot be simulated, if frames go round in circles without time passing, or if
/// results cannot be written.
pub fn run(job: &Job, stop: &AtomicBool, progress: &mut dyn FnMut(Progress)) -> Result<Summary> {
    let begun = Instant::now();
    let scenario = &job.scenario;
    let support = check(scenario, job.commands);
    if !support.errors.is_empty() {
        bail!("{}", support.errors.join("\n"));
    }
    let shares = job.shares();
    let others = Starting::new(scenario, shares)?;
    let Prepared { simulation, flows, timeline, configs } = prepare(scenario, shares.division(0))?;
    let processes = others.finish(simulation, shares)?;
    let results = Results::create(&job.results, &job.source, scenario)?;
    let recorder = Recorder::new(&results, scenario)?;
    let deploy_seconds = begun.elapsed().as_secs_f64();
    let running = Instant::now();
    let run = Run { scenario, processes, configs, flows, timeline, recorder, stop, running };
    let (run, reason) = run.drive(progress)?;
    let summary = run.summarize(job, support, reason, deploy_seconds)?;
    results.finish(&summary)?;
    Ok(summary)
}

/// A run under way.
struct Run<'a> {
    scenario: &'a Scenario,
    processes: Processes,
    configs: Configs,
    flows: Vec<Flow>,
    timeline: Timeline,
    recorder: Recorder,
    stop: &'a AtomicBool,
    running: Instant,
}

impl<'a> Run<'a> {
    /// Runs the network to its end.
    fn drive(mut self, progress: &mut dyn FnMut(Progress)) -> Result<(Self, EndReason)> {
        let measure = &self.scenario.measure;
        let (mut pipes, mut flows) =
            (Every::new(measure.interval), Every::new(measure.flow_interval()));
        let end = self.scenario.duration.map(|duration| Time::ZERO + duration);
        let mut shown = Instant::now();
        self.recorder.events.record(Time::ZERO, What::Phase { phase: Phase::Running });
        self.look()?;
        self.look_at_flows()?;
        loop {
            let now = self.processes.now();
            let over = end.or_else(|| self.processes.standing().done_at.map(|over| over.max(now)));
            if over.is_some_and(|over| over <= now) {
                if !flows.was_at(now) {
                    self.look_at_flows()?;
                }
                if !pipes.was_at(now) {
                    self.look()?;
                }
                let Some(end) = end else { return Ok((self, EndReason::Completed)) };
                self.await_arrivals(end)?;
                return Ok((self, EndReason::Duration));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok((self, EndReason::Interrupted));
            }
            let next = pipes.next.min(flows.next);
            let until = over.map_or(next, |over| over.min(next));
            self.processes.advance(until)?;
            if pipes.is_due(until) {
                self.look()?;
            }
            if flows.is_due(until) {
                self.look_at_flows()?;
            }
            if shown.elapsed() >= PROGRESS {
                shown = Instant::now();
                progress(Progress {
                    simulated: self.processes.now().since(Time::ZERO),
                    whole: self.scenario.duration,
                    real: self.running.elapsed(),
                    packet_hops: self.processes.standing().work.packet_hops,
                });
            }
        }
    }

    /// Lets what was sent arrive after the end of the run, as in emulated runs: until nothing is
    /// under way any more, or for the time that the plan gives it.
    fn await_arrivals(&mut self, end: Time) -> Result<()> {
        let last = end + netloom_plan::drain_time(self.scenario);
        while self.processes.now() < last && !self.stop.load(Ordering::Relaxed) {
            let flows = statuses::flows(self.processes.sample_flows()?, &self.flows);
            if flows.iter().all(statuses::has_arrived) {
                break;
            }
            self.processes.advance(last.min(self.processes.now() + STEP))?;
        }
        if self.processes.now() > end {
            self.look_at_flows()?;
            self.look()?;
        }
        Ok(())
    }

    /// Takes a sample of all flows.
    fn look_at_flows(&mut self) -> Result<()> {
        let flows = statuses::flows(self.processes.sample_flows()?, &self.flows);
        self.recorder.flows.add(self.processes.now(), &flows)
    }

    /// Takes a sample of all pipes, and writes the events since the last one.
    fn look(&mut self) -> Result<()> {
        let now = self.processes.now();
        let sample = self.processes.sample_pipes()?;
        let routes = sample.routes.into_iter().collect();
        let mut happened = Vec::new();
        self.timeline.record((now, routes), &mut |time, what| happened.push((time, what)));
        let nodes = &self.scenario.nodes;
        let name = |number: u32| nodes.get(number as usize).map(|node| node.name.clone());
        happened.extend(sample.associations.iter().filter_map(|(medium, event)| {
            Some((event.at, What::of_association(*medium, event, name)?))
        }));
        happened.extend(statuses::neighbour_changes(&sample.media, self.scenario));
        happened.sort_by_key(|(time, _)| *time);
        for (time, what) in happened {
            self.recorder.events.record(time, what);
        }
        self.configs.reach(now);
        let links = statuses::links(sample.statistics, &self.configs, self.scenario);
        self.recorder.samples.add(now, Ok(links));
        self.recorder.add_media(now, &sample.media, self.scenario)?;
        // No period of a simulated run has to be left out.
        self.recorder.samples.mark(&Marks::none_until(now));
        self.recorder.add_captured(&sample.captured)?;
        if let Some(frames) = &mut self.recorder.frames {
            for (pipe, event) in sample.log {
                // There are fewer pipes than `u32` can number.
                frames.write(&LogEntry::Frame(pipe.index() as u32, event))?;
            }
        }
        Ok(())
    }

    fn summarize(
        mut self,
        job: &Job,
        support: Support,
        reason: EndReason,
        deploy_seconds: f64,
    ) -> Result<Summary> {
        let wall_seconds = self.running.elapsed().as_secs_f64();
        let now = self.processes.now();
        // What arrives later is of the run, and its time is not.
        let duration = self.scenario.duration.filter(|_| reason == EndReason::Duration);
        let ended = duration.map_or(now, |duration| Time::ZERO + duration);
        let standing = self.processes.standing().clone();
        let mut warnings: Vec<String> =
            support.left_out.iter().map(|what| format!("left out: {what}")).collect();
        let not_forwarded = statuses::not_forwarded(standing.nodes);
        if !not_forwarded.is_empty() {
            let each = not_forwarded.iter().map(|(reason, packets)| format!("{packets} {reason}"));
            let each = each.collect::<Vec<_>>().join(", ");
            warnings.push(format!("nodes did not pass on or take packets: {each}"));
        }
        for message in &warnings {
            self.recorder.events.record(ended, What::Warning { message: message.clone() });
        }
        self.recorder.events.record(ended, What::RunEnded { reason });
        self.configs.reach(now);
        let sample = self.processes.sample_pipes()?;
        let links = statuses::links(sample.statistics, &self.configs, self.scenario);
        let flows = statuses::flows(self.processes.sample_flows()?, &self.flows);
        let timeline = self.timeline.statuses();
        let failed = timeline.iter().filter(|status| status.failure.is_some());
        let mut failures: Vec<String> = failed.map(|status| status.in_words()).collect();
        failures.extend(standing.not_begun.into_iter().map(|flow| {
            let Flow { name, from, .. } = &self.flows[flow as usize];
            format!("traffic `{name}` in `{from}` could not begin: the node had failed")
        }));
        let frame_log = self.recorder.finish()?;
        Ok(Summary {
            deploy_seconds,
            success: failures.is_empty(),
            failures,
            timeline,
            links,
            frame_log,
            simulation: Some(SimulationSummary {
                events: standing.work.events,
                packet_hops: standing.work.packet_hops,
                wall_seconds,
                busiest_second: None,
                highest_load: None,
                processes: self.processes.count(),
                threads: self.processes.threads(),
                cells: self.processes.cells(),
                not_modelled: support.not_modelled,
                not_forwarded,
                same_for_all_seeds: !self.scenario.is_random(),
                symbiosis: None,
            }),
            flows,
            warnings,
            ..summary(self.scenario, &job.file, wall_seconds, (ended, reason))
        })
    }
}

/// Recurring times: whole multiples of a step.
struct Every {
    step: Duration,
    next: Time,
}

impl Every {
    fn new(step: Duration) -> Self {
        Self { step, next: Time::ZERO + step }
    }

    /// Whether one of these times has come by `now`. If so, the next one is awaited from then on.
    fn is_due(&mut self, now: Time) -> bool {
        let due = self.next <= now;
        if due {
            self.next += self.step;
        }
        due
    }

    /// Whether the last of these times was `now`.
    fn was_at(&self, now: Time) -> bool {
        now + self.step == self.next
    }
}

/// The files that are written while a run lasts.
struct Recorder {
    events: EventFile,
    samples: Sampler,
    flows: FlowSampler,
    frames: Option<FrameFile>,
    captures: Vec<CaptureFile>,
    /// Writer of samples of shared media, if there are any.
    media: Option<MediaSampler>,
    /// Air logs, by the number of their media.
    air: BTreeMap<u32, BufWriter<File>>,
}

impl Recorder {
    fn new(results: &Results, scenario: &Scenario) -> Result<Self> {
        // Every run has this file, but a simulation has no applications that could report metrics.
        results.metric_file()?;
        let frames = (!scenario.measure.frames.is_empty())
            .then(|| results.frame_log_file().map(|file| FrameFile::new(file, scenario)));
        let captures = scenario.measure.capture.iter().map(|wanted| {
            let file = results.capture_file(&wanted.interface.node, &wanted.interface.interface)?;
            // Virtual time has no date.
            let writer = CaptureWriter::new(&wanted.interface, std::time::Duration::ZERO)?;
            Ok(CaptureFile { file, writer })
        });
        let has_media = scenario.nodes.iter().any(|node| node.medium.is_some());
        let media = has_media.then(|| MediaSampler::new(results.media_files()?));
        let air = (0..)
            .zip(&scenario.nodes)
            .filter(|(_, node)| node.medium.is_some() && scenario.measure.air.contains(&node.name));
        let air = air
            .map(|(number, node)| Ok((number, BufWriter::new(results.air_log_file(&node.name)?))));
        Ok(Self {
            media: media.transpose()?,
            air: air.collect::<Result<_>>()?,
            events: EventFile::new(results.event_file()?),
            samples: Sampler::new(results.sample_file()?)?,
            flows: FlowSampler::new(results.flow_file()?)?,
            frames: frames.transpose()?,
            captures: captures.collect::<Result<_>>()?,
        })
    }

    /// Writes what is on shared media, and their air logs since the last time.
    fn add_media(&mut self, now: Time, media: &[MediumSample], scenario: &Scenario) -> Result<()> {
        for sample in media {
            if let Some(file) = self.air.get_mut(&sample.medium.0) {
                file.write_all(&sample.air).context("an air log is not complete")?;
            }
        }
        match &mut self.media {
            Some(files) => files.add(now, &statuses::media(media, scenario)),
            None => Ok(()),
        }
    }

    /// Writes captured frames.
    fn add_captured(&mut self, captured: &[(u32, CapturedFrame)]) -> Result<()> {
        for (capture, frame) in captured {
            self.captures[*capture as usize].writer.add(frame)?;
        }
        self.captures.iter_mut().try_for_each(CaptureFile::write)
    }

    fn finish(self) -> Result<Option<FrameLogSummary>> {
        self.events.finish().context("events.jsonl is not complete")?;
        self.flows.finish()?;
        self.captures.into_iter().try_for_each(CaptureFile::finish)?;
        self.media.map_or(Ok(()), MediaSampler::finish)?;
        for mut file in self.air.into_values() {
            file.flush().context("an air log is not complete")?;
        }
        let lacks = self.samples.finish(None);
        if !lacks.is_empty() {
            bail!("{}", lacks.join("\n"));
        }
        let finish = |frames: FrameFile| frames.finish().context("frames.nlf is not complete");
        self.frames.map(finish).transpose()
    }
}

/// A capture.
struct CaptureFile {
    file: File,
    writer: CaptureWriter,
}

impl CaptureFile {
    fn write(&mut self) -> Result<()> {
        self.file.write_all(&self.writer.take()).context("a capture is not complete")
    }

    fn finish(mut self) -> Result<()> {
        self.file.write_all(&self.writer.finish(0)?).context("a capture is not complete")
    }
}

/// The frame log.
struct FrameFile {
    file: BufWriter<File>,
    encoder: LogEncoder,
    buffer: Vec<u8>,
    entries: u64,
    bytes: u64,
}

impl FrameFile {
    fn new(file: File, scenario: &Scenario) -> Self {
        let pipes = scenario.links.iter().flat_map(|link| {
            ["forward", "reverse"].map(|direction| format!("{}/{direction}", link.name))
        });
        // Virtual time has no date, so that the same run gives the same file.
        let header = LogHeader { zero_unix_ns: 0, pipes: pipes.collect() };
        let mut buffer = Vec::new();
        let encoder = LogEncoder::new(&header, &mut buffer);
        Self { file: BufWriter::new(file), encoder, buffer, entries: 0, bytes: 0 }
    }

    fn write(&mut self, entry: &LogEntry) -> io::Result<()> {
        self.encoder.encode(entry, &mut self.buffer);
        self.entries += 1;
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes += self.buffer.len() as u64;
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<FrameLogSummary> {
        self.flush()?;
        self.file.flush()?;
        let (entries, bytes) = (self.entries, self.bytes);
        Ok(FrameLogSummary { entries, lost: 0, bytes, failure: None })
    }
}

/// Returns the parts that the summaries of all runs in virtual time have in common: nothing about a
/// kernel, and a verdict.
pub fn summary(
    scenario: &Scenario,
    file: &Path,
    wall_seconds: f64,
    (ended, reason): (Time, EndReason),
) -> Summary {
    Summary {
        name: scenario.name.clone(),
        mode: Mode::Simulation,
        file: file.to_owned(),
        seed: scenario.seed,
        dilation: Dilation::NONE,
        version: env!("CARGO_PKG_VERSION").into(),
        started_unix: unix() - wall_seconds,
        ended,
        reason,
        deploy_seconds: 0.0,
        processes: Vec::new(),
        success: true,
        failures: Vec::new(),
        timeline: Vec::new(),
        expectations: Vec::new(),
        links: Vec::new(),
        vlan_ports: Default::default(),
        usage: Default::default(),
        frame_log: None,
        verdict: Some(verdict::verdict(&scenario.monitor, ended)),
        timing: None,
        simulation: None,
        flows: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Returns the date in seconds since 1970-01-01 UTC.
fn unix() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
