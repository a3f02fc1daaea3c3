//! Experiments of this machine, and the API of their engines, which is passed on as it is: HTTP,
//! streams of events, captures, and WebSockets.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderName, StatusCode, Uri, header};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use netloom_api::ui::{Experiment, Notice};
use netloom_host::Found;
use tokio::io::copy_bidirectional;
use tokio::net::UnixStream;

use crate::answer::{Answer, Refused, apart};
use crate::experiments;
use crate::security::without_ticket;
use crate::server::Server;

/// How often the experiments of the machine are looked at for those who watch.
const LOOK: Duration = Duration::from_secs(1);

/// `GET /api/experiments`
pub async fn list() -> Answer<Json<Vec<Experiment>>> {
    experiments::all().await.map(Json)
}

/// What was sent to one who watches.
#[derive(Default)]
struct Sent {
    experiments: Option<Vec<Experiment>>,
    jobs: Option<u64>,
}

/// `GET /api/watch`: what changes, as it does.
pub async fn watch(
    State(server): State<Server>,
) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    let notices = stream::unfold((server, Sent::default()), |(server, mut sent)| async move {
        let notice = next_notice(&server, &mut sent).await;
        let event = sse::Event::default().json_data(notice).unwrap_or_default();
        Some((Ok(event), (server, sent)))
    });
    Sse::new(notices).keep_alive(KeepAlive::default())
}

/// Waits for the next notice.
async fn next_notice(server: &Server, sent: &mut Sent) -> Notice {
    loop {
        let jobs = server.jobs.version();
        if sent.jobs.replace(jobs) != Some(jobs) {
            return Notice::Jobs(server.jobs.all());
        }
        if let Ok(now) = server.looked.all(jobs).await
            && !sent.experiments.as_ref().is_some_and(|before| are_same(before, &now))
        {
            sent.experiments = Some(now.clone());
            return Notice::Experiments(now);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = server.jobs.changed(jobs) => {}
        }
    }
}

/// Whether nothing has changed but the time.
fn are_same(before: &[Experiment], now: &[Experiment]) -> bool {
    let timeless = |all: &[Experiment]| -> Vec<Experiment> {
        let timeless = |mut one: Experiment| {
            if let Some(status) = &mut one.status {
                status.now = Default::default();
            }
            one
        };
        all.iter().cloned().map(timeless).collect()
    };
    timeless(before) == timeless(now)
}

/// `/api/experiments/{name}/v1/…`: passes a request on to the engine of an experiment.
pub async fn pass(
    Path((name, rest)): Path<(String, String)>,
    mut request: Request,
) -> Answer<Response> {
    let engine = engine(name.clone()).await?;
    let stream = UnixStream::connect(&engine.socket).await.map_err(|error| gone(&name, &error))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| gone(&name, &error))?;
    tokio::spawn(async move {
        // Whoever waits for the answer gets the error.
        let _ = connection.with_upgrades().await;
    });
    let is_upgrade = request.headers().contains_key(header::UPGRADE);
    let near = is_upgrade.then(|| hyper::upgrade::on(&mut request));
    let passed = passed_on(request, &rest)?;
    let mut response = sender.send_request(passed).await.map_err(|error| gone(&name, &error))?;
    if let (StatusCode::SWITCHING_PROTOCOLS, Some(near)) = (response.status(), near) {
        let far = hyper::upgrade::on(&mut response);
        tokio::spawn(async move {
            let (Ok(near), Ok(far)) = tokio::join!(near, far) else { return };
            // Either end may go at any time.
            let _ = copy_bidirectional(&mut TokioIo::new(near), &mut TokioIo::new(far)).await;
        });
    }
    Ok(response.map(Body::new).into_response())
}

/// Finds a living engine.
async fn engine(name: String) -> Answer<Found> {
    netloom_scenario::check_experiment_name(&name).map_err(Refused::bad)?;
    let found = apart(move || Ok(netloom_host::inspect(&name)?)).await?;
    match (found.alive, found.pid) {
        (true, _) => Ok(found),
        (false, Some(_)) => {
            let error = format!("the engine of `{}` has died", found.name);
            let help = format!("`netloom cleanup {}` removes what is left", found.name);
            Err(Refused::new(StatusCode::BAD_GATEWAY, error).with_help(help))
        }
        (false, None) => {
            Err(Refused::not_found(format!("there is no experiment `{}`", found.name)))
        }
    }
}

/// Makes the request that the engine gets: without what is between the page and this server only.
fn passed_on(request: Request, rest: &str) -> Answer<Request> {
    let (mut parts, body) = request.into_parts();
    let query = without_ticket(parts.uri.query().unwrap_or_default());
    let query = if query.is_empty() { query } else { format!("?{query}") };
    // The path as it was sent, behind the name, so that what is escaped stays so.
    let path = parts.uri.path().strip_prefix("/api/experiments/").unwrap_or_default();
    let own = path.find('/').map(|at| &path[at..]);
    let own = own.ok_or_else(|| Refused::not_found(format!("there is no path {rest}")))?;
    let target = format!("{own}{query}");
    let target: PathAndQuery = target
        .parse()
        .map_err(|error| Refused::bad(format!("the engine cannot be asked for that: {error}")))?;
    parts.uri = Uri::from(target);
    let ours = [header::AUTHORIZATION, header::ORIGIN, header::COOKIE, header::REFERER];
    ours.iter().for_each(|name| drop(parts.headers.remove(name)));
    let fetch: Vec<HeaderName> = parts
        .headers
        .keys()
        .filter(|name| name.as_str().starts_with("sec-fetch"))
        .cloned()
        .collect();
    fetch.iter().for_each(|name| drop(parts.headers.remove(name)));
    Ok(Request::from_parts(parts, body))
}

fn gone(name: &str, error: &dyn std::error::Error) -> Refused {
    Refused::new(
        StatusCode::BAD_GATEWAY,
        format!("the engine of `{name}` does not answer: {error}"),
    )
    .with_help(format!("if it has died, `netloom cleanup {name}` removes what is left"))
}
