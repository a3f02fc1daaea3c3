//! The words of other tools: their strings become [`PipeChange`]s, and a [`PipeConfig`] becomes the
//! `tc` commands that do the same, where there are any.
//!
//! | file | what |
//! |---|---|
//! | `netem` | tc-netem(8): `delay 10ms 2ms loss 1%` |
//! | `tbf` | tc-tbf(8): `rate 10mbit burst 10kb latency 50ms` |
//! | `dummynet` | `ipfw pipe config`: `bw 4Mbit/s delay 7ms` |
//! | `tc` | tc's units |
//! | `export` | a configuration as `tc` commands |
//! | `child` | a queue discipline as one of tc's |
//! | `told` | strings and properties in one mapping, as the API takes them |
//! | `words` | a string as words, and what is wrong with it |
//!
//! What a tool does in another way than NetLoom's model is refused, with the reason and what to
//! write instead; nothing is ignored. Differences in what the same words mean are in
//! `docs/migrating.md`. Not here: running any of these tools.
//!
//! [`PipeConfig`]: crate::PipeConfig

mod child;
mod dummynet;
mod export;
mod netem;
mod tbf;
mod tc;
mod told;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::PipeChange;
pub use child::{TcChild, TcFilter};
pub use dummynet::Dummynet;
pub use export::{TcEquivalent, tc_equivalent};
pub use netem::Netem;
pub use tbf::Tbf;
pub use told::ToldChange;
pub use words::NotationError;

/// What a string of another tool means.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Translation {
    /// What it says in words.
    pub said: PipeChange,
    /// What the tool does besides, without being told. A property that is written wins over it.
    pub implied: PipeChange,
}

/// Properties of a pipe in the words of other tools.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Properties")]
#[serde(deny_unknown_fields)]
pub struct Notations {
    /// Properties as tc-netem takes them, like `delay 10ms 2ms distribution normal loss 1%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub netem: Option<Netem>,
    /// Rate, burst and queue as tc-tbf takes them, like `rate 10mbit burst 10kb latency 50ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbf: Option<Tbf>,
    /// Properties as `ipfw pipe config` takes them, like `bw 4Mbit/s delay 7ms queue 50`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dummynet: Option<Dummynet>,
}

/// A property that is said twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("`{notation}` and `{other}` both say `{property}`; keep one of them")]
pub struct Conflict {
    /// The key whose string says it.
    pub notation: &'static str,
    /// The other key that says it.
    pub other: &'static str,
    /// The property.
    pub property: &'static str,
}

impl Notations {
    /// The keys that are given, and what their strings mean.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &Translation)> {
        let Self { netem, tbf, dummynet } = self;
        let netem = netem.as_ref().map(|given| ("netem", given.translation()));
        let tbf = tbf.as_ref().map(|given| ("tbf", given.translation()));
        let dummynet = dummynet.as_ref().map(|given| ("dummynet", given.translation()));
        [netem, tbf, dummynet].into_iter().flatten()
    }

    /// The key whose string says `property`.
    pub fn saying(&self, property: &str) -> Option<&'static str> {
        let says = |given: &Translation| given.said.keys().contains(&property);
        self.given().find(|(_, given)| says(given)).map(|(key, _)| key)
    }

    /// One change from the strings and the properties written `beside` them.
    ///
    /// # Errors
    /// The first property that is said twice.
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

/// Declares a notation: a string with a parser, which travels as the string.
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

            /// What it means.
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
