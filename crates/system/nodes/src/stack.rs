//! One node's network stack: its namespace, devices, addresses, routes and kernel parameters.
//!
//! | module | what |
//! |---|---|
//! | `netns` | network namespaces and their names |
//! | `tap`, `direct` | interfaces: the engine's, and pairs that need no engine |
//! | `netlink`, `requests` | how the kernel is asked, and for what |
//! | `sysctl`, `own_proc` | kernel parameters of a namespace |
//! | `pacing` | interfaces that send no faster than their line |
//! | `configure` | all of it, for one node |
//! | `interface`, `overruns` | what interfaces and sockets count |
//! | `sock_diag`, `tcp_sockets` | what the kernel has to say of sockets, and of those of TCP |

pub(crate) mod configure;
pub(crate) mod direct;
pub(crate) mod interface;
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
