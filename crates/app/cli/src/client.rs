//! The API over its Unix socket.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use netloom_api::event::Event;
use netloom_api::state::ExperimentStatus;
use netloom_api::{ApiError, VERSION};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;

use netloom_host::Found;

use crate::exit;

/// Longest time for an engine to show that it is there.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest wait for an answer before the engine is asked whether it answers at all, and for the
/// answer to that.
const SILENCE: Duration = Duration::from_secs(10);
/// Longest first wait for answers to changes, which keep others waiting meanwhile.
const SILENCE_OF_CHANGES: Duration = Duration::from_secs(120);

/// Connections that are tried for a request that was not sent, and the pause after each.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(100);

/// Advice if the daemon of `netloom shape` does not run.
const NO_DAEMON: &str = "the daemon does not run: sudo netloom shape serve";

/// A client of one engine.
#[derive(Debug, Clone)]
pub struct Client {
    name: String,
    socket: PathBuf,
    pid: Option<u32>,
    /// Whether the engine is the daemon of `netloom shape`, which belongs to no experiment.
    is_shape: bool,
}

impl Client {
    /// Makes a client of the engine of experiment `name` behind `socket`.
    pub fn new(name: &str, socket: &Path) -> Self {
        Self { name: name.into(), socket: socket.into(), pid: None, is_shape: false }
    }

    /// Makes a client of the daemon of `netloom shape`.
    pub fn of_shape(socket: &Path) -> Self {
        Self { is_shape: true, ..Self::new("shape", socket) }
    }

    /// Makes a client of the engine of an experiment of this machine.
    pub fn of(found: &Found) -> Self {
        Self { pid: found.pid, ..Self::new(&found.name, &found.socket) }
    }

    /// Returns the experiment's name.
    pub fn experiment(&self) -> &str {
        &self.name
    }

    /// Whether the engine answers. One that is starting or dying does not.
    pub async fn is_reachable(&self) -> bool {
        // The kernel also accepts connections for an engine that is being killed.
        self.status_soon().await.is_some()
    }

    /// Returns the status of the whole experiment, if the engine answers soon.
    pub async fn status_soon(&self) -> Option<ExperimentStatus> {
        timeout(PATIENCE, self.get("/experiment")).await.ok()?.ok()
    }

    /// Whether the engine is there, even if it does not answer.
    pub async fn is_listening(&self) -> bool {
        match timeout(PATIENCE, self.connect()).await {
            Ok(connected) => connected.is_ok(),
            Err(_) => true,
        }
    }

    /// Returns the path of the engine's socket for commands in nodes.
    pub fn exec_socket(&self) -> PathBuf {
        self.socket.with_file_name("exec.sock")
    }

    /// Returns the directory for the output of services: the results, or the state directory.
    pub fn files(&self, status: &ExperimentStatus) -> PathBuf {
        let state = self.socket.parent().unwrap_or(Path::new("/"));
        status.results.clone().unwrap_or_else(|| state.into())
    }

