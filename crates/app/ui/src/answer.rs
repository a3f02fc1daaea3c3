//! HTTP responses from results.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use netloom_api::ApiError;

/// A request that is not granted.
#[derive(Debug)]
pub struct Refused {
    /// The status.
    pub status: StatusCode,
    /// The reason, and what to do.
    pub error: ApiError,
}

impl Refused {
    /// Makes a refusal.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: ApiError { error: error.into(), help: None } }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.error.help = Some(help.into());
        self
    }

    /// Makes a refusal because there is no such thing.
    pub fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error)
    }

    /// Makes a refusal because the request makes no sense.
    pub fn bad(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Self {
        Self::bad(netloom_api::in_words(error.as_ref()))
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(self.error)).into_response()
    }
}

/// What handlers return.
pub type Answer<T> = Result<T, Refused>;

/// Runs what may take a while, or waits for a disk, on a thread of its own.
pub async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => Err(Refused::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("the server failed: {panic}; please report it"),
        )),
    }
}
