//! The largest packet that a pipe carries.

use std::fmt;
use std::str::FromStr;

use netloom_units::UnitError;

use crate::frame::ETHERNET_HEADER;

/// The largest packet that a pipe carries, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MtuLimit {
    /// Packets of any length pass.
    #[default]
    None,
    /// Largest number of bytes behind the Ethernet header and its VLAN tag.
    Bytes(u32),
}

impl MtuLimit {
    /// Whether a frame of `length` bytes passes. The length includes the Ethernet header, but not
    /// the VLAN tag and FCS.
    pub const fn admits(self, length: u32) -> bool {
        length <= self.longest()
    }

    /// Length of the longest frame that passes, as for [`admits`](Self::admits).
    pub(crate) const fn longest(self) -> u32 {
        match self {
            Self::None => u32::MAX,
            Self::Bytes(mtu) => mtu.saturating_add(ETHERNET_HEADER),
        }
    }
}

impl FromStr for MtuLimit {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if text == "none" {
            return Ok(Self::None);
        }
        let number = text.strip_suffix('B').unwrap_or(text).trim_end();
        match number.parse() {
            Ok(bytes) if bytes > 0 && bytes <= 65_535 => Ok(Self::Bytes(bytes)),
            _ => Err(UnitError::OutOfRange {
                text: text.into(),
                range: "an MTU is `none` or a number of bytes from 1 to 65535",
            }),
        }
    }
}

impl fmt::Display for MtuLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Bytes(bytes) => f.pad(&format!("{bytes}B")),
        }
    }
}

netloom_units::text_quantity!(
    MtuLimit,
    "MTU",
    r"^(none|[0-9]+ *B?)$",
    "`none`, or a number of bytes.",
    "1400B"
);
