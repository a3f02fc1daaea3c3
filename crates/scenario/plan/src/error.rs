//! The errors of planning.

use netloom_scenario::{Endpoint, IpPrefix};
use thiserror::Error;

/// The reason why a scenario cannot be planned. Every message says what to change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A link names an interface that no node has, so the scenario was not resolved properly.
    #[error("link `{link}` ends at `{endpoint}`, which no node has; name an existing interface")]
    UnknownEndpoint {
        /// Name of the link.
        link: String,
        /// End that does not exist.
        endpoint: Endpoint,
    },
    /// The automatic addresses of an interface come from the segment's fixed network, which is
    /// full.
    #[error(
        "no free address for `{endpoint}` in {network}, the fixed network of its segment; \
         give it an address or use a shorter prefix length"
    )]
    NetworkFull {
        /// Interface without an address.
        endpoint: Endpoint,
        /// The fixed network.
        network: IpPrefix,
    },
    /// The automatic range has no room for another network.
    #[error(
        "no room in {pool} for another network of {addresses} addresses (for `{endpoint}`); \
         give fixed addresses to some links, or narrow the fixed prefixes that lie in {pool}"
    )]
    PoolExhausted {
        /// Range of the automatic networks.
        pool: IpPrefix,
        /// Number of addresses that the network needs.
        addresses: u128,
        /// An interface of the segment.
        endpoint: Endpoint,
    },
    /// The automatic range has no room for another loopback address.
    #[error(
        "no loopback address left in {pool} for `{node}`; \
         give some nodes a fixed loopback address, or none"
    )]
    LoopbacksExhausted {
        /// Range of the automatic loopback addresses.
        pool: IpPrefix,
        /// Node without an address.
        node: String,
    },
}
