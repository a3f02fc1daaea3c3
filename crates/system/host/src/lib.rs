//! This machine as the host of experiments: finds experiments, removes what dead engines left, and
//! checks what the machine has room for.
//!
//! | module | contents |
//! |---|---|
//! | `experiments` | experiments from outside: finding, killing, cleaning up |
//! | [`fresh`] | what a node would find: namespaces, TAPs, the kernel's parameters |
//! | `free` | addresses that nothing on the machine uses |
//! | `state_lock` | the claim to an experiment's name |
//!
//! Not here: an experiment from inside (`netloom-engine`).

mod experiments;
mod free;
pub mod fresh;
mod state_lock;

pub use experiments::{
    Cleaned, Found, cleanup, experiments, inspect, is_running, kill_engine, names, wait_if_going,
    write_process,
};
pub use free::{FreeSubnets, free_subnets};
pub use netloom_nodes::own_kernel::check as own_kernel_check;
pub use netloom_nodes::{
    Activity, Capacity, Demand, Layout, activity, capacities, enforcer, may_have_ipv6_behind,
    shell, state_root,
};
pub use state_lock::{Existed, StateLock};
