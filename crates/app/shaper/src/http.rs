//! The API of the daemon: carries the requests of guests out, and records them. Not here: who they
//! are, and how many connections they have (`doors`).

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::{Json, Router};
use futures_util::stream;
use netloom_api::ApiError;
use netloom_dataplane::Capture;
use netloom_link::Window;
use netloom_results::CaptureWriter;
use netloom_shape::wire::{Add, CaptureOf, Done, Renew, Set};
use netloom_shape::{Claim, Entry, Guest, Limits, Owner, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use crate::audit::{Record, now};
use crate::doors::{Common, Part, Peer};
use crate::listing::Whose;
use crate::shaping::Shaping;
use crate::turns::Turns;

/// Largest body of a request in bytes: claims carry the values of traces and tables.
const MAX_BODY: u64 = 4 << 20;
/// Most bytes of bodies at once.
const BODIES: Limits = Limits { root: 64 << 20, user: 8 << 20, strangers: 0, all: 64 << 20 };
/// Most captures at once: so each claim of a user has four at most.
const CAPTURES: Limits = Limits { root: 8, user: 4, strangers: 0, all: 16 };
/// Longest time for a body to come.
const BODY: Duration = Duration::from_secs(30);

/// The state that handlers need.
#[derive(Clone)]
pub struct Served {
    /// The claims.
    pub shaping: Arc<Shaping>,
    /// Notified when the daemon is asked to end.
    pub end: Arc<Notify>,
    turns: Turns,
    bodies: Common,
    captures: Common,
}

impl Served {
    /// Makes the state.
    pub fn new(shaping: Arc<Shaping>, end: Arc<Notify>) -> Self {
        let [bodies, captures] = [BODIES, CAPTURES].map(Common::new);
        Self { shaping, end, turns: Turns::default(), bodies, captures }
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
    served
        .in_turn(peer, move |served, peer| {
            let window = listing.last.map(|text| text.parse::<Window>()).transpose();
            match window {
                Ok(window) => {
                    let whose = if listing.all { Whose::All } else { Whose::Own };
                    answer(served.shaping.list(&peer.owner, whose, window))
                }
                Err(wrong) => {
                    (StatusCode::BAD_REQUEST, error(&format!("last: {wrong}"))).into_response()
                }
            }
        })
        .await
}

async fn capacity(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    served.in_turn(peer, |served, peer| answer(Ok(served.shaping.room(&peer.owner)))).await
}

async fn add(State(served): State<Served>, ConnectInfo(peer): Caller, body: Body) -> Response {
    let asked = |add: &Add| Asked::of_claim(&add.name, &add.claim);
    let carry_out = |served: &Served, owner: &Owner, add: Add| served.shaping.add(owner, &add);
    served.request(peer, "add", None, body, asked, carry_out).await
}

async fn set(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
    body: Body,
) -> Response {
    let asked = |set: &Set| Asked::change(json!({ "out": set.out, "in": set.inward }));
    let of = name.clone();
    let carry_out =
        move |served: &Served, owner: &Owner, set: Set| served.shaping.set(owner, &of, &set);
    served.request(peer, "set", Some(name), body, asked, carry_out).await
}

async fn renew(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
    body: Body,
) -> Response {
    let asked = |renew: &Renew| Asked::change(json!({ "for": renew.lifetime }));
    let of = name.clone();
    let carry_out = move |served: &Served, owner: &Owner, renew: Renew| {
        served.shaping.renew(owner, &of, renew.lifetime)
    };
    served.request(peer, "renew", Some(name), body, asked, carry_out).await
}

async fn remove(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
) -> Response {
    let of = name.clone();
    let carry_out = move |served: &Served, owner: &Owner, (): ()| -> Result<Done> {
        Ok(Done { was: None, is: served.shaping.remove(owner, &of)?, notes: Vec::new() })
    };
    let nothing = |(): &()| Asked::default();
    served.request(peer, "remove", Some(name), Body::from("null"), nothing, carry_out).await
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
    let all = removal.all;
    let asked = move |(): &()| Asked::change(json!({ "all": all }));
    let carry_out = move |served: &Served, owner: &Owner, (): ()| -> Result<Vec<Entry>> {
        served.shaping.remove_all(owner, all)
    };
    served.request(peer, "remove", None, Body::from("null"), asked, carry_out).await
}

async fn shutdown(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    let carry_out = |served: &Served, owner: &Owner, (): ()| {
        if !owner.is_root() {
            return Err(Refusal::RootOnly("`stop`", "end your own claims").into());
        }
        let ended = served.shaping.remove_all(owner, true)?;
        served.end.notify_one();
        Ok(ended)
    };
    served
        .request(peer, "stop", None, Body::from("null"), |(): &()| Asked::default(), carry_out)
        .await
}

async fn capture(
    State(served): State<Served>,
    ConnectInfo(peer): Caller,
    Path(name): Path<String>,
    Query(of): Query<CaptureOf>,
) -> Response {
    served
        .in_turn(peer, move |served, peer| {
            let properties = json!({ "at": of.at, "drops": of.drops });
            let opened = served.open_capture(&peer, &name, of);
            let what = Asked { claim: Some(name), selector: None, properties };
            served.record(&peer, "capture", what, opened.as_ref().err());
            let streamed = opened.and_then(|(capture, writer, part)| {
                netloom_evidence::stream(capture, writer, part)
                    .context("cannot start a thread for the capture")
            });
            match streamed {
                Ok(blocks) => {
                    let kind = [(header::CONTENT_TYPE, "application/x-pcapng")];
                    (kind, Body::from_stream(blocks)).into_response()
                }
                Err(error) => answer::<()>(Err(error)),
            }
        })
        .await
}

async fn log(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    served
        .in_turn(peer, |served, peer| {
            let lines = served.shaping.audit.lines(&peer.owner);
            let text: String = lines.iter().flat_map(|line| [&**line, "\n"]).collect();
            text.into_response()
        })
        .await
}

async fn events(State(served): State<Served>, ConnectInfo(peer): Caller) -> Response {
    let lines =
        stream::unfold((served.shaping.audit.stream(), peer.owner), |(mut lines, owner)| async {
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

    fn change(properties: Value) -> Self {
        Self { properties, ..Self::default() }
    }
}

impl Served {
    /// Reads a request, carries it out if the user may do that, records it, and answers. Of users
    /// who may not, not even the body is read.
    async fn request<T: serde::de::DeserializeOwned, A: Serialize>(
        self,
        peer: Peer,
        verb: &'static str,
        name: Option<String>,
        body: Body,
        asked: impl Fn(&T) -> Asked + Send + 'static,
        carry_out: impl FnOnce(&Self, &Owner, T) -> Result<A> + Send + 'static,
    ) -> Response {
        let body = match self.may(&peer) {
            Ok(()) => self.body(&peer, body).await,
            Err(refused) => Err(refused),
        };
        self.in_turn(peer, move |served, peer| {
            let read = body.map(|(body, _part)| {
                serde_json::from_slice::<T>(&body).map_err(|error| {
                    Refusal::Malformed(format!("the request is none: {error}")).into()
                })
            });
            let read: Result<T> = read.map_err(anyhow::Error::from).and_then(|read| read);
            let what = read.as_ref().map(asked).unwrap_or_default();
            let what = Asked { claim: name.or(what.claim), ..what };
            let outcome = read.and_then(|request| carry_out(served, &peer.owner, request));
            served.record(&peer, verb, what, outcome.as_ref().err());
            answer(outcome)
        })
        .await
    }

    /// Reads a body, if there is room for it.
    async fn body(&self, peer: &Peer, body: Body) -> Result<(Bytes, Part), Refusal> {
        let most = body.size_hint().upper().unwrap_or(MAX_BODY);
        if most > MAX_BODY {
            return Err(Refusal::Malformed(format!(
                "a request of {most} bytes is too long: {MAX_BODY} are the most"
            )));
        }
        let part = self.bodies.take(peer.guest, most).map_err(|_| {
            Refusal::Malformed("too many bytes of requests are under way: wait a moment".into())
        })?;
        let length = usize::try_from(most).unwrap_or(usize::MAX);
        match timeout(BODY, to_bytes(body, length)).await {
            Ok(Ok(bytes)) => Ok((bytes, part)),
            Ok(Err(error)) => Err(Refusal::Malformed(format!("the request is broken: {error}"))),
            Err(_) => {
                let seconds = BODY.as_secs();
                Err(Refusal::Malformed(format!("the request has not come within {seconds} s")))
            }
        }
    }

    /// Does work that may block in the kernel, when it is the guest's turn.
    async fn in_turn(
        self,
        peer: Peer,
        work: impl FnOnce(&Self, Peer) -> Response + Send + 'static,
    ) -> Response {
        let turn = self.turns.take(peer.guest).await;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&self, peer)
        });
        done.await.unwrap_or_else(|panic| {
            let words = format!("the daemon failed: {panic}");
            (StatusCode::INTERNAL_SERVER_ERROR, error(&words)).into_response()
        })
    }

    /// Checks that a user may request changes and captures.
    fn may(&self, peer: &Peer) -> Result<(), Refusal> {
        match peer.guest {
            Guest::Strangers => Err(self.shaping.not_allowed(&peer.owner)),
            Guest::Root | Guest::User(_) => Ok(()),
        }
    }

    /// Begins a capture, if the guest has not too many.
    fn open_capture(
        &self,
        peer: &Peer,
        name: &str,
        of: CaptureOf,
    ) -> Result<(Capture, CaptureWriter, Part)> {
        self.may(peer)?;
        let part = self.captures.take(peer.guest, 1).map_err(|most| {
            Refusal::Malformed(format!(
                "you have {most} captures, or all users have too many: end one first"
            ))
        })?;
        let (capture, writer) = self.shaping.capture(&peer.owner, name, of)?;
        Ok((capture, writer, part))
    }

    /// Records a request.
    fn record(&self, peer: &Peer, verb: &'static str, what: Asked, error: Option<&anyhow::Error>) {
        let result = match error {
            None => "done",
            Some(error) if error.is::<Refusal>() => "refused",
            Some(_) => "failed",
        };
        let record = Record {
            time: now(),
            uid: peer.owner.uid,
            pid: peer.pid,
            verb,
            claim: what.claim,
            selector: what.selector,
            properties: what.properties,
            result,
            reason: error.map(|error| netloom_api::in_words(error.as_ref())),
            unrecorded: 0,
        };
        self.shaping.audit.write(peer.guest, record);
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
