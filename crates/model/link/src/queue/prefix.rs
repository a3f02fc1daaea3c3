//! Address prefixes that classes match, like `10.0.0.0/8`. Not here: prefixes as such (`address`).

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::IpPrefix;

/// Addresses that begin with the same bits, IPv4 or IPv6: a subnet, without host bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Prefix(IpPrefix);

impl Prefix {
    /// Whether the addresses are IPv4.
    pub(crate) const fn is_ipv4(&self) -> bool {
        matches!(self.0, IpPrefix::V4(_))
    }

    /// Whether the prefix contains `address`. An IPv4 address is never part of an IPv6 prefix, nor
    /// the other way around.
    #[inline]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(address)
    }
}

impl FromStr for Prefix {
    type Err = String;
    /// Parses a prefix, or an address, which stands for a prefix of its full length.
    fn from_str(text: &str) -> Result<Self, String> {
        let width = if text.contains(':') { 128 } else { 32 };
        let length = text.split_once('/').and_then(|(_, length)| length.parse::<u8>().ok());
        if let Some(length) = length.filter(|length| *length > width) {
            return Err(format!(
                "the length of an IP prefix is at most {width} here, not {length}"
            ));
        }
        let full = if text.contains('/') { text.into() } else { format!("{text}/{width}") };
        let prefix: IpPrefix = full.parse().map_err(|_| {
            format!(
                "`{text}` is not an IP prefix; write an address and a length, like `10.0.0.0/8` or \
                 `fd00::/64`"
            )
        })?;
        match prefix.network() {
            network if network == prefix => Ok(Self(prefix)),
            network => Err(format!("`{prefix}` has bits behind the prefix; write `{network}`")),
        }
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
        self.0.fmt(f)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Prefix {
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
    fn a_prefix_contains_addresses_that_begin_like_it() {
        assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("0.0.0.0/0", "255.255.255.255") && !contains("0.0.0.0/0", "::1"));
        assert!(contains("fd00::/64", "fd00::1") && !contains("fd00::/64", "fd00:0:0:1::1"));
        assert!(contains("10.0.0.1", "10.0.0.1") && !contains("10.0.0.1", "10.0.0.2"));
        assert!(contains("::/0", "fd00::1"));
    }

    #[test]
    fn errors_say_what_to_write_instead() {
        let error = |text: &str| text.parse::<Prefix>().unwrap_err();
        assert!(error("10.0.0.1/8").contains("`10.0.0.0/8`"), "{}", error("10.0.0.1/8"));
        assert!(error("10.0.0.0/33").contains("at most 32"));
        assert!(error("ten/8").contains("`10.0.0.0/8`"));
        assert!(error("10.0.0.0/x").contains("`10.0.0.0/8`"));
    }
}
