//! Requests of clients and answers of the daemon, as JSON; and claims as commands.

use netloom_link::notation::WrittenChange;
use netloom_link::{PipeChange, PipeStatistics};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{Capacity, Claim, Entry, Lifetime, Need};

/// Requests a claim: `POST /v1/claims`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// The claim's name.
    pub name: String,
    /// The claim.
    pub claim: Claim,
    /// Whether root wants the claim admitted whatever the capacity of the machine.
    #[serde(default)]
    pub force: bool,
}

/// Changes the pipes of a claim: `PATCH /v1/claims/NAME`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Changes for frames that the host sends.
    #[serde(default, deserialize_with = "written_change")]
    pub out: PipeChange,
    /// Changes for frames that the host receives.
    #[serde(default, rename = "in", deserialize_with = "written_change")]
    pub inward: PipeChange,
}

fn written_change<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PipeChange, D::Error> {
    WrittenChange::deserialize(deserializer).map(|written| written.0)
}

/// A side of a claim's link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkSide {
    /// The side of the host: its frames before the link, and those for it after the link.
    #[default]
    Host,
    /// The side of the wire.
    Wire,
}

/// Captures the frames of a claim as pcapng: `GET /v1/claims/NAME/capture?at=wire&drops=true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaptureOf {
    /// The side of the link.
    pub at: LinkSide,
    /// Whether frames that the link drops are included.
    pub drops: bool,
}

/// Sets the lifetime of a claim: `POST /v1/claims/NAME/renew`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renew {
    /// Lifetime from now on.
    #[serde(rename = "for")]
    pub lifetime: Lifetime,
}

/// A claim that was made, changed or renewed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Its previous state, if it existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<Entry>,
    /// Its current state.
    pub is: Entry,
    /// Notes for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Answer to `GET /v1/claims`; with `?all=true` also the claims of others, and with `?last=5s` also
/// the statistics of the last seconds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct List {
    /// The caller's claims; all claims if root asks for them.
    pub claims: Vec<Listed>,
    /// Public data of the claims of others, if they were requested.
    pub others: Vec<OfOther>,
}

/// A claim and its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// The claim.
    pub entry: Entry,
    /// Counters of its pipes since it began: for frames that the host sends, and for those that it
    /// receives.
    pub pipes: Vec<PipeCount>,
    /// Statistics of its pipes over the last seconds, if these were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<PipeStatistics>,
    /// Number of frames that were lost outside the model.
    pub unmodelled_drops: u64,
    /// Lateness that 99 of 100 frames do not exceed, after their scheduled release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p99: Option<netloom_units::Duration>,
    /// Upper bound of `late_p99`: it includes how much earlier frames could have been released if
    /// all had been read when they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most_p99: Option<netloom_units::Duration>,
    /// Time since which it is not shaped, because its device is gone or the daemon was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<String>,
    /// Whether measurements through it can be trusted: `valid`, or `suspect` or `invalid` with the
    /// reasons.
    pub verdict: String,
}

/// Counters of a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PipeCount {
    /// Number of frames that entered.
    pub offered: u64,
    /// Number of frames that left.
    pub delivered: u64,
    /// Number of frames that the model dropped.
    pub dropped: u64,
    /// Number of frames in it.
    pub held: u64,
}

/// Public data of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfOther {
    /// Name of the owner.
    pub owner: String,
    /// Its ports, if it has any.
    pub ports: Option<String>,
    /// Time at which it ends.
    pub ends: Option<crate::Moment>,
}

impl OfOther {
    /// Returns the public data of a claim of another user.
    pub fn of(entry: &Entry) -> Self {
        Self {
            owner: entry.owner.name.clone(),
            ports: entry.claim.selector.by_port().map(|(_, ports)| ports.ports.to_string()),
            ends: entry.ends,
        }
    }
}

/// Answer to `GET /v1/capacity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// Capacity of the machine.
    pub all: Capacity,
    /// Resources that claims take.
    pub given: Need,
    /// Capacity of the caller; that of the machine for root.
    pub own: Capacity,
    /// Resources that the caller's claims take.
    pub taken: Need,
    /// Whether the machine was measured.
    pub is_calibrated: bool,
}

/// Returns the command that makes a claim.
pub fn command(name: &str, claim: &Claim) -> String {
    let Claim { selector, lifetime, out, inward, over, reserve } = claim;
    let mut words = vec![format!("netloom shape add {name}")];
    if let Some((role, ports)) = selector.by_port() {
        words.push(format!("--{} {}", role.word(), port_words(ports)));
    }
    words.extend(selector.user.iter().map(|user| format!("--user {user}")));
    words.extend(selector.cgroup.iter().map(|cgroup| format!("--cgroup {cgroup}")));
    words.extend(selector.prefix.iter().map(|prefix| format!("--prefix {prefix}")));
    words.extend(selector.interface.iter().map(|device| format!("--interface {device}")));
    words.extend(selector.netns.iter().map(|path| format!("--netns {path}")));
    words.extend(selector.pid.iter().map(|pid| format!("--pid {pid}")));
    words.extend(selector.everything.then(|| "--everything".into()));
    words.extend(reserve.then(|| "--reserve".into()));
    words.extend(over.then(|| "--over".into()));
    for (direction, change) in [("out", out), ("in", inward)] {
        let properties = properties(change);
        if !properties.is_empty() {
            words.push(format!("--{direction} {properties}"));
        }
    }
    words.push(format!("--for {lifetime}"));
    words.join(" ")
}

/// Formats ports as `--server` takes them, like `tcp/8080@203.0.113.0/24`.
fn port_words(selector: &crate::PortSelector) -> String {
    let protocol = match selector.protocol {
        crate::Protocols::Tcp => "tcp/",
        crate::Protocols::Udp => "udp/",
        crate::Protocols::Both => "",
    };
    let addresses: Vec<String> = selector.addresses.iter().map(ToString::to_string).collect();
    let at = if addresses.is_empty() { "" } else { "@" };
    format!("{protocol}{}{at}{}", selector.ports, addresses.join(","))
}

/// Formats the properties of a change as `KEY=VALUE` words: `rate=5Mbit/s queue.limit=50ms`.
pub fn properties(change: &PipeChange) -> String {
    // Every change is an object of properties, which JSON can represent.
    let value = serde_json::to_value(change).unwrap_or_default();
    let mut words = Vec::new();
    collect("", &value, &mut words);
    words.join(" ")
}

fn collect(path: &str, value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(inner) => {
            for (key, value) in inner {
                let dot = if path.is_empty() { "" } else { "." };
                collect(&format!("{path}{dot}{key}"), value, words);
            }
        }
        Value::String(text) if text.contains(' ') => words.push(format!("'{path}={text}'")),
        Value::String(text) => words.push(format!("{path}={text}")),
        Value::Array(_) => words.push(format!("'{path}={value}'")),
        other => words.push(format!("{path}={other}")),
    }
}
