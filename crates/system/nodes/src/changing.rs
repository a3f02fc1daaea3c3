//! Changes of the network while it runs, one operation of [`netloom_plan::change`] at a time. An
//! operation affects only what it names. Not here: links in the data plane, and undoing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;

use netloom_plan::change::{Change, Existence, Operation};
use netloom_plan::{InterfacePlan, NodePlan, Plan, RoutePlan};
use netloom_scenario::{Controller, Endpoint, IpPrefix};

use crate::create::{create_namespace, enter_namespace, raise_file_limit};
use crate::device::Attachment;
use crate::network::Remains;
use crate::stack::configure::{
    Indices, LOOPBACK, MINIMUM_IPV6_MTU, configure, has_link_local, interface_index,
    interface_requests,
};
use crate::stack::netlink::{Netlink, Request};
use crate::{
    Device, HOSTS, Network, NodeError, PacingChange, View, outside, stack::direct, stack::pacing,
    stack::requests, stack::sysctl, stack::tap, teardown,
};

impl Network {
    /// Checks that a network with this plan can replace this one, which has the plan `old`: names
    /// must be valid file names, limits enforceable, and the machine must have the devices at ends
    /// of links.
    ///
    /// # Errors
    /// [`NodeError::Name`], [`NodeError::Limits`] or [`NodeError::NotOutside`].
    pub fn check(&self, old: &Plan, plan: &Plan) -> Result<(), NodeError> {
        self.layout().check_names(plan.nodes.iter().map(|node| node.name.as_str()))?;
        outside::check_change(self.layout(), old, plan)?;
        self.starter().cgroups().check(self.layout(), plan)
    }

    /// Changes the pacing of a node's interface. Its largest packet has `mtu` bytes.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel refuses, as one without `tbf` (`sch_tbf`) does.
    pub fn pace(
        &self,
        node: &str,
        interface: &str,
        mtu: u32,
        change: PacingChange,
    ) -> Result<(), NodeError> {
        self.in_node(node, || {
            let index = interface_index(node, interface)?;
            apply(node, pacing::requests(index, interface, mtu, change))
        })
    }

    /// Returns the number of neighbours of a node whose Ethernet addresses could not be resolved.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the kernel reports an error.
    pub fn unresolved_neighbours(&self, node: &str) -> Result<usize, NodeError> {
        let failed = |error| NodeError::in_node(node, "list its neighbours", error);
        self.in_node(node, || {
            let listed = Netlink::open().and_then(|mut netlink| netlink.unresolved());
            listed.map(|neighbours| neighbours.len()).map_err(failed)
        })
    }

    /// Whether there is a node of this name with a network stack.
    pub fn has_node(&self, node: &str) -> bool {
        self.nodes().contains_key(node)
    }

    /// Returns the differences between the machine's file system and that of the node's processes.
    pub fn view(&self, node: &str) -> Option<Arc<View>> {
        self.starter().view(node)
    }

    /// Sets the view of the node from its next first process on, and returns the previous one.
    pub fn set_view(&self, node: &str, view: Option<Arc<View>>) -> Option<Arc<View>> {
        self.starter().set_view(node, view)
    }

    /// Raises the limit on open files as a network with this plan needs.
    ///
    /// # Errors
    /// [`NodeError::System`] if the limit cannot be raised.
    pub fn prepare(&self, plan: &Plan) -> Result<(), NodeError> {
        raise_file_limit(plan).map(drop)
    }

