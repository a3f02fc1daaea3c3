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
//! | `places`, `orders`, `state` | paths; what the agent reads; the engine's data about one kernel |
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
mod orders;
mod places;
mod running;
pub mod stand_in;
mod state;
mod wire;

use std::path::{Path, PathBuf};

pub(crate) use boot::{COUNT, boot, listening_ports};
pub use clock::KernelTime;
pub(crate) use clock::{DilationPage, ask as ask_time, dilate};
pub(crate) use interfaces::Interfaces;
pub use interfaces::OnInterface;
pub(crate) use losses::{Account, losses};
pub(crate) use orders::Orders;
pub use places::MODPROBE;
use places::{KERNEL, MODULES, PACKAGE, PROGRAM};
pub(crate) use state::OwnKernel;
pub(crate) use wire::wire;

/// Returns the files of the machine that such a node has elsewhere; `program` is this program.
pub(crate) fn files(program: &Path) -> [(PathBuf, PathBuf); 2] {
    [PROGRAM, MODPROBE].map(|place| (program.into(), place.into()))
}

/// Returns what precedes a command, so that a stand-in has it run under the kernel.
pub(crate) fn stand_in_command() -> Vec<String> {
    vec![PROGRAM.to_owned(), stand_in::ROLE.to_owned()]
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
