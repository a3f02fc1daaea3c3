//! `GET /v1/events`: the event stream as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::sse::{self, KeepAlive, Sse};
use futures_util::stream::{Stream, StreamExt};
use serde::Deserialize;

use crate::events::{EventLog, lines};

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
    let lines = lines(events, from.since)
        .map(|line| Ok(sse::Event::default().id(line.number.to_string()).data(&*line.json)));
    Sse::new(lines).keep_alive(KeepAlive::default())
}
