//! One TCP endpoint that behaves like Linux's, as a state machine in virtual time: segments and
//! `now` are its inputs, segments and deadlines its outputs. docs/tcp.md names the source of each
//! part, and the parts that still have no public source.
//!
//! An [`Endpoint`] counts bytes and never handles them. A [`Segment`] is a plain value of 40 bytes.
//! Its SACK blocks travel beside it.
//!
//! | module | contents |
//! |---|---|
//! | `endpoint` | the connection: states, arrivals, acknowledgements, transmission, timers |
//! | `segment` | [`Segment`], its options and its exact length on the wire |
//! | `config` | [`Config`]: Linux's sysctls as typed fields, and by name |
//! | `congestion` | [`CongestionControl`] and one file for each [`Algorithm`] |
//! | `receiver` | reassembly, SACK blocks, delayed acknowledgements, the window |
//! | `sent` | the scoreboard: packets in flight |
//! | `rack`, `prr`, `recovery` | loss detection, proportional rate reduction, undo |
//! | `rtt`, `rate`, `windowed` | round-trip times, delivery rates, sliding extremes |
//! | `ticks` | when a kernel timer of a given `CONFIG_HZ` fires |
//! | `info` | [`Info`], the fields of TCP_INFO |
//!
//! # Where it differs from Linux
//! - Nothing waits in a device queue. `tcp_limit_output_bytes` only bounds a burst.
//! - A retransmitted packet keeps its bytes. Small packets are not joined, and a SACK block that
//!   covers a part of a packet does not count for it.
//! - The receive buffer counts payload, of which it holds a fixed share
//!   ([`Config::payload_ratio`]). Linux measures how much of its device's buffers is wasted.
//! - A connection in TIME-WAIT is not reopened by a SYN.
//! - BBR does not detect policers. `bbr3` and `prague` are not validated against
//!   any kernel.
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
