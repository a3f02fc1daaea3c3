//! Local ports that are kept for one user: `bind()` of others but root fails with EPERM. The
//! programs leave the kernel with this process. Not here: who may reserve which ports
//! (`netloom-shape`).

use std::collections::BTreeMap;

use aya::maps::lpm_trie::Key as TrieKey;
use aya::maps::{LpmTrie, MapData};
use aya::programs::CgroupSockAddr;
use aya::programs::cgroup_sock_addr::CgroupSockAddrLink;
use aya::{Ebpf, EbpfLoader};
use netloom_shape::{PortPrefix, Protocol};

use crate::cgroup;
use crate::encoding::protocol_number;
use crate::error::{SelectorError, in_words};
use crate::tables::{gone, refused, take};
use crate::taps::namespace_cookie;

/// The compiled programs, made by `make bpf`.
const OBJECT: &[u8] = aya::include_bytes_aligned!("../bpf/reserve.bpf.o");

/// Number of bits of a key before the port.
const BEFORE_PORT: u32 = 16;

/// Ports of a protocol.
pub type ReservedPorts = (Protocol, PortPrefix);

/// All reservations of this network namespace.
pub struct Reservations {
    _links: Vec<CgroupSockAddrLink>,
    reserved: LpmTrie<MapData, [u8; 4], u32>,
    /// The user who may bind the ports, and the claims that reserve them.
    by_ports: BTreeMap<ReservedPorts, (u32, Vec<u64>)>,
    _ebpf: Ebpf,
}

impl std::fmt::Debug for Reservations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reservations").field("by_ports", &self.by_ports).finish_non_exhaustive()
    }
}

impl Reservations {
    /// Attaches the programs, without any reservation.
    ///
    /// # Errors
    /// The host has no cgroups of version 2, or the kernel refuses. Nothing is left behind.
    pub fn attach() -> Result<Self, SelectorError> {
        let load = |error: &(dyn std::error::Error + 'static)| SelectorError::Load(in_words(error));
        let root = cgroup::root().ok_or(SelectorError::NoCgroups)?;
        let cookie = namespace_cookie().map_err(|error| load(&error))?;
        let mut loader = EbpfLoader::new();
        loader.override_global("network", &cookie, true);
        let mut ebpf = loader.load(OBJECT).map_err(|error| load(&error))?;
        let reserved = take(&mut ebpf, "reserved")?;
        let mut links = Vec::new();
        for name in ["bind_v4", "bind_v6"] {
            let program = ebpf.program_mut(name);
            let program =
                program.ok_or_else(|| SelectorError::Load(format!("the object lacks `{name}`")))?;
            let program: &mut CgroupSockAddr = program.try_into().map_err(|error| load(&error))?;
            program.load().map_err(|error| load(&error))?;
            let attached = program.attach(&root, cgroup::MODE);
            let link = attached.and_then(|id| program.take_link(id));
            links.push(link.map_err(|error| load(&error))?);
        }
        Ok(Self { _links: links, reserved, by_ports: BTreeMap::new(), _ebpf: ebpf })
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_ports.is_empty()
    }

    /// Keeps ports for the user `uid` as long as the claim `identity` lasts.
    ///
    /// # Errors
    /// The kernel refuses, or another user has ports. Nothing is changed in that case.
    pub fn insert(
        &mut self,
        identity: u64,
        uid: u32,
        ports: &[ReservedPorts],
    ) -> Result<(), SelectorError> {
        let written = ports.iter().try_for_each(|ports| self.insert_one(identity, uid, *ports));
        if written.is_err() {
            self.remove(identity)?;
        }
        written
    }

    fn insert_one(
        &mut self,
        identity: u64,
        uid: u32,
        ports: ReservedPorts,
    ) -> Result<(), SelectorError> {
        let (holder, claims) = self.by_ports.entry(ports).or_insert_with(|| (uid, Vec::new()));
        if *holder != uid {
            return Err(SelectorError::Table("another user has reserved these ports".into()));
        }
        claims.push(identity);
        self.reserved.insert(&encode(ports), uid, 0).map_err(refused)
    }

    /// Ends the reservations of a claim. Has no effect if it has none.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn remove(&mut self, identity: u64) -> Result<(), SelectorError> {
        let mut unused = Vec::new();
        self.by_ports.retain(|ports, (_, claims)| {
            claims.retain(|other| *other != identity);
            if claims.is_empty() {
                unused.push(*ports);
            }
            !claims.is_empty()
        });
        unused.into_iter().try_for_each(|ports| gone(self.reserved.remove(&encode(ports))))
    }
}

fn encode((protocol, ports): ReservedPorts) -> TrieKey<[u8; 4]> {
    let [high, low] = ports.first.to_be_bytes();
    let bits = BEFORE_PORT + u32::from(ports.bits);
    TrieKey::new(bits, [protocol_number(protocol), 0, high, low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_as_the_programs_have_them() {
        let key = encode((Protocol::Udp, PortPrefix { first: 9000, bits: 13 }));
        assert_eq!((key.prefix_len(), key.data()), (29, [17, 0, 0x23, 0x28]));
    }
}
