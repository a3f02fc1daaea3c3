//! What the two ends have agreed on in their SYNs. Not here: how options look on the wire
//! (`segment`).

use crate::config::{Config, EcnMode};

/// How far ECN is agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EcnState {
    /// Not used.
    Off,
    /// This end's SYN asks for it.
    Offered,
    /// Both ends use it.
    On,
}

/// Options that both ends know; before the handshake, those that this end offers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Negotiated {
    pub sack: bool,
    pub timestamps: bool,
    pub window_scaling: bool,
    pub ecn: EcnState,
    /// Marks are echoed one by one, and control packets are capable, too (RFC 8257).
    pub accurate: bool,
    /// The latest timestamp of the other end, to be echoed (TS.Recent).
    pub recent: u32,
    /// The other end must learn that its packets are marked (RFC 3168 §6.1.3).
    pub echo: bool,
    /// The next new packet says that the window was reduced (RFC 3168 §6.1.2).
    pub reduced: bool,
}

impl Negotiated {
    pub fn offer(config: &Config, accurate: bool) -> Self {
        let asks = config.ecn == EcnMode::On || accurate;
        Self {
            sack: config.sack,
            timestamps: config.timestamps,
            window_scaling: config.window_scaling,
            ecn: if asks { EcnState::Offered } else { EcnState::Off },
            accurate,
            recent: 0,
            echo: false,
            reduced: false,
        }
    }

    pub fn ecn_on(&self) -> bool {
        self.ecn == EcnState::On
    }

    /// Bytes of options that every segment has.
    pub const fn option_bytes(&self) -> u32 {
        if self.timestamps { 12 } else { 0 }
    }

    /// SACK blocks that fit beside the other options.
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
