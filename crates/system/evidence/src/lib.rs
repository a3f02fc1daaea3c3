//! What the data plane counts and captures, as evidence for others.
//!
//! | module | contents |
//! |---|---|
//! | `observed` | lateness and losses of frames, in the words of the monitor |
//! | `capture` | captured frames, as pcapng |
//!
//! Not here: the verdict (`netloom-monitor`), the format of captures (`netloom-results`).

mod capture;
mod observed;

pub use capture::{Sink, stream, write_capture};
pub use observed::{cause, number, observed};
