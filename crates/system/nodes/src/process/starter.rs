//! Starting a node's init process.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::{Duration, Instant};

use netloom_plan::Plan;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;

use crate::books::ledger::Ledger;
use crate::books::variables::{EXPERIMENT_VARIABLE, NODE_VARIABLE};
use crate::cgroup::Tree;
use crate::context::Context;
use crate::own_kernel::{self, Account, DilationPage, Interfaces, Orders, OwnKernel};
use crate::process::control::{Control, FromInit, Setup, ToInit};
use crate::process::kept::Kept;
use crate::process::node::Init;
use crate::process::pidfd::PidFd;
use crate::process::reactor::Reactor;
use crate::{Layout, NodeError, View};

/// Longest time for an init process to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Data that all init processes of an experiment share.
#[derive(Debug)]
pub(crate) struct Starter {
    ledger: Arc<Ledger>,
    context: Context,
    /// Soft and hard limits on open files before the engine's were raised.
    file_limits: (u64, u64),
    /// Score of the engine before it was lowered.
    oom_score: String,
    cgroups: RwLock<Tree>,
    /// Views of nodes, by name. Nodes without one see the machine's files.
    views: RwLock<HashMap<String, Arc<View>>>,
    /// Kernels of nodes that have their own, by name of the node.
    kernels: HashMap<String, OwnKernel>,
    /// See [`base_mounts`]. Created with the first init process.
    mounts: Mutex<Option<Arc<File>>>,
}

impl Starter {
    pub fn new(
        ledger: Arc<Ledger>,
        mut context: Context,
        file_limits: (u64, u64),
        oom_score: String,
        cgroups: Tree,
    ) -> Self {
        let views = std::mem::take(&mut context.views).into_iter();
        let views = RwLock::new(views.map(|(node, view)| (node, Arc::new(view))).collect());
        let cgroups = RwLock::new(cgroups);
        Self {
            ledger,
            context,
            file_limits,
            oom_score,
            cgroups,
            views,
            kernels: HashMap::new(),
            mounts: Mutex::default(),
        }
    }

    /// Registers the nodes with kernels of their own.
    pub fn know_kernels(&mut self, plan: &Plan) {
        let all = plan.nodes.iter().enumerate();
        let own = all.filter(|(_, node)| node.own_kernel.is_some());
        let kernels = own.map(|(index, node)| {
            let orders = Orders { node: node.clone(), routes: plan.routes(index) };
            (
                node.name.clone(),
                OwnKernel {
                    orders,
                    lost: Account::default(),
                    clock: DilationPage::default(),
                    interfaces: Interfaces::default(),
                },
            )
        });
        self.kernels = kernels.collect();
    }

    /// Returns the names of nodes with kernels of their own, in order.
    pub fn own_kernels(&self) -> Vec<&str> {
        let mut nodes: Vec<&str> = self.kernels.keys().map(String::as_str).collect();
        nodes.sort_unstable();
        nodes
    }

    /// Returns all kernels of nodes that have their own.
    pub fn kernels(&self) -> impl Iterator<Item = &OwnKernel> {
        self.kernels.values()
    }

    /// Returns the kernel of a node that has its own.
    pub fn own_kernel(&self, node: &str) -> Option<&OwnKernel> {
        self.kernels.get(node)
    }

    /// Whether a node has a kernel of its own.
    pub fn has_own_kernel(&self, node: &str) -> bool {
        self.kernels.contains_key(node)
    }

    /// Returns the control groups of the nodes.
    pub fn cgroups(&self) -> RwLockReadGuard<'_, Tree> {
        // Operations that fail leave it as it was, so a poisoned lock does no harm.
        self.cgroups.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the control groups of the nodes, to change them.
    pub fn cgroups_mut(&self) -> RwLockWriteGuard<'_, Tree> {
        self.cgroups.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the view of a node.
    pub fn view(&self, node: &str) -> Option<Arc<View>> {
        self.views.read().unwrap_or_else(PoisonError::into_inner).get(node).cloned()
    }

