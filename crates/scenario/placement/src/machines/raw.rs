//! The keys of a list of machines, as the user wrote them.
//!
//! Doc comments here are the descriptions in the published JSON Schema: write them for users.

use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;

use netloom_document::{Diagnostic, Entries, Span, Spanned};
use netloom_scenario::check_machine_name;
use netloom_units::{Duration, Rate, Size};
use serde::Deserialize;

use super::list::{LOST_AFTER, MOST, Machines, MemberMachine, Ray, Reserve, START, Tunnel};

/// Machines that run one experiment together.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Machines"))]
#[serde(deny_unknown_fields)]
pub(super) struct RawMachines {
    /// How NetLoom is started on a machine.
    #[serde(default)]
    start: Option<Spanned<RawStart>>,
    /// Machines by name.
    machines: Spanned<Entries<Spanned<RawMachine>>>,
    /// Tunnels that carry frames between machines.
    #[serde(default)]
    tunnel: Option<RawTunnel>,
    /// Time without a sign of life after which a machine counts as lost (default `2s`).
    #[serde(default)]
    lost_after: Option<Spanned<Duration>>,
}

/// How NetLoom is started on a machine.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Start"))]
#[serde(deny_unknown_fields)]
struct RawStart {
    /// Command whose standard input and output are one stream of bytes to `netloom __member` on the
    /// machine (default `ssh -oBatchMode=yes {address} {netloom} __member`).
    #[serde(default)]
    command: Option<Spanned<String>>,
    /// In place of `command`: where Ray finds the cluster whose nodes the machines are, like
    /// `10.0.0.1:6379`, or `auto` for the cluster of this machine.
    #[serde(default)]
    ray: Option<Spanned<String>>,
    /// Number of CPUs that Ray reserves on each machine (default 1).
    #[serde(default)]
    cpus: Option<Spanned<u32>>,
}

/// A machine.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Machine"))]
#[serde(deny_unknown_fields)]
struct RawMachine {
    /// Address in the start command's place of `{address}`, like `ann@10.0.0.1`. With `ray`, the
    /// IP address of the node that the machine is (default: any).
    #[serde(default)]
    address: Option<Spanned<String>>,
    /// IP address that other machines send frames to (default: that of `address`).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    frames: Option<Spanned<IpAddr>>,
    /// Command in place of `{netloom}` in the start command, like `sudo -n {netloom}` (default: the
    /// binary).
    #[serde(default)]
    netloom: Option<Spanned<String>>,
    /// File of the machine's profile, which `netloom calibrate` made there, relative to the folder
    /// of this file.
    #[serde(default)]
    profile: Option<String>,
    /// Capacities that are left to others.
    #[serde(default)]
    reserve: Option<RawReserve>,
    /// Rate of the machine's connection to the others in each direction, like `1Gbit/s` (default:
    /// not limited).
    #[serde(default)]
    uplink: Option<Rate>,
    /// What the machine bears, in place of its profile.
    #[serde(default)]
    capacity: Option<RawCapacity>,
}

/// Capacities that are left to others.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Reserve"))]
#[serde(deny_unknown_fields)]
struct RawReserve {
    /// Number of CPUs, like `1` or `0.5` (default 0).
    #[serde(default)]
    cpu: Option<Spanned<f64>>,
    /// Memory, like `2GiB` (default 0).
    #[serde(default)]
    memory: Option<Size>,
}

/// What a machine bears, in place of its profile.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Capacity"))]
#[serde(deny_unknown_fields)]
struct RawCapacity {
    /// Maximum network provision by number of ports (Zheng 2003, §3.5.1), like `{2: 91Mbit/s, 8:
    /// 273Mbit/s}`: the rates of all links at the machine's nodes, each once, that the machine
    /// bears if these nodes have this many ends of links.
    mnp: Entries<Rate>,
}

/// Tunnels that carry frames between machines.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Tunnel"))]
#[serde(deny_unknown_fields)]
struct RawTunnel {
    /// Whether datagrams between machines are encrypted (default `on`).
    #[serde(default)]
    encryption: Option<RawSwitch>,
    /// Size of the largest IP packet between machines in bytes, or `auto` (default): found by
    /// probes.
    #[serde(default)]
    mtu: Option<Spanned<RawText>>,
    /// UDP ports that may be used, like `20000-20063` (default: any).
    #[serde(default)]
    ports: Option<Spanned<RawText>>,
    /// Time that is added to measured delays before links are cut (default `100us`).
    #[serde(default)]
    guard: Option<Duration>,
}