    /// Carries out one operation, and returns the device if it creates one. Does nothing for
    /// operations on links in the data plane and on programs in nodes, which other code carries
    /// out.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel refuses, with the node and the object. The earlier steps
    /// of the operation may have been carried out then.
    pub fn carry_out(&self, operation: &Operation) -> Result<Option<Device>, NodeError> {
        match operation {
            Operation::SharedLimits(change) => {
                self.starter().cgroups_mut().share(&*self.ledger, &change.to)?;
            }
            Operation::Limits { node, change } => {
                self.starter().cgroups_mut().change(&*self.ledger, node, change.to).map_err(
                    |error| NodeError::Limited { node: node.clone(), source: Box::new(error) },
                )?;
            }
            Operation::Node(Existence::Made(node)) => self.make_node(node)?,
            Operation::Node(Existence::Removed(node)) => self.remove_node(&node.name),
            Operation::Interface { node, interface: Existence::Made(interface) } => {
                return self.make_interface(node, interface).map(Some);
            }
            Operation::Interface { node, interface: Existence::Removed(interface) } => {
                self.remove_device(node, &interface.name)?;
            }
            Operation::Pair { nodes, interfaces: Existence::Made(interfaces) } => {
                self.make_pair(nodes, interfaces)?;
            }
            Operation::Pair { nodes, interfaces: Existence::Removed(interfaces) } => {
                self.remove_device(&nodes[0], &interfaces[0].name)?;
            }
            Operation::Outside(Existence::Made(end)) => {
                return outside::add(&self.ledger, end).map(Some);
            }
            Operation::Outside(Existence::Removed(end)) => outside::take_away(&self.ledger, end)?,
            Operation::Parameter { node, key, change } => {
                self.in_node(node, || match &change.to {
                    Some(value) => sysctl::change(node, key, value),
                    None => sysctl::change(node, key, &sysctl::default_value(node, key)?),
                })?
            }
            Operation::Settings { node, change } => {
                self.in_node(node, || change_interface(node, change))?;
            }
            Operation::Loopback { node, change } => self.in_node(node, || {
                apply(node, changed_addresses(LOOPBACK, "lo", &change.from, &change.to))
            })?,
            Operation::Routes { node, change } => {
                self.in_node(node, || change_routes(node, change))?;
            }
            // The node's own kernel detects changes of neighbours itself.
            Operation::Neighbours { node, .. } if self.has_own_kernel(node) => {}
            Operation::Neighbours { node, interface } => self.in_node(node, || {
                let index = interface_index(node, interface)?;
                apply(node, requests::forget_neighbours(index, interface))
            })?,
            Operation::Hosts(change) => {
                self.write_hosts(&change.from, &change.to).inspect_err(|_| {
                    // The file may be empty or incomplete now.
                    let _ = self.write_hosts(&change.to, &change.from);
                })?;
            }
            Operation::TakeOut(_)
            | Operation::PutIn
            | Operation::Link { .. }
            | Operation::Medium { .. }
            | Operation::Start(_) => {}
        }
        Ok(None)
    }

    fn make_node(&self, node: &NodePlan) -> Result<(), NodeError> {
        let mut names: Vec<String> = self.nodes().keys().cloned().collect();
        names.push(node.name.clone());
        self.write_record(names)?;
        let admitted = self.starter().cgroups_mut().admit(&*self.ledger, node);
        let make = || {
            create_namespace(&self.ledger, node)?;
            // Parameters of its interfaces are set when these are created.
            sysctl::set_all(node, false)?;
            let bare = NodePlan { sysctls: Default::default(), ..node.clone() };
            configure(&bare, &[]).map(drop)
        };
        let made = admitted.and_then(|()| on_a_thread(make));
        match made {
            Ok(()) => {
                self.nodes_mut().insert(node.name.clone(), Default::default());
                Ok(())
            }
            Err(error) => {
                // Report the first error. It does no harm that the record contains more than there
                // is.
                let _ =
                    teardown::remove_node(&self.ledger, &node.name, self.cgroups_of(&node.name));
                self.starter().cgroups_mut().dismiss(&node.name);
                let _ = self.write_record(self.nodes().keys().cloned().collect());
                Err(error)
            }
        }
    }

    /// Removes a node. This never fails, because the node's processes cannot be restored: whatever
    /// could not be removed stays in the record, for [`destroy`](Network::destroy).
    fn remove_node(&self, name: &str) {
        let node = self.nodes_mut().remove(name);
        if let Some(init) = node.and_then(|node| node.running()) {
            init.kill();
        }
        let removed = teardown::remove_node(&self.ledger, name, self.cgroups_of(name));
        self.starter().cgroups_mut().dismiss(name);
        let recorded = || self.write_record(self.nodes().keys().cloned().collect());
        let problem = match removed {
            Ok(()) => recorded().err(),
            Err(error) => {
                self.remains().nodes.push(name.into());
                Some(error)
            }
        };
        if let Some(error) = problem {
            let problem = format!("node `{name}` has gone, but not without remains: {error}");
            self.remains().problems.push(problem);
        }
    }

