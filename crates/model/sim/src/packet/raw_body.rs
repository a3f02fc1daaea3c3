//! The bytes of packets that real nodes send or receive. Not here: headers as bytes (`bytes`).

use std::sync::Arc;

use etherparse::IpNumber;
use netloom_units::Time;

use crate::network::InterfaceId;

/// The bytes behind the IP header of a packet. The fragments of a packet share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBody {
    /// Protocol of these bytes. For IPv6, the first next header.
    protocol: u8,
    /// The flow label of IPv6.
    flow_label: u32,
    /// Offset of `data` in the data of the whole packet. Above 0 if a real node sent a fragment.
    begins: u32,
    /// Interface and time at which a real node sent the packet, if one did.
    origin: Option<Origin>,
    data: Arc<[u8]>,
}

/// Interface and time at which a packet of a real node entered the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The interface.
    pub by: InterfaceId,
    /// The time.
    pub at: Time,
}

impl RawBody {
    /// Returns the body of a packet that a simulated node sends, with `data` behind the IP header.
    pub(crate) fn new(protocol: u8, data: &[u8]) -> Self {
        Self { protocol, flow_label: 0, begins: 0, origin: None, data: data.into() }
    }

    /// Returns the body of a fragment, whose data begins at the offset `begins`.
    pub(crate) fn beginning(self, begins: u32) -> Self {
        Self { begins, ..self }
    }

    /// Returns the body of a packet with a flow label.
    pub(crate) fn labelled(self, flow_label: u32) -> Self {
        Self { flow_label, ..self }
    }

    /// Returns the body of a packet that a real node sent.
    pub(crate) fn sent_by(self, origin: Origin) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// Returns the whole body of which this one is a fragment.
    pub(crate) fn with(&self, data: &[u8]) -> Self {
        Self { origin: self.origin, ..Self::new(self.protocol, data) }
    }

    /// Interface and time at which a real node sent the packet, if one did.
    pub(crate) const fn origin(&self) -> Option<Origin> {
        self.origin
    }

    /// Returns all bytes behind the IP header.
    pub(crate) fn all(&self) -> &[u8] {
        &self.data
    }

    /// Protocol of the bytes behind the IP header.
    pub const fn protocol(&self) -> u8 {
        self.protocol
    }

    pub(crate) const fn flow_label(&self) -> u32 {
        self.flow_label
    }

    /// Returns the `length` bytes that a fragment at `offset` of the whole packet carries, as far
    /// as they are in the body.
    pub(crate) fn part(&self, offset: u32, length: u32) -> &[u8] {
        let from = (offset.saturating_sub(self.begins) as usize).min(self.data.len());
        &self.data[from..(from + length as usize).min(self.data.len())]
    }

    /// Returns the ports, or zeros if the protocol has none or they are not in this fragment.
    pub(crate) fn ports(&self) -> [u16; 2] {
        const WITH_PORTS: [IpNumber; 4] =
            [IpNumber::TCP, IpNumber::UDP, IpNumber::SCTP, IpNumber::DCCP];
        let has_ports = WITH_PORTS.contains(&IpNumber(self.protocol)) && self.begins == 0;
        let word = |at: usize| Some(u16::from_be_bytes(*self.data.get(at..)?.first_chunk()?));
        let port = |at| word(at).filter(|_| has_ports).unwrap_or(0);
        [port(0), port(2)]
    }

    /// Flips `bits`, counted from the first bit of the Ethernet header, and returns whether all of
    /// them are in the data. Headers of `headers` bytes precede the data.
    pub(crate) fn flip_bits(&mut self, bits: &[u64], headers: u32) -> bool {
        let data = Arc::make_mut(&mut self.data);
        let mut all = true;
        for bit in bits {
            let at = (bit / 8).checked_sub(u64::from(headers));
            let byte = at.and_then(|at| data.get_mut(usize::try_from(at).ok()?));
            all &= byte.is_some();
            if let Some(byte) = byte {
                *byte ^= 0x80 >> (bit % 8);
            }
        }
        all
    }

    /// Whether the body is an ICMP or ICMPv6 error message, which must not be answered with another
    /// one.
    pub(crate) fn is_error(&self) -> bool {
        match (self.protocol, self.data.first()) {
            (1, Some(kind)) => matches!(kind, 3 | 4 | 5 | 11 | 12),
            (58, Some(kind)) => *kind < 128,
            _ => false,
        }
    }
}
