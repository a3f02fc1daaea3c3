//! The network of one experiment, from creation to destruction.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use netloom_plan::Plan;
use netloom_scenario::{Controller, Disk};

use crate::books::ledger::Ledger;
use crate::cgroup::{self, NodeCgroups, Tree, Usage};
use crate::context::Context;
use crate::device::Device;
use crate::process::node::{Killed, Node, OnExit, Processes};
use crate::process::reactor::Reactor;
use crate::process::starter::Starter;
use crate::{Layout, NodeError, SpawnRequest, Spawned, create, process::oom, shell, stack::netns};

/// Longest time for the processes of all nodes to end in [`Network::destroy`].
const PATIENCE: Duration = Duration::from_secs(10);

/// The nodes of an experiment in the kernel. Dropping it destroys them, and ignores problems;
/// [`Network::destroy`] reports them.
#[derive(Debug)]
pub struct Network {
    pub(crate) ledger: Arc<Ledger>,
    nodes: RwLock<Nodes>,
    starter: Starter,
    /// Whether there are cgroups of version 2 that we may use.
    has_cgroups: bool,
    reactor: Option<Reactor>,
    pub(crate) remains: Mutex<Remains>,
    /// CPU time of threads that looked at interfaces, in ns.
    pub(crate) spent_in_nodes: AtomicU64,
}

/// The remains of nodes that were removed while the network lives.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    /// Names of the nodes, for the record.
    pub nodes: Vec<String>,
    /// Objects that could not be removed, with the reasons, until they are reported.
    pub problems: Vec<String>,
}

/// The nodes by name.
type Nodes = HashMap<String, Arc<Node>>;

