//! Claims: traffic of programs on a real host that is sent through a link.
//!
//! | module | contents |
//! |---|---|
//! | `ports` | lists and ranges of ports: [`Ports`] |
//! | `selector` | the selection of a claim, as it is written: [`Selector`] |
//! | `claim` | a claim as it is requested: [`Claim`]; files of claims |
//! | `keys` | the keys by which the kernel looks a frame up: [`Key`] |
//! | `location` | devices and their network namespaces: [`Location`] |
//! | `book` | the claims of a host, with their ends: [`Book`] |
//! | `policy` | permissions of ordinary users: [`Policy`] |
//! | `admission` | the capacity of a host: [`Capacity`] |
//! | `shares` | how much of the daemon each guest may have at once: [`Shares`] |
//! | `pace` | how many lines of the record each guest fills: [`Pace`] |
//! | `refusal` | reasons for refusing a claim: [`Refusal`] |
//! | `moment` | times of the day: [`Moment`] |
//! | [`netconfig`] | the grammar of an older tool |
//! | [`wire`] | requests and answers of the daemon |
//!
//! ```
//! use netloom_shape::Ports;
//!
//! let web: Ports = "80,8000-8080".parse()?;
//! let proxy: Ports = "8080".parse()?;
//! assert_eq!(web.common(&proxy), Some(8080));
//! # Ok::<(), netloom_shape::PortError>(())
//! ```
//!
//! This crate is pure. `netloom-selector` has the kernel's tables, and `netloom-engine` has the
//! daemon that keeps the book.

mod admission;
mod book;
mod claim;
mod keys;
mod location;
mod moment;
pub mod netconfig;
mod pace;
mod policy;
mod ports;
mod refusal;
mod selector;
mod shares;
pub mod wire;

pub use admission::{Capacity, Held, Need};
pub use book::{Book, BoundPort, Entry, Owner, Request, Terms};
pub use claim::{Claim, ClaimFile, Lifetime, check_name};
pub use keys::{Cgroup, Key, MAX_KEYS, PortPrefix, Side, Target, Tier};
pub use location::{Location, NetworkId};
pub use moment::Moment;
pub use pace::Pace;
pub use policy::Policy;
pub use ports::{PortError, PortRange, Ports};
pub use refusal::Refusal;
pub use selector::{PortSelector, Protocol, Protocols, Selector, prefix};
pub use shares::{Guest, Limits, Shares};
