//! The engine's API as types: what is asked, what is answered, what is told.
//!
//! | module | what |
//! |---|---|
//! | [`launch`] | how an engine is started and what it says until the network is ready |
//! | [`state`] | what the experiment is: nodes, links, processes |
//! | [`apply`] | another scenario in its place while it runs |
//! | [`change`] | what can be changed while it runs |
//! | [`medium`] | shared media: what they are, and what can be changed |
//! | [`exec`] | commands and terminals in nodes |
//! | [`ping`] | which nodes reach which |
//! | [`path`] | the ways between real hosts of a symbiotic run |
//! | [`event`] | what happens, as a stream |
//! | [`timing`] | how exactly the engine kept its own schedule |
//! | [`summary`] | what a finished run leaves behind |
//! | [`machine`] | the machine it ran on |
//! | [`openapi`] | all of it as an OpenAPI 3.1 document |
//!
//! Not here: transport. The engine serves these types as HTTP/JSON on a Unix socket; `docs/api.md`
//! says how to talk to it.

pub mod apply;
pub mod change;
pub mod event;
pub mod exec;
pub mod flow;
pub mod launch;
pub mod machine;
pub mod medium;
pub mod metric;
pub mod openapi;
pub mod path;
pub mod ping;
pub mod simulation;
pub mod state;
pub mod summary;
pub mod timing;
pub mod usage;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version prefix of every path.
pub const VERSION: &str = "v1";

/// An error and its causes in one line. Many errors name their cause themselves: a cause that is
/// already in what was said is not said again.
pub fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.contains(&text) {
            words = format!("{words}: {text}");
        }
        cause = error.source();
    }
    words
}

/// Why a request failed: the body of every answer that is not 2xx.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiError {
    /// What failed and why, for people.
    pub error: String,
    /// What to do next, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
