//! The simulated part of an experiment, which runs in real time on a thread of its own.
//!
//! | module | contents |
//! |---|---|
//! | `border` | reports how late it delivered frames to real nodes |
//! | `carrier` | the simulated part of a hybrid run as a carrier: [`Hybrid`] |
//! | `driver` | the thread: frames of real nodes in and out, events by the clock |
//! | `twins`, `connections` | record what real hosts send, for their twins |
//!
//! Not here: the simulation itself (`netloom-sim`), and how it follows from the scenario
//! (`netloom-simulate`).

mod border;
mod carrier;
mod connections;
mod driver;
mod twins;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::state::{LinkStatus, ModelledPipe, PipeStatus};
use netloom_course::{pipe_names, pipes};
use netloom_dataplane::Clock;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, PipeChange, Window};
use netloom_nodes::TcpSocket;
use netloom_scenario::Endpoint;
use netloom_sim::MediumSample;
use netloom_simulate::Joined;
use netloom_simulate::symbiosis::{Metadata, Order, RealPipe, Shrunk, SmallNetwork};
use netloom_units::{Duration, Time};
use nix::sys::eventfd::EventFd;

use crate::deployment::Part;
use crate::tally::PipeTally;
pub use border::SimulatedBorder;
pub use carrier::Hybrid;
use driver::Driver;
use twins::TwinWatch;

/// Most links or flows that are read in one go, during which the simulation stands still.
const AT_ONCE: usize = 32;

/// A request that the thread carries out between two turns.
type Request = Box<dyn FnOnce(&mut Driver) + Send>;

/// The simulated part.
pub struct Simulated {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Its links, as users refer to them.
    links: Vec<ShownLink>,
    numbers: HashMap<String, u32>,
    /// The names of all its pipes, by number.
    pipes: Vec<String>,
    /// The whole network's scenario, and its plan.
    network: Part,
}

/// A link, as users refer to it.
struct ShownLink {
    name: String,
    endpoints: [Endpoint; 2],
    pipes: [PipeId; 2],
}

/// The state that the thread and its users share.
struct Shared {
    requests: Mutex<Vec<Request>>,
    /// Written when there is a request.
    wake: EventFd,
    ends: AtomicBool,
    /// The reason why it has ended by itself.
    failure: Mutex<Option<String>>,
}

impl Simulated {
    /// Starts the simulated part of the whole `network`. `devices` are the interfaces of real nodes
    /// at its links.
    pub fn start(network: Part, devices: HashMap<Endpoint, OwnedFd>, clock: Clock) -> Result<Self> {
        let joined = Joined::new(&network.scenario, &network.plan)?;
        let links = (0..).zip(network.scenario.simulated_links()).map(|(number, link)| ShownLink {
            name: link.name.clone(),
            endpoints: link.endpoints.clone(),
            pipes: Direction::BOTH.map(|direction| PipeId { link: LinkId(number), direction }),
        });
        let links = links.collect();
        Self::of(network, joined, links, devices, clock, None)
    }

    /// Starts the small network of a symbiotic run, which stands for the `shrunk` one, and begins
    /// to record what real hosts send.
    pub fn start_small(
        network: Part,
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
        Self::of(network, joined, links, devices, clock, Some(watch))
    }

    fn of(
        network: Part,
        joined: Joined,
        links: Vec<ShownLink>,
        devices: HashMap<Endpoint, OwnedFd>,
        clock: Clock,
        watch: Option<TwinWatch>,
    ) -> Result<Self> {
        let names = joined.links.iter().flat_map(|name| pipe_names(name));
        let pipes = names.collect();
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
        Ok(Self { shared, thread, numbers, links, pipes, network })
    }

    /// Whether it has a link of this name.
    pub fn has(&self, link: &str) -> bool {
        self.numbers.contains_key(link)
    }

    /// Returns the names of its pipes, in the order of their numbers.
    pub fn pipes(&self) -> impl Iterator<Item = String> {
        self.pipes.iter().cloned()
    }

    /// Returns all its links with the counts of their pipes, since their start or over `window`.
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

