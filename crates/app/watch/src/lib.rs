//! What those are sent who watch a network while it lives: frames of what it does, and events. An
//! engine serves its own network with it. A simulated run, which has no engine, is served whole.
//!
//! | module | contents |
//! |---|---|
//! | `feed` | the last events, and streams of them: [`Feed`] |
//! | `viewers` | those who watch live, and the thread that looks for them: [`Watching`] |
//! | [`http`] | `GET /v1/live` and `GET /v1/events` |
//! | `simulation` | a simulated run with an API of its own: [`Simulation`] |
//!
//! Not here: what a frame says (`netloom-course`), and its layout (`netloom-api`).

mod feed;
pub mod http;
mod simulation;
mod viewers;

pub use feed::{Feed, KEPT, KEPT_BYTES, Line, lines};
pub use simulation::{Simulation, Subject};
pub use viewers::{Watched, Watching};
