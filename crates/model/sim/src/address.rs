//! The addresses of a network, each at a small number that packets carry instead of it. Not here:
//! who has which address (`node`), how they are given out (`netloom-plan`).

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
    /// The number of `address`, which is entered if it is new.
    pub fn enter(&mut self, address: IpAddr) -> AddressId {
        let Self { addresses, ids } = self;
        *ids.entry(address).or_insert_with(|| {
            addresses.push(address);
            // More addresses than that fit into no machine.
            AddressId(u32::try_from(addresses.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// The number of `address`, if it is here.
    pub fn find(&self, address: IpAddr) -> Option<AddressId> {
        self.ids.get(&address).copied()
    }

    /// The address of that number.
    ///
    /// # Panics
    /// If this book did not give the number.
    #[inline]
    pub fn address(&self, id: AddressId) -> IpAddr {
        self.addresses[id.0 as usize]
    }

    /// How many addresses there are.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Whether there is no address.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }
}
