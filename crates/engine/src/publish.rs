//! Ports of the machine that lead into nodes. The engine listens on the machine and passes bytes on to a
//! socket of its own inside the node's network namespace: that needs no privilege and no firewall, and
//! crosses no link.
//!
//! | module | what |
//! |---|---|
//! | `tcp` | connections |
//! | `udp` | datagrams |

mod tcp;
mod udp;

use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_scenario::{Protocol, Publish, Scenario};
use tokio::task::JoinSet;

use crate::experiment::Experiment;

/// Ports of the machine that are ours, and nobody is served yet.
#[derive(Debug, Default)]
pub struct Reserved(Vec<(String, Publish, Socket)>);

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    Udp(UdpSocket),
}

/// Takes all ports that the scenario publishes, before anything else is made.
///
/// # Errors
/// If one is taken, or not for us: which, for which node, and what to change.
pub fn reserve(scenario: &Scenario) -> Result<Reserved> {
    let mut reserved = Reserved::default();
    for node in &scenario.nodes {
        for publish in &node.publish {
            for address in publish.listens_on() {
                let socket = match listen(publish.protocol, address) {
                    Err(error) if is_absent_family(publish, address, &error) => continue,
                    socket => socket.with_context(|| refusal(&node.name, publish, address))?,
                };
                reserved.0.push((node.name.clone(), *publish, socket));
            }
        }
    }
    Ok(reserved)
}

fn listen(protocol: Protocol, address: SocketAddr) -> io::Result<Socket> {
    let socket = match protocol {
        Protocol::Tcp => Socket::Tcp(TcpListener::bind(address)?),
        Protocol::Udp => Socket::Udp(UdpSocket::bind(address)?),
    };
    match &socket {
        Socket::Tcp(socket) => socket.set_nonblocking(true)?,
        Socket::Udp(socket) => socket.set_nonblocking(true)?,
    }
    Ok(socket)
}

/// Whether the machine has no IPv6, which nobody has asked for by name.
fn is_absent_family(publish: &Publish, address: SocketAddr, error: &io::Error) -> bool {
    publish.address.is_none()
        && address.is_ipv6()
        && matches!(error.raw_os_error(), Some(libc::EADDRNOTAVAIL | libc::EAFNOSUPPORT))
}

fn refusal(node: &str, publish: &Publish, address: SocketAddr) -> String {
    let protocol = publish.protocol;
    format!(
        "cannot publish port {} of node `{node}` at {address}/{protocol} of this machine (choose another port \
         or address in `publish`; ports below 1024 take root)",
        publish.to
    )
}

/// Serves published ports until it is ended or dropped.
#[derive(Debug, Default)]
pub struct Publisher(JoinSet<()>);

impl Publisher {
    /// Begins to serve. Must be called on the runtime.
    pub fn start(experiment: &Arc<Experiment>, reserved: Reserved) -> Result<Self> {
        let mut tasks = JoinSet::new();
        for (node, publish, socket) in reserved.0 {
            let target = Target { experiment: Arc::clone(experiment), node, port: publish.to };
            match socket {
                Socket::Tcp(socket) => {
                    let listener = tokio::net::TcpListener::from_std(socket)?;
                    tasks.spawn(tcp::serve(listener, target));
                }
                Socket::Udp(socket) => {
                    let socket = tokio::net::UdpSocket::from_std(socket)?;
                    tasks.spawn(udp::serve(socket, target));
                }
            }
        }
        Ok(Self(tasks))
    }

    /// Ends all connections: their sockets hold namespaces of nodes.
    pub async fn end(mut self) {
        self.0.shutdown().await;
    }
}

/// A port inside a node.
#[derive(Clone)]
struct Target {
    experiment: Arc<Experiment>,
    node: String,
    port: u16,
}

impl Target {
    /// The addresses of the port, in the order in which they are tried.
    fn addresses(&self) -> [SocketAddr; 2] {
        use std::net::{Ipv4Addr, Ipv6Addr};
        [
            SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, self.port)),
        ]
    }

    /// A socket inside the node that is not connected.
    async fn socket(
        &self,
        protocol: Protocol,
        address: SocketAddr,
    ) -> io::Result<std::os::fd::OwnedFd> {
        let Self { experiment, node, .. } = self.clone();
        let open = move || {
            let tcp = protocol == Protocol::Tcp;
            let open = |live: &crate::experiment::Live| {
                Ok(live.network.socket(&node, tcp, address.is_ipv6())?)
            };
            experiment.with_live(open).map_err(io::Error::other)
        };
        // It takes a thread of its own that enters the namespace.
        tokio::task::spawn_blocking(open).await.map_err(io::Error::other)?
    }
}
