//! IP prefixes as text, like `10.0.0.1/24`: an address within its subnet, or a subnet.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The error for a text that is not an address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not {expected}")]
pub struct AddressError {
    /// The text that was parsed.
    pub text: String,
    /// Description of a valid text, with an example.
    pub expected: &'static str,
}

macro_rules! prefix {
    ($name:ident, $address:ty, $int:ty, $bits:literal, $expected:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        pub struct $name {
            /// The address, host bits included.
            pub address: $address,
            /// The prefix length in bits.
            pub length: u8,
        }

        impl $name {
            /// The prefix with its host bits cleared.
            #[must_use]
            pub fn network(self) -> Self {
                let host_bits = u32::from($bits - self.length);
                let mask = <$int>::MAX.checked_shl(host_bits).unwrap_or(0);
                let bits = self.address.to_bits();
                Self { address: <$address>::from_bits(bits & mask), length: self.length }
            }

            /// Whether `address` lies in this prefix.
            #[inline]
            pub fn contains(self, address: $address) -> bool {
                let differing = self.address.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.length)
            }
        }

        impl FromStr for $name {
            type Err = AddressError;
            fn from_str(text: &str) -> Result<Self, AddressError> {
                let error = || AddressError { text: text.into(), expected: $expected };
                let (address, length) = text.split_once('/').ok_or_else(error)?;
                let address = address.parse().map_err(|_| error())?;
                let length = length.parse().map_err(|_| error())?;
                if length > $bits {
                    return Err(error());
                }
                Ok(Self { address, length })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&format!("{}/{}", self.address, self.length))
            }
        }

        impl TryFrom<String> for $name {
            type Error = AddressError;
            fn try_from(text: String) -> Result<Self, AddressError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(prefix: $name) -> Self {
                prefix.to_string()
            }
        }
    };
}

prefix!(
    Ipv4Prefix,
    Ipv4Addr,
    u32,
    32,
    "an IPv4 address with its prefix length, like `10.0.0.1/24`",
    "An IPv4 address and prefix length."
);
prefix!(
    Ipv6Prefix,
    Ipv6Addr,
    u128,
    128,
    "an IPv6 address with its prefix length, like `fd00::1/64`",
    "An IPv6 address and prefix length."
);

/// An IPv4 or IPv6 prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub enum IpPrefix {
    /// IPv4.
    V4(Ipv4Prefix),
    /// IPv6.
    V6(Ipv6Prefix),
}

impl IpPrefix {
    /// Returns the prefix of `address` with `length` bits; `None` if an address of its family has
    /// fewer bits.
    pub fn new(address: IpAddr, length: u8) -> Option<Self> {
        match address {
            IpAddr::V4(address) if length <= 32 => Some(Self::V4(Ipv4Prefix { address, length })),
            IpAddr::V6(address) if length <= 128 => Some(Self::V6(Ipv6Prefix { address, length })),
            _ => None,
        }
    }

    /// The prefix with its host bits cleared.
    #[must_use]
    pub fn network(self) -> Self {
        match self {
            Self::V4(prefix) => Self::V4(prefix.network()),
            Self::V6(prefix) => Self::V6(prefix.network()),
        }
    }

    /// The address, host bits included.
    pub fn address(self) -> IpAddr {
        match self {
            Self::V4(prefix) => prefix.address.into(),
            Self::V6(prefix) => prefix.address.into(),
        }
    }

    /// Length of the prefix in bits.
    pub fn length(self) -> u8 {
        match self {
            Self::V4(prefix) => prefix.length,
            Self::V6(prefix) => prefix.length,
        }
    }

    /// Whether `address` lies in this prefix.
    #[inline]
    pub fn contains(self, address: IpAddr) -> bool {
        match (self, address) {
            (Self::V4(prefix), IpAddr::V4(address)) => prefix.contains(address),
            (Self::V6(prefix), IpAddr::V6(address)) => prefix.contains(address),
            _ => false,
        }
    }
}

impl FromStr for IpPrefix {
    type Err = AddressError;
    fn from_str(text: &str) -> Result<Self, AddressError> {
        if text == "default" {
            return Err(AddressError {
                text: text.into(),
                expected: "a prefix; write `0.0.0.0/0` (IPv4) or `::/0` (IPv6)",
            });
        }
        text.parse().map(Self::V4).or_else(|_| text.parse().map(Self::V6)).map_err(
            |_: AddressError| AddressError {
                text: text.into(),
                expected: "a prefix, like `10.0.0.0/24` or `fd00::/64`",
            },
        )
    }
}

impl fmt::Display for IpPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(prefix) => prefix.fmt(f),
            Self::V6(prefix) => prefix.fmt(f),
        }
    }
}

impl TryFrom<String> for IpPrefix {
    type Error = AddressError;
    fn try_from(text: String) -> Result<Self, AddressError> {
        text.parse()
    }
}

impl From<IpPrefix> for String {
    fn from(prefix: IpPrefix) -> Self {
        prefix.to_string()
    }
}
