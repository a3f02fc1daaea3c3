//! Next hops, and the choice among equally short paths.

use std::net::IpAddr;

/// The choice of a table among equally short paths (by the metric, then by hops).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The path whose next node's name comes first.
    ByName,
    /// The path that makes the table smallest.
    BySize,
}

/// The next hop of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    pub via: IpAddr,
    /// Index among the node's interfaces.
    pub interface: usize,
}
