//! The simulated part of an experiment, which runs in real time on a thread of its own.
//!
//! | module | what |
//! |---|---|
//! | `driver` | the thread: frames of real nodes in and out, events by the clock |
//! | `twins`, `connections` | what real hosts send, for their twins |
//! | `tally` | how late frames were that left for real nodes |
//!
//! Not here: what happens in it (`netloom-sim`), and how it follows from the scenario
//! (`netloom-simulate`).

mod connections;
mod driver;
mod tally;
mod twins;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::simulation::SimulationSummary;
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_dataplane::Clock;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, PipeChange, Window};
use netloom_nodes::TcpSocket;
use netloom_plan::Plan;
use netloom_scenario::{Endpoint, Scenario};
use netloom_sim::MediumSample;
use netloom_simulate::Joined;
use netloom_simulate::symbiosis::{Metadata, Order, RealPipe, Shrunk, SmallNetwork};
use netloom_units::{Duration, Time};
use nix::sys::eventfd::EventFd;

use driver::Driver;
pub use tally::PipeTally;
use twins::TwinWatch;

/// Links or flows that are looked at in one go: the simulation stands still meanwhile.
const AT_ONCE: usize = 32;

/// What the thread is asked to do between two turns.
type Request = Box<dyn FnOnce(&mut Driver) + Send>;

/// The simulated part.
pub struct Simulated {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Its links, as people know them.
    links: Vec<ShownLink>,
    numbers: HashMap<String, u32>,
    /// The names of all its pipes, by number.
    pipes: Vec<String>,
    /// Whether it follows another simulation, which alone changes it.
    follows: bool,
}

/// A link as people know it.
struct ShownLink {
    name: String,
    endpoints: [Endpoint; 2],
    pipes: [PipeId; 2],
}

/// What the thread and its users share.
struct Shared {
    requests: Mutex<Vec<Request>>,
    /// Written when there is a request.
    wake: EventFd,
    ends: AtomicBool,
    /// Why it has ended by itself.
    failure: Mutex<Option<String>>,
}

impl Simulated {
    /// Starts the simulated part of `scenario`, of which `plan` has all nodes. `devices` are the
    /// interfaces of real nodes at its links.
    pub fn start(
        scenario: &Scenario,
        plan: &Arc<Plan>,
        devices: HashMap<Endpoint, OwnedFd>,
        clock: Clock,
    ) -> Result<Self> {
        let joined = Joined::new(scenario, plan)?;
        let links = (0..).zip(scenario.simulated_links()).map(|(number, link)| ShownLink {
            name: link.name.clone(),
            endpoints: link.endpoints.clone(),
            pipes: Direction::BOTH.map(|direction| PipeId { link: LinkId(number), direction }),
        });
        Self::of(joined, links.collect(), devices, clock, None)
    }

    /// Starts the small network of a symbiotic run, which stands for what was `shrunk`, and begins
    /// to watch what real hosts send.
    pub fn start_small(
        small: SmallNetwork,
        shrunk: &Shrunk,
        devices: HashMap<Endpoint, OwnedFd>,
        clock: Clock,
    ) -> Result<Self> {
        let SmallNetwork { joined, follower } = small;
        let links = follower.links.iter().map(|link| ShownLink {
            name: link.name.clone(),
            endpoints: link.endpoints.clone(),
            pipes: link.pipes,
        });
        let links = links.collect();
        let watch = TwinWatch::new(&joined, shrunk, follower);
        Self::of(joined, links, devices, clock, Some(watch))
    }