impl Network {
    /// Makes all nodes of `plan`, several at a time, and returns their devices, in the order of the
    /// plan. `progress` is called from several threads, with the number of nodes that are done and
    /// the number of all. On an error everything made so far is removed.
    ///
    /// The limit on open files is raised as far as the devices need it, and where memory runs out,
    /// the kernel kills others before this process, if it may.
    ///
    /// # Errors
    /// [`NodeError::Exists`] if there is something with the experiment's names (which is left
    /// alone), [`NodeError::Name`] for names that are no file names, [`NodeError::System`] where
    /// the kernel refuses, naming the node and the object.
    pub fn create(
        layout: &Layout,
        plan: &Plan,
        context: Context,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<(Self, Vec<Device>), NodeError> {
        let file_limits = create::raise_file_limit(plan)?;
        let oom_score = oom::spare(oom::ENGINE);
        let mut cgroups = Tree::plan(layout, plan)?;
        let (ledger, devices) = create::create(layout, plan, &mut cgroups, progress)?;
        let nodes = plan.nodes.iter().map(|node| (node.name.clone(), Arc::default())).collect();
        let ledger = Arc::new(ledger);
        let mut starter =
            Starter::new(Arc::clone(&ledger), context, file_limits, oom_score, cgroups);
        starter.know_kernels(plan);
        // Asked once, since the kernel's table of mounts grows with the nodes.
        let has_cgroups = layout.cgroup().is_some_and(|path| cgroup::is_usable(&path));
        let mut network = Self {
            ledger,
            nodes: RwLock::new(nodes),
            starter,
            has_cgroups,
            reactor: None,
            remains: Mutex::default(),
            spent_in_nodes: AtomicU64::new(0),
        };
        // From here on, dropping the network removes what was made.
        network.reactor = Some(Reactor::start()?);
        Ok((network, devices))
    }

    /// Whether a node has a kernel of its own.
    pub fn has_own_kernel(&self, node: &str) -> bool {
        self.starter.has_own_kernel(node)
    }

    /// Returns the handle that starts processes of a node. Starts its init process if there is none
    /// yet, which takes milliseconds, and up to 30 s on a busy machine. Can be called from many
    /// threads.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], and [`NodeError::Init`] if the node's init cannot be started.
    pub fn processes(&self, node: &str) -> Result<Processes, NodeError> {
        // Invariant: the reactor is there from creation to destruction.
        let reactor = self.reactor.as_ref().expect("a reactor while the network lives");
        let init = self.node(node)?.init(|kept| self.starter.start(node, kept, reactor))?;
        Ok(Processes::new(init))
    }

    /// Returns the handle as [`processes`](Self::processes), or `None` if nothing has run in the
    /// node. Does not wait.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`].
    pub fn running_processes(&self, node: &str) -> Result<Option<Processes>, NodeError> {
        Ok(self.node(node)?.running().map(Processes::new))
    }

    /// Starts a process in a node and waits until it runs.
    ///
    /// `on_exit` is called once, when the process has ended, on a thread of the network: it must be
    /// quick, and must not call the network. It may be called before this function returns. If the
    /// node is destroyed, the status is [`ExitStatus::Signal`](crate::ExitStatus::Signal) of
    /// `SIGKILL`.
    ///
    /// # Errors
    /// [`NodeError::Exec`] if the program cannot be started ([`NodeError::exit_code`] has the code
    /// that shells give), [`NodeError::UnknownNode`], and [`NodeError::Init`] if the node's init
    /// cannot be started, or is gone.
    pub fn spawn(
        &self,
        node: &str,
        request: SpawnRequest,
        on_exit: OnExit,
    ) -> Result<Spawned, NodeError> {
        let (sender, started) = sync_channel(1);
        // The receiver waits below.
        let on_started = Box::new(move |outcome| _ = sender.send(outcome));
        self.processes(node)?.spawn(request, on_started, on_exit);
        // Invariant: it is called before it is dropped.
        started.recv().expect("an answer to each request")
    }

    /// Sends a signal to the process group of a process, and `SIGKILL` to its whole session. `pid`
    /// is [`Spawned::pid`].
    ///
    /// # Errors
    /// [`NodeError::System`] with `ESRCH` if nothing of it is left, `EINVAL` for a signal that
    /// does not exist, or `ETIMEDOUT` if the node's init does not answer.
    pub fn signal(&self, node: &str, pid: u32, signal: i32) -> Result<(), NodeError> {
        match self.running_processes(node)? {
            Some(processes) => processes.signal(pid, signal),
            None => {
                let action = format!("signal process {pid}");
                let source = io::Error::from_raw_os_error(libc::ESRCH);
                Err(NodeError::in_node(node, action, source))
            }
        }
    }

    /// Kills all processes of a node, its init among them. Does not wait: [`Killed::ended_by`]
    /// does. The node's stack stays. Processes that are started in it later have another init, and
    /// find what `disk` says of the files that the earlier ones left: all but those in `/run` and
    /// `/dev/shm`, or none.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`].
    pub fn kill_processes(&self, node: &str, disk: Disk) -> Result<Killed, NodeError> {
        Ok(self.node(node)?.kill(disk))
    }

    /// Does work in the network namespace of a node.
    pub(crate) fn enter<T: Send>(
        &self,
        node: &str,
        work: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        netns::inside(&*self.ledger.namespace(node)?, work)
    }

    /// Returns the inode of a node's network namespace. `None` if it has none, or no longer.
    pub fn namespace_inode(&self, node: &str) -> Option<u64> {
        self.ledger.namespace(node).ok()?.metadata().ok().map(|found| found.ino())
    }

    /// Returns the nodes whose namespaces have lost their names, by `ip netns del` or similar. The
    /// nodes live on.
    pub fn unnamed(&self) -> Vec<String> {
        self.ledger.unnamed()
    }

    /// Returns the path at which a node gets its cgroup of version 2 with its first process, or
    /// earlier if it has limits. `None` on a machine without a usable cgroup v2.
    pub fn cgroup_place(&self, node: &str) -> Option<PathBuf> {
        self.starter.cgroups().unified(node).filter(|_| self.has_cgroups)
    }

    /// Returns the cgroup of a node's processes. `None` until one was started in a node without
    /// limits, and on a machine without a usable cgroup v2.
    pub fn cgroup(&self, node: &str) -> Option<PathBuf> {
        self.starter.cgroups().unified(node).filter(|path| path.exists())
    }

    /// Returns the resources that the processes of a node have used. `None` if they are not
    /// accounted, or there were no processes.
    pub fn usage(&self, node: &str) -> Option<Usage> {
        let cgroups = self.starter.cgroups();
        let unified = self.cgroup(node);
        let [cpu, memory, pids] = [Controller::Cpu, Controller::Memory, Controller::Pids]
            .map(|controller| cgroups.legacy(node, controller).filter(|path| path.exists()));
        let places = NodeCgroups {
            unified: unified.as_deref(),
            cpu: cpu.as_deref(),
            memory: memory.as_deref(),
            pids: pids.as_deref(),
        };
        let usage = Usage::read(places);
        (usage != Usage::default()).then_some(usage)
    }

    /// Sends SIGHUP to all processes whose network is the node's, whoever started them, because
    /// their session is over. Waits until they have ended, `patience` at most.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the namespace cannot be read.
    pub fn hang_up(&self, node: &str, patience: Duration) -> Result<(), NodeError> {
        self.node(node)?;
        let namespace = self.ledger.namespace(node);
        namespace
            .and_then(|namespace| shell::hang_up(&namespace, patience))
            .map_err(|error| NodeError::in_node(node, "end what is in its network", error))
    }

    /// Kills all processes of all nodes, also those that users started in their namespaces, and
    /// removes namespaces, devices, cgroups, mounts and files. Returns when the kernel has freed
    /// the namespaces.
    ///
    /// Close the descriptors of all [`Device`]s before: each holds its namespace. The state
    /// directory itself is removed if nothing else is in it.
    ///
    /// # Errors
    /// [`NodeError::Remains`] with what could not be removed. [`crate::cleanup`] tries again.
    pub fn destroy(mut self) -> Result<(), NodeError> {
        self.take_down()
    }

    fn take_down(&mut self) -> Result<(), NodeError> {
        let nodes = std::mem::take(&mut *self.nodes_mut());
        let inits: Vec<_> = nodes.values().filter_map(|node| node.running()).collect();
        inits.iter().for_each(|init| init.kill());
        let deadline = Instant::now() + PATIENCE;
        let stuck: Vec<String> =
            inits.iter().filter(|init| !init.ended_by(deadline)).map(|init| init.name()).collect();
        drop(self.reactor.take());
        // Also the remains of nodes that were removed before.
        let removed = create::remove(&self.ledger);
        match stuck.is_empty() {
            true => removed,
            false => Err(NodeError::Remains {
                experiment: self.layout().experiment().into(),
                problems: vec![format!("the processes of {} do not end", stuck.join(", "))],
            }),
        }
    }

    pub(crate) fn node(&self, name: &str) -> Result<Arc<Node>, NodeError> {
        self.nodes().get(name).cloned().ok_or_else(|| NodeError::UnknownNode {
            experiment: self.layout().experiment().into(),
            node: name.into(),
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.ledger.layout()
    }

    pub(crate) fn starter(&self) -> &Starter {
        &self.starter
    }

    pub(crate) fn nodes(&self) -> RwLockReadGuard<'_, Nodes> {
        // A name is added or removed in one step.
        self.nodes.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn nodes_mut(&self) -> RwLockWriteGuard<'_, Nodes> {
        self.nodes.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if self.reactor.is_some() || !self.nodes().is_empty() {
            // Callers that need the error call `destroy`.
            let _ = self.take_down();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_shared_by_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Network>();
    }
}
