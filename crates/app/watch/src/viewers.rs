//! Those who watch the network live. One thread looks at the network for all of them, only while
//! there are some, and gives way to all others. Nobody waits for one who does not read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc as threads};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_api::ApiError;
use netloom_api::live::{INTERVALS_MS, LiveNetwork, LiveNotice, LiveRequest, LiveSlowed};
use netloom_course::{Look, View};
use tokio::sync::mpsc;

/// The niceness of the thread.
const NICENESS: i32 = 10;

/// Longest interval to which a look that takes long, or comes late, stretches those of all.
const SLOWEST: Duration = Duration::from_secs(2);

/// Shortest time between two looks: those who want one within it get the same.
const GRAIN: Duration = Duration::from_millis(20);

/// Ticks that wait for one who watches. Later ones are skipped.
const WAITING: usize = 2;

/// A network that is watched.
pub trait Watched: Send + Sync {
    /// Looks at it: at all links, and at shared media if `with_media`. The same look again means
    /// that nothing newer is known.
    ///
    /// # Errors
    /// The network is gone.
    fn look(&self, with_media: bool) -> Result<Arc<Look>>;
}

/// A message for one who watches.
pub enum Sent {
    /// Words.
    Notice(LiveNotice),
    /// Frames of one tick.
    Frames(Vec<Vec<u8>>),
}

/// What one who watches tells the thread.
enum Told {
    Joined(u64, mpsc::Sender<Sent>),
    Asked(u64, LiveRequest),
    Left(u64),
}

/// The way to the thread, while there is one. Whoever speaks to a thread that may end holds it, and
/// so does a thread that ends.
type Door = Arc<Mutex<Option<threads::Sender<Told>>>>;

/// All who watch.
pub struct Watching {
    network: Arc<dyn Watched>,
    thread: Door,
    next: std::sync::atomic::AtomicU64,
}

/// One who watches. Dropping it ends that.
pub struct Watcher {
    number: u64,
    thread: threads::Sender<Told>,
}

impl Watcher {
    /// Asks for something else.
    pub fn ask(&self, mut request: LiveRequest) {
        let (least, most) = (*INTERVALS_MS.start(), *INTERVALS_MS.end());
        request.interval_ms = request.interval_ms.clamp(least, most);
        // A thread that has died is noticed by the end of its messages.
        let _ = self.thread.send(Told::Asked(self.number, request));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.thread.send(Told::Left(self.number));
    }
}

impl Watching {
    /// Nobody watches this network yet.
    pub fn new(network: Arc<dyn Watched>) -> Self {
        Self { network, thread: Door::default(), next: 0.into() }
    }

    /// Has one more watch. What is sent to them comes out of the receiver.
    ///
    /// # Errors
    /// The machine refuses the thread.
    pub fn join(&self) -> Result<(Watcher, mpsc::Receiver<Sent>)> {
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let mut joined = Told::Joined(number, sender);
        if let Some(running) = &*thread {
            match running.send(joined) {
                Ok(()) => return Ok((Watcher { number, thread: running.clone() }, receiver)),
                // The thread has died.
                Err(threads::SendError(back)) => joined = back,
            }
        }
        let (told, tells) = threads::channel();
        // The thread has not begun to read.
        let _ = told.send(joined);
        let network = self.network.clone();
        let door = self.thread.clone();
        let run = move || Thread::new(network, door).run(&tells);
        let started = std::thread::Builder::new().name("live".into()).spawn(run);
        started.context("cannot start the thread of those who watch")?;
        *thread = Some(told.clone());
        Ok((Watcher { number, thread: told }, receiver))
    }
}

/// One who watches, as the thread knows them.
struct Viewer {
    sender: mpsc::Sender<Sent>,
    view: Option<View>,
    due: Instant,
    revision: Option<u32>,
    /// The interval that was announced, if it is not the wanted one.
    slowed: Option<Duration>,
}

/// The thread.
struct Thread {
    network: Arc<dyn Watched>,
    door: Door,
    viewers: BTreeMap<u64, Viewer>,
    last: Option<(Instant, Arc<Look>)>,
    /// Shortest interval for now.
    at_least: Duration,
}

impl Thread {
    fn new(network: Arc<dyn Watched>, door: Door) -> Self {
        let (viewers, at_least) = (BTreeMap::new(), Duration::ZERO);
        Self { network, door, viewers, last: None, at_least }
    }

