//! The selection of a claim, as it is written. `policy` decides what is allowed to whom.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use netloom_scenario::{AddressError, IpPrefix};
use serde::{Deserialize, Serialize};

use crate::{PortError, Ports};

/// A transport protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// A choice of transport protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocols {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// Both of them (default).
    #[default]
    Both,
}

impl Protocols {
    /// Returns each of them.
    pub fn each(self) -> &'static [Protocol] {
        match self {
            Self::Tcp => &[Protocol::Tcp],
            Self::Udp => &[Protocol::Udp],
            Self::Both => &[Protocol::Tcp, Protocol::Udp],
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        })
    }
}

/// Ports, and addresses of the other host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortSelector {
    /// Ports, like `8080`, `9000-9010`, or a list of these.
    pub ports: Ports,
    /// `tcp`, `udp` or `both` (default).
    #[serde(default, skip_serializing_if = "is_both")]
    pub protocol: Protocols,
    /// Addresses of the other host. An empty list means all.
    #[serde(default, alias = "to", alias = "from", skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<IpPrefix>,
}

fn is_both(protocol: &Protocols) -> bool {
    *protocol == Protocols::Both
}

/// The selection of a claim. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Frames that programs of this host send to these remote ports, and the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<PortSelector>,
    /// Frames that arrive at these local ports, and the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<PortSelector>,
    /// Frames with one of these ports at either end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<PortSelector>,
    /// Sockets of a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Sockets of a cgroup (version 2) and of those below it, given by its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<String>,
    /// Addresses of the other host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefix: Vec<IpPrefix>,
    /// The device; by default the device of the default route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// The network namespace, given by a path like `/run/netns/NAME`. All its sockets are selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub netns: Option<String>,
    /// The network namespace, given by the number of a process in it. All its sockets are selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// All frames of the device except ssh.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everything: bool,
}

/// The meaning of ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
    Service,
}

impl Role {
    /// Returns whether it selects local ports.
    pub fn is_local(self) -> bool {
        self != Self::Client
    }

    /// Returns the key with which it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Service => "service",
        }
    }
}

impl Selector {
    /// Returns the ports, if there are any.
    pub(crate) fn by_port(&self) -> Option<(Role, &PortSelector)> {
        let all = [
            (Role::Client, &self.client),
            (Role::Server, &self.server),
            (Role::Service, &self.service),
        ];
        all.into_iter().find_map(|(role, selector)| Some((role, selector.as_ref()?)))
    }

    /// Checks that the selector selects frames, and that its keys fit together.
    ///
    /// # Errors
    /// A description of the fault, with the correct form.
    pub fn check(&self) -> Result<(), String> {
        let roles = [&self.client, &self.server, &self.service].into_iter().flatten().count();
        let others = usize::from(self.user.is_some()) + usize::from(self.cgroup.is_some());
        let is_by_address = !self.prefix.is_empty();
        if roles > 1 {
            return Err(
                "`client`, `server` and `service` are three ways to mean a port: keep one \
                        of them, or make a claim for each"
                    .into(),
            );
        }
        if roles == 1 && is_by_address {
            return Err("with ports, addresses are written `to` (client) or `from` (server): \
                        not `prefix`"
                .into());
        }
        if self.everything && (roles + others > 0 || is_by_address) {
            return Err("`everything` leaves nothing to select: keep it, or the other words".into());
        }
        if roles + others == 0 && !is_by_address && !self.everything {
            return Err("the claim selects nothing: write `client`, `server`, `service`, `user`, \
                        `cgroup`, `prefix` or `everything`"
                .into());
        }
        if self.netns.is_some() && self.pid.is_some() {
            return Err("`netns` and `pid` both name a network namespace: keep one of them".into());
        }
        if let Some(path) = self.netns.as_ref().filter(|path| !path.starts_with('/')) {
            return Err(format!(
                "`{path}` is no path of a network namespace: those that `ip netns` lists are \
                 /run/netns/NAME; of a container, give the `pid` of a process"
            ));
        }
        Ok(())
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if let Some((role, PortSelector { ports, protocol, addresses })) = self.by_port() {
            let of = match role {
                Role::Client => "to",
                Role::Server => "from",
                Role::Service => "with",
            };
            let role = role.word();
            let protocol = match protocol {
                Protocols::Tcp => "tcp/",
                Protocols::Udp => "udp/",
                Protocols::Both => "",
            };
            words.push(format!("{role} {protocol}{ports}"));
            if !addresses.is_empty() {
                words.push(format!("{of} {}", listed(addresses)));
            }
        }
        words.extend(self.user.iter().map(|user| format!("user {user}")));
        words.extend(self.cgroup.iter().map(|cgroup| format!("cgroup {cgroup}")));
        if !self.prefix.is_empty() {
            words.push(format!("prefix {}", listed(&self.prefix)));
        }
        words.extend(self.everything.then(|| "everything".into()));
        words.extend(self.interface.iter().map(|device| format!("on {device}")));
        words.extend(self.netns.iter().map(|path| format!("in {path}")));
        words.extend(self.pid.iter().map(|pid| format!("in the network of process {pid}")));
        f.write_str(&words.join(" "))
    }
}

fn listed(prefixes: &[IpPrefix]) -> String {
    prefixes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Parses protocol, ports, and addresses of the other host: `8080`, `tcp/9000-9010,80`,
/// `udp/53@192.0.2.1,2001:db8::/32`.
impl FromStr for PortSelector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (protocol, rest) = match text.split_once('/') {
            Some(("tcp", rest)) => (Protocols::Tcp, rest),
            Some(("udp", rest)) => (Protocols::Udp, rest),
            Some((word, _)) if word.chars().all(|c| c.is_ascii_alphabetic()) => {
                return Err(format!("`{word}` is no protocol with ports: `tcp` or `udp`"));
            }
            _ => (Protocols::Both, text),
        };
        let (ports, addresses) = rest.split_once('@').unwrap_or((rest, ""));
        let addresses = addresses.split(',').filter(|address| !address.is_empty()).map(prefix);
        Ok(Self {
            ports: ports.parse().map_err(|error: PortError| error.to_string())?,
            protocol,
            addresses: addresses.collect::<Result<_, _>>()?,
        })
    }
}

/// Parses a prefix, or an address as a prefix of one address.
///
/// # Errors
/// A description of valid prefixes.
pub fn prefix(text: &str) -> Result<IpPrefix, String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        return IpPrefix::new(address, bits).ok_or_else(|| format!("`{text}` is no address"));
    }
    text.parse().map_err(|error: AddressError| error.to_string())
}
