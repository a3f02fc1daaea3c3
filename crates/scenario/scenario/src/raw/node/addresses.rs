//! Addresses of interfaces and of the loopback device: `auto`, `none`, or given ones.

use std::fmt;
use std::marker::PhantomData;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use netloom_document::Spanned;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::spec::LoopbackAddress;

/// Whether interfaces get addresses of one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Family"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawFamily {
    /// NetLoom assigns addresses.
    Auto,
    /// No addresses.
    None,
}

/// Addresses of one family of an interface.
#[derive(Debug, Clone)]
pub(crate) enum RawAddresses<P> {
    Auto,
    None,
    Fixed(Vec<Spanned<P>>),
}

impl<'de, P: Deserialize<'de> + FromStr<Err: fmt::Display>> Deserialize<'de> for RawAddresses<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let one: Spanned<OneOrMore<P>> = Spanned::deserialize(deserializer)?;
        let Spanned { value, span, id } = one;
        Ok(match value {
            OneOrMore::Auto => Self::Auto,
            OneOrMore::None => Self::None,
            OneOrMore::One(value) => Self::Fixed(vec![Spanned { value, span, id }]),
            OneOrMore::More(values) => Self::Fixed(values),
        })
    }
}

enum OneOrMore<P> {
    Auto,
    None,
    One(P),
    More(Vec<Spanned<P>>),
}

impl<'de, P: Deserialize<'de> + FromStr<Err: fmt::Display>> Deserialize<'de> for OneOrMore<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AddressesVisitor(PhantomData))
    }
}

struct AddressesVisitor<P>(PhantomData<P>);

impl<'de, P: Deserialize<'de> + FromStr<Err: fmt::Display>> Visitor<'de> for AddressesVisitor<P> {
    type Value = OneOrMore<P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`auto`, `none`, an address with its prefix length, or a list of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMore<P>, E> {
        match text {
            "auto" => Ok(OneOrMore::Auto),
            "none" => Ok(OneOrMore::None),
            text => text.parse().map(OneOrMore::One).map_err(E::custom),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<OneOrMore<P>, A::Error> {
        let mut addresses = Vec::new();
        while let Some(address) = access.next_element()? {
            addresses.push(address);
        }
        Ok(OneOrMore::More(addresses))
    }
}

#[cfg(feature = "schema")]
impl<P: JsonSchema> JsonSchema for RawAddresses<P> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Addresses_of_{}", P::schema_name()).into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "enum": ["auto", "none"] },
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } },
            ],
        })
    }
}

/// Loopback addresses: one word for both families, or a value for each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RawLoopback {
    pub ipv4: Option<LoopbackAddress<Ipv4Addr>>,
    pub ipv6: Option<LoopbackAddress<Ipv6Addr>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PerFamily {
    #[serde(default)]
    ipv4: Option<One<Ipv4Addr>>,
    #[serde(default)]
    ipv6: Option<One<Ipv6Addr>>,
}

struct One<A>(LoopbackAddress<A>);

impl<'de, A: FromStr> Deserialize<'de> for One<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "auto" => Ok(Self(LoopbackAddress::Auto)),
            "none" => Ok(Self(LoopbackAddress::None)),
            text => text.parse().map(|address| Self(LoopbackAddress::Fixed(address))).map_err(|_| {
                D::Error::custom(format!(
                    "`{text}` is not a loopback address; write `auto`, `none`, or an address of \
                     this family without a prefix length"
                ))
            }),
        }
    }
}

impl<'de> Deserialize<'de> for RawLoopback {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LoopbackVisitor)
    }
}

struct LoopbackVisitor;

impl<'de> Visitor<'de> for LoopbackVisitor {
    type Value = RawLoopback;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`auto`, `none`, or a mapping with `ipv4` and `ipv6`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RawLoopback, E> {
        use LoopbackAddress::{Auto, None};
        match text {
            "auto" => Ok(RawLoopback { ipv4: Some(Auto), ipv6: Some(Auto) }),
            "none" => Ok(RawLoopback { ipv4: Some(None), ipv6: Some(None) }),
            text => Err(E::custom(format!(
                "`{text}` says nothing about a loopback; \
                 write `auto`, `none`, or a mapping like `{{ipv4: 10.255.0.1}}`"
            ))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawLoopback, A::Error> {
        let families = PerFamily::deserialize(MapAccessDeserializer::new(access))?;
        Ok(RawLoopback {
            ipv4: families.ipv4.map(|one| one.0),
            ipv6: families.ipv6.map(|one| one.0),
        })
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawLoopback {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Loopback".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "enum": ["auto", "none"] },
                {
                    "type": "object",
                    "properties": {
                        "ipv4": {
                            "type": "string",
                            "description": "`auto`, `none`, or an address like `10.255.0.1`.",
                        },
                        "ipv6": {
                            "type": "string",
                            "description": "`auto`, `none`, or an address like `fd00::1`.",
                        },
                    },
                    "additionalProperties": false,
                },
            ],
        })
    }
}