    fn of(
        joined: Joined,
        links: Vec<ShownLink>,
        devices: HashMap<Endpoint, OwnedFd>,
        clock: Clock,
        watch: Option<TwinWatch>,
    ) -> Result<Self> {
        let names = joined.links.iter().flat_map(|name| {
            Direction::BOTH.map(|direction| format!("{name}/{}", direction.name()))
        });
        let (pipes, follows) = (names.collect(), watch.is_some());
        let wake = EventFd::new().context("cannot make an event descriptor")?;
        let (ends, failure) = (AtomicBool::new(false), Mutex::default());
        let shared = Arc::new(Shared { requests: Mutex::default(), wake, ends, failure });
        let driver = Driver::new(joined, devices, clock, watch)?;
        let thread = thread::Builder::new().name("simulation".into());
        let at_thread = Arc::clone(&shared);
        let thread = thread.spawn(move || at_thread.drive(driver));
        let thread = thread.context("cannot start the simulation's thread")?;
        let numbers = links.iter().zip(0..).map(|(link, number)| (link.name.clone(), number));
        let (numbers, thread) = (numbers.collect(), Mutex::new(Some(thread)));
        Ok(Self { shared, thread, numbers, links, pipes, follows })
    }

    /// Whether it has a link of that name.
    pub fn has(&self, link: &str) -> bool {
        self.numbers.contains_key(link)
    }

    /// Whether it follows another simulation, which alone changes it.
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// The names of its pipes, in the order of their numbers.
    pub fn pipes(&self) -> impl Iterator<Item = String> {
        self.pipes.iter().cloned()
    }

