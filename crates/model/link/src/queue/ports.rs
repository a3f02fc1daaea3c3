//! Ports and upper-layer protocols in the notation of classes.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};

/// Largest number of ranges in one list. Each frame is compared with them one by one.
const MOST: usize = 8;

/// A set of ports of TCP or UDP, written as one entry or as a list. Each entry is a number from 1
/// to 65535 or a range like `6000-6999`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// First and last port of each range.
    ranges: [(u16, u16); MOST],
    count: u8,
}

impl Ports {
    const NONE: Self = Self { ranges: [(0, 0); MOST], count: 0 };

    /// Whether the set contains `port`. Packets without ports have port 0, which is in no set.
    #[inline]
    pub fn contains(&self, port: u16) -> bool {
        self.ranges().iter().any(|(first, last)| (*first..=*last).contains(&port))
    }

    fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges[..usize::from(self.count)]
    }

    fn insert(&mut self, first: u16, last: u16) -> Result<(), String> {
        let Some(place) = self.ranges.get_mut(usize::from(self.count)) else {
            return Err(format!("a list of ports has at most {MOST} ports and ranges"));
        };
        *place = (first, last);
        self.count += 1;
        Ok(())
    }

    fn insert_number(&mut self, number: u64) -> Result<(), String> {
        let port = u16::try_from(number).ok().filter(|port| *port > 0);
        let port = port.ok_or_else(|| format!("a port is from 1 to 65535, not {number}"))?;
        self.insert(port, port)
    }

    fn insert_text(&mut self, text: &str) -> Result<(), String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let port = |text: &str| text.trim().parse().ok().filter(|port: &u16| *port > 0);
        match (port(first), port(last)) {
            (Some(first), Some(last)) if first <= last => self.insert(first, last),
            _ => Err(format!(
                "`{text}` is no port and no range of ports; write numbers from 1 to 65535, like \
                 `5004` or `6000-6999`"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Ports {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PortsVisitor;
        impl<'de> Visitor<'de> for PortsVisitor {
            type Value = Ports;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a port like `5004`, a range like `6000-6999`, or a list of them")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Ports, E> {
                let mut ports = Ports::NONE;
                ports.insert_number(number).map_err(E::custom)?;
                Ok(ports)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Ports, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Ports, E> {
                let mut ports = Ports::NONE;
                ports.insert_text(text).map_err(E::custom)?;
                Ok(ports)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ports, A::Error> {
                let mut ports = Ports::NONE;
                while let Some(next) = list.next_element::<Ports>()? {
                    for (first, last) in next.ranges() {
                        ports.insert(*first, *last).map_err(de::Error::custom)?;
                    }
                }
                if ports.count == 0 {
                    return Err(de::Error::custom("a list of ports has at least one"));
                }
                Ok(ports)
            }
        }
        deserializer.deserialize_any(PortsVisitor)
    }
}

/// A port or a range, from its first to its last port, for serialization.
struct Written(u16, u16);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self(first, last) if first == last => first.serialize(serializer),
            Self(first, last) => serializer.serialize_str(&format!("{first}-{last}")),
        }
    }
}

impl Serialize for Ports {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let [(first, last)] = *self.ranges() {
            return Written(first, last).serialize(serializer);
        }
        let mut list = serializer.serialize_seq(Some(self.ranges().len()))?;
        for (first, last) in self.ranges() {
            list.serialize_element(&Written(*first, *last))?;
        }
        list.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ports {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ports".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = schemars::json_schema!({
            "type": ["integer", "string"],
            "minimum": 1,
            "maximum": 65535,
            "pattern": "^[0-9]+(-[0-9]+)?$",
        });
        schemars::json_schema!({
            "description": "A port, a range of ports, or a list of them.",
            "anyOf": [one, { "type": "array", "items": one, "minItems": 1, "maxItems": MOST }],
            "examples": [5004, "6000-6999", [80, 443, "8000-8999"]],
        })
    }
}

/// An upper-layer protocol, by number or by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpperLayer(pub u8);

/// The protocols that can be written by name.
const NAMED: [(&str, u8); 4] = [("icmp", 1), ("tcp", 6), ("udp", 17), ("icmpv6", 58)];

impl UpperLayer {
    fn named(text: &str) -> Result<Self, String> {
        let name = text.to_ascii_lowercase();
        let found = NAMED.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        found.or_else(|| text.parse().ok()).map(Self).ok_or_else(|| {
            format!("`{text}` is no protocol; write `tcp`, `udp`, `icmp`, `icmpv6` or a number")
        })
    }
}

impl<'de> Deserialize<'de> for UpperLayer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ProtocolVisitor;
        impl Visitor<'_> for ProtocolVisitor {
            type Value = UpperLayer;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a protocol like `udp` or `17`")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<UpperLayer, E> {
                let number = u8::try_from(number);
                number.map(UpperLayer).map_err(|_| E::custom("a protocol is from 0 to 255"))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<UpperLayer, E> {
                UpperLayer::named(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(ProtocolVisitor)
    }
}

impl Serialize for UpperLayer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match NAMED.iter().find(|(_, number)| *number == self.0) {
            Some((name, _)) => serializer.serialize_str(name),
            None => serializer.serialize_u8(self.0),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for UpperLayer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "UpperLayer".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "An upper-layer protocol: `tcp`, `udp`, `icmp`, `icmpv6` or a number.",
            "type": ["integer", "string"],
            "minimum": 0,
            "maximum": 255,
            "pattern": "^([0-9]+|[a-zA-Z0-9]+)$",
            "examples": ["udp", 89],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(text: &str) -> Result<Ports, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_ranges_and_lists_are_read_and_written() {
        for text in ["5004", "\"6000-6999\"", "[80,443,\"8000-8999\"]"] {
            assert_eq!(serde_json::to_string(&ports(text).unwrap()).unwrap(), text);
        }
        let some = ports(r#"[80, "8000-8999"]"#).unwrap();
        assert!([80, 8000, 8999].iter().all(|port| some.contains(*port)));
        assert!([0, 79, 81, 7999, 9000].iter().all(|port| !some.contains(*port)));
    }

    #[test]
    fn errors_say_what_to_write_instead() {
        for text in ["0", "65536", "-1"] {
            assert!(ports(text).unwrap_err().contains("1 to 65535"), "{text}");
        }
        for text in ["\"9-5\"", "\"http\"", "\"1-\""] {
            assert!(ports(text).unwrap_err().contains("`6000-6999`"), "{text}");
        }
        assert!(ports("[]").unwrap_err().contains("at least one"));
        assert!(ports("[1,2,3,4,5,6,7,8,9]").unwrap_err().contains("at most 8"));
        let protocol = |text: &str| serde_json::from_str::<UpperLayer>(text);
        assert!(protocol("\"tpc\"").unwrap_err().to_string().contains("`tcp`, `udp`"));
        assert!(protocol("256").unwrap_err().to_string().contains("0 to 255"));
        for text in ["\"udp\"", "89"] {
            assert_eq!(serde_json::to_string(&protocol(text).unwrap()).unwrap(), text);
        }
    }
}
