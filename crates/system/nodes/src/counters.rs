//! What the kernel counts at the interfaces and sockets of nodes, for the engine.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use netloom_scenario::Endpoint;

use crate::stack::interface::{self, InterfaceAddress, InterfaceState};
use crate::stack::{netns, overruns};
use crate::{Network, NodeError, Overruns, own_kernel};

/// Counters of a network's nodes.
#[derive(Debug, Clone, Copy)]
pub struct Counters<'n>(&'n Network);

impl Network {
    /// Returns the counters of its nodes.
    pub fn counters(&self) -> Counters<'_> {
        Counters(self)
    }
}

impl Counters<'_> {
    /// Returns the number of frames that the interfaces of all nodes have dropped instead of
    /// sending them: node, interface, frames. This takes little more than a third of the work of
    /// [`interfaces`](Self::interfaces).
    ///
    /// # Errors
    /// [`NodeError::System`] if a node's counters cannot be read.
    pub fn dropped(self) -> Result<Vec<(Endpoint, u64)>, NodeError> {
        // Held, so that no node is removed meanwhile.
        let nodes = self.0.nodes();
        let names: Vec<&str> = nodes.keys().map(String::as_str).collect();
        let dropped = self.in_each(&names, interface::dropped)?;
        let mut all = vec![];
        for (node, mut dropped) in names.into_iter().zip(dropped) {
            self.add_losses(node, dropped.iter_mut().map(|(name, frames)| (&*name, frames)))?;
            let end = |interface| Endpoint { node: node.into(), interface };
            all.extend(dropped.into_iter().map(|(interface, frames)| (end(interface), frames)));
        }
        Ok(all)
    }

    /// Returns the states and counters of the interfaces of some nodes.
    ///
    /// # Errors
    /// [`NodeError::System`] if a node's counters cannot be read.
    pub fn interfaces(self, nodes: Vec<&str>) -> Result<Vec<InterfaceState>, NodeError> {
        let mut states = self.in_each(&nodes, interface::states)?;
        for (node, states) in nodes.iter().zip(&mut states) {
            let dropped = states.iter_mut().map(|state| (&state.name, &mut state.dropped));
            self.add_losses(node, dropped)?;
        }
        let named = nodes.into_iter().zip(states).flat_map(|(node, states)| {
            states.into_iter().map(move |state| InterfaceState { node: node.into(), ..state })
        });
        Ok(named.collect())
    }

    /// Returns the addresses that interfaces of all nodes have now, by node: those of the plan, and
    /// those that programs in the nodes have added since, like leases of DHCP. Loopback and
    /// link-local addresses are left out, and nodes with a kernel of their own.
    ///
    /// # Errors
    /// [`NodeError::System`] if a node cannot be asked.
    pub fn addresses(self) -> Result<HashMap<String, Vec<InterfaceAddress>>, NodeError> {
        // Held, so that no node is removed meanwhile.
        let nodes = self.0.nodes();
        let names = nodes.keys().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| !self.0.has_own_kernel(name)).collect();
        let found = self.in_each(&names, interface::addresses)?;
        Ok(names.into_iter().map(Into::into).zip(found).collect())
    }

    /// Returns the number of packets that the sockets of each node had no room for, by node name.
    ///
    /// # Errors
    /// [`NodeError::System`] if a node's counters cannot be read.
    pub fn overruns(self) -> Result<Vec<(String, Overruns)>, NodeError> {
        // Held, so that no node is removed meanwhile.
        let nodes = self.0.nodes();
        let names: Vec<&str> = nodes.keys().map(String::as_str).collect();
        let counted = self.in_each(&names, overruns::overruns)?;
        Ok(names.into_iter().map(Into::into).zip(counted).collect())
    }

    /// Returns the CPU time that [`interfaces`](Self::interfaces) has taken so far, on
    /// threads of its own.
    pub fn spent(self) -> Duration {
        Duration::from_nanos(self.0.spent_in_nodes.load(Ordering::Relaxed))
    }

    /// Adds the losses of a node's own kernel to the drops of interfaces, by name.
    fn add_losses<'a>(
        self,
        node: &str,
        dropped: impl Iterator<Item = (&'a String, &'a mut u64)>,
    ) -> Result<(), NodeError> {
        let Some(kernel) = self.0.starter().own_kernel(node) else { return Ok(()) };
        let counted = self.0.enter(node, own_kernel::losses);
        let counted =
            counted.map_err(|error| NodeError::in_node(node, own_kernel::COUNT, error))?;
        let counted = kernel.lost.update(counted);
        for (name, frames) in dropped {
            *frames += counted.get(name).unwrap_or(&0);
        }
        Ok(())
    }

    fn in_each<T: Send>(
        self,
        nodes: &[&str],
        read: impl FnMut() -> io::Result<T> + Send,
    ) -> Result<Vec<T>, NodeError> {
        let failed = |error| NodeError::system("read the counters of the nodes' interfaces", error);
        let namespaces = nodes.iter().map(|name| self.0.ledger.namespace(name));
        let namespaces = namespaces.collect::<io::Result<Vec<_>>>().map_err(failed)?;
        netns::inside_each(&namespaces, read, &self.0.spent_in_nodes).map_err(failed)
    }
}
