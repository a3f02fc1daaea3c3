//! Framing: the bytes of a frame on the line in addition to its own.

use std::fmt;
use std::str::FromStr;

use crate::{Size, UnitError};

/// The bytes that a frame takes on the line in addition to its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// IEEE 802.3: 24 bytes per frame (preamble and delimiter 8, FCS 4, gap 12), padded to the
    /// minimum of 64 bytes.
    #[default]
    Ethernet,
    /// No bytes: only the frame's own bytes count, as in tc.
    None,
    /// This many bytes per frame.
    Bytes(u32),
}

impl Framing {
    /// Returns the bytes that a frame of `length` bytes takes on the line. `length` includes the
    /// Ethernet header, but not the FCS.
    pub const fn line_bytes(self, length: u32) -> u32 {
        match self {
            Self::Ethernet => (if length < 60 { 60 } else { length }).saturating_add(24),
            Self::None => length,
            Self::Bytes(bytes) => length.saturating_add(bytes),
        }
    }
}

impl FromStr for Framing {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "ethernet" => Ok(Self::Ethernet),
            "none" => Ok(Self::None),
            text => {
                let size: Size = text.parse().map_err(|error| match error {
                    UnitError::NotANumber { text, .. } => UnitError::NotANumber {
                        text,
                        quantity: "framing",
                        example: "ethernet`, `none` or `38B".into(),
                    },
                    error => error,
                })?;
                u32::try_from(size.bytes()).ok().filter(|bytes| *bytes <= 65_535).map_or_else(
                    || {
                        Err(UnitError::OutOfRange {
                            text: text.into(),
                            range: "framing is at most 65535B per frame",
                        })
                    },
                    |bytes| Ok(Self::Bytes(bytes)),
                )
            }
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ethernet => f.pad("ethernet"),
            Self::None => f.pad("none"),
            Self::Bytes(bytes) => f.pad(&format!("{bytes}B")),
        }
    }
}

crate::text_quantity!(
    Framing,
    "framing",
    r"^(ethernet|none|[0-9]+ *(B|bytes?))$",
    "`ethernet`, `none`, or a number of bytes per frame.",
    "ethernet"
);
