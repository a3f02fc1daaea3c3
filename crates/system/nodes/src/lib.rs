//! Nodes in the kernel: network namespaces, devices, addresses, routes, cgroups, processes. This
//! crate makes what a [`netloom_plan::Plan`] says, and takes it away again.
//!
//! | module | does |
//! |---|---|
//! | `layout`, `record`, `made` | where things live; what is about to be made; what was, told apart from others' |
//! | `ledger`, `ours` | these books in the engine, and in whoever takes everything away |
//! | `network` | [`Network`]: the whole, made by `create`, unmade by `teardown` |
//! | `netns`, `tap`, `netlink`, `requests`, `sysctl`, `own_proc`, `configure` | one node's network stack |
//! | `changing` | what changes while it lives: nodes, interfaces, addresses, routes that come and go |
//! | `direct` | links between nodes that need no engine |
//! | `outside` | ends of links that are the machine's |
//! | `node`, `starter`, `reactor`, `control`, `outgoing` | the engine's side of processes in nodes |
//! | [`init`] | the node's side: its first process |
//! | `files` | a node's files, as the engine reaches them |
//! | `view` | what the processes of one node see that differs from the machine |
//! | `interface` | what a node's interfaces say about themselves |
//! | `overruns` | what a node's sockets had no room for |
//! | [`rootless`] | the user namespace in which ordinary users may do all this |
//! | `oom` | whom the kernel spares where memory runs out |
//! | `walls` | what the machine has only so many of |
//! | `cgroup`, `pidfd`, `drain` | what creation and teardown stand on |
//!
//! Not here: what the links do (`link`), frames (`ports`, `dataplane`), and who decides what the
//! network looks like (`plan`).

mod cgroup;
mod changing;
mod configure;
mod control;
mod create;
mod direct;
mod drain;
mod error;
mod files;
pub mod init;
mod interface;
mod layout;
mod ledger;
mod made;
mod netlink;
mod netns;
mod network;
mod node;
mod oom;
mod ours;
mod outgoing;
mod outside;
mod overruns;
mod own_proc;
mod pidfd;
mod process;
mod reactor;
mod record;
mod requests;
pub mod rootless;
mod starter;
mod sysctl;
mod tap;
mod teardown;
mod view;
mod walls;

pub use cgroup::{Usage, enforcer};
pub use drain::wait as wait_until_freed;
pub use error::NodeError;
pub use files::NodeFiles;
pub use interface::{InterfaceState, Traffic};
pub use layout::{LOCK, Layout, is_state_directory};
pub use network::{Attachment, Context, Device, Network};
pub use node::{OnExit, OnStarted, Processes};
pub use overruns::Overruns;
pub use pidfd::{PidFd, is_going, started_at};
pub use process::{ExitStatus, SpawnRequest, Spawned, Stdio};
pub use teardown::{CleanupReport, cleanup, cleanup_layout};
pub use view::{View, ViewBind, ViewDirectory, ViewFile};
pub use walls::{Demand, Wall, walls};

/// Where a node has the names of all nodes.
const HOSTS: &str = "/etc/hosts";

/// Where a node's processes see the scenario's directory, and where they start.
pub const WORK_DIRECTORY: &str = "/run/netloom/scenario";
