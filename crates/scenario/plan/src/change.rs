//! Changes from one network to another: the operations, their order, and their inverses. This
//! module is pure. The operations are carried out by `nodes` (everything about namespaces) and the
//! engine (links in the data plane).
//!
//! | order | what | why here |
//! |---|---|---|
//! | 1 | change the limits of nodes that stay; create groups with limits | the kernel may refuse limits; nodes need their groups |
//! | 2 | make new nodes, interfaces, pairs and ends outside | nothing uses them yet, so this is easy to undo |
//! | 3 | take out links that go or are replaced | |
//! | 4 | remove what blocks the name of something new, then make the new thing | a name can be used only once |
//! | 5 | put in new links; change links that stay | |
//! | 6 | set parameters, addresses and routes of nodes that stay | they need all interfaces |
//! | 7 | start what runs in nodes from the start | its network is complete |
//! | 8 | remove the rest | nothing leads there any more |
//!
//! This module does not know for which nodes the file systems or programs have changed. The caller
//! passes that as [`Inside`].

mod devices;
mod differ;
mod operations;

use differ::Differ;
pub use operations::{Change, Changes, Existence, Inside, Network, Operation};

/// Returns the changes from `old` to `new`, including those inside nodes.
pub fn changes(old: Network<'_>, new: Network<'_>, inside: &Inside) -> Changes {
    Differ::new(old, new, inside).changes()
}
