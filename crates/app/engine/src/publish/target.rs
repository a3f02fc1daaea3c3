//! The port inside a node that a published port leads to.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use netloom_link::Direction;
use netloom_scenario::Protocol;

use crate::descriptors::{self, Held, Share};
use crate::live::LiveNetwork;
use crate::tally::waits::Way;

/// A port inside a node.
#[derive(Clone)]
pub struct Target {
    /// The network of the node.
    pub network: Arc<LiveNetwork>,
    /// The node.
    pub node: String,
    /// The port inside the node.
    pub port: u16,
    /// Its name in the error bound: `published web:80/tcp`.
    pub shown: Arc<str>,
    /// The shares of the engine's open files of this port, and of all ports.
    pub shares: [Share; 2],
}

impl Target {
    /// Takes `files` of both shares, if this port may have them.
    pub fn hold(&self, files: u32) -> Option<[Held; 2]> {
        let [own, common] = &self.shares;
        Some([descriptors::take(own, files)?, descriptors::take(common, files)?])
    }

    /// Returns the addresses of the port, in the order in which they are tried.
    pub fn addresses(&self) -> [SocketAddr; 2] {
        [
            SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, self.port)),
        ]
    }

    /// Returns the way to the port (`forward`), or back.
    pub fn way(&self, direction: Direction) -> Way {
        Way { port: Arc::clone(&self.shown), direction }
    }

    /// Makes an unconnected socket inside the node.
    pub async fn socket(&self, protocol: Protocol, address: SocketAddr) -> io::Result<OwnedFd> {
        let Self { network, node, .. } = self.clone();
        let tcp = protocol == Protocol::Tcp;
        let open = move || {
            let opened = network
                .with(|live| Ok(live.network.inside(&node)?.socket(tcp, address.is_ipv6())?));
            opened.map_err(io::Error::other)
        };
        // Opening a socket takes a thread of its own that enters the namespace.
        tokio::task::spawn_blocking(open).await.map_err(io::Error::other)?
    }
}
