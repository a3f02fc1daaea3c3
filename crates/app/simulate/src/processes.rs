//! The first process of a simulated run, with its own part of the network, and the other processes,
//! which have the rest. Only the first process writes results. Not here: what the other processes
//! do (`worker`).
//!
//! The first process tracks the time of the next event of every cell. It hands a round to each
//! process that can go on, and carries frames between them. The others run their cells while it
//! runs its own.

use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Error, Result, anyhow, bail};
use netloom_scenario::Scenario;
use netloom_sim::{
    Announcement, Division, FlowSample, Misdirected, PipeSample, Schedule, Simulation, Standing,
};
use netloom_units::Time;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::message::{Answer, Begin, Order, Ready, receive, send};
use crate::threads::{self, Others, Progress, Round};
use crate::worker::{ROLE, ready};

/// Error: the processes have different networks, because they are of different versions of the
/// program.
const OTHER_NETWORK: &str = "it simulates another network than the first process; was `netloom` \
                             replaced while it started? run it again";

/// The division of a network, and the processes and threads that run it.
#[derive(Debug, Clone, Copy)]
pub struct Shares {
    /// Largest number of cells that the network is divided into.
    pub cells: u32,
    /// Largest number of processes.
    pub processes: u32,
    /// Number of threads of all processes together. Each process has at least one.
    pub threads: u32,
}

impl Shares {
    /// Returns the division for one process.
    pub const fn division(self, process: u32) -> Division {
        Division { cells: self.cells, processes: self.processes, process }
    }

    /// Returns the number of threads on which a process runs its cells.
    fn threads_of(self, process: u32) -> u32 {
        let more = process < self.threads % self.processes;
        (self.threads / self.processes + u32::from(more)).max(1)
    }
}

/// All processes of a run, from the first one's point of view.
pub struct Processes {
    /// The part of the network that this process runs.
    simulation: Simulation,
    /// Number of captures in the scenario.
    captures: usize,
    /// Number of threads of this process.
    own_threads: usize,
    /// Number of threads of all processes.
    threads: usize,
    others: Crew,
    standing: Standing,
}

/// The other processes, and the progress of all.
struct Crew {
    workers: Vec<Worker>,
    /// The schedule of all cells.
    plan: Schedule,
    /// Announcements to each process that have not been sent yet.
    mail: Vec<Vec<Announcement>>,
    /// The process of each cell.
    homes: Vec<usize>,
    /// The cells of the first process.
    own: Range<usize>,
    until: Time,
}

/// Another process.
struct Worker {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Number of the process, from 1 on.
    place: usize,
    /// The numbers of its cells.
    region: Range<usize>,
    is_running: bool,
}

/// Processes that are still making their parts of a network.
pub struct Starting {
    workers: Vec<Worker>,
    captures: usize,
}

impl Starting {
    /// Starts all other processes of a run.
    ///
    /// # Errors
    /// If a process cannot be started.
    pub fn new(scenario: &Scenario, shares: Shares) -> Result<Self> {
        let captures = scenario.measure.capture.len();
        if shares.processes <= 1 {
            return Ok(Self { workers: Vec::new(), captures });
        }
        let scenario = serde_json::to_string(scenario).context("cannot hand on the scenario")?;
        let start = |process| {
            let begin = Begin {
                cells: shares.cells,
                processes: shares.processes,
                process,
                threads: shares.threads_of(process),
                scenario: scenario.clone(),
            };
            Worker::start(&begin)
        };
        let workers = (1..shares.processes).map(start).collect::<Result<_>>()?;
        Ok(Self { workers, captures })
    }

    /// Waits until all processes have made their parts. `simulation` is this process's part.
    ///
    /// # Errors
    /// If a process cannot make its part, or has another network.
    pub fn finish(self, mut simulation: Simulation, shares: Shares) -> Result<Processes> {
        let regions = simulation.regions.clone();
        let Ready { cells, pipes, mut next, mut standing } = ready(&mut simulation);
        let Self { mut workers, captures } = self;
        // Processes without cells end.
        workers.truncate(regions.len() - 1);
        for (worker, region) in workers.iter_mut().zip(&regions[1..]) {
            worker.region = region.clone();
            let Answer::Ready(part) = worker.answer()? else { return Err(worker.out_of_turn()) };
            if (part.cells, part.pipes, part.next.len()) != (cells, pipes, region.len()) {
                bail!("{}: {OTHER_NETWORK}", worker.name());
            }
            next.extend(part.next);
            standing.join(part.standing);
        }
        let homes = regions.iter().enumerate();
        let homes = homes.flat_map(|(process, region)| region.clone().map(move |_| process));
        let others = Crew {
            mail: vec![Vec::new(); regions.len()],
            homes: homes.collect(),
            plan: Schedule::new(next, simulation.hearers.clone(), Time::ZERO),
            own: simulation.region(),
            workers,
            until: Time::ZERO,
        };
        let threads = (0..regions.len() as u32).map(|process| shares.threads_of(process));
        let (own, all) = (shares.threads_of(0) as usize, threads.sum::<u32>() as usize);
        Ok(Processes { simulation, captures, own_threads: own, threads: all, others, standing })
    }
}

