//! Packets as bytes: those that captures show, and those of real nodes. Not here: packets as values
//! (`packet`).
//!
//! | module | contents |
//! |---|---|
//! | `headers` | the headers of a packet, and whole packets: [`of`], [`whole`] |
//! | `parse` | packets of real nodes: [`parse`] |
//! | `segment` | their TCP segments: [`segment_of`] |
//! | `answers` | what simulated hosts answer them: [`answer`] |
//! | `neighbours` | answers to real nodes that ask for Ethernet addresses: [`Neighbour`] |

mod answers;
mod headers;
mod neighbours;
mod parse;
mod segment;

pub(crate) use answers::{Answer, answer, complaint, reply};
pub(crate) use headers::{of, segment_with, whole};
pub use neighbours::{Neighbour, frame_of, packet_of};
pub use parse::Refused;
pub(crate) use parse::{Headers, Strangers, TCP, UDP, headers, parse, tcp};
pub(crate) use segment::segment_of;
