//! Expectations about a run, as the user wrote them.

use std::fmt;

use netloom_document::Spanned;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use super::values::RawTime;
use crate::spec::ExpectedExit;

/// Expectations about a process: how it ends, how soon it ends, and what it prints. The run fails
/// if they are not met.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Expectation"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawExpectation {
    /// Name of the process.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub process: Option<Spanned<String>>,
    /// Node of the process' instance that the expectation is about (default: all instances).
    #[serde(default)]
    pub node: Option<Spanned<String>>,
    /// How the process ends: an exit code, the name of the signal that ends it, like `SIGKILL`, or
    /// `running` if it still runs when the run ends. Replaces the requirement that foreground
    /// processes exit with code 0.
    #[serde(default)]
    pub exit: Option<Spanned<RawExit>>,
    /// Longest time from the start of the process to its end.
    #[serde(default)]
    pub within: Option<Spanned<RawTime>>,
    /// Text that the process' standard output or standard error contains.
    #[serde(default)]
    pub output: Option<Spanned<String>>,
}

/// How a process is expected to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawExit(pub ExpectedExit);

/// Signals that end processes, with the numbers that they have on all architectures of Linux.
const SIGNALS: [(&str, i32); 11] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGABRT", 6),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGSEGV", 11),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
];

impl<'de> Deserialize<'de> for RawExit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ExitVisitor;
        impl Visitor<'_> for ExitVisitor {
            type Value = RawExit;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an exit code from 0 to 255, a signal like `SIGKILL`, or `running`")
            }
            fn visit_u64<E: Error>(self, code: u64) -> Result<RawExit, E> {
                let code = i32::try_from(code).ok().filter(|code| *code < 256);
                let code = code.ok_or_else(|| E::custom("exit codes are from 0 to 255"))?;
                Ok(RawExit(ExpectedExit::Code(code)))
            }
            fn visit_i64<E: Error>(self, code: i64) -> Result<RawExit, E> {
                let positive = u64::try_from(code);
                self.visit_u64(positive.map_err(|_| E::custom("exit codes are from 0 to 255"))?)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawExit, E> {
                if text == "running" {
                    return Ok(RawExit(ExpectedExit::Running));
                }
                let signal = SIGNALS.iter().find(|(name, _)| *name == text);
                let number = signal.map(|(_, number)| 128 + number);
                let code = number.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))?;
                Ok(RawExit(ExpectedExit::Code(code)))
            }
        }
        deserializer.deserialize_any(ExitVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawExit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Exit".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut words: Vec<&str> = SIGNALS.iter().map(|(name, _)| *name).collect();
        words.push("running");
        json_schema!({
            "description": "An exit code, a signal, or `running`.",
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 255 },
                { "enum": words },
            ],
        })
    }
}
