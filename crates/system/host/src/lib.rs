//! This machine as the host of experiments: finds experiments, removes what dead engines left, and
//! checks what the machine has room for.
//!
//! | module | contents |
//! |---|---|
//! | `experiments` | experiments from outside: finding, killing, cleaning up |
//! | `state_lock` | the claim to an experiment's name |
//!
//! Not here: an experiment from inside (`netloom-engine`).

mod experiments;
mod state_lock;

pub use experiments::{
    Cleaned, Found, cleanup, experiments, inspect, is_running, kill_engine, names, wait_if_going,
    write_process,
};
pub use netloom_nodes::own_kernel::check as own_kernel_check;
pub use netloom_nodes::{Demand, Wall, enforcer, walls};
pub use state_lock::{Existed, StateLock};
