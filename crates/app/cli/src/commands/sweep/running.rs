//! The runs of a sweep, one or several at a time.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;

use anyhow::{Result, bail};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use netloom_api::event::EndReason;
use netloom_monitor::Judgement;
use netloom_sweep::{Keep, Mode, Of, Outcome, Record, Rule, RunKeys, Stop, order};
use netloom_units::readable::counted;

use super::away::places::{Begins, Ended, How, Places};
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
struct Over {
    task: Task,
    place: usize,
    part: PathBuf,
    beside: u32,
    ended: Ended,
}

/// Runs that are under way.
type UnderWay = FuturesUnordered<BoxFuture<'static, Over>>;

/// The runs of a sweep.
pub struct Running<'s> {
    setup: &'s Setup,
    folder: Folder,
    /// The keys of the runs of each point, by seed.
    keys: Vec<HashMap<u64, String>>,
    /// Number of runs that are done.
    done: usize,
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
    /// How often each run was repeated because it was invalid, by this command.
    repeated: HashMap<(usize, u64), u32>,
    /// Metrics of which it was said that a run lacks them.
    lacking: BTreeSet<String>,
    /// Runs that have lost a machine.
    losing: HashMap<(usize, u64), String>,
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
        let of_seeds = |keys: &RunKeys| {
            let seeds = setup.sweep.seeds.iter();
            seeds.map(|seed| (*seed, keys.key(*seed))).collect()
        };
        let mut running = Self {
            setup,
            folder,
            keys: setup.keys.iter().map(of_seeds).collect(),
            done: 0,
            printer,
            rule: Rule { strict: args.strict },
            fail_fast: args.fail_fast,
            used: vec![seeds; setup.points.len()],
            settled: BTreeSet::new(),
            failures: HashMap::new(),
            ended: BTreeSet::new(),
            stopped: None,
            repeated: HashMap::new(),
            lacking: BTreeSet::new(),
            losing: HashMap::new(),
        };
        for key in running.keys.clone().into_iter().flat_map(HashMap::into_values) {
            running.refresh(&key)?;
            running.done += usize::from(running.folder.record(&key).is_some());
        }
        Ok(running)
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
        self.done
    }

    /// Whether there is anything to be run.
    pub fn is_anything_missing(&self) -> bool {
        let all: usize = self.keys.iter().map(HashMap::len).sum();
        self.setup.sweep.stop.is_some() || self.done < all
    }

    fn key(&self, task: Task) -> String {
        self.keys[task.point].get(&task.seed).cloned().unwrap_or_default()
    }

    /// Makes all runs that are missing.
    ///
    /// # Errors
    /// If results cannot be kept. Failures of runs are none.
    pub async fn all(&mut self, room: &Room, places: &mut Places) -> Result<()> {
        let mut interrupts = Interrupts::watch()?;
        let stop = self.setup.sweep.stop.clone();
        let looks: Vec<usize> = match &stop {
            Some(stop) => stop.looks.iter().map(|look| look as usize).collect(),
            None => vec![self.setup.sweep.seeds.len()],
        };
        for look in looks {
            let all = places.count();
            self.phase(self.missing(look), room, (places, all), &mut interrupts).await?;
            for _ in 0..self.setup.sweep.retry_invalid {
                let again = self.invalid(look);
                let alone = places.alone();
                self.phase(again, room, (places, alone), &mut interrupts).await?;
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

    /// Returns the runs that are to be repeated because they are invalid. Whoever gives the command
    /// again may have made room, so those of earlier commands are among them.
    fn invalid(&mut self, seeds: usize) -> VecDeque<Task> {
        let again = self.tasks(seeds).filter_map(|task| {
            let record = self.folder.record(&self.key(task))?;
            let is_invalid = record.verdict == Some(Judgement::Invalid);
            is_invalid.then_some(Task { attempt: record.attempt + 1, ..task })
        });
        let again: Vec<Task> = again.collect();
        let most = self.setup.sweep.retry_invalid;
        let may = again.into_iter().filter(|task| {
            let times = self.repeated.entry((task.point, task.seed)).or_default();
            *times += 1;
            *times <= most
        });
        may.collect()
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
        let keys = seeds.filter_map(|seed| self.keys[point].get(seed));
        keys.filter_map(|key| self.folder.record(key).cloned()).collect()
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
        (places, jobs): (&mut Places, usize),
        interrupts: &mut Interrupts,
    ) -> Result<()> {
        let mut under_way = UnderWay::new();
        loop {
            while self.stopped.is_none()
                && under_way.len() < jobs
                && room.bears_another(under_way.len())
            {
                let Some(place) = places.free() else { break };
                let Some(task) = queue.pop_front() else { break };
                if !self.ended.contains(&task.point) {
                    let beside = places.beside(under_way.len()) as u32;
                    under_way.push(self.start(task, (places, place, beside), room).await?);
                }
            }
            if under_way.is_empty() {
                return self.left_over(queue.len(), places);
            }
            tokio::select! {
                Some(over) = under_way.next() => {
                    places.ended(over.place, &over.ended);
                    queue.extend(self.finished(over)?);
                }
                signal = interrupts.next() => {
                    if self.stopped.replace(128 + signal).is_some() {
                        // Dropping them kills what still runs.
                        return Ok(());
                    }
                    eprintln!("ending the runs that are under way; the same command goes on later");
                    places.end();
                }
            }
        }
    }

    /// Says why runs are left over, if they are.
    fn left_over(&mut self, count: usize, places: &Places) -> Result<()> {
        if count == 0 || self.stopped.is_some() || !places.are_lost() {
            return Ok(());
        }
        self.stopped = Some(exit::RUN_FAILED);
        let left = counted(count, "run");
        let message = format!(
            "all machines are lost, and {left} not done: the same command goes on from here"
        );
        Err(exit::WithCode { code: exit::RUN_FAILED, message }.into())
    }

    async fn start(
        &mut self,
        task: Task,
        (places, place, beside): (&mut Places, usize, u32),
        room: &Room,
    ) -> Result<BoxFuture<'static, Over>> {
        has_disk(self.folder.path())?;
        let part = self.folder.part(&self.key(task));
        let begins = Begins { point: task.point, seed: task.seed, part: part.clone(), room };
        let run = places.begin(place, self.setup, begins).await?;
        Ok(Box::pin(async move { Over { task, place, part, beside, ended: run.await } }))
    }

    /// Takes over the results of a run that has ended. Returns it if it is to be made again.
    fn finished(&mut self, over: Over) -> Result<Option<Task>> {
        match &over.ended.how {
            How::Done => {}
            How::Failed(message) => return self.failed(&over, message.clone()),
            How::Lost(why) => return self.lost(&over, why),
        }
        let summary = match results::summary(&over.part) {
            Ok(summary) => summary,
            Err(error) => return self.failed(&over, netloom_api::in_words(error.as_ref())),
        };
        if summary.reason == EndReason::Interrupted {
            self.folder.forget(&over.part);
            return Ok(None);
        }
        if !summary.success {
            return self.failed(&over, summary.failures.join("; "));
        }
        let Over { task, part, beside, ended, .. } = over;
        let sweep = &self.setup.sweep;
        let is_simulated = sweep.mode == Mode::Simulate;
        let record = Record {
            key: self.key(task),
            point: self.setup.values(task.point),
            seed: task.seed,
            verdict: summary.verdict.as_ref().map(|verdict| verdict.judgement),
            values: values(&part, &summary, &sweep.metrics)?,
            machine: ended.machine,
            beside: (!is_simulated).then_some(beside),
            attempt: task.attempt,
            seconds: ended.seconds,
        };
        self.look_for_lacking(&record);
        self.done += usize::from(self.folder.record(&record.key).is_none());
        self.folder.finish(record.clone(), &part, sweep.keep)?;
        self.printer.run(self.setup, task.point, &record, self.done);
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

    /// Notes that a machine was lost with its run. Returns that if it is to be made again.
    fn lost(&mut self, over: &Over, why: &str) -> Result<Option<Task>> {
        let task = over.task;
        self.folder.forget(&over.part);
        if self.stopped.is_some() {
            return Ok(None);
        }
        let machine = &over.ended.machine;
        let run = self.setup.in_words(task.point, task.seed);
        self.printer.note(&format!(
            "machine `{machine}` was lost ({why}): it gets no more runs, and {run} is done again"
        ));
        // One that two machines did not survive would cost them all.
        match self.losing.insert((task.point, task.seed), machine.clone()) {
            None => Ok(Some(task)),
            Some(before) => {
                let message = format!("machines were lost with it: `{before}`, then `{machine}`");
                self.failed(over, message)
            }
        }
    }

    /// Notes the failure of a run. Returns it if it is to be made again.
    fn failed(&mut self, over: &Over, message: String) -> Result<Option<Task>> {
        let Over { task, part, .. } = over;
        if self.stopped.is_some() {
            self.folder.forget(part);
            return Ok(None);
        }
        // A full disk is no failure of the run.
        has_disk(self.folder.path())?;
        if message.contains("No space left on device") {
            self.folder.forget(part);
            bail!(
                "the disk of {} is full: {message}; all finished runs are kept: make room, and the \
                 same command goes on from here",
                self.folder.path().display()
            );
        }
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
