//! The API's transport: HTTP/JSON on a Unix socket. Its operations are those of
//! [`netloom_api::OPENAPI`]; a test compares the two.

mod answer;
pub mod capture;
pub mod exec;
mod links;
mod media;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, FromRef, Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{MethodRouter, get, patch, post};
use axum::{Json, Router};
use netloom_api::apply::ApplyRequest;
use netloom_api::change::{
    ChangeRequest, ChangeResponse, ChangedRoute, LinkChange, RoutesRequest, RoutesResponse,
};
use netloom_api::event::{EndReason, Origin, What};
use netloom_nodes::RouteChanged;
use netloom_units::Time;
use netloom_watch::{Feed, Watching};

use crate::apply;
use crate::end::End;
use crate::events::EventLog;
use crate::experiment::Experiment;
use crate::live::{LiveNetwork, routes as live_routes};
use crate::member;
use crate::monitoring::SharedMonitor;
use crate::services::Services;
use crate::state::RunState;
use crate::status;
use answer::{answer, failure};

/// Largest body of a request: changes carry the values of traces and tables.
const MAX_BODY: usize = 256 << 20;

/// The experiment that the API serves. A handler takes the parts that it needs.
#[derive(Clone)]
struct Served(Arc<Experiment>);

macro_rules! parts {
    ($($($part:ident).+: $type:ty;)*) => {$(
        impl FromRef<Served> for $type {
            fn from_ref(served: &Served) -> Self {
                served.0.$($part).+.clone()
            }
        }
    )*};
}

parts! {
    network: Arc<LiveNetwork>;
    state: Arc<RunState>;
    state.events: Arc<EventLog>;
    state.events.feed: Arc<Feed>;
    monitor: Arc<SharedMonitor>;
    services: Arc<Services>;
    watching: Arc<Watching>;
    end: End;
}

/// Returns the API of one experiment.
pub fn router(experiment: Arc<Experiment>) -> Router {
    let mut router = Router::new();
    for (path, method) in routes() {
        router = router.route(&format!("/{}{path}", netloom_api::VERSION), method);
    }
    let router = router.fallback(no_such_path).layer(DefaultBodyLimit::max(MAX_BODY));
    router.with_state(Served(experiment))
}

type Network = State<Arc<LiveNetwork>>;

fn routes() -> Vec<(&'static str, MethodRouter<Served>)> {
    vec![
        ("/scenario", get(async |State(n): Network| Json(n.deployment().in_force()))),
        ("/experiment", get(async |State(Served(e)): State<Served>| Json(e.status()))),
        ("/nodes", get(async |State(n): Network| answer(status::nodes(&n)))),
        ("/nodes/{node}/routes", patch(change_routes)),
        ("/links", get(links::list).patch(change)),
        ("/flows", get(async |State(Served(e)): State<Served>| answer(e.flows()))),
        ("/media", get(async |State(n): Network| answer(media::all(&n)))),
        ("/media/{medium}", patch(media::change)),
        ("/media/{medium}/losses", patch(media::set_losses)),
        ("/neighbours", get(async |State(n): Network| answer(media::all_neighbours(&n)))),
        ("/neighbours/{node}", get(media::neighbours)),
        ("/positions", patch(media::place)),
        ("/paths", get(async |State(n): Network| answer(n.paths()))),
        ("/apply", post(apply)),
        ("/ping", post(ping)),
        ("/processes", get(async |State(s): State<Arc<RunState>>| Json(s.process_table.rows()))),
        ("/services", get(async |State(s): State<Arc<Services>>| Json(s.table.rows()))),
        ("/verdict", get(async |State(m): State<Arc<SharedMonitor>>| Json(m.verdict()))),
        ("/timing", get(async |State(n): Network| answer(status::timing(&n)))),
        ("/machines", get(async |State(n): Network| answer(member::machines(&n)))),
        ("/events", get(netloom_watch::http::events)),
        ("/live", get(netloom_watch::http::live)),
        ("/exec", get(exec::upgrade)),
        ("/capture", get(capture::stream)),
        ("/shutdown", post(shutdown)),
        ("/openapi.json", get(async || answer(openapi()))),
    ]
}

