//! Software of nodes (files, binds and services), as the user wrote it.

use std::fmt;

use netloom_document::{Entries, Spanned};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::values::ScalarText;
use crate::service::OptionValue;

/// A file of a node, with either `content` or `source`.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "File"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFile {
    /// Content of the file.
    #[serde(default)]
    pub content: Option<ScalarText>,
    /// File of the machine that the content comes from, relative to the scenario's folder. It must
    /// be text; use `binds` for other files.
    #[serde(default)]
    pub source: Option<Spanned<String>>,
    /// Permissions in octal, like `0755` (default `0644`).
    #[serde(default)]
    pub mode: Option<Spanned<ScalarText>>,
}

/// Where a file or directory of the machine appears in the node: a path, or a path with options.
#[derive(Debug, Clone)]
pub(crate) struct RawBind {
    pub to: String,
    pub write: bool,
}

#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BindOptions"))]
#[serde(deny_unknown_fields)]
struct RawBindOptions {
    /// Path in the node.
    to: String,
    /// Whether the node may write to it (default `false`).
    #[serde(default)]
    write: bool,
}

impl<'de> Deserialize<'de> for RawBind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BindVisitor;
        impl<'de> Visitor<'de> for BindVisitor {
            type Value = RawBind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a path in the node, or `{to: PATH, write: true}`")
            }
            fn visit_str<E: Error>(self, to: &str) -> Result<RawBind, E> {
                Ok(RawBind { to: to.into(), write: false })
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawBind, A::Error> {
                let options = RawBindOptions::deserialize(MapAccessDeserializer::new(access))?;
                Ok(RawBind { to: options.to, write: options.write })
            }
        }
        deserializer.deserialize_any(BindVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawBind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bind".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A path in the node, where it is read-only; or one with options.",
            "anyOf": [{ "type": "string" }, generator.subschema_for::<RawBindOptions>()],
        })
    }
}

/// Services of a node: a list of names, or names with options.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawServices(pub Vec<(Spanned<String>, RawService)>);

/// A service of a node.
#[derive(Debug, Clone)]
pub(crate) enum RawService {
    /// The service runs, with these options.
    On(Entries<Spanned<OptionValue>>),
    /// The service does not run, even if defaults, the kind or a group enable it.
    Off,
}

impl<'de> Deserialize<'de> for RawServices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ServicesVisitor;
        impl<'de> Visitor<'de> for ServicesVisitor {
            type Value = RawServices;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of services, or services with options")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<RawServices, A::Error> {
                let names: Vec<Spanned<String>> =
                    Vec::deserialize(SeqAccessDeserializer::new(access))?;
                let on = |name| (name, RawService::On(Entries::default()));
                Ok(RawServices(names.into_iter().map(on).collect()))
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawServices, A::Error> {
                let entries = Entries::deserialize(MapAccessDeserializer::new(access))?;
                Ok(RawServices(entries.0))
            }
        }
        deserializer.deserialize_any(ServicesVisitor)
    }
}

impl<'de> Deserialize<'de> for RawService {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ServiceVisitor;
        impl<'de> Visitor<'de> for ServiceVisitor {
            type Value = RawService;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("options of the service, or `false` for none")
            }
            fn visit_unit<E>(self) -> Result<RawService, E> {
                Ok(RawService::On(Entries::default()))
            }
            fn visit_bool<E>(self, on: bool) -> Result<RawService, E> {
                Ok(if on { RawService::On(Entries::default()) } else { RawService::Off })
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawService, A::Error> {
                Entries::deserialize(MapAccessDeserializer::new(access)).map(RawService::On)
            }
        }
        deserializer.deserialize_any(ServiceVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawServices {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Services".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let option = generator.subschema_for::<OptionValue>();
        json_schema!({
            "description": "Names of services, or services with options.",
            "anyOf": [
                { "type": "array", "items": { "type": "string" } },
                {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [
                            { "type": ["boolean", "null"] },
                            {
                                "type": "object",
                                "properties": {
                                    "template": {
                                        "type": "string",
                                        "description": "A template of one's own: a file, relative \
                                            to the scenario's folder.",
                                    },
                                },
                                "additionalProperties": option,
                            },
                        ],
                    },
                },
            ],
        })
    }
}
