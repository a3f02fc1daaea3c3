//! The API of a simulated run: what an engine's says, without what changes something or needs nodes
//! that live.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use axum::extract::{FromRef, Path as InPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use netloom_api::ApiError;
use netloom_api::apply::ScenarioInForce;
use netloom_api::medium::Neighbours;
use netloom_api::state::{ExperimentStatus, InterfaceStatus, NodeStatus, Phase};
use netloom_api::timing::Timing;
use netloom_scenario::{Endpoint, LinkEnds, Scenario};
use serde::Serialize;

use super::shown::{Part, Shown};
use super::subject::Subject;
use crate::feed::Feed;
use crate::http;
use crate::viewers::Watching;

/// What is served.
#[derive(Clone)]
pub struct Served {
    name: Arc<str>,
    subject: Arc<Subject>,
    /// What is kept of the run's samples.
    pub shown: Arc<Shown>,
    watching: Arc<Watching>,
    /// The nodes, once somebody has asked for them.
    nodes: Arc<OnceLock<Vec<NodeStatus>>>,
    started_unix: u64,
    /// Whether the run is to end.
    stop: Arc<AtomicBool>,
    /// Whether it has ended.
    pub is_over: Arc<AtomicBool>,
}

impl FromRef<Served> for Arc<Feed> {
    fn from_ref(served: &Served) -> Self {
        served.shown.feed.clone()
    }
}

impl FromRef<Served> for Arc<Watching> {
    fn from_ref(served: &Served) -> Self {
        served.watching.clone()
    }
}

type Asked = State<Served>;

impl Served {
    pub fn new(name: &str, subject: Subject, shown: Arc<Shown>, stop: Arc<AtomicBool>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            name: name.into(),
            subject: Arc::new(subject),
            watching: Arc::new(Watching::new(shown.clone())),
            shown,
            nodes: Arc::default(),
            started_unix: now.map_or(0, |now| now.as_secs()),
            stop,
            is_over: Arc::default(),
        }
    }

    fn status(&self) -> ExperimentStatus {
        let Subject { scenario, file, results, .. } = &*self.subject;
        let size = scenario.size();
        let is_over = self.is_over.load(Ordering::Relaxed);
        ExperimentStatus {
            name: self.name.to_string(),
            engine_pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            phase: if is_over { Phase::Stopping } else { Phase::Running },
            file: file.clone(),
            now: self.shown.kept().now,
            started_unix: self.started_unix,
            nodes: size.nodes,
            links: size.links,
            results: Some(results.clone()),
            simulated: true,
        }
    }
}

/// Returns the API of a simulated run.
pub fn router(served: Served) -> Router {
    let mut router = Router::new();
    for (path, method) in routes() {
        router = router.route(&format!("/{}{path}", netloom_api::VERSION), method);
    }
    router.method_not_allowed_fallback(refuse).fallback(refuse).with_state(served)
}

fn routes() -> Vec<(&'static str, MethodRouter<Served>)> {
    vec![
        ("/experiment", get(async |State(of): Asked| Json(of.status()))),
        ("/scenario", get(scenario)),
        ("/nodes", get(nodes)),
        ("/links", get(links)),
        ("/media", get(media)),
        ("/neighbours", get(neighbours)),
        ("/neighbours/{node}", get(neighbours_of)),
        ("/flows", get(flows)),
        ("/verdict", get(verdict)),
        ("/timing", get(async || Json(Timing::default()))),
        ("/processes", get(async || Json([(); 0]))),
        ("/services", get(async || Json([(); 0]))),
        ("/events", get(http::events)),
        ("/live", get(http::live)),
        ("/shutdown", post(shutdown)),
        ("/openapi.json", get(async || answer(openapi()))),
    ]
}

async fn scenario(State(served): Asked) -> Json<ScenarioInForce> {
    let Subject { scenario, source, file, .. } = &*served.subject;
    Json(ScenarioInForce {
        file: file.clone(),
        text: Some(source.clone()),
        scenario: scenario.clone(),
    })
}

async fn links(State(served): Asked) -> Response {
    let links = served.shown.next(Part::Links, |kept| kept.links.clone()).await;
    Json(&*links).into_response()
}

async fn media(State(served): Asked) -> Response {
    let media = served.shown.next(Part::Media, |kept| kept.media.clone()).await;
    Json(&media.media).into_response()
}

async fn neighbours(State(served): Asked) -> Response {
    let media = served.shown.next(Part::Media, |kept| kept.media.clone()).await;
    Json(&media.neighbours).into_response()
}

