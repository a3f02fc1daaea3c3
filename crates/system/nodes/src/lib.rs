//! Nodes in the kernel: network namespaces, devices, addresses, routes, cgroups, processes. This
//! crate makes what a [`netloom_plan::Plan`] says, and takes it away again.
//!
//! | module | does |
//! |---|---|
//! | `books` | paths of objects; objects to be made; objects made, distinguished from others' |
//! | `stack` | one node's network stack: namespace, devices, addresses, routes |
//! | `process` | the engine's side of processes in nodes |
//! | [`init`] | the node's side: its first process |
//! | [`shell`] | commands beside their callers in a node's network |
//! | `cgroup` | control groups: accounts, limits, and the end of all processes together |
//! | [`own_kernel`] | nodes with a kernel of their own |
//! | `outside` | ends of links that are the machine's |
//! | [`rootless`] | the user namespace in which ordinary users may do all this |
//! | `context`, `device` | what nodes share with the machine; their interfaces, for the engine |
//! | `network` | [`Network`]: the whole, made by `create`, unmade by `teardown` (with `drain`) |
//! | `inside`, `counters`, `kernels`, `files` | for the engine: sockets in a node, what nodes count, kernels of their own, files |
//! | `changing` | what changes while it lives: nodes, interfaces, addresses, routes that come and go |
//! | `routes` | routes that come and go one by one, and come back |
//!
//! Not here: what the links do (`link`), frames (`ports`, `dataplane`), and who decides what the
//! network looks like (`plan`).

mod books;
mod cgroup;
mod changing;
mod context;
mod counters;
mod create;
mod device;
mod drain;
mod error;
mod files;
pub mod init;
mod inside;
mod kernels;
mod network;
mod outside;
pub mod own_kernel;
mod process;
pub mod rootless;
mod routes;
pub mod shell;
mod stack;
mod teardown;

pub use books::capacity::{Capacity, Demand, capacities};
pub use books::layout::{LOCK, Layout, is_state_directory, state_root};
pub use cgroup::{Usage, enforcer};
pub use context::Context;
pub use counters::Counters;
pub use device::{Attachment, Device};
pub use drain::wait as wait_until_freed;
pub use error::NodeError;
pub use inside::Inside;
pub use kernels::Kernels;
pub use network::Network;
pub use outside::may_have_ipv6_behind;
pub use process::control::{Control, Doorway};
pub use process::files::NodeFiles;
pub use process::node::{Killed, OnExit, OnStarted, Processes};
pub use process::pidfd::{Activity, PidFd, activity, is_going, started_at};
pub use process::spawning::{ExitStatus, SpawnRequest, Spawned, Stdio};
pub use process::view::{View, ViewBind, ViewDirectory, ViewFile};
pub use routes::RouteChanged;
pub use stack::features::{Feature, MissingFeature, missing_features};
pub use stack::interface::{InterfaceAddress, InterfaceState, Traffic};
pub use stack::overruns::Overruns;
pub use stack::pacing::{Pacing, PacingChange};
pub use stack::sysctl::interface_of as interface_of_parameter;
pub use stack::tcp_sockets::{TcpSocket, TcpSockets};
pub use stack::watch::{InterfaceSetting, InterfaceWatch, Watched};
pub use teardown::{CleanupReport, cleanup, cleanup_layout};

/// Where a node has the names of all nodes.
const HOSTS: &str = "/etc/hosts";

/// Where a node's processes see the scenario's directory, and where they start.
pub const WORK_DIRECTORY: &str = "/run/netloom/scenario";
