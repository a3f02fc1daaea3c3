//! Flows over TCP do their work: connections of bulk traffic, transfers at their times, and a
//! client that sends requests with thinking times between them. Not here: what is due when
//! (`workload`).

use std::sync::Arc;

use netloom_traffic::Extent;

use super::Traffic;
use super::application::Application;
use super::flows::Flow;
use super::sender::{Sender, Work};
use super::workload::{Answer, Asked, Workload};
use crate::hosts::Net;
use crate::queue::Entity;

impl Traffic {
    /// Schedules the start of a flow over TCP.
    pub(super) fn schedule_workload(&mut self, net: &mut Net, number: u32) {
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
                client.begin(flow);
                client.due(flow)
            }
        };
        if first.is_none() {
            sender.end(flow.start);
        }
        net.schedule(Entity::Source(number), first);
    }

    /// Does what a flow over TCP has due now.
    pub(super) fn do_work(&mut self, net: &mut Net, number: u32) {
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let Work::Tcp(workload) = &mut self.senders[number].work else { return };
        match workload {
            Workload::Bulk { begun: true, .. } => self.shut(net, number),
            Workload::Bulk { bytes, to, begun } => {
                *begun = true;
                let (bytes, to) = (*bytes, to.clone());
                net.schedule(Entity::Source(number), flow.until);
                for (connection, to) in (0..).zip(to) {
                    let application = Application::Writes(bytes);
                    self.open(net, (number, flow), connection, to as usize, application);
                }
            }
            Workload::Transfers(_) => self.transfer(net, (number, flow)),
            Workload::Client(_) => self.ask(net, (number, flow)),
        }
    }

    /// Begins the transfers that are due, and ends those whose time is over.
    fn transfer(&mut self, net: &mut Net, (number, flow): (u32, &Flow)) {
        let now = net.now();
        loop {
            let Some(scheduled) = self.senders[number].scheduled() else { return };
            if let Some(connection) = scheduled.pop_end(now) {
                self.finish_writing(net, connection);
                continue;
            }
            let Some((transfer, order, to)) = scheduled.pop_due(flow, now) else { break };
            self.senders[number].open += 1;
            self.counts.entry(number).totals.begun += 1;
            let bytes = match transfer.extent {
                Extent::Bytes(size) => Some(size.bytes()),
                Extent::Lasts(_) => None,
            };
            let opened = self.open(net, (number, flow), order, to, Application::Writes(bytes));
            if let (Some(opened), Extent::Lasts(lasts)) = (opened, transfer.extent) {
                let end = flow.until.into_iter().chain([now + lasts]).min().unwrap_or(now);
                if let Some(scheduled) = self.senders[number].scheduled() {
                    scheduled.end_at(end, opened);
                }
            }
        }
        let sender = &mut self.senders[number];
        let Some(scheduled) = sender.scheduled() else { return };
        let (due, has_more) = (scheduled.due(flow), scheduled.has_more(flow));
        net.schedule(Entity::Source(number), due);
        if !has_more {
            sender.end(now);
        }
    }

    /// The client sends the request that is due, over a new connection if it has none.
    fn ask(&mut self, net: &mut Net, (number, flow): (u32, &Flow)) {
        let sender = &mut self.senders[number];
        let Some(asked) = sender.client().and_then(|client| client.ask(net.now())) else { return };
        let Asked { order, request, open, to } = asked;
        self.counts.entry(number).totals.begun += 1;
        if let Some(open) = open {
            return self.request(net, open, request);
        }
        sender.open += 1;
        // The server derives the requests from the number of the connection.
        let opened = self.open(net, (number, flow), order, to, Application::Asks(request));
        match (self.senders[number].client(), opened) {
            (Some(client), Some(opened)) => client.connect(opened),
            _ => self.answered(net, number, Answer::Missing),
        }
    }

    /// Records that a connection of a client has ended.
    pub(super) fn hang_up(&mut self, flow: u32, connection: u32) {
        if let Some(client) = self.senders.get_mut(flow).and_then(Sender::client) {
            client.hang_up(connection);
        }
    }

    /// Lets a client go on after a response, or after it knows that none will come: it thinks, and
    /// then sends the next request.
    pub(super) fn answered(&mut self, net: &mut Net, number: u32, answer: Answer) {
        let now = net.now();
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let sender = &mut self.senders[number];
        let Some(client) = sender.client() else { return };
        let close = client.go_on(flow, now, answer);
        let due = client.due(flow);
        net.schedule(Entity::Source(number), due);
        if due.is_none() {
            sender.end(now);
        }
        if let Some(connection) = close {
            self.finish_writing(net, connection);
        }
    }
}
