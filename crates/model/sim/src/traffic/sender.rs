//! The sending ends of flows. Not here: the packets that they send (`sending`).

use std::net::IpAddr;

use netloom_units::{Duration, Time};

use super::flows::{Flow, Kind, Tcp};
use super::twins::TwinQueue;
use super::workload::{Client, Scheduled, Workload};
use crate::AddressBook;
use crate::flow::{Arrival, Arrivals, FlowKind, FlowSpec, TcpFlow, TcpWork};
use crate::hosts::{FIRST_PORT, PORTS};

/// Time after a flow's last packet during which one may still be under way.
const LINGER: Duration = Duration::from_secs(1);

/// Returns flows and their senders, in the same order.
pub(crate) fn described(flows: Vec<FlowSpec>, book: &mut AddressBook) -> (Vec<Flow>, Vec<Sender>) {
    let described = (0..).zip(flows).map(|(number, spec)| {
        let FlowSpec { name, from, to, kind, start, until, background, traffic_class } = spec;
        let (kind, work) = match kind {
            FlowKind::Ping { arrivals } => (Kind::Ping, Work::Packets(arrivals)),
            FlowKind::Twins(tcp) => (Kind::Twins(tcp), Work::Twins(Box::default())),
            FlowKind::Udp { port, arrivals } => (Kind::Udp { port }, Work::Packets(arrivals)),
            FlowKind::Tcp(tcp) => {
                let (tcp, workload) = described_tcp(*tcp);
                (Kind::Tcp(Box::new(tcp)), Work::Tcp(workload))
            }
        };
        let v6 = to.iter().any(IpAddr::is_ipv6);
        let to = to.into_iter().map(|to| book.enter(to)).collect();
        let source_port = (FIRST_PORT + number % PORTS) as u16;
        let flow =
            Flow { name, from, to, v6, kind, start, until, background, traffic_class, source_port };
        (flow, Sender { work, next: 0, due: None, ended: None, open: 0, more: true })
    });
    described.unzip()
}

fn described_tcp(flow: TcpFlow) -> (Tcp, Workload) {
    let TcpFlow { port, work, sender, receivers } = flow;
    let http = match &work {
        TcpWork::Http { exchanges, persistent, .. } => Some((exchanges.clone(), *persistent)),
        TcpWork::Bulk { .. } | TcpWork::Transfers { .. } => None,
    };
    let workload = Workload::new(work);
    (Tcp { port, sender, receivers, is_many: workload.is_many(), http }, workload)
}

/// The sending end of a flow.
#[derive(Debug)]
pub(crate) struct Sender {
    pub work: Work,
    /// Number of the next packet.
    pub(super) next: u32,
    /// The packet that is due next.
    pub(super) due: Option<Arrival>,
    /// Time at which the last packet was sent; for TCP, at which everything was delivered. `None`
    /// until then.
    ended: Option<Time>,
    /// Number of connections that have not ended yet.
    pub open: u32,
    /// Whether more connections will begin.
    pub more: bool,
}

/// The work of a sender.
#[derive(Debug)]
pub(crate) enum Work {
    Packets(Box<dyn Arrivals>),
    Tcp(Workload),
    Twins(Box<TwinQueue>),
}

impl Sender {
    /// Its transfers at their times, if it has such work.
    pub fn scheduled(&mut self) -> Option<&mut Scheduled> {
        match &mut self.work {
            Work::Tcp(Workload::Transfers(scheduled)) => Some(scheduled),
            _ => None,
        }
    }

    /// Its client of web servers, if it is one.
    pub fn client(&mut self) -> Option<&mut Client> {
        match &mut self.work {
            Work::Tcp(Workload::Client(client)) => Some(client),
            _ => None,
        }
    }

    /// Its twins, if it sends twins.
    pub fn twins(&mut self) -> Option<&mut TwinQueue> {
        match &mut self.work {
            Work::Twins(queue) => Some(queue),
            Work::Packets(_) | Work::Tcp(_) => None,
        }
    }

    /// Records that one of its connections has ended.
    pub fn close(&mut self, now: Time) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 && !self.more {
            self.ended.get_or_insert(now);
        }
    }

    /// Records that nothing more will begin.
    pub fn end(&mut self, now: Time) {
        self.more = false;
        if self.open == 0 {
            self.ended.get_or_insert(now);
        }
    }

    /// Stops the sender, because its node has failed: nothing more is sent or delivered.
    pub fn stop(&mut self, now: Time) {
        self.due = None;
        self.open = 0;
        self.end(now);
    }

    /// Time at which it ended, if it has.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// Time from which nothing of the flow is under way, once everything has been sent.
    pub fn over(&self) -> Option<Time> {
        // What a connection has sent has been acknowledged.
        let linger = match self.work {
            Work::Packets(_) | Work::Twins(_) => LINGER,
            Work::Tcp(_) => Duration::ZERO,
        };
        self.ended.map(|ended| ended + linger)
    }
}
