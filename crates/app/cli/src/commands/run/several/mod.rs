//! A run on several machines: a member carries the part of each, this program leads them, and one
//! result is left. What is said between them: `netloom_api::member`.
//!
//! | module | contents |
//! |---|---|
//! | `member` | a member, as its lead sees it |
//! | `underlay` | the network between machines that are made on this one |

mod member;
mod underlay;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use futures_util::future::{join_all, try_join_all};
use netloom_api::event::{EndReason, What};
use netloom_api::launch::{Calibration, Launch, Mode, StartUp};
use netloom_api::member::{LEASE, Order, Said};
use netloom_lead::dialled::Cluster;
use netloom_lead::files::Packed;
use netloom_lead::{PartOfResults, Placed, Secrets};
use netloom_placement::{Machines, NoPlacement, place};
use netloom_profile::Profile;
use netloom_scenario::{Objective, Scenario};
use netloom_units::Time;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{MissedTickBehavior, interval};

use super::emulated::show;
use super::finished::Finished;
use crate::find::Loaded;
use crate::finding::Check;
use crate::interrupts::Interrupts;
use crate::launch::Engine;
use crate::survey::{refuse, survey};
use crate::warnings::Warnings;
use crate::{exit, output, placing, results};
use member::{Elsewhere, Running, TAKEDOWN, listen};
use underlay::Underlay;

/// Time between two looks for members that say nothing.
const LOOK: Duration = Duration::from_millis(500);

/// How runs on several machines are started.
pub struct Start {
    pub machines: Machines,
    /// The Ray cluster that the machines belong to, while they are reserved.
    pub cluster: Option<Cluster>,
    /// The network between machines that are made on this one, while it is up.
    pub underlay: Option<Underlay>,
    /// Whether the user has asked for a number of machines, not for certain ones.
    pub counted: bool,
    pub profiles: Vec<Option<Profile>>,
    /// A file that says which node is where.
    pub placement: Option<PathBuf>,
    pub workers: Option<usize>,
    pub calibration: Calibration,
    pub fail_fast: bool,
    /// The machine that carries all of it.
    pub on: Option<String>,
}

/// Runs a scenario into `directory`.
pub async fn once(start: &Start, loaded: &Loaded, directory: &Path) -> Result<Finished> {
    let whole;
    let loaded = match &start.on {
        Some(machine) => {
            whole = on_one(loaded, machine);
            &whole
        }
        None => loaded,
    };
    let (placed, remarks) = start.place(loaded).await?;
    let mut interrupts = Interrupts::watch()?;
    let mut lead = Lead { members: Vec::new(), zero: None, warnings: warnings() };
    let outcome = lead.run(start, loaded, (&placed, directory), &mut interrupts).await;
    match outcome {
        Ok(Ended::Interrupted(code)) => Ok(Finished::without_results(code)),
        Ok(Ended::Over(interrupted)) => {
            // They say nothing any more, and are about to end.
            join_all(lead.members.iter_mut().map(|member| member.engine.wait())).await;
            lead.finish(loaded, &placed, (directory, &remarks), interrupted)
        }
        Err(error) => {
            lead.take_back().await;
            Err(error)
        }
    }
}

impl Start {
    /// Reserves machines of a Ray cluster, or makes the network between those of this machine, for
    /// an experiment of this name. Learns how each machine is reached.
    pub async fn open(&mut self, experiment: &str) -> Result<()> {
        self.underlay = Underlay::make(&mut self.machines, experiment).await?;
        let word = Secrets::random()?.word;
        let reserved = Cluster::reserve(&mut self.machines, word, |text| note!("note: {text}"));
        self.cluster = reserved.await.map_err(|error| exit::usage(format!("{error:#}")))?;
        self.profiles.resize_with(self.machines.list.len(), || None);
        Ok(())
    }

    /// Gives them back.
    pub async fn close(&mut self) {
        if let Some(underlay) = self.underlay.take() {
            underlay.remove().await;
        }
        if let Some(cluster) = self.cluster.take()
            && let Some(remark) = cluster.release().await
        {
            note!("note: {remark}");
        }
    }

