//! Streams of captured frames, as pcapng. `GET /v1/capture`: those at an interface.

use std::sync::Arc;

use anyhow::{Context, bail};
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use netloom_scenario::Endpoint;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::answer::failure;
use crate::capture::{self, Target};
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
            Ok((capture, target.writer(network.clock_unix())?))
        });
    let streamed = opened.and_then(|(capture, writer)| {
        let Ok(place) = PLACES.try_acquire() else {
            bail!("{MOST} captures are under way, which are the most: end one first")
        };
        netloom_evidence::stream(capture, writer, place)
            .context("cannot start a thread for the capture")
    });
    match streamed {
        Ok(blocks) => {
            let kind = [(header::CONTENT_TYPE, "application/x-pcapng")];
            (kind, Body::from_stream(blocks)).into_response()
        }
        Err(error) => failure(StatusCode::BAD_REQUEST, &error),
    }
}
