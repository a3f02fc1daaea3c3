//! One node's network stack: its namespace, devices, addresses, routes and kernel parameters.
//!
//! | module | what |
//! |---|---|
//! | `netns` | network namespaces and their names |
//! | `tap`, `direct` | interfaces: those of the engine, and pairs that need no engine |
//! | `netlink`, `requests` | requests to the kernel, and their content |
//! | `turns` | turns for the kernel's lock of network configuration |
//! | `sysctl`, `own_proc` | kernel parameters of a namespace |
//! | `features` | what the kernel must have for nodes, looked for before they exist |
//! | `pacing` | interfaces that send no faster than their line |
//! | `configure` | the whole configuration of one node |
//! | `interface`, `overruns` | counters of interfaces and sockets |
//! | `watch` | changes that nodes make to their interfaces |
//! | `sock_diag`, `tcp_sockets` | diagnostics of sockets, and of TCP sockets |
//! | `listening` | ports on which programs listen |

pub(crate) mod configure;
pub(crate) mod direct;
pub(crate) mod features;
pub(crate) mod interface;
pub(crate) mod listening;
pub(crate) mod netlink;
pub(crate) mod netns;
pub(crate) mod overruns;
pub(crate) mod own_proc;
pub(crate) mod pacing;
pub(crate) mod requests;
pub(crate) mod sock_diag;
pub(crate) mod sysctl;
pub(crate) mod tap;
pub(crate) mod tcp_sockets;
pub(crate) mod turns;
pub(crate) mod watch;
