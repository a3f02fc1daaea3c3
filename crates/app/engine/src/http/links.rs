//! `GET /v1/links`: all links, with the statistics of their pipes since their start or over the
//! last seconds.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use netloom_link::Window;
use serde::Deserialize;

use super::answer::{answer, failure};
use crate::live::LiveNetwork;

/// The query of the links.
#[derive(Debug, Deserialize)]
pub struct Of {
    /// Length of the window of statistics, like `5s`.
    last: Option<String>,
}

/// Returns all links.
pub async fn list(State(network): State<Arc<LiveNetwork>>, Query(of): Query<Of>) -> Response {
    let window = of.last.map(|text| text.parse::<Window>()).transpose();
    match window {
        Ok(window) => answer(network.links(window)),
        Err(error) => failure(StatusCode::BAD_REQUEST, &error.into()),
    }
}
