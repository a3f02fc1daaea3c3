//! The engine's API as an OpenAPI 3.1 document, generated from the types and the table of
//! operations; [`ui`] is that of the web UI's server.

pub mod ui;

use netloom_monitor::Verdict;
#[cfg(feature = "schema")]
use schemars::SchemaGenerator;
#[cfg(feature = "schema")]
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::apply::{ApplyRequest, ApplyResponse, ScenarioInForce};
use crate::change::{ChangeRequest, ChangeResponse, RoutesRequest, RoutesResponse};
use crate::event::Event;
use crate::exec::{ExecControl, ExecNotice, ExecRequest};
use crate::flow::FlowStatus;
use crate::live::{LiveNotice, LiveRequest};
use crate::machine::Machine;
use crate::medium::{
    LossesRequest, MediumRequest, MediumResponse, MediumStatus, Neighbours, PositionsRequest,
};
use crate::member::PeerStatus;
use crate::path::PathStatus;
use crate::ping::{PingRequest, Reach};
use crate::progress::Progress;
use crate::state::{ExperimentStatus, LinkStatus, NodeStatus, ProcessStatus, ServiceStatus};
use crate::summary::Summary;
use crate::timing::Timing;
use crate::{ApiError, VERSION};

/// One operation of the API.
pub struct Operation {
    /// HTTP method in lower case.
    pub method: &'static str,
    /// Path below the version, like `/nodes`.
    pub path: &'static str,
    /// Summary of the operation.
    pub summary: &'static str,
    /// Query parameters: name and meaning.
    pub query: &'static [(&'static str, &'static str)],
    request: Option<SchemaOf>,
    response: Response,
}

type SchemaOf = fn(&mut SchemaGenerator) -> schemars::Schema;

