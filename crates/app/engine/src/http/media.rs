//! `PATCH /v1/media/NAME` and `PATCH /v1/positions`: changes of shared media.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use netloom_api::medium::{MediumRequest, MediumResponse, PositionsRequest};
use serde::de::DeserializeOwned;

use super::answer::{answer, failure};
use crate::live::{LiveNetwork, media};

type Network = State<Arc<LiveNetwork>>;

/// Changes a medium.
pub async fn change(State(network): Network, Path(name): Path<String>, body: String) -> Response {
    match read::<MediumRequest>(&body, "MediumRequest") {
        Ok(wanted) => {
            answer(media::change(&network, &name, &wanted).map(|at| MediumResponse { at }))
        }
        Err(refused) => *refused,
    }
}

/// Puts nodes at other places.
pub async fn place(State(network): Network, body: String) -> Response {
    match read::<PositionsRequest>(&body, "PositionsRequest") {
        Ok(wanted) => answer(media::place(&network, &wanted).map(|at| MediumResponse { at })),
        Err(refused) => *refused,
    }
}

/// A request's body, or the answer that says what is wrong with it.
fn read<T: DeserializeOwned>(body: &str, what: &str) -> Result<T, Box<Response>> {
    serde_json::from_str(body).map_err(|error| {
        let error = anyhow::anyhow!("the request is not a {what}: {error}");
        Box::new(failure(StatusCode::BAD_REQUEST, &error))
    })
}
