//! The tables in which the programs look frames up, and their contents. An entry is written before
//! the entries that refer to it, and removed after them.

use std::collections::BTreeMap;

use aya::Ebpf;
use aya::maps::lpm_trie::Key as TrieKey;
use aya::maps::{Array, HashMap, LpmTrie, Map, MapData, MapError};
use netloom_shape::{Key, Tier};

use crate::encoding::{Encoded, Owner, class, encode, owner_key, tier_bit};
use crate::error::{SelectorError, in_words};

/// Largest number of claims at one device.
pub const MAX_CLAIMS: u32 = 4096;

/// Number of a claim that lets matching frames pass, whatever other entries there are.
const PASS: u32 = u32::MAX;

/// A claim and its selection of frames.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Identity of the claim, which is never used again.
    pub identity: u64,
    /// The tier of the claim, and the user whose frames it takes.
    pub owner: (Tier, Option<u32>),
    /// Keys of the frames that it takes.
    pub keys: Vec<Key>,
    /// Keys of frames that it does not take, whatever `keys` are.
    pub passing: Vec<Key>,
    /// The only cgroup whose frames it takes, with its level.
    pub cgroup: Option<(u64, u32)>,
    /// Indices of the TAPs of the host and of the wire.
    pub taps: [u32; 2],
    /// The worker that runs its link.
    pub worker: u32,
}

/// The entries of an owner in the tables.
#[derive(Debug, Default)]
struct OwnerState {
    /// Number of keys of each class.
    classes: BTreeMap<u32, usize>,
    /// Number of the claim that takes everything.
    of_all: u32,
    claims: usize,
}

/// The tables of the programs at one device.
pub struct Tables {
    settings: Array<MapData, [u8; 16]>,
    claims: Array<MapData, [u8; 32]>,
    owners: HashMap<MapData, [u8; 8], [u8; 8]>,
    ports: LpmTrie<MapData, [u8; 12], u32>,
    addresses: LpmTrie<MapData, [u8; 28], u32>,
    cgroups: HashMap<MapData, [u8; 16], u32>,
    namespace: u64,
    of_owners: BTreeMap<Owner, OwnerState>,
    /// Claims by their number, from 1.
    numbers: BTreeMap<u32, Chosen>,
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables").field("numbers", &self.numbers).finish_non_exhaustive()
    }
}

impl Tables {
    /// Returns the tables of loaded programs, without claims. `namespace` is the cookie of the
    /// network namespace.
    pub fn of(ebpf: &mut Ebpf, namespace: u64) -> Result<Self, SelectorError> {
        let mut tables = Self {
            settings: take(ebpf, "settings")?,
            claims: take(ebpf, "claims")?,
            owners: take(ebpf, "owners")?,
            ports: take(ebpf, "ports")?,
            addresses: take(ebpf, "addresses")?,
            cgroups: take(ebpf, "cgroups")?,
            namespace,
            of_owners: BTreeMap::new(),
            numbers: BTreeMap::new(),
        };
        tables.write_settings()?;
        Ok(tables)
    }

    /// Returns whether there are no claims.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Adds a claim.
    pub fn insert(&mut self, chosen: Chosen) -> Result<(), SelectorError> {
        let identity = chosen.identity;
        let free = (1..=MAX_CLAIMS).find(|number| !self.numbers.contains_key(number));
        let number = free.ok_or_else(|| SelectorError::Table("there is no room".into()))?;
        self.write_claim(number, Some(&chosen))?;
        self.numbers.insert(number, chosen.clone());
        let state = self.of_owners.entry(chosen.owner).or_default();
        state.claims += 1;
        for key in &chosen.keys {
            *state.classes.entry(class(key)).or_default() += 1;
            if *key == Key::All {
                state.of_all = number;
            }
        }
        for key in &chosen.passing {
            *state.classes.entry(class(key)).or_default() += 1;
        }
        let written = self.write_keys(number, &chosen);
        let written = written
            .and_then(|()| self.write_owner(chosen.owner))
            .and_then(|()| self.write_settings());
        if written.is_err() {
            self.remove(identity)?;
        }
        written
    }

    /// Removes a claim. Has no effect if it does not exist.
    pub fn remove(&mut self, identity: u64) -> Result<(), SelectorError> {
        let is_it = |(_, chosen): &(&u32, &Chosen)| chosen.identity == identity;
        let Some(number) = self.numbers.iter().find(is_it).map(|(number, _)| *number) else {
            return Ok(());
        };
        // From here on, none of its frames is redirected.
        self.write_claim(number, None)?;
        let Some(chosen) = self.numbers.remove(&number) else { return Ok(()) };
        if let Some(state) = self.of_owners.get_mut(&chosen.owner) {
            state.claims -= 1;
            for key in chosen.keys.iter().chain(&chosen.passing) {
                if let Some(count) = state.classes.get_mut(&class(key)) {
                    *count = count.saturating_sub(1);
                }
                if *key == Key::All {
                    state.of_all = 0;
                }
            }
        }
        for key in chosen.keys.iter().chain(&chosen.passing) {
            self.erase(encode(chosen.owner, key))?;
        }
        self.write_owner(chosen.owner)?;
        self.write_settings()
    }

