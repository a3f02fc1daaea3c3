//! The table of one node in one family.

use std::rc::Rc;

use netloom_scenario::{InterfaceIndex, NodeKind};

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::Topology;

use super::beginnings::Beginnings;
use super::compress::{Choice, Choices, Entry, compress};
use super::destinations::Destination;
use super::graph::Graph;
use super::labels::Label;
use super::trie::{PrefixIndex, Trie};
use super::{Exit, Ties};

/// A node that has a table.
pub(super) struct RouteOrigin {
    /// Index of the node in the scenario.
    pub index: usize,
    host: bool,
    /// Prefixes with routes from elsewhere: the kernel's to connected networks, and those that the
    /// scenario gives.
    foreign: Vec<Cidr>,
    /// The node's own loopback addresses.
    local: Vec<Cidr>,
}

impl RouteOrigin {
    pub fn new(topology: &Topology<'_>, addressing: &Addressing, index: usize) -> Self {
        let node = topology.node(index);
        let connected = (0..node.interfaces.len())
            .flat_map(|interface| addressing.of_port(InterfaceIndex { node: index, interface }))
            .map(|cidr| cidr.network());
        let own = node.routes.iter().map(|route| Cidr::from(route.to).network());
        Self {
            index,
            host: node.kind == NodeKind::Host,
            foreign: connected.chain(own).collect(),
            local: addressing.loopback_cidrs(index).to_vec(),
        }
    }
}

/// The data that all tables of one family share.
pub(super) struct FamilyTables {
    pub family: Family,
    pub ties: Ties,
    destinations: Vec<Destination>,
    /// PrefixIndex of each destination in the trie.
    places: Vec<PrefixIndex>,
    trie: Trie,
}

/// The table of a node before it is compressed.
pub(super) struct Entries {
    /// Entries by place in the trie.
    entries: Vec<Entry>,
    choices: Choices,
    /// Exits by label.
    exits: Vec<Exit>,
}

impl FamilyTables {
    /// Creates the data for the tables of `sources`.
    pub fn new<'s>(
        family: Family,
        ties: Ties,
        destinations: Vec<Destination>,
        sources: impl Iterator<Item = &'s RouteOrigin>,
    ) -> Self {
        let theirs: Vec<Cidr> = sources
            .flat_map(|source| source.foreign.iter().chain(&source.local))
            .copied()
            .collect();
        let prefixes = destinations.iter().map(|destination| destination.prefix).chain(theirs);
        let trie = Trie::new(family, prefixes.filter(|prefix| prefix.family == family));
        // Invariant: the trie was made from these prefixes.
        let place = |to: &Destination| trie.place(to.prefix).expect("a place for a destination");
        let places = destinations.iter().map(place).collect();
        Self { family, ties, destinations, places, trie }
    }

    /// Returns the smallest table that leads the packets of `source` along paths with these
    /// beginnings.
    pub fn table(
        &self,
        graph: &Graph,
        source: &RouteOrigin,
        beginnings: impl FnOnce() -> Rc<Beginnings>,
    ) -> Vec<(Cidr, Exit)> {
        let gateway = || graph.only_gateway(source.index, self.family);
        if let Some(exit) = source.host.then(gateway).flatten() {
            return self.default_route(source, exit);
        }
        let table = self.entries(graph, source, &beginnings());
        match table.exits[..] {
            [exit] if source.host => self.default_route(source, exit),
            _ => table.compressed(&self.trie),
        }
    }

    fn default_route(&self, source: &RouteOrigin, exit: Exit) -> Vec<(Cidr, Exit)> {
        let default = self.family.default_route();
        if source.foreign.contains(&default) { vec![] } else { vec![(default, exit)] }
    }

    /// Returns the exits to every destination that the node reaches and has no other route to.
    fn entries(&self, graph: &Graph, source: &RouteOrigin, beginnings: &Beginnings) -> Entries {
        let mut entries = vec![Entry::Absent; self.trie.prefixes.len()];
        let mut mark = |prefixes: &[Cidr], entry| {
            for place in prefixes.iter().filter_map(|prefix| self.trie.place(*prefix)) {
                entries[place as usize] = entry;
            }
        };
        mark(&source.local, Entry::Local);
        mark(&source.foreign, Entry::Foreign);
        let mut ways = Ways::new(self, graph, source.index, beginnings);
        for (destination, place) in self.destinations.iter().zip(&self.places) {
            let entry = &mut entries[*place as usize];
            if *entry == Entry::Absent {
                *entry = ways.choice(destination.owners).map_or(Entry::Absent, Entry::Exits);
            }
        }
        let choices = Choices { sets: ways.sets, labels: ways.exits.len() };
        Entries { entries, choices, exits: ways.exits }
    }
}

