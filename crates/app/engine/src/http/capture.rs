//! Streams of captured frames, as pcapng. `GET /v1/capture`: those at an interface.

use std::sync::Arc;

use anyhow::bail;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use netloom_dataplane::Capture;
use netloom_results::CaptureWriter;
use netloom_scenario::Endpoint;
use serde::Deserialize;
use tokio::sync::{Semaphore, mpsc};

use super::answer::failure;
use crate::capture::{self, Sink, Target, write_capture};
use crate::live::LiveNetwork;

/// Most captures of an engine's interface and media that clients read at once.
const MOST: usize = 16;
static PLACES: Semaphore = Semaphore::const_new(MOST);

/// The query of a capture.
#[derive(Debug, Deserialize)]
pub struct At {
    /// The interface as `node:name`.
    interface: String,
    /// Whether dropped frames are included.
    #[serde(default)]
    drops: bool,
}

/// Streams the frames at an interface from now on, until the client closes or the experiment ends.
pub async fn stream(State(network): State<Arc<LiveNetwork>>, Query(at): Query<At>) -> Response {
    let opened =
        at.interface.parse().map_err(anyhow::Error::from).and_then(|endpoint: Endpoint| {
            let target = Target::of(&network, endpoint);
            let capture = match &target {
                Target::Interface(endpoint) => capture::open(&network, endpoint, at.drops)?,
                Target::Medium(medium) => capture::open_medium(&network, medium)?,
            };
            Ok((capture, target.writer(network.started_unix())?))
        });
    let opened = opened.and_then(|opened| match PLACES.try_acquire() {
        Ok(place) => Ok((opened, place)),
        Err(_) => bail!("{MOST} captures are under way, which are the most: end one first"),
    });
    match opened {
        Ok(((capture, writer), place)) => pcapng(capture, writer, place),
        Err(error) => failure(StatusCode::BAD_REQUEST, &error),
    }
}

/// Streams a capture until it ends or the client closes, and holds `place` until then. It has a
/// thread of its own: those that answer requests are few.
pub fn pcapng(capture: Capture, writer: CaptureWriter, place: impl Send + 'static) -> Response {
    let (sender, receiver) = mpsc::channel::<Bytes>(16);
    let thread = std::thread::Builder::new().name("capture".into());
    let started = thread.spawn(move || {
        let _place = place;
        // Ends with an error when the client is gone: this is how captures end.
        let _ = write_capture(capture, writer, &mut Channel(sender));
    });
    if let Err(error) = started {
        let error = anyhow::Error::from(error).context("cannot start a thread for the capture");
        return failure(StatusCode::INTERNAL_SERVER_ERROR, &error);
    }
    let body = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let bytes = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), receiver))
    });
    ([(header::CONTENT_TYPE, "application/x-pcapng")], Body::from_stream(body)).into_response()
}

/// Writes into a channel, and detects when the receiver is gone.
struct Channel(mpsc::Sender<Bytes>);

impl Sink for Channel {
    fn put(&mut self, bytes: Vec<u8>) -> std::io::Result<()> {
        self.0.blocking_send(bytes.into()).map_err(|_| std::io::ErrorKind::BrokenPipe.into())
    }

    fn closed(&self) -> bool {
        self.0.is_closed()
    }
}