/// A text, or a number that is taken as one.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct RawText(String);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RawText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "integer"] })
    }
}

/// Whether something is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Switch"))]
#[serde(rename_all = "snake_case")]
enum RawSwitch {
    /// It is.
    On,
    /// It is not.
    Off,
}

/// Returns the JSON Schema (draft 2020-12) of a list of machines. A copy is in
/// `docs/machines.schema.json`.
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(RawMachines);
    netloom_scenario::for_editors(&mut schema);
    schema.to_value()
}

impl RawMachines {
    /// Checks the keys, and fills in defaults.
    pub fn resolve(self, findings: &mut Vec<Diagnostic>) -> Machines {
        let all = &self.machines;
        if all.value.is_empty() {
            let finding = Diagnostic::error(all.span, "there are no machines");
            findings
                .push(finding.with_help("name at least one, like `m1: {address: ann@10.0.0.1}`"));
        }
        if all.value.0.len() > MOST {
            let message =
                format!("there are {} machines, and {MOST} are the most", all.value.0.len());
            findings.push(Diagnostic::error(all.span, message));
        }
        findings.extend(twice(all.value.iter().map(|(name, _)| (name.value.as_str(), name.span))));
        let (start, ray) = self.start.map_or_else(
            || (Some(START.to_owned()), None),
            |start| start.value.resolve(start.span, findings),
        );
        let needs_address = start.as_ref().is_some_and(|start| start.contains("{address}"));
        let mut list = Vec::new();
        for (name, machine) in self.machines.value.0 {
            if let Err(why) = check_machine_name(&name.value) {
                findings.push(Diagnostic::error(name.span, why));
            }
            if needs_address && machine.value.address.is_none() {
                let message = format!("machine `{}` has no address", name.value);
                let help = format!("write like `{}: {{address: ann@10.0.0.1}}`", name.value);
                findings.push(Diagnostic::error(name.span, message).with_help(help));
            }
            if let (Some(_), Some(address)) = (&ray, &machine.value.address)
                && address.value.parse::<IpAddr>().is_err()
            {
                let message = format!("`{}` is no IP address", address.value);
                let help = "with `ray`, write that of one of its nodes, like `10.0.0.2`, or none";
                findings.push(Diagnostic::error(address.span, message).with_help(help));
            }
            list.push(machine.value.resolve(name.value, findings));
        }
        let lost_after = self.lost_after.map_or(LOST_AFTER, |time| {
            // Probes come each 50 ms.
            if time.value < Duration::from_millis(200) {
                let message = format!("a machine is not lost after {}", time.value);
                let finding = Diagnostic::error(time.span, message);
                findings.push(finding.with_help("write 200ms or more"));
            }
            time.value
        });
        let tunnel = self.tunnel.unwrap_or_default().resolve(findings);
        Machines { start, list, tunnel, lost_after, local: None, ray }
    }
}

impl RawStart {
    /// Returns the command, or the Ray cluster.
    fn resolve(self, place: Span, findings: &mut Vec<Diagnostic>) -> (Option<String>, Option<Ray>) {
        let mut wrong = |place, message: &str, help: &str| {
            findings.push(Diagnostic::error(place, message).with_help(help));
        };
        if let (Some(cpus), None) = (&self.cpus, &self.ray) {
            wrong(cpus.span, "a command reserves no CPUs", "remove `cpus`, or start by `ray`");
        }
        match (self.command, self.ray) {
            (Some(command), None) => {
                if command.value.trim().is_empty() {
                    wrong(command.span, "the command is empty", "leave `start` out for `ssh`");
                }
                (Some(command.value), None)
            }
            (None, Some(ray)) => {
                if ray.value.trim().is_empty() {
                    wrong(ray.span, "the address is empty", "write like `10.0.0.1:6379` or `auto`");
                }
                let cpus = self.cpus.map_or(1, |cpus| {
                    if cpus.value == 0 {
                        wrong(cpus.span, "no CPU is reserved", "write 1 or more");
                    }
                    cpus.value
                });
                (None, Some(Ray { address: ray.value, cpus, is_listed: true }))
            }
            (Some(_), Some(ray)) => {
                wrong(ray.span, "`command` and `ray` both start machines", "keep one of them");
                (None, None)
            }
            (None, None) => {
                let help =
                    "write like `{command: \"ssh {address} {netloom} __member\"}` or `{ray: auto}`";
                wrong(place, "nothing says how machines are started", help);
                (None, None)
            }
        }
    }
}

