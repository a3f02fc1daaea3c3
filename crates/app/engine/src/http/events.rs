//! `GET /v1/events`: the event stream as server-sent events.

use std::convert::Infallible;

use axum::extract::{Query, State};
use axum::response::sse::{self, KeepAlive, Sse};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;

use super::Context;

/// The query of the stream.
#[derive(Debug, Deserialize)]
pub struct From {
    /// First event number wanted.
    #[serde(default)]
    since: u64,
}

/// All events from `since` on, then new ones as they happen; ends with the experiment.
pub async fn stream(
    State(context): State<Context>,
    Query(from): Query<From>,
) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    // Held for the life of the stream: the log waits for those who do.
    let closing = context.experiment.events.closing();
    let start = (context, closing, from.since);
    let batches = stream::unfold(start, |(context, mut closing, next)| async move {
        let events = &context.experiment.events;
        let mut count = events.subscribe();
        // Events are recorded before the log is closed: look at them after the close.
        let closed = tokio::select! {
            // Both senders live as long as `context`.
            _ = count.wait_for(|count| *count > next) => false,
            _ = closing.wait_for(|closed| *closed) => true,
        };
        let batch = events.since(next);
        if closed && batch.is_empty() {
            return None;
        }
        let next = batch.last().map_or(next, |line| line.number + 1);
        Some((batch, (context, closing, next)))
    });
    let events = batches
        .flat_map(stream::iter)
        .map(|line| Ok(sse::Event::default().id(line.number.to_string()).data(&*line.json)));
    Sse::new(events).keep_alive(KeepAlive::default())
}
