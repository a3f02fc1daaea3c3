//! One TCP endpoint that behaves like Linux's, as a state machine in virtual time: segments and
//! `now` go in, segments and deadlines come out. Where each part comes from, and which parts are
//! still without a public source, is in docs/tcp.md.
//!
//! An [`Endpoint`] counts bytes and never sees them. A [`Segment`] is a plain value of 40 bytes;
//! its SACK blocks travel beside it.
//!
//! | module | what lives there |
//! |---|---|
//! | `endpoint` | the connection: states, arrivals, acknowledgements, transmission, timers |
//! | `segment` | [`Segment`], its options and its exact length on the wire |
//! | `config` | [`Config`]: Linux's sysctls as typed fields, and by name |
//! | `congestion` | [`CongestionControl`] and one file for each [`Algorithm`] |
//! | `receiver` | reassembly, SACK blocks, delayed acknowledgements, the window |
//! | `sent` | what is in flight: the scoreboard |
//! | `rack`, `prr`, `recovery` | loss detection, proportional rate reduction, undo |
//! | `rtt`, `rate`, `windowed` | round-trip times, delivery rates, sliding extremes |
//! | `ticks` | when a kernel timer of a given `CONFIG_HZ` fires |
//! | `info` | [`Info`], as TCP_INFO has it |
//!
//! # Where it differs from Linux
//! - Nothing waits in a device queue: `tcp_limit_output_bytes` only bounds a burst.
//! - A packet keeps its bytes when it is sent again: small ones are not joined, and a SACK block
//!   that covers a packet in part does not count for it.
//! - The receive buffer counts payload, of which it holds a fixed part
//!   ([`Config::payload_ratio`]); Linux measures what its device's buffers waste.
//! - A connection in TIME-WAIT is not reopened by a SYN.
//! - BBR does not look for policers. `bbr3` is not validated against any kernel.
//! - Metrics of earlier connections to the same host are not kept.
//!
//! Not here: IP, ports, listeners with queues, device queues, urgent data, fast open, MPTCP,
//! accurate ECN.

mod config;
mod congestion;
mod endpoint;
mod event;
mod info;
mod prr;
mod rack;
mod rate;
mod receiver;
mod recovery;
mod rtt;
mod segment;
mod sent;
mod sequence;
mod ticks;
mod windowed;

pub use config::{Buffer, Config, EcnMode, LossDetection, SysctlError};
pub use congestion::{
    Acked, Algorithm, CongestionControl, CongestionEvent, EcnUse, Flow, HyStart, RecoveryState,
    UnknownAlgorithm,
};
pub use endpoint::{Endpoint, State};
pub use event::{CloseReason, Event};
pub use info::Info;
pub use rate::RateSample;
pub use segment::{Ecn, Flags, SackBlock, SackBlocks, Segment, SynOptions, Timestamps, Transmit};
