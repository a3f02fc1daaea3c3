//! Watches interfaces in any number of network namespaces: whether their owners have them up, and
//! their MTUs. One routing socket for each namespace, one thread for all.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::netlink::parts;
use super::netns::{self, Identity};

/// The kernel's multicast group of changes of interfaces (`RTMGRP_LINK`).
const LINKS: u32 = 1;
/// Key of the caller's own descriptor.
const WAKE: u64 = 0;
/// Most bytes of one message of the kernel.
const LONGEST: usize = 64 << 10;

/// A watch over interfaces.
pub struct InterfaceWatch {
    epoll: Epoll,
    /// By their keys.
    spaces: HashMap<u64, Space>,
    keys: HashMap<Identity, u64>,
    /// The key of the namespace of each interface, by its token.
    homes: HashMap<u64, u64>,
    last_key: u64,
}

/// A namespace with watched interfaces.
struct Space {
    socket: Socket,
    identity: Identity,
    /// Interfaces that are watched, by their indices in the namespace.
    known: HashMap<u32, Known>,
    /// Interfaces that the kernel has not reported yet, by their names.
    wanted: HashMap<String, u64>,
    /// Whether the kernel is listing all interfaces.
    listing: bool,
    /// Whether the next list may have more.
    again: bool,
}

struct Known {
    token: u64,
    name: String,
    state: Option<(bool, u32)>,
}

/// What has become of a watched interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The number that [`InterfaceWatch::add`] was called with.
    pub token: u64,
    /// Its state; `None` if it is not in its namespace any more.
    pub state: Option<InterfaceSetting>,
}

/// What a node has set an interface to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterfaceSetting {
    /// Whether it is up. This is not whether it has a carrier.
    pub up: bool,
    /// Largest packet in bytes.
    pub mtu: u32,
}

impl InterfaceWatch {
    /// Makes a watch over nothing. [`wait`](Self::wait) also ends when `wake` is readable.
    ///
    /// # Errors
    /// Those of the kernel.
    pub fn new(wake: impl AsFd) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        epoll.add(wake, EpollEvent::new(EpollFlags::EPOLLIN, WAKE))?;
        let (spaces, keys, homes) = (HashMap::new(), HashMap::new(), HashMap::new());
        Ok(Self { epoll, spaces, keys, homes, last_key: WAKE })
    }

    /// Watches the interface of this name in a namespace from now on, which may have another name
    /// later, and no longer elsewhere. [`wait`](Self::wait) reports its state first. The calling
    /// thread is in that namespace afterwards.
    ///
    /// # Errors
    /// Those of the kernel.
    pub fn add(&mut self, token: u64, name: String, namespace: OwnedFd) -> io::Result<()> {
        let namespace = File::from(namespace);
        let identity = netns::identity_of(&namespace)?;
        let key = match self.keys.get(&identity) {
            Some(key) => *key,
            None => {
                netns::enter(&namespace)?;
                let mut socket = Socket::new(NETLINK_ROUTE)?;
                socket.set_non_blocking(true)?;
                socket.bind(&SocketAddr::new(0, LINKS))?;
                let key = self.last_key + 1;
                self.epoll.add(socket.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, key))?;
                self.last_key = key;
                self.spaces.insert(key, Space::new(socket, identity));
                self.keys.insert(identity, key);
                key
            }
        };
        if let Some(before) = self.homes.insert(token, key).filter(|before| *before != key)
            && let Some(space) = self.spaces.get_mut(&before)
        {
            space.wanted.retain(|_, wanted| *wanted != token);
            self.forget_if_empty(before);
        }
        if let Some(space) = self.spaces.get_mut(&key) {
            space.wanted.insert(name, token);
            space.list()?;
        }
        Ok(())
    }

    /// Lets go of a namespace in which nothing is watched any more.
    fn forget_if_empty(&mut self, key: u64) {
        let is_empty = |space: &Space| space.known.is_empty() && space.wanted.is_empty();
        if self.spaces.get(&key).is_some_and(is_empty)
            && let Some(space) = self.spaces.remove(&key)
        {
            self.keys.remove(&space.identity);
        }
    }

    /// Waits for changes. Returns those that have come, or none if the caller was woken.
    ///
    /// # Errors
    /// Those of the kernel.
    pub fn wait(&mut self) -> io::Result<Vec<Watched>> {
        let mut events = [EpollEvent::empty(); 64];
        let ready = match self.epoll.wait(&mut events, EpollTimeout::NONE) {
            Err(nix::errno::Errno::EINTR) => 0,
            ready => ready?,
        };
        let mut changes = Vec::new();
        for event in &events[..ready] {
            let Some(space) = self.spaces.get_mut(&event.data()) else { continue };
            space.read(&mut changes)?;
        }
        Ok(changes)
    }
}

