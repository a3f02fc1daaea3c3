//! Requests to the kernel's routing socket: links, addresses, routes. Many requests are sent in one
//! system call. Only the last one of a batch is acknowledged, because errors are reported in any
//! case.
//!
//! Not here: the configuration itself.

use std::io;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader,
    NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::link::LinkMessage;
use netlink_packet_route::neighbour::{NeighbourMessage, NeighbourState};
use netlink_packet_route::route::RouteMessage;
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

use crate::stack::turns;

/// Number of bytes of requests that are sent together: well below the smallest default socket
/// buffer.
const BATCH: usize = 32 * 1024;

/// Errors of the kernel for removing what does not exist (routes, addresses, devices), and for
/// adding what exists.
const DONE: [i32; 5] = [libc::ESRCH, libc::EADDRNOTAVAIL, libc::ENODEV, libc::ENOENT, libc::EEXIST];

/// A routing socket of the network namespace in which it was opened.
pub(crate) struct Netlink {
    socket: Socket,
    sequence: u32,
}

/// A request, and its description for errors.
pub(crate) struct Request {
    pub message: RouteNetlinkMessage,
    pub what: Box<dyn Fn() -> String>,
    /// Whether it is no error if there is nothing to remove, or if what is added exists already.
    is_done_anyway: bool,
    /// Whether what is added must not exist already.
    is_new: bool,
}

impl Request {
    pub fn new(message: RouteNetlinkMessage, what: impl Fn() -> String + 'static) -> Self {
        Self { message, what: Box::new(what), is_done_anyway: false, is_new: false }
    }

    /// Accepts that what is to be removed does not exist, or that what is to be added exists.
    pub fn or_done(self) -> Self {
        Self { is_done_anyway: true, ..self }
    }

    /// Requires that a route that is added does not exist already.
    pub fn if_new(self) -> Self {
        Self { is_new: true, ..self }
    }

    fn flags(&self) -> u16 {
        NLM_F_REQUEST
            | match self.message {
                RouteNetlinkMessage::NewLink(_) | RouteNetlinkMessage::NewAddress(_) => {
                    NLM_F_CREATE | NLM_F_EXCL
                }
                RouteNetlinkMessage::NewRoute(_) if self.is_new => NLM_F_CREATE | NLM_F_EXCL,
                RouteNetlinkMessage::NewRoute(_)
                | RouteNetlinkMessage::NewNeighbour(_)
                | RouteNetlinkMessage::NewQueueDiscipline(_) => NLM_F_CREATE | NLM_F_REPLACE,
                RouteNetlinkMessage::GetRoute(_) | RouteNetlinkMessage::GetNeighbour(_) => {
                    NLM_F_DUMP
                }
                _ => 0,
            }
    }
}

/// A request that the kernel refused.
pub(crate) struct Refused {
    pub what: String,
    pub source: io::Error,
}

