//! Event-driven probes: programs in the kernel, on its tracepoints, keep what polling cannot see;
//! looking means reading their maps. Needs a kernel of 5.15 or later with its types in
//! `/sys/kernel/btf/vmlinux`, and root or `CAP_BPF` and `CAP_PERFMON`.
//!
//! | file | what |
//! |---|---|
//! | `scheduler`, `record` | busy stretches of CPUs and who used them |
//! | `waits` | how long tasks of nodes waited for a CPU, and who had it |
//! | `runners` | the names of who runs |
//! | `block` | stretches of disks with requests pending |
//! | `tasks` | what processes have used |
//! | `load` | programs into the kernel |
//! | `shared` | their memory, as ours |
//! | `clock` | the kernel's time into the experiment's |
//! | `looking` | looking at what programs keep, until that fails |
//! | `missing` | says what cannot be watched so, and why |
//!
//! The programs are in `bpf/*.bpf.c` of this crate, and beside them what a compiler made of them.

mod block;
mod clock;
mod load;
mod looking;
mod missing;
mod record;
mod runners;
mod scheduler;
mod shared;
mod tasks;
mod waits;

pub use block::{Block, PreparedBlock};
pub use load::{Kernel, Loader, Why};
pub use looking::Looking;
pub use missing::Missing;
pub use scheduler::{PreparedScheduler, Scheduler};
pub use tasks::{Task, Tasks};
