//! Ports of the machine that are forwarded to ports of a node.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use serde::{Deserialize, Serialize};

/// A port of the machine that is forwarded to a port of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Publish {
    /// Address that the machine listens on. Absent: its loopback addresses.
    pub address: Option<IpAddr>,
    /// Port of the machine.
    pub port: u16,
    /// Port of the node, at 127.0.0.1 or, if nothing listens there, at ::1.
    pub to: u16,
    /// Transport protocol.
    pub protocol: Protocol,
}

/// Transport protocol of a published port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// TCP connections.
    #[default]
    Tcp,
    /// UDP datagrams.
    Udp,
}

impl Publish {
    /// Returns the addresses and the port that the machine listens on.
    pub fn listens_on(&self) -> Vec<SocketAddr> {
        let addresses = match self.address {
            Some(address) => vec![address],
            None => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        };
        addresses.into_iter().map(|address| SocketAddr::new(address, self.port)).collect()
    }

    /// Whether both use the same port of the machine at one address.
    pub fn collides_with(&self, other: &Self) -> bool {
        let overlap = self.listens_on().iter().any(|mine| {
            let of_other = other.listens_on();
            let same = |theirs: &SocketAddr| {
                let family = mine.is_ipv4() == theirs.is_ipv4();
                theirs.ip() == mine.ip()
                    || family && (mine.ip().is_unspecified() || theirs.ip().is_unspecified())
            };
            of_other.iter().any(same)
        });
        self.protocol == other.protocol && self.port == other.port && overlap
    }
}

/// The full notation of scenario files: `127.0.0.1:8080:80/tcp`.
impl fmt::Display for Publish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(IpAddr::V6(address)) => write!(f, "[{address}]:")?,
            Some(address) => write!(f, "{address}:")?,
            None => {}
        }
        let Self { port, to, protocol, .. } = self;
        write!(f, "{port}:{to}/{protocol}")
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

impl std::str::FromStr for Publish {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` does not publish a port; write `MACHINE:NODE`, like `8080:80`, with an \
                 address before it to listen there and `/udp` behind it for datagrams, like \
                 `192.0.2.1:5353:53/udp`"
            )
        };
        let (ports, protocol) = match text.rsplit_once('/') {
            None => (text, Protocol::Tcp),
            Some((ports, "tcp")) => (ports, Protocol::Tcp),
            Some((ports, "udp")) => (ports, Protocol::Udp),
            Some(_) => return Err(wrong()),
        };
        let (front, to) = ports.rsplit_once(':').ok_or_else(wrong)?;
        let (address, port) = match front.rsplit_once(':') {
            None => (None, front),
            Some((address, port)) => {
                let v6 = address.strip_prefix('[').and_then(|a| a.strip_suffix(']'));
                let address = match v6 {
                    Some(v6) => v6.parse::<Ipv6Addr>().map(IpAddr::from).map_err(|_| wrong())?,
                    None => address.parse::<Ipv4Addr>().map(IpAddr::from).map_err(|_| wrong())?,
                };
                (Some(address), port)
            }
        };
        let number = |port: &str| match port.parse() {
            Ok(port @ 1..=u16::MAX) if text.bytes().all(|b| b != b'+') => Ok(port),
            _ if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
                Err(format!("`{port}` is not a port; ports are from 1 to 65535"))
            }
            _ => Err(wrong()),
        };
        Ok(Self { address, port: number(port)?, to: number(to)?, protocol })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Publish {
        text.parse().unwrap()
    }

    #[test]
    fn ports_are_read_and_printed() {
        for (text, printed) in [
            ("8080:80", "8080:80/tcp"),
            ("8080:80/tcp", "8080:80/tcp"),
            ("127.0.0.1:5353:53/udp", "127.0.0.1:5353:53/udp"),
            ("[::1]:1:65535", "[::1]:1:65535/tcp"),
        ] {
            assert_eq!(read(text).to_string(), printed);
            assert_eq!(read(printed), read(text));
        }
        for text in
            ["80", "80:", ":80", "0:80", "80:65536", "a:80", "1:2:3", "::1:1:2", "1:2/sctp", "+1:2"]
        {
            assert!(text.parse::<Publish>().is_err(), "{text}");
        }
    }

    #[test]
    fn two_want_the_same_port_or_not() {
        for (a, b, collide) in [
            ("80:1", "80:2", true),
            ("80:1", "80:1/udp", false),
            ("80:1", "81:1", false),
            ("127.0.0.1:80:1", "80:2", true),
            ("127.0.0.1:80:1", "[::1]:80:2", false),
            ("127.0.0.2:80:1", "80:2", false),
            ("0.0.0.0:80:1", "127.0.0.2:80:2", true),
            ("0.0.0.0:80:1", "[::1]:80:2", false),
            ("[::]:80:1", "80:2", true),
        ] {
            assert_eq!(read(a).collides_with(&read(b)), collide, "{a} {b}");
            assert_eq!(read(b).collides_with(&read(a)), collide, "{b} {a}");
        }
    }
}
