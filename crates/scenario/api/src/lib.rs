//! The engine's API as types: requests, responses and events.
//!
//! | module | what |
//! |---|---|
//! | [`member`] | what the lead of several machines and its members say to each other |
//! | [`launch`] | how an engine is started, and what it reports until the network is ready |
//! | [`state`] | the state of the experiment: nodes, links, processes |
//! | [`apply`] | applying another scenario while it runs |
//! | [`change`] | changes while it runs |
//! | [`medium`] | shared media: their state and their changes |
//! | [`exec`] | commands and terminals in nodes |
//! | [`ping`] | which nodes reach each other |
//! | [`progress`] | lines that commands print for programs |
//! | [`path`] | paths between real hosts of a symbiotic run |
//! | [`event`] | the stream of events |
//! | [`timing`] | how exactly the engine kept its own schedule |
//! | [`summary`] | the summary of a finished run |
//! | [`machine`] | the machine that a run used |
//! | [`live`] | what the network does now, as binary frames |
//! | [`ui`] | the API of the web UI's server |
//! | `json` | parsers of the large types |
//! | `words` | errors in words |
//! | `openapi` | the whole API as an OpenAPI 3.1 document, with the feature `schema` |
//!
//! Not here: transport. The engine serves these types as HTTP/JSON on a Unix socket; `docs/api.md`
//! describes how to use it.

pub mod apply;
pub mod change;
pub mod event;
pub mod exec;
pub mod flow;
mod json;
pub mod launch;
pub mod live;
pub mod machine;
pub mod medium;
pub mod member;
pub mod metric;
#[cfg(feature = "schema")]
pub mod openapi;
pub mod path;
pub mod ping;
pub mod progress;
pub mod simulation;
pub mod state;
pub mod summary;
pub mod timing;
pub mod ui;
pub mod usage;
mod words;

use serde::{Deserialize, Serialize};

pub use words::{in_words, taken_back};

/// Version prefix of all paths.
pub const VERSION: &str = "v1";

/// The whole API as an OpenAPI 3.1 document: what xtask has generated from the types.
pub const OPENAPI: &str = include_str!("../../../../docs/openapi.json");

/// Failure of a request: the body of every response that is not 2xx.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiError {
    /// Description of the failure and its reason, for people.
    pub error: String,
    /// Suggestion what to do next, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
