//! The API's transport: HTTP/JSON on a Unix socket. The operations are those of
//! [`netloom_api::openapi`]; a test holds the two against each other.

mod capture;
mod events;
mod exec;
mod links;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use netloom_api::ApiError;
use netloom_api::apply::ApplyRequest;
use netloom_api::change::{ChangeRequest, ChangeResponse};
use netloom_api::event::{EndReason, Origin};
use serde::Serialize;

use crate::end::End;
use crate::experiment::Experiment;

/// Largest body of a request: changes carry the values of traces and tables.
const MAX_BODY: usize = 256 << 20;

/// What every handler gets.
#[derive(Clone)]
pub struct Context {
    /// The experiment.
    pub experiment: Arc<Experiment>,
    /// Where to ask for the end.
    pub end: End,
}

/// The API over one experiment.
pub fn router(context: Context) -> Router {
    let mut router = Router::new();
    for (path, method) in routes() {
        router = router.route(&format!("/{}{path}", netloom_api::VERSION), method);
    }
    router.fallback(no_such_path).layer(DefaultBodyLimit::max(MAX_BODY)).with_state(context)
}

fn routes() -> Vec<(&'static str, MethodRouter<Context>)> {
    vec![
        ("/experiment", get(async |State(c): State<Context>| Json(c.experiment.status()))),
        ("/nodes", get(async |State(c): State<Context>| answer(c.experiment.nodes()))),
        ("/links", get(links::list).patch(change)),
        ("/apply", post(apply)),
        ("/ping", post(ping)),
        ("/processes", get(async |State(c): State<Context>| Json(c.experiment.processes()))),
        ("/services", get(async |State(c): State<Context>| Json(c.experiment.services.rows()))),
        ("/verdict", get(async |State(c): State<Context>| Json(c.experiment.verdict()))),
        ("/timing", get(async |State(c): State<Context>| answer(c.experiment.timing()))),
        ("/events", get(events::stream)),
        ("/exec", get(exec::upgrade)),
        ("/capture", get(capture::stream)),
        ("/shutdown", post(shutdown)),
        ("/openapi.json", get(async || Json(netloom_api::openapi::document()))),
    ]
}

async fn change(State(context): State<Context>, body: String) -> Response {
    let request: ChangeRequest = match serde_json::from_str(&body) {
        Ok(request) => request,
        Err(error) => {
            let error = anyhow::anyhow!("the request is not a ChangeRequest: {error}");
            return failure(StatusCode::BAD_REQUEST, &error);
        }
    };
    let changed = context.experiment.change(Origin::Request, request.changes);
    answer(changed.map(|at| ChangeResponse { at }))
}

async fn apply(State(context): State<Context>, body: String) -> Response {
    let request: ApplyRequest = match serde_json::from_str(&body) {
        Ok(request) => request,
        Err(error) => {
            let error = anyhow::anyhow!("the request is not an ApplyRequest: {error}");
            return failure(StatusCode::BAD_REQUEST, &error);
        }
    };
    // Nodes are made and removed: that takes its time.
    let apply = move || context.experiment.apply(request, &context.end);
    let applied = tokio::task::spawn_blocking(apply).await;
    answer(applied.unwrap_or_else(|panic| Err(anyhow::anyhow!("the engine failed: {panic}"))))
}

async fn ping(State(context): State<Context>, body: String) -> Response {
    match serde_json::from_str(&body) {
        Ok(request) => answer(crate::pings::ping(&context.experiment, request).await),
        Err(error) => {
            let error = anyhow::anyhow!("the request is not a PingRequest: {error}");
            failure(StatusCode::BAD_REQUEST, &error)
        }
    }
}

async fn shutdown(State(context): State<Context>) -> StatusCode {
    context.end.ask(EndReason::Interrupted);
    StatusCode::ACCEPTED
}

async fn no_such_path(request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let error =
        anyhow::anyhow!("there is no {method} {path}; GET /v1/openapi.json lists what there is");
    failure(StatusCode::NOT_FOUND, &error)
}

/// A result as an answer: 200 with JSON, or 400 with an [`ApiError`].
fn answer<T: Serialize>(result: anyhow::Result<T>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(error) => failure(StatusCode::BAD_REQUEST, &error),
    }
}

fn failure(status: StatusCode, error: &anyhow::Error) -> Response {
    (status, Json(ApiError { error: netloom_api::in_words(error.as_ref()), help: None }))
        .into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn the_router_serves_what_the_document_lists() {
        let served: BTreeSet<&str> = super::routes().into_iter().map(|(path, _)| path).collect();
        let listed: BTreeSet<&str> =
            netloom_api::openapi::OPERATIONS.iter().map(|operation| operation.path).collect();
        assert_eq!(served, listed);
    }
}
