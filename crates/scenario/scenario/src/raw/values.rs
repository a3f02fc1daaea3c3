//! Values that can be written in several ways.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

pub(crate) use netloom_document::ScalarText;
use netloom_units::{Duration, Size, UnitError};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use crate::spec::Command;

/// `node:interface`, or `node` alone where the interface may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawEndpoint {
    pub node: String,
    pub interface: Option<String>,
}

impl FromStr for RawEndpoint {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (node, interface) = match text.split_once(':') {
            Some((node, interface)) => (node, Some(interface)),
            None => (text, None),
        };
        if node.is_empty() || interface.is_some_and(str::is_empty) {
            return Err(format!(
                "`{text}` is not an endpoint; write `node:interface`, like `a:eth1`"
            ));
        }
        Ok(Self { node: node.into(), interface: interface.map(Into::into) })
    }
}

impl<'de> Deserialize<'de> for RawEndpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawEndpoint {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Endpoint".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "`node:interface`, like `a:eth1`.",
            "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*(:[A-Za-z0-9][A-Za-z0-9_.-]*)?$",
            "examples": ["a:eth1"],
        })
    }
}

/// IPv4 or IPv6 address of a next hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawNextHop(pub IpAddr);

impl<'de> Deserialize<'de> for RawNextHop {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| {
            D::Error::custom(format!(
                "`{text}` is not an IP address; \
                 write the neighbour's, like `10.0.0.2` or `fd00::2`, without a prefix length"
            ))
        })
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawNextHop {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NextHop".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "examples": ["10.0.0.2", "fd00::2"] })
    }
}

/// A time of a run. Errors suggest seconds, not the milliseconds that links use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RawTime(pub Duration);

impl<'de> Deserialize<'de> for RawTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeVisitor;
        impl Visitor<'_> for TimeVisitor {
            type Value = RawTime;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time with its unit, like `5s`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawTime, E> {
                text.parse().map(RawTime).map_err(E::custom)
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<RawTime, E> {
                RawTime::without_unit(number as f64)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<RawTime, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<RawTime, E> {
                RawTime::without_unit(number)
            }
        }
        deserializer.deserialize_any(TimeVisitor)
    }
}

impl RawTime {
    /// Accepts zero without a unit. For other numbers, the error suggests seconds, because they are
    /// nearly always meant.
    pub fn without_unit<E: Error>(number: f64) -> Result<Self, E> {
        if number == 0.0 {
            return Ok(Self(Duration::ZERO));
        }
        Err(E::custom(format!("`{number}` has no unit; write it with one, like `{number}s`")))
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawTime {
    fn inline_schema() -> bool {
        Duration::inline_schema()
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Duration::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Duration::json_schema(generator)
    }
}

/// MTU: largest IP packet of an interface, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawMtu(pub u32);

impl RawMtu {
    /// Smallest MTU of IPv4, in bytes (RFC 791).
    pub const MIN: u32 = 68;
    /// Largest IP packet in an Ethernet frame of 65,535 bytes, in bytes.
    pub const MAX: u32 = 65_521;

    fn check<E: Error>(bytes: u64, text: impl fmt::Display) -> Result<Self, E> {
        match u32::try_from(bytes) {
            Ok(bytes @ Self::MIN..=Self::MAX) => Ok(Self(bytes)),
            _ => Err(E::custom(format!(
                "an MTU of `{text}` is impossible; it is from {} to {} bytes",
                Self::MIN,
                Self::MAX
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for RawMtu {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MtuVisitor;
        impl Visitor<'_> for MtuVisitor {
            type Value = RawMtu;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an MTU in bytes, like `1500`")
            }
            fn visit_u64<E: Error>(self, bytes: u64) -> Result<RawMtu, E> {
                RawMtu::check(bytes, bytes)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawMtu, E> {
                let size: Size = text.parse().map_err(|error| match error {
                    UnitError::NotANumber { text, .. } => {
                        E::custom(format!("`{text}` is not an MTU; write it in bytes, like `1500`"))
                    }
                    error => E::custom(error),
                })?;
                RawMtu::check(size.bytes(), text)
            }
        }
        deserializer.deserialize_any(MtuVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawMtu {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mtu".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "minimum": Self::MIN,
            "maximum": Self::MAX,
            "pattern": r"^[0-9]+(\.[0-9]+)? *(B|bytes?|kB|KiB)$",
            "examples": [1500],
        })
    }
}

/// Command to execute: a line for the shell, or a program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawCommand(pub Command);

impl<'de> Deserialize<'de> for RawCommand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CommandVisitor;
        impl<'de> Visitor<'de> for CommandVisitor {
            type Value = RawCommand;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a command line or a list of a program and its arguments")
            }
            fn visit_str<E: Error>(self, line: &str) -> Result<RawCommand, E> {
                if line.trim().is_empty() {
                    return Err(E::custom("the command is empty"));
                }
                Ok(RawCommand(Command::Shell(line.into())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<RawCommand, A::Error> {
                let mut argv: Vec<String> = Vec::new();
                while let Some(argument) = access.next_element()? {
                    argv.push(argument);
                }
                if argv.first().is_none_or(String::is_empty) {
                    return Err(A::Error::custom("the command names no program"));
                }
                Ok(RawCommand(Command::Exec(argv)))
            }
        }
        deserializer.deserialize_any(CommandVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawCommand {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Command".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A line for `/bin/sh -c`, or a list: a program and its arguments, as \
                            they are.",
            "anyOf": [
                { "type": "string", "minLength": 1 },
                {
                    "type": "array",
                    "minItems": 1,
                    "items": { "type": ["string", "number", "boolean"] },
                },
            ],
            "examples": ["ping -c 3 b", ["iperf3", "-c", "b"]],
        })
    }
}
