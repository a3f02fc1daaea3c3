//! The Ethernet addresses of neighbours. Not here: answers to real nodes that ask for them
//! (`bytes::neighbours`).

use std::collections::BTreeMap;

use crate::network::InterfaceId;
use crate::{AddressBook, AddressId, Network};

/// The Ethernet address of each IP address on each segment.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    segments: BTreeMap<InterfaceId, u32>,
    macs: BTreeMap<(u32, AddressId), [u8; 6]>,
}

impl Neighbours {
    /// Returns the neighbours in `network`, whose addresses are added to `book`.
    pub fn new(network: &Network, book: &mut AddressBook) -> Self {
        let mut found = Self::default();
        for (segment, interfaces) in (0..).zip(&network.segments) {
            for id in interfaces {
                let interface = &network.nodes[id.node as usize].interfaces[id.interface as usize];
                found.segments.insert(*id, segment);
                for address in &interface.addresses {
                    found.macs.insert((segment, book.enter(address.address())), interface.mac);
                }
            }
        }
        found
    }

    /// Returns the segment that an interface is on.
    pub fn segment(&self, at: InterfaceId) -> Option<u32> {
        self.segments.get(&at).copied()
    }

    /// Returns the Ethernet address of a neighbour on a segment.
    pub fn mac(&self, segment: u32, address: AddressId) -> Option<[u8; 6]> {
        self.macs.get(&(segment, address)).copied()
    }
}
