//! The numbered event stream: the last ones in memory for clients, all of them in a run's results.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use netloom_api::event::{Event, What};
use netloom_units::Time;
use tokio::sync::watch;

/// How many events a client that comes late still gets.
const KEPT: usize = 10_000;
/// How long streams may take to send their last events.
const PATIENCE: Duration = Duration::from_secs(1);

/// The event stream of one experiment.
pub struct EventLog {
    inner: Mutex<Inner>,
    /// The number of events so far; closes with the log.
    count: watch::Sender<u64>,
    closed: watch::Sender<bool>,
}

struct Inner {
    kept: VecDeque<Event>,
    next: u64,
    file: Option<File>,
    warnings: Vec<String>,
    write_error: Option<io::Error>,
}

impl EventLog {
    /// An empty log; with `file`, every event is also written there as a line of JSON.
    pub fn new(file: Option<File>) -> Self {
        let inner =
            Inner { kept: VecDeque::new(), next: 0, file, warnings: Vec::new(), write_error: None };
        Self {
            inner: Mutex::new(inner),
            count: watch::Sender::new(0),
            closed: watch::Sender::new(false),
        }
    }

    /// Records that `what` happened at `time`.
    pub fn record(&self, time: Time, what: What) {
        let mut inner = self.lock();
        if let What::Warning { message } = &what {
            inner.warnings.push(message.clone());
        }
        let event = Event { number: inner.next, time, what };
        inner.write(&event);
        inner.next += 1;
        inner.kept.push_back(event);
        if inner.kept.len() > KEPT {
            inner.kept.pop_front();
        }
        self.count.send_replace(inner.next);
    }

    /// The kept events from number `since` on.
    pub fn since(&self, since: u64) -> Vec<Event> {
        let inner = self.lock();
        inner.kept.iter().filter(|event| event.number >= since).cloned().collect()
    }

    /// All warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.lock().warnings.clone()
    }

    /// Tells whenever the number of events has grown.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Tells when no more events will come.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// No more events will come: streams end once they have sent what there is. Waits for them, but
    /// not for ever: a client may have stopped reading.
    pub async fn close(&self) {
        self.closed.send_replace(true);
        if self.closed.receiver_count() == 0 {
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        while self.closed.receiver_count() > 0 && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // What a stream has ended with is on its way to the socket.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    /// The first error that writing the file met, once.
    pub fn take_write_error(&self) -> Option<io::Error> {
        self.lock().write_error.take()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock was held cannot leave the queue half-changed in a harmful way.
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Inner {
    fn write(&mut self, event: &Event) {
        let Some(file) = &mut self.file else { return };
        let line = serde_json::to_string(event).map_err(io::Error::from);
        let written = line.and_then(|line| writeln!(file, "{line}"));
        if let Err(error) = written {
            self.write_error.get_or_insert(error);
        }
    }
}