impl RawMachine {
    fn resolve(self, name: String, findings: &mut Vec<Diagnostic>) -> MemberMachine {
        let mut reserve = Reserve::default();
        if let Some(raw) = self.reserve {
            reserve.memory = raw.memory.unwrap_or_default();
            if let Some(cpu) = raw.cpu {
                if !(0.0..=100_000.0).contains(&cpu.value) {
                    let message = format!("`{}` is no number of CPUs", cpu.value);
                    let finding = Diagnostic::error(cpu.span, message);
                    findings.push(finding.with_help("write one, like `1` or `0.5`"));
                }
                reserve.cpu = cpu.value;
            }
        }
        let address = self.address.map(|address| {
            // A command would take it for an option, or for several arguments.
            let is_plain = !address.value.is_empty()
                && !address.value.starts_with('-')
                && !address.value.contains(|c: char| c.is_whitespace() || c.is_control());
            if !is_plain {
                let message = format!("`{}` is no address", address.value);
                let finding = Diagnostic::error(address.span, message);
                findings.push(finding.with_help("write one, like `ann@10.0.0.1` or `m1.lab`"));
            }
            address.value
        });
        MemberMachine {
            name,
            address,
            frames: self.frames.map(|frames| frames.value),
            netloom: self.netloom.map(|netloom| netloom.value),
            profile: self.profile,
            reserve,
            uplink: self.uplink,
            mnp: self.capacity.map(|capacity| mnp(capacity.mnp, findings)),
        }
    }
}

fn mnp(raw: Entries<Rate>, findings: &mut Vec<Diagnostic>) -> BTreeMap<u32, Rate> {
    let mut mnp = BTreeMap::new();
    for (ports, rate) in raw.0 {
        match ports.value.parse::<u32>() {
            Ok(number @ 1..) => {
                mnp.insert(number, rate);
            }
            _ => {
                let message = format!("`{}` is no number of ports", ports.value);
                let finding = Diagnostic::error(ports.span, message);
                findings.push(finding.with_help("write like `{2: 91Mbit/s, 8: 273Mbit/s}`"));
            }
        }
    }
    mnp
}

impl RawTunnel {
    fn resolve(self, findings: &mut Vec<Diagnostic>) -> Tunnel {
        let default = Tunnel::default();
        let wrong = |span: Span, text: &str, what: &str, help: &str| {
            Diagnostic::error(span, format!("`{text}` is no {what}")).with_help(help)
        };
        let mtu = self.mtu.and_then(|mtu| match mtu.value.0.as_str() {
            "auto" => None,
            text => match text.parse() {
                // The smallest of IPv6.
                Ok(bytes @ 1280..) => Some(bytes),
                _ => {
                    let help = "write bytes from 1280 to 65535, or `auto`";
                    findings.push(wrong(mtu.span, text, "MTU between machines", help));
                    None
                }
            },
        });
        let ports = self.ports.and_then(|ports| {
            let text = ports.value.0.as_str();
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            match (first.trim().parse::<u16>(), last.trim().parse::<u16>()) {
                (Ok(first @ 1..), Ok(last)) if first <= last => Some([first, last]),
                _ => {
                    let help = "write like `20000-20063`";
                    findings.push(wrong(ports.span, text, "range of ports", help));
                    None
                }
            }
        });
        Tunnel {
            encryption: self.encryption.map_or(default.encryption, |on| on == RawSwitch::On),
            mtu,
            ports,
            guard: self.guard.unwrap_or(default.guard),
        }
    }
}

/// Reports names that occur twice, also in another case.
fn twice<'a>(names: impl Iterator<Item = (&'a str, Span)>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let again = names.filter(|(name, _)| !seen.insert(name.to_lowercase()));
    let finding = |(name, span)| {
        Diagnostic::error(span, format!("there are two machines called `{name}`"))
            .with_help("rename one of them; case makes no difference")
    };
    again.map(finding).collect()
}
