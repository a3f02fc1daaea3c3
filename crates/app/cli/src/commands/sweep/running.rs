//! The runs of a sweep, one or several at a time.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Instant;

use anyhow::Result;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use netloom_api::event::EndReason;
use netloom_monitor::Judgement;
use netloom_sweep::{Keep, Mode, Of, Outcome, Record, Rule, Stop, order};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::child::{self, Place};
use super::folder::Folder;
use super::printer::Printer;
use super::room::{Room, has_disk};
use super::setup::Setup;
use super::values::values;
use crate::interrupts::Interrupts;
use crate::{args, exit, results};

/// Number of failures, of whatever kind, that end a point.
const MOST_FAILURES: usize = 3;

/// A run that is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Task {
    point: usize,
    seed: u64,
    attempt: u32,
}

/// A run that has ended.
struct Ended {
    task: Task,
    slot: usize,
    part: PathBuf,
    beside: u32,
    seconds: f64,
    output: std::io::Result<Output>,
}

/// Runs that are under way.
struct UnderWay<'f> {
    futures: FuturesUnordered<BoxFuture<'f, Ended>>,
    /// Process of the run in each place.
    slots: Vec<Option<u32>>,
}

/// The runs of a sweep.
pub struct Running<'s> {
    setup: &'s Setup,
    folder: Folder,
    printer: &'s Printer,
    rule: Rule,
    fail_fast: bool,
    /// Number of seeds of each point that its means are of.
    used: Vec<usize>,
    /// Points that need no more runs.
    settled: BTreeSet<usize>,
    /// What failed at each point.
    failures: HashMap<usize, Vec<String>>,
    /// Points that have ended because they fail.
    ended: BTreeSet<usize>,
    /// The exit code, if something has ended the sweep.
    stopped: Option<i32>,
    /// Metrics of which it was said that a run lacks them.
    lacking: BTreeSet<String>,
}

impl<'s> Running<'s> {
    /// Takes over what is done already.
    pub fn new(
        args: &args::Sweep,
        setup: &'s Setup,
        folder: Folder,
        printer: &'s Printer,
    ) -> Result<Self> {
        let seeds = setup.sweep.seeds.len();
        let mut running = Self {
            setup,
            folder,
            printer,
            rule: Rule { strict: args.strict },
            fail_fast: args.fail_fast,
            used: vec![seeds; setup.points.len()],
            settled: BTreeSet::new(),
            failures: HashMap::new(),
            ended: BTreeSet::new(),
            stopped: None,
            lacking: BTreeSet::new(),
        };
        for key in running.keys() {
            running.refresh(&key)?;
        }
        Ok(running)
    }

    fn keys(&self) -> Vec<String> {
        let seeds = &self.setup.sweep.seeds;
        let keys = self.setup.keys.iter();
        keys.flat_map(|keys| seeds.iter().map(|seed| keys.key(*seed))).collect()
    }

    /// Reads metrics that a finished run was not asked for when it ran. If its results do not have
    /// them any more, it is done again.
    fn refresh(&mut self, key: &str) -> Result<()> {
        let Some(record) = self.folder.record(key) else { return Ok(()) };
        let is_known = |metric: &netloom_sweep::Metric| {
            record.values.get(&metric.name).is_some_and(|value| value.of == metric.of.in_words())
        };
        let metrics = &self.setup.sweep.metrics;
        if metrics.iter().all(is_known) {
            return Ok(());
        }
        let directory = self.folder.results(key);
        let is_whole = directory.join("scenario.json").exists();
        let of_files =
            |metric: &netloom_sweep::Metric| matches!(metric.of, Of::Json { .. } | Of::Reported(_));
        let mut record = record.clone();
        match results::summary(&directory) {
            Ok(summary) if is_whole || !metrics.iter().any(of_files) => {
                record.values.extend(values(&directory, &summary, metrics)?);
                self.folder.note(record)
            }
            _ => {
                self.folder.unknow(key);
                Ok(())
            }
        }
    }

    /// Returns the number of runs that are done.
    pub fn done(&self) -> usize {
        self.keys().iter().filter(|key| self.folder.record(key).is_some()).count()
    }

    /// Whether there is anything to be run.
    pub fn is_anything_missing(&self) -> bool {
        self.setup.sweep.stop.is_some() || self.done() < self.keys().len()
    }

