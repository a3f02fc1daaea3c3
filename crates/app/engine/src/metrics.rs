//! Metrics that applications in nodes report, over a Unix socket of their own. A process that can
//! reach it can report metrics and ask for the paths of a symbiotic run, and nothing else. The
//! kernel identifies the process that connects, and its network namespace identifies the node.
//!
//! | module | contents |
//! |---|---|
//! | `door` | who may connect |
//! | `store` | the file of all reports |

mod door;
mod store;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context, Result};
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::IncomingStream;
use axum::{Json, Router};
use netloom_api::metric::{COMMAND, Metric, MetricReport, SOCKET_VARIABLE};
use netloom_api::{ApiError, in_words};
use netloom_monitor::{Observation, Party, SignalKind, Subject};
use netloom_nodes::Layout;
use tokio::net::UnixListener;

use crate::deployment::Deployment;
use crate::descriptors::Share;
use crate::events::EventLog;
use crate::live::LiveNetwork;
use crate::monitoring::SharedMonitor;
use door::{Door, Reporter};
use store::{Missing, Store};

/// Longest name of a metric.
const LONGEST_NAME: usize = 100;
/// Most metrics of an experiment: each costs the monitor memory for every node.
const MOST_METRICS: usize = 1000;
/// Largest body of a report, which is a name and a number.
const MAX_BODY: usize = 4096;

/// The paths of the socket and the command as processes in nodes find them.
const SOCKET: &str = "/run/netloom/metrics.sock";
const COMMANDS: &str = "/run/netloom/bin";

/// Returns the variables by which processes in nodes find the socket and the command.
pub fn environment() -> Vec<(String, String)> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".into());
    vec![(SOCKET_VARIABLE.into(), SOCKET.into()), ("PATH".into(), format!("{path}:{COMMANDS}"))]
}

/// Returns the files of the machine that nodes can access, and their paths there: the socket, and
/// this program as the command.
pub fn files(layout: &Layout) -> Result<Vec<(PathBuf, PathBuf)>> {
    let this = std::env::current_exe().context("cannot find the netloom binary")?;
    Ok(vec![(socket(layout), SOCKET.into()), (this, program())])
}

/// Returns the path of this program in the view of processes in nodes.
pub fn program() -> PathBuf {
    Path::new(COMMANDS).join(COMMAND)
}

fn socket(layout: &Layout) -> PathBuf {
    layout.state_dir().join("metrics.sock")
}

/// The metrics of one experiment.
pub struct Metrics {
    network: Arc<LiveNetwork>,
    monitor: Arc<SharedMonitor>,
    events: Arc<EventLog>,
    /// The nodes by the inodes of their network namespaces, for one deployment that was in force.
    nodes: Mutex<(Weak<Deployment>, HashMap<u64, u32>)>,
    /// Numbers of the metrics that were reported so far.
    numbers: Mutex<HashMap<String, u32>>,
    /// Reports so far, by the engine's clock, until zero is known.
    held: Mutex<Option<Vec<Metric>>>,
    /// The file of a run's reports.
    store: Option<Mutex<Store>>,
}

impl Metrics {
    /// Makes the metrics of nodes of `network`, which are passed to `monitor`. With `file`, each
    /// report is also written there as a line of JSON. Reports that cannot be written cause a
    /// warning in `events`.
    pub fn new(
        network: Arc<LiveNetwork>,
        monitor: Arc<SharedMonitor>,
        events: Arc<EventLog>,
        file: Option<File>,
    ) -> Self {
        Self {
            network,
            monitor,
            events,
            nodes: Mutex::default(),
            numbers: Mutex::default(),
            held: Mutex::new(Some(Vec::new())),
            store: file.map(|file| Mutex::new(Store::new(file))),
        }
    }

