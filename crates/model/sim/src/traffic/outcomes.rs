//! Applications react to the events of their connections, and flows to the outcomes. Not here: what
//! applications do by themselves (`application`).

use netloom_units::Time;

use super::Traffic;
use super::application::{Application, ApplicationResult, Request};
use super::connection::Connection;
use super::workload::Answer;
use crate::hosts::Net;

impl Traffic {
    /// Lets the application react to the events of its connection.
    pub(super) fn apply(&mut self, net: &mut Net, number: u32) {
        while let Some(outcome) = self.react(net.now(), number) {
            if let Some(outcome) = outcome {
                self.learn(net, number, outcome);
            }
        }
    }

    /// Lets the application of a connection react to its next event.
    fn react(&mut self, now: Time, number: u32) -> Option<Option<ApplicationResult>> {
        let Connection { endpoint, application, flow, .. } = self.connections.get_mut(number)?;
        let event = endpoint.poll_event()?;
        let counts = &mut self.counts.entry(*flow).totals;
        Some(application.react(now, event, endpoint, counts))
    }

    /// Reports the outcome of a connection to its flow.
    fn learn(&mut self, net: &mut Net, number: u32, outcome: ApplicationResult) {
        let now = net.now();
        let Some(connection) = self.connections.get_mut(number) else { return };
        let (flow, begun, is_many) = (connection.flow, connection.begun, connection.is_many);
        let begins = connection.application.begins();
        let unanswered = match &mut connection.application {
            Application::Asks(request) => std::mem::take(&mut request.response) > 0,
            _ => false,
        };
        match outcome {
            ApplicationResult::Answered { since } => {
                self.counts.entry(flow).totals.completions.record(now.since(since));
                self.answered(net, flow, Answer::Whole);
            }
            // The receiver of a transfer reports its completion by closing.
            ApplicationResult::Delivered if is_many => {}
            ApplicationResult::Completed if is_many => {
                self.counts.entry(flow).totals.completions.record(now.since(begun));
                self.leave(net.now(), number);
            }
            ApplicationResult::Delivered | ApplicationResult::Completed => {
                self.leave(net.now(), number)
            }
            ApplicationResult::Over => {
                if begins {
                    self.leave(net.now(), number);
                }
                self.hang_up(flow, number);
                if unanswered {
                    self.answered(net, flow, Answer::Missing);
                }
            }
        }
    }

    /// Counts a connection as ended, once.
    fn leave(&mut self, now: Time, number: u32) {
        let Some(connection) = self.connections.get_mut(number) else { return };
        let flow = connection.flow;
        if !std::mem::replace(&mut connection.left, true) {
            self.senders[flow].close(now);
        }
    }

    /// Lets a client write a request.
    pub(super) fn request(&mut self, net: &mut Net, number: u32, request: Request) {
        let now = net.now();
        let Some(connection) = self.connections.get_mut(number) else { return };
        connection.application = Application::Asks(request);
        connection.application.write(now, &mut connection.endpoint);
        self.pump(net, number);
    }

    /// Makes the application of a connection stop writing. What is already written is still
    /// delivered.
    pub(super) fn finish_writing(&mut self, net: &mut Net, number: u32) {
        let now = net.now();
        let Some(connection) = self.connections.get_mut(number) else { return };
        if matches!(connection.application, Application::Writes(_)) {
            connection.application = Application::Writes(Some(0));
        }
        connection.endpoint.shutdown(now);
        self.pump(net, number);
    }
}
