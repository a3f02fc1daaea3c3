//! Tests of compression on small tries, compared with longest-prefix match and with exhaustive
//! search.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::compress::{Choice, Choices, Entry, choose, compress, spread};
use super::labels::Label;
use super::trie::Trie;
use crate::cidr::{Cidr, Family};

/// Size of the block of addresses that contains all prefixes.
const BLOCK: u32 = 32;
const BLOCK_LENGTH: u8 = 27;

/// Number of labels from which prefixes choose.
const LABELS: Label = 3;

type Table = BTreeMap<Cidr, Entry>;

/// Returns all sets of labels: number `n` has the bits of `n + 1`.
fn choices() -> Choices {
    let set = |bits: u32| (0..LABELS).filter(|label| bits & (1 << label) != 0).collect();
    Choices { sets: (1..1 << LABELS).map(set).collect(), labels: LABELS as usize }
}

/// Returns the choice of only `label`.
fn only(label: Label) -> Choice {
    (1 << label) - 1
}

fn permits(choice: Choice, label: Label) -> bool {
    (choice + 1) & (1 << label) != 0
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        1 => Just(Entry::Absent),
        6 => (0u32..(1 << LABELS) - 1).prop_map(Entry::Exits),
        1 => Just(Entry::Foreign),
    ]
}

/// Returns tables of prefixes in one block, some of them nested. Some of the single addresses are
/// local.
fn tables() -> impl Strategy<Value = Table> {
    let prefix = (0..BLOCK, prop_oneof![2 => BLOCK_LENGTH..33, 3 => 29u8..31]);
    prop::collection::vec((prefix, entry(), 0u8..8), 0..24).prop_map(|entries| {
        let network = |(offset, length)| {
            let bits = u128::from((10 << 24) + offset);
            Cidr { family: Family::V4, bits, length }.network()
        };
        let local = |prefix: Cidr, entry, chance| match (prefix.length, chance) {
            (32, 0) => Entry::Local,
            _ => entry,
        };
        let entries =
            entries.into_iter().map(|(prefix, entry, chance)| (network(prefix), entry, chance));
        entries.map(|(prefix, entry, chance)| (prefix, local(prefix, entry, chance))).collect()
    })
}

/// Returns the trie of a table, and its entries by place.
fn laid_out(table: &Table) -> (Trie, Vec<Entry>) {
    let trie = Trie::new(Family::V4, table.keys().copied());
    let mut entries = vec![Entry::Absent; trie.prefixes.len()];
    for (prefix, entry) in table {
        entries[trie.place(*prefix).unwrap() as usize] = *entry;
    }
    (trie, entries)
}

/// Returns the result of longest-prefix match for an address, ignoring absent entries.
fn longest_match(table: &Table, address: u128) -> Entry {
    let matching =
        table.iter().filter(|(prefix, entry)| **entry != Entry::Absent && prefix.contains(address));
    matching.max_by_key(|(prefix, _)| prefix.length).map_or(Entry::Absent, |(_, entry)| *entry)
}

/// Returns the compressed table, including the entries that are not the planner's.
fn compressed(table: &Table) -> Result<Table, TestCaseError> {
    let (trie, entries) = laid_out(table);
    let mut result: Table = table
        .iter()
        .filter(|(_, entry)| matches!(entry, Entry::Foreign | Entry::Local))
        .map(|(prefix, entry)| (*prefix, *entry))
        .collect();
    for (prefix, label) in compress(&trie, entries, &choices()) {
        let entry = Entry::Exits(only(label));
        prop_assert_eq!(result.insert(prefix, entry), None, "{:?} twice", prefix);
    }
    Ok(result)
}

/// Returns the least number of routes below `prefix` (itself included) if it inherits `inherited`,
/// found by trying every route at every prefix.
fn least(table: &Table, prefix: Cidr, inherited: Option<Label>) -> usize {
    const IMPOSSIBLE: usize = 1000;
    let below = |label: Option<Label>| {
        if prefix.length == 32 {
            let allowed = match longest_match(table, prefix.bits) {
                Entry::Local => true,
                Entry::Exits(choice) => label.is_some_and(|label| permits(choice, label)),
                // Addresses that a route from elsewhere serves inherit nothing from the planner's
                // routes.
                Entry::Absent | Entry::Foreign => label.is_none(),
            };
            return if allowed { 0 } else { IMPOSSIBLE };
        }
        prefix.halves().map(|half| least(table, half, label)).iter().sum()
    };
    if table.get(&prefix) == Some(&Entry::Foreign) {
        return if prefix.length == 32 { 0 } else { below(None) };
    }
    let with_route = (0..LABELS).map(|label| 1 + below(Some(label)));
    with_route.chain([below(inherited)]).min().unwrap_or(IMPOSSIBLE)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_address_goes_where_it_may(table in tables()) {
        let compressed = compressed(&table)?;
        let block = 10u128 << 24;
        for address in block - 4..block + u128::from(BLOCK) + 4 {
            let expected = longest_match(&table, address);
            let found = longest_match(&compressed, address);
            let fits = match (expected, found) {
                (Entry::Local, _) => true,
                (Entry::Exits(choice), Entry::Exits(one)) => {
                    (0..LABELS).any(|label| one == only(label) && permits(choice, label))
                }
                (expected, found) => expected == found,
            };
            prop_assert!(fits, "{:x}: {:?} of {:?}", address, found, expected);
        }
    }

    #[test]
    fn sets_of_many_labels_give_the_same_table(table in tables()) {
        let (trie, entries) = laid_out(&table);
        let spread = spread(&trie, entries.clone());
        let mut many = choose::<Option<Box<[Label]>>>(&trie, &spread, &choices());
        many.sort_unstable();
        prop_assert_eq!(many, compress(&trie, entries, &choices()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_table_is_smaller(table in tables()) {
        let block = Cidr { family: Family::V4, bits: 10 << 24, length: BLOCK_LENGTH };
        let ours = compressed(&table)?.values().filter(|e| matches!(e, Entry::Exits(_))).count();
        prop_assert_eq!(ours, least(&table, block, None));
    }
}

#[test]
fn more_labels_than_bits_are_distinguished() {
    let host = |number: u32| Family::V4.host(u128::from((10 << 24) + number));
    let table: Table = (0..128).map(|number| (host(number), Entry::Exits(number / 2))).collect();
    let (trie, entries) = laid_out(&table);
    // One label covers everything, and each of the 63 others a pair.
    let choices = Choices { sets: (0..64).map(|label| [label].into()).collect(), labels: 64 };
    let routes = compress(&trie, entries, &choices);
    assert_eq!(routes.len(), 64);
    let compressed: Table =
        routes.into_iter().map(|(prefix, label)| (prefix, Entry::Exits(label))).collect();
    for number in 0..128 {
        let address = host(number).bits;
        assert_eq!(longest_match(&compressed, address), Entry::Exits(number / 2));
    }
}
