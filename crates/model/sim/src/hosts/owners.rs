//! Which nodes have which address.

use std::collections::BTreeMap;

use crate::AddressId;

/// The nodes that have each address: mostly one, several where an address is assigned twice.
#[derive(Debug, Default)]
pub(crate) struct Owners(BTreeMap<AddressId, Vec<u32>>);

impl Owners {
    /// Adds the addresses of a node. Nodes are added in order of their numbers.
    pub fn add(&mut self, number: u32, addresses: &[AddressId]) {
        for address in addresses {
            self.0.entry(*address).or_default().push(number);
        }
    }

    /// Returns the nodes that have an address, in order of their numbers.
    pub fn of(&self, address: AddressId) -> impl Iterator<Item = u32> {
        self.0.get(&address).into_iter().flatten().copied()
    }
}