impl Netlink {
    pub fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        socket.set_cap_ack(true)?;
        Ok(Self { socket, sequence: 0 })
    }

    /// Sends the requests in order, up to the first batch with a refused one.
    pub fn apply(&mut self, requests: impl IntoIterator<Item = Request>) -> Result<(), Refused> {
        let mut requests = requests.into_iter().peekable();
        let mut batch = Batch::new(self.sequence);
        while let Some(request) = requests.next() {
            batch.has_lock = turns::has_lock(&request.message);
            // A batch with and without the lock would keep it for all.
            let goes_on = requests.peek().is_some_and(|next| {
                batch.bytes.len() < BATCH && turns::has_lock(&next.message) == batch.has_lock
            });
            let is_last = !goes_on;
            batch.add(request, if is_last { NLM_F_ACK } else { 0 });
            if is_last {
                self.sequence += batch.length();
                self.send(&batch)?;
                batch.clear(self.sequence);
            }
        }
        Ok(())
    }

    /// Returns the kernel's description of a device in this socket's namespace.
    pub fn link(&mut self, index: u32) -> io::Result<LinkMessage> {
        let mut message = LinkMessage::default();
        message.header.index = index;
        let mut batch = Batch::new(self.sequence);
        batch.add(Request::new(RouteNetlinkMessage::GetLink(message), String::new), 0);
        self.sequence += batch.length();
        self.socket.send(&batch.bytes, 0)?;
        let (datagram, _) = self.socket.recv_from_full()?;
        let reply = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&datagram)
            .map_err(|error| io::Error::other(error.to_string()))?;
        match reply.payload {
            NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewLink(link)) => Ok(link),
            NetlinkPayload::Error(error) => Err(error.to_io()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Returns the neighbours in this socket's namespace whose Ethernet addresses could not be
    /// resolved so far.
    pub fn unresolved(&mut self) -> io::Result<Vec<NeighbourMessage>> {
        let request = RouteNetlinkMessage::GetNeighbour(NeighbourMessage::default());
        let mut batch = Batch::new(self.sequence);
        batch.add(Request::new(request, String::new), 0);
        self.sequence += batch.length();
        self.socket.send(&batch.bytes, 0)?;
        let mut neighbours = vec![];
        let is_unresolved = |state: &NeighbourState| {
            matches!(state, NeighbourState::Incomplete | NeighbourState::Failed)
        };
        loop {
            let (datagram, _) = self.socket.recv_from_full()?;
            for reply in parts(&datagram) {
                match reply?.payload {
                    NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewNeighbour(neighbour))
                        if is_unresolved(&neighbour.header.state) =>
                    {
                        neighbours.push(neighbour);
                    }
                    NetlinkPayload::Done(_) => return Ok(neighbours),
                    NetlinkPayload::Error(error) => return Err(error.to_io()),
                    _ => {}
                }
            }
        }
    }

    /// Returns all routes of a family in this socket's namespace, of all tables.
    pub fn routes(&mut self, family: AddressFamily) -> io::Result<Vec<RouteMessage>> {
        let mut message = RouteMessage::default();
        message.header.address_family = family;
        let mut batch = Batch::new(self.sequence);
        batch.add(Request::new(RouteNetlinkMessage::GetRoute(message), String::new), 0);
        self.sequence += batch.length();
        self.socket.send(&batch.bytes, 0)?;
        let mut routes = vec![];
        loop {
            let (datagram, _) = self.socket.recv_from_full()?;
            for reply in parts(&datagram) {
                match reply?.payload {
                    NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewRoute(route)) => {
                        routes.push(route);
                    }
                    NetlinkPayload::Done(_) => return Ok(routes),
                    NetlinkPayload::Error(error) => return Err(error.to_io()),
                    _ => {}
                }
            }
        }
    }

    fn send(&self, batch: &Batch) -> Result<(), Refused> {
        let refused = |index: u32, source| {
            // Invariant: replies have the sequence numbers of this batch.
            let request = batch.sent.get(index as usize).unwrap_or(&batch.sent[0]);
            Refused { what: (request.what)(), source }
        };
        // The kernel carries out all requests before `send` returns.
        let turn = batch.has_lock.then(turns::take);
        self.socket.send(&batch.bytes, 0).map_err(|source| refused(0, source))?;
        drop(turn);
        let is_done = |sequence: u32, error: &io::Error| {
            let request = batch.sent.get(sequence.saturating_sub(batch.first) as usize);
            request.is_some_and(|request| request.is_done_anyway)
                && DONE.contains(&error.raw_os_error().unwrap_or(0))
        };
        self.replies(batch.first + batch.length() - 1, is_done)
            .map_err(|(sequence, source)| refused(sequence.saturating_sub(batch.first), source))
    }

    /// Reads replies up to the acknowledgement of `last`. Returns the first error.
    fn replies(
        &self,
        last: u32,
        is_done: impl Fn(u32, &io::Error) -> bool,
    ) -> Result<(), (u32, io::Error)> {
        let mut failed = None;
        loop {
            let (datagram, _) = self.socket.recv_from_full().map_err(|error| (last, error))?;
            for reply in parts(&datagram) {
                let reply = reply.map_err(|error| (last, error))?;
                let sequence = reply.header.sequence_number;
                if let NetlinkPayload::Error(error) = &reply.payload
                    && error.code.is_some()
                    && failed.is_none()
                {
                    let error = error.to_io();
                    failed = (!is_done(sequence, &error)).then_some((sequence, error));
                }
                if sequence == last && matches!(reply.payload, NetlinkPayload::Error(_)) {
                    return failed.map_or(Ok(()), Err);
                }
            }
        }
    }
}

/// Returns the messages of a datagram, up to the first one that cannot be parsed.
pub(crate) fn parts(
    datagram: &[u8],
) -> impl Iterator<Item = io::Result<NetlinkMessage<RouteNetlinkMessage>>> + '_ {
    let mut rest = datagram;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let reply = NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest)
            .map_err(|error| io::Error::other(error.to_string()));
        let length = reply.as_ref().map_or(rest.len(), |reply| reply.header.length as usize);
        rest = rest.get(length.next_multiple_of(4).max(4)..).unwrap_or_default();
        Some(reply)
    })
}

/// Requests as bytes, and the data of each that is still needed.
struct Batch {
    /// Sequence number of the first request.
    first: u32,
    sent: Vec<Sent>,
    bytes: Vec<u8>,
    /// Whether the kernel takes its lock for the requests.
    has_lock: bool,
}

struct Sent {
    what: Box<dyn Fn() -> String>,
    is_done_anyway: bool,
}

impl Batch {
    fn new(first: u32) -> Self {
        Self { first, sent: vec![], bytes: vec![], has_lock: true }
    }

    fn clear(&mut self, first: u32) {
        self.first = first;
        self.sent.clear();
        self.bytes.clear();
    }

    fn length(&self) -> u32 {
        // Invariant: a batch has at most as many requests as bytes, and these are few.
        u32::try_from(self.sent.len()).expect("a batch of fewer than 2^32 requests")
    }

    fn add(&mut self, request: Request, ack: u16) {
        let mut header = NetlinkHeader::default();
        header.flags = request.flags() | ack;
        header.sequence_number = self.first + self.length();
        let Request { message, what, is_done_anyway, .. } = request;
        self.sent.push(Sent { what, is_done_anyway });
        let mut message = NetlinkMessage::new(header, NetlinkPayload::from(message));
        message.finalize();
        let start = self.bytes.len();
        self.bytes.resize(start + message.header.length as usize, 0);
        message.serialize(&mut self.bytes[start..]);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