enum Response {
    Json(SchemaOf),
    Stream(&'static str),
    WebSocket,
    Accepted,
    /// Something is under way, and this describes it.
    Begun(SchemaOf),
}

/// Every operation, in the order of the documentation.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        method: "get",
        path: "/experiment",
        summary: "The experiment as a whole.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<ExperimentStatus>()),
    },
    Operation {
        method: "get",
        path: "/nodes",
        summary: "All nodes with their interfaces and addresses.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<NodeStatus>>()),
    },
    Operation {
        method: "patch",
        path: "/nodes/{node}/routes",
        summary: "Changes routes of a host or router, all or none of them. `apply` takes no notice \
                  of it.",
        query: &[],
        request: Some(|g| g.subschema_for::<RoutesRequest>()),
        response: Response::Json(|g| g.subschema_for::<RoutesResponse>()),
    },
    Operation {
        method: "get",
        path: "/scenario",
        summary: "The scenario in force, as its user wrote it and resolved.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<ScenarioInForce>()),
    },
    Operation {
        method: "get",
        path: "/links",
        summary: "All links with the configuration and statistics of both pipes.",
        query: &[(
            "last",
            "How far back statistics look, from `1s` to `60s`; by default to the beginning. They \
             begin on a whole second of the experiment's clock, so they reach up to a second \
             further; `since` and `at` say from when to when.",
        )],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<LinkStatus>>()),
    },
    Operation {
        method: "patch",
        path: "/links",
        summary: "Changes links: all changes at one instant, or none of them.",
        query: &[],
        request: Some(|g| g.subschema_for::<ChangeRequest>()),
        response: Response::Json(|g| g.subschema_for::<ChangeResponse>()),
    },
    Operation {
        method: "get",
        path: "/flows",
        summary: "The flows of the scenario's traffic so far. A flow between real nodes is there \
                  once both have answered how far they are, which each request asks them: its \
                  figures are those of the request before.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<FlowStatus>>()),
    },
    Operation {
        method: "get",
        path: "/media",
        summary: "All shared media with their stations.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<MediumStatus>>()),
    },
    Operation {
        method: "patch",
        path: "/media/{medium}",
        summary: "Changes a shared medium and its stations: all at one instant, or nothing.",
        query: &[],
        request: Some(|g| g.subschema_for::<MediumRequest>()),
        response: Response::Json(|g| g.subschema_for::<MediumResponse>()),
    },
    Operation {
        method: "patch",
        path: "/media/{medium}/losses",
        summary: "Sets losses between pairs of stations of a shared medium: all at one instant, or \
                  none. They hold instead of those that follow from where the stations are.",
        query: &[],
        request: Some(|g| g.subschema_for::<LossesRequest>()),
        response: Response::Json(|g| g.subschema_for::<MediumResponse>()),
    },
    Operation {
        method: "get",
        path: "/neighbours",
        summary: "Whom each node on shared media reaches, and how well.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<Neighbours>>()),
    },
    Operation {
        method: "get",
        path: "/neighbours/{node}",
        summary: "Whom a node reaches on each of its shared media, and who is hidden from it.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<Neighbours>>()),
    },
    Operation {
        method: "patch",
        path: "/positions",
        summary: "Puts nodes on shared media at other places: all at one instant, or none.",
        query: &[],
        request: Some(|g| g.subschema_for::<PositionsRequest>()),
        response: Response::Json(|g| g.subschema_for::<MediumResponse>()),
    },
    Operation {
        method: "get",
        path: "/live",
        summary: "What links and stations do now, over a WebSocket: the client sends a LiveRequest \
                  as text, whenever it wants something else; the engine answers with LiveNotice \
                  as text, and with binary frames. A client that does not read is skipped.",
        query: &[],
        request: None,
        response: Response::WebSocket,
    },
    Operation {
        method: "post",
        path: "/apply",
        summary: "Makes the network what another scenario says, without touching what stays as it \
                  is, or says what would be done. A step that fails takes back those before it.",
        query: &[],
        request: Some(|g| g.subschema_for::<ApplyRequest>()),
        response: Response::Json(|g| g.subschema_for::<ApplyResponse>()),
    },
    Operation {
        method: "post",
        path: "/ping",
        summary: "Lets nodes ping each other, from sockets of the engine's own; answers when all \
                  is known.",
        query: &[],
        request: Some(|g| g.subschema_for::<PingRequest>()),
        response: Response::Json(|g| g.subschema_for::<Vec<Reach>>()),
    },
    Operation {
        method: "get",
        path: "/paths",
        summary: "The paths between real hosts of a symbiotic run, as the simulated network was in \
                  the last period. Also on the socket of `$NETLOOM_METRICS`, for processes in \
                  nodes.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<PathStatus>>()),
    },
    Operation {
        method: "get",
        path: "/processes",
        summary: "The scenario's processes and where they stand.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<ProcessStatus>>()),
    },
    Operation {
        method: "get",
        path: "/services",
        summary: "The services of all nodes and where they stand.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<ServiceStatus>>()),
    },
    Operation {
        method: "get",
        path: "/verdict",
        summary: "Whether the run can be trusted so far: contention, margins, shares, blind spots.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Verdict>()),
    },
    Operation {
        method: "get",
        path: "/timing",
        summary: "How exactly the engine keeps its schedule.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Timing>()),
    },
    Operation {
        method: "get",
        path: "/machines",
        summary: "The other machines of an experiment on several: their clocks, and what crosses \
                  between them and this one. Empty on one machine.",
        query: &[],
        request: None,
        response: Response::Json(|g| g.subschema_for::<Vec<PeerStatus>>()),
    },
    Operation {
        method: "get",
        path: "/events",
        summary: "All events since the start, then new ones as they happen; ends with the \
                  experiment. Each `data:` line is an Event.",
        query: &[("since", "First event number wanted (default 0).")],
        request: None,
        response: Response::Stream("text/event-stream"),
    },
    Operation {
        method: "get",
        path: "/exec",
        summary: "Runs a command in a node over a WebSocket: the first text message is an \
                  ExecRequest, later ones are ExecControl; the engine answers with ExecNotice.",
        query: &[],
        request: None,
        response: Response::WebSocket,
    },
    Operation {
        method: "get",
        path: "/capture",
        summary: "The frames at an interface from now on, as pcapng, until the client closes.",
        query: &[
            ("interface", "The interface as `node:name`."),
            (
                "drops",
                "`true`: also the frames that the link drops on their way from or to the \
                 interface, as of a second interface `node:name drops`, each with the reason as \
                 its comment.",
            ),
        ],
        request: None,
        response: Response::Stream("application/x-pcapng"),
    },
    Operation {
        method: "post",
        path: "/shutdown",
        summary: "Ends the experiment: stops processes, keeps results, removes everything. \
                  Answers at once; the socket disappears when all is gone.",
        query: &[],
        request: None,
        response: Response::Accepted,
    },
    Operation {
        method: "get",
        path: "/openapi.json",
        summary: "This document.",
        query: &[],
        request: None,
        response: Response::Json(|_| schemars::json_schema!({"type": "object"})),
    },
];