async fn neighbours_of(State(served): Asked, InPath(node): InPath<String>) -> Response {
    let media = served.shown.next(Part::Media, |kept| kept.media.clone()).await;
    let of: Vec<&Neighbours> = media.neighbours.iter().filter(|of| of.node == node).collect();
    match of.is_empty() {
        true => answer::<()>(Err(anyhow!("`{node}` is on no shared medium"))),
        false => Json(of).into_response(),
    }
}

async fn flows(State(served): Asked) -> Response {
    let flows = served.shown.next(Part::Flows, |kept| kept.flows.clone()).await;
    Json(&*flows).into_response()
}

async fn verdict(State(served): Asked) -> Response {
    let now = served.shown.kept().now;
    Json(netloom_simulate::verdict(&served.subject.scenario.monitor, now)).into_response()
}

async fn nodes(State(served): Asked) -> Response {
    // The plan of a large network takes a while, and nobody else waits for it.
    let planned = tokio::task::spawn_blocking(move || {
        if let Some(known) = served.nodes.get() {
            return Ok(known.clone());
        }
        let nodes = planned(&served.subject.scenario)?;
        anyhow::Ok(served.nodes.get_or_init(|| nodes).clone())
    });
    answer(planned.await.unwrap_or_else(|panic| Err(anyhow!("the planner died: {panic}"))))
}

/// Returns all nodes with their addresses, in the order of the scenario.
fn planned(scenario: &Scenario) -> Result<Vec<NodeStatus>> {
    let plan = netloom_plan::plan(scenario)?;
    let ends = LinkEnds::of(scenario);
    let status = |node: &netloom_scenario::Node| {
        let planned = plan.node(&node.name);
        let interface = |interface: &netloom_scenario::Interface| {
            let name = &interface.name;
            let at = Endpoint { node: node.name.clone(), interface: interface.at_link().into() };
            let (link, peer) = ends.at(&at)?;
            let mut all = planned.iter().flat_map(|plan| &plan.interfaces);
            let own = all.find(|planned| planned.name == *name);
            Some(InterfaceStatus {
                name: name.clone(),
                mac: own.map(|own| own.mac),
                addresses: own.map(|own| own.addresses.clone()).unwrap_or_default(),
                link: link.name.clone(),
                peer: peer.clone(),
                vlan: None,
                spanning_tree: None,
            })
        };
        NodeStatus {
            name: node.name.clone(),
            kind: node.kind,
            simulated: true,
            primary: planned.map(|plan| plan.primary.clone()).unwrap_or_default(),
            interfaces: node.interfaces.iter().filter_map(interface).collect(),
            namespace: None,
            limits: node.limits,
            usage: None,
            published: Vec::new(),
        }
    };
    Ok(scenario.nodes.iter().map(status).collect())
}

/// Ends the run in order: it keeps its results.
async fn shutdown(State(served): Asked) -> StatusCode {
    served.stop.store(true, Ordering::Relaxed);
    StatusCode::ACCEPTED
}

/// Refuses what only an engine can do.
async fn refuse(State(served): Asked, request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let known = serde_json::from_str::<serde_json::Value>(netloom_api::OPENAPI).ok();
    let is_known = known.is_some_and(|document| has(&document, path));
    let name = &served.name;
    if !is_known {
        let error = format!("there is no {method} {path}");
        let help = "GET /v1/openapi.json lists what there is";
        return refused(StatusCode::NOT_FOUND, error, help);
    }
    let (what, help) = match *method {
        Method::GET => (
            "has no nodes in which something runs",
            "deploy the scenario for terminals and captures; what a simulation captures itself is \
             in its results",
        ),
        _ => (
            "is changed by its timeline only, so that it does the same when it is repeated",
            "write the change into the scenario's `timeline`, and simulate it again",
        ),
    };
    let error = format!("`{name}` is a simulation: it {what}");
    refused(StatusCode::CONFLICT, error, help)
}

/// Whether an API has a path.
fn has(document: &serde_json::Value, path: &str) -> bool {
    let is = |template: &str| {
        let parts = (template.split('/'), path.split('/'));
        parts.0.clone().count() == parts.1.clone().count()
            && parts.0.zip(parts.1).all(|(own, asked)| own.starts_with('{') || own == asked)
    };
    document["paths"].as_object().is_some_and(|paths| paths.keys().any(|path| is(path)))
}

fn openapi() -> Result<serde_json::Value> {
    Ok(serde_json::from_str(netloom_api::OPENAPI)?)
}

fn refused(status: StatusCode, error: String, help: &str) -> Response {
    (status, Json(ApiError { error, help: Some(help.into()) })).into_response()
}

fn answer<T: Serialize>(result: Result<T>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(error) => {
            let error = netloom_api::in_words(error.as_ref());
            (StatusCode::BAD_REQUEST, Json(ApiError { error, help: None })).into_response()
        }
    }
}
