//! Direct links: pairs of kernel devices (veth) between nodes, without the engine.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use netloom_plan::{InterfacePlan, NodePlan, Plan};
use netloom_scenario::Endpoint;

use crate::books::ledger::Ledger;
use crate::stack::netlink::Netlink;
use crate::{NodeError, stack::interface, stack::requests};

/// Longest time for the kernel to make a device ready whose peer is up.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time between two checks whether it is ready.
const PAUSE: Duration = Duration::from_millis(1);

/// Whether a node has an interface with a direct link.
pub(crate) fn is_joined(node: &NodePlan) -> bool {
    node.interfaces.iter().any(|interface| interface.direct_peer.is_some())
}

/// Creates the devices of all direct links. The namespaces of their nodes must exist.
pub(crate) fn join(ledger: &Ledger, plan: &Plan) -> Result<(), NodeError> {
    let mut pairs: BTreeMap<&str, Vec<(Endpoint, &Endpoint)>> = BTreeMap::new();
    for node in &plan.nodes {
        for interface in &node.interfaces {
            let end = Endpoint { node: node.name.clone(), interface: interface.name.clone() };
            // Both ends name each other; the first one creates both.
            let Some(peer) = interface.direct_peer.as_ref().filter(|peer| end < **peer) else {
                continue;
            };
            pairs.entry(&node.name).or_default().push((end, peer));
        }
    }
    // Never on the caller's thread, which must stay in its namespace.
    thread::scope(|scope| {
        let made = scope
            .spawn(|| pairs.iter().try_for_each(|(node, pairs)| join_node(ledger, node, pairs)));
        made.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Creates the devices of one node, and their peers.
pub(crate) fn join_node(
    ledger: &Ledger,
    node: &str,
    pairs: &[(Endpoint, &Endpoint)],
) -> Result<(), NodeError> {
    let failed = |action: String, error| NodeError::in_node(node, action, error);
    ledger.enter(node).map_err(|error| failed("enter its namespace".into(), error))?;
    let mut netlink =
        Netlink::open().map_err(|error| failed("open a netlink socket".into(), error))?;
    // Open until the kernel has found the namespaces by these descriptors.
    let namespaces = pairs.iter().map(|(_, peer)| {
        let namespace = ledger.namespace(&peer.node);
        namespace.map_err(|error| failed(format!("find the namespace of {}", peer.node), error))
    });
    let namespaces: Vec<Arc<File>> = namespaces.collect::<Result<_, NodeError>>()?;
    let requests = pairs.iter().zip(&namespaces);
    let requests = requests
        .map(|((end, peer), namespace)| requests::veth_pair(end, peer, namespace.as_raw_fd()));
    netlink.apply(requests).map_err(|refused| failed(refused.what, refused.source))
}

/// Waits until the devices of the direct links of `node` can send. The calling thread must be in
/// its namespace, and their peers must be up. The kernel makes a device ready a moment after its
/// peer is up, and drops frames before that.
pub(crate) fn wait_until_running(
    node: &str,
    interfaces: &[InterfacePlan],
) -> Result<(), NodeError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let states = interface::states()
            .map_err(|error| NodeError::in_node(node, "look at its interfaces", error))?;
        let is_running =
            |name: &str| states.iter().any(|state| state.running && state.name == name);
        let mut direct = interfaces.iter().filter(|end| end.direct_peer.is_some());
        let Some(waiting) = direct.find(|end| !is_running(&end.name)) else { return Ok(()) };
        if Instant::now() > deadline {
            let action = format!("wait until {} can send", waiting.name);
            return Err(NodeError::in_node(node, action, io::ErrorKind::TimedOut));
        }
        thread::sleep(PAUSE);
    }
}
