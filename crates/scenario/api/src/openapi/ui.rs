//! The API of the web UI's server as an OpenAPI 3.1 document.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use super::{Described, Operation, Response, SchemaOf};
use crate::event::Event;
use crate::live::{LiveNotice, LiveRequest};
use crate::state::{LinkStatus, NodeStatus, ProcessStatus, ServiceStatus};
use crate::summary::Summary;
use crate::ui::finished::{Run, RunFile, Table};
use crate::ui::graph::{Graph, GraphRequest, Layout, LayoutRequest, Resolved};
use crate::ui::job::{Action, Ending, Job, JobEvent, Plan};
use crate::ui::{
    About, Experiment, Folder, Notice, Saved, ScenarioText, Session, SessionRequest, Ticket,
    TicketRequest, Validation,
};

const fn operation(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    response: Response,
) -> Operation {
    Operation { method, path, summary, query: &[], request: None, response }
}

const fn taking(request: SchemaOf, operation: Operation) -> Operation {
    Operation { request: Some(request), ..operation }
}

type Query = &'static [(&'static str, &'static str)];

const fn asking(query: Query, operation: Operation) -> Operation {
    Operation { query, ..operation }
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<T>()
}

const EVENTS: Response = Response::Stream("text/event-stream");
const FILE: Response = Response::Stream("application/octet-stream");
const TEXT: Response = Response::Stream("text/plain");

/// Every operation of the server, in the order of the documentation.
pub const OPERATIONS: &[Operation] = &[
    taking(
        of::<SessionRequest>,
        operation(
            "post",
            "/session",
            "Exchanges the token of the printed address for a session's key.",
            Response::Json(of::<Session>),
        ),
    ),
    operation("get", "/api/about", "The server.", Response::Json(of::<About>)),
    taking(
        of::<TicketRequest>,
        operation(
            "post",
            "/api/tickets",
            "A ticket for one GET request that cannot carry a header: a WebSocket, a download or \
             a frame.",
            Response::Json(of::<Ticket>),
        ),
    ),
    operation(
        "get",
        "/api/watch",
        "What changes, as it does. Each `data:` line is a UiNotice.",
        EVENTS,
    ),
    operation(
        "get",
        "/api/experiments",
        "The experiments of this machine.",
        Response::Json(of::<Vec<Experiment>>),
    ),
    operation(
        "get",
        "/api/experiments/{name}/v1/{path}",
        "The API of an experiment's engine as it is, with any method: see docs/openapi.json.",
        FILE,
    ),
    asking(
        &[
            ("folder", "The folder, relative to the server's."),
            ("scenarios", "`true`: all scenario files in and below the folder."),
        ],
        operation("get", "/api/files", "A folder's contents.", Response::Json(of::<Folder>)),
    ),
    operation(
        "get",
        "/api/files/{path}",
        "A file's text. Its ETag is the digest of it; with `If-None-Match` the answer is 304 \
         while it is the same.",
        TEXT,
    ),
    operation(
        "put",
        "/api/files/{path}",
        "Writes a text. `If-Match` has the digest of what it replaces, or `If-None-Match: *` says \
         that the file is new; without either the answer is 428, and 412 if that is not so.",
        Response::Json(of::<Saved>),
    ),
    taking(
        of::<ScenarioText>,
        operation(
            "post",
            "/api/validate",
            "All findings about a scenario.",
            Response::Json(of::<Validation>),
        ),
    ),
    taking(
        of::<GraphRequest>,
        operation("post", "/api/graph", "A scenario's network.", Response::Json(of::<Graph>)),
    ),
    taking(
        of::<LayoutRequest>,
        operation("post", "/api/layout", "Points of nodes.", Response::Json(of::<Layout>)),
    ),
    taking(
        of::<ScenarioText>,
        operation(
            "post",
            "/api/resolve",
            "The values in force for each node and link, and where they come from.",
            Response::Json(of::<Resolved>),
        ),
    ),
    taking(
        of::<Action>,
        operation(
            "post",
            "/api/plan",
            "What `netloom apply` would do. Changes nothing.",
            Response::Json(of::<Plan>),
        ),
    ),
    taking(of::<Action>, job("/api/deploy", "Begins `netloom deploy`.")),
    taking(of::<Action>, job("/api/run", "Begins `netloom run`.")),
    taking(of::<Action>, job("/api/simulate", "Begins `netloom run --simulate`.")),
    taking(of::<Action>, job("/api/apply", "Begins `netloom apply`.")),
    taking(of::<Ending>, job("/api/destroy", "Begins `netloom destroy`.")),
    taking(of::<Ending>, job("/api/cleanup", "Begins `netloom cleanup`.")),
    operation(
        "get",
        "/api/jobs",
        "The commands that the server runs or has run.",
        Response::Json(of::<Vec<Job>>),
    ),
    operation(
        "get",
        "/api/jobs/{id}/events",
        "What a command says, from its first line on; ends with it. Each `data:` line is a \
         JobEvent.",
        EVENTS,
    ),
    operation(
        "post",
        "/api/jobs/{id}/stop",
        "Ends a command in order, as Ctrl-C does; a second time it is killed.",
        Response::Json(of::<Job>),
    ),
    operation(
        "get",
        "/api/results",
        "The runs whose results are in the server's folder, the latest first.",
        Response::Json(of::<Vec<Run>>),
    ),
    asking(
        RUN,
        operation(
            "get",
            "/api/results/files",
            "The files of a run.",
            Response::Json(of::<Vec<RunFile>>),
        ),
    ),
    asking(
        RUN,
        operation(
            "get",
            "/api/results/summary",
            "The summary of a run.",
            Response::Json(of::<Summary>),
        ),
    ),
    asking(RUN_FILE, operation("get", "/api/results/file", "A file of a run.", FILE)),
    asking(
        RUN_TABLE,
        operation(
            "get",
            "/api/results/table",
            "Rows of a table of a run.",
            Response::Json(of::<Table>),
        ),
    ),
];

const OF_RUN: (&str, &str) = ("run", "The run's folder, relative to the server's.");
const RUN: Query = &[OF_RUN];
const RUN_FILE: Query = &[OF_RUN, ("file", "The file, relative to the run's folder.")];
const RUN_TABLE: Query = &[
    OF_RUN,
    ("file", "The Parquet file, relative to the run's folder."),
    ("columns", "The wanted columns, with commas between them; by default all."),
    ("from", "First time wanted, in seconds, of tables with a column `time_ns`."),
    ("to", "Last time wanted, in seconds."),
    ("rows", "Most rows wanted (default 10000, at most 200000)."),
    ("evenly", "`true`: of too many samples (rows of one time) every other one, or fewer."),
];

const fn job(path: &'static str, summary: &'static str) -> Operation {
    operation("post", path, summary, Response::Begun(of::<Job>))
}

/// The OpenAPI 3.1 document.
pub fn document() -> Value {
    let mut described = Described::new();
    for operation in OPERATIONS {
        described.add(operation.path, operation);
    }
    // Types that only WebSockets and streams carry, or the engine's part of the API.
    let generator = &mut described.generator;
    of::<Notice>(generator);
    of::<JobEvent>(generator);
    of::<LiveRequest>(generator);
    of::<LiveNotice>(generator);
    of::<Event>(generator);
    of::<NodeStatus>(generator);
    of::<LinkStatus>(generator);
    of::<ProcessStatus>(generator);
    of::<ServiceStatus>(generator);
    described.into_document(
        "NetLoom web UI",
        "The server of `netloom ui`, on 127.0.0.1. All but `/session` needs the header \
         `Authorization: Bearer KEY` or, for a GET, a ticket.",
    )
}
