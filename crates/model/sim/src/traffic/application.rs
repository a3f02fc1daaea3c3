//! Applications behind connections: they write, read, send requests or serve them. Not here: when
//! connections begin (`workload`), and the connections themselves (`connection`).

use netloom_tcp::{Endpoint, Event};
use netloom_traffic::Exchanges;
use netloom_units::Time;

use super::guest::Guest;
use super::sockets::Program;
use crate::flow::FlowTotals;

/// The application behind one end of a connection.
#[derive(Debug)]
pub(crate) enum Application {
    /// Writes this many more bytes and then closes. `None`: it writes without end.
    Writes(Option<u64>),
    /// Reads everything, and closes after the other end has closed.
    Reads,
    /// A client with its request.
    Asks(Request),
    /// A server.
    Serves(Box<Service>),
    /// The host's side of a connection with a real node.
    Receives(Box<Guest>),
    /// A twin of a real program, which runs outside the simulation.
    Mirrors(Box<Program>),
}

/// A client's request, and what remains of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// Bytes that remain to be written.
    pub left: u64,
    /// Bytes of the response that have not arrived yet.
    pub response: u64,
    /// Time at which the request was due.
    pub since: Time,
}

/// A server, and the requests that its client will send.
#[derive(Debug)]
pub(crate) struct Service {
    exchanges: Exchanges,
    persistent: bool,
    /// Bytes of the current request that have not arrived yet.
    request: u64,
    /// Bytes of the response to the current request.
    response: u64,
    /// Bytes that remain to be written.
    left: u64,
}

impl Service {
    /// Returns a server whose client begins with the request numbered `first`.
    pub fn new(mut exchanges: Exchanges, first: u32, persistent: bool) -> Self {
        for _ in 0..first {
            exchanges.next();
        }
        let mut service = Self { exchanges, persistent, request: 0, response: 0, left: 0 };
        service.await_next();
        service
    }

    fn await_next(&mut self) {
        let next = self.exchanges.next().map(|next| next.lengths(self.persistent));
        (self.request, self.response) = next.unwrap_or((u64::MAX, 0));
    }

    /// Takes received bytes of requests.
    fn take(&mut self, bytes: u64) {
        self.request = self.request.saturating_sub(bytes);
        if self.request == 0 {
            self.left += self.response;
            self.await_next();
        }
    }
}

impl Application {
    /// Whether this end sends the flow's payload.
    pub fn sends(&self) -> bool {
        match self {
            Self::Writes(_) | Self::Serves(_) => true,
            Self::Receives(guest) => guest.is_served(),
            Self::Reads | Self::Asks(_) | Self::Mirrors(_) => false,
        }
    }

    /// Whether this end opened the connection.
    pub const fn begins(&self) -> bool {
        matches!(self, Self::Writes(_) | Self::Asks(_))
    }

    /// Writes what remains, as far as the send buffer has room.
    pub fn write(&mut self, now: Time, endpoint: &mut Endpoint) {
        let (left, closes) = match self {
            Self::Writes(Some(left)) => (left, true),
            Self::Writes(None) => {
                endpoint.write(now, u64::MAX);
                return;
            }
            Self::Asks(request) => (&mut request.left, false),
            Self::Serves(service) => (&mut service.left, !service.persistent),
            Self::Reads => return,
            Self::Receives(guest) => return guest.write(now, endpoint),
            Self::Mirrors(program) => return program.go(now, endpoint),
        };
        if *left == 0 {
            return;
        }
        *left -= endpoint.write(now, *left);
        if *left == 0 && closes {
            endpoint.shutdown(now);
        }
    }

    /// Reacts to an event of its connection, and counts what it reads.
    pub fn react(
        &mut self,
        now: Time,
        event: Event,
        endpoint: &mut Endpoint,
        counts: &mut FlowTotals,
    ) -> Option<ApplicationResult> {
        match (event, &mut *self) {
            (Event::Connected | Event::Writable, _) => self.write(now, endpoint),
            (Event::Readable | Event::Finished, Application::Mirrors(program)) => {
                program.go(now, endpoint);
            }
            (Event::Readable, Application::Reads) => {
                counts.received.bytes += endpoint.read(now, u64::MAX);
            }
            (Event::Readable, Application::Asks(request)) => {
                let read = endpoint.read(now, u64::MAX);
                counts.received.bytes += read;
                let was = request.response;
                request.response = was.saturating_sub(read);
                let since = request.since;
                return (was > 0 && request.response == 0)
                    .then_some(ApplicationResult::Answered { since });
            }
            (Event::Readable, Application::Serves(service)) => {
                service.take(endpoint.read(now, u64::MAX));
                self.write(now, endpoint);
            }
            (Event::Readable, Application::Receives(guest)) => {
                let read = guest.read(now, endpoint);
                if !guest.is_served() {
                    counts.received.bytes += read;
                }
                guest.write(now, endpoint);
            }
            (Event::Finished, Application::Receives(guest)) => {
                guest.finish(now, endpoint);
            }
            (Event::Finished, Application::Reads) => {
                counts.received.bytes += endpoint.read(now, u64::MAX);
                endpoint.close(now);
            }
            (Event::Finished, Application::Writes(_)) => {
                endpoint.close(now);
                return Some(ApplicationResult::Completed);
            }
            (Event::Finished, Application::Asks(_) | Application::Serves(_)) => {
                endpoint.close(now);
            }
            (Event::Delivered, Application::Writes(_)) => {
                return Some(ApplicationResult::Delivered);
            }
            (Event::Closed(_), _) => return Some(ApplicationResult::Over),
            (Event::Delivered, _) | (Event::Readable, Application::Writes(_)) => {}
        }
        None
    }
}

/// An outcome that a connection reports to its flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApplicationResult {
    /// The client has the whole response.
    Answered { since: Time },
    /// All that a sender wrote is delivered.
    Delivered,
    /// The receiver has all of a transfer, and has closed.
    Completed,
    /// The connection has ended.
    Over,
}
