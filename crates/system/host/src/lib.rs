//! This machine as the host of experiments: which there are, which of them are dead, the removal of
//! what dead engines left; and what the machine has room for.
//!
//! | module | what |
//! |---|---|
//! | `experiments` | experiments seen from outside: found, killed, cleaned up after |
//! | `free` | addresses that nothing on it uses |
//! | `state_lock` | the claim to an experiment's name |
//!
//! Not here: an experiment from inside (`netloom-engine`).

mod experiments;
mod free;
mod state_lock;

pub use experiments::{
    Cleaned, Found, cleanup, experiments, inspect, is_running, kill_engine, names, wait_if_going,
    write_process,
};
pub use free::{FreeSubnets, free_subnets};
pub use netloom_nodes::own_kernel::check as own_kernel_check;
pub use netloom_nodes::{Demand, Layout, Wall, enforcer, may_have_ipv6_behind, shell, walls};
pub use state_lock::{Existed, StateLock};
