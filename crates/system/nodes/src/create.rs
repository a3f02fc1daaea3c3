//! Creates all nodes, several at a time, and removes them if one fails.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{fs, thread};

use netloom_plan::{NodePlan, Plan};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::books::borrowed::Borrowed;
use crate::books::layout::OUTSIDE;
use crate::books::ledger::Ledger;
use crate::books::ours::Ours;
use crate::books::record::Record;
use crate::cgroup::Tree;
use crate::outside;
use crate::stack::configure::{configure, prepare as prepare_node};
use crate::stack::direct;
use crate::teardown;
use crate::{Demand, Device, Layout, NodeError, own_kernel, rootless, stack::netns, stack::tap};

/// Largest number of threads that create nodes. About half of the work is under one lock of the
/// kernel, for which they take turns.
const MOST_THREADS: usize = 4;

/// Raises the limit on open files to what the plan needs, and returns the previous limits.
pub(crate) fn raise_file_limit(plan: &Plan) -> Result<(u64, u64), NodeError> {
    let interfaces: usize = plan.nodes.iter().map(|node| node.interfaces.len()).sum();
    let interfaces = interfaces as u64;
    // This includes the few interfaces that are ends of direct links.
    let demand =
        Demand { nodes: plan.nodes.len() as u64, interfaces, opened: interfaces, neighbours: 0 };
    let needed = demand.files_with_processes();
    let files = Resource::RLIMIT_NOFILE;
    let failed = |errno| NodeError::system("raise the limit on open files", io::Error::from(errno));
    let (soft, hard) = getrlimit(files).map_err(failed)?;
    if soft < needed && setrlimit(files, needed, hard.max(needed)).is_err() {
        // Without the privilege to exceed the hard limit, raise the soft limit to it: that may be
        // enough.
        setrlimit(files, hard, hard).map_err(failed)?;
    }
    Ok((soft, hard))
}