    /// Begins to accept reports, over as many connections as the share of open files allows.
    pub fn serve(self: &Arc<Self>, layout: &Layout, share: Share) -> Result<()> {
        let socket = socket(layout);
        let listener = UnixListener::bind(&socket)
            .with_context(|| format!("cannot listen on {}", socket.display()))?;
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o666))
            .with_context(|| format!("cannot open {} to nodes", socket.display()))?;
        let metrics = Arc::clone(self);
        let door = Door::new(listener, share, Box::new(move |process| metrics.node_of(process)));
        let router = Router::new()
            .route(&format!("/{}/metrics", netloom_api::VERSION), post(report))
            .route(&format!("/{}/paths", netloom_api::VERSION), get(paths))
            .layer(DefaultBodyLimit::max(MAX_BODY))
            .with_state(Arc::clone(self))
            .into_make_service_with_connect_info::<Reporter>();
        tokio::spawn(async move { axum::serve(door, router).await });
        self.monitor.observe(&Observation::Watched {
            signal: SignalKind::Application,
            probe: SOCKET_VARIABLE.into(),
            cannot_see: vec!["what applications do not report".into()],
            partial: false,
        });
        Ok(())
    }

    /// Returns in words the reports so far that are missing in `metrics.jsonl`.
    pub fn lacks(&self) -> Option<String> {
        let store = lock(self.store.as_ref()?);
        let Missing { reports, first } = store.missing()?;
        Some(format!(
            "metrics.jsonl is not complete: {reports} reports could not be written, and their \
             programs were told so (first: {first})"
        ))
    }

    /// Stores the reports so far, now that zero is known.
    pub fn begin(&self) {
        // Held until all are stored: later reports come after them.
        let mut held = lock(&self.held);
        for metric in held.take().unwrap_or_default() {
            // An error is recorded, and its program has ended or goes on.
            let _ = self.store(metric);
        }
    }

    /// Stores a report by the engine's clock, once zero is known.
    fn keep(&self, metric: Metric) -> Result<(), (StatusCode, String)> {
        match &mut *lock(&self.held) {
            Some(held) => held.push(metric),
            None => return self.store(metric),
        }
        Ok(())
    }

    /// Stores a report by the engine's clock, if reports are stored.
    fn store(&self, mut metric: Metric) -> Result<(), (StatusCode, String)> {
        let Some(store) = &self.store else { return Ok(()) };
        metric.time = self.network.zero().since(metric.time);
        let mut store = lock(store);
        let was_complete = store.missing().is_none();
        let Err(error) = store.put(&metric) else { return Ok(()) };
        drop(store);
        if was_complete {
            self.events.warn(format!(
                "metrics.jsonl: a report of {} could not be written: {error}; reports are refused \
                 until they can be",
                metric.node
            ));
        }
        let why = format!("the report was not recorded, for the engine cannot write it: {error}");
        Err((status_of(&error), why))
    }

    fn take(&self, node: Option<u32>, report: MetricReport) -> Result<(), (StatusCode, String)> {
        let refused = |why: String| (StatusCode::BAD_REQUEST, why);
        let node = node.ok_or_else(|| {
            let why = "only a process in a node of this experiment can report a metric";
            (StatusCode::FORBIDDEN, why.into())
        })?;
        if report.name.is_empty() || report.name.len() > LONGEST_NAME {
            return Err(refused(format!("a metric's name has 1 to {LONGEST_NAME} bytes")));
        }
        let number = self.number(&report.name).ok_or_else(|| {
            refused(format!("there are {MOST_METRICS} metrics already; use fewer names"))
        })?;
        let MetricReport { name, value } = report;
        let now = self.network.now();
        let in_node = self.network.identities.node_names().swap_remove(node as usize);
        self.keep(Metric { time: now, node: in_node, name: name.clone(), value })?;
        let mut monitor = self.monitor.lock();
        monitor.observe(now, &Observation::Named { what: Subject::Metric(number), name });
        let (metric, party) = (number, Party::Node(node));
        monitor.observe(now, &Observation::Metric { metric, party, value });
        Ok(())
    }

    fn node_of(&self, process: i32) -> Option<u32> {
        let namespace = fs::metadata(format!("/proc/{process}/ns/net")).ok()?;
        let deployment = self.network.deployment();
        let (of, nodes) = &mut *lock(&self.nodes);
        if !of.upgrade().is_some_and(|of| Arc::ptr_eq(&of, &deployment)) {
            let found = self.network.with(|live| Ok(deployment.namespaces(&live.network)));
            *nodes = found.ok()?;
            *of = Arc::downgrade(&deployment);
        }
        nodes.get(&namespace.ino()).copied()
    }

    fn number(&self, name: &str) -> Option<u32> {
        let mut numbers = lock(&self.numbers);
        if let Some(number) = numbers.get(name) {
            return Some(*number);
        }
        let number = u32::try_from(numbers.len()).ok().filter(|n| (*n as usize) < MOST_METRICS)?;
        numbers.insert(name.into(), number);
        Some(number)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The values behind these locks are whole after each step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the status for a program whose report could not be written.
fn status_of(error: &io::Error) -> StatusCode {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            StatusCode::INSUFFICIENT_STORAGE
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl Connected<IncomingStream<'_, Door>> for Reporter {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        *stream.remote_addr()
    }
}

/// Returns the paths between real hosts of a symbiotic run, for a process in a node.
async fn paths(
    State(metrics): State<Arc<Metrics>>,
    ConnectInfo(Reporter(node)): ConnectInfo<Reporter>,
) -> Response {
    let why = "only a process in a node of this experiment can ask for paths";
    let paths = match node {
        Some(_) => metrics
            .network
            .paths()
            .map_err(|error| (StatusCode::BAD_REQUEST, in_words(error.as_ref()))),
        None => Err((StatusCode::FORBIDDEN, why.into())),
    };
    match paths {
        Ok(paths) => Json(paths).into_response(),
        Err((status, error)) => (status, Json(ApiError { error, help: None })).into_response(),
    }
}

async fn report(
    State(metrics): State<Arc<Metrics>>,
    ConnectInfo(Reporter(node)): ConnectInfo<Reporter>,
    body: String,
) -> Response {
    let report = serde_json::from_str::<MetricReport>(&body).map_err(|error| {
        let example = r#"{"name": "jitter_ms", "value": 1.5}"#;
        (StatusCode::BAD_REQUEST, format!("the request is not like {example}: {error}"))
    });
    match report.and_then(|report| metrics.take(node, report)) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err((status, error)) => (status, Json(ApiError { error, help: None })).into_response(),
    }
}
