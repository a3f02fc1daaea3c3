//! Event-driven probes: programs on the kernel's tracepoints record what polling cannot observe. A
//! look reads their maps. They need a kernel of 5.15 or later with its types in
//! `/sys/kernel/btf/vmlinux`, and root or `CAP_BPF` and `CAP_PERFMON`.
//!
//! | file | contents |
//! |---|---|
//! | `scheduler`, `record` | busy stretches of CPUs and who used them |
//! | `waits` | how long tasks of nodes waited for a CPU, and who held it |
//! | `runners` | names of the processes that run |
//! | `block` | stretches of disks with requests pending |
//! | `tasks` | use by process |
//! | `objects`, `load` | the compiled programs, and loading them into the kernel |
//! | `why` | why the kernel refuses something |
//! | `types` | the kernel's types that programs need |
//! | `shared` | memory that is shared with the programs |
//! | `clock` | conversion of the kernel's time to the experiment's |
//! | `looking` | polling the programs' data, until that fails |
//! | `missing` | reports why a probe cannot be used |
//!
//! The programs are in `bpf/*.bpf.c` of this crate, and their compiled objects beside them.

mod block;
mod clock;
mod load;
mod looking;
mod missing;
mod objects;
mod record;
mod runners;
mod scheduler;
mod shared;
mod tasks;
mod types;
mod waits;
mod why;

pub use block::{Block, PreparedBlock};
pub use load::{Kernel, Loader};
pub use looking::Looking;
pub use missing::Missing;
pub use scheduler::{PreparedScheduler, Scheduler};
pub use tasks::{Task, Tasks};
pub use why::Why;
