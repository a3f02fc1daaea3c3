//! `GET /v1/events`: the event stream as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::sse::{self, KeepAlive, Sse};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;

use crate::events::EventLog;

/// The query of the stream.
#[derive(Debug, Deserialize)]
pub struct From {
    /// Number of the first event to send.
    #[serde(default)]
    since: u64,
}

/// Streams all events from `since` on, then new ones as they happen. Ends with the experiment.
pub async fn stream(
    State(events): State<Arc<EventLog>>,
    Query(from): Query<From>,
) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    // Held for the life of the stream: the log waits for all that hold it.
    let closing = events.closing();
    let start = (events, closing, from.since);
    let batches = stream::unfold(start, |(events, mut closing, next)| async move {
        let mut count = events.subscribe();
        // Events are recorded before the log is closed, so read them after the close.
        let closed = tokio::select! {
            // Both senders live as long as `events`.
            _ = count.wait_for(|count| *count > next) => false,
            _ = closing.wait_for(|closed| *closed) => true,
        };
        let batch = events.since(next);
        if closed && batch.is_empty() {
            return None;
        }
        let next = batch.last().map_or(next, |line| line.number + 1);
        Some((batch, (events, closing, next)))
    });
    let lines = batches
        .flat_map(stream::iter)
        .map(|line| Ok(sse::Event::default().id(line.number.to_string()).data(&*line.json)));
    Sse::new(lines).keep_alive(KeepAlive::default())
}
