//! What datagrams carry beside records: probes of the clock, counts of what was sent, and cuts.

use crate::Kind;
use crate::bytes::chunk;

/// A message that fills a datagram of its own. Times are in ns, by the clock of who wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// A question for the other machine's time.
    Probe {
        /// When the probe was sent: t1.
        sent: i64,
    },
    /// The answer to a probe.
    Reply {
        /// When the probe was sent, copied from it: t1.
        probe_sent: i64,
        /// When the probe arrived: t2.
        probe_received: i64,
        /// When the reply was sent: t3.
        sent: i64,
        /// How fast the kernel makes its clock run meanwhile, in ppb (`netloom_clock::Steering`).
        rate: i32,
        /// How far from `rate` the clock may run, in ppb.
        slew: u32,
    },
}

impl Message {
    /// Bytes of the longest message.
    pub(crate) const MOST_BYTES: usize = 32;

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Probe { .. } => Kind::Probe,
            Self::Reply { .. } => Kind::Reply,
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut put = |time: i64| out.extend_from_slice(&time.to_be_bytes());
        match *self {
            Self::Probe { sent } => put(sent),
            Self::Reply { probe_sent, probe_received, sent, rate, slew } => {
                [probe_sent, probe_received, sent].into_iter().for_each(put);
                out.extend_from_slice(&rate.to_be_bytes());
                out.extend_from_slice(&slew.to_be_bytes());
            }
        }
    }

    /// Reads a message, which zeros may follow. Returns `None` if it is none of `kind`.
    pub(crate) fn decode(kind: Kind, payload: &[u8]) -> Option<Self> {
        let bytes = match kind {
            Kind::Probe => 8,
            Kind::Reply => 32,
            Kind::Records | Kind::Counts | Kind::Cuts => return None,
        };
        let (message, padding) = payload.split_at_checked(bytes)?;
        if padding.iter().any(|byte| *byte != 0) {
            return None;
        }
        let time = |at| i64::from_be_bytes(chunk(message, at));
        Some(match kind {
            Kind::Probe => Self::Probe { sent: time(0) },
            _ => Self::Reply {
                probe_sent: time(0),
                probe_received: time(8),
                sent: time(16),
                rate: i32::from_be_bytes(chunk(message, 24)),
                slew: u32::from_be_bytes(chunk(message, 28)),
            },
        })
    }
}

/// How many frames a sender has sent through a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeCount {
    /// The pipe, as in [`Record::pipe`](crate::Record::pipe).
    pub pipe: u32,
    /// Number of wire frames that have left its line.
    pub sent: u64,
}

/// The last cut of a pipe: a change that drops what is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeCut {
    /// The pipe, as in [`Record::pipe`](crate::Record::pipe).
    pub pipe: u32,
    /// Number of cuts so far, as in [`Record::cuts`](crate::Record::cuts).
    pub number: u32,
    /// When it was made, by the sender's clock, in ns. Frames with a release up to then arrive.
    pub at: i64,
}

/// A part of a datagram that is a list.
pub(crate) trait Listed: Copy {
    /// Bytes of one.
    const BYTES: usize;
    const KIND: Kind;

    fn encode(&self, out: &mut Vec<u8>);

    fn decode(bytes: &[u8]) -> Self;

    /// Reads all of a datagram. Returns `None` if it ends within one.
    fn decode_all(payload: &[u8]) -> Option<impl Iterator<Item = Self>> {
        let parts = payload.chunks_exact(Self::BYTES);
        parts.remainder().is_empty().then(|| parts.map(Self::decode))
    }
}

impl Listed for PipeCount {
    const BYTES: usize = 12;
    const KIND: Kind = Kind::Counts;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.pipe.to_be_bytes());
        out.extend_from_slice(&self.sent.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        Self {
            pipe: u32::from_be_bytes(chunk(bytes, 0)),
            sent: u64::from_be_bytes(chunk(bytes, 4)),
        }
    }
}

impl Listed for PipeCut {
    const BYTES: usize = 16;
    const KIND: Kind = Kind::Cuts;

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.pipe.to_be_bytes());
        out.extend_from_slice(&self.number.to_be_bytes());
        out.extend_from_slice(&self.at.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        Self {
            pipe: u32::from_be_bytes(chunk(bytes, 0)),
            number: u32::from_be_bytes(chunk(bytes, 4)),
            at: i64::from_be_bytes(chunk(bytes, 8)),
        }
    }
}
