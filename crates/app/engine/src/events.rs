//! The numbered event stream: the last events in memory for clients, all of them in a run's
//! results.
//!
//! Events are stored as they are sent, as lines of JSON. As a value, an event is as large as its
//! largest variant, so a change of links would take many times its text.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use netloom_api::event::{Event, What};
use netloom_dataplane::Clock;
use netloom_units::Time;
use tokio::sync::watch;

/// Most events that are kept for clients that come late.
const KEPT: usize = 10_000;
/// Most bytes of kept events. The last one is always kept, whatever its size.
const KEPT_BYTES: usize = 4 << 20;
/// Longest time for streams to send their last events.
const PATIENCE: Duration = Duration::from_secs(1);

/// The event stream of one experiment.
pub struct EventLog {
    clock: Clock,
    inner: Mutex<Inner>,
    /// The number of events so far. Closes with the log.
    count: watch::Sender<u64>,
    closed: watch::Sender<bool>,
}

/// An event as it is sent to clients.
#[derive(Debug, Clone)]
pub struct Line {
    /// The event's number.
    pub number: u64,
    /// The event in JSON, in one line.
    pub json: Arc<str>,
}

struct Inner {
    kept: VecDeque<Line>,
    kept_bytes: usize,
    next: u64,
    file: Option<File>,
    warnings: Vec<String>,
    write_error: Option<io::Error>,
}

impl EventLog {
    /// Makes an empty log whose times are those of `clock`. With `file`, every event is also
    /// written there as a line of JSON.
    pub fn new(clock: Clock, file: Option<File>) -> Self {
        let inner = Inner {
            kept: VecDeque::new(),
            kept_bytes: 0,
            next: 0,
            file,
            warnings: Vec::new(),
            write_error: None,
        };
        Self {
            clock,
            inner: Mutex::new(inner),
            count: watch::Sender::new(0),
            closed: watch::Sender::new(false),
        }
    }

    /// Returns the time now, by the log's clock.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Records an event now.
    pub fn record(&self, what: What) {
        self.record_at(self.now(), what);
    }

    /// Records a warning now.
    pub fn warn(&self, message: String) {
        self.record(What::Warning { message });
    }

    /// Records an event at `time`.
    pub fn record_at(&self, time: Time, what: What) {
        self.put(time, [what]);
    }

    /// Records events now, in their order. Many cost little more than one.
    pub fn record_all(&self, what: impl IntoIterator<Item = What>) {
        self.put(self.now(), what);
    }

    fn put(&self, time: Time, what: impl IntoIterator<Item = What>) {
        let mut inner = self.lock();
        let mut lines = String::new();
        for what in what {
            if let What::Warning { message } = &what {
                inner.warnings.push(message.clone());
            }
            let event = Event { number: inner.next, time, what };
            // An event is plain data, so it always has a JSON form.
            let json = serde_json::to_string(&event).unwrap_or_default();
            lines.push_str(&json);
            lines.push('\n');
            inner.keep(Line { number: event.number, json: json.into() });
            inner.next += 1;
        }
        if !lines.is_empty() {
            inner.write(&lines);
            self.count.send_replace(inner.next);
        }
    }

    /// Returns the kept events from number `since` on.
    pub fn since(&self, since: u64) -> Vec<Line> {
        let inner = self.lock();
        inner.kept.iter().filter(|line| line.number >= since).cloned().collect()
    }

    /// Returns all warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.lock().warnings.clone()
    }

    /// Subscribes to the number of events so far.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Subscribes to whether the log is closed, after which there are no more events.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// Closes the log: streams end once they have sent all events. Waits for them for a limited
    /// time, since a client may have stopped reading.
    pub async fn close(&self) {
        self.closed.send_replace(true);
        if self.closed.receiver_count() == 0 {
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        while self.closed.receiver_count() > 0 && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // The last bytes of a stream are still on their way to the socket.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    /// Returns the first error of writing the file, once.
    pub fn take_write_error(&self) -> Option<io::Error> {
        self.lock().write_error.take()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock was held cannot leave the queue in a harmful state.
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Inner {
    fn keep(&mut self, line: Line) {
        self.kept_bytes += line.json.len();
        self.kept.push_back(line);
        while self.kept.len() > 1 && (self.kept.len() > KEPT || self.kept_bytes > KEPT_BYTES) {
            let gone = self.kept.pop_front();
            self.kept_bytes -= gone.map_or(0, |line| line.json.len());
        }
    }

    /// Writes whole lines in one call: each write is a system call, and two could leave half a
    /// line.
    fn write(&mut self, lines: &str) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(lines.as_bytes()) {
            self.write_error.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_api::event::Origin;

    use super::*;

    fn log_of(count: u64, bytes: usize) -> Vec<Line> {
        let log = EventLog::new(Clock::since(Instant::now()), None);
        for _ in 0..count {
            log.record_at(
                Time::ZERO,
                What::ChangeFailed { by: Origin::Request, reason: "x".repeat(bytes) },
            );
        }
        log.since(0)
    }

    #[test]
    fn the_last_events_are_kept() {
        let kept = log_of(KEPT as u64 + 5, 10);
        assert_eq!((kept[0].number, kept.len()), (5, KEPT));
    }

    #[test]
    fn large_events_are_fewer() {
        let kept = log_of(3000, 10_000);
        let bytes: usize = kept.iter().map(|line| line.json.len()).sum();
        assert!(bytes <= KEPT_BYTES, "{bytes} bytes are kept");
        assert!(bytes > KEPT_BYTES - 20_000, "only {bytes} bytes are kept");
        assert_eq!(kept.last().map(|line| line.number), Some(2999));
    }

    #[test]
    fn an_event_beyond_the_limit_is_kept_while_it_is_the_last() {
        let kept = log_of(2, KEPT_BYTES + 1);
        assert_eq!(kept.iter().map(|line| line.number).collect::<Vec<_>>(), [1]);
    }
}
