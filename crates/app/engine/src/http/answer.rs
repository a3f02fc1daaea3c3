//! HTTP responses from results.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use netloom_api::ApiError;
use serde::Serialize;

/// Returns the response for a result: 200 with JSON, or 400 with an [`ApiError`].
pub fn answer<T: Serialize>(result: anyhow::Result<T>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(error) => failure(StatusCode::BAD_REQUEST, &error),
    }
}

/// Returns the response for an error.
pub fn failure(status: StatusCode, error: &anyhow::Error) -> Response {
    (status, Json(ApiError { error: netloom_api::in_words(error.as_ref()), help: None }))
        .into_response()
}
