//! Claims: traffic of programs on a real host that goes through a link.
//!
//! | module | what |
//! |---|---|
//! | `ports` | lists and ranges of ports: [`Ports`] |
//! | `selector` | what a claim takes, as it is written: [`Selector`] |
//! | `claim` | a claim as it is asked for: [`Claim`]; files of claims |
//! | `keys` | what the kernel looks a frame up by: [`Key`] |
//! | `book` | the claims of a host, with their ends: [`Book`] |
//! | `policy` | what an administrator allows: [`Policy`] |
//! | `admission` | what a host can bear: [`Capacity`] |
//! | `refusal` | why a claim is refused: [`Refusal`] |
//! | `moment` | times of the day: [`Moment`] |
//! | [`netconfig`] | the grammar of an older tool |
//! | [`wire`] | requests and answers of the daemon |
//!
//! Pure. Not here: the kernel's tables (`netloom-selector`), and the daemon that keeps the book
//! (`netloom-engine`).

mod admission;
mod book;
mod claim;
mod keys;
mod moment;
pub mod netconfig;
mod policy;
mod ports;
mod refusal;
mod selector;
pub mod wire;

pub use admission::{Capacity, Need};
pub use book::{Book, BoundPort, Entry, Owner, Request};
pub use claim::{Claim, ClaimFile, Lifetime, check_name};
pub use keys::{Cgroup, Key, MAX_KEYS, PortPrefix, Side, Target, Tier};
pub use moment::Moment;
pub use policy::Policy;
pub use ports::{PortError, PortRange, Ports};
pub use refusal::Refusal;
pub use selector::{PortSelector, Protocol, Protocols, Selector, prefix};
