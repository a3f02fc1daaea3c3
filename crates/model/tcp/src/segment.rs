//! A segment as a plain value: header fields, options, and the number of bytes that it carries. Not
//! here: the bytes themselves, and addresses and ports, which belong to the carrier of the segment.

use std::ops::{BitOr, BitOrAssign};

/// The control bits of a segment (RFC 9293 §3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u8);

impl Flags {
    /// No flags.
    pub const NONE: Self = Self(0);
    /// The sender will send no more data.
    pub const FIN: Self = Self(0x01);
    /// Synchronize sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push: waiting data should be handed to the application.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement field is valid.
    pub const ACK: Self = Self(0x10);
    /// ECN echo (RFC 3168 §6.1).
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced (RFC 3168 §6.1).
    pub const CWR: Self = Self(0x80);

    /// Returns the bits as they are in the header.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the flags with these header bits. URG is dropped, because urgent data is not
    /// modelled.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & !0x20)
    }

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these flags without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ecn {
    /// The transport does not use ECN.
    #[default]
    NotEct,
    /// ECT(1).
    Ect1,
    /// ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

/// The timestamps option (RFC 7323 §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Timestamps {
    /// TSval: the sender's clock in milliseconds.
    pub value: u32,
    /// TSecr: the latest value received from the other end.
    pub echo: u32,
}

/// Options that only a SYN carries, in addition to its timestamps. The maximum segment size (RFC
/// 9293 §3.7.1) is always present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SynOptions {
    /// Maximum segment size that the sender of the option accepts, without options.
    pub mss: u16,
    /// Shift of the window (RFC 7323 §2). `None` if the option is absent.
    pub window_scale: Option<u8>,
    /// Whether selective acknowledgements are permitted (RFC 2018 §2).
    pub sack_permitted: bool,
}

/// A range of sequence numbers that have arrived out of order or twice: from `start` up to but not
/// including `end` (RFC 2018 §3, RFC 2883).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SackBlock {
    /// The first sequence number of the block.
    pub start: u32,
    /// The sequence number after the last one.
    pub end: u32,
}

/// The SACK blocks of one segment: at most four, or three beside timestamps. They are separate from
/// [`Segment`], because most segments have none. Whoever carries segments keeps blocks only for
/// those whose [`Segment::sack_blocks`] is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlocks {
    blocks: [SackBlock; Self::MOST],
    count: u8,
}

impl SackBlocks {
    /// Largest number of blocks that fit into a segment's options.
    pub const MOST: usize = 4;
    /// No blocks.
    pub const NONE: Self = Self { blocks: [SackBlock { start: 0, end: 0 }; Self::MOST], count: 0 };

    /// Returns the blocks in the order of the option: first one for a duplicate, then the most
    /// recent ones.
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Appends `block`. Returns `false`, and changes nothing, if all four places are taken.
    pub fn push(&mut self, block: SackBlock) -> bool {
        let room = usize::from(self.count) < Self::MOST;
        if room {
            self.blocks[usize::from(self.count)] = block;
            self.count += 1;
        }
        room
    }

    /// Returns the number of blocks.
    pub const fn count(&self) -> u8 {
        self.count
    }
}

/// A segment, or a super-segment, as segmentation offload makes them: several segments in a row
/// that differ only in their sequence numbers. A super-segment has more than [`mss`](Self::mss)
/// bytes of payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first byte, or of the SYN.
    pub seq: u32,
    /// The next sequence number that the sender expects. It is meaningless without [`Flags::ACK`].
    pub ack: u32,
    /// Bytes of payload.
    pub len: u32,
    /// The timestamps option.
    pub timestamps: Option<Timestamps>,
    /// The window field as it is in the header, not yet scaled.
    pub window: u16,
    /// Payload of each packet of a super-segment except the last. It is not on the wire. Zero means
    /// no bound.
    pub mss: u16,
    /// Options of a SYN.
    pub syn: Option<SynOptions>,
    /// Control bits.
    pub flags: Flags,
    /// ECN field of the IP header.
    pub ecn: Ecn,
    /// Number of SACK blocks that travel beside the segment.
    pub sack_blocks: u8,
}

const _: () = assert!(size_of::<Segment>() <= 40, "leaves 8 bytes of a packet's 48 to the carrier");

impl Segment {
    /// Returns the number of sequence numbers that the segment takes: payload, SYN and FIN.
    pub const fn sequence_len(&self) -> u32 {
        self.len + self.flags.contains(Flags::SYN) as u32 + self.flags.contains(Flags::FIN) as u32
    }

    /// Returns the number of packets on the wire: one, or those of a super-segment.
    pub const fn packets(&self) -> u32 {
        if self.mss == 0 || self.len <= self.mss as u32 {
            1
        } else {
            self.len.div_ceil(self.mss as u32)
        }
    }

    /// Returns the bytes of the TCP header of each packet. They include options and padding, in
    /// Linux's layout: 32 with timestamps, 40 in a SYN with all options.
    pub const fn header_len(&self) -> u32 {
        let timestamps = self.timestamps.is_some();
        let mut options = if timestamps { 12 } else { 0 };
        if let Some(syn) = &self.syn {
            options += 4;
            // Beside timestamps, the option takes the place of their two bytes of padding.
            if syn.sack_permitted && !timestamps {
                options += 4;
            }
            if syn.window_scale.is_some() {
                options += 4;
            }
        }
        if self.sack_blocks > 0 {
            options += 4 + 8 * self.sack_blocks as u32;
        }
        20 + options
    }

    /// Returns the bytes of all packets together, each with an IP header of `network_header` bytes.
    pub const fn packet_bytes(&self, network_header: u32) -> u64 {
        self.packets() as u64 * (network_header + self.header_len()) as u64 + self.len as u64
    }

    /// Splits off the first `packets` packets of a super-segment, which keeps the rest. Returns
    /// `None`, and changes nothing, if there are no more packets than that.
    pub fn split_off(&mut self, packets: u32) -> Option<Self> {
        if packets == 0 || packets >= self.packets() {
            return None;
        }
        let len = packets * u32::from(self.mss);
        let first = Self { len, flags: self.flags.without(Flags::FIN | Flags::PSH), ..*self };
        self.seq = self.seq.wrapping_add(len);
        self.len -= len;
        // The congestion window was reduced once, so only one packet says so (RFC 3168 §6.1.2).
        self.flags = self.flags.without(Flags::CWR);
        Some(first)
    }

    /// Returns the reset that answers this segment if there is no connection for it (RFC 9293
    /// §3.10.7.1). `None` if the segment is a reset.
    pub fn reset_reply(&self) -> Option<Self> {
        if self.flags.contains(Flags::RST) {
            return None;
        }
        let (seq, ack, flags) = if self.flags.contains(Flags::ACK) {
            (self.ack, 0, Flags::RST)
        } else {
            (0, self.seq.wrapping_add(self.sequence_len()), Flags::RST | Flags::ACK)
        };
        Some(Self { seq, ack, flags, ..Self::EMPTY })
    }

    /// A segment without flags, payload and options.
    pub const EMPTY: Self = Self {
        seq: 0,
        ack: 0,
        len: 0,
        timestamps: None,
        window: 0,
        mss: 0,
        syn: None,
        flags: Flags::NONE,
        ecn: Ecn::NotEct,
        sack_blocks: 0,
    };
}

/// A segment to send, with its SACK blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmit {
    /// The segment.
    pub segment: Segment,
    /// The segment's blocks, [`Segment::sack_blocks`] of them.
    pub sack: SackBlocks,
}