    /// Sets the view of a node, from its next init process on. Returns the previous one.
    pub fn set_view(&self, node: &str, view: Option<Arc<View>>) -> Option<Arc<View>> {
        // A view is set or removed in one step, so a poisoned lock does no harm.
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        match view {
            Some(view) => views.insert(node.into(), view),
            None => views.remove(node),
        }
    }

    /// Starts the init process of `node`, with the files in `kept` if there are some, and receives
    /// its messages.
    pub fn start(
        &self,
        node: &str,
        kept: Option<&Kept>,
        reactor: &Reactor,
    ) -> Result<Arc<Init>, NodeError> {
        let failed = |reason: String| NodeError::Init { node: node.into(), reason };
        let (control, theirs) = Control::pair()
            .map_err(|error| NodeError::in_node(node, "make a socket pair", error))?;
        let kernel = self.own_kernel(node);
        let mut view = self.view(node).unwrap_or_default();
        if let Some(kernel) = kernel {
            let with_orders = kernel.orders.added_to(&view).map_err(io::Error::from);
            view = Arc::new(with_orders.map_err(|error| {
                NodeError::in_node(node, "write what its kernel is to know", error)
            })?);
        }
        let mut launcher = self.launch(node, theirs)?;
        let begun = self.begin(node, (&view, kept), &control, launcher.id());
        if begun.is_err() {
            // Nothing depends on the launcher yet. It also ends by itself when the socket closes.
            let _ = launcher.kill();
        }
        // The launcher only creates init: it has ended, or is about to.
        let _ = launcher.wait();
        let (pid, process) = begun?;
        let stand_in = kernel.map_or_else(Vec::new, |_| own_kernel::stand_in_command());
        let init = Arc::new(Init::new(node, pid, process, control, stand_in));
        reactor.add(Arc::clone(&init)).map_err(|errno| failed(format!("is not heard: {errno}")))?;
        if let Some(kernel) = kernel {
            let namespace = self.ledger.namespace(node);
            let namespace =
                namespace.map_err(|error| NodeError::in_node(node, "find its namespace", error))?;
            let booted = own_kernel::boot(&init, &namespace, kernel);
            booted.inspect_err(|_| init.end())?;
        }
        Ok(init)
    }

    fn launch(&self, node: &str, control: Control) -> Result<Child, NodeError> {
        Command::new(&self.context.init)
            .arg("__init")
            .envs(self.context.env.iter().map(|(key, value)| (key, value)))
            .env(EXPERIMENT_VARIABLE, self.ledger.layout().experiment())
            .env(NODE_VARIABLE, node)
            .current_dir("/")
            .stdin(Stdio::from(control.into_fd()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| {
                let action = format!("start {}", self.context.init.display());
                NodeError::in_node(node, action, error)
            })
    }

    /// Sends the launcher its configuration, and waits until the init process is ready.
    fn begin(
        &self,
        node: &str,
        (view, kept): (&View, Option<&Kept>),
        control: &Control,
        launcher: u32,
    ) -> Result<(u32, PidFd), NodeError> {
        let in_node = |action: &str, error| NodeError::in_node(node, action, error);
        // All processes that the launcher starts are in these cgroups too.
        self.cgroups().enter(node, launcher)?;
        let network = self.ledger.namespace(node).map_err(|e| in_node("find its namespace", e))?;
        let base = self.mounts().map_err(|error| in_node("make a mount namespace", error))?;
        let mounts = kept.map_or(&*base, Kept::mounts);
        let view = in_memory(view).map_err(|error| in_node("hand over its view", error))?;
        let setup = Setup {
            node: node.into(),
            work_dir: self.context.work_dir.clone(),
            hosts: self.ledger.layout().hosts(),
            resolver: self.ledger.layout().resolver(),
            files: self.files(node),
            file_limits: self.file_limits,
            oom_score: self.oom_score.clone(),
            has_files: kept.is_some(),
        };
        control
            .send(&ToInit::Setup(setup), &[network.as_fd(), mounts.as_fd(), view.as_fd()])
            .map_err(|error| in_node("speak to the init process", error))?;
        wait_until_ready(node, control)
    }

    /// Returns the files of the machine that a node has elsewhere.
    fn files(&self, node: &str) -> Vec<(PathBuf, PathBuf)> {
        let mut files = self.context.files.clone();
        if self.has_own_kernel(node) {
            files.extend(own_kernel::files(&self.context.init));
        }
        files
    }

    fn mounts(&self) -> io::Result<Arc<File>> {
        let mut mounts = self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mounts) = &*mounts {
            return Ok(Arc::clone(mounts));
        }
        let made = Arc::new(base_mounts(self.ledger.layout())?);
        *mounts = Some(Arc::clone(&made));
        Ok(made)
    }
}

