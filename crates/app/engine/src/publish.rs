//! Ports of the machine that lead into nodes. The engine listens on the machine and passes bytes on
//! to a socket of its own inside the node's network namespace. This needs no privilege and no
//! firewall, and crosses no link.
//!
//! | module | contents |
//! |---|---|
//! | `target` | the port inside a node |
//! | `tcp` | connections |
//! | `udp` | datagrams |

mod target;
mod tcp;
mod udp;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anyhow::{Context, Result, anyhow};
use netloom_scenario::{Protocol, Publish, Scenario};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::descriptors::{Share, Shares};
use crate::live::LiveNetwork;
use target::Target;

/// The address at which the machine listens.
type PublishedAt = (Protocol, SocketAddr);

/// Ports of the machine that are bound and not served yet, and those that are served already.
#[derive(Debug, Default)]
pub struct Reserved(Vec<Wanted>);

#[derive(Debug)]
struct Wanted {
    node: String,
    publish: Publish,
    address: SocketAddr,
    /// `None` if the port is bound already.
    socket: Option<Opened>,
}

#[derive(Debug)]
enum Opened {
    Tcp(TcpListener),
    Udp(UdpSocket),
}

/// Binds all ports that the scenario publishes, before anything else is made.
///
/// # Errors
/// If a port is taken or not permitted. The error says which, for which node, and what to change.
pub fn reserve(scenario: &Scenario) -> Result<Reserved> {
    reserve_beside(scenario, &BTreeMap::new())
}

/// Binds all ports that the scenario publishes, except those that are bound already.
fn reserve_beside(
    scenario: &Scenario,
    ours: &BTreeMap<PublishedAt, PublishedPort>,
) -> Result<Reserved> {
    let mut reserved = Reserved::default();
    let published =
        scenario.nodes.iter().flat_map(|node| node.publish.iter().map(move |p| (node, p)));
    for (node, publish) in published {
        for address in publish.listens_on() {
            let socket = match ours.contains_key(&(publish.protocol, address)) {
                true => None,
                false => match listen(publish.protocol, address) {
                    Err(error) if is_absent_family(publish, address, &error) => continue,
                    socket => {
                        Some(socket.with_context(|| refusal(&node.name, publish, address, ours))?)
                    }
                },
            };
            reserved.0.push(Wanted { node: node.name.clone(), publish: *publish, address, socket });
        }
    }
    Ok(reserved)
}

fn listen(protocol: Protocol, address: SocketAddr) -> io::Result<Opened> {
    let socket = match protocol {
        Protocol::Tcp => Opened::Tcp(TcpListener::bind(address)?),
        Protocol::Udp => Opened::Udp(UdpSocket::bind(address)?),
    };
    match &socket {
        Opened::Tcp(socket) => socket.set_nonblocking(true)?,
        Opened::Udp(socket) => socket.set_nonblocking(true)?,
    }
    Ok(socket)
}

/// Whether the machine lacks IPv6, where the scenario does not ask for an IPv6 address by name.
fn is_absent_family(publish: &Publish, address: SocketAddr, error: &io::Error) -> bool {
    publish.address.is_none()
        && address.is_ipv6()
        && matches!(error.raw_os_error(), Some(libc::EADDRNOTAVAIL | libc::EAFNOSUPPORT))
}

fn refusal(
    node: &str,
    publish: &Publish,
    address: SocketAddr,
    ours: &BTreeMap<PublishedAt, PublishedPort>,
) -> String {
    let protocol = publish.protocol;
    let mut known = ours.keys();
    let is_ours = known.any(|place| place.0 == protocol && place.1.port() == address.port());
    let advice = match is_ours {
        true => {
            "this experiment listens there itself, at another address: take that port away first, \
             and then add this one"
        }
        false => "choose another port or address in `publish`; ports below 1024 take root",
    };
    format!(
        "cannot publish port {} of node `{node}` at {address}/{protocol} of this machine \
         ({advice})",
        publish.to
    )
}