    /// Returns the folder of the sweep.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn key(&self, task: Task) -> String {
        self.setup.keys[task.point].key(task.seed)
    }

    /// Makes all runs that are missing.
    ///
    /// # Errors
    /// If results cannot be kept. Failures of runs are none.
    pub async fn all(&mut self, room: &Room) -> Result<()> {
        let mut interrupts = Interrupts::watch()?;
        let stop = self.setup.sweep.stop.clone();
        let looks: Vec<usize> = match &stop {
            Some(stop) => stop.looks.iter().map(|look| look as usize).collect(),
            None => vec![self.setup.sweep.seeds.len()],
        };
        for look in looks {
            self.phase(self.missing(look), room, room.jobs, &mut interrupts).await?;
            for _ in 0..self.setup.sweep.retry_invalid {
                self.phase(self.invalid(look), room, 1, &mut interrupts).await?;
            }
            if self.stopped.is_some() {
                break;
            }
            if let Some(stop) = &stop {
                self.settle(stop, look);
            }
        }
        Ok(())
    }

    /// Returns the runs of the first seeds that are missing: all points with a seed, then with the
    /// next.
    fn missing(&self, seeds: usize) -> VecDeque<Task> {
        self.tasks(seeds).filter(|task| self.folder.record(&self.key(*task)).is_none()).collect()
    }

    /// Returns the runs that are to be repeated because they are invalid.
    fn invalid(&self, seeds: usize) -> VecDeque<Task> {
        let most = self.setup.sweep.retry_invalid + 1;
        let again = self.tasks(seeds).filter_map(|task| {
            let record = self.folder.record(&self.key(task))?;
            let is_invalid = record.verdict == Some(Judgement::Invalid);
            (is_invalid && record.attempt < most)
                .then_some(Task { attempt: record.attempt + 1, ..task })
        });
        again.collect()
    }

    fn tasks(&self, seeds: usize) -> impl Iterator<Item = Task> {
        let points = self.setup.points.len();
        let seeds = self.setup.sweep.seeds.iter().take(seeds);
        let all = seeds.flat_map(move |seed| {
            let order = order(points, *seed).into_iter();
            order.map(|point| Task { point, seed: *seed, attempt: 1 })
        });
        all.filter(|task| !self.settled.contains(&task.point) && !self.ended.contains(&task.point))
    }

    /// Ends points whose mean is known well enough after this number of seeds.
    fn settle(&mut self, stop: &Stop, look: usize) {
        let name = &self.setup.sweep.metrics[stop.metric].name;
        for point in 0..self.setup.points.len() {
            if self.settled.contains(&point) {
                continue;
            }
            self.used[point] = look;
            let records = self.records_of(point);
            let counting = records.iter().filter(|record| self.rule.counts(record));
            let values: Vec<f64> = counting.filter_map(|record| record.value(name)).collect();
            if stop.is_enough(&values) {
                self.settled.insert(point);
            }
        }
    }

    /// Returns the runs that the means of a point are of, by seed.
    fn records_of(&self, point: usize) -> Vec<Record> {
        let seeds = self.setup.sweep.seeds.iter().take(self.used[point]);
        let keys = seeds.map(|seed| self.setup.keys[point].key(*seed));
        keys.filter_map(|key| self.folder.record(&key).cloned()).collect()
    }

    /// Returns the runs that means are of, for each point by seed.
    pub fn records(&self) -> Vec<Vec<Record>> {
        (0..self.setup.points.len()).map(|point| self.records_of(point)).collect()
    }

    /// Makes these runs, at most `jobs` at a time.
    async fn phase(
        &mut self,
        mut queue: VecDeque<Task>,
        room: &Room,
        jobs: usize,
        interrupts: &mut Interrupts,
    ) -> Result<()> {
        let mut under_way =
            UnderWay { futures: FuturesUnordered::new(), slots: vec![None; jobs.max(1)] };
        loop {
            while self.stopped.is_none()
                && under_way.futures.len() < jobs
                && room.bears_another(under_way.futures.len())
            {
                let Some(task) = queue.pop_front() else { break };
                if !self.ended.contains(&task.point) {
                    self.start(task, room, &mut under_way).await?;
                }
            }
            if under_way.futures.is_empty() {
                return Ok(());
            }
            tokio::select! {
                Some(ended) = under_way.futures.next() => {
                    under_way.slots[ended.slot] = None;
                    queue.extend(self.finished(ended)?);
                }
                signal = interrupts.next() => {
                    if self.stopped.replace(128 + signal).is_some() {
                        // Dropping them kills what still runs.
                        return Ok(());
                    }
                    eprintln!("ending the runs that are under way; the same command goes on later");
                    for process in under_way.slots.iter().flatten() {
                        let _ = kill(Pid::from_raw(*process as i32), Signal::SIGTERM);
                    }
                }
            }
        }
    }

    async fn start(&mut self, task: Task, room: &Room, under_way: &mut UnderWay<'_>) -> Result<()> {
        has_disk(self.folder.path())?;
        let part = self.folder.part(&self.key(task));
        let free = under_way.slots.iter().position(Option::is_none);
        let slot = free.unwrap_or_default();
        let loaded = &self.setup.loaded[task.point];
        let place = Place {
            results: &part,
            simulate: self.setup.sweep.mode == Mode::Simulate,
            cpus: room.cpus(slot),
            name: name_of(&loaded.scenario.name, slot),
        };
        let began = Instant::now();
        let child = child::start(loaded, task.seed, place).await?;
        under_way.slots[slot] = child.id();
        let beside = under_way.futures.len() as u32;
        under_way.futures.push(Box::pin(async move {
            let output = child.wait_with_output().await;
            let seconds = began.elapsed().as_secs_f64();
            Ended { task, slot, part, beside, seconds, output }
        }));
        Ok(())
    }

    /// Takes over the results of a run that has ended. Returns it if it is to be made again.
    fn finished(&mut self, ended: Ended) -> Result<Option<Task>> {
        let failed = match &ended.output {
            Ok(output) if output.status.success() => None,
            Ok(output) => {
                let words = String::from_utf8_lossy(&output.stderr);
                Some(format!("{} ({})", words.trim(), output.status))
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(message) = failed {
            return self.failed(&ended, message);
        }
        let summary = match results::summary(&ended.part) {
            Ok(summary) => summary,
            Err(error) => return self.failed(&ended, netloom_api::in_words(error.as_ref())),
        };
        if summary.reason == EndReason::Interrupted {
            self.folder.forget(&ended.part);
            return Ok(None);
        }
        if !summary.success {
            return self.failed(&ended, summary.failures.join("; "));
        }
        let Ended { task, part, .. } = ended;
        let sweep = &self.setup.sweep;
        let is_simulated = sweep.mode == Mode::Simulate;
        let record = Record {
            key: self.key(task),
            point: self.setup.values(task.point),
            seed: task.seed,
            verdict: summary.verdict.as_ref().map(|verdict| verdict.judgement),
            values: values(&part, &summary, &sweep.metrics)?,
            machine: netloom_results::machine::describe().host,
            beside: (!is_simulated).then_some(ended.beside),
            attempt: task.attempt,
            seconds: ended.seconds,
        };
        self.look_for_lacking(&record);
        self.folder.finish(record.clone(), &part, sweep.keep)?;
        self.printer.run(self.setup, task.point, &record, self.done());
        Ok(None)
    }

    /// Says once of each metric that a run does not have it: its name may be wrong.
    fn look_for_lacking(&mut self, record: &Record) {
        for (name, value) in &record.values {
            if value.value.is_none() && self.lacking.insert(name.clone()) {
                let keep = match self.setup.sweep.keep {
                    Keep::All => ": correct it, and finished runs are read again",
                    Keep::Summary => "",
                };
                let of = &value.of;
                self.printer
                    .note(&format!("seed {} of a point has no `{name}` ({of}){keep}", record.seed));
            }
        }
    }

    /// Notes the failure of a run. Returns it if it is to be made again.
    fn failed(&mut self, ended: &Ended, message: String) -> Result<Option<Task>> {
        let Ended { task, part, .. } = ended;
        if self.stopped.is_some() {
            self.folder.forget(part);
            return Ok(None);
        }
        // A full disk is no failure of the run.
        has_disk(self.folder.path())?;
        let message = message.replace(&part.display().to_string(), "its results");
        let kept = self.folder.failed(&self.key(*task), part);
        let place = kept.map(|kept| kept.display().to_string());
        self.printer.failed(self.setup, task.point, task.seed, &message, place.as_deref());
        if self.fail_fast {
            self.stopped = Some(exit::RUN_FAILED);
            return Ok(None);
        }
        let before = self.failures.entry(task.point).or_default();
        let is_same = before.contains(&message);
        before.push(message);
        if is_same || before.len() >= MOST_FAILURES {
            self.ended.insert(task.point);
            let point = self.setup.points[task.point].in_words(&self.setup.sweep);
            self.printer.note(&format!("the point {point} ends here: its runs fail"));
            return Ok(None);
        }
        Ok(Some(*task))
    }

    /// Returns the points that ended because their runs fail, in words.
    pub fn ended(&self) -> Vec<String> {
        let words = |point: &usize| self.setup.points[*point].in_words(&self.setup.sweep);
        self.ended.iter().map(words).collect()
    }

    /// Returns the exit code of the sweep.
    pub fn code(&self, outcomes: &[Outcome]) -> i32 {
        if let Some(code) = self.stopped {
            return code;
        }
        let has_values = |metric: usize| {
            outcomes.iter().any(|outcome| outcome.metric == metric && outcome.mean.is_some())
        };
        let mut lacking = (0..self.setup.sweep.metrics.len()).filter(|metric| !has_values(*metric));
        match lacking.next().is_some() || !self.ended.is_empty() {
            true => exit::RUN_FAILED,
            false => exit::SUCCESS,
        }
    }
}

/// Returns the name of the experiment in one of the runs at a time: no two have the same.
pub fn name_of(name: &str, slot: usize) -> String {
    if slot == 0 {
        return name.into();
    }
    let end = format!("-{slot}");
    let kept: String = name.chars().take(63 - end.len()).collect();
    kept + &end
}
