//! What a client and the daemon say to each other, as JSON; and claims as commands.

use netloom_link::PipeChange;
use netloom_link::notation::ToldChange;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{Capacity, Claim, Entry, Lifetime, Need};

/// Asks for a claim: `POST /v1/claims`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// The claim's name.
    pub name: String,
    /// The claim.
    pub claim: Claim,
    /// Root's wish that it be taken whatever the machine can bear.
    #[serde(default)]
    pub force: bool,
}

/// Changes the pipes of a claim: `PATCH /v1/claims/NAME`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// What changes in what the host sends.
    #[serde(default, deserialize_with = "told")]
    pub out: PipeChange,
    /// What changes in what the host gets.
    #[serde(default, rename = "in", deserialize_with = "told")]
    pub inward: PipeChange,
}

fn told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PipeChange, D::Error> {
    ToldChange::deserialize(deserializer).map(|told| told.0)
}

/// Lets a claim last: `POST /v1/claims/NAME/renew`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renew {
    /// For how long from now on.
    #[serde(rename = "for")]
    pub lifetime: Lifetime,
}

/// A claim that was made, changed or renewed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// How it was, if it was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<Entry>,
    /// How it is.
    pub is: Entry,
    /// What is to be known of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What `GET /v1/claims` answers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct List {
    /// The caller's claims; root's: all.
    pub claims: Vec<Listed>,
    /// What others have.
    pub others: Vec<OfOther>,
}

/// A claim, and how it does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// The claim.
    pub entry: Entry,
    /// What its pipes did: of what the host sends, and of what it gets.
    pub pipes: Vec<PipeCount>,
    /// What the model did not ask for, and frames were lost.
    pub unmodelled_drops: u64,
    /// How late 99 of 100 frames left at most, after their scheduled release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_p99: Option<netloom_units::Duration>,
    /// Since when it is not shaped: its device is gone, or the daemon was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended: Option<String>,
    /// Whether what was measured through it can be trusted: `valid` or why not.
    pub verdict: String,
}

/// What a pipe counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PipeCount {
    /// Frames that came.
    pub offered: u64,
    /// Frames that went on.
    pub delivered: u64,
    /// Frames that the model dropped.
    pub dropped: u64,
    /// Frames in it.
    pub held: u64,
}

/// What everybody may know of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfOther {
    /// Whose it is.
    pub owner: String,
    /// Its ports, if it has any.
    pub ports: Option<String>,
    /// When it ends.
    pub ends: Option<crate::Moment>,
}

impl OfOther {
    /// Of a claim of somebody else.
    pub fn of(entry: &Entry) -> Self {
        Self {
            owner: entry.owner.name.clone(),
            ports: entry.claim.selector.by_port().map(|(_, ports)| ports.ports.to_string()),
            ends: entry.ends,
        }
    }
}

/// What `GET /v1/capacity` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// What the machine has.
    pub all: Capacity,
    /// What is given.
    pub given: Need,
    /// What the caller may have; root: all.
    pub own: Capacity,
    /// What the caller has.
    pub taken: Need,
    /// Whether the machine was measured.
    pub is_calibrated: bool,
}

/// The command that makes a claim.
pub fn command(name: &str, claim: &Claim) -> String {
    let Claim { selector, lifetime, out, inward, .. } = claim;
    let mut words = vec![format!("netloom shape add {name}")];
    if let Some((role, ports)) = selector.by_port() {
        words.push(format!("--{} {}", role.word(), port_words(ports)));
    }
    words.extend(selector.user.iter().map(|user| format!("--user {user}")));
    words.extend(selector.cgroup.iter().map(|cgroup| format!("--cgroup {cgroup}")));
    words.extend(selector.prefix.iter().map(|prefix| format!("--prefix {prefix}")));
    words.extend(selector.interface.iter().map(|device| format!("--interface {device}")));
    words.extend(selector.everything.then(|| "--everything".into()));
    for (direction, change) in [("out", out), ("in", inward)] {
        let properties = properties(change);
        if !properties.is_empty() {
            words.push(format!("--{direction} {properties}"));
        }
    }
    words.push(format!("--for {lifetime}"));
    words.join(" ")
}

/// `tcp/8080@203.0.113.0/24`, as `--server` takes it.
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

/// The properties that a change says, as `KEY=VALUE` words: `rate=5Mbit/s queue.limit=50ms`.
pub fn properties(change: &PipeChange) -> String {
    // Every change is an object of properties, which JSON can hold.
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
