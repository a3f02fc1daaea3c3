//! Frames between machines: the bytes of a tunnel.
//!
//! Pipes whose far end is on another machine are announced to it: each frame that leaves a line
//! becomes a [`Record`] with the time of its release. Records form a stream, which is cut into
//! datagrams of equal size, so that one system call sends many of them (UDP_SEGMENT). The other
//! machine joins them again, whatever order they come in, and counts what is missing by pipe.
//!
//! | module | what lives there |
//! |---|---|
//! | `record` | a frame with what its far end needs: [`Record`] |
//! | `header` | the head of a datagram: [`Header`], [`Path`], [`Kind`] |
//! | `message` | what datagrams carry beside records: [`Message`], [`PipeCount`], [`PipeCut`] |
//! | `seal` | authentication and encryption: [`Seal`], [`Clear`] |
//! | `sender` | records and messages in, datagrams out: [`Sender`], [`Burst`] |
//! | `receiver` | datagrams in, records and messages out: [`Receiver`] |
//! | `replay` | the datagrams that have come: each is taken once |
//! | `assembly` | records that span datagrams |
//! | `ledger` | what has come and what is lost, by pipe: [`PipeTally`], [`Loss`] |
//!
//! A datagram is `version u8, kind u8, first u16, path u32, session u64, sequence u64`, the
//! payload, and a tag if it is sealed. All numbers are big-endian. `first` is the offset in the
//! payload at which a record begins, or 0xffff. Records go on from one datagram of a path to the
//! next one; the last record of a burst ends with the burst.
//!
//! Not here: sockets, clocks, keys and threads. Times are stamps of the sender's clock, which this
//! crate carries and never reads. Order in a pipe is restored by the far end of the pipe
//! (`netloom_link::Inlet`), by release and [`Record::sequence`].

mod assembly;
mod bytes;
mod header;
mod ledger;
mod message;
mod receiver;
mod record;
mod replay;
mod seal;
mod sender;

pub use header::{Header, Kind, Path};
pub use ledger::{Loss, PipeTally};
pub use message::{Message, PipeCount, PipeCut};
pub use receiver::{Received, Receiver, Refusal, Refused};
pub use record::{MAX_FRAME, Malformed, RECORD_HEADER, Record};
pub use replay::REPLAY_WINDOW;
pub use seal::{Clear, Nonce, Seal, Unauthentic};
pub use sender::{Burst, MAX_SEGMENT, MIN_SEGMENT, SegmentSize, Sender};
