//! Limits and published ports, as the user wrote them.

use std::fmt;
use std::str::FromStr;

use netloom_units::Size;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

use crate::limits::{CpuQuota, Limits};
use crate::publish::Publish;

/// Limits on the machine's resources. `none` removes a limit that defaults, the kind or a group
/// set.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Limits"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLimits {
    /// CPU time as a number of CPUs: `0.5` is 50 ms in each period of 100 ms, `2` is two CPUs all
    /// the time.
    #[serde(default)]
    pub cpu: Option<RawLimit<CpuQuota>>,
    /// Share of CPU time when CPUs are busy, relative to others, from 1 to 10000. Without a weight,
    /// it is 100.
    #[serde(default)]
    pub cpu_weight: Option<RawLimit<Weight>>,
    /// Memory including swap, like `64MiB`. When it is used up, the kernel kills a process.
    #[serde(default)]
    pub memory: Option<RawLimit<Memory>>,
    /// Number of processes and threads.
    #[serde(default)]
    pub pids: Option<RawLimit<Pids>>,
}

impl RawLimits {
    /// Overrides `limits` with the limits that are set here.
    pub fn lay_over(&self, limits: &mut Limits) {
        RawLimit::lay_over(self.cpu, &mut limits.cpu, |quota| quota);
        RawLimit::lay_over(self.cpu_weight, &mut limits.cpu_weight, |weight| weight.0);
        RawLimit::lay_over(self.memory, &mut limits.memory, |memory| memory.0);
        RawLimit::lay_over(self.pids, &mut limits.pids, |pids| pids.0);
    }
}

/// A limit, or the absence of one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawLimit<T> {
    None,
    Of(T),
}

impl<T> RawLimit<T> {
    /// Overrides `under` with the value of `over`, or removes it.
    pub fn lay_over<U>(over: Option<Self>, under: &mut Option<U>, to: fn(T) -> U) {
        match over {
            Some(Self::Of(value)) => *under = Some(to(value)),
            Some(Self::None) => *under = None,
            None => {}
        }
    }
}

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for RawLimit<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "none" => Ok(Self::None),
            text => text.parse().map(Self::Of).map_err(D::Error::custom),
        }
    }
}

#[cfg(feature = "schema")]
impl<T: JsonSchema> JsonSchema for RawLimit<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Limit_of_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "const": "none" }, value] })
    }
}

/// The weight of a cgroup.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight(pub u32);

impl FromStr for Weight {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(weight @ 1..=10_000) => Ok(Self(weight)),
            _ => Err(format!("`{text}` is not a weight; weights are whole, from 1 to 10000")),
        }
    }
}

/// Size of memory; it must exceed what NetLoom's own process in the node needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory(pub Size);

impl Memory {
    const LEAST: u64 = 4 << 20;
}

impl FromStr for Memory {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let size: Size = text.parse().map_err(|error| format!("{error}"))?;
        if size.bytes() < Self::LEAST {
            return Err(format!("`{text}` of memory holds no node; write 4MiB or more"));
        }
        Ok(Self(size))
    }
}

/// Number of processes and threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pids(pub u64);

impl FromStr for Pids {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            // Largest process id of the kernel.
            Ok(pids @ 1..=4_194_304) => Ok(Self(pids)),
            _ => Err(format!(
                "`{text}` is not a number of processes; it is whole, from 1 to 4194304"
            )),
        }
    }
}

macro_rules! schema {
    ($type:ty, $name:literal, $schema:tt) => {
        #[cfg(feature = "schema")]
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

schema!(Weight, "Weight", { "type": "integer", "minimum": 1, "maximum": 10000 });
schema!(Pids, "Pids", { "type": "integer", "minimum": 1, "maximum": 4_194_304 });
schema!(Memory, "Memory", {
    "type": "string",
    "pattern": r"^[0-9]+(\.[0-9]+)? *(B|bytes?|kB|KiB|MB|MiB|GB|GiB)$",
    "examples": ["64MiB"],
});

/// A port of the machine that is forwarded to a port of the node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawPublish(pub Publish);

impl<'de> Deserialize<'de> for RawPublish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(D::Error::custom)
    }
}

schema!(RawPublish, "Publish", {
    "type": "string",
    "description": "`[ADDRESS:]PORT_OF_THE_MACHINE:PORT_OF_THE_NODE[/udp]`.",
    "pattern": r"^(([0-9.]+|\[[0-9A-Fa-f:.]+\]):)?[0-9]+:[0-9]+(/(tcp|udp))?$",
    "examples": ["8080:80", "127.0.0.1:5353:53/udp"],
});