    /// Places the nodes of a scenario on the machines, as far apart as those are found to be.
    /// Returns also in what machines differ.
    async fn place(&self, loaded: &Loaded) -> Result<(Placed, Vec<String>)> {
        let (mut machines, profiles) = (self.machines.clone(), &self.profiles);
        if let Some(why) = impossible(&loaded.scenario) {
            return Err(exit::usage(format!("this run cannot be on several machines: {why}")));
        }
        // Engines of one machine have its loopback between them, and all else in common.
        let survey = match machines.local {
            None => Some(survey(&machines, Some(&loaded.scenario)).await?),
            Some(_) => None,
        };
        let bounds = match &survey {
            Some(survey) => {
                refuse(&survey.findings())?;
                machines.tunnel.mtu = machines.tunnel.mtu.or(survey.mtu());
                survey.bounds()?
            }
            None => machines.assumed_bounds(),
        };
        let machines = &machines;
        let problem = placing::problem(&loaded.scenario, machines, profiles, bounds)?;
        let (mut problem, remarks) = problem;
        if self.counted {
            // Who asks for so many wants to see so many.
            problem.objective = Objective::Spread;
        } else {
            remarks.iter().for_each(|remark| note!("note: {remark}"));
        }
        let placement = match &self.placement {
            Some(file) => placing::placement(file, &loaded.scenario.name, &problem)?,
            None => {
                let found = place(&problem);
                let refused =
                    |why: NoPlacement| exit::usage(format!("{why}\n  = help: {}", why.help()));
                found.map_err(refused)?.placement
            }
        };
        let secrets = Secrets::random()?;
        let placed = Placed::new(&loaded.scenario, machines, (&problem, &placement), secrets);
        let placed = placed.map_err(|error| exit::usage(error.to_string()))?;
        let Some(survey) = survey else { return Ok((placed, Vec::new())) };
        refuse(&survey.missing(&loaded.scenario, &placed.nodes()))?;
        let differ = |check: Check| format!("machines differ: {}: {}", check.what, check.found);
        Ok((placed, survey.differences().into_iter().map(differ).collect()))
    }
}

/// Returns the scenario with all its nodes on one machine.
fn on_one(loaded: &Loaded, machine: &str) -> Loaded {
    let mut whole = loaded.clone();
    for node in &mut whole.scenario.nodes {
        (node.machine, node.together, node.apart) = (Some(machine.to_owned()), None, None);
    }
    whole
}

/// Returns why a scenario cannot run on several machines, if it cannot.
fn impossible(scenario: &Scenario) -> Option<&'static str> {
    if scenario.is_hybrid() || scenario.is_symbiotic() {
        return Some("some of its nodes are simulated; make them real, or run it on one machine");
    }
    (!scenario.dilation.is_none())
        .then_some("its time is dilated; leave `dilation` away, or run it on one machine")
}

fn is_watched() -> bool {
    std::io::stderr().is_terminal() && !output::is_quiet()
}

fn warnings() -> Warnings {
    if is_watched() { Warnings::default() } else { Warnings::for_later() }
}

/// How a run has ended.
enum Ended {
    /// A signal ended its start, with this exit code; nothing is left.
    Interrupted(i32),
    /// It ran. A signal may have ended it, with this exit code.
    Over(Option<i32>),
}

/// The members of a run, which this program leads.
struct Lead {
    members: Vec<Running>,
    /// When the run began.
    zero: Option<Instant>,
    warnings: Warnings,
}

impl Lead {
    async fn run(
        &mut self,
        start: &Start,
        loaded: &Loaded,
        (placed, directory): (&Placed, &Path),
        interrupts: &mut Interrupts,
    ) -> Result<Ended> {
        let begun = async {
            self.launch(start, loaded, placed, directory).await?;
            self.begin().await
        };
        tokio::select! {
            begun = begun => begun?,
            signal = interrupts.next() => {
                self.take_back().await;
                eprintln!("interrupted; nothing of `{}` is left", loaded.scenario.name);
                return Ok(Ended::Interrupted(128 + signal));
            }
        }
        if is_watched() {
            let (name, size) = (&loaded.scenario.name, loaded.scenario.size());
            let machines = self.members.len();
            eprintln!("{name}: {size} up on {machines} machines; Ctrl-C ends the run");
        }
        self.follow(interrupts).await.map(Ended::Over)
    }

