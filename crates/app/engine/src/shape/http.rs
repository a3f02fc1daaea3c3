//! The API of the daemon: identifies users and carries their requests out. Users are identified by
//! the socket, and every request is recorded.

use std::convert::Infallible;
use std::sync::Arc;

use anyhow::Result;
use axum::body::{Body, Bytes};
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::serve::IncomingStream;
use axum::{Json, Router};
use futures_util::stream;
use netloom_api::ApiError;
use netloom_link::Window;
use netloom_shape::wire::{Add, CaptureOf, Done, Renew, Set};
use netloom_shape::{Claim, Entry, Owner, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::UnixListener;
use tokio::sync::Notify;
use tokio::sync::broadcast::error::RecvError;

use super::audit::{Record, now};
use super::listing::Whose;
use super::people;
use super::shaping::Shaping;
use crate::http::capture::pcapng;

/// Largest body of a request: claims carry the values of traces and tables.
const MAX_BODY: usize = 64 << 20;

/// The state that handlers need.
#[derive(Clone)]
pub struct Served {
    /// The claims.
    pub shaping: Arc<Shaping>,
    /// Notified when the daemon is asked to end.
    pub end: Arc<Notify>,
}

/// The peer of a connection, according to the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    uid: u32,
    gid: u32,
    pid: Option<i32>,
}

impl Connected<IncomingStream<'_, UnixListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, UnixListener>) -> Self {
        // A peer that is already gone counts as nobody.
        let overflow = people::overflow_uid();
        let nobody = Self { uid: overflow, gid: overflow, pid: None };
        stream.io().peer_cred().map_or(nobody, |credentials| Self {
            uid: credentials.uid(),
            gid: credentials.gid(),
            pid: credentials.pid(),
        })
    }
}

/// Returns the API.
pub fn router(served: Served) -> Router {
    Router::new()
        .route("/v1/claims", get(list).post(add).delete(remove_all))
        .route("/v1/claims/{name}", patch(set).delete(remove))
        .route("/v1/claims/{name}/renew", post(renew))
        .route("/v1/claims/{name}/capture", get(capture))
        .route("/v1/capacity", get(capacity))
        .route("/v1/log", get(log))
        .route("/v1/events", get(events))
        .route("/v1/shutdown", post(shutdown))
        .fallback(async || (StatusCode::NOT_FOUND, error("there is no such path")))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(served)
}

type Caller = ConnectInfo<Peer>;

/// The claims to list.
#[derive(Debug, Deserialize)]
struct Listing {
    #[serde(default)]
    all: bool,
    /// Length of the window of statistics, like `5s`.
    last: Option<String>,
}

async fn list(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Query(listing): Query<Listing>,
) -> Response {
    blocking(move || {
        let window = listing.last.map(|text| text.parse::<Window>()).transpose();
        match window {
            Ok(window) => {
                let whose = if listing.all { Whose::All } else { Whose::Own };
                answer(served.shaping.list(&people::owner(peer.uid), whose, window))
            }
            Err(wrong) => {
                (StatusCode::BAD_REQUEST, error(&format!("last: {wrong}"))).into_response()
            }
        }
    })
    .await
}

async fn capacity(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    blocking(move || answer(Ok(served.shaping.room(&people::owner(peer.uid))))).await
}

async fn add(State(served): State<Served>, ConnectInfo(peer): Caller, body: Bytes) -> Response {
    blocking(move || {
        let asked = |add: &Add| Asked::of_claim(&add.name, &add.claim);
        served.request(peer, "add", &body, asked, |owner, add: Add| served.shaping.add(owner, &add))
    })
    .await
}

async fn set(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    blocking(move || {
        let asked = |set: &Set| Asked::change(&name, json!({ "out": set.out, "in": set.inward }));
        served.request(peer, "set", &body, asked, |owner, set: Set| {
            served.shaping.set(owner, &name, &set)
        })
    })
    .await
}

async fn renew(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    blocking(move || {
        let asked = |renew: &Renew| Asked::change(&name, json!({ "for": renew.lifetime }));
        served.request(peer, "renew", &body, asked, |owner, renew: Renew| {
            served.shaping.renew(owner, &name, renew.lifetime)
        })
    })
    .await
}

async fn remove(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
) -> Response {
    blocking(move || {
        let asked = |_: &Value| Asked { claim: Some(name.clone()), ..Asked::default() };
        served.request(peer, "remove", b"null", asked, |owner, _: Value| -> Result<Done> {
            let is = served.shaping.remove(owner, &name)?;
            Ok(Done { was: None, is, notes: Vec::new() })
        })
    })
    .await
}

/// The users whose claims are to end.
#[derive(Debug, Deserialize)]
struct Removal {
    #[serde(default)]
    all: bool,
}

async fn remove_all(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Query(removal): Query<Removal>,
) -> Response {
    blocking(move || {
        let asked =
            |_: &Value| Asked { properties: json!({ "all": removal.all }), ..Asked::default() };
        served.request(peer, "remove", b"null", asked, |owner, _: Value| -> Result<Vec<Entry>> {
            served.shaping.remove_all(owner, removal.all)
        })
    })
    .await
}