    /// Sets small pipes according to `orders`, all at one time. Returns that time and the counts of
    /// the pipes until then.
    pub fn follow(&self, orders: Vec<Order>) -> Result<(Time, Vec<RealPipe>)> {
        self.ask(move |driver| driver.follow(&orders))?
    }

    /// Begins to record what real hosts send, at times relative to `zero`.
    pub fn watch_from(&self, zero: Time) -> Result<()> {
        self.ask(move |driver| driver.watch_from(zero))
    }

    /// Sets the congestion control that connections of a real host, given by index, have if their
    /// programs ask for none.
    pub fn note_algorithm(&self, host: u32, name: String) -> Result<()> {
        self.ask(move |driver| driver.note_algorithm(host, &name))
    }

    /// Records the state of the sockets of a real host, given by index, as its kernel reports it.
    pub fn note_sockets(&self, host: u32, sockets: Vec<TcpSocket>) -> Result<()> {
        self.ask(move |driver| driver.note_sockets(host, &sockets))
    }

    /// Returns congestion controls of real hosts that the simulation lacks.
    pub fn unknown_algorithms(&self) -> Result<Vec<String>> {
        self.ask(|driver| driver.unknown_algorithms())
    }

    /// Takes the records of what real hosts sent and received before `until`, which is past and the
    /// end of a period.
    pub fn take_metadata(&self, until: Time) -> Result<Metadata> {
        self.ask(move |driver| driver.take_metadata(until))
    }

    /// Returns what changes of links mean for their pipes.
    fn pipe_changes(&self, changes: &[LinkChange]) -> Result<Vec<(PipeId, PipeChange)>> {
        pipes(changes, |LinkChange { link, change, .. }| {
            let number = *self.numbers.get(link).context("the link is not simulated")?;
            Ok((LinkId(number), change.simulated()))
        })
    }

    /// Returns the longest delay behind the clock since the last call. During such a delay, the
    /// interfaces of real nodes are not read.
    pub fn lag(&self) -> Result<Duration> {
        self.ask(Driver::take_lag)
    }

    /// Returns the traffic that its flows have sent and received.
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

    /// Returns the state of its shared media.
    pub fn look_at_media(&self) -> Result<Vec<MediumSample>> {
        self.ask(|driver| driver.joined.cell().look_at_media())
    }

    /// Returns the state of its shared media, with the events there since the last call.
    pub fn sample_media(&self) -> Result<Vec<MediumSample>> {
        self.ask(|driver| driver.joined.cell().sample_media())
    }

    /// Returns the lateness of frames at each pipe to or from a real node since the last call, and
    /// the number of frames lost outside the model.
    pub fn lateness(&self) -> Result<Vec<(PipeId, PipeTally, u64)>> {
        self.ask(Driver::take_tallies)
    }

    /// Ends the simulation, and closes its devices.
    pub fn stop(&self) {
        self.shared.ends.store(true, Ordering::Release);
        // If it cannot be woken, it notices the end by itself soon.
        let _ = self.shared.wake.write(1);
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // A panic of the thread was reported to those who asked.
            let _ = thread.join();
        }
    }

    /// Makes the thread carry out a request, and waits for the result.
    fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Driver) -> T + Send + 'static,
    ) -> Result<T> {
        self.request(what)?.recv().map_err(|_| self.why_ended())
    }

    /// Makes the thread carry out a request. Its result comes, unless the thread ends.
    fn request<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Driver) -> T + Send + 'static,
    ) -> Result<mpsc::Receiver<T>> {
        let (answer, answered) = mpsc::sync_channel(1);
        let request: Request = Box::new(move |driver| {
            // The caller may have gone.
            let _ = answer.send(what(driver));
        });
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.shared.wake.write(1).context("cannot wake the simulation")?;
        // The thread drops requests that it does not answer, as long as it exists.
        if self.shared.ends.load(Ordering::Acquire) {
            drop(self.shared.take_requests());
        }
        Ok(answered)
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
            // A request may cause an earlier event.
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

/// The last action of the thread, even in a panic: callers get an error instead of an answer.
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
