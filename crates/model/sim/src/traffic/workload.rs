//! The work of flows over TCP: connections of bulk traffic, transfers at their times, and a client
//! that sends requests with thinking times between them. Not here: what each connection does
//! (`application`), and when flows do their work (`working`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_traffic::{Exchange, Exchanges, Receivers, Transfer, Transfers};
use netloom_units::{Duration, Time};

use super::application::Request;
use super::flows::Flow;
use crate::flow::TcpWork;

/// Least time that a client waits after a request that got no response.
const AGAIN: Duration = Duration::from_secs(1);

/// The work of a flow over TCP, at the end that opens its connections.
#[derive(Debug)]
pub(crate) enum Workload {
    /// Connections that all open at the start: one to each receiver in `to`, each with `bytes`
    /// bytes or without end.
    Bulk { bytes: Option<u64>, to: Vec<u32>, begun: bool },
    /// Transfers, each over a connection that opens at its time.
    Transfers(Box<Scheduled>),
    /// Requests, one after the other.
    Client(Box<Client>),
}

/// Transfers at their times.
#[derive(Debug)]
pub(crate) struct Scheduled {
    transfers: Transfers,
    receivers: Receivers,
    next: Option<Transfer>,
    /// Number of the next one.
    number: u32,
    /// Times at which connections stop that last for a given time.
    ends: BinaryHeap<Reverse<(Time, u32)>>,
}

/// A client of web servers.
#[derive(Debug)]
pub(crate) struct Client {
    exchanges: Exchanges,
    receivers: Receivers,
    persistent: bool,
    /// Number of the next request.
    number: u32,
    /// The next request, and its time.
    next: Option<(Time, Exchange)>,
    /// The connection that stays open between requests.
    connection: Option<u32>,
}

impl Workload {
    /// The workload of a flow.
    pub fn new(work: TcpWork) -> Self {
        match work {
            TcpWork::Bulk { bytes, to } => Self::Bulk { bytes, to, begun: false },
            TcpWork::Transfers { mut transfers, receivers } => {
                let (next, ends) = (transfers.next(), BinaryHeap::new());
                let scheduled = Scheduled { transfers, receivers, next, number: 0, ends };
                Self::Transfers(Box::new(scheduled))
            }
            TcpWork::Http { exchanges, persistent, receivers } => Self::Client(Box::new(Client {
                exchanges,
                receivers,
                persistent,
                number: 0,
                next: None,
                connection: None,
            })),
        }
    }

    /// Whether connections end before the flow does, so that they can be forgotten.
    pub fn is_many(&self) -> bool {
        !matches!(self, Self::Bulk { .. })
    }
}

/// What a client does next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// Number of the request.
    pub order: u32,
    pub request: Request,
    /// The connection that is open.
    pub open: Option<u32>,
    /// Place of the server.
    pub to: usize,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Whole,
    Missing,
}

impl Scheduled {
    /// Takes a connection whose time is over.
    pub fn pop_end(&mut self, now: Time) -> Option<u32> {
        self.ends.peek().filter(|Reverse((at, _))| *at <= now)?;
        self.ends.pop().map(|Reverse((_, connection))| connection)
    }

    /// Takes the next transfer that is due, with its number and the place of its receiver.
    pub fn pop_due(&mut self, flow: &Flow, now: Time) -> Option<(Transfer, u32, usize)> {
        let transfer = self.next.filter(|next| flow.start_of(next) <= now)?;
        let (order, to) = (self.number, self.receivers.of(self.number.into()));
        self.number = order.wrapping_add(1);
        self.next = self.transfers.next();
        Some((transfer, order, to))
    }

    /// Lets a connection end at a time.
    pub fn end_at(&mut self, at: Time, connection: u32) {
        self.ends.push(Reverse((at, connection)));
    }

    /// Whether more transfers will begin.
    pub fn has_more(&self, flow: &Flow) -> bool {
        self.next.is_some_and(|next| flow.allows(flow.start_of(&next)))
    }

    /// Time of the next thing to do.
    pub fn due(&self, flow: &Flow) -> Option<Time> {
        let next = self.next.map(|next| flow.start_of(&next)).filter(|at| flow.allows(*at));
        let end = self.ends.peek().map(|Reverse((at, _))| *at);
        next.into_iter().chain(end).min()
    }
}

impl Client {
    /// Prepares the first request, at the start of the flow.
    pub fn begin(&mut self, flow: &Flow) {
        self.next = self.exchanges.next().map(|first| (flow.start, first));
    }

    /// Takes the request that is due.
    pub fn ask(&mut self, now: Time) -> Option<Asked> {
        let (_, exchange) = self.next.take_if(|(at, _)| *at <= now)?;
        let order = self.number;
        self.number = order.wrapping_add(1);
        let (left, response) = exchange.lengths(self.persistent);
        let request = Request { left, response, since: now };
        Some(Asked { order, request, open: self.connection, to: self.receivers.of(order.into()) })
    }

    /// Records the connection that stays open between requests.
    pub fn connect(&mut self, connection: u32) {
        self.connection = Some(connection);
    }

    /// Records that a connection has ended.
    pub fn hang_up(&mut self, connection: u32) {
        self.connection.take_if(|open| *open == connection);
    }

    /// Goes on after a response, or after the client knows that none will come: it thinks, and then
    /// sends the next request. Returns the connection to be closed.
    pub fn go_on(&mut self, flow: &Flow, now: Time, answer: Answer) -> Option<u32> {
        let patience = if answer == Answer::Missing { AGAIN } else { Duration::ZERO };
        self.next = self.exchanges.next().map(|next| (now + next.think.max(patience), next));
        let is_last = self.due(flow).is_none() || !self.persistent || answer == Answer::Missing;
        if is_last { self.connection.take() } else { None }
    }

    /// Time of the next request.
    pub fn due(&self, flow: &Flow) -> Option<Time> {
        self.next.map(|(at, _)| at).filter(|at| flow.allows(*at))
    }
}
