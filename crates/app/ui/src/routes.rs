//! Which path leads where. The operations are those of `docs/ui-openapi.json`; a test compares
//! the two.

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, any, get, post};
use axum::{Json, Router};
use netloom_api::ui::{Session, SessionRequest, Ticket, TicketRequest};

use crate::answer::{Answer, Refused};
use crate::security::guard;
use crate::server::Server;
use crate::{assets, engines, folder, jobs, results, scenario};

/// Largest body of a request: engines take changes with the values of traces.
const MAX_BODY: usize = 256 << 20;

/// Returns all that the server serves.
pub fn router(server: Server) -> Router {
    let mut router = Router::new();
    for (path, method) in routes() {
        router = router.route(path, method);
    }
    router
        .route("/api/{*path}", any(no_such_path))
        .fallback(get(assets::file))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(server.clone(), guard))
        .with_state(server)
}

fn routes() -> Vec<(&'static str, MethodRouter<Server>)> {
    vec![
        ("/session", post(enter)),
        ("/api/about", get(async |State(server): State<Server>| Json(server.about()))),
        ("/api/tickets", post(ticket)),
        ("/api/watch", get(engines::watch)),
        ("/api/experiments", get(engines::list)),
        ("/api/experiments/{name}/v1/{*path}", any(engines::pass)),
        ("/api/files", get(folder::list)),
        ("/api/files/{*path}", get(folder::read).put(folder::write)),
        ("/api/validate", post(scenario::validate)),
        ("/api/graph", post(scenario::graph)),
        ("/api/layout", post(scenario::layout)),
        ("/api/resolve", post(scenario::resolve)),
        ("/api/plan", post(jobs::plan)),
        ("/api/deploy", post(jobs::deploy)),
        ("/api/run", post(jobs::run)),
        ("/api/simulate", post(jobs::simulate)),
        ("/api/apply", post(jobs::apply)),
        ("/api/destroy", post(jobs::destroy)),
        ("/api/cleanup", post(jobs::cleanup)),
        ("/api/jobs", get(jobs::list)),
        ("/api/jobs/{id}/events", get(jobs::events)),
        ("/api/jobs/{id}/stop", post(jobs::stop)),
        ("/api/results", get(results::list)),
        ("/api/results/files", get(results::files)),
        ("/api/results/summary", get(results::summary)),
        ("/api/results/file", get(results::file)),
        ("/api/results/table", get(results::table)),
    ]
}

async fn enter(
    State(server): State<Server>,
    Json(request): Json<SessionRequest>,
) -> Answer<Json<Session>> {
    let key = server.doors.enter(&request.token).await?;
    Ok(Json(Session { key, about: server.about() }))
}

async fn ticket(
    State(server): State<Server>,
    Json(request): Json<TicketRequest>,
) -> Answer<Json<Ticket>> {
    Ok(Json(Ticket { ticket: server.doors.ticket(&request.path)? }))
}

async fn no_such_path(request: Request) -> Refused {
    Refused::not_found(format!("there is no {} {}", request.method(), request.uri().path()))
        .with_help("docs/ui-openapi.json lists what there is")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// What xtask has generated from the types.
    const DOCUMENT: &str = include_str!("../../../../docs/ui-openapi.json");

    #[test]
    fn the_router_serves_what_the_document_lists() {
        let document: serde_json::Value = serde_json::from_str(DOCUMENT).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let served = super::routes().into_iter().map(|(path, _)| path.replace("{*", "{"));
        let served: BTreeSet<String> = served.collect();
        let listed: BTreeSet<String> = paths.keys().cloned().collect();
        assert_eq!(served, listed);
    }
}
