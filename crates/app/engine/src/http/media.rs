//! Requests for shared media: their properties, the positions of their stations, and who is in
//! reach.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use netloom_api::event::{Origin, What};
use netloom_api::medium::{
    LossesRequest, MediumRequest, MediumResponse, MediumStatus, Neighbours, PositionsRequest,
};
use netloom_course::Carrier;
use netloom_units::Time;
use serde::de::DeserializeOwned;

use super::answer::{answer, failure};
use crate::events::EventLog;
use crate::live::{LiveNetwork, media};
use crate::status;

type Network = State<Arc<LiveNetwork>>;
type Events = State<Arc<EventLog>>;

/// Returns all shared media, in the order of the scenario.
pub fn all(network: &LiveNetwork) -> Result<Vec<MediumStatus>> {
    network.carrying(|carriers| Ok(carriers.media(false)?.media))
}

/// Returns the stations that each station on shared media reaches.
pub fn all_neighbours(network: &LiveNetwork) -> Result<Vec<Neighbours>> {
    network.carrying(|carriers| Ok(carriers.media(true)?.neighbours))
}

/// Changes a medium.
pub async fn change(
    State(network): Network,
    State(events): Events,
    Path(name): Path<String>,
    body: String,
) -> Response {
    match read::<MediumRequest>(&body, "MediumRequest") {
        Ok(change) => answer(media::change(&network, &name, &change).map(|at| {
            let by = Origin::Request;
            let change = Box::new(change);
            events.record_at(at, What::MediumChanged { by, medium: name, change });
            changed(&network, at)
        })),
        Err(refused) => *refused,
    }
}

/// Sets losses between pairs of stations.
pub async fn set_losses(
    State(network): Network,
    State(events): Events,
    Path(name): Path<String>,
    body: String,
) -> Response {
    match read::<LossesRequest>(&body, "LossesRequest") {
        Ok(wanted) => answer(media::set_losses(&network, &name, &wanted).map(|at| {
            let pairs = wanted.loss.len() as u64;
            events.record_at(at, What::LossesSet { medium: name, pairs });
            changed(&network, at)
        })),
        Err(refused) => *refused,
    }
}

/// Returns the nodes that a node reaches.
pub async fn neighbours(State(network): Network, Path(node): Path<String>) -> Response {
    answer(status::neighbours(&network, &node))
}

/// Moves nodes to other positions.
pub async fn place(State(network): Network, body: String) -> Response {
    match read::<PositionsRequest>(&body, "PositionsRequest") {
        Ok(wanted) => answer(media::place(&network, &wanted).map(|at| changed(&network, at))),
        Err(refused) => *refused,
    }
}

/// Returns the response to a change that was made at `at`, by the engine's clock.
fn changed(network: &LiveNetwork, at: Time) -> MediumResponse {
    MediumResponse { at: network.zero().since(at) }
}

/// Parses a request's body. The error is the response that says what is wrong with it.
fn read<T: DeserializeOwned>(body: &str, what: &str) -> Result<T, Box<Response>> {
    serde_json::from_slice(body.as_bytes()).map_err(|error| {
        let error = anyhow::anyhow!("the request is not a {what}: {error}");
        Box::new(failure(StatusCode::BAD_REQUEST, &error))
    })
}
