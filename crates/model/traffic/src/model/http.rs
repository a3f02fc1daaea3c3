//! A client of web servers: a request, its response, and a time to think.

use netloom_units::{DataFile, Stream};
use netloom_units::{Duration, Size};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError};
use crate::Moments;
use crate::distribution::{DurationDistribution, Law, SizeDistribution};
use crate::source::FrameSource;

/// A client that asks for objects, one after the other. Responses decide when, so that this is a
/// description, and [`HttpConfig::exchanges`] the draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HttpConfig {
    /// How many requests there are (default: until the end).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// The objects' lengths.
    pub sizes: SizeDistribution,
    /// How long the client thinks between a response and its next request (default: not at all).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<DurationDistribution>,
    /// Whether all requests use one connection (default true).
    #[serde(default = "yes")]
    pub persistent: bool,
}

fn yes() -> bool {
    true
}

/// A request, and the time before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Time that the client thinks before the request. Zero before its first request.
    pub think: Duration,
    /// Length of the response's body, at least 1 byte.
    pub response: Size,
}

impl HttpConfig {
    /// Returns the client's requests, with the random numbers of `stream`.
    ///
    /// # Errors
    /// If a file has not been read.
    pub fn exchanges(&self, stream: &Stream) -> Result<Exchanges, TrafficError> {
        Ok(Exchanges {
            left: self.requests.unwrap_or(u64::MAX),
            is_first: true,
            sizes: (self.sizes.law()?, stream.fork("sizes")),
            think: match &self.think {
                Some(think) => Some((think.law()?, stream.fork("think"))),
                None => None,
            },
        })
    }
}

impl Exchange {
    /// Returns the request: HTTP/1.1 (RFC 9112), for an object whose name is its length, by the
    /// client with the number `client`. The length of the request depends only on that of the
    /// response.
    pub fn request(&self, client: u16, persistent: bool) -> String {
        let (bytes, connection) = (self.response.bytes(), connection(persistent));
        format!(
            "GET /{bytes} HTTP/1.1\r\nHost: netloom\r\nUser-Agent: netloom/{client:05}\r\n\
             {connection}\r\n"
        )
    }

    /// Returns the head of the response, which precedes its body.
    pub fn response_head(&self, persistent: bool) -> String {
        let (bytes, connection) = (self.response.bytes(), connection(persistent));
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\
             Content-Length: {bytes}\r\n{connection}\r\n"
        )
    }

    /// Returns the bytes of the request and of the whole response.
    pub fn lengths(&self, persistent: bool) -> (u64, u64) {
        let head = self.response_head(persistent).len() as u64;
        (self.request(0, persistent).len() as u64, head.saturating_add(self.response.bytes()))
    }
}

/// Returns the field that says whether the connection closes. It is empty if the connection stays
/// open (RFC 9112 §9.3).
fn connection(persistent: bool) -> &'static str {
    if persistent { "" } else { "Connection: close\r\n" }
}

/// The requests of a client, as an iterator that ends after the last one.
#[derive(Debug, Clone)]
pub struct Exchanges {
    left: u64,
    is_first: bool,
    sizes: (Law, Stream),
    think: Option<(Law, Stream)>,
}

impl Iterator for Exchanges {
    type Item = Exchange;

    fn next(&mut self) -> Option<Exchange> {
        self.left = self.left.checked_sub(1)?;
        let think = match &mut self.think {
            Some((law, stream)) if !self.is_first => law.duration(stream),
            _ => Duration::ZERO,
        };
        self.is_first = false;
        let (law, stream) = &mut self.sizes;
        Some(Exchange { think, response: law.size(stream) })
    }
}

impl Configured for HttpConfig {
    fn check(&self) -> Result<(), String> {
        match self.requests {
            Some(0) => Err("`requests` is 1 or more".into()),
            _ => Ok(()),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        [self.sizes.file(), self.think.as_mut().and_then(|think| think.file())]
            .into_iter()
            .flatten()
            .collect()
    }

    fn source(&self, _: &Given<'_>) -> Result<FrameSource, TrafficError> {
        Err(TrafficError::ClosedLoop { model: "http" })
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        Err(TrafficError::ClosedLoop { model: "http" })
    }
}
