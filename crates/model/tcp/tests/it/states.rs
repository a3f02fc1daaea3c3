//! The transitions of RFC 9293 §3.3.2 and §3.10, tested with hand-made segments.

use std::sync::Arc;

use netloom_tcp::{
    CloseReason, Config, Endpoint, Event, Flags, SackBlocks, Segment, State, SynOptions, Transmit,
};
use netloom_units::Time;

use crate::common::at_ms;

const NONE: SackBlocks = SackBlocks::NONE;

fn plain() -> Arc<Config> {
    Arc::new(Config { timestamps: false, ..Config::default() })
}

fn segment(flags: Flags, seq: u32, ack: u32) -> Segment {
    Segment { flags, seq, ack, window: 60_000, ..Segment::EMPTY }
}

fn syn(flags: Flags, seq: u32, ack: u32) -> Segment {
    let options = SynOptions { mss: 1460, window_scale: Some(0), sack_permitted: true };
    Segment { syn: Some(options), ..segment(flags, seq, ack) }
}

/// A hand-made peer. Its SYN has the number 500, the endpoint's SYN has 100.
struct Peer {
    endpoint: Endpoint,
    now: Time,
}

impl Peer {
    fn connecting() -> Self {
        Self { endpoint: Endpoint::connect(Time::ZERO, plain(), 100), now: Time::ZERO }
    }

    fn listening() -> Self {
        Self { endpoint: Endpoint::listen(plain(), 100), now: Time::ZERO }
    }

    /// An established connection. The next sequence numbers are 101 and 501.
    fn established() -> Self {
        let mut peer = Self::connecting();
        peer.sent();
        peer.arrives(syn(Flags::SYN | Flags::ACK, 500, 101));
        assert_eq!(peer.state(), State::Established);
        peer.sent();
        peer.events();
        peer
    }

    fn state(&self) -> State {
        self.endpoint.state()
    }

    fn arrives(&mut self, segment: Segment) {
        self.endpoint.handle_segment(self.now, &segment, &NONE);
    }

    fn sent(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.endpoint.poll_transmit(self.now))
            .map(|Transmit { segment, .. }| segment)
            .collect()
    }

    /// Returns flags, sequence number and acknowledgement of the only segment that was sent.
    fn one(&mut self) -> (Flags, u32, u32) {
        let sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        (sent[0].flags, sent[0].seq, sent[0].ack)
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.endpoint.poll_event()).collect()
    }

    /// Lets `millis` pass, and handles all deadlines.
    fn passes(&mut self, millis: u64) {
        let until = self.now + netloom_units::Duration::from_millis(millis);
        while let Some(at) = self.endpoint.next_deadline().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.endpoint.handle_timeout(self.now);
            self.sent();
        }
        self.now = until;
    }
}

#[test]
fn active_open() {
    let mut peer = Peer::connecting();
    assert_eq!(peer.state(), State::SynSent);
    assert_eq!(peer.one(), (Flags::SYN, 100, 0));
    peer.arrives(syn(Flags::SYN | Flags::ACK, 500, 101));
    assert_eq!(peer.state(), State::Established);
    assert_eq!(peer.one(), (Flags::ACK, 101, 501));
    assert_eq!(peer.events(), [Event::Connected, Event::Writable]);
}

#[test]
fn passive_open() {
    let mut peer = Peer::listening();
    peer.arrives(segment(Flags::RST, 1, 0));
    assert_eq!(peer.sent(), []);
    peer.arrives(segment(Flags::ACK, 1, 77));
    assert_eq!(peer.one(), (Flags::RST, 77, 0));
    assert_eq!(peer.state(), State::Listen);
    peer.arrives(syn(Flags::SYN, 500, 0));
    assert_eq!(peer.state(), State::SynReceived);
    assert_eq!(peer.one(), (Flags::SYN | Flags::ACK, 100, 501));
    // The answer was lost, so the SYN arrives again.
    peer.now = at_ms(1_000);
    peer.arrives(syn(Flags::SYN, 500, 0));
    assert_eq!(peer.one(), (Flags::SYN | Flags::ACK, 100, 501));
    peer.arrives(segment(Flags::ACK, 501, 101));
    assert_eq!(peer.state(), State::Established);
    assert_eq!(peer.events(), [Event::Connected, Event::Writable]);
}

#[test]
fn a_handshake_with_a_wrong_acknowledgement_is_reset() {
    let mut peer = Peer::listening();
    peer.arrives(syn(Flags::SYN, 500, 0));
    peer.sent();
    peer.arrives(segment(Flags::ACK, 501, 300));
    assert_eq!(peer.one(), (Flags::RST, 300, 0));
    assert_eq!(peer.state(), State::SynReceived);

    let mut peer = Peer::connecting();
    peer.sent();
    peer.arrives(syn(Flags::SYN | Flags::ACK, 500, 55));
    assert_eq!(peer.one(), (Flags::RST, 55, 0));
    assert_eq!(peer.state(), State::SynSent);
}

