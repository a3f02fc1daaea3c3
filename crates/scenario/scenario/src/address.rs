//! Addresses as text: `02:00:00:00:00:01`, and IP prefixes like `10.0.0.1/24`, which the link model
//! has too.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use netloom_link::{AddressError, IpPrefix, Ipv4Prefix, Ipv6Prefix};

/// An Ethernet address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub struct MacAddress(pub [u8; 6]);

impl FromStr for MacAddress {
    type Err = AddressError;
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let error = || AddressError {
            text: text.into(),
            expected: "a unicast MAC address, like `02:00:00:00:00:01`",
        };
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts.next().filter(|part| part.len() == 2).ok_or_else(error)?;
            *byte = u8::from_str_radix(part, 16).map_err(|_| error())?;
        }
        if parts.next().is_some() || bytes[0] & 1 == 1 || bytes == [0; 6] {
            return Err(error());
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl TryFrom<String> for MacAddress {
    type Error = AddressError;
    fn try_from(text: String) -> Result<Self, AddressError> {
        text.parse()
    }
}

impl From<MacAddress> for String {
    fn from(mac: MacAddress) -> Self {
        mac.to_string()
    }
}
