//! Probes: observe the machine for the contention monitor. Not here: what follows from observations
//! (`netloom-monitor`), and how the engine observes itself.
//!
//! If a machine lacks something, that is a blind spot with a name, never an error. [`Probes::best`]
//! uses programs in the kernel (`bpf`) if it can. Other probes poll files of the kernel, whose
//! roots are arguments: [`ProcRoots`]. To add a probe, add a file with a [`Probe`].
//!
//! | file | reads | for |
//! |---|---|---|
//! | `bpf` | tracepoints, the kernel's tasks | busy CPUs, run-queue delay, busy disks; use by process |
//! | `cpu` | `/proc/stat` | busy CPUs, steal |
//! | `processes`, `process` | `bpf/tasks`, or `/proc/PID/stat`, `schedstat`, `io`, `ns/net`; `cpu.stat` of cgroups | who uses CPU and disk; major faults; run-queue delay |
//! | `pressure` | PSI of nodes' cgroups, or of the machine | standing still |
//! | `refaults` | `memory.stat` of nodes' cgroups | refaults |
//! | `vmstat` | `/proc/vmstat` | swapping |
//! | `disks` | `/proc/diskstats` | busy disks |
//! | `softnet` | `/proc/net/softnet_stat` | frames lost in the kernel |
//! | `neighbours` | `/proc/net/stat/arp_cache`, `ndisc_cache` | frames lost for lack of a neighbour entry |
//! | `uplinks` | `/proc/net/dev` | traffic and losses of uplinks |
//! | `places`, `awaited`, `polled_file`, `fields` | – | where files are, or will be; reading and parsing them |
//! | `budget` | – | how often a probe with many files looks |
//! | `probe`, `probes` | – | the interface of probes, and polling them when they are due |
//! | `prepared` | – | selecting the best probes, and preparing them before there are nodes |

mod awaited;
mod bpf;
mod budget;
mod cpu;
mod disks;
mod fields;
mod neighbours;
mod places;
mod polled_file;
mod prepared;
mod pressure;
mod probe;
mod probes;
mod process;
mod processes;
mod refaults;
mod softnet;
mod uplinks;
mod vmstat;

pub use budget::Budget;
pub use places::{Limited, Node, ProcRoots};
pub use prepared::Prepared;
pub use probe::{Probe, Sink};
pub use probes::Probes;