    /// Returns descriptions of what could not be removed of nodes, since the last call.
    pub fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut self.remains().problems)
    }

    fn remains(&self) -> MutexGuard<'_, Remains> {
        self.remains.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make_interface(&self, node: &str, interface: &InterfacePlan) -> Result<Device, NodeError> {
        let name = &interface.name;
        let failed = |error| NodeError::in_node(node, format!("create {name}"), error);
        self.in_node(node, || {
            let fd = tap::create_for(interface).map_err(failed)?;
            let configured = configure_interface(node, interface);
            if configured.is_err() {
                drop(fd);
                // Report the first error.
                let _ = remove_device(node, name);
                return configured.map(|()| unreachable!("it is an error"));
            }
            let (node, name) = (node.into(), name.clone());
            let attachment = match interface.offloads {
                true => Attachment::Tap,
                false => Attachment::TapOfWireFrames,
            };
            Ok(Device { node, interface: name, fd, attachment })
        })
    }

    fn make_pair(
        &self,
        nodes: &[String; 2],
        interfaces: &[InterfacePlan; 2],
    ) -> Result<(), NodeError> {
        let end = |index: usize| Endpoint {
            node: nodes[index].clone(),
            interface: interfaces[index].name.clone(),
        };
        let (near, far) = (end(0), end(1));
        on_a_thread(|| direct::join_node(&self.ledger, &nodes[0], &[(near, &far)]))?;
        let configured = nodes.iter().zip(interfaces).try_for_each(|(node, interface)| {
            self.in_node(node, || configure_interface(node, interface))
        });
        let ready = configured.and_then(|()| {
            nodes.iter().zip(interfaces).try_for_each(|(node, interface)| {
                let interfaces = std::slice::from_ref(interface);
                self.in_node(node, || direct::wait_until_running(node, interfaces))
            })
        });
        if ready.is_err() {
            let _ = self.remove_device(&nodes[0], &interfaces[0].name);
        }
        ready
    }

    fn remove_device(&self, node: &str, interface: &str) -> Result<(), NodeError> {
        self.in_node(node, || remove_device(node, interface))
    }

    /// Writes the names of all nodes, for nodes in which something will run, and in the files of
    /// nodes in which something runs.
    fn write_hosts(&self, from: &str, to: &str) -> Result<(), NodeError> {
        let path = self.layout().hosts();
        fs::write(&path, to)
            .map_err(|error| NodeError::system(format!("write {}", path.display()), error))?;
        for init in self.nodes().values().filter_map(|node| node.running()) {
            // A node may have changed or removed its own file.
            let _ = init.files().and_then(|files| {
                let own = Path::new(HOSTS);
                let text = files.read(own)?;
                if text.contains(from) {
                    files.rewrite(own, &text.replacen(from, to, 1))?;
                }
                Ok(())
            });
        }
        Ok(())
    }

    fn write_record(&self, nodes: Vec<String>) -> Result<(), NodeError> {
        let nodes = nodes.into_iter().chain(self.remains().nodes.iter().cloned()).collect();
        self.ledger.change(|record| record.nodes = nodes)
    }

    /// Returns the cgroups that account for the processes of a node.
    fn cgroups_of(&self, node: &str) -> Vec<PathBuf> {
        let tree = self.starter().cgroups();
        let legacy = Controller::ALL.into_iter().filter_map(|c| tree.legacy(node, c));
        tree.unified(node).into_iter().chain(legacy).filter(|path| path.exists()).collect()
    }

    /// Runs `work` on a thread in the namespace of a node.
    fn in_node<T: Send>(
        &self,
        node: &str,
        work: impl FnOnce() -> Result<T, NodeError> + Send,
    ) -> Result<T, NodeError> {
        on_a_thread(|| {
            enter_namespace(&self.ledger, node)?;
            work()
        })
    }
}