impl Processes {
    /// Processes all events up to and including `until`.
    ///
    /// # Errors
    /// If frames go round in circles without time passing, or if a process has died.
    pub fn advance(&mut self, until: Time) -> Result<()> {
        let Self { simulation, own_threads, others, .. } = self;
        others.until = until;
        others.plan.extend(until);
        if let Some(round) = others.next_round()? {
            threads::advance(simulation, until, *own_threads, (round, others))?;
        }
        others.order_all(&Order::Reach(until))?;
        simulation.reach(until)?;
        self.standing = simulation.standing();
        for worker in &mut others.workers {
            let Answer::Stands(standing) = worker.answer()? else {
                return Err(worker.out_of_turn());
            };
            self.standing.join(standing);
        }
        Ok(())
    }

    /// Returns the current time in the network.
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// Returns the progress of the simulation.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Number of cells of all processes.
    pub fn cells(&self) -> usize {
        self.simulation.hearers.len()
    }

    /// Number of processes, including this one.
    pub fn count(&self) -> usize {
        self.others.workers.len() + 1
    }

    /// Number of threads of all processes.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Takes a sample of all pipes and nodes.
    ///
    /// # Errors
    /// If a process has died.
    pub fn sample_pipes(&mut self) -> Result<PipeSample> {
        let Crew { workers, .. } = self.others.order_all(&Order::SamplePipes)?;
        let mut all = self.simulation.sample_pipes();
        for worker in workers {
            let Answer::Pipes(sample) = worker.answer()? else { return Err(worker.out_of_turn()) };
            all.join(*sample);
        }
        let pipes = self.simulation.pipes();
        let is_whole = all.statistics.iter().map(|(pipe, _)| pipe.index()).eq(0..pipes)
            && all.log.iter().all(|(pipe, _)| pipe.index() < pipes)
            && all.captured.iter().all(|(capture, _)| (*capture as usize) < self.captures);
        if is_whole { Ok(all) } else { bail!("a process: {OTHER_NETWORK}") }
    }

    /// Takes a sample of all flows.
    ///
    /// # Errors
    /// If a process has died.
    pub fn sample_flows(&mut self) -> Result<FlowSample> {
        let Crew { workers, .. } = self.others.order_all(&Order::SampleFlows)?;
        let flows = 0..self.simulation.flows();
        let mut all = self.simulation.sample_flows(flows.clone());
        for worker in workers {
            let Answer::Flows(sample) = worker.answer()? else { return Err(worker.out_of_turn()) };
            all.join(sample);
        }
        let is_flow = |flow: &u32| flows.contains(flow);
        let ends = all.ends.iter().map(|(flow, _)| flow);
        let ended = all.delivered.iter().map(|(flow, _)| flow);
        let is_whole = ends.chain(ended).chain(all.tcp.iter().map(|of| &of.flow)).all(is_flow);
        if is_whole { Ok(all) } else { bail!("a process: {OTHER_NETWORK}") }
    }
}

impl Others for Crew {
    fn exchange(&mut self, Progress { next, announcements }: Progress) -> Result<Option<Round>> {
        self.ran(self.own.clone(), &next, announcements)?;
        self.hear(PollTimeout::ZERO)?;
        self.next_round()
    }
}

impl Crew {
    /// Sends an order to all processes.
    fn order_all(&mut self, order: &Order) -> Result<&mut Self> {
        self.workers.iter_mut().try_for_each(|worker| worker.order(order))?;
        Ok(self)
    }

