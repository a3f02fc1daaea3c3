//! A claim as it is requested, and files of claims.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use netloom_link::notation::WrittenChange;
use netloom_link::{PipeChange, PipeConfig};
use netloom_units::Duration;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::Selector;

/// The lifetime of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// For this duration.
    For(Duration),
    /// Until it is removed.
    Never,
    /// Until the last session of its user ends.
    Session,
}

impl Default for Lifetime {
    fn default() -> Self {
        Self::For(Duration::from_secs(3600))
    }
}

impl FromStr for Lifetime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" => Ok(Self::Never),
            "session" => Ok(Self::Session),
            text => match text.parse() {
                Ok(Duration::ZERO) => Err("a claim for no time takes nothing".into()),
                Ok(time) => Ok(Self::For(time)),
                Err(error) => Err(format!("{error}; or write `never` or `session`")),
            },
        }
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::For(time) => time.fmt(f),
            Self::Never => f.write_str("never"),
            Self::Session => f.write_str("session"),
        }
    }
}

impl Serialize for Lifetime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Lifetime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A claim: a selection of frames, and the two pipes for them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Claim {
    /// The frames that it takes.
    #[serde(flatten)]
    pub selector: Selector,
    /// Lifetime.
    #[serde(rename = "for")]
    pub lifetime: Lifetime,
    /// The pipe for frames that the host sends.
    pub out: PipeChange,
    /// The pipe for frames that the host receives.
    #[serde(rename = "in")]
    pub inward: PipeChange,
    /// Whether root's claim also takes frames that users have claimed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
    /// Whether other users but root are kept from binding the claimed local ports.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reserve: bool,
}

impl Claim {
    /// Checks that the claim selects frames, and that its keys fit together.
    ///
    /// # Errors
    /// A description of the fault, with the correct form.
    pub fn check(&self) -> Result<(), String> {
        self.selector.check()?;
        if self.reserve && (self.selector.netns.is_some() || self.selector.pid.is_some()) {
            return Err("`reserve` keeps ports of this host, not of other network namespaces: \
                        leave it out, or `netns` and `pid`"
                .into());
        }
        if self.reserve && self.selector.local_ports().is_empty() {
            return Err("`reserve` keeps local ports for you, and this claim has none: give it \
                        `server` or `service`, or leave `reserve` out"
                .into());
        }
        Ok(())
    }

    /// Returns the pipes: for frames that the host sends, and for those that it receives.
    pub fn pipes(&self) -> [PipeConfig; 2] {
        [&self.out, &self.inward].map(|change| {
            let mut config = PipeConfig::default();
            change.apply_to(&mut config);
            config
        })
    }
}

/// A file of claims: `shape.yaml`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimFile {
    /// The claims, by name.
    pub claims: BTreeMap<String, Claim>,
}

/// Checks the name of a claim.
///
/// # Errors
/// A description of valid names.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if (1..=32).contains(&name.len()) && name.chars().all(fits) {
        return Ok(());
    }
    Err(format!("`{name:.40}` is no name of a claim: at most 32 letters, digits, `-`, `_` and `.`"))
}

/// Keys of a claim that are neither its selector nor properties of pipes.
#[derive(Default)]
struct Terms {
    selector: Selector,
    lifetime: Option<Lifetime>,
    out: Option<WrittenChange>,
    inward: Option<WrittenChange>,
    over: Option<bool>,
    reserve: Option<bool>,
}

/// A mapping with the keys of the selector and of the terms, and with properties for both
/// directions. Properties of a single direction take precedence.
impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ClaimVisitor;
        impl<'de> Visitor<'de> for ClaimVisitor {
            type Value = Claim;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a claim, like `{client: {ports: 80}, delay: 10ms}`")
            }
            fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<Claim, A::Error> {
                let mut terms = Terms::default();
                let properties = Properties { inner, terms: &mut terms };
                let both = WrittenChange::deserialize(MapAccessDeserializer::new(properties))?.0;
                let beside = |change: Option<WrittenChange>| {
                    change.map_or_else(|| both.clone(), |change| both.overlaid(&change.0))
                };
                let claim = Claim {
                    selector: terms.selector,
                    lifetime: terms.lifetime.unwrap_or_default(),
                    out: beside(terms.out),
                    inward: beside(terms.inward),
                    over: terms.over.unwrap_or_default(),
                    reserve: terms.reserve.unwrap_or_default(),
                };
                claim.check().map_err(A::Error::custom)?;
                Ok(claim)
            }
        }
        deserializer.deserialize_map(ClaimVisitor)
    }
}

/// The entries of a claim without its selector and terms, which are stored on the way.
struct Properties<'a, A> {
    inner: A,
    terms: &'a mut Terms,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Properties<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Self { inner, terms: Terms { selector, lifetime, out, inward, over, reserve } } = self;
        while let Some(key) = inner.next_key::<String>()? {
            match key.as_str() {
                "client" => selector.client = once("client", selector.client.is_some(), inner)?,
                "server" => selector.server = once("server", selector.server.is_some(), inner)?,
                "service" => selector.service = once("service", selector.service.is_some(), inner)?,
                "user" => selector.user = once("user", selector.user.is_some(), inner)?,
                "cgroup" => selector.cgroup = once("cgroup", selector.cgroup.is_some(), inner)?,
                "prefix" => selector.prefix = once("prefix", !selector.prefix.is_empty(), inner)?,
                "interface" => {
                    selector.interface = once("interface", selector.interface.is_some(), inner)?;
                }
                "netns" => selector.netns = once("netns", selector.netns.is_some(), inner)?,
                "pid" => selector.pid = once("pid", selector.pid.is_some(), inner)?,
                "everything" => {
                    selector.everything = once("everything", selector.everything, inner)?;
                }
                "for" => *lifetime = once("for", lifetime.is_some(), inner)?,
                "out" => *out = once("out", out.is_some(), inner)?,
                "in" => *inward = once("in", inward.is_some(), inner)?,
                "over" => *over = once("over", over.is_some(), inner)?,
                "reserve" => *reserve = once("reserve", reserve.is_some(), inner)?,
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    key: &'static str,
    is_there: bool,
    inner: &mut A,
) -> Result<T, A::Error> {
    match is_there {
        false => inner.next_value(),
        true => Err(A::Error::duplicate_field(key)),
    }
}
