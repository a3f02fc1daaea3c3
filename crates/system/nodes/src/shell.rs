//! A command beside its caller, in the network of a node.
//!
//! Unlike a node's processes, it is no child of the node's init and has no view of its own: files,
//! process numbers, terminal, user and groups are its caller's. Its network is the node's, and two
//! files of `/etc` say how names are found there. `netloom __shell` is the process that goes there
//! and then becomes the command (`enter`); `members` are all processes that are there. The caller's
//! network is the machine's, or for ordinary users one that is joined to it (`gateway`).

mod enter;
mod gateway;
mod members;
mod order;

pub use enter::main;
pub use gateway::{Gateway, Uplink, pasta};
pub use order::{Caller, Entrance, Order, ROLE};

pub(crate) use members::hang_up;