    /// All its links with what their pipes have counted, since they began or in `window`.
    pub fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        let mut links = Vec::with_capacity(self.links.len());
        while links.len() < self.links.len() {
            let from = links.len();
            let to = (from + AT_ONCE).min(self.links.len());
            let ids: Vec<[PipeId; 2]> =
                self.links[from..to].iter().map(|link| link.pipes).collect();
            let pipes = self.ask(move |driver| {
                let all = ids
                    .into_iter()
                    .map(|pipes| pipes.map(|pipe| driver.joined.statistics(pipe, window)));
                all.collect::<Vec<_>>()
            })?;
            for (pipes, ShownLink { name, endpoints, .. }) in
                pipes.into_iter().zip(&self.links[from..])
            {
                let [forward, reverse] = pipes.map(|(config, statistics)| {
                    PipeStatus::Modelled(Box::new(ModelledPipe { config, statistics }))
                });
                let (name, endpoints) = (name.clone(), endpoints.clone());
                links.push(LinkStatus { name, endpoints, forward, reverse });
            }
        }
        Ok(links)
    }

    /// Has small pipes do what `orders` say, at one time: when, and what they had done by then.
    pub fn follow(&self, orders: Vec<Order>) -> Result<(Time, Vec<RealPipe>)> {
        self.ask(move |driver| driver.follow(&orders))?
    }

    /// Begins to note what real hosts send, at times that count from `zero` on.
    pub fn watch_from(&self, zero: Time) -> Result<()> {
        self.ask(move |driver| driver.watch_from(zero))
    }

    /// Connections of a real host, by place, have this congestion control if nobody asks for
    /// another one.
    pub fn note_algorithm(&self, host: u32, name: String) -> Result<()> {
        self.ask(move |driver| driver.note_algorithm(host, &name))
    }

    /// The kernel of a real host, by place, accounts for its sockets.
    pub fn note_sockets(&self, host: u32, sockets: Vec<TcpSocket>) -> Result<()> {
        self.ask(move |driver| driver.note_sockets(host, &sockets))
    }

    /// Congestion controls of real hosts that the simulation has not.
    pub fn unknown_algorithms(&self) -> Result<Vec<String>> {
        self.ask(|driver| driver.unknown_algorithms())
    }

    /// Takes what real hosts have sent, and what has come to them, before `until`, which is over
    /// and the end of a period.
    pub fn take_metadata(&self, until: Time) -> Result<Metadata> {
        self.ask(move |driver| driver.take_metadata(until))
    }

    /// Makes changes of its links, all at one time.
    pub fn change(&self, changes: &[LinkChange]) -> Result<Time> {
        let mut all: Vec<(PipeId, PipeChange)> = Vec::new();
        for LinkChange { link, direction, change } in changes {
            let number = *self.numbers.get(link).context("the link is not simulated")?;
            let directions: &[Direction] = match direction {
                netloom_scenario::Direction::Both => &Direction::BOTH,
                netloom_scenario::Direction::Forward => &[Direction::Forward],
                netloom_scenario::Direction::Reverse => &[Direction::Reverse],
            };
            for direction in directions {
                let pipe = PipeId { link: LinkId(number), direction: *direction };
                all.push((pipe, change.simulated()));
            }
        }
        self.ask(move |driver| driver.change(&all))?
    }

    /// By how much it was behind the clock at most since this was last called: nobody looked at
    /// the interfaces of real nodes meanwhile.
    pub fn lag(&self) -> Result<Duration> {
        self.ask(Driver::take_lag)
    }

    /// Has its traffic begin, whose times count from `zero` on.
    pub fn begin_traffic(&self, zero: Time) -> Result<()> {
        self.ask(move |driver| driver.begin_traffic(zero))
    }

    /// What its flows have sent and received.
    pub fn flows(&self) -> Result<Vec<FlowStatus>> {
        let mut flows = Vec::new();
        loop {
            let first = u32::try_from(flows.len()).unwrap_or(u32::MAX);
            let more = self.ask(move |driver| driver.joined.flows(first, AT_ONCE))?;
            if more.is_empty() {
                return Ok(flows);
            }
            flows.extend(more);
        }
    }

    /// When a run is over that ends by itself, as far as its traffic is concerned; `None` while
    /// some is yet to be sent.
    pub fn done_at(&self) -> Result<Option<Time>> {
        self.ask(|driver| driver.joined.cell().done_at())
    }

    /// What is on its shared media.
    pub fn look_at_media(&self) -> Result<Vec<MediumSample>> {
        self.ask(|driver| driver.joined.cell().look_at_media())
    }

    /// What is on its shared media, and has happened there since this was last called.
    pub fn sample_media(&self) -> Result<Vec<MediumSample>> {
        self.ask(|driver| driver.joined.cell().sample_media())
    }

    /// How it went.
    pub fn summary(&self) -> Result<SimulationSummary> {
        self.ask(|driver| driver.summary())
    }

    /// How late frames were at each pipe to or from a real node since this was last called, and
    /// how many were lost outside the model.
    pub fn lateness(&self) -> Result<Vec<(PipeId, PipeTally, u64)>> {
        self.ask(Driver::take_tallies)
    }

    /// Ends it, and lets its devices go.
    pub fn stop(&self) {
        self.shared.ends.store(true, Ordering::Release);
        // If it cannot be woken, it is about to see so by itself.
        let _ = self.shared.wake.write(1);
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // A panic of the thread has been told to those who asked.
            let _ = thread.join();
        }
    }

    /// Has the thread do something, and waits for it.
    fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Driver) -> T + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = mpsc::sync_channel(1);
        let request: Request = Box::new(move |driver| {
            // Who asked may have gone.
            let _ = answer.send(what(driver));
        });
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.shared.wake.write(1).context("cannot wake the simulation")?;
        // The thread drops requests that it does not answer, as long as it is there.
        if self.shared.ends.load(Ordering::Acquire) {
            drop(self.shared.take_requests());
        }
        answered.recv().map_err(|_| self.why_ended())
    }

    fn why_ended(&self) -> anyhow::Error {
        let failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let why = failure.clone().unwrap_or_else(|| "it is being taken down".into());
        anyhow!("the simulated part of the network has ended: {why}")
    }
}

impl Shared {
    fn drive(&self, mut driver: Driver) {
        let _last = Last(self);
        let ended = self.turns(&mut driver);
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *failure = ended.err().map(|error| netloom_api::in_words(error.as_ref()));
    }

    fn turns(&self, driver: &mut Driver) -> Result<()> {
        driver.begin();
        while !self.ends.load(Ordering::Acquire) {
            let next = driver.turn()?;
            let requests = self.take_requests();
            // What was asked may have something happen earlier.
            let next = if requests.is_empty() { next } else { Some(Time::ZERO) };
            for request in requests {
                request(driver);
            }
            driver.wait(next, &self.wake)?;
        }
        Ok(())
    }

    fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the thread does last, also in a panic: whoever asks is told that nobody answers.
struct Last<'s>(&'s Shared);

impl Drop for Last<'_> {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::Release);
        drop(self.0.take_requests());
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        self.stop();
    }
}
