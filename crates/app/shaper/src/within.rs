//! Work in a network namespace.

use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_selector::Network;

/// Does something in a network namespace: in that of this process, or on a thread that has entered
/// another one.
pub fn within<T: Send>(
    network: Option<&Arc<Network>>,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    match network {
        None => work(),
        Some(network) => network
            .enter(work)
            .with_context(|| format!("cannot enter the network of {}", network.name()))?,
    }
}
