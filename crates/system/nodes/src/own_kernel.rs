//! Nodes with a kernel of their own: a user-mode kernel, which is a program like others.
//!
//! Such a node has a network namespace, an init and a view of the file system as every node. Its
//! network stack is elsewhere: init runs the user-mode kernel, whose root file system is the node's
//! view, and which takes the frames of the node's interfaces through packet sockets. What is to run
//! in the node runs under that kernel, and each such process has a *stand-in* among the processes
//! of the namespace, which passes on its input, its output, signals and how it ended. So engine and
//! init deal with stand-ins, and need not know.
//!
//! ```text
//!  engine ── TAP ── eth1 ── packet socket ─┐
//!  engine ── init ── stand-in ── TCP ──────┤ user-mode kernel ── agent ── process
//! ```
//!
//! | module | does |
//! |---|---|
//! | `wire` | the interfaces in the namespace |
//! | `losses` | frames that come too fast for the kernel |
//! | `boot` | starts the kernel, and waits until it is ready |
//! | `clock` | from when on its time is dilated, and what it shows |
//! | [`launch`] | `netloom __kernel`: becomes the kernel |
//! | [`agent`] | `netloom __agent`: the first process under it |
//! | `running` | a process under it, for the agent |
//! | [`stand_in`] | `netloom __stand-in`: for a process under it, in the namespace |
//! | `messages` | what agent, stand-ins and engine say to each other |
//! | [`modules`] | `modprobe`: modules from the package |

pub mod agent;
mod boot;
mod clock;
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
pub(crate) use losses::{Account, losses};
pub(crate) use messages::DEVICE;
pub(crate) use wire::wire;

use crate::process::view::{View, ViewFile};

/// The user-mode kernel.
const KERNEL: &str = "/usr/bin/linux.uml";
/// Its modules, in a directory for each version.
const MODULES: &str = "/usr/lib/uml/modules";
/// What has both.
const PACKAGE: &str = "user-mode-linux";

/// Where a node has what its kernel needs.
const FOLDER: &str = "/run/netloom/kernel";
/// This program, as the node sees it.
const PROGRAM: &str = "/run/netloom/kernel/netloom";
/// This program, by the name under which the kernel asks for modules.
pub const MODPROBE: &str = "/run/netloom/kernel/modprobe";
/// What the node is to be.
const ORDERS: &str = "/run/netloom/kernel/orders.json";

/// A kernel of a node's own, as the engine knows it.
#[derive(Debug)]
pub(crate) struct OwnKernel {
    pub orders: Orders,
    pub lost: Account,
    pub clock: DilationPage,
}

/// What a node with a kernel of its own is to be, as its agent reads it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub node: NodePlan,
    pub routes: Vec<RoutePlan>,
}

impl Orders {
    /// The view of the node, and the orders in it.
    pub fn added_to(&self, view: &View) -> Result<View, serde_json::Error> {
        let content = serde_json::to_string(self)?;
        let file = ViewFile { path: ORDERS.into(), content, owner: None, mode: 0o644 };
        let mut view = view.clone();
        view.files.push(file);
        Ok(view)
    }

    fn read() -> std::io::Result<Self> {
        Ok(serde_json::from_str(&std::fs::read_to_string(ORDERS)?)?)
    }
}

/// What of the machine such a node sees elsewhere; `program` is this one.
pub(crate) fn files(program: &Path) -> [(PathBuf, PathBuf); 2] {
    [PROGRAM, MODPROBE].map(|place| (program.into(), place.into()))
}

/// What the stand-in for a process is started as.
pub(crate) fn stand_in_for(argv: Vec<String>) -> Vec<String> {
    let mut with = vec![PROGRAM.to_owned(), stand_in::ROLE.to_owned()];
    with.extend(argv);
    with
}

/// Why no node of this machine can have a kernel of its own, and what to do about it.
///
/// # Errors
/// The reason.
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