/// Runs `work` on a new thread, because the calling thread must stay in its namespace.
fn on_a_thread<T: Send>(
    work: impl FnOnce() -> Result<T, NodeError> + Send,
) -> Result<T, NodeError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, work);
        let thread = thread.map_err(|error| NodeError::system("start a thread", error))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn apply(node: &str, requests: Vec<Request>) -> Result<(), NodeError> {
    let opened = Netlink::open();
    let mut netlink =
        opened.map_err(|error| NodeError::in_node(node, "open a netlink socket", error))?;
    let refused = |refused: crate::stack::netlink::Refused| {
        NodeError::in_node(node, refused.what, refused.source)
    };
    netlink.apply(requests).map_err(refused)
}

fn configure_interface(node: &str, interface: &InterfacePlan) -> Result<(), NodeError> {
    let index = interface_index(node, &interface.name)?;
    apply(node, interface_requests(node, interface, index)?)
}

fn remove_device(node: &str, interface: &str) -> Result<(), NodeError> {
    let index = interface_index(node, interface)?;
    apply(node, vec![requests::no_device(index, interface)])
}

fn change_interface(node: &str, change: &Change<Box<InterfacePlan>>) -> Result<(), NodeError> {
    let Change { from, to } = change;
    let name = &to.name;
    let index = interface_index(node, name)?;
    let mut requests = vec![];
    if (from.mac, from.mtu) != (to.mac, to.mtu) {
        requests.push(requests::properties(index, to));
    }
    // Below the smallest MTU of IPv6, the kernel removes all its addresses.
    let had_ipv6 = from.mtu >= MINIMUM_IPV6_MTU;
    let comes_back = !had_ipv6 && to.mtu >= MINIMUM_IPV6_MTU;
    if from.mac != to.mac && had_ipv6 {
        let link_local = requests::link_local(from.mac);
        requests.push(requests::no_address(index, name, link_local).or_done());
    }
    if (from.mac != to.mac && to.mtu >= MINIMUM_IPV6_MTU) || comes_back {
        apply(node, std::mem::take(&mut requests))?;
        if has_link_local(node, name)? {
            let link_local = requests::link_local(to.mac);
            requests.push(requests::address(index, name, link_local).or_done());
        }
    }
    let kept = |prefix: &&IpPrefix| !(comes_back && matches!(prefix, IpPrefix::V6(_)));
    let from: Vec<IpPrefix> = from.addresses.iter().filter(kept).copied().collect();
    requests.extend(changed_addresses(index, name, &from, &to.addresses));
    // Otherwise, with the first address of a network, the kernel also removes the others of that
    // network.
    let key = format!("net/ipv4/conf/{name}/promote_secondaries");
    sysctl::change(node, &key, "1")?;
    let applied = apply(node, requests);
    let default = sysctl::default_value(node, &key)?;
    sysctl::change(node, &key, &default)?;
    applied
}

/// Adds new addresses first: an interface that loses its last address loses its routes.
fn changed_addresses(index: u32, name: &str, from: &[IpPrefix], to: &[IpPrefix]) -> Vec<Request> {
    let come = to.iter().filter(|prefix| !from.contains(prefix));
    let go = from.iter().filter(|prefix| !to.contains(prefix));
    let come = come.map(|prefix| requests::address(index, name, *prefix).or_done());
    let go = go.map(|prefix| requests::no_address(index, name, *prefix).or_done());
    come.chain(go).collect()
}

/// Changes routes. A route to the same destination is replaced in one step.
fn change_routes(node: &str, change: &Change<Vec<RoutePlan>>) -> Result<(), NodeError> {
    let key = |route: &RoutePlan| (route.to, route.metric);
    let come: HashSet<_> = change.to.iter().map(key).collect();
    let mut indices = Indices::of(node);
    let mut requests = Vec::with_capacity(change.to.len() + change.from.len());
    for route in &change.to {
        requests.push(requests::route(route, indices.of_route(route)?));
    }
    for route in change.from.iter().filter(|route| !come.contains(&key(route))) {
        // If the interface was removed, the kernel has removed the route with it.
        if let Ok(index) = indices.of_route(route) {
            requests.push(requests::no_route(route, index).or_done());
        }
    }
    apply(node, requests)
}
