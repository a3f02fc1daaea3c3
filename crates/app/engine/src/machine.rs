//! The machine's own network, for an engine in another one: the shell of an ordinary user makes the
//! machine's side of the link in a network namespace of its own. Published ports and name queries
//! belong to the machine, so a thread that stayed in its network opens them.

use anyhow::{Context, Result};
use netloom_api::launch::{Gateway as Orders, Launch};
use netloom_nodes::Layout;
use netloom_nodes::shell::{Gateway, Uplink};
use tokio::runtime::{Builder, Handle, Runtime};

/// A thread in the machine's network.
pub struct Machine {
    runtime: Runtime,
}

impl Machine {
    /// Moves the calling thread, which must be the only one, out of the machine's network if that
    /// is ordered. Returns the gateway that joins both, if they are joined.
    ///
    /// # Errors
    /// If the kernel, or `pasta`, refuses.
    pub fn leave(launch: &Launch, layout: &Layout) -> Result<Option<(Self, Option<Gateway>)>> {
        let ordered = launch.shell.as_ref().and_then(|shell| shell.gateway.as_ref());
        let Some(Orders { uplink }) = ordered else { return Ok(None) };
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("on-machine")
            .enable_all()
            .build()
            .context("cannot start the engine's thread in the machine's network")?;
        let uplink = uplink.map(|(v4, v6)| Uplink { v4, v6 });
        let gateway = Gateway::enter(layout, uplink)?;
        Ok(Some((Self { runtime }, gateway)))
    }

    /// Returns the handle by which sockets are opened in the machine's network.
    pub fn handle(&self) -> Handle {
        self.runtime.handle().clone()
    }

    /// Runs `work` in the machine's network.
    pub fn there<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.runtime.block_on(self.runtime.spawn(async { work() })).context("internal error")?
    }
}
