//! Sockets inside one node, for the engine. Each keeps the node's namespace alive: drop it before
//! [`Network::destroy`] ends. Not here: the node's processes and files.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;

use netloom_ports::PacketSocket;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

use crate::stack::listening;
use crate::{Network, NodeError, TcpSockets, own_kernel};

/// Flags of all sockets here.
const FLAGS: SockFlag = SockFlag::SOCK_CLOEXEC.union(SockFlag::SOCK_NONBLOCK);

/// The network stack of one node.
#[derive(Debug, Clone, Copy)]
pub struct Inside<'n> {
    network: &'n Network,
    node: &'n str,
}

impl Network {
    /// Returns the network stack of a node.
    ///
    /// # Errors
    /// [`NodeError::UnknownNode`].
    pub fn inside<'n>(&'n self, node: &'n str) -> Result<Inside<'n>, NodeError> {
        self.node(node)?;
        Ok(Inside { network: self, node })
    }
}

impl Inside<'_> {
    /// Opens a socket that receives every frame at an interface.
    ///
    /// # Errors
    /// [`NodeError::System`] if the node has no such interface any more.
    pub fn packet_socket(self, interface: &str) -> Result<PacketSocket, NodeError> {
        let what = format!("open a packet socket at {interface}");
        self.open(&what, || PacketSocket::open(interface))
    }

    /// Opens a socket that is neither bound nor connected, and does not block: for TCP or else UDP,
    /// over IPv6 or else IPv4.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel refuses.
    pub fn socket(self, tcp: bool, v6: bool) -> Result<OwnedFd, NodeError> {
        let family = if v6 { AddressFamily::Inet6 } else { AddressFamily::Inet };
        let kind = if tcp { SockType::Stream } else { SockType::Datagram };
        self.open("open a socket", || Ok(socket(family, kind, FLAGS, None)?))
    }

    /// Opens a raw socket for ICMPv6 or else ICMP, which does not block.
    ///
    /// # Errors
    /// [`NodeError::Kernel`] in a node with a kernel of its own, or [`NodeError::System`] if the
    /// kernel refuses.
    pub fn ping_socket(self, v6: bool) -> Result<OwnedFd, NodeError> {
        if self.network.has_own_kernel(self.node) {
            let why = "the engine sends no pings from under it; `netloom exec` one there".into();
            return Err(NodeError::Kernel { node: self.node.into(), why });
        }
        let (family, protocol) = match v6 {
            true => (AddressFamily::Inet6, SockProtocol::IcmpV6),
            false => (AddressFamily::Inet, SockProtocol::Icmp),
        };
        let open = || Ok(socket(family, SockType::Raw, FLAGS, protocol)?);
        self.open("open a socket for pings", open)
    }

    /// Returns the query for TCP sockets. `None` in a node with a kernel of its own, whose sockets
    /// the machine's kernel does not have.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel refuses.
    pub fn tcp_sockets(self) -> Result<Option<TcpSockets>, NodeError> {
        if self.network.has_own_kernel(self.node) {
            return Ok(None);
        }
        self.open("ask for its sockets", TcpSockets::open).map(Some)
    }

    /// Returns the ports on which TCP sockets listen, over IPv4 or IPv6, at any address.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel's table cannot be read.
    pub fn listening_tcp_ports(self) -> Result<BTreeSet<u16>, NodeError> {
        let read = match self.network.has_own_kernel(self.node) {
            true => own_kernel::listening_ports,
            false => listening::tcp_ports,
        };
        self.open("read the table of TCP sockets", read)
    }

    /// Does the work in the node's namespace. `what` is the action of the error.
    fn open<T: Send>(
        self,
        what: &str,
        work: impl FnOnce() -> io::Result<T> + Send,
    ) -> Result<T, NodeError> {
        let done = self.network.enter(self.node, work);
        done.map_err(|error| NodeError::in_node(self.node, what, error))
    }
}