/// Creates the nodes and returns the records with their devices. After an error, nothing remains.
pub(crate) fn create(
    layout: &Layout,
    plan: &Plan,
    cgroups: &mut Tree,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<(Ledger, Vec<Device>), NodeError> {
    layout.check_names(plan.nodes.iter().map(|node| node.name.as_str()))?;
    check_absent(layout, plan)?;
    let interfaces = || plan.nodes.iter().flat_map(|node| &node.interfaces);
    if interfaces().any(|interface| interface.direct_peer.is_none()) {
        tap::check_permitted().map_err(|source| NodeError::NoTap { source })?;
    }
    if let Some(node) = plan.nodes.iter().find(|node| node.own_kernel.is_some()) {
        let no_kernel = |why| NodeError::Kernel { node: node.name.clone(), why };
        own_kernel::check().map_err(no_kernel)?;
    }
    let borrowed = outside::check(layout, plan)?;
    let ledger = open_ledger(layout, plan, borrowed)?;
    let made = prepare(layout, plan)
        .and_then(|()| cgroups.make(&ledger))
        .and_then(|()| create_nodes(&ledger, plan, progress))
        .and_then(|mut devices| {
            devices.extend(outside::make(&ledger, plan)?);
            Ok(devices)
        });
    match made {
        Ok(devices) => Ok((ledger, devices)),
        Err(error) => {
            // Report the first error.
            let _ = remove(&ledger);
            Err(error)
        }
    }
}

/// Checks that nothing with these names exists.
fn check_absent(layout: &Layout, plan: &Plan) -> Result<(), NodeError> {
    let outside = plan.outside.iter().take(1).map(|_| OUTSIDE);
    let nodes = plan.nodes.iter().map(|node| node.name.as_str());
    let namespaces = nodes.chain(outside).map(|node| layout.namespace(node));
    let found = namespaces.chain([layout.record()]).chain(layout.cgroups()).find(|p| p.exists());
    found.map_or(Ok(()), |path| {
        let experiment = layout.experiment().into();
        Err(NodeError::Exists { experiment, what: path.display().to_string() })
    })
}

/// Opens the records, before anything is created.
fn open_ledger(layout: &Layout, plan: &Plan, borrowed: Borrowed) -> Result<Ledger, NodeError> {
    layout.create_state_dir()?;
    let nodes = plan.nodes.iter().map(|node| node.name.clone()).collect();
    let user_namespace = layout.is_rootless().then(rootless::own).flatten();
    Ledger::open(layout, Record::new(nodes, user_namespace, borrowed)?)
}

/// Creates the files that nodes share.
fn prepare(layout: &Layout, plan: &Plan) -> Result<(), NodeError> {
    let resolver = "# Names of nodes are in /etc/hosts. Nodes reach no name server.\n";
    for (path, text) in [(layout.hosts(), plan.hosts_file.as_str()), (layout.resolver(), resolver)]
    {
        fs::write(&path, text)
            .map_err(|error| NodeError::system(format!("write {}", path.display()), error))?;
    }
    netns::prepare(layout.netns_dir()).map_err(|error| {
        NodeError::system(format!("prepare {}", layout.netns_dir().display()), error)
    })?;
    Ok(())
}

fn create_nodes(
    ledger: &Ledger,
    plan: &Plan,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Device>, NodeError> {
    let count = plan.nodes.len();
    let done = AtomicUsize::new(0);
    let finish = |index: usize| {
        let node = &plan.nodes[index];
        let devices = match node.own_kernel {
            Some(_) => own_kernel::wire(node),
            None => configure(node, &plan.routes(index)),
        };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        devices
    };
    let (joined, alone): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|index| direct::is_joined(&plan.nodes[*index]));
    let mut devices = in_parallel(&alone, |index| {
        create_namespace(ledger, &plan.nodes[index])?;
        finish(index)
    })?;
    // A pair of devices needs both namespaces, and must exist before addresses and routes.
    in_parallel(&joined, |index| {
        create_namespace(ledger, &plan.nodes[index])?;
        prepare_node(&plan.nodes[index])
    })?;
    direct::join(ledger, plan)?;
    devices.extend(in_parallel(&joined, |index| {
        enter_namespace(ledger, &plan.nodes[index].name)?;
        finish(index)
    })?);
    // Not before the peers of all devices are up.
    in_parallel(&joined, |index| {
        enter_namespace(ledger, &plan.nodes[index].name)?;
        let node = &plan.nodes[index];
        direct::wait_until_running(&node.name, &node.interfaces)
    })?;
    Ok(devices.into_values().flatten().collect())
}

/// Runs `work` for all nodes of `indices`, several at a time, each on a thread that may change its
/// namespace. Returns the results by node, or the first error.
pub(crate) fn in_parallel<T: Send>(
    indices: &[usize],
    work: impl Fn(usize) -> Result<T, NodeError> + Sync,
) -> Result<BTreeMap<usize, T>, NodeError> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    // By node, because threads finish in any order.
    let results = Mutex::new(BTreeMap::new());
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let Some(index) = indices.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let result = work(*index);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            lock(&results).insert(*index, result);
        }
    };
    // One more than CPUs, since one of them mostly waits for its turn.
    let threads = thread::available_parallelism().map_or(1, |cpus| cpus.get() + 1);
    let threads = threads.min(MOST_THREADS);
    // Never on the caller's thread: each thread ends in the namespace of its last node.
    let started = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).map(drop);
        let started: Vec<io::Result<()>> = (0..threads.min(indices.len())).map(start).collect();
        // A single thread can do all the work.
        let failed =
            started.iter().all(Result::is_err).then(|| started.into_iter().find_map(Result::err));
        failed.flatten().map_or(Ok(()), Err)
    });
    started.map_err(|error| NodeError::system("start a thread", error))?;
    let results = std::mem::take(&mut *lock(&results));
    results.into_iter().map(|(index, result)| Ok((index, result?))).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Creates the namespace of a node. The calling thread is in it afterwards.
pub(crate) fn create_namespace(ledger: &Ledger, node: &NodePlan) -> Result<(), NodeError> {
    ledger.create_namespace(&node.name).map_err(|error| {
        let path = ledger.layout().namespace(&node.name);
        NodeError::in_node(&node.name, format!("make namespace {}", path.display()), error)
    })
}

/// Moves the calling thread into the namespace of a node.
pub(crate) fn enter_namespace(ledger: &Ledger, node: &str) -> Result<(), NodeError> {
    ledger.enter(node).map_err(|error| NodeError::in_node(node, "enter its namespace", error))
}

/// Removes nodes and files of an experiment that no longer has processes of ours. Other things in
/// the state directory remain.
pub(crate) fn remove(ledger: &Ledger) -> Result<(), NodeError> {
    teardown::remove(&Ours::of(ledger))?;
    ledger.close()
}