    /// Starts a member on each machine that has nodes.
    async fn launch(
        &mut self,
        start: &Start,
        loaded: &Loaded,
        placed: &Placed,
        directory: &Path,
    ) -> Result<()> {
        let mut packed = None;
        for (member, command) in placed.members()? {
            let name = member.name.clone();
            let own = part_of(directory, &name);
            let mut orders = Launch {
                scenario: loaded.scenario.clone(),
                source: loaded.source.clone(),
                file: loaded.file.clone(),
                directory: loaded.directory.clone(),
                mode: Mode::Run { results: own.clone(), fail_fast: start.fail_fast },
                workers: start.workers,
                calibration: start.calibration.clone(),
                shell: None,
                member: Some(member),
            };
            let on_machine = || format!("machine `{name}`");
            let elsewhere = match command {
                None => None,
                Some(command) => {
                    let packed = match &packed {
                        Some(packed) => Arc::clone(packed),
                        None => {
                            let folder = Packed::folder(&loaded.directory)?;
                            Arc::clone(packed.insert(Arc::new(folder)))
                        }
                    };
                    let there = Elsewhere::bring(command, placed.word(), packed, &mut orders);
                    Some(there.await.with_context(on_machine)?)
                }
            };
            let experiment = orders.name();
            let engine = match &elsewhere {
                None => Engine::launch(orders, false).await,
                Some(there) => Engine::launch_by(&there.command, &there.word, &orders).await,
            };
            let engine = match (engine, &elsewhere) {
                (Err(error), Some(there)) => {
                    there.forget(&experiment);
                    Err(error)
                }
                (engine, _) => engine,
            };
            let engine = engine.with_context(on_machine)?;
            engine.pulse();
            self.members.push(Running {
                name,
                experiment,
                engine,
                directory: own,
                elsewhere,
                at_first: BTreeMap::new(),
                at_last: BTreeMap::new(),
                lost: None,
            });
        }
        Ok(())
    }

    /// Has the members meet, and begin at one time.
    async fn begin(&mut self) -> Result<()> {
        let doors = self.said_by_all(|_, said| match said {
            Said::Doors(doors) => Some(doors),
            _ => None,
        });
        let doors = doors.await?.into_iter().collect();
        self.order_all(&Order::Meet { doors }).await?;
        let ready = self.said_by_all(|member, said| {
            let Said::Ready { clocks } = said else { return None };
            member.at_first = clocks;
            Some(())
        });
        ready.await?;
        let trips = self.members.iter().flat_map(|member| member.at_first.values());
        let ahead = netloom_lead::ahead(trips.map(|clock| clock.round_trip).max());
        let first = self.members.first_mut().context("no machine has a node")?;
        first.engine.order(&Order::Propose { ahead }).await?;
        let Said::Zero { zero } = first.said().await? else { return Err(first.unexpected()) };
        self.order_all(&Order::Begin { zero }).await?;
        let begins = self.said_by_all(|_, said| match said {
            Said::Begins { ahead } => Some(ahead),
            _ => None,
        });
        let begins = begins.await?;
        if let Some((_, ahead)) = begins.first() {
            let ahead = Duration::from_nanos(u64::try_from(*ahead).unwrap_or(0));
            self.zero = Some(Instant::now() + ahead);
        }
        for (name, ahead) in begins.into_iter().filter(|(_, ahead)| *ahead < 0) {
            let late = ahead.unsigned_abs() / 1000;
            self.warnings
                .show(&format!("`{name}` began {late} µs after zero: it heard of it late"));
        }
        for member in &mut self.members {
            member.engine.ready().await.with_context(|| format!("machine `{}`", member.name))?;
        }
        Ok(())
    }