    /// Hands a round to each process that can go on, until this one can. Returns its round, or
    /// `None` once all cells have reached the required time.
    fn next_round(&mut self) -> Result<Option<Round>> {
        loop {
            for place in 0..self.workers.len() {
                let worker = &mut self.workers[place];
                if worker.is_running {
                    continue;
                }
                if let Some(bounds) = self.plan.pick_region(worker.region.clone()) {
                    let announcements = std::mem::take(&mut self.mail[worker.place]);
                    worker.order(&Order::Run(self.until, Round { bounds, announcements }))?;
                    worker.is_running = true;
                }
            }
            if let Some(bounds) = self.plan.pick_region(self.own.clone()) {
                let announcements = std::mem::take(&mut self.mail[0]);
                return Ok(Some(Round { bounds, announcements }));
            }
            if !self.plan.is_running() {
                return Ok(None);
            }
            self.hear(PollTimeout::NONE)?;
        }
    }

    /// Processes the answers of processes that have finished their rounds. `wait` is how long to
    /// wait for the first one.
    fn hear(&mut self, wait: PollTimeout) -> Result<()> {
        let running = self.workers.iter().filter(|worker| worker.is_running);
        let mut ends: Vec<PollFd<'_>> = running
            .map(|worker| PollFd::new(worker.answers.get_ref().as_fd(), PollFlags::POLLIN))
            .collect();
        if ends.is_empty() {
            return Ok(());
        }
        match poll(&mut ends, wait) {
            Err(Errno::EINTR) => return Ok(()),
            polled => polled.context("cannot wait for the processes of the simulation")?,
        };
        let mut answers = ends.iter().map(|end| end.any().unwrap_or(true));
        let answered: Vec<bool> = self
            .workers
            .iter()
            .map(|worker| worker.is_running && answers.next().unwrap_or(false))
            .collect();
        for (place, _) in answered.iter().enumerate().filter(|(_, answered)| **answered) {
            let worker = &mut self.workers[place];
            let Answer::Ran(Progress { next, announcements }) = worker.answer()? else {
                return Err(worker.out_of_turn());
            };
            worker.is_running = false;
            let region = worker.region.clone();
            if next.len() != region.len() {
                return Err(worker.out_of_turn());
            }
            self.ran(region, &next, announcements)?;
        }
        Ok(())
    }

    /// Records that cells have been advanced.
    fn ran(
        &mut self,
        region: Range<usize>,
        next: &[Option<Time>],
        announcements: Vec<Announcement>,
    ) -> Result<(), Misdirected> {
        region.zip(next).for_each(|(cell, next)| self.plan.finish(cell, *next));
        for announcement in announcements {
            let cell = announcement.cell as usize;
            let home = *self.homes.get(cell).ok_or(Misdirected)?;
            self.plan.announced(cell, announcement.release);
            self.mail[home].push(announcement);
        }
        Ok(())
    }
}

impl Worker {
    /// Starts a process that makes its part of the network.
    fn start(begin: &Begin) -> Result<Self> {
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let mut command = Command::new(binary);
        command.arg(ROLE).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is meant for the first process, which then asks the others for the last figures.
        command.process_group(0);
        let mut child = command.spawn().context("cannot start a process of the simulation")?;
        let (Some(orders), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("a process of the simulation was started without pipes");
        };
        let (answers, place) = (BufReader::new(answers), begin.process as usize);
        let mut worker = Self { child, orders, answers, place, region: 0..0, is_running: false };
        if begin.send(&mut worker.orders).is_err() {
            return Err(worker.died());
        }
        Ok(worker)
    }

    fn order(&mut self, order: &Order) -> Result<()> {
        send(order, &mut self.orders).map_err(|_| self.died())
    }

    fn answer(&mut self) -> Result<Answer> {
        // A message that ends early was sent by a process that has ended.
        match self.answers.fill_buf() {
            Ok([]) | Err(_) => return Err(self.died()),
            Ok(_) => {}
        }
        match receive(&mut self.answers).with_context(|| self.name())? {
            Answer::Failed(why) => Err(Error::msg(why)),
            answer => Ok(answer),
        }
    }

    /// Returns the error that the process has ended, and how.
    fn died(&mut self) -> Error {
        let how = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        anyhow!(
            "{} has ended ({how}), and its part of the network with it: the run cannot go on; if \
             memory has run out, `dmesg` says so, and fewer nodes or another machine help",
            self.name()
        )
    }

    fn out_of_turn(&self) -> Error {
        anyhow!("{} answers what it was not asked", self.name())
    }

    fn name(&self) -> String {
        format!("process {} of the simulation (PID {})", self.place + 1, self.child.id())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