#[cfg(test)]
impl FamilyTables {
    /// Returns the routes for each destination, of which the table needs one.
    pub fn uncompressed(
        &self,
        graph: &Graph,
        source: &RouteOrigin,
        beginnings: &Beginnings,
    ) -> Vec<(Cidr, Exit)> {
        let table = self.entries(graph, source, beginnings);
        let mut routes = vec![];
        for (entry, prefix) in table.entries.iter().zip(&self.trie.prefixes) {
            if let Entry::Exits(choice) = entry {
                let labels = table.choices.sets[*choice as usize].iter();
                routes.extend(labels.map(|label| (*prefix, table.exits[*label as usize])));
            }
        }
        routes
    }
}

impl Entries {
    fn compressed(self, trie: &Trie) -> Vec<(Cidr, Exit)> {
        let routes = compress(trie, self.entries, &self.choices).into_iter();
        routes.map(|(prefix, label)| (prefix, self.exits[label as usize])).collect()
    }
}

/// The exits of a node that are needed, and the sets of exits from which destinations choose.
struct Ways<'a> {
    graph: &'a Graph,
    index: usize,
    family: Family,
    ties: Ties,
    beginnings: &'a Beginnings,
    /// Labels by edge of the node.
    labels: Vec<Option<Label>>,
    /// Exits by label.
    exits: Vec<Exit>,
    /// Choice for each set of edges, once it was requested; `Some(None)` if none of them leads out.
    known: Vec<Option<Option<Choice>>>,
    /// Sets of labels by choice.
    sets: Vec<Box<[Label]>>,
}

impl<'a> Ways<'a> {
    fn new(
        tables: &FamilyTables,
        graph: &'a Graph,
        index: usize,
        beginnings: &'a Beginnings,
    ) -> Self {
        Self {
            graph,
            index,
            family: tables.family,
            ties: tables.ties,
            beginnings,
            labels: vec![None; graph.edges[index].len()],
            exits: vec![],
            known: vec![None; beginnings.count()],
            sets: vec![],
        }
    }

    /// Returns the choice among the edges that lead to the nearest of `owners`; `None` if none
    /// does.
    fn choice(&mut self, owners: usize) -> Option<Choice> {
        let number = self.beginnings.number(owners);
        if let Some(known) = self.known[number] {
            return known;
        }
        let edges = self.beginnings.set(number).iter().take(match self.ties {
            // Edges are in the order of their neighbours' names.
            Ties::ByName => 1,
            Ties::BySize => usize::MAX,
        });
        let mut set: Vec<Label> = edges.filter_map(|edge| self.label(edge)).collect();
        set.sort_unstable();
        set.dedup();
        let choice = Choice::try_from(self.sets.len()).ok().filter(|_| !set.is_empty());
        if choice.is_some() {
            self.sets.push(set.into());
        }
        self.known[number] = Some(choice);
        choice
    }

    /// Returns the label of an edge's exit. Labels are numbered in the order in which they are
    /// first needed.
    fn label(&mut self, edge: usize) -> Option<Label> {
        if self.labels[edge].is_none() {
            let exit = self.graph.edges[self.index][edge].exit(self.family)?;
            // Two edges may have the same exit.
            let known = self.exits.iter().position(|known| *known == exit);
            let label = known.unwrap_or_else(|| {
                self.exits.push(exit);
                self.exits.len() - 1
            });
            self.labels[edge] = Label::try_from(label).ok();
        }
        self.labels[edge]
    }
}