/// Creates a mount namespace like ours, but without the mounts of network namespaces. Init
/// processes copy this one: a copy of ours would hold the namespaces of all other nodes, and cost a
/// mount for each.
fn base_mounts(layout: &Layout) -> io::Result<File> {
    let make = || -> io::Result<File> {
        const NONE: Option<&str> = None;
        unshare(CloneFlags::CLONE_FS | CloneFlags::CLONE_NEWNS)?;
        mount(NONE, "/", NONE, MsFlags::MS_SLAVE | MsFlags::MS_REC, NONE)?;
        umount2(layout.netns_dir(), MntFlags::MNT_DETACH)?;
        File::open("/proc/thread-self/ns/mnt")
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("mounts".into()).spawn_scoped(scope, make)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
}

/// Creates an unnamed file with a view, positioned at its beginning.
fn in_memory(view: &View) -> io::Result<File> {
    let mut file = File::from(memfd_create("view", MFdFlags::MFD_CLOEXEC)?);
    serde_json::to_writer(&mut file, view)?;
    file.rewind()?;
    Ok(file)
}

/// Waits for the reports of both processes: the launcher reports the process id of init, and init
/// reports that it is ready or why it is not.
fn wait_until_ready(node: &str, control: &Control) -> Result<(u32, PidFd), NodeError> {
    let deadline = Instant::now() + PATIENCE;
    let mut started = None;
    let mut outcome = None;
    while started.is_none() || outcome.is_none() {
        match next(control, deadline) {
            // The process is our child and was not waited for, so the process id is still its own.
            Ok(Some(FromInit::Started { pid })) => {
                started = Some((pid, PidFd::open(pid)));
            }
            Ok(Some(FromInit::Ready)) => outcome = Some(Ok(())),
            Ok(Some(FromInit::SetupFailed { action, errno })) => {
                let source = io::Error::from_raw_os_error(errno);
                outcome = Some(Err(NodeError::in_node(node, action, source)));
            }
            Ok(Some(_)) => {}
            Ok(None) => {
                let reason = "ended before it was ready".into();
                outcome.get_or_insert(Err(NodeError::Init { node: node.into(), reason }));
                break;
            }
            Err(error) => {
                outcome = Some(Err(NodeError::in_node(node, "wait for its init", error)));
                break;
            }
        }
    }
    match (started, outcome) {
        (Some((pid, Ok(process))), Some(Ok(()))) => Ok((pid, process)),
        (started, outcome) => {
            let watched = started.map(|(pid, process)| process.map(|process| reap(pid, &process)));
            let unwatched = |error| NodeError::in_node(node, "watch the init process", error);
            Err(match (outcome, watched) {
                (Some(Err(error)), _) => error,
                (_, Some(Err(error))) => unwatched(error),
                _ => unwatched(io::ErrorKind::NotFound.into()),
            })
        }
    }
}

/// Kills and reaps an init process that cannot be used.
fn reap(pid: u32, process: &PidFd) {
    let _ = process.kill();
    let _ = waitpid(Pid::from_raw(pid.cast_signed()), None);
}

fn next(control: &Control, deadline: Instant) -> io::Result<Option<FromInit>> {
    let left = deadline.saturating_duration_since(Instant::now());
    let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
    let mut fds = [PollFd::new(control.as_fd(), PollFlags::POLLIN)];
    if poll(&mut fds, timeout)? == 0 {
        return Err(io::ErrorKind::TimedOut.into());
    }
    Ok(control.receive()?.map(|(message, _)| message))
}