    /// Looks at the network until nobody watches any more.
    fn run(mut self, tells: &threads::Receiver<Told>) {
        // A kernel that refuses it makes nothing worse than without.
        let _ = rustix::process::nice(NICENESS);
        loop {
            let waiting = self.viewers.values().filter(|viewer| viewer.view.is_some());
            let due = waiting.map(|viewer| viewer.due).min();
            let told = match due {
                Some(due) => tells.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => tells.recv().map_err(|_| threads::RecvTimeoutError::Disconnected),
            };
            match told {
                Ok(told) => self.hear(told),
                Err(threads::RecvTimeoutError::Timeout) => self.tick(),
                Err(threads::RecvTimeoutError::Disconnected) => return,
            }
            if self.viewers.is_empty() && self.is_over(tells) {
                return;
            }
        }
    }

    /// Whether nobody watches any more. Those who come later start another thread.
    fn is_over(&mut self, tells: &threads::Receiver<Told>) -> bool {
        let door = self.door.clone();
        let mut door = door.lock().unwrap_or_else(PoisonError::into_inner);
        tells.try_iter().for_each(|told| self.hear(told));
        let is_over = self.viewers.is_empty();
        if is_over {
            *door = None;
        }
        is_over
    }

    fn hear(&mut self, told: Told) {
        match told {
            Told::Joined(number, sender) => {
                let due = Instant::now();
                let viewer = Viewer { sender, view: None, due, revision: None, slowed: None };
                self.viewers.insert(number, viewer);
            }
            Told::Asked(number, request) => {
                let Some(viewer) = self.viewers.get_mut(&number) else { return };
                match &mut viewer.view {
                    Some(view) => view.ask(request),
                    none => *none = Some(View::new(request)),
                }
                viewer.due = Instant::now();
            }
            Told::Left(number) => drop(self.viewers.remove(&number)),
        }
    }

    /// Serves all whose time has come.
    fn tick(&mut self) {
        let began = Instant::now();
        let horizon = began + GRAIN;
        let at_least = self.at_least;
        let has_readers = self.viewers.values().any(|viewer| viewer.reads(horizon));
        if !has_readers {
            // For those who do not read, nobody looks at the network.
            self.viewers.retain(|_, viewer| viewer.skip(horizon, began, at_least));
            return;
        }
        let look = self.look(began);
        let took = began.elapsed();
        let late = self.viewers.values().filter(|viewer| viewer.view.is_some());
        let late = late.map(|viewer| began.saturating_duration_since(viewer.due)).max();
        self.adapt(took, late.unwrap_or_default());
        let at_least = self.at_least;
        self.viewers.retain(|_, viewer| {
            if !viewer.reads(horizon) {
                return viewer.skip(horizon, began, at_least);
            }
            match &look {
                Ok(look) => viewer.serve(look, began, at_least),
                Err(error) => {
                    let error = netloom_api::in_words(error.as_ref());
                    let failed = LiveNotice::Failed(ApiError { error, help: None });
                    // One who does not read sees the end.
                    let _ = viewer.sender.try_send(Sent::Notice(failed));
                    false
                }
            }
        });
    }

    /// Stretches the intervals if looks take a large part of them, or come late, since then
    /// the machine has other things to do; and lets them shrink again.
    fn adapt(&mut self, took: Duration, late: Duration) {
        let views = self.viewers.values().filter_map(|viewer| viewer.view.as_ref());
        let wanted = views.map(interval).min().unwrap_or(SLOWEST);
        let now = wanted.max(self.at_least);
        self.at_least = match took.max(late) * 4 > now {
            true => (now * 2).min(SLOWEST),
            false if self.at_least > wanted => self.at_least.mul_f64(0.8),
            false => Duration::ZERO,
        };
    }

    fn look(&mut self, now: Instant) -> Result<Arc<Look>> {
        if let Some((at, last)) = &self.last
            && now.duration_since(*at) < GRAIN
        {
            return Ok(last.clone());
        }
        let has_media = self.viewers.values().any(Viewer::wants_media);
        let look = self.network.look(has_media)?;
        self.last = Some((now, look.clone()));
        Ok(look)
    }
}

fn interval(view: &View) -> Duration {
    Duration::from_millis(view.request().interval_ms.into())
}

