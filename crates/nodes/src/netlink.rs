//! Requests to the kernel's routing socket: links, addresses, routes. Many requests travel in one
//! system call; only the last one of a batch is acknowledged, as errors come back in any case.
//!
//! Not here: what is to be configured.

use std::io;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader,
    NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::LinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// How many bytes of requests travel together: well below the smallest default socket buffer.
const BATCH: usize = 32 * 1024;

/// What the kernel says to removing what is not there (routes, addresses, devices), and to adding what is.
const DONE: [i32; 5] = [libc::ESRCH, libc::EADDRNOTAVAIL, libc::ENODEV, libc::ENOENT, libc::EEXIST];

/// A routing socket of the network namespace in which it was opened.
pub(crate) struct Netlink {
    socket: Socket,
    sequence: u32,
}

/// A request, and the words for it in an error.
pub(crate) struct Request {
    pub message: RouteNetlinkMessage,
    pub what: Box<dyn Fn() -> String>,
    /// Whether it is as good if there is nothing to remove, or all there already.
    is_done_anyway: bool,
}

impl Request {
    pub fn new(message: RouteNetlinkMessage, what: impl Fn() -> String + 'static) -> Self {
        Self { message, what: Box::new(what), is_done_anyway: false }
    }

    /// What is to be removed may have gone before, and what is to be added may be there.
    pub fn or_done(self) -> Self {
        Self { is_done_anyway: true, ..self }
    }

    fn flags(&self) -> u16 {
        NLM_F_REQUEST
            | match self.message {
                RouteNetlinkMessage::NewLink(_) | RouteNetlinkMessage::NewAddress(_) => {
                    NLM_F_CREATE | NLM_F_EXCL
                }
                RouteNetlinkMessage::NewRoute(_) => NLM_F_CREATE | NLM_F_REPLACE,
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

    /// Carries the requests out in order, up to the first batch with a refused one.
    pub fn apply(&mut self, requests: Vec<Request>) -> Result<(), Refused> {
        let mut batch = vec![];
        let mut size = 0;
        for request in requests {
            size += message_size(&request);
            batch.push(request);
            if size >= BATCH {
                self.send(&batch)?;
                batch.clear();
                size = 0;
            }
        }
        self.send(&batch)
    }

    /// What the kernel says of a device of this socket's namespace.
    pub fn link(&mut self, index: u32) -> io::Result<LinkMessage> {
        let mut message = LinkMessage::default();
        message.header.index = index;
        let request = Request::new(RouteNetlinkMessage::GetLink(message), String::new);
        let mut bytes = vec![];
        append(&mut bytes, &request, self.sequence, 0);
        self.sequence += 1;
        self.socket.send(&bytes, 0)?;
        let (datagram, _) = self.socket.recv_from_full()?;
        let reply = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&datagram)
            .map_err(|error| io::Error::other(error.to_string()))?;
        match reply.payload {
            NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewLink(link)) => Ok(link),
            NetlinkPayload::Error(error) => Err(error.to_io()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn send(&mut self, batch: &[Request]) -> Result<(), Refused> {
        let first = self.sequence;
        let refused = |index: u32, source| {
            // Invariant: replies carry the sequence numbers of this batch.
            let request = batch.get(index as usize).unwrap_or(&batch[0]);
            Refused { what: (request.what)(), source }
        };
        let mut bytes = vec![];
        for (index, request) in batch.iter().enumerate() {
            let ack = if index + 1 == batch.len() { NLM_F_ACK } else { 0 };
            append(&mut bytes, request, self.sequence, ack);
            self.sequence += 1;
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.socket.send(&bytes, 0).map_err(|source| refused(0, source))?;
        let is_done = |sequence: u32, error: &io::Error| {
            let request = batch.get(sequence.saturating_sub(first) as usize);
            request.is_some_and(|request| request.is_done_anyway)
                && DONE.contains(&error.raw_os_error().unwrap_or(0))
        };
        self.replies(self.sequence - 1, is_done)
            .map_err(|(sequence, source)| refused(sequence.saturating_sub(first), source))
    }

    /// Reads up to the acknowledgement of `last`. The first error is the one that tells.
    fn replies(
        &self,
        last: u32,
        is_done: impl Fn(u32, &io::Error) -> bool,
    ) -> Result<(), (u32, io::Error)> {
        let mut failed = None;
        loop {
            let (datagram, _) = self.socket.recv_from_full().map_err(|error| (last, error))?;
            let mut rest = datagram.as_slice();
            while !rest.is_empty() {
                let reply = NetlinkMessage::<RouteNetlinkMessage>::deserialize(rest)
                    .map_err(|error| (last, io::Error::other(error.to_string())))?;
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
                let length = (reply.header.length as usize).next_multiple_of(4).max(4);
                rest = rest.get(length..).unwrap_or_default();
            }
        }
    }
}

fn message_size(request: &Request) -> usize {
    use netlink_packet_core::Emitable;
    16 + request.message.buffer_len()
}

fn append(bytes: &mut Vec<u8>, request: &Request, sequence: u32, ack: u16) {
    let mut header = NetlinkHeader::default();
    header.flags = request.flags() | ack;
    header.sequence_number = sequence;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(request.message.clone()));
    message.finalize();
    let start = bytes.len();
    bytes.resize(start + message.buffer_len(), 0);
    message.serialize(&mut bytes[start..]);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
