//! The keys by which the kernel looks a frame up, computed from a selector. More specific keys win:
//! port and address, port, address, cgroup, user. `netloom-selector` encodes keys.

use netloom_scenario::IpPrefix;

use crate::selector::Role;
use crate::{PortRange, Protocol, Selector};

/// Largest number of keys of one claim.
pub const MAX_KEYS: usize = 4096;

/// The tier of a claim, in the order in which the kernel tries them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Root, with precedence over all users.
    Over,
    /// An ordinary user, for their own sockets.
    Own,
    /// Root, for frames that no user has claimed.
    Root,
}

/// A cgroup as the kernel identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cgroup {
    /// Its identity: the inode of its directory.
    pub id: u64,
    /// Its depth; the root is at 0.
    pub level: u32,
}

/// The sockets whose frames a claim takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// Tier of the claim.
    pub tier: Tier,
    /// The user whose sockets are selected. `None` selects those of everybody, and frames without a
    /// socket.
    pub uid: Option<u32>,
    /// The cgroup, if one is selected.
    pub cgroup: Option<Cgroup>,
}

/// The side that a port belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The other host.
    Remote,
    /// This host.
    Local,
}

/// Ports that share their leading bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortPrefix {
    /// Lowest port.
    pub first: u16,
    /// Number of leading bits that are shared, from 0 to 16.
    pub bits: u8,
}

/// A key by which frames are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A port, and an address of the other host.
    PortAndAddress(Side, Protocol, u16, IpPrefix),
    /// A range of ports.
    Port(Side, Protocol, PortPrefix),
    /// An address of the other host.
    Address(IpPrefix),
    /// A cgroup.
    Cgroup(Cgroup),
    /// All frames of the target.
    All,
}

impl Selector {
    /// Returns the keys of a claim for `target`.
    ///
    /// # Errors
    /// There are more than [`MAX_KEYS`]. The error states the remedy.
    pub fn keys(&self, target: &Target) -> Result<Vec<Key>, String> {
        let keys = self.all_keys(target, MAX_KEYS + 1);
        if keys.len() > MAX_KEYS {
            return Err(format!(
                "a claim has at most {MAX_KEYS} ports times addresses: write fewer, or ports \
                 without addresses, of which there may be any number"
            ));
        }
        Ok(keys)
    }

    /// Returns the local ports that the claim selects, whatever the addresses of the other side.
    pub fn local_ports(&self) -> Vec<(Protocol, PortPrefix)> {
        let local = self.by_port().filter(|(role, _)| role.is_local());
        let each = local.into_iter().flat_map(|(_, selector)| {
            let ports: Vec<PortPrefix> =
                selector.ports.ranges().iter().flat_map(|range| prefixes(*range)).collect();
            let protocols = selector.protocol.each().iter();
            protocols.flat_map(move |protocol| ports.clone().into_iter().map(|p| (*protocol, p)))
        });
        each.collect()
    }

    fn all_keys(&self, target: &Target, most: usize) -> Vec<Key> {
        let Some((role, selector)) = self.by_port() else {
            return match (self.prefix.as_slice(), target.cgroup) {
                ([], Some(cgroup)) => vec![Key::Cgroup(cgroup)],
                ([], None) => vec![Key::All],
                (prefixes, _) => prefixes.iter().map(|prefix| Key::Address(*prefix)).collect(),
            };
        };
        let sides: &[Side] = match role {
            Role::Client => &[Side::Remote],
            Role::Server => &[Side::Local],
            Role::Service => &[Side::Remote, Side::Local],
        };
        let ways = sides.iter().flat_map(|side| {
            selector.protocol.each().iter().map(move |protocol| (*side, *protocol))
        });
        let ranges = selector.ports.ranges();
        let keys = ways.flat_map(|(side, protocol)| -> Box<dyn Iterator<Item = Key>> {
            if selector.addresses.is_empty() {
                let prefixes = ranges.iter().flat_map(|range| prefixes(*range));
                return Box::new(prefixes.map(move |ports| Key::Port(side, protocol, ports)));
            }
            let ports = ranges.iter().flat_map(|range| range.first..=range.last);
            Box::new(ports.flat_map(move |port| {
                let addresses = selector.addresses.iter();
                addresses.map(move |to| Key::PortAndAddress(side, protocol, port, *to))
            }))
        });
        keys.take(most).collect()
    }

    /// Describes a local port of both selectors, like `port tcp/8080`, whatever the addresses of
    /// the other side.
    pub(crate) fn common_local_port(&self, other: &Self) -> Option<String> {
        let local = |selector: &Self| selector.by_port().is_some_and(|(role, _)| role.is_local());
        let ((_, mine), (_, theirs)) = self.by_port().zip(other.by_port())?;
        let both = |protocol: &&Protocol| theirs.protocol.each().contains(protocol);
        let protocol = mine.protocol.each().iter().find(both)?;
        let port = mine.ports.common(&theirs.ports)?;
        (local(self) && local(other)).then(|| format!("port {protocol}/{port}"))
    }

    /// Describes what both selectors take with equally specific keys, like `port tcp/8080`. Both
    /// must have the same target.
    pub fn common(&self, target: &Target, other: &Self, of: &Target) -> Option<String> {
        match (self.by_port(), other.by_port()) {
            (Some((role, mine)), Some((others, theirs))) => {
                let has_side = role == others || role == Role::Service || others == Role::Service;
                let both = |protocol: &&Protocol| theirs.protocol.each().contains(protocol);
                let protocol = mine.protocol.each().iter().find(both)?;
                let port = mine.ports.common(&theirs.ports).filter(|_| has_side)?;
                match (mine.addresses.as_slice(), theirs.addresses.as_slice()) {
                    ([], []) => Some(format!("port {protocol}/{port}")),
                    (mine, theirs) => {
                        let same = first_among(mine, theirs)?;
                        Some(format!("port {protocol}/{port} of {same}"))
                    }
                }
            }
            (None, None) => match (self.prefix.as_slice(), other.prefix.as_slice()) {
                ([], []) if target.cgroup != of.cgroup => None,
                ([], []) => Some(match (&self.cgroup, self.everything) {
                    (Some(cgroup), _) => format!("cgroup {cgroup}"),
                    (None, true) => "everything".into(),
                    (None, false) => "all of the user".into(),
                }),
                (mine, theirs) => first_among(mine, theirs).map(|prefix| format!("{prefix}")),
            },
            _ => None,
        }
    }
}

/// Returns the first prefix that is the same network as one of `others`.
fn first_among<'p>(prefixes: &'p [IpPrefix], others: &[IpPrefix]) -> Option<&'p IpPrefix> {
    let mut others: Vec<_> = others.iter().map(|prefix| prefix.network()).collect();
    others.sort_unstable();
    prefixes.iter().find(|prefix| others.binary_search(&prefix.network()).is_ok())
}

/// Returns the smallest set of prefixes that covers exactly the ports of a range.
fn prefixes(PortRange { first, last }: PortRange) -> Vec<PortPrefix> {
    let (mut next, end) = (u32::from(first), u32::from(last) + 1);
    let mut all = Vec::new();
    while next < end {
        let aligned = next.trailing_zeros().min(16);
        let fits = (end - next).ilog2();
        let size = aligned.min(fits);
        // The values are from 1 to 65535, and of at most 16 bits.
        let first = u16::try_from(next).unwrap_or(u16::MAX);
        all.push(PortPrefix { first, bits: u8::try_from(16 - size).unwrap_or_default() });
        next += 1 << size;
    }
    all
}