async fn change(
    State(network): Network,
    State(events): State<Arc<EventLog>>,
    body: String,
) -> Response {
    let request = match ChangeRequest::from_json(body.as_bytes()) {
        Ok(request) => request,
        Err(error) => {
            let error = anyhow::anyhow!("the request is not a ChangeRequest: {error}");
            return failure(StatusCode::BAD_REQUEST, &error);
        }
    };
    answer(
        change_links(&network, &events, request.changes)
            .map(|at| ChangeResponse { at: network.zero().since(at) }),
    )
}

fn change_links(
    network: &LiveNetwork,
    events: &EventLog,
    mut changes: Vec<LinkChange>,
) -> anyhow::Result<Time> {
    let deployment = network.deployment();
    for LinkChange { link, direction, .. } in &mut changes {
        *link = deployment.called(link, *direction)?;
        deployment.has_both_ends(link)?;
    }
    let at = network.change(&changes)?;
    events.record_at(at, What::Changed { by: Origin::Request, changes });
    Ok(at)
}

async fn change_routes(
    State(network): Network,
    State(events): State<Arc<EventLog>>,
    Path(node): Path<String>,
    body: String,
) -> Response {
    let request: RoutesRequest = match serde_json::from_slice(body.as_bytes()) {
        Ok(request) => request,
        Err(error) => {
            let error = anyhow::anyhow!("the request is not a RoutesRequest: {error}");
            return failure(StatusCode::BAD_REQUEST, &error);
        }
    };
    let changed = network.with(|live| live_routes::change(&live.network, &node, &request.changes));
    let at = network.now();
    answer(changed.map(|changed| {
        let routes = changed.into_iter().map(|RouteChanged { was, is, .. }| {
            let (by, node) = (Origin::Request, node.clone());
            let changed = What::RouteChanged { by, node, was: was.clone(), is: is.clone() };
            events.record_at(at, changed);
            ChangedRoute { was, is }
        });
        RoutesResponse { at: network.zero().since(at), routes: routes.collect() }
    }))
}

async fn apply(State(Served(experiment)): State<Served>, body: String) -> Response {
    let request = match ApplyRequest::from_json(body.as_bytes()) {
        Ok(request) => request,
        Err(error) => {
            let error = anyhow::anyhow!("the request is not an ApplyRequest: {error}");
            return failure(StatusCode::BAD_REQUEST, &error);
        }
    };
    // Making and removing nodes takes a while.
    let apply = move || apply::apply(&experiment, request);
    let applied = tokio::task::spawn_blocking(apply).await;
    answer(applied.unwrap_or_else(|panic| Err(anyhow::anyhow!("the engine failed: {panic}"))))
}

async fn ping(State(network): Network, body: String) -> Response {
    match serde_json::from_slice(body.as_bytes()) {
        Ok(request) => answer(crate::pings::ping(&network, request).await),
        Err(error) => {
            let error = anyhow::anyhow!("the request is not a PingRequest: {error}");
            failure(StatusCode::BAD_REQUEST, &error)
        }
    }
}

async fn shutdown(State(end): State<End>) -> StatusCode {
    end.ask(EndReason::Interrupted);
    StatusCode::ACCEPTED
}

/// The API as an OpenAPI document.
fn openapi() -> anyhow::Result<serde_json::Value> {
    Ok(serde_json::from_str(netloom_api::OPENAPI)?)
}

async fn no_such_path(request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let error =
        anyhow::anyhow!("there is no {method} {path}; GET /v1/openapi.json lists what there is");
    failure(StatusCode::NOT_FOUND, &error)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn the_router_serves_what_the_document_lists() {
        let document = super::openapi().unwrap();
        let paths = document["paths"].as_object().unwrap();
        let served: BTreeSet<&str> = super::routes().into_iter().map(|(path, _)| path).collect();
        let listed: BTreeSet<&str> =
            paths.keys().map(|path| path.strip_prefix("/v1").unwrap()).collect();
        assert_eq!(served, listed);
    }
}
