//! Address prefixes like `10.0.0.0/8`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Addresses that begin with the same bits, IPv4 or IPv6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

impl Prefix {
    /// The addresses whose first `length` bits are those of `address`.
    ///
    /// # Errors
    /// `length` is more than the address has bits, or `address` has bits behind it.
    pub fn new(address: IpAddr, length: u8) -> Result<Self, String> {
        let width = width(address);
        if length > width {
            return Err(format!(
                "the length of an IP prefix is at most {width} here, not {length}"
            ));
        }
        let prefix = Self { address, length };
        let network = prefix.network();
        if network == address {
            Ok(prefix)
        } else {
            Err(format!(
                "`{address}/{length}` has bits behind the prefix; write `{network}/{length}`"
            ))
        }
    }

    /// Whether they are IPv4 addresses.
    pub(crate) const fn is_ipv4(&self) -> bool {
        self.address.is_ipv4()
    }

    /// Whether `address` is one of them. An IPv4 address is never part of an IPv6 prefix, nor the
    /// other way around.
    #[inline]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(address)) => {
                let differing = own.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.length)
            }
            (IpAddr::V6(own), IpAddr::V6(address)) => {
                let differing = own.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.length)
            }
            _ => false,
        }
    }

    /// The address without the bits behind the prefix.
    fn network(&self) -> IpAddr {
        let length = u32::from(self.length);
        match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
                IpAddr::V4((address.to_bits() & mask).into())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
                IpAddr::V6((address.to_bits() & mask).into())
            }
        }
    }
}

const fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

impl FromStr for Prefix {
    type Err = String;
    /// A prefix, or an address, which stands for itself alone.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not an IP prefix; write an address and a length, like `10.0.0.0/8` or \
                 `fd00::/64`"
            )
        };
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let length = match length {
            Some(length) => length.parse().map_err(|_| wrong())?,
            None => width(address),
        };
        Self::new(address, length)
    }
}

impl TryFrom<String> for Prefix {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Prefix> for String {
    fn from(prefix: Prefix) -> Self {
        prefix.to_string()
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.address, self.length))
    }
}

impl JsonSchema for Prefix {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Prefix".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "An IP prefix, or a single address.",
            "pattern": r"^[0-9a-fA-F:.]+(/[0-9]+)?$",
            "examples": ["10.0.0.0/8"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(prefix: &str, address: &str) -> bool {
        prefix.parse::<Prefix>().unwrap().contains(address.parse().unwrap())
    }

    #[test]
    fn a_prefix_contains_what_begins_like_it() {
        assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("0.0.0.0/0", "255.255.255.255") && !contains("0.0.0.0/0", "::1"));
        assert!(contains("fd00::/64", "fd00::1") && !contains("fd00::/64", "fd00:0:0:1::1"));
        assert!(contains("10.0.0.1", "10.0.0.1") && !contains("10.0.0.1", "10.0.0.2"));
        assert!(contains("::/0", "fd00::1"));
    }

    #[test]
    fn what_is_wrong_is_said_with_a_way_out() {
        let error = |text: &str| text.parse::<Prefix>().unwrap_err();
        assert!(error("10.0.0.1/8").contains("`10.0.0.0/8`"), "{}", error("10.0.0.1/8"));
        assert!(error("10.0.0.0/33").contains("at most 32"));
        assert!(error("ten/8").contains("`10.0.0.0/8`"));
        assert!(error("10.0.0.0/x").contains("`10.0.0.0/8`"));
    }
}
