//! What a claim takes, as it is written. Not here: what of it is allowed, and to whom.

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

/// Which transport protocols.
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
    /// Each of them.
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

/// Ports, and addresses of the other side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortSelector {
    /// Ports, like `8080`, `9000-9010`, or a list of these.
    pub ports: Ports,
    /// `tcp`, `udp` or `both` (default).
    #[serde(default, skip_serializing_if = "is_both")]
    pub protocol: Protocols,
    /// Addresses of the other side; without any, all.
    #[serde(default, alias = "to", alias = "from", skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<IpPrefix>,
}

fn is_both(protocol: &Protocols) -> bool {
    *protocol == Protocols::Both
}

/// What a claim takes: all that is written must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// What programs of this host send to these remote ports, and the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<PortSelector>,
    /// What comes to these local ports, and the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<PortSelector>,
    /// What has one of these ports at either end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<PortSelector>,
    /// Sockets of a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Sockets of a cgroup (version 2) and of those below it, by its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<String>,
    /// Addresses of the other side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefix: Vec<IpPrefix>,
    /// The device; by default that of the default route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// The network namespace, by a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub netns: Option<String>,
    /// The network namespace, by a process in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// All of the device but ssh.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everything: bool,
}

/// How ports are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
    Service,
}

impl Role {
    /// Whether local ports are meant.
    pub fn is_local(self) -> bool {
        self != Self::Client
    }

    /// The key that it is written with.
    pub fn word(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Service => "service",
        }
    }
}

impl Selector {
    /// The ports, if there are any.
    pub(crate) fn by_port(&self) -> Option<(Role, &PortSelector)> {
        let all = [
            (Role::Client, &self.client),
            (Role::Server, &self.server),
            (Role::Service, &self.service),
        ];
        all.into_iter().find_map(|(role, selector)| Some((role, selector.as_ref()?)))
    }

    /// Checks that it selects something, by words that go together.
    ///
    /// # Errors
    /// What is wrong, and what to write instead.
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

/// `8080`, `tcp/9000-9010,80`, `udp/53@192.0.2.1,2001:db8::/32`: protocol, ports, and addresses of
/// the other side.
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

/// A prefix, or an address for itself.
///
/// # Errors
/// What prefixes look like.
pub fn prefix(text: &str) -> Result<IpPrefix, String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        return IpPrefix::new(address, bits).ok_or_else(|| format!("`{text}` is no address"));
    }
    text.parse().map_err(|error: AddressError| error.to_string())
}
