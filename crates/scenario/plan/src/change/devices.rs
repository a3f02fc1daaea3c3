//! Kernel devices of a plan: those that stay, those that are added and those that are removed.

use std::collections::{HashMap, HashSet};

use super::{Existence, Operation};
use crate::{NodePlan, Plan};

/// Names of a node and of its interface.
pub(super) type End<'a> = (&'a str, &'a str);

/// A kernel device, or a pair of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Device<'a> {
    /// A TAP, with or without offloads.
    Tap(End<'a>, bool),
    Pair([End<'a>; 2]),
}

/// Returns all devices of a plan, each pair once.
pub(super) fn devices(plan: &Plan) -> Vec<Device<'_>> {
    let mut devices = vec![];
    for node in &plan.nodes {
        for interface in &node.interfaces {
            let end = (node.name.as_str(), interface.name.as_str());
            match &interface.direct_peer {
                None => devices.push(Device::Tap(end, interface.offloads)),
                Some(peer) => {
                    let peer = (peer.node.as_str(), peer.interface.as_str());
                    devices.extend((end < peer).then_some(Device::Pair([end, peer])));
                }
            }
        }
    }
    devices
}

impl<'a> Device<'a> {
    /// The ends of the device.
    pub fn ends(self) -> impl Iterator<Item = End<'a>> {
        let (one, other) = match self {
            Self::Tap(end, _) => (end, None),
            Self::Pair([end, peer]) => (end, Some(peer)),
        };
        [one].into_iter().chain(other)
    }

    /// Returns the operation that makes or removes the device, with its properties in these nodes.
    pub fn operation(self, nodes: &HashMap<&str, &NodePlan>, made: bool) -> Option<Operation> {
        let planned = |(node, interface): End<'_>| {
            let mut interfaces = nodes.get(node)?.interfaces.iter();
            interfaces.find(|planned| planned.name == interface).cloned()
        };
        Some(match self {
            Self::Tap(end, _) => Operation::Interface {
                node: end.0.into(),
                interface: existence(planned(end)?, made),
            },
            Self::Pair(ends) => Operation::Pair {
                nodes: ends.map(|end| end.0.into()),
                interfaces: existence([planned(ends[0])?, planned(ends[1])?], made),
            },
        })
    }
}

fn existence<T>(it: T, made: bool) -> Existence<T> {
    if made { Existence::Made(it) } else { Existence::Removed(it) }
}

/// The devices that change.
pub(super) struct Turnover<'a> {
    pub coming: Vec<Device<'a>>,
    pub going: Vec<Device<'a>>,
    /// Ends of the devices in `coming`.
    pub made: HashSet<End<'a>>,
    /// Ends of the devices in `going`.
    pub removed: HashSet<End<'a>>,
}

impl<'a> Turnover<'a> {
    /// Compares the devices of two plans. `is_replaced` returns whether a node is made anew.
    pub fn between(old: &'a Plan, new: &'a Plan, is_replaced: impl Fn(&str) -> bool) -> Self {
        let (old, new) = (devices(old), devices(new));
        // A kernel device stays if it is in both plans and its nodes are not replaced.
        let stays = |device: &Device<'_>, others: &HashSet<Device<'_>>| {
            others.contains(device) && !device.ends().any(|(node, _)| is_replaced(node))
        };
        let old_set: HashSet<Device<'_>> = old.iter().copied().collect();
        let new_set: HashSet<Device<'_>> = new.iter().copied().collect();
        let coming: Vec<Device<'a>> =
            new.into_iter().filter(|device| !stays(device, &old_set)).collect();
        let going: Vec<Device<'a>> =
            old.into_iter().filter(|device| !stays(device, &new_set)).collect();
        let ends =
            |devices: &[Device<'a>]| devices.iter().flat_map(|device| device.ends()).collect();
        Self { made: ends(&coming), removed: ends(&going), coming, going }
    }
}
