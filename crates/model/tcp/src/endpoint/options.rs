//! Options that the two ends have agreed on in their SYNs. Not here: the encoding of options
//! (`segment`).

use crate::config::{Config, EcnMode};
use crate::congestion::EcnUse;
use crate::segment::Ecn;

/// State of the negotiation of ECN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EcnState {
    /// Not used.
    Off,
    /// This end's SYN requests it.
    Offered,
    /// Both ends use it.
    On,
}

/// Options that both ends have agreed on. Before the handshake, the options that this end offers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Negotiated {
    pub sack: bool,
    pub timestamps: bool,
    pub window_scaling: bool,
    pub ecn: EcnState,
    /// Whether marks are echoed one by one, and control packets are ECN-capable, too (RFC 8257).
    pub accurate: bool,
    /// The code point of ECN-capable packets.
    pub capable: Ecn,
    /// The latest timestamp of the other end, which is echoed (TS.Recent).
    pub recent: u32,
    /// Whether the other end must be notified that its packets are marked (RFC 3168 §6.1.3).
    pub echo: bool,
    /// Whether the next new packet must announce that the window was reduced (RFC 3168 §6.1.2).
    pub reduced: bool,
}

impl Negotiated {
    pub fn offer(config: &Config, used: EcnUse) -> Self {
        let accurate = used != EcnUse::Classic;
        let asks = config.ecn == EcnMode::On || accurate;
        Self {
            sack: config.sack,
            timestamps: config.timestamps,
            window_scaling: config.window_scaling,
            ecn: if asks { EcnState::Offered } else { EcnState::Off },
            accurate,
            capable: if used == EcnUse::LowLatency { Ecn::Ect1 } else { Ecn::Ect0 },
            recent: 0,
            echo: false,
            reduced: false,
        }
    }

    pub fn ecn_on(&self) -> bool {
        self.ecn == EcnState::On
    }

    /// Returns the bytes of options that every segment has.
    pub const fn option_bytes(&self) -> u32 {
        if self.timestamps { 12 } else { 0 }
    }

    /// Returns the number of SACK blocks that fit beside the other options.
    pub const fn most_sacks(&self) -> u8 {
        if !self.sack {
            0
        } else if self.timestamps {
            3
        } else {
            4
        }
    }
}