/// Serves published ports until [`end`](Self::end) is called.
#[derive(Debug, Default)]
pub struct Publisher {
    ports: Mutex<BTreeMap<PublishedAt, PublishedPort>>,
    /// The share of the engine's open files for all of these ports.
    share: OnceLock<Share>,
}

/// A port that is served.
#[derive(Debug)]
struct PublishedPort {
    node: String,
    to: u16,
    socket: Socket,
    /// All connections of the port, which end with it.
    tasks: JoinSet<()>,
}

#[derive(Debug, Clone)]
enum Socket {
    Tcp(Arc<tokio::net::TcpListener>),
    Udp(Arc<tokio::net::UdpSocket>),
}

impl Socket {
    fn new(opened: Opened) -> io::Result<Self> {
        Ok(match opened {
            Opened::Tcp(socket) => Self::Tcp(Arc::new(tokio::net::TcpListener::from_std(socket)?)),
            Opened::Udp(socket) => Self::Udp(Arc::new(tokio::net::UdpSocket::from_std(socket)?)),
        })
    }
}

impl PublishedPort {
    fn serve(target: Target, socket: Socket) -> Self {
        let (node, to) = (target.node.clone(), target.port);
        let mut tasks = JoinSet::new();
        match socket.clone() {
            Socket::Tcp(listener) => tasks.spawn(tcp::serve(listener, target)),
            Socket::Udp(socket) => tasks.spawn(udp::serve(socket, target)),
        };
        Self { node, to, socket, tasks }
    }
}

impl Publisher {
    /// Sets the share of the engine's open files for connections of all ports. Called once, before
    /// any port is served.
    pub fn share(&self, share: Share) {
        let _ = self.share.set(share);
    }

    /// Binds the ports that the scenario publishes and that are not bound yet.
    ///
    /// # Errors
    /// See [`reserve`].
    pub fn reserve(&self, scenario: &Scenario) -> Result<Reserved> {
        reserve_beside(scenario, &self.lock())
    }

    /// Serves these ports, and stops serving all others. Ends connections of ports that now lead
    /// elsewhere, or whose node is a different one (`is_other`). Must be called on the runtime.
    pub fn serve(
        &self,
        network: &Arc<LiveNetwork>,
        reserved: Reserved,
        is_other: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let share = self.share.get_or_init(|| Shares::set().published);
        let mut ports = self.lock();
        let mut before = std::mem::take(&mut *ports);
        // No port may take the share of the others.
        let most = share.available_permits() / reserved.0.len().max(1);
        let target = |node: &str, port, protocol: Protocol| Target {
            network: Arc::clone(network),
            node: node.into(),
            port,
            shown: format!("published {node}:{port}/{protocol}").into(),
            shares: [Arc::new(Semaphore::new(most)), Arc::clone(share)],
        };
        for Wanted { node, publish: Publish { protocol, to, .. }, address, socket } in reserved.0 {
            let known = before.remove(&(protocol, address));
            let port = match (known, socket) {
                (Some(port), _) if port.node == node && port.to == to && !is_other(&node) => port,
                (Some(port), _) => PublishedPort::serve(target(&node, to, protocol), port.socket),
                (None, Some(opened)) => {
                    PublishedPort::serve(target(&node, to, protocol), Socket::new(opened)?)
                }
                (None, None) => return Err(anyhow!("{address}/{protocol} is not ours any more")),
            };
            ports.insert((protocol, address), port);
        }
        Ok(())
    }

    /// Ends all connections, since their sockets keep namespaces of nodes alive.
    pub async fn end(&self) {
        let ports = std::mem::take(&mut *self.lock());
        for mut port in ports.into_values() {
            port.tasks.shutdown().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PublishedAt, PublishedPort>> {
        // A port is added or removed in one step.
        self.ports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
