//! The numbered event stream: the last events in memory for clients (`netloom_watch::Feed`), and
//! all of them in a run's results. Callers give times of the engine's clock. Events leave with
//! times since zero, except for those that clients ask for before zero is known: these count from
//! when the network was up, the only time that is known then.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use netloom_api::event::{Event, What};
use netloom_units::Time;
use netloom_watch::{Feed, Line};

use crate::zero::Zero;

/// The event stream of one experiment.
pub struct EventLog {
    zero: Arc<Zero>,
    /// The last events, for clients.
    pub feed: Arc<Feed>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// All events so far, by the engine's clock, until zero is known.
    held: Option<Vec<Event>>,
    next: u64,
    file: Option<File>,
    warnings: Vec<String>,
    write_error: Option<io::Error>,
}

impl EventLog {
    /// Makes an empty log whose times count from `zero`. With `file`, every event is also written
    /// there as a line of JSON, once zero is known.
    pub fn new(zero: Arc<Zero>, file: Option<File>) -> Self {
        let inner = Inner {
            held: Some(Vec::new()),
            next: 0,
            file,
            warnings: Vec::new(),
            write_error: None,
        };
        Self { zero, feed: Arc::default(), inner: Mutex::new(inner) }
    }

    /// Returns the zero of the experiment's time.
    pub fn zero(&self) -> &Zero {
        &self.zero
    }

    /// Sets zero to a time of the engine's clock, and makes all earlier events count from it.
    pub fn begin(&self, at: Time) {
        let mut inner = self.lock();
        self.zero.set(at);
        inner.release(at, &self.feed);
    }

    /// Writes events that wait for zero to be known, since it never will: they count from when the
    /// network was up.
    pub fn give_up(&self) {
        self.lock().release(Time::ZERO, &self.feed);
    }

    /// Records an event now.
    pub fn record(&self, what: What) {
        self.record_at(self.zero.clock().now(), what);
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
        self.put(self.zero.clock().now(), what);
    }

    fn put(&self, time: Time, what: impl IntoIterator<Item = What>) {
        let mut inner = self.lock();
        let (mut kept, mut written) = (Vec::new(), String::new());
        for what in what {
            if let What::Warning { message } = &what {
                inner.warnings.push(message.clone());
            }
            let event = Event { number: inner.next, time, machine: None, what };
            inner.next += 1;
            let line = if let Some(held) = &mut inner.held {
                let line = Line::of(&event);
                held.push(event);
                line
            } else {
                let line = Line::of(&event.counted_from(self.zero.at()));
                add(&line, &mut written);
                line
            };
            kept.push(line);
        }
        inner.write(&written);
        // In the order of numbers, so under the lock.
        self.feed.add(kept);
    }

    /// Returns all warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.lock().warnings.clone()
    }

    /// Closes the log: streams end once they have sent all events.
    pub async fn close(&self) {
        self.feed.close().await;
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

fn add(line: &Line, lines: &mut String) {
    lines.push_str(&line.json);
    lines.push('\n');
}

impl Inner {
    /// Writes the events that were held, and keeps them anew, with times that count from `zero`.
    fn release(&mut self, zero: Time, feed: &Feed) {
        let held = self.held.take().unwrap_or_default();
        let lines = held.into_iter().map(|event| Line::of(&event.counted_from(zero)));
        let lines: Vec<Line> = lines.collect();
        let mut written = String::new();
        lines.iter().for_each(|line| add(line, &mut written));
        self.write(&written);
        feed.rewrite(lines);
    }

    /// Writes whole lines in one call: each write is a system call, and two could leave half a
    /// line.
    fn write(&mut self, lines: &str) {
        let Some(file) = self.file.as_mut().filter(|_| !lines.is_empty()) else { return };
        if let Err(error) = file.write_all(lines.as_bytes()) {
            self.write_error.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_api::event::Origin;
    use netloom_dataplane::Clock;
    use netloom_watch::{KEPT, KEPT_BYTES};
    use std::time::Instant;

    use super::*;

    fn log(file: Option<File>) -> EventLog {
        EventLog::new(Arc::new(Zero::new(Clock::since(Instant::now()))), file)
    }

    fn log_of(count: u64, bytes: usize) -> Vec<Line> {
        let log = log(None);
        for _ in 0..count {
            log.record_at(
                Time::ZERO,
                What::ChangeFailed { by: Origin::Request, reason: "x".repeat(bytes) },
            );
        }
        log.feed.since(0)
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

    const fn at(seconds: i64) -> Time {
        Time::from_signed_nanos(seconds * 1_000_000_000)
    }

    fn joined(since: Time) -> What {
        let [node, medium, access_point] = ["a", "air", "b"].map(String::from);
        What::Associated { node, medium, access_point, since }
    }

    fn events(lines: &str) -> Vec<Event> {
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn kept(log: &EventLog) -> Vec<Event> {
        log.feed.since(0).iter().flat_map(|line| events(&line.json)).collect()
    }

    /// Records two events before zero and one after it, and returns the log and its file.
    fn of_a_start(end: impl Fn(&EventLog)) -> (EventLog, Vec<Event>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let log = log(Some(file.reopen().unwrap()));
        log.record_at(at(1), joined(at(0)));
        log.record_at(at(3), joined(at(2)));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "", "zero is not known");
        let early: Vec<Time> = kept(&log).iter().map(|event| event.time).collect();
        assert_eq!(early, [at(1), at(3)], "clients need not wait");
        end(&log);
        log.record_at(at(7), joined(at(5)));
        let written = events(&std::fs::read_to_string(&file).unwrap());
        (log, written)
    }

    #[test]
    fn all_times_count_from_zero_once_it_is_known() {
        let (log, written) = of_a_start(|log| log.begin(at(4)));
        let times: Vec<(Time, &What)> = written.iter().map(|one| (one.time, &one.what)).collect();
        let expected =
            [(-3, -4), (-1, -2), (3, 1)].map(|(time, since)| (at(time), joined(at(since))));
        assert_eq!(times, expected.each_ref().map(|(time, what)| (*time, what)));
        assert_eq!(kept(&log), written);
    }

    #[test]
    fn events_of_a_start_that_failed_are_written() {
        let (log, written) = of_a_start(EventLog::give_up);
        assert_eq!(written.iter().map(|one| one.time).collect::<Vec<_>>(), [at(1), at(3), at(7)]);
        assert_eq!(kept(&log), written);
    }
}
