//! The network of a shell as a scenario: a node, and a link between it and its caller's network.

use std::env;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use netloom_api::launch::Gateway;
use netloom_host::FreeSubnets;

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
        Ok(Loaded { file, directory, source, scenario: read.scenario })
    }

    fn scenario(&self, args: &Shell) -> Result<String> {
        let FreeSubnets { v4, v6 } = self.subnets;
        let kind = if self.offline { "host" } else { "nat" };
        let (mut addresses, mut routes) = (format!("{v4}/30"), Vec::new());
        if !self.offline {
            routes.push(format!("{{to: 0.0.0.0/0, via: {v4}}}"));
        }
        if self.ipv6 {
            let _ = write!(addresses, ", \"{v6}/64\"");
            if !self.offline {
                routes.push(format!("{{to: \"::/0\", via: \"{v6}\"}}"));
            }
        }
        let publish: Vec<_> = args
            .publish
            .iter()
            .map(|port| serde_json::Value::from(&port[..]).to_string())
            .collect();
        let seed = args.seed.map_or_else(String::new, |seed| format!("seed: {seed}\n"));
        let mut text = format!(
            "name: {}\n{seed}topology:\n  nodes:\n    {NODE}: {{routes: [{}], publish: [{}]}}\n  \
             links:\n    - name: {NODE}\n      endpoints: [\"{NODE}:eth0\", \"{kind}:{}\"]\n      \
             addresses: [{addresses}]\n",
            serde_json::Value::from(&self.name[..]),
            routes.join(", "),
            publish.join(", "),
            self.device,
        );
        let both = both(args);
        if !both.is_empty() {
            text.push_str(&indented(6, &checked("netloom shell", &both)?));
        }
        for (key, option, words) in
            [("forward", "--out", &args.out), ("reverse", "--in", &args.into)]
        {
            if !words.is_empty() {
                let _ = writeln!(text, "      {key}:");
                text.push_str(&indented(8, &checked(&format!("netloom shell {option}"), words)?));
            }
        }
        Ok(text)
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

/// Checks properties and returns them as YAML.
fn checked(what: &str, words: &[String]) -> Result<String> {
    let text = properties::yaml(words)?;
    let mut read = files::reader(std::path::Path::new("."));
    match netloom_scenario::properties(&text, &mut read) {
        Ok(_) => Ok(text),
        Err(findings) => {
            Err(WithCode { code: exit::USAGE, message: findings.render(what, &text) }.into())
        }
    }
}

fn indented(depth: usize, text: &str) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(depth))).collect()
}
