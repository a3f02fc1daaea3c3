//! The last events in memory, for those who follow them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::stream::{self, Stream, StreamExt};
use netloom_api::event::Event;
use tokio::sync::watch;

/// Most events that are kept for clients that come late.
pub const KEPT: usize = 10_000;

/// Most bytes of kept events. The last one is always kept, whatever its size.
pub const KEPT_BYTES: usize = 4 << 20;

/// Longest time for streams to send their last events.
const PATIENCE: Duration = Duration::from_secs(1);

/// The last events.
///
/// Events are stored as they are sent, as lines of JSON. As a value, an event is as large as its
/// largest variant, so a change of links would take many times its text.
pub struct Feed {
    kept: Mutex<Kept>,
    /// The number of events so far. Closes with the feed.
    count: watch::Sender<u64>,
    closed: watch::Sender<bool>,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<Line>,
    bytes: usize,
}

/// An event as it is sent to clients.
#[derive(Debug, Clone)]
pub struct Line {
    /// The event's number.
    pub number: u64,
    /// The event in JSON, in one line.
    pub json: Arc<str>,
}

impl Line {
    /// Returns the line of an event.
    pub fn of(event: &Event) -> Self {
        // An event is plain data, so it always has a JSON form.
        let json = serde_json::to_string(event).unwrap_or_default();
        Self { number: event.number, json: json.into() }
    }
}

impl Default for Feed {
    fn default() -> Self {
        let (count, closed) = (watch::Sender::new(0), watch::Sender::new(false));
        Self { kept: Mutex::default(), count, closed }
    }
}

impl Feed {
    /// Adds events, in the order of their numbers.
    pub fn add(&self, lines: impl IntoIterator<Item = Line>) {
        let mut kept = self.lock();
        lines.into_iter().for_each(|line| kept.add(line));
        let count = kept.lines.back().map_or(0, |last| last.number + 1);
        self.count.send_replace(count);
    }

    /// Puts other texts in the place of those events that are kept. `all` has all events so far.
    pub fn rewrite(&self, all: impl IntoIterator<Item = Line>) {
        let mut kept = self.lock();
        let Some(first) = kept.lines.front().map(|line| line.number) else { return };
        *kept = Kept::default();
        all.into_iter().filter(|line| line.number >= first).for_each(|line| kept.add(line));
    }

    /// Returns the kept events from number `since` on.
    pub fn since(&self, since: u64) -> Vec<Line> {
        self.lock().lines.iter().filter(|line| line.number >= since).cloned().collect()
    }

    /// Closes the feed: streams end once they have sent all events. Waits for them for a limited
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

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // A panic while the lock was held cannot leave the queue in a harmful state.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(&mut self, line: Line) {
        self.bytes += line.json.len();
        self.lines.push_back(line);
        while self.lines.len() > 1 && (self.lines.len() > KEPT || self.bytes > KEPT_BYTES) {
            let gone = self.lines.pop_front();
            self.bytes -= gone.map_or(0, |line| line.json.len());
        }
    }
}

/// Streams all events of a feed from `since` on, then new ones as they happen. Ends with the feed,
/// which waits for all streams.
pub fn lines(feed: Arc<Feed>, since: u64) -> impl Stream<Item = Line> {
    // Held for the life of the stream: the feed waits for all that hold it.
    let closing = feed.closed.subscribe();
    let start = (feed, closing, since);
    let batches = stream::unfold(start, |(feed, mut closing, next)| async move {
        let mut count = feed.count.subscribe();
        // Events are recorded before the feed is closed, so read them after the close.
        let closed = tokio::select! {
            // Both senders live as long as `feed`.
            _ = count.wait_for(|count| *count > next) => false,
            _ = closing.wait_for(|closed| *closed) => true,
        };
        let batch = feed.since(next);
        if closed && batch.is_empty() {
            return None;
        }
        let next = batch.last().map_or(next, |line| line.number + 1);
        Some((batch, (feed, closing, next)))
    });
    batches.flat_map(stream::iter)
}
