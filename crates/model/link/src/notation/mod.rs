//! The notations of other tools: their strings become [`PipeChange`]s, and a [`PipeConfig`] becomes
//! the equivalent `tc` commands, where there are any.
//!
//! | file | what |
//! |---|---|
//! | `netem` | tc-netem(8): `delay 10ms 2ms loss 1%` |
//! | `tbf` | tc-tbf(8): `rate 10mbit burst 10kb latency 50ms` |
//! | `dummynet` | `ipfw pipe config`: `bw 4Mbit/s delay 7ms` |
//! | `tc` | the units of tc |
//! | `export` | the `tc` commands for a configuration |
//! | `child` | the queue discipline of tc for a pipe's |
//! | `equivalent`, `tc_child` | disciplines of tc as commands |
//! | `written` | strings and properties in one mapping, as the API accepts them |
//! | `words` | splitting a string into words, and its errors |
//!
//! Features that a tool implements differently from NetLoom's model are refused, with the reason
//! and an alternative. Nothing is ignored. Where the same words have a different meaning,
//! `docs/migrating.md` lists the differences. Not here: running any of these tools.
//!
//! [`PipeConfig`]: crate::PipeConfig

mod child;
mod dummynet;
mod equivalent;
mod export;
mod netem;
mod tbf;
mod tc;
mod tc_child;
mod words;
mod written;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::PipeChange;
pub use dummynet::Dummynet;
pub use equivalent::TcEquivalent;
pub use export::tc_equivalent;
pub use netem::Netem;
pub use tbf::Tbf;
pub use tc_child::{TcChild, TcFilter};
pub use words::NotationError;
pub use written::WrittenChange;

/// The meaning of a string of another tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Translation {
    /// Properties that the string sets.
    pub said: PipeChange,
    /// Properties that the tool implies. A property that is written anywhere overrides them.
    pub implied: PipeChange,
}

/// Properties of a pipe in the notations of other tools.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Properties"))]
#[serde(deny_unknown_fields)]
pub struct Notations {
    /// Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss 1%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub netem: Option<Netem>,
    /// Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency 50ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbf: Option<Tbf>,
    /// Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dummynet: Option<Dummynet>,
}

/// The error for a property that is set twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("`{notation}` and `{other}` both say `{property}`; keep one of them")]
pub struct Conflict {
    /// Key of the string that sets it.
    pub notation: &'static str,
    /// The other key that sets it.
    pub other: &'static str,
    /// Key of the property.
    pub property: &'static str,
}

impl Notations {
    /// The keys that are given, and the meanings of their strings.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &Translation)> {
        let Self { netem, tbf, dummynet } = self;
        let netem = netem.as_ref().map(|given| ("netem", given.translation()));
        let tbf = tbf.as_ref().map(|given| ("tbf", given.translation()));
        let dummynet = dummynet.as_ref().map(|given| ("dummynet", given.translation()));
        [netem, tbf, dummynet].into_iter().flatten()
    }

    /// Key of the string that sets `property`.
    pub fn saying(&self, property: &str) -> Option<&'static str> {
        let says = |given: &Translation| given.said.keys().contains(&property);
        self.given().find(|(_, given)| says(given)).map(|(key, _)| key)
    }

    /// Combines the strings and the properties written `beside` them into one change.
    ///
    /// # Errors
    /// A property is set twice. The error names the first one.
    pub fn combine(&self, beside: &PipeChange) -> Result<PipeChange, Conflict> {
        let mut said: Vec<_> = beside.keys().into_iter().map(|key| (key, key)).collect();
        let (mut implied, mut combined) = (PipeChange::default(), beside.clone());
        for (notation, given) in self.given() {
            for property in given.said.keys() {
                if let Some((_, other)) = said.iter().find(|(key, _)| *key == property) {
                    return Err(Conflict { notation, other, property });
                }
                said.push((property, notation));
            }
            implied = implied.overlaid(&given.implied);
            combined = combined.overlaid(&given.said);
        }
        Ok(implied.overlaid(&combined))
    }
}

/// Declares a notation: a string with a parser, which is serialized as the string.
macro_rules! notation {
    ($(#[$doc:meta])* $name:ident, $parse:path, $what:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            text: String,
            translation: $crate::notation::Translation,
        }

        impl $name {
            /// The string as it was written.
            pub fn text(&self) -> &str {
                &self.text
            }

            /// The meaning of the string.
            pub fn translation(&self) -> &$crate::notation::Translation {
                &self.translation
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::notation::NotationError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let mut words = $crate::notation::words::Words::new(text)?;
                let translation = $parse(&mut words)?;
                Ok(Self { text: text.into(), translation })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": $what,
                    "examples": [$example],
                })
            }
        }
    };
}

use notation;
