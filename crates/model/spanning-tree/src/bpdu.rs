//! BPDUs, the messages between bridges, and their wire format (clause 9). Not here: their effect on
//! a port (`information`).

use crate::{BridgeId, Times, Vector};

/// Destination address of BPDUs. No bridge that takes part in a spanning tree forwards it (table
/// 7-10).
pub const GROUP_ADDRESS: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 0];

/// Length of every frame that a bridge sends: the shortest Ethernet frame, without its check
/// sequence.
pub const FRAME_BYTES: usize = 60;

/// Destination and source service access point, and unnumbered information (§7.12.3).
const LLC: [u8; 3] = [0x42, 0x42, 0x03];

/// Destination, source, length.
const HEADER_BYTES: usize = 14;

/// Largest value of the length field. Higher values are EtherTypes (IEEE 802.3 §3.2.6).
const MAX_LENGTH: u16 = 1500;

const CONFIG_TYPE: u8 = 0x00;
const RST_TYPE: u8 = 0x02;
const TCN_TYPE: u8 = 0x80;
const TCN_BYTES: usize = 4;
const CONFIG_BYTES: usize = 35;
const RST_BYTES: usize = 36;

/// A message from a bridge to its neighbour (§9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bpdu {
    /// Rapid spanning tree BPDU: version 2.
    Rst(Config),
    /// Configuration BPDU of a legacy bridge: version 0. Its role is designated. Of the flags, it
    /// has only topology change and its acknowledgement.
    Config(Config),
    /// Topology change notification of a legacy bridge: version 0.
    Tcn,
}

/// The information that a port sends about the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// The flags of §9.3.3.
    pub flags: Flags,
    /// The role of the sending port.
    pub role: MessageRole,
    /// The tree from the sender's point of view.
    pub vector: Vector,
    /// The timer values that the sender uses.
    pub times: Times,
}

/// Flags of a BPDU (§9.3.1, §9.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// The topology changes: the receiver must forget learned addresses.
    pub topology_change: bool,
    /// The sender proposes to forward at once, if the receiver agrees.
    pub proposal: bool,
    /// The sender learns addresses.
    pub learning: bool,
    /// The sender forwards frames.
    pub forwarding: bool,
    /// The sender agrees that the receiver may forward at once.
    pub agreement: bool,
    /// Acknowledges the notification of a topology change. Only in configuration BPDUs.
    pub acknowledgement: bool,
}

/// A role in a BPDU (§9.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageRole {
    /// A role that is not known.
    Unknown,
    /// Alternate or backup.
    Alternate,
    /// Root.
    Root,
    /// Designated.
    Designated,
}

/// The reason why a frame is not a valid BPDU (§9.3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BpduError {
    /// The frame has another destination, another protocol above Ethernet, or none.
    #[error("the frame does not go from bridge to bridge")]
    Foreign,
    /// The frame ends before its BPDU does.
    #[error("the BPDU is cut off")]
    Short,
    /// The BPDU is of another protocol or type than those of §9.3.
    #[error("the BPDU is of an unknown protocol or type")]
    Unknown,
    /// The age of a configuration BPDU has reached its maximum.
    #[error("the BPDU's information is too old")]
    Old,
}

/// Whether a whole Ethernet frame, without a VLAN tag, is for the spanning tree protocol. The BPDU
/// in it may still be malformed.
pub fn is_bpdu(frame: &[u8]) -> bool {
    payload(frame).is_some()
}

/// Returns the bytes that follow the LLC header, without padding.
fn payload(frame: &[u8]) -> Option<&[u8]> {
    let (header, rest) = frame.split_first_chunk::<HEADER_BYTES>()?;
    let length = u16::from_be_bytes([header[12], header[13]]);
    if header[..6] != GROUP_ADDRESS || length > MAX_LENGTH {
        return None;
    }
    rest.get(..usize::from(length).min(rest.len()))?.strip_prefix(&LLC)
}

impl Bpdu {
    /// Returns the BPDU in a whole Ethernet frame from `source`, padded to [`FRAME_BYTES`].
    pub fn encode(&self, source: [u8; 6]) -> [u8; FRAME_BYTES] {
        let mut frame = [0; FRAME_BYTES];
        frame[..6].copy_from_slice(&GROUP_ADDRESS);
        frame[6..12].copy_from_slice(&source);
        frame[14..17].copy_from_slice(&LLC);
        let bpdu = &mut frame[17..];
        let bytes = match self {
            Self::Rst(config) => {
                bpdu[2..4].copy_from_slice(&[2, RST_TYPE]);
                config.encode(bpdu, config.flags.rst_octet(config.role));
                RST_BYTES
            }
            Self::Config(config) => {
                config.encode(bpdu, config.flags.config_octet());
                CONFIG_BYTES
            }
            Self::Tcn => {
                bpdu[3] = TCN_TYPE;
                TCN_BYTES
            }
        };
        frame[13] = (LLC.len() + bytes) as u8;
        frame
    }

