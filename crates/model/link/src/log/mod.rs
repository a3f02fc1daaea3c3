//! The frame log: everything that happens to every frame of some pipes, and its binary form. From it,
//! any statistic of a pipe can be computed again. Not here: files and threads; whoever owns the pipes
//! collects their events ([`Pipe::poll_event`](crate::Pipe::poll_event)) and keeps the bytes.
//!
//! | file | what |
//! |---|---|
//! | `event` | what can happen to a frame |
//! | `journal` | the events of one pipe, until they are collected |
//! | `format` | the binary form: what encoder and decoder share |
//! | `encode`, `decode` | events to bytes and back |

mod decode;
mod encode;
mod event;
mod format;
mod journal;

pub use decode::{LogDecoder, LogError};
pub use encode::LogEncoder;
pub use event::{FrameEvent, LogEntry, Occurrence};
pub use format::{LOG_VERSION, LogHeader};
pub(crate) use journal::Journal;