#[test]
fn simultaneous_open() {
    let mut peer = Peer::connecting();
    peer.sent();
    peer.arrives(syn(Flags::SYN, 500, 0));
    assert_eq!(peer.state(), State::SynReceived);
    assert_eq!(peer.one(), (Flags::SYN | Flags::ACK, 100, 501));
    peer.arrives(syn(Flags::SYN | Flags::ACK, 500, 101));
    assert_eq!(peer.state(), State::Established);
}

#[test]
fn a_refused_connection() {
    let mut peer = Peer::connecting();
    peer.sent();
    // Without an acknowledgement, the reset may belong to another connection.
    peer.arrives(segment(Flags::RST, 0, 0));
    assert_eq!(peer.state(), State::SynSent);
    peer.arrives(segment(Flags::RST | Flags::ACK, 0, 101));
    assert_eq!(peer.state(), State::Closed);
    assert_eq!(peer.events(), [Event::Closed(CloseReason::Refused)]);
}

#[test]
fn a_syn_without_an_answer_is_sent_seven_times() {
    let mut peer = Peer::connecting();
    let mut at = vec![0];
    peer.sent();
    while peer.state() != State::Closed {
        let due = peer.endpoint.next_deadline().unwrap();
        peer.now = due;
        peer.endpoint.handle_timeout(due);
        if !peer.sent().is_empty() {
            at.push(due.as_nanos() / 1_000_000_000);
        }
    }
    // Four timeouts of a second (tcp_syn_linear_timeouts), then 2 s and so on. The timer wheel adds
    // up to 1/8.
    assert_eq!(at.len(), 7, "{at:?}");
    assert!(at[1] == 1 && at[4] <= 4 && at[5] <= 6, "{at:?}");
    assert_eq!(peer.events(), [Event::Closed(CloseReason::TimedOut)]);
}

#[test]
fn active_close_through_fin_wait_2() {
    let mut peer = Peer::established();
    peer.endpoint.shutdown(peer.now);
    assert_eq!(peer.state(), State::FinWait1);
    assert_eq!(peer.one(), (Flags::FIN | Flags::ACK | Flags::PSH, 101, 501));
    peer.arrives(segment(Flags::ACK, 501, 102));
    assert_eq!(peer.state(), State::FinWait2);
    assert_eq!(peer.events(), [Event::Delivered]);
    peer.arrives(segment(Flags::FIN | Flags::ACK, 501, 102));
    assert_eq!(peer.state(), State::TimeWait);
    assert_eq!(peer.one(), (Flags::ACK, 102, 502));
    // When the FIN arrives again, it is acknowledged again.
    peer.passes(30_000);
    peer.arrives(segment(Flags::FIN | Flags::ACK, 501, 102));
    assert_eq!(peer.one(), (Flags::ACK, 102, 502));
    peer.passes(59_000);
    assert_eq!(peer.state(), State::TimeWait);
    peer.passes(9_000);
    assert_eq!(peer.state(), State::Closed);
}

#[test]
fn a_fin_that_acknowledges_a_fin() {
    let mut peer = Peer::established();
    peer.endpoint.shutdown(peer.now);
    peer.sent();
    peer.arrives(segment(Flags::FIN | Flags::ACK, 501, 102));
    assert_eq!(peer.state(), State::TimeWait);
}

#[test]
fn simultaneous_close() {
    let mut peer = Peer::established();
    peer.endpoint.shutdown(peer.now);
    peer.sent();
    peer.arrives(segment(Flags::FIN | Flags::ACK, 501, 101));
    assert_eq!(peer.state(), State::Closing);
    assert_eq!(peer.one(), (Flags::ACK, 102, 502));
    peer.arrives(segment(Flags::ACK, 502, 102));
    assert_eq!(peer.state(), State::TimeWait);
}

#[test]
fn passive_close() {
    let mut peer = Peer::established();
    peer.arrives(segment(Flags::FIN | Flags::ACK, 501, 101));
    assert_eq!(peer.state(), State::CloseWait);
    assert_eq!(peer.one(), (Flags::ACK, 101, 502));
    assert_eq!(peer.events(), [Event::Finished]);
    // The other direction is still open.
    assert_eq!(peer.endpoint.write(peer.now, 100), 100);
    assert_eq!(peer.sent().len(), 1);
    peer.endpoint.shutdown(peer.now);
    assert_eq!(peer.state(), State::LastAck);
    assert_eq!(peer.one(), (Flags::FIN | Flags::ACK | Flags::PSH, 201, 502));
    peer.arrives(segment(Flags::ACK, 502, 202));
    assert_eq!(peer.state(), State::Closed);
    let expected = [Event::Delivered, Event::Closed(CloseReason::Finished)];
    assert_eq!(peer.events(), expected);
}

