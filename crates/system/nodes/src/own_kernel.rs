//! Nodes with a kernel of their own: a user-mode kernel, which is a program like others.
//!
//! Such a node has a network namespace, an init and a view of the file system like every node, but
//! another network stack. Init runs the user-mode kernel, whose root file system is the node's
//! view, and which takes the frames of the node's interfaces through packet sockets. Programs of
//! the node run under that kernel. Each of these processes has a *stand-in* among the processes of
//! the namespace, which forwards its input, its output, signals and its exit status. So the engine
//! and init handle stand-ins like other processes.
//!
//! ```text
//!  engine ── TAP ── eth1 ── packet socket ─┐
//!  engine ── init ── stand-in ── TCP ──────┤ user-mode kernel ── agent ── process
//! ```
//!
//! | module | content |
//! |---|---|
//! | `wire` | the interfaces in the namespace |
//! | `interfaces` | changes that the node makes to its interfaces |
//! | `losses` | frames that arrive too fast for the kernel |
//! | `boot` | starts the kernel, and waits until it is ready |
//! | `clock` | the start of time dilation, and the kernel's clock |
//! | [`launch`] | `netloom __kernel`: becomes the kernel |
//! | [`agent`] | `netloom __agent`: the first process under it |
//! | `running` | a process under it, for the agent |
//! | [`stand_in`] | `netloom __stand-in`: represents a process under it, in the namespace |
//! | `messages` | messages between agent, stand-ins and engine |
//! | [`modules`] | `modprobe`: modules from the package |

pub mod agent;
mod boot;
mod clock;
mod interfaces;
pub mod launch;
mod losses;
mod messages;
pub mod modules;
mod running;
pub mod stand_in;
mod wire;

use std::path::{Path, PathBuf};

use netloom_plan::{NodePlan, RoutePlan};
use serde::{Deserialize, Serialize};

pub(crate) use boot::{COUNT, boot, listening_ports};
pub use clock::KernelTime;
pub(crate) use clock::{DilationPage, ask as ask_time, dilate};
pub(crate) use interfaces::Interfaces;
pub use interfaces::OnInterface;
pub(crate) use losses::{Account, losses};
pub(crate) use messages::DEVICE;
pub(crate) use wire::wire;

use crate::process::view::{View, ViewFile};

/// Path of the user-mode kernel.
const KERNEL: &str = "/usr/bin/linux.uml";
/// Directory of its modules, with a subdirectory for each version.
const MODULES: &str = "/usr/lib/uml/modules";
/// Debian package of both.
const PACKAGE: &str = "user-mode-linux";

/// Directory in a node for the files that its kernel needs.
const FOLDER: &str = "/run/netloom/kernel";
/// Path of this program in the node.
const PROGRAM: &str = "/run/netloom/kernel/netloom";
/// Path under which the kernel runs this program to load modules.
pub const MODPROBE: &str = "/run/netloom/kernel/modprobe";
/// File with the node's configuration.
const ORDERS: &str = "/run/netloom/kernel/orders.json";

/// The engine's data about a node's own kernel.
#[derive(Debug)]
pub(crate) struct OwnKernel {
    pub orders: Orders,
    pub lost: Account,
    pub clock: DilationPage,
    pub interfaces: Interfaces,
}

/// Configuration of a node with a kernel of its own, which its agent reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub node: NodePlan,
    pub routes: Vec<RoutePlan>,
}

impl Orders {
    /// Returns the view of the node with the orders added.
    pub fn added_to(&self, view: &View) -> Result<View, serde_json::Error> {
        let content = serde_json::to_string(self)?;
        let file = ViewFile { path: ORDERS.into(), content, owner: None, mode: 0o644 };
        let mut view = view.clone();
        view.files.push(file);
        Ok(view)
    }

    fn read() -> std::io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(ORDERS)?)?)
    }
}

/// Returns the files of the machine that such a node has elsewhere; `program` is this program.
pub(crate) fn files(program: &Path) -> [(PathBuf, PathBuf); 2] {
    [PROGRAM, MODPROBE].map(|place| (program.into(), place.into()))
}

/// Returns the command that starts the stand-in for a process.
pub(crate) fn stand_in_for(argv: Vec<String>) -> Vec<String> {
    let mut with = vec![PROGRAM.to_owned(), stand_in::ROLE.to_owned()];
    with.extend(argv);
    with
}

/// Checks that nodes of this machine can have kernels of their own.
///
/// # Errors
/// The reason why they cannot, and what to do about it.
pub fn check() -> Result<(), String> {
    if launch::SHIM.is_empty() {
        return Err("`kernel: own` takes a kernel for user mode, which there is for x86-64 only: \
                    leave it out"
            .into());
    }
    let missing = [KERNEL, MODULES].into_iter().find(|path| !Path::new(path).exists());
    missing.map_or(Ok(()), |path| {
        Err(format!(
            "`kernel: own` takes {path}, and it is not there: install the package `{PACKAGE}` of \
             Debian or Ubuntu (`apt-get install {PACKAGE}`), or leave `kernel: own` out"
        ))
    })
}
