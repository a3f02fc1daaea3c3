//! The addresses of a network. Each has a small number, which packets carry in place of the
//! address. Not here: which node has which address (`node`), and how addresses are assigned
//! (`netloom-plan`).

use std::collections::BTreeMap;
use std::net::IpAddr;

/// The number of an address in an [`AddressBook`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AddressId(pub u32);

/// All addresses of a network and of its traffic: fixed once the network is built.
#[derive(Debug, Default, Clone)]
pub struct AddressBook {
    addresses: Vec<IpAddr>,
    ids: BTreeMap<IpAddr, AddressId>,
}

impl AddressBook {
    /// Returns the number of `address`, which is added if it is new.
    pub fn enter(&mut self, address: IpAddr) -> AddressId {
        let Self { addresses, ids } = self;
        *ids.entry(address).or_insert_with(|| {
            addresses.push(address);
            // No machine has room for more addresses than `u32` can number.
            AddressId(u32::try_from(addresses.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// Returns the number of `address`, if the book has it.
    pub fn find(&self, address: IpAddr) -> Option<AddressId> {
        self.ids.get(&address).copied()
    }

    /// Returns the address with the number `id`.
    ///
    /// # Panics
    /// If the number is not from this book.
    #[inline]
    pub fn address(&self, id: AddressId) -> IpAddr {
        self.addresses[id.0 as usize]
    }

    /// Number of addresses.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Whether there is no address.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }
}
