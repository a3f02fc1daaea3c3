//! The network of a shell as a scenario: a node, and a link between it and its caller's network.

use std::env;

use anyhow::{Context, Result};
use netloom_api::launch::Gateway;
use netloom_document::{Value, encode, write};
use netloom_host::FreeSubnets;
use serde_json::json;

use crate::args::Shell;
use crate::commands::set::properties;
use crate::exit::{self, WithCode};
use crate::files;
use crate::find::{self, Loaded};

/// The node that has the command's network, and the link, in scenarios.
pub const NODE: &str = "shell";

/// The network of a shell.
pub struct Network {
    /// Name of the experiment.
    pub name: String,
    /// Device at the caller's side.
    pub device: String,
    /// Addresses at the caller's side.
    pub subnets: FreeSubnets,
    /// Network of an ordinary user's engine.
    pub gateway: Option<Gateway>,
    /// Whether the link has IPv6.
    pub ipv6: bool,
    /// Whether nothing beyond the link can be reached.
    pub offline: bool,
}

impl Network {
    /// Returns the network as a scenario, with the timeline of a file.
    pub fn load(&self, args: &Shell) -> Result<Loaded> {
        let directory = env::current_dir().context("cannot find the current folder")?;
        let timeline = args.timeline.as_deref().map(find::read).transpose()?;
        // The timeline comes first, so that messages have its own line numbers.
        let mut source = timeline.unwrap_or_default();
        if !source.is_empty() && !source.ends_with('\n') {
            source.push('\n');
        }
        source.push_str(&self.scenario(args)?);
        let shown = args.timeline.as_ref().map(|file| file.display().to_string());
        let shown = shown.unwrap_or_else(|| "netloom shell".into());
        let read = find::load(&source, &directory).map_err(|diagnostics| WithCode {
            code: exit::USAGE,
            message: diagnostics.render(&shown, &source),
        })?;
        if !read.warnings.is_empty() {
            eprint!("{}", read.warnings.render(&shown, &source));
        }
        let file = directory.join(format!("{}.netloom.yaml", self.name));
        Ok(Loaded::of(file, directory, source, read.scenario))
    }

    fn scenario(&self, args: &Shell) -> Result<String> {
        let FreeSubnets { v4, v6 } = self.subnets;
        let kind = if self.offline { "host" } else { "nat" };
        let (mut addresses, mut routes) = (vec![format!("{v4}/30")], Vec::new());
        if !self.offline {
            routes.push(json!({"to": "0.0.0.0/0", "via": v4}));
        }
        if self.ipv6 {
            addresses.push(format!("{v6}/64"));
            if !self.offline {
                routes.push(json!({"to": "::/0", "via": v6}));
            }
        }
        let mut link = entries(&json!({
            "name": NODE,
            "endpoints": [format!("{NODE}:eth0"), format!("{kind}:{}", self.device)],
            "addresses": addresses,
        }))?;
        link.extend(checked("netloom shell", &both(args))?);
        for (key, option, words) in
            [("forward", "--out", &args.out), ("reverse", "--in", &args.into)]
        {
            if !words.is_empty() {
                let properties = checked(&format!("netloom shell {option}"), words)?;
                link.push((key.into(), Value::Mapping(properties)));
            }
        }
        let nodes = json!({NODE: {"routes": routes, "publish": args.publish}});
        let topology = vec![
            ("nodes".into(), encode(&nodes)?),
            ("links".into(), Value::List(vec![Value::Mapping(link)])),
        ];
        let mut scenario = entries(&json!({"name": self.name}))?;
        scenario.extend(args.seed.map(|seed| ("seed".into(), Value::Unsigned(seed))));
        scenario.push(("topology".into(), Value::Mapping(topology)));
        Ok(write(&Value::Mapping(scenario)))
    }
}

/// Keys and values of a mapping.
type Entries = Vec<(String, Value)>;

/// Returns the entries of a mapping.
fn entries(mapping: &serde_json::Value) -> Result<Entries> {
    match encode(mapping)? {
        Value::Mapping(entries) => Ok(entries),
        _ => Ok(Vec::new()),
    }
}

/// Returns the properties for both directions.
fn both(args: &Shell) -> Vec<String> {
    let short = [
        ("delay", &args.delay),
        ("rate", &args.rate),
        ("loss", &args.loss),
        ("queue.limit", &args.queue),
    ];
    let short = short
        .into_iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}={value}")));
    short.chain(args.set.iter().cloned()).collect()
}

/// Checks properties and returns them.
fn checked(what: &str, words: &[String]) -> Result<Entries> {
    let Value::Mapping(entries) = properties::value(words)? else { return Ok(Vec::new()) };
    if entries.is_empty() {
        return Ok(entries);
    }
    let value = Value::Mapping(entries);
    let text = write(&value);
    let mut read = files::reader(std::path::Path::new("."));
    if let Err(findings) = netloom_scenario::properties(&text, &mut read) {
        return Err(WithCode { code: exit::USAGE, message: findings.render(what, &text) }.into());
    }
    match value {
        Value::Mapping(entries) => Ok(entries),
        _ => Ok(Vec::new()),
    }
}
