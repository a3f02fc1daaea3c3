//! The network of one experiment, from creation to destruction.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use netloom_plan::Plan;
use netloom_ports::PacketSocket;
use netloom_scenario::{Controller, Disk, Endpoint};
use netloom_units::Dilation;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

use crate::books::ledger::Ledger;
use crate::cgroup::{self, NodeCgroups, Tree, Usage};
use crate::context::Context;
use crate::device::Device;
use crate::own_kernel::{KernelTime, OnInterface, OwnKernel};
use crate::process::node::{Killed, Node, OnExit, Processes};
use crate::process::reactor::Reactor;
use crate::process::starter::Starter;
use crate::stack::interface::{self, InterfaceAddress, InterfaceState};
use crate::stack::tcp_sockets::TcpSockets;
use crate::{
    Layout, NodeError, Overruns, SpawnRequest, Spawned, create, own_kernel, process::oom, shell,
    stack::netns, stack::overruns,
};

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
    spent_in_nodes: AtomicU64,
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

    /// Starts the kernels of those nodes that have their own, several at a time. Returns when all
    /// are in the state of the plan, which takes seconds, with whether there are any.
    ///
    /// # Errors
    /// [`NodeError::Kernel`] if one does not start, or refuses a setting of the plan.
    pub fn start_kernels(&self) -> Result<bool, NodeError> {
        let own = self.starter.own_kernels();
        let all: Vec<usize> = (0..own.len()).collect();
        create::in_parallel(&all, |place| self.processes(own[place]).map(drop))?;
        Ok(!own.is_empty())
    }

    /// Has the interfaces of a node with a kernel of its own reported to `on_interface`, each when
    /// the kernel starts and with every change. Other nodes' are watched from outside
    /// ([`InterfaceWatch`](crate::InterfaceWatch)). Must be called before the kernel starts.
    pub fn report_interfaces(&self, node: &str, on_interface: OnInterface) {
        if let Some(kernel) = self.starter.own_kernel(node) {
            kernel.interfaces.report_to(on_interface);
        }
    }

    /// Slows the time of running kernels by `dilation`, from one moment on: of all nodes that have
    /// their own, or of `node` alone. Returns when that moment has come.
    ///
    /// # Errors
    /// [`NodeError::Dilate`] if they cannot be informed in time.
    pub fn dilate_kernels(&self, node: Option<&str>, dilation: Dilation) -> Result<(), NodeError> {
        let all = self.starter.kernels();
        let meant = |kernel: &&OwnKernel| node.is_none_or(|node| kernel.orders.node.name == node);
        let pages = all.filter(meant).map(|kernel| &kernel.clock);
        own_kernel::dilate(pages, dilation).map_err(NodeError::Dilate)?;
        // A timer that was set before may be far too long now. A kernel that has work to do sets it
        // anew.
        let own = self.starter.own_kernels().into_iter();
        let mut asked = own.filter(|name| node.is_none_or(|node| node == *name));
        asked.try_for_each(|node| self.kernel_time(node).map(drop))
    }

    /// Returns the time that the clock of a node's own kernel shows.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel does not answer.
    pub fn kernel_time(&self, node: &str) -> Result<KernelTime, NodeError> {
        let time = self.inside(node, own_kernel::ask_time);
        time.map_err(|error| NodeError::in_node(node, "ask its kernel for the time", error))
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

    /// Returns the ports on which TCP sockets listen in the node, over IPv4 or IPv6, at any
    /// address.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the kernel's table cannot be read.
    pub fn listening_tcp_ports(&self, node: &str) -> Result<BTreeSet<u16>, NodeError> {
        self.node(node)?;
        let has_own_kernel = self.starter.has_own_kernel(node);
        let read = if has_own_kernel { own_kernel::listening_ports } else { listening_tcp_ports };
        self.inside(node, read)
            .map_err(|error| NodeError::in_node(node, "read the table of TCP sockets", error))
    }

    /// Returns the number of frames that the interfaces of all nodes have dropped instead of
    /// sending them: node, interface, frames. This takes little more than a third of the work of
    /// [`interfaces_of`](Self::interfaces_of).
    ///
    /// # Errors
    /// [`NodeError::System`] if a node's counters cannot be read.
    pub fn dropped(&self) -> Result<Vec<(Endpoint, u64)>, NodeError> {
        // Held, so that no node is removed meanwhile.
        let nodes = self.nodes();
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
    pub fn interfaces_of(&self, nodes: Vec<&str>) -> Result<Vec<InterfaceState>, NodeError> {
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
    pub fn addresses(&self) -> Result<HashMap<String, Vec<InterfaceAddress>>, NodeError> {
        // Held, so that no node is removed meanwhile.
        let nodes = self.nodes();
        let names = nodes.keys().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| !self.has_own_kernel(name)).collect();
        let found = self.in_each(&names, interface::addresses)?;
        Ok(names.into_iter().map(Into::into).zip(found).collect())
    }

    /// Adds the losses of a node's own kernel to the drops of interfaces, by name.
    fn add_losses<'a>(
        &self,
        node: &str,
        dropped: impl Iterator<Item = (&'a String, &'a mut u64)>,
    ) -> Result<(), NodeError> {
        let Some(kernel) = self.starter.own_kernel(node) else { return Ok(()) };
        let counted = self.inside(node, own_kernel::losses);
        let counted =
            counted.map_err(|error| NodeError::in_node(node, own_kernel::COUNT, error))?;
        let counted = kernel.lost.update(counted);
        for (name, frames) in dropped {
            *frames += counted.get(name).unwrap_or(&0);
        }
        Ok(())
    }

    pub(crate) fn inside<T: Send>(
        &self,
        node: &str,
        work: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        netns::inside(&*self.ledger.namespace(node)?, work)
    }

    /// Returns the number of packets that the sockets of each node had no room for, by node name.
    ///
    /// # Errors
    /// [`NodeError::System`] if a node's counters cannot be read.
    pub fn overruns(&self) -> Result<Vec<(String, Overruns)>, NodeError> {
        // Held, so that no node is removed meanwhile.
        let nodes = self.nodes();
        let names: Vec<&str> = nodes.keys().map(String::as_str).collect();
        let counted = self.in_each(&names, overruns::overruns)?;
        Ok(names.into_iter().map(Into::into).zip(counted).collect())
    }

    fn in_each<T: Send>(
        &self,
        nodes: &[&str],
        read: impl FnMut() -> io::Result<T> + Send,
    ) -> Result<Vec<T>, NodeError> {
        let failed = |error| NodeError::system("read the counters of the nodes' interfaces", error);
        let namespaces = nodes.iter().map(|name| self.ledger.namespace(name));
        let namespaces = namespaces.collect::<io::Result<Vec<_>>>().map_err(failed)?;
        netns::inside_each(&namespaces, read, &self.spent_in_nodes).map_err(failed)
    }

    /// Opens a socket that receives every frame at an interface of a node. It keeps the node's
    /// namespace alive: drop it before [`destroy`](Self::destroy) ends.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the node has no such interface any
    /// more.
    pub fn packet_socket(&self, node: &str, interface: &str) -> Result<PacketSocket, NodeError> {
        self.node(node)?;
        self.inside(node, || PacketSocket::open(interface)).map_err(|error| {
            NodeError::in_node(node, format!("open a packet socket at {interface}"), error)
        })
    }

    /// Opens a socket inside a node that is neither bound nor connected, and does not block: for
    /// TCP or else UDP, over IPv6 or else IPv4. It keeps the node's namespace alive: drop it before
    /// [`destroy`](Self::destroy) ends.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the kernel refuses.
    pub fn socket(&self, node: &str, tcp: bool, v6: bool) -> Result<OwnedFd, NodeError> {
        self.node(node)?;
        let family = if v6 { AddressFamily::Inet6 } else { AddressFamily::Inet };
        let kind = if tcp { SockType::Stream } else { SockType::Datagram };
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let open = || Ok(socket(family, kind, flags, None)?);
        self.inside(node, open).map_err(|error| NodeError::in_node(node, "open a socket", error))
    }

    /// Returns the query for TCP sockets of a node. `None` for one with a kernel of its own, whose
    /// sockets the machine's kernel does not have. It keeps the node's namespace alive: drop it
    /// before [`destroy`](Self::destroy) ends.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the kernel refuses.
    pub fn tcp_sockets(&self, node: &str) -> Result<Option<TcpSockets>, NodeError> {
        self.node(node)?;
        if self.has_own_kernel(node) {
            return Ok(None);
        }
        let opened = self.inside(node, TcpSockets::open);
        opened.map(Some).map_err(|error| NodeError::in_node(node, "ask for its sockets", error))
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

    /// Opens a raw socket inside a node for ICMPv6 or else ICMP, which does not block. It keeps the
    /// node's namespace alive: drop it before [`destroy`](Self::destroy) ends.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`], or [`NodeError::System`] if the kernel refuses.
    pub fn ping_socket(&self, node: &str, v6: bool) -> Result<OwnedFd, NodeError> {
        self.node(node)?;
        if self.has_own_kernel(node) {
            let why = "the engine sends no pings from under it; `netloom exec` one there".into();
            return Err(NodeError::Kernel { node: node.into(), why });
        }
        let (family, protocol) = match v6 {
            true => (AddressFamily::Inet6, SockProtocol::IcmpV6),
            false => (AddressFamily::Inet, SockProtocol::Icmp),
        };
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let open = || Ok(socket(family, SockType::Raw, flags, protocol)?);
        self.inside(node, open)
            .map_err(|error| NodeError::in_node(node, "open a socket for pings", error))
    }

    /// Returns the CPU time that [`interfaces_of`](Self::interfaces_of) has taken so far, on
    /// threads of its own.
    pub fn spent_in_nodes(&self) -> Duration {
        Duration::from_nanos(self.spent_in_nodes.load(Ordering::Relaxed))
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

/// Returns the ports on which TCP sockets of the calling thread's network namespace listen.
pub(crate) fn listening_tcp_ports() -> io::Result<BTreeSet<u16>> {
    let v4 = fs::read_to_string("/proc/thread-self/net/tcp")?;
    // Absent where the kernel has no IPv6.
    let v6 = fs::read_to_string("/proc/thread-self/net/tcp6").unwrap_or_default();
    Ok(v4.lines().chain(v6.lines()).filter_map(listening_port).collect())
}

/// Returns the local port of a line of `/proc/net/tcp` whose socket listens (state 0A).
fn listening_port(line: &str) -> Option<u16> {
    let mut fields = line.split_whitespace();
    let (local, state) = (fields.nth(1)?, fields.nth(1)?);
    let (_, port) = local.rsplit_once(':').filter(|_| state == "0A")?;
    u16::from_str_radix(port, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_shared_by_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Network>();
    }

    #[test]
    fn listening_sockets_are_distinguished_from_others() {
        let lines = [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid",
            "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0",
            "   1: 0100007F:1F91 0100007F:D2C4 01 00000000:00000000 00:00000000 00000000     0",
            "   2: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A",
        ];
        let ports: Vec<u16> = lines.into_iter().filter_map(listening_port).collect();
        assert_eq!(ports, [8080, 80]);
    }
}