    /// Waits for what all members have to say now, whichever says it first. An error of one is the
    /// error of all.
    async fn said_by_all<T>(
        &mut self,
        expected: impl Fn(&mut Running, Said) -> Option<T>,
    ) -> Result<Vec<(String, T)>> {
        let all = self.members.iter_mut().map(async |member| {
            let said = member.said().await?;
            let wanted = expected(member, said).ok_or_else(|| member.unexpected())?;
            anyhow::Ok((member.name.clone(), wanted))
        });
        try_join_all(all).await
    }

    async fn order_all(&mut self, order: &Order) -> Result<()> {
        for member in &mut self.members {
            let given = member.engine.order(order).await;
            given.with_context(|| format!("machine `{}` takes no orders", member.name))?;
        }
        Ok(())
    }

    /// Gives an order to all members. One that has ended takes none.
    async fn order_each(&mut self, order: &Order) {
        self.order_others(usize::MAX, order).await;
    }

    /// Gives an order to all members but one. One that has ended takes none.
    async fn order_others(&mut self, but: usize, order: &Order) {
        for (number, member) in self.members.iter_mut().enumerate() {
            if number != but {
                let _ = member.engine.order(order).await;
            }
        }
    }

    /// Takes note that a member is lost, and ends the run on the others.
    async fn lose(&mut self, number: usize, why: String, state: &mut Following) {
        let passed = self.zero.map_or(0, |zero| zero.elapsed().as_nanos());
        let at = Time::from_nanos(u64::try_from(passed).unwrap_or(u64::MAX));
        let member = &mut self.members[number];
        member.lost.get_or_insert((at, why));
        // It may stand still, and would stay. What it still says is not taken.
        let _ = member.engine.kill().await;
        state.gone[number] = true;
        let why = format!("machine `{}` was lost", member.name);
        state.until.get_or_insert(Instant::now() + TAKEDOWN);
        self.order_others(number, &Order::Abandon { why }).await;
    }

    /// Follows the members to the end of the run. Returns the exit code if a signal asked for it. A
    /// second one kills them.
    async fn follow(&mut self, interrupts: &mut Interrupts) -> Result<Option<i32>> {
        let (sender, mut heard) = unbounded_channel();
        for (number, member) in self.members.iter_mut().enumerate() {
            listen(number, member.engine.take_lines(), sender.clone());
        }
        drop(sender);
        let mut interrupted = None;
        let mut state = Following::of(self.members.len());
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !state.gone.iter().all(|gone| *gone) {
            tokio::select! {
                next = heard.recv() => match next {
                    None => break,
                    Some((number, _)) if state.gone[number] => {}
                    Some((number, one)) => self.hear(number, one, &mut state).await,
                },
                _ = looks.tick() => {
                    for number in state.silent() {
                        self.lose(number, "it says nothing any more".into(), &mut state).await;
                    }
                }
                signal = interrupts.next() => {
                    if interrupted.is_some() {
                        bail!("interrupted twice: the run was killed, and has no results");
                    }
                    interrupted = Some(128 + signal);
                    eprintln!("ending the run and keeping its results; Ctrl-C again to kill it");
                    state.is_ending = true;
                    self.order_each(&Order::Interrupt).await;
                }
                () = state.patience() => bail!("a machine was lost, and others did not end"),
            }
        }
        Ok(interrupted)
    }