    fn write_claim(&mut self, number: u32, chosen: Option<&Chosen>) -> Result<(), SelectorError> {
        let mut bytes = [0; 32];
        if let Some(Chosen { identity, cgroup, taps, worker, .. }) = chosen {
            let (id, level) = cgroup.unwrap_or_default();
            bytes[..8].copy_from_slice(&identity.to_ne_bytes());
            bytes[8..16].copy_from_slice(&id.to_ne_bytes());
            let words = [taps[0], taps[1], level, *worker];
            for (place, word) in bytes[16..].chunks_exact_mut(4).zip(words) {
                place.copy_from_slice(&word.to_ne_bytes());
            }
        }
        self.claims.set(number - 1, bytes, 0).map_err(refused)
    }

    fn write_keys(&mut self, number: u32, chosen: &Chosen) -> Result<(), SelectorError> {
        let keys = chosen.keys.iter().map(|key| (key, number));
        let passing = chosen.passing.iter().map(|key| (key, PASS));
        for (key, number) in keys.chain(passing) {
            match encode(chosen.owner, key) {
                Encoded::Port(bits, bytes) => {
                    self.ports.insert(&TrieKey::new(bits, bytes), number, 0).map_err(refused)?;
                }
                Encoded::Address(bits, bytes) => {
                    self.addresses
                        .insert(&TrieKey::new(bits, bytes), number, 0)
                        .map_err(refused)?;
                }
                Encoded::Cgroup(bytes) => {
                    self.cgroups.insert(bytes, number, 0).map_err(refused)?;
                }
                Encoded::All => {}
            }
        }
        Ok(())
    }

    fn erase(&mut self, key: Encoded) -> Result<(), SelectorError> {
        let erased = match key {
            Encoded::Port(bits, bytes) => self.ports.remove(&TrieKey::new(bits, bytes)),
            Encoded::Address(bits, bytes) => self.addresses.remove(&TrieKey::new(bits, bytes)),
            Encoded::Cgroup(bytes) => self.cgroups.remove(&bytes),
            Encoded::All => Ok(()),
        };
        gone(erased)
    }

    fn write_owner(&mut self, owner: Owner) -> Result<(), SelectorError> {
        let Some(state) = self.of_owners.get(&owner) else { return Ok(()) };
        if state.claims == 0 {
            self.of_owners.remove(&owner);
            return gone(self.owners.remove(&owner_key(owner)));
        }
        let there = state.classes.iter().filter(|(_, count)| **count > 0);
        let classes = there.fold(0, |all, (class, _)| all | class);
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&classes.to_ne_bytes());
        bytes[4..].copy_from_slice(&state.of_all.to_ne_bytes());
        self.owners.insert(owner_key(owner), bytes, 0).map_err(refused)
    }

    fn write_settings(&mut self) -> Result<(), SelectorError> {
        let tiers = self.of_owners.keys().fold(0, |all, owner| all | tier_bit(*owner));
        let levels = self.numbers.values().filter_map(|chosen| chosen.cgroup);
        let levels = levels.map(|(_, level)| level).max().unwrap_or_default();
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&tiers.to_ne_bytes());
        bytes[4..8].copy_from_slice(&levels.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.namespace.to_ne_bytes());
        self.settings.set(0, bytes, 0).map_err(refused)
    }
}

/// Takes a map out of an object.
pub fn take<M: TryFrom<Map, Error = MapError>>(
    ebpf: &mut Ebpf,
    name: &str,
) -> Result<M, SelectorError> {
    let map = ebpf.take_map(name);
    let map = map.ok_or_else(|| SelectorError::Load(format!("the object lacks `{name}`")))?;
    map.try_into().map_err(|error: MapError| SelectorError::Load(in_words(&error)))
}

pub fn refused(error: MapError) -> SelectorError {
    SelectorError::Table(in_words(&error))
}

/// Treats the removal of an absent entry as success.
pub fn gone(removed: Result<(), MapError>) -> Result<(), SelectorError> {
    match removed {
        Err(MapError::KeyNotFound) | Ok(()) => Ok(()),
        Err(MapError::SyscallError(error))
            if error.io_error.raw_os_error() == Some(libc::ENOENT) =>
        {
            Ok(())
        }
        Err(error) => Err(refused(error)),
    }
}