    /// Sends a GET request and parses the JSON response.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        let response = self.send(Method::GET, path, Bytes::new()).await?;
        self.parse(path, response).await
    }

    /// Sends a GET request and returns the JSON response as it is.
    pub async fn body(&self, path: &str) -> Result<Bytes> {
        let response = self.send(Method::GET, path, Bytes::new()).await?;
        self.whole(path, response).await
    }

    /// Sends a PATCH request with JSON and parses the JSON response.
    pub async fn patch<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body)?;
        let response = self.send(Method::PATCH, path, body.into()).await?;
        self.parse(path, response).await
    }

    /// Sends a POST request with JSON and parses the JSON response.
    pub async fn ask<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body)?;
        let response = self.send(Method::POST, path, body.into()).await?;
        self.parse(path, response).await
    }

    /// Sends a DELETE request and parses the JSON response.
    pub async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        let response = self.send(Method::DELETE, path, Bytes::new()).await?;
        self.parse(path, response).await
    }

    /// Sends a POST request with JSON.
    pub async fn post(&self, path: &str, body: &impl Serialize) -> Result<()> {
        let body = serde_json::to_vec(body)?;
        self.send(Method::POST, path, body.into()).await.map(drop)
    }

    /// Asks the engine to end the experiment.
    ///
    /// # Errors
    /// If the engine refuses, or does not answer soon.
    pub async fn shutdown(&self) -> Result<()> {
        let asked = self.send(Method::POST, "/shutdown", Bytes::new());
        match timeout(PATIENCE, asked).await {
            Ok(answer) => answer.map(drop),
            Err(_) => Err(self.silent("POST /shutdown", PATIENCE)),
        }
    }

    /// Sends a GET request and returns the response as a stream of bytes.
    pub async fn stream(&self, path: &str) -> Result<Incoming> {
        Ok(self.send(Method::GET, path, Bytes::new()).await?.into_body())
    }

    /// Returns the events from number `since` on, as they happen.
    pub async fn events(&self, since: u64) -> Result<Events> {
        let body = self.stream(&format!("/events?since={since}")).await?;
        Ok(Events { body, buffer: Vec::new() })
    }

    /// Opens a WebSocket.
    pub async fn websocket(&self, path: &str) -> Result<WebSocketStream<UnixStream>> {
        let url = format!("ws://localhost/{VERSION}{path}");
        let asked = async {
            let stream = self.connect().await?;
            let (socket, _) = tokio_tungstenite::client_async(url, stream)
                .await
                .with_context(|| format!("the engine of `{}` refused {path}", self.name))?;
            Ok(socket)
        };
        self.heard(&format!("GET {path}"), asked).await?
    }

    async fn connect(&self) -> Result<UnixStream> {
        let connected = UnixStream::connect(&self.socket).await;
        if self.is_shape {
            return connected.map_err(|_| exit::usage(NO_DAEMON));
        }
        connected.with_context(|| {
            format!(
                "cannot reach the engine of `{}` at {}; if it has died, `netloom cleanup {}` \
                 removes what is left",
                self.name,
                self.socket.display(),
                self.name
            )
        })
    }

    /// Sends a request and returns the head of the response. Its body may be a stream without end.
    async fn send(&self, method: Method, path: &str, body: Bytes) -> Result<Response<Incoming>> {
        let silence = if method == Method::GET { SILENCE } else { SILENCE_OF_CHANGES };
        let what = format!("{method} {path}");
        let response =
            self.heard_within(&what, silence, self.exchange(method, path, body)).await??;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(self.refusal(response).await)
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/{VERSION}{path}"))
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(Full::new(body))?;
        for _ in 0..ATTEMPTS {
            let stream = TokioIo::new(self.connect().await?);
            let (mut sender, connection) = http1::handshake(stream).await?;
            tokio::spawn(connection);
            let mut failed = match sender.try_send_request(request).await {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            // An engine that has too many connections may end one before it was asked anything.
            let Some(unsent) = failed.take_message() else {
                let failed = anyhow::Error::new(failed.into_error());
                return Err(failed.context(format!("the engine of `{}` did not answer", self.name)));
            };
            request = unsent;
            sleep(PAUSE).await;
        }
        bail!(
            "the engine of `{}` ended {ATTEMPTS} connections before it was asked anything: it has \
             too many",
            self.name
        )
    }

    /// Waits for an answer for as long as the engine answers at all.
    ///
    /// # Errors
    /// The engine is silent.
    pub async fn heard<T>(&self, what: &str, answer: impl Future<Output = T>) -> Result<T> {
        self.heard_within(what, SILENCE, answer).await
    }

    /// Waits for an answer for as long as the engine answers at all.
    ///
    /// # Errors
    /// If the answer takes longer than `silence`, and the engine answers no other request either.
    async fn heard_within<T>(
        &self,
        what: &str,
        silence: Duration,
        answer: impl Future<Output = T>,
    ) -> Result<T> {
        let mut answer = pin!(answer);
        loop {
            let sign_of_life = async {
                sleep(silence).await;
                // Any answer counts, even a refusal: this request needs nothing that a change may
                // lock.
                let asked = self.exchange(Method::GET, "/alive", Bytes::new());
                matches!(timeout(SILENCE, asked).await, Ok(Ok(_)))
            };
            tokio::select! {
                answer = &mut answer => return Ok(answer),
                alive = sign_of_life => if !alive {
                    return Err(self.silent(what, silence + SILENCE));
                },
            }
        }
    }

    /// Makes the error for an engine that does not answer.
    fn silent(&self, what: &str, waited: Duration) -> anyhow::Error {
        let pid = self.pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        anyhow!(
            "the engine of `{0}`{pid} has not answered `{what}` for {1} s: it is stopped or stuck; \
             `netloom cleanup --force {0}` ends it and removes what it has made",
            self.name,
            waited.as_secs()
        )
    }

    async fn parse<T: DeserializeOwned>(
        &self,
        path: &str,
        response: Response<Incoming>,
    ) -> Result<T> {
        let body = self.whole(path, response).await?;
        serde_json::from_slice(&body)
            .with_context(|| format!("cannot understand the answer to {path}"))
    }

    async fn whole(&self, path: &str, response: Response<Incoming>) -> Result<Bytes> {
        let body = response.into_body().collect();
        Ok(self.heard(&format!("GET {path}"), body).await??.to_bytes())
    }

    /// Makes the error for a request that the engine refused. It names the only experiment that was
    /// asked.
    async fn refusal(&self, response: Response<Incoming>) -> anyhow::Error {
        let refused = refusal(response).await;
        if self.is_shape {
            // The daemon changed nothing.
            return exit::usage(format!("{refused:#}"));
        }
        refused.context(format!("experiment `{}`", self.name))
    }
}

async fn refusal(response: Response<Incoming>) -> anyhow::Error {
    let status: StatusCode = response.status();
    let body = response.into_body().collect().await.map(|body| body.to_bytes());
    match body.ok().and_then(|body| serde_json::from_slice::<ApiError>(&body).ok()) {
        Some(ApiError { error, help: Some(help) }) => anyhow!("{error}; {help}"),
        Some(ApiError { error, help: None }) => anyhow!("{error}"),
        None => anyhow!("the engine answered {status}"),
    }
}

/// A stream of events.
pub struct Events {
    body: Incoming,
    buffer: Vec<u8>,
}

impl Events {
    /// Returns the next event, or `None` when the experiment has ended.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                if let Some(data) = line.strip_prefix(b"data:") {
                    return Ok(Some(Event::from_json(data).context("an event")?));
                }
            }
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
                // An engine that is gone ends the stream as one that closes it.
                Some(Err(_)) | None => return Ok(None),
            }
            if self.buffer.len() > 64 << 20 {
                bail!("an event of more than 64 MiB");
            }
        }
    }
}
