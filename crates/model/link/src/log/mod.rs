//! The frame log: every event of every frame of some pipes, and its binary form. Any statistic of a
//! pipe can be recomputed from it. Not here: files and threads. Whoever owns the pipes collects
//! their events ([`Pipe::poll_event`](crate::Pipe::poll_event)) and stores the bytes.
//!
//! | file | what |
//! |---|---|
//! | `event` | the events that can happen to a frame |
//! | `journal` | the events of one pipe, until they are collected |
//! | `format` | the binary form: the part that encoder and decoder share |
//! | `encode`, `decode` | conversion of events to bytes and back |

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
