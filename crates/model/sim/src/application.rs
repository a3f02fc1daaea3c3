//! Applications behind connections: who writes, who reads, who asks and who serves. Not here: when
//! connections begin (`workload`), and the connections themselves (`tcp`).

use netloom_tcp::{Endpoint, Event};
use netloom_traffic::Exchanges;
use netloom_units::Time;

use crate::cell::Cell;
use crate::foreign::Guest;
use crate::sockets::Program;
use crate::workload::Answer;

/// What is behind an end of a connection.
#[derive(Debug)]
pub(crate) enum Application {
    /// Writes so many bytes more, and closes then; `None` for no end.
    Writes(Option<u64>),
    /// Reads all there is, and closes when the other end has.
    Reads,
    /// A client with its request.
    Asks(Request),
    /// A server.
    Serves(Box<Service>),
    /// What a real node has a connection with.
    Receives(Box<Guest>),
    /// What a real program does elsewhere.
    Mirrors(Box<Program>),
}

/// A request of a client, and what is left of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// Bytes that are yet to be written.
    pub left: u64,
    /// Bytes of the response that are yet to come.
    pub response: u64,
    /// When it was meant to be sent.
    pub since: Time,
}

/// A server, and what its client will ask for.
#[derive(Debug)]
pub(crate) struct Service {
    exchanges: Exchanges,
    persistent: bool,
    /// Bytes of the request that are yet to come.
    request: u64,
    /// Bytes of the response to it.
    response: u64,
    /// Bytes that are yet to be written.
    left: u64,
}

impl Service {
    /// A server whose client begins with the request of that number.
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

    /// Takes bytes of requests.
    fn take(&mut self, bytes: u64) {
        self.request = self.request.saturating_sub(bytes);
        if self.request == 0 {
            self.left += self.response;
            self.await_next();
        }
    }
}

impl Application {
    /// Whether this end sends what the flow is for.
    pub fn sends(&self) -> bool {
        match self {
            Self::Writes(_) | Self::Serves(_) => true,
            Self::Receives(guest) => guest.is_served(),
            Self::Reads | Self::Asks(_) | Self::Mirrors(_) => false,
        }
    }

    /// Whether this end began the connection.
    pub const fn begins(&self) -> bool {
        matches!(self, Self::Writes(_) | Self::Asks(_))
    }

    /// Writes what it has to, as far as there is room.
    fn write(&mut self, now: Time, endpoint: &mut Endpoint) {
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
}

/// What the flow of a connection is to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The client has its response.
    Answered { since: Time },
    /// What a sender wrote is delivered.
    Delivered,
    /// The receiver has all of a transfer, and has closed.
    Completed,
    /// The connection is over.
    Over,
}

impl Cell {
    /// The application reacts to what its connection has to say.
    pub(crate) fn apply(&mut self, number: u32) {
        while let Some(event) = self.next_event_of(number) {
            if let Some(outcome) = self.react(number, event) {
                self.learn(number, outcome);
            }
        }
    }

    /// The next event of a connection, if it still is there.
    fn next_event_of(&mut self, number: u32) -> Option<Event> {
        self.connections[number as usize].as_mut()?.endpoint.poll_event()
    }

    fn react(&mut self, number: u32, event: Event) -> Option<Outcome> {
        let now = self.now;
        let connection = self.connections[number as usize].as_mut()?;
        let (endpoint, application) = (&mut connection.endpoint, &mut connection.application);
        let counts = &mut self.counts.entry(connection.flow).totals;
        match (event, &mut *application) {
            (Event::Connected | Event::Writable, _) => application.write(now, endpoint),
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
                return (was > 0 && request.response == 0).then_some(Outcome::Answered { since });
            }
            (Event::Readable, Application::Serves(service)) => {
                service.take(endpoint.read(now, u64::MAX));
                application.write(now, endpoint);
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
                return Some(Outcome::Completed);
            }
            (Event::Finished, Application::Asks(_) | Application::Serves(_)) => {
                endpoint.close(now);
            }
            (Event::Delivered, Application::Writes(_)) => return Some(Outcome::Delivered),
            (Event::Closed(_), _) => return Some(Outcome::Over),
            (Event::Delivered, _) | (Event::Readable, Application::Writes(_)) => {}
        }
        None
    }

    /// The flow of a connection learns what became of it.
    fn learn(&mut self, number: u32, outcome: Outcome) {
        let now = self.now;
        let Some(connection) = self.connections[number as usize].as_mut() else { return };
        let (flow, begun, is_many) = (connection.flow, connection.begun, connection.is_many);
        let begins = connection.application.begins();
        let unanswered = match &mut connection.application {
            Application::Asks(request) => std::mem::take(&mut request.response) > 0,
            _ => false,
        };
        match outcome {
            Outcome::Answered { since } => {
                self.counts.entry(flow).totals.completions.record(now.since(since));
                self.answered(flow, Answer::Whole);
            }
            // The receiver of a transfer says so by closing.
            Outcome::Delivered if is_many => {}
            Outcome::Completed if is_many => {
                self.counts.entry(flow).totals.completions.record(now.since(begun));
                self.leave(number);
            }
            Outcome::Delivered | Outcome::Completed => self.leave(number),
            Outcome::Over => {
                if begins {
                    self.leave(number);
                }
                self.hang_up(flow, number);
                if unanswered {
                    self.answered(flow, Answer::Missing);
                }
            }
        }
    }

    /// A connection counts as ended, once.
    fn leave(&mut self, number: u32) {
        let now = self.now;
        let Some(connection) = self.connections[number as usize].as_mut() else { return };
        let flow = connection.flow;
        if !std::mem::replace(&mut connection.left, true) {
            self.senders[flow].close(now);
        }
    }

    /// A client writes a request.
    pub(crate) fn request(&mut self, number: u32, request: Request) {
        let now = self.now;
        let Some(connection) = self.connections[number as usize].as_mut() else { return };
        connection.application = Application::Asks(request);
        connection.application.write(now, &mut connection.endpoint);
        self.pump(number);
    }

    /// A connection's application writes no more: what is written is still delivered.
    pub(crate) fn finish_writing(&mut self, number: u32) {
        let now = self.now;
        let Some(connection) = self.connections[number as usize].as_mut() else { return };
        if matches!(connection.application, Application::Writes(_)) {
            connection.application = Application::Writes(Some(0));
        }
        connection.endpoint.shutdown(now);
        self.pump(number);
    }
}