/// Whether a message is about an interface itself. A bridge reports its ports under a family of its
/// own, also those that leave it.
fn is_about_device(link: &LinkMessage) -> bool {
    link.header.interface_family == AddressFamily::Unspec
}

impl Space {
    fn new(socket: Socket, identity: Identity) -> Self {
        let (known, wanted) = (HashMap::new(), HashMap::new());
        Self { socket, identity, known, wanted, listing: false, again: false }
    }

    /// Requests the state of all interfaces, which then come like changes. The kernel makes one
    /// list at a time.
    fn list(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.listing, true) {
            self.again = true;
            return Ok(());
        }
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_DUMP;
        let request = RouteNetlinkMessage::GetLink(LinkMessage::default());
        let mut message = NetlinkMessage::new(header, NetlinkPayload::from(request));
        message.finalize();
        let mut bytes = vec![0; message.header.length as usize];
        message.serialize(&mut bytes);
        self.socket.send_to(&bytes, &SocketAddr::new(0, 0), 0).map(drop)
    }

    /// Notes that a list has ended. Interfaces that were added meanwhile may not be on it.
    fn listed(&mut self) -> io::Result<()> {
        self.listing = false;
        if std::mem::take(&mut self.again) { self.list() } else { Ok(()) }
    }

    fn read(&mut self, changes: &mut Vec<Watched>) -> io::Result<()> {
        loop {
            let mut datagram = Vec::with_capacity(LONGEST);
            match self.socket.recv(&mut datagram, 0) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // Changes were lost: the present state is what counts.
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                    self.list()?;
                    continue;
                }
                Err(error) => return Err(error),
            }
            // A message that cannot be parsed has no state to report.
            for part in parts(&datagram).filter_map(Result::ok) {
                match part.payload {
                    NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewLink(link))
                        if is_about_device(&link) =>
                    {
                        self.take(&link, changes);
                    }
                    NetlinkPayload::InnerMessage(RouteNetlinkMessage::DelLink(link))
                        if is_about_device(&link) =>
                    {
                        if let Some(gone) = self.known.remove(&link.header.index) {
                            changes.push(Watched { token: gone.token, state: None });
                            // It may come back.
                            self.wanted.insert(gone.name, gone.token);
                        }
                    }
                    NetlinkPayload::Done(_) => self.listed()?,
                    _ => {}
                }
            }
        }
    }

    fn take(&mut self, link: &LinkMessage, changes: &mut Vec<Watched>) {
        let index = link.header.index;
        let name = link.attributes.iter().find_map(|attribute| match attribute {
            LinkAttribute::IfName(name) => Some(name.as_str()),
            _ => None,
        });
        if !self.known.contains_key(&index)
            && let Some(name) = name
            && let Some(token) = self.wanted.remove(name)
        {
            self.known.insert(index, Known { token, name: name.into(), state: None });
        }
        let Some(known) = self.known.get_mut(&index) else { return };
        let mtu = link.attributes.iter().find_map(|attribute| match attribute {
            LinkAttribute::Mtu(mtu) => Some(*mtu),
            _ => None,
        });
        let Some(mtu) = mtu else { return };
        let up = link.header.flags.contains(LinkFlags::Up);
        if known.state != Some((up, mtu)) {
            known.state = Some((up, mtu));
            let state = Some(InterfaceSetting { up, mtu });
            changes.push(Watched { token: known.token, state });
        }
    }
}
