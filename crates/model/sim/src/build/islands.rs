//! Decides which links a fabric drives. Not here: the networks that it drives (`plant::island`).

use std::collections::BTreeMap;

use netloom_fabric::{LinkEnd, PortId, SegmentId};
use netloom_link::{Discipline, PipeConfig};

use super::sets::Sets;
use crate::network::Network;

/// The islands, which a fabric runs: links at switches and trunks, and links whose queues or
/// conditioners examine headers now or at a later time. All links at one switch are in one island.
#[derive(Debug)]
pub(crate) struct Islands {
    of_links: Vec<Option<usize>>,
}

impl Islands {
    /// Returns the islands of a network.
    pub fn of(network: &Network) -> Self {
        let mut classified: Vec<bool> =
            network.links.iter().map(|link| link.pipes.iter().any(looks_at_headers)).collect();
        for (pipe, change) in network.timeline.iter().flat_map(|change| &change.changes) {
            let mut config = PipeConfig::default();
            change.apply_to(&mut config);
            classified[pipe.link.index()] |= looks_at_headers(&config);
        }
        // At first each link is an island of its own. Links at the same switch then join the one
        // with the lowest number.
        let mut first_at: BTreeMap<SegmentId, usize> = BTreeMap::new();
        let mut same = Sets::new(network.links.len());
        let mut needs = classified;
        for (number, link) in network.links.iter().enumerate() {
            for end in &link.ends {
                match end {
                    LinkEnd::Port(_) => {}
                    LinkEnd::Away { .. } => unreachable!("a simulation has all ends of its links"),
                    LinkEnd::Trunk { .. } => needs[number] = true,
                    LinkEnd::Segment(port) => {
                        needs[number] = true;
                        let first = *first_at.entry(port.segment()).or_insert(number);
                        same.join(first, number);
                    }
                }
            }
        }
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let of_links = needs.iter().enumerate().map(|(link, needs)| {
            needs.then(|| {
                let next = numbers.len();
                *numbers.entry(same.first(link)).or_insert(next)
            })
        });
        Self { of_links: of_links.collect() }
    }

    pub fn of_link(&self, number: u32) -> Option<usize> {
        self.of_links[number as usize]
    }
}

/// Whether conditioners or the queue discipline need the headers of frames. Only FIFO never does.
fn looks_at_headers(pipe: &PipeConfig) -> bool {
    !pipe.condition.is_none() || !matches!(pipe.queue.discipline, Discipline::Fifo(_))
}

/// Returns the ports at an end of a link.
pub(super) fn ports_of(end: &LinkEnd) -> Vec<PortId> {
    match end {
        LinkEnd::Port(port) => vec![*port],
        LinkEnd::Trunk { untagged, vlans } => {
            vlans.iter().map(|(_, port)| *port).chain([*untagged]).collect()
        }
        LinkEnd::Segment(_) | LinkEnd::Away { .. } => Vec::new(),
    }
}
