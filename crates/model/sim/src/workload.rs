//! The work of flows over TCP: connections of bulk traffic, transfers at their times, and a client
//! that sends requests with thinking times between them. Not here: what each connection does
//! (`application`), and what TCP does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use netloom_traffic::{Exchange, Exchanges, Extent, Receivers, Transfer, Transfers};
use netloom_units::{Duration, Time};

use crate::application::{Application, Request};
use crate::cell::Cell;
use crate::flow::TcpWork;
use crate::queue::Entity;
use crate::sending::{Flow, Work};

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

impl Cell {
    /// Schedules the start of a flow over TCP.
    pub(crate) fn schedule_workload(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        let sender = &mut self.senders[number];
        let Work::Tcp(workload) = &mut sender.work else { return };
        let first = match workload {
            Workload::Bulk { to, .. } => {
                sender.open = to.len() as u32;
                sender.more = false;
                Some(flow.start)
            }
            Workload::Transfers(scheduled) => scheduled.due(flow),
            Workload::Client(client) => {
                client.next = client.exchanges.next().map(|first| (flow.start, first));
                client.due(flow)
            }
        };
        if first.is_none() {
            sender.end(flow.start);
        }
        self.queue.set(Entity::Source(number), first);
    }

    /// Does what a flow over TCP has due now.
    pub(crate) fn do_work(&mut self, number: u32) {
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let Work::Tcp(workload) = &mut self.senders[number].work else { return };
        match workload {
            Workload::Bulk { begun: true, .. } => self.shut(number),
            Workload::Bulk { bytes, to, begun } => {
                *begun = true;
                let (bytes, to) = (*bytes, to.clone());
                self.queue.set(Entity::Source(number), flow.until);
                for (connection, to) in (0..).zip(to) {
                    let application = Application::Writes(bytes);
                    self.open((number, flow), connection, to as usize, application);
                }
            }
            Workload::Transfers(_) => self.transfer((number, flow)),
            Workload::Client(_) => self.ask((number, flow)),
        }
    }

    /// Begins the transfers that are due, and ends those whose time is over.
    fn transfer(&mut self, (number, flow): (u32, &Flow)) {
        let now = self.now;
        loop {
            let Some(scheduled) = self.scheduled(number) else { return };
            if scheduled.ends.peek().is_some_and(|Reverse((at, _))| *at <= now) {
                if let Some(Reverse((_, connection))) = scheduled.ends.pop() {
                    self.finish_writing(connection);
                }
                continue;
            }
            let due = scheduled.next.filter(|next| flow.start_of(next) <= now);
            let Some(transfer) = due else { break };
            let (order, to) = (scheduled.number, scheduled.receivers.of(scheduled.number.into()));
            scheduled.number = order.wrapping_add(1);
            scheduled.next = scheduled.transfers.next();
            self.senders[number].open += 1;
            self.counts.entry(number).totals.begun += 1;
            let bytes = match transfer.extent {
                Extent::Bytes(size) => Some(size.bytes()),
                Extent::Lasts(_) => None,
            };
            let opened = self.open((number, flow), order, to, Application::Writes(bytes));
            if let (Some(opened), Extent::Lasts(lasts)) = (opened, transfer.extent) {
                let end = flow.until.into_iter().chain([now + lasts]).min().unwrap_or(now);
                if let Some(scheduled) = self.scheduled(number) {
                    scheduled.ends.push(Reverse((end, opened)));
                }
            }
        }
        let Some(scheduled) = self.scheduled(number) else { return };
        let due = scheduled.due(flow);
        let more = scheduled.next.is_some_and(|next| flow.allows(flow.start_of(&next)));
        self.queue.set(Entity::Source(number), due);
        if !more {
            self.senders[number].end(now);
        }
    }

    fn scheduled(&mut self, flow: u32) -> Option<&mut Scheduled> {
        match &mut self.senders[flow].work {
            Work::Tcp(Workload::Transfers(scheduled)) => Some(scheduled),
            _ => None,
        }
    }

    fn client(&mut self, flow: u32) -> Option<&mut Client> {
        match &mut self.senders[flow].work {
            Work::Tcp(Workload::Client(client)) => Some(client),
            _ => None,
        }
    }

    /// The client sends the request that is due, over a new connection if it has none.
    fn ask(&mut self, (number, flow): (u32, &Flow)) {
        let now = self.now;
        let Some(client) = self.client(number) else { return };
        let Some((_, exchange)) = client.next.take_if(|(at, _)| *at <= now) else { return };
        let order = client.number;
        client.number = order.wrapping_add(1);
        let (left, response) = exchange.lengths(client.persistent);
        let request = Request { left, response, since: now };
        let (open, to) = (client.connection, client.receivers.of(order.into()));
        self.counts.entry(number).totals.begun += 1;
        if let Some(open) = open {
            return self.request(open, request);
        }
        self.senders[number].open += 1;
        // The server derives the requests from the number of the connection.
        let opened = self.open((number, flow), order, to, Application::Asks(request));
        match self.client(number) {
            Some(client) if opened.is_some() => client.connection = opened,
            _ => self.answered(number, Answer::Missing),
        }
    }

    /// Records that a connection of a client has ended.
    pub(crate) fn hang_up(&mut self, flow: u32, connection: u32) {
        if self.senders.get(flow).is_some()
            && let Some(client) = self.client(flow)
        {
            client.connection.take_if(|open| *open == connection);
        }
    }

    /// Lets a client go on after a response, or after it knows that none will come: it thinks, and
    /// then sends the next request.
    pub(crate) fn answered(&mut self, number: u32, answer: Answer) {
        let now = self.now;
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let Some(client) = self.client(number) else { return };
        let patience = if answer == Answer::Missing { AGAIN } else { Duration::ZERO };
        client.next = client.exchanges.next().map(|next| (now + next.think.max(patience), next));
        let due = client.due(flow);
        let is_last = due.is_none() || !client.persistent || answer == Answer::Missing;
        let close = if is_last { client.connection.take() } else { None };
        self.queue.set(Entity::Source(number), due);
        if due.is_none() {
            self.senders[number].end(now);
        }
        if let Some(connection) = close {
            self.finish_writing(connection);
        }
    }
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Whole,
    Missing,
}

impl Scheduled {
    /// Time of the next thing to do.
    fn due(&self, flow: &Flow) -> Option<Time> {
        let next = self.next.map(|next| flow.start_of(&next)).filter(|at| flow.allows(*at));
        let end = self.ends.peek().map(|Reverse((at, _))| *at);
        next.into_iter().chain(end).min()
    }
}

impl Client {
    /// Time of the next request.
    fn due(&self, flow: &Flow) -> Option<Time> {
        self.next.map(|(at, _)| at).filter(|at| flow.allows(*at))
    }
}

impl Flow {
    /// Time at which a transfer begins.
    fn start_of(&self, transfer: &Transfer) -> Time {
        self.start + transfer.at.since(Time::ZERO)
    }

    /// Whether something may still begin at this time.
    pub fn allows(&self, at: Time) -> bool {
        self.until.is_none_or(|until| at < until)
    }
}
