//! The two streams over HTTP: `GET /v1/live`, what the network does now, over a WebSocket (the
//! protocol is that of [`netloom_api::live`]), and `GET /v1/events` as server-sent events. The
//! router's state has what they need.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::Response;
use axum::response::sse::{self, KeepAlive, Sse};
use futures_util::stream::Stream;
use futures_util::{SinkExt, StreamExt};
use netloom_api::ApiError;
use netloom_api::live::LiveNotice;
use serde::Deserialize;

use crate::feed::{Feed, lines};
use crate::viewers::{Sent, Watching};

/// The query of the stream of events.
#[derive(Debug, Deserialize)]
pub struct From {
    /// Number of the first event to send.
    #[serde(default)]
    since: u64,
}

/// Streams all events from `since` on, then new ones as they happen. Ends with the feed.
pub async fn events(
    State(feed): State<Arc<Feed>>,
    Query(from): Query<From>,
) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    let lines = lines(feed, from.since)
        .map(|line| Ok(sse::Event::default().id(line.number.to_string()).data(&*line.json)));
    Sse::new(lines).keep_alive(KeepAlive::default())
}

/// Switches to the WebSocket.
pub async fn live(State(watching): State<Arc<Watching>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async move |socket| serve(&watching, socket).await)
}

async fn serve(watching: &Watching, socket: WebSocket) {
    let (mut sink, mut stream) = socket.split();
    let (watcher, mut receiver) = match watching.join() {
        Ok(joined) => joined,
        Err(error) => {
            // A client that is gone needs no answer.
            let _ = sink.send(text(&failed(&netloom_api::in_words(error.as_ref())))).await;
            return;
        }
    };
    let sending = async {
        while let Some(sent) = receiver.recv().await {
            let messages = match sent {
                Sent::Notice(notice) => vec![text(&notice)],
                Sent::Frames(frames) => {
                    frames.into_iter().map(|frame| Message::Binary(frame.into())).collect()
                }
            };
            for message in messages {
                if sink.send(message).await.is_err() {
                    return;
                }
            }
        }
        // The network is gone.
        let _ = sink.close().await;
    };
    let asking = async {
        while let Some(Ok(message)) = stream.next().await {
            if let Message::Text(words) = message {
                match serde_json::from_str(&words) {
                    Ok(request) => watcher.ask(request),
                    Err(error) => return Some(format!("this is not a LiveRequest: {error}")),
                }
            }
        }
        None
    };
    let wrong = tokio::select! {
        () = sending => None,
        wrong = asking => wrong,
    };
    if let Some(wrong) = wrong {
        let _ = sink.send(text(&failed(&wrong))).await;
        let _ = sink.close().await;
    }
}

fn failed(error: &str) -> LiveNotice {
    LiveNotice::Failed(ApiError { error: error.into(), help: None })
}

fn text(notice: &LiveNotice) -> Message {
    // Notices are plain data, so they always have a JSON form.
    Message::Text(serde_json::to_string(notice).unwrap_or_default().into())
}