async fn shutdown(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    blocking(move || {
        let asked = |_: &Value| Asked::default();
        served.request(peer, "stop", b"null", asked, |owner, _: Value| {
            if !owner.is_root() {
                return Err(Refusal::RootOnly("`stop`", "end your own claims").into());
            }
            let ended = served.shaping.remove_all(owner, true)?;
            served.end.notify_one();
            Ok(ended)
        })
    })
    .await
}

async fn capture(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
    Query(of): Query<CaptureOf>,
) -> Response {
    let owner = people::owner(peer.uid);
    let properties = json!({ "at": of.at, "drops": of.drops });
    let opened = match served.may(peer, &owner) {
        true => served.shaping.capture(&owner, &name, of),
        false => Err(Refusal::NotAllowed(owner.name).into()),
    };
    let what = Asked { claim: Some(name), selector: None, properties };
    served.record(peer, "capture", what, opened.as_ref().err());
    match opened {
        Ok((capture, writer)) => pcapng(capture, writer),
        Err(error) => answer::<()>(Err(error)),
    }
}

async fn log(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    blocking(move || {
        let lines = served.shaping.audit.lines(&people::owner(peer.uid));
        let text: String = lines.iter().flat_map(|line| [&**line, "\n"]).collect();
        text.into_response()
    })
    .await
}

async fn events(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    let owner = people::owner(peer.uid);
    let lines =
        stream::unfold((served.shaping.audit.stream(), owner), |(mut lines, owner)| async {
            loop {
                match lines.recv().await {
                    Ok(line) if owner.is_root() || line.uid == owner.uid => {
                        let text = format!("data: {}\n\n", line.json);
                        return Some((Ok::<_, Infallible>(Bytes::from(text)), (lines, owner)));
                    }
                    // A line of another user, or this reader was too slow for some lines.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        });
    ([("content-type", "text/event-stream")], Body::from_stream(lines)).into_response()
}

/// The parts of a request that are recorded.
#[derive(Debug, Default)]
struct Asked {
    claim: Option<String>,
    selector: Option<String>,
    properties: Value,
}

impl Asked {
    fn of_claim(name: &str, claim: &Claim) -> Self {
        Self {
            claim: Some(name.into()),
            selector: Some(claim.selector.to_string()),
            properties: json!({ "out": claim.out, "in": claim.inward, "for": claim.lifetime }),
        }
    }

    fn change(name: &str, properties: Value) -> Self {
        Self { claim: Some(name.into()), selector: None, properties }
    }
}

impl Served {
    /// Reads a request, carries it out if the user may do that, records it, and answers.
    fn request<T: serde::de::DeserializeOwned, A: Serialize>(
        &self,
        peer: Peer,
        verb: &'static str,
        body: &[u8],
        asked: impl Fn(&T) -> Asked,
        carry_out: impl FnOnce(&Owner, T) -> Result<A>,
    ) -> Response {
        let owner = people::owner(peer.uid);
        let may = self.may(peer, &owner);
        let read = serde_json::from_slice::<T>(body);
        let what = read.as_ref().map(asked).unwrap_or_default();
        let outcome = match read {
            _ if !may => Err(Refusal::NotAllowed(owner.name.clone()).into()),
            Err(error) => Err(Refusal::Malformed(format!("the request is none: {error}")).into()),
            Ok(request) => carry_out(&owner, request),
        };
        self.record(peer, verb, what, outcome.as_ref().err());
        answer(outcome)
    }

    /// Whether a user may request changes and captures.
    fn may(&self, peer: Peer, owner: &Owner) -> bool {
        peer.uid != people::overflow_uid() && self.shaping.allows(owner, peer.gid)
    }

    /// Records a request.
    fn record(&self, peer: Peer, verb: &'static str, what: Asked, error: Option<&anyhow::Error>) {
        let result = match error {
            None => "done",
            Some(error) if error.is::<Refusal>() => "refused",
            Some(_) => "failed",
        };
        self.shaping.audit.write(&Record {
            time: now(),
            uid: peer.uid,
            pid: peer.pid,
            verb,
            claim: what.claim,
            selector: what.selector,
            properties: what.properties,
            result,
            reason: error.map(|error| netloom_api::in_words(error.as_ref())),
        });
    }
}

/// Returns the response for a result: 200, 409 if it is refused, 500 if it failed.
fn answer<T: Serialize>(result: Result<T>) -> Response {
    match result {
        Ok(value) => Json(value).into_response(),
        Err(refused) => {
            let status = match refused.is::<Refusal>() {
                true => StatusCode::CONFLICT,
                false => StatusCode::INTERNAL_SERVER_ERROR,
            };
            (status, error(&netloom_api::in_words(refused.as_ref()))).into_response()
        }
    }
}

fn error(words: &str) -> Json<ApiError> {
    Json(ApiError { error: words.into(), help: None })
}

/// Runs work that may block in the kernel.
async fn blocking(work: impl FnOnce() -> Response + Send + 'static) -> Response {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| {
        let words = format!("the daemon failed: {panic}");
        (StatusCode::INTERNAL_SERVER_ERROR, error(&words)).into_response()
    })
}