/// The OpenAPI 3.1 document.
pub fn document() -> Value {
    let mut described = Described::new();
    for operation in OPERATIONS {
        described.add(&format!("/{VERSION}{}", operation.path), operation);
    }
    // Types that only WebSockets, streams and files carry.
    let generator = &mut described.generator;
    generator.subschema_for::<ExecRequest>();
    generator.subschema_for::<ExecControl>();
    generator.subschema_for::<ExecNotice>();
    generator.subschema_for::<LiveRequest>();
    generator.subschema_for::<LiveNotice>();
    generator.subschema_for::<Event>();
    generator.subschema_for::<Progress>();
    generator.subschema_for::<Summary>();
    generator.subschema_for::<Machine>();
    described.into_document(
        "NetLoom engine",
        "One experiment on one machine, served on the Unix socket `api.sock` in the experiment's \
         state directory.",
    )
}

/// A document that grows by operations.
struct Described {
    generator: SchemaGenerator,
    error: schemars::Schema,
    paths: serde_json::Map<String, Value>,
}

impl Described {
    fn new() -> Self {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        let mut generator = SchemaGenerator::new(settings);
        let error = generator.subschema_for::<ApiError>();
        Self { generator, error, paths: serde_json::Map::new() }
    }

    fn add(&mut self, path: &str, operation: &Operation) {
        let entry = self.paths.entry(path).or_insert_with(|| json!({}));
        entry[operation.method] = describe(operation, &mut self.generator, &self.error);
    }

    fn into_document(mut self, title: &str, description: &str) -> Value {
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": title,
                "version": VERSION,
                "description": description,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "paths": self.paths,
            "components": {"schemas": self.generator.take_definitions(true)},
        });
        netloom_scenario::titles::add("", &mut document["components"], "schemas");
        document
    }
}

fn describe(
    operation: &Operation,
    generator: &mut SchemaGenerator,
    error: &schemars::Schema,
) -> Value {
    let mut described = json!({
        "summary": operation.summary,
        "operationId": operation_id(operation),
        "responses": {
            "default": {
                "description": "It failed.",
                "content": {"application/json": {"schema": error}},
            },
        },
    });
    let (status, response) = match operation.response {
        Response::Json(schema) => (
            "200",
            json!({
                "description": "Done.",
                "content": {"application/json": {"schema": schema(generator)}},
            }),
        ),
        Response::Stream(media) => {
            ("200", json!({"description": "A stream.", "content": {media: {}}}))
        }
        Response::WebSocket => ("101", json!({"description": "Switched to WebSocket."})),
        Response::Begun(schema) => (
            "202",
            json!({
                "description": "Under way.",
                "content": {"application/json": {"schema": schema(generator)}},
            }),
        ),
        Response::Accepted => ("202", json!({"description": "Under way."})),
    };
    described["responses"][status] = response;
    let parameters: Vec<Value> = parameters(operation).collect();
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(schema) = operation.request {
        described["requestBody"] = json!({
            "required": true,
            "content": {"application/json": {"schema": schema(generator)}},
        });
    }
    described
}

/// The names in an operation's path, and the parameters of its query.
fn parameters(operation: &Operation) -> impl Iterator<Item = Value> {
    let in_path = operation.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(json!({
            "name": name, "in": "path", "required": true, "schema": {"type": "string"},
        }))
    });
    let in_query = operation.query.iter().map(|(name, meaning)| {
        json!({
            "name": name, "in": "query", "description": meaning, "schema": {"type": "string"},
        })
    });
    in_path.chain(in_query)
}

fn operation_id(operation: &Operation) -> String {
    let name = operation.path.trim_start_matches('/').replace(['/', '.'], "_");
    let name = name.replace(['{', '}'], "");
    format!("{}_{name}", operation.method)
}
