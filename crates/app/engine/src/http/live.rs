//! `GET /v1/live`: what the network does now, over a WebSocket. [`netloom_api::live`] defines the
//! protocol.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::{SinkExt, StreamExt};
use netloom_api::ApiError;
use netloom_api::live::LiveNotice;

use crate::watching::{Sent, Watching};

/// Switches to the WebSocket.
pub async fn upgrade(State(watching): State<Arc<Watching>>, upgrade: WebSocketUpgrade) -> Response {
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