    async fn hear(&mut self, number: usize, heard: Option<StartUp>, state: &mut Following) {
        state.silence[number] = Duration::ZERO;
        let Some(said) = heard else {
            state.gone[number] = true;
            if !state.ended[number] {
                self.lose(number, "its engine died".into(), state).await;
            }
            return;
        };
        match said {
            StartUp::Member(Said::Event(event)) => {
                if let What::RunEnded { reason } = &event.what
                    && !matches!(reason, EndReason::Completed | EndReason::Duration)
                    && !std::mem::replace(&mut state.is_ending, true)
                {
                    let name = &self.members[number].name;
                    let why = format!("it ended on `{name}`: {}", reason.in_words());
                    self.order_others(number, &Order::Abandon { why }).await;
                }
                show(&event, is_watched(), &mut self.warnings);
            }
            StartUp::Member(Said::Process { process, node, state, at }) => {
                let order = Order::Process { process, node, state, at };
                self.order_others(number, &order).await;
            }
            StartUp::Member(Said::Completed) => {
                state.completed[number] = true;
                if state.completed.iter().all(|completed| *completed) {
                    state.is_ending = true;
                    self.order_each(&Order::Complete).await;
                }
            }
            StartUp::Member(Said::Over) => {
                state.over[number] = true;
                if state.over.iter().all(|over| *over) {
                    self.order_each(&Order::Part).await;
                }
            }
            StartUp::Member(Said::Heard) => {
                state.heard[number] = true;
                if state.heard.iter().all(|heard| *heard) {
                    self.order_each(&Order::Leave).await;
                }
            }
            StartUp::Member(Said::Ended { clocks }) => {
                self.members[number].at_last = clocks;
                state.ended[number] = true;
            }
            // One that stood still itself has heard nobody.
            StartUp::Member(Said::Silent { machine, lasted }) if state.until.is_none() => {
                let silent = self.members.iter().position(|member| member.name == machine);
                if let Some(silent) = silent.filter(|silent| !state.over[*silent]) {
                    let why = format!("nothing came from it for {lasted}");
                    self.lose(silent, why, state).await;
                }
            }
            StartUp::Failed(error) => self.lose(number, error.error, state).await,
            _ => {}
        }
    }

    /// Ends the members, and removes what they made.
    async fn take_back(&mut self) {
        join_all(self.members.iter_mut().map(Running::take_back)).await;
    }

    /// Merges what the members have left to one result.
    fn finish(
        self,
        loaded: &Loaded,
        placed: &Placed,
        (directory, remarks): (&Path, &[String]),
        interrupted: Option<i32>,
    ) -> Result<Finished> {
        let held = results::Held::new(directory);
        let parts: Vec<PartOfResults> = self.members.iter().map(Running::part).collect();
        let nodes = placed.nodes();
        netloom_lead::merge(&parts, &loaded.scenario, (&nodes, remarks), directory)?;
        for (part, member) in parts.iter().zip(&self.members) {
            // What is in them is in the whole now.
            part.directory.iter().for_each(|own| _ = std::fs::remove_dir_all(own));
            if let Some((_, why)) = &member.lost {
                member.clean_up();
                eprintln!("error: machine `{}` was lost: {why}", member.name);
            }
        }
        let reached = held.as_ref().map_or_else(|_| directory.to_owned(), results::Held::path);
        let run = results::read(&reached)?;
        let warnings = self.warnings;
        Ok(Finished { interrupted, results: Some((run, reached)), warnings, _held: held.ok() })
    }
}

/// How far the members are while they run.
struct Following {
    completed: Vec<bool>,
    over: Vec<bool>,
    heard: Vec<bool>,
    ended: Vec<bool>,
    /// Whether nothing more is heard from it, since it has ended or is lost.
    gone: Vec<bool>,
    /// Time for which nothing has been heard from it.
    silence: Vec<Duration>,
    is_ending: bool,
    /// When the others must have ended, if a member is lost.
    until: Option<Instant>,
}

impl Following {
    fn of(members: usize) -> Self {
        Self {
            completed: vec![false; members],
            over: vec![false; members],
            heard: vec![false; members],
            ended: vec![false; members],
            gone: vec![false; members],
            silence: vec![Duration::ZERO; members],
            is_ending: false,
            until: None,
        }
    }

    /// Looks once more, and returns those that have said nothing for the length of a lease. Their
    /// results may take a while to be written once they have ended.
    fn silent(&mut self) -> Vec<usize> {
        self.silence.iter_mut().for_each(|silence| *silence += LOOK);
        let is_lost = |number: &usize| {
            !self.gone[*number] && !self.ended[*number] && self.silence[*number] > LEASE
        };
        (0..self.gone.len()).filter(is_lost).collect()
    }

    /// Waits until the others have had their time to end, if a member is lost.
    async fn patience(&self) {
        match self.until {
            Some(until) => tokio::time::sleep_until(until.into()).await,
            None => std::future::pending().await,
        }
    }
}

/// Returns the directory of a machine's own results, beside those of the whole.
pub fn part_of(directory: &Path, machine: &str) -> PathBuf {
    let mut name = directory.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{machine}"));
    directory.with_file_name(name)
}