#[test]
fn a_lost_fin_is_sent_again() {
    let mut peer = Peer::established();
    peer.endpoint.shutdown(peer.now);
    peer.sent();
    let due = peer.endpoint.next_deadline().unwrap();
    peer.endpoint.handle_timeout(due);
    peer.now = due;
    assert_eq!(peer.one(), (Flags::FIN | Flags::ACK | Flags::PSH, 101, 501));
}

#[test]
fn resets_need_the_exact_number() {
    let mut peer = Peer::established();
    // The number is in the window, but not the next one: a challenge is sent (RFC 5961 §3.2).
    peer.arrives(segment(Flags::RST, 600, 0));
    assert_eq!(peer.state(), State::Established);
    assert_eq!(peer.one(), (Flags::ACK, 101, 501));
    // The number is outside the window: nothing is sent.
    peer.arrives(segment(Flags::RST, 400, 0));
    assert_eq!(peer.sent(), []);
    peer.arrives(segment(Flags::RST, 501, 0));
    assert_eq!(peer.state(), State::Closed);
    assert_eq!(peer.events(), [Event::Closed(CloseReason::Reset)]);
    assert_eq!(peer.endpoint.next_deadline(), None);
}

#[test]
fn a_syn_in_a_connection_is_challenged() {
    let mut peer = Peer::established();
    peer.arrives(syn(Flags::SYN, 700, 0));
    assert_eq!(peer.state(), State::Established);
    assert_eq!(peer.one(), (Flags::ACK, 101, 501));
    // At most one challenge is sent in half a second.
    peer.arrives(syn(Flags::SYN, 700, 0));
    assert_eq!(peer.sent(), []);
}

#[test]
fn abort_resets() {
    let mut peer = Peer::established();
    peer.endpoint.abort(peer.now);
    assert_eq!(peer.state(), State::Closed);
    assert_eq!(peer.one(), (Flags::RST | Flags::ACK, 101, 501));
    assert_eq!(peer.events(), [Event::Closed(CloseReason::Aborted)]);
}

#[test]
fn closing_with_unread_data_resets() {
    let mut peer = Peer::established();
    peer.arrives(Segment { len: 10, ..segment(Flags::ACK, 501, 101) });
    assert_eq!(peer.endpoint.readable(), 10);
    peer.sent();
    peer.endpoint.close(peer.now);
    assert_eq!(peer.one().0, Flags::RST | Flags::ACK);
}

#[test]
fn data_for_a_closed_socket_resets() {
    let mut peer = Peer::established();
    peer.endpoint.close(peer.now);
    peer.sent();
    peer.arrives(Segment { len: 10, ..segment(Flags::ACK, 501, 102) });
    assert_eq!(peer.state(), State::Closed);
    assert_eq!(peer.one().0, Flags::RST | Flags::ACK);
}

#[test]
fn a_closed_socket_does_not_wait_for_ever() {
    let mut peer = Peer::established();
    peer.endpoint.close(peer.now);
    peer.sent();
    peer.arrives(segment(Flags::ACK, 501, 102));
    assert_eq!(peer.state(), State::FinWait2);
    peer.passes(70_000);
    assert_eq!(peer.state(), State::Closed);
}

#[test]
fn what_finds_no_connection_is_reset() {
    let lost = segment(Flags::ACK, 9, 42);
    assert_eq!(lost.reset_reply().map(|reset| (reset.flags, reset.seq)), Some((Flags::RST, 42)));
    let lost = Segment { len: 5, ..segment(Flags::NONE, 9, 0) };
    let reset = lost.reset_reply().unwrap();
    assert_eq!((reset.flags, reset.seq, reset.ack), (Flags::RST | Flags::ACK, 0, 14));
    assert_eq!(segment(Flags::RST, 1, 1).reset_reply(), None);
}

#[test]
fn an_acknowledgement_of_what_was_not_sent_is_answered() {
    let mut peer = Peer::established();
    peer.now = at_ms(1_000);
    peer.arrives(Segment { len: 10, ..segment(Flags::ACK, 501, 900) });
    // The segment is dropped and answered (RFC 9293 §3.10.7.4, fifth check).
    assert_eq!(peer.one(), (Flags::ACK, 101, 501));
    assert_eq!(peer.endpoint.readable(), 0);
}