    /// Decodes a whole Ethernet frame. Later versions are read as the latest known one (§9.3.4).
    ///
    /// # Errors
    /// If the frame is not a BPDU, or not a valid one.
    pub fn decode(frame: &[u8]) -> Result<Self, BpduError> {
        let bpdu = payload(frame).ok_or(BpduError::Foreign)?;
        let [p, q, version, kind] = *bpdu.first_chunk().ok_or(BpduError::Short)?;
        match (u16::from_be_bytes([p, q]), version, kind) {
            (0, _, TCN_TYPE) => Ok(Self::Tcn),
            (0, _, CONFIG_TYPE) => {
                let config = Config::decode(bpdu, Flags::from_config)?;
                let times = config.times;
                if times.message_age < times.max_age {
                    Ok(Self::Config(config))
                } else {
                    Err(BpduError::Old)
                }
            }
            (0, 2.., RST_TYPE) if bpdu.len() < RST_BYTES => Err(BpduError::Short),
            (0, 2.., RST_TYPE) => Config::decode(bpdu, Flags::from_rst).map(Self::Rst),
            _ => Err(BpduError::Unknown),
        }
    }
}

impl Config {
    fn encode(&self, bpdu: &mut [u8], flags: u8) {
        bpdu[4] = flags;
        bpdu[5..13].copy_from_slice(&self.vector.root.to_wire());
        bpdu[13..17].copy_from_slice(&self.vector.cost.to_be_bytes());
        bpdu[17..25].copy_from_slice(&self.vector.bridge.to_wire());
        bpdu[25..27].copy_from_slice(&self.vector.port.to_be_bytes());
        let Times { message_age, max_age, hello, forward_delay } = self.times;
        for (index, time) in [message_age, max_age, hello, forward_delay].into_iter().enumerate() {
            bpdu[27 + 2 * index..29 + 2 * index].copy_from_slice(&time.to_be_bytes());
        }
    }

    fn decode(bpdu: &[u8], flags: fn(u8) -> (Flags, MessageRole)) -> Result<Self, BpduError> {
        let bpdu: &[u8; CONFIG_BYTES] = bpdu.first_chunk().ok_or(BpduError::Short)?;
        let two = |at: usize| u16::from_be_bytes([bpdu[at], bpdu[at + 1]]);
        let eight = |at: usize| std::array::from_fn(|index| bpdu[at + index]);
        let (flags, role) = flags(bpdu[4]);
        let vector = Vector {
            root: BridgeId::from_wire(eight(5)),
            cost: u32::from(two(13)) << 16 | u32::from(two(15)),
            bridge: BridgeId::from_wire(eight(17)),
            port: two(25),
        };
        let times = Times {
            message_age: two(27),
            max_age: two(29),
            hello: two(31),
            forward_delay: two(33),
        };
        Ok(Self { flags, role, vector, times })
    }
}

impl Flags {
    fn config_octet(self) -> u8 {
        u8::from(self.topology_change) | u8::from(self.acknowledgement) << 7
    }

    fn from_config(octet: u8) -> (Self, MessageRole) {
        let [topology_change, acknowledgement] = [octet & 1 != 0, octet >> 7 != 0];
        let flags = Self { topology_change, acknowledgement, ..Self::default() };
        (flags, MessageRole::Designated)
    }

    fn rst_octet(self, role: MessageRole) -> u8 {
        u8::from(self.topology_change)
            | u8::from(self.proposal) << 1
            | (role as u8) << 2
            | u8::from(self.learning) << 4
            | u8::from(self.forwarding) << 5
            | u8::from(self.agreement) << 6
    }

    fn from_rst(octet: u8) -> (Self, MessageRole) {
        let bit = |number: u8| octet >> number & 1 != 0;
        let role = match octet >> 2 & 3 {
            1 => MessageRole::Alternate,
            2 => MessageRole::Root,
            3 => MessageRole::Designated,
            _ => MessageRole::Unknown,
        };
        let flags = Self {
            topology_change: bit(0),
            proposal: bit(1),
            learning: bit(4),
            forwarding: bit(5),
            agreement: bit(6),
            acknowledgement: false,
        };
        (flags, role)
    }
}