impl Viewer {
    fn wants_media(&self) -> bool {
        let request = self.view.as_ref().map(View::request);
        request.is_some_and(|request| request.stations || request.positions)
    }

    /// Whether its time has come by `horizon`.
    fn is_due(&self, horizon: Instant) -> bool {
        self.view.is_some() && self.due <= horizon
    }

    /// Whether its time has come, and it has read what it was sent. A tick needs room for its
    /// words, too.
    fn reads(&self, horizon: Instant) -> bool {
        self.is_due(horizon) && self.sender.capacity() > 0
    }

    /// Leaves it out of a tick. Returns whether the viewer is there.
    fn skip(&mut self, horizon: Instant, now: Instant, at_least: Duration) -> bool {
        if self.is_due(horizon) {
            self.passed(now, at_least);
        }
        !self.sender.is_closed()
    }

    /// Sets the time of its next tick. Returns the interval until then.
    fn passed(&mut self, now: Instant, at_least: Duration) -> Duration {
        let interval = self.view.as_ref().map_or(SLOWEST, interval).max(at_least);
        // Ticks that were missed are not caught up with.
        self.due = (self.due + interval).max(now + interval / 2);
        interval
    }

    /// Sends a tick. Returns whether the viewer is there.
    fn serve(&mut self, look: &Arc<Look>, now: Instant, at_least: Duration) -> bool {
        let interval = self.passed(now, at_least);
        let Some(view) = &mut self.view else { return true };
        let wanted = self::interval(view);
        if self.revision != Some(look.revision) {
            let network = LiveNetwork {
                revision: look.revision,
                links: u32::try_from(look.links.len()).unwrap_or(u32::MAX),
                stations: u32::try_from(look.station_count()).unwrap_or(u32::MAX),
            };
            if self.sender.try_send(Sent::Notice(LiveNotice::Network(network))).is_ok() {
                self.revision = Some(look.revision);
            }
        }
        let slowed = (interval > wanted).then_some(interval);
        if slowed != self.slowed && self.sender.capacity() > 1 {
            let why = slowed.map_or("", |_| "the machine has other things to do");
            let interval_ms = u32::try_from(interval.as_millis()).unwrap_or(u32::MAX);
            let notice = LiveNotice::Slowed(LiveSlowed { interval_ms, why: why.into() });
            self.slowed = slowed;
            // There is room.
            let _ = self.sender.try_send(Sent::Notice(notice));
        }
        match self.sender.try_reserve() {
            Ok(place) => place.send(Sent::Frames(view.frames(look))),
            // Nothing of this tick was taken for sent: the next one is over a longer time.
            Err(mpsc::error::TrySendError::Full(())) => {}
            Err(mpsc::error::TrySendError::Closed(())) => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use netloom_api::live::{LiveLinks, LiveWord};

    use super::*;

    /// A network without links that counts how often it is looked at.
    #[derive(Default)]
    struct Counted(AtomicUsize);

    impl Watched for Counted {
        fn look(&self, _with_media: bool) -> Result<Arc<Look>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::default())
        }
    }

    #[test]
    fn nobody_looks_for_one_who_does_not_read() {
        let network = Arc::new(Counted::default());
        let mut thread = Thread::new(network.clone(), Door::default());
        let (sender, mut receiver) = mpsc::channel(WAITING);
        thread.hear(Told::Joined(0, sender));
        let links = LiveLinks::Word(LiveWord::All);
        let all =
            LiveRequest { interval_ms: 100, links, busiest: 0, stations: false, positions: false };
        thread.hear(Told::Asked(0, all));
        let tick = |thread: &mut Thread| {
            thread.last = None;
            thread.viewers.values_mut().for_each(|viewer| viewer.due = Instant::now());
            thread.tick();
            network.0.load(Ordering::Relaxed)
        };
        // The network, then frames: there is no more room.
        assert_eq!([tick(&mut thread), tick(&mut thread), tick(&mut thread)], [1; 3]);
        assert!(thread.viewers[&0].due > Instant::now(), "its time comes again");
        while receiver.try_recv().is_ok() {}
        assert_eq!(tick(&mut thread), 2);
        drop(receiver);
        tick(&mut thread);
        assert!(thread.viewers.is_empty(), "one who is gone is forgotten");
    }
}
