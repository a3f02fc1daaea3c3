//! SEGMENT ARRIVES (RFC 9293 §3.10.7), with the checks of RFC 5961 and RFC 7323. Not here: the
//! effects of an acknowledgement on the sender (`acknowledge`), and handshakes (`handshake`).

use netloom_units::Time;

use super::{Endpoint, State};
use crate::congestion::CongestionEvent;
use crate::event::{CloseReason, Event};
use crate::receiver::Arrival;
use crate::segment::{Ecn, Flags, SackBlocks, Segment};
use crate::sequence::SYN_AT;

/// The part of the sequence that a segment covers.
#[derive(Debug, Clone, Copy)]
struct Extent {
    start: u64,
    /// Position after the payload, which is that of a FIN.
    payload_end: u64,
    end: u64,
}

impl Endpoint {
    pub(super) fn segment_arrives(&mut self, now: Time, segment: &Segment, sack: &SackBlocks) {
        match self.state {
            State::Closed => self.reply = segment.reset_reply(),
            State::Listen => self.arrive_in_listen(now, segment),
            State::SynSent => self.arrive_in_syn_sent(now, segment),
            _ => self.arrive_synchronized(now, segment, sack),
        }
    }

    fn arrive_synchronized(&mut self, now: Time, segment: &Segment, sack: &SackBlocks) {
        let extent = self.extent(segment);
        if !self.check(now, segment, extent) {
            return;
        }
        if !segment.flags.contains(Flags::ACK) {
            return;
        }
        self.remember_timestamp(segment, extent);
        if self.state == State::SynReceived && !self.complete_handshake(now, segment) {
            return;
        }
        if !self.acknowledge(now, segment, sack, extent.start, extent.end > extent.start) {
            return;
        }
        self.settle_fin(now);
        self.take_payload(now, segment, extent);
    }

    fn extent(&self, segment: &Segment) -> Extent {
        let start = self.rcv.sequence.position(segment.seq, self.rcv.next);
        let payload_end = start + u64::from(segment.len);
        let end = start + u64::from(segment.sequence_len());
        Extent { start, payload_end, end }
    }

    /// Does the first to fourth check: timestamps, sequence number, RST, SYN.
    fn check(&mut self, now: Time, segment: &Segment, extent: Extent) -> bool {
        if self.is_repeated_syn(segment, extent) {
            // The answer to the SYN was lost.
            self.snd.syn_due = true;
            return false;
        }
        let reset = segment.flags.contains(Flags::RST);
        if !reset && self.is_too_old(segment) {
            self.answer_out_of_turn(now, extent);
            return false;
        }
        if !self.is_acceptable(extent) {
            if self.is_crossed_syn(segment, extent) {
                return true;
            }
            if !reset {
                self.answer_out_of_turn(now, extent);
            }
            return false;
        }
        if reset {
            self.arrive_reset(now, extent);
            return false;
        }
        if segment.flags.contains(Flags::SYN) && !self.is_crossed_syn(segment, extent) {
            self.challenge(now);
            return false;
        }
        true
    }

    /// Whether this is the SYN that this end has already answered (RFC 9293 §3.10.7.4, fourth
    /// check).
    fn is_repeated_syn(&self, segment: &Segment, extent: Extent) -> bool {
        let syn = segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK);
        self.state == State::SynReceived && syn && extent.start == SYN_AT
    }

    /// Whether this is the other end's SYN in a simultaneous open, which is sent again with an
    /// acknowledgement (RFC 9293 §3.5, figure 7).
    fn is_crossed_syn(&self, segment: &Segment, extent: Extent) -> bool {
        self.state == State::SynReceived
            && segment.flags.contains(Flags::SYN | Flags::ACK)
            && extent.start == SYN_AT
    }

    /// PAWS (RFC 7323 §5.3, R1). TS.Recent of a connection that was idle for 24 days is not
    /// forgotten, contrary to §5.5.
    fn is_too_old(&self, segment: &Segment) -> bool {
        let Some(timestamps) = segment.timestamps else { return false };
        let before = (timestamps.value.wrapping_sub(self.negotiated.recent) as i32) < 0;
        self.negotiated.timestamps && before
    }

    /// Whether any part of the segment is in the window (RFC 9293 §3.10.7.4, table 6). Both ends
    /// are inclusive. An acknowledgement without payload may stand right behind a window that is
    /// used up. One that data has overtaken is older than RCV.NXT, but not older than what this end
    /// had acknowledged when it was sent ("special allowance should be made to accept valid ACKs").
    fn is_acceptable(&self, extent: Extent) -> bool {
        let edge = self.rcv.window.edge().max(self.rcv.next);
        let begins = extent.start <= edge;
        let base = self.rcv.window.acknowledged().min(self.rcv.next);
        extent.end >= base && begins
    }

    /// Handles an RST: only the exact next number resets the connection (RFC 5961 §3).
    fn arrive_reset(&mut self, now: Time, extent: Extent) {
        if extent.start != self.rcv.next {
            self.challenge(now);
            return;
        }
        match self.state {
            // RFC 1337 §3, fix 1.
            State::TimeWait => {}
            State::SynReceived => self.end(CloseReason::Refused),
            _ => self.end(CloseReason::Reset),
        }
    }

    /// Answers an unacceptable segment with an acknowledgement.
    fn answer_out_of_turn(&mut self, now: Time, extent: Extent) {
        if self.state == State::SynReceived {
            return;
        }
        if extent.end > extent.start && extent.end <= self.rcv.next {
            // The acknowledgement of a duplicate is never held back: the other end must be notified
            // of it (RFC 5681 §4.2, RFC 2883 §4).
            let dsack = self.config.dsack && self.negotiated.sack;
            self.rcv.see_old(extent.start, extent.end, dsack);
            self.rcv.acks.be_alert(self.rcv.window.size());
            self.rcv.acks.now = true;
            return;
        }
        self.challenge(now);
    }

    /// Sends a challenge acknowledgement, at a limited rate (RFC 5961 §7).
    pub(super) fn challenge(&mut self, now: Time) {
        let limit = self.config.invalid_ratelimit;
        if self.challenged.is_none_or(|last| now.since(last) >= limit) {
            self.challenged = Some(now);
            self.rcv.acks.now = true;
        }
    }

    /// Updates TS.Recent (RFC 7323 §4.3).
    fn remember_timestamp(&mut self, segment: &Segment, extent: Extent) {
        let Some(timestamps) = segment.timestamps else { return };
        self.flow.timestamp_value = Some(timestamps.value);
        self.flow.timestamp_echo =
            (timestamps.echo != 0).then(|| timestamps.echo.wrapping_sub(self.clock_offset()));
        // SEG.SEQ ≤ Last.ACK.sent (step 2).
        if self.negotiated.timestamps && extent.start <= self.rcv.window.acknowledged() {
            self.negotiated.recent = timestamps.value;
        }
    }

    /// Handles the third segment of the handshake, in SYN-RECEIVED.
    fn complete_handshake(&mut self, now: Time, segment: &Segment) -> bool {
        let ack = self.snd.sequence.position(segment.ack, self.snd.una);
        if ack <= self.snd.una || ack > self.snd.nxt {
            self.reply = segment.reset_reply();
            return false;
        }
        self.acknowledge_syn(now, segment);
        self.establish(now);
        let shift = if segment.flags.contains(Flags::SYN) { 0 } else { self.snd.shift };
        self.snd.grant(u32::from(segment.window) << shift, self.negotiated.option_bytes());
        if self.snd.closing {
            self.state = State::FinWait1;
        }
        true
    }

    /// Handles the acknowledgement of this end's FIN, if it is acknowledged.
    fn settle_fin(&mut self, now: Time) {
        let covered = self.snd.fin_sent && self.snd.una == self.snd.nxt;
        if !covered {
            return;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                self.events.push(Event::Delivered);
                if self.released {
                    let timeout = self.config.fin_timeout;
                    self.timers.lifetime = Some(self.ticks.expiry(now, timeout));
                }
            }
            State::Closing => {
                self.events.push(Event::Delivered);
                self.wait_for_the_rest(now);
            }
            State::LastAck => {
                self.events.push(Event::Delivered);
                self.end(CloseReason::Finished);
            }
            _ => {}
        }
    }

    /// Enters TIME-WAIT.
    fn wait_for_the_rest(&mut self, now: Time) {
        if self.state != State::TimeWait {
            self.events.push(Event::Closed(CloseReason::Finished));
        }
        self.state = State::TimeWait;
        self.timers.retransmit = None;
        self.timers.lifetime = Some(self.ticks.expiry(now, self.config.time_wait));
    }

    /// Does the seventh and eighth check: payload and FIN.
    fn take_payload(&mut self, now: Time, segment: &Segment, extent: Extent) {
        if extent.end == extent.start {
            return;
        }
        if !self.state.receives() {
            self.arrive_too_late(now, segment, extent);
            return;
        }
        if self.released && extent.payload_end > self.rcv.next {
            // The application will not read it (RFC 2525 §2.17).
            self.abort(now);
            return;
        }
        if segment.len > 0 {
            self.see_mark(now, segment);
            self.estimate(now, segment);
        }
        self.receive(now, segment, extent);
    }

    /// Handles a segment after the other end's FIN: only that FIN can be sent again.
    fn arrive_too_late(&mut self, now: Time, segment: &Segment, extent: Extent) {
        if extent.end <= self.rcv.next {
            self.rcv.acks.now = true;
            if self.state == State::TimeWait && segment.flags.contains(Flags::FIN) {
                self.wait_for_the_rest(now);
            }
        }
    }

    /// Handles congestion marks of the network (RFC 3168 §6.1.3, RFC 8257 §3.2).
    fn see_mark(&mut self, now: Time, segment: &Segment) {
        if !self.negotiated.ecn_on() {
            return;
        }
        if segment.flags.contains(Flags::CWR) && !self.negotiated.accurate {
            self.negotiated.echo = false;
        }
        let marked = segment.ecn == Ecn::Ce;
        if self.negotiated.accurate {
            if marked != self.negotiated.echo && self.rcv.acks.owed() {
                // Segments that arrived before are acknowledged with the previous mark (RFC 8257
                // §3.2, DCTCP.CE).
                self.reply = Some(self.bare_acknowledgement(now));
            }
            self.negotiated.echo = marked;
        } else if marked {
            self.negotiated.echo = true;
        }
        let event =
            if marked { CongestionEvent::MarkReceived } else { CongestionEvent::UnmarkedReceived };
        self.control.event(&mut self.flow, event);
    }

    /// Updates estimates of the path from a segment with payload.
    fn estimate(&mut self, now: Time, segment: &Segment) {
        let packet =
            if segment.mss == 0 { segment.len } else { segment.len.min(segment.mss.into()) };
        let rto = self.rtt.timeout(0);
        let pushed = segment.flags.contains(Flags::PSH);
        let window = self.rcv.window.size();
        self.rcv.acks.received(now, packet, pushed, window, rto);
        match segment.timestamps {
            Some(timestamps) if packet >= self.rcv.acks.segment => {
                let clock = self.clock(now);
                self.rcv.window.sample_rtt(clock, timestamps.echo);
            }
            None => self.rcv.window.sample_window(now, self.rcv.next),
            _ => {}
        }
    }

    fn receive(&mut self, now: Time, segment: &Segment, extent: Extent) {
        // Data beyond the window is cut off.
        let edge = self.rcv.window.edge();
        let fits = extent.payload_end.min(edge.max(extent.start));
        let whole = fits == extent.payload_end;
        let fin = segment.flags.contains(Flags::FIN) && whole;
        if fin && self.rcv.fin.is_none_or(|known| known == extent.payload_end) {
            self.rcv.fin = Some(extent.payload_end);
        }
        let end = fits + u64::from(fin);
        if end <= extent.start {
            self.challenge(now);
            return;
        }
        let dsack = self.config.dsack && self.negotiated.sack;
        let gap_before = self.rcv.has_gap();
        let arrival = self.rcv.take(extent.start, end, dsack);
        let acks = &mut self.rcv.acks;
        match arrival {
            Arrival::Duplicate => {
                acks.be_alert(self.rcv.window.size());
                acks.now = true;
            }
            Arrival::OutOfOrder => {
                // The receiver's estimate, or the sender's if it has one that is shorter.
                let rtt = self.rcv.window.rtt();
                let rtt = if self.rtt.measured() { rtt.min(self.rtt.smoothed()) } else { rtt };
                acks.out_of_order(now, self.rcv.next, &self.config, rtt);
            }
            Arrival::InOrder(bytes) => self.receive_in_order(now, bytes, segment.len, gap_before),
        }
        if self.rcv.finished() {
            self.arrive_fin(now);
        }
    }

    fn receive_in_order(&mut self, now: Time, bytes: u64, len: u32, gap_before: bool) {
        let segment = self.rcv.acks.segment.max(1);
        let buffered = self.rcv.buffered();
        self.rcv.window.grow(&self.config, len, buffered, segment);
        if bytes > u64::from(self.rcv.finished()) {
            self.events.push(Event::Readable);
        }
        if gap_before {
            // A gap is closed, or the next one begins: it is acknowledged at once (RFC 5681 §4.2).
            self.rcv.acks.now = true;
            return;
        }
        let unacknowledged = self.rcv.next - self.rcv.window.acknowledged();
        let srtt = self.rtt.smoothed();
        self.rcv.acks.in_order(now, unacknowledged, self.ticks, srtt);
    }

    /// Handles the other end's FIN, once everything before it has arrived.
    fn arrive_fin(&mut self, now: Time) {
        self.rcv.acks.now = true;
        match self.state {
            State::Established => self.state = State::CloseWait,
            State::FinWait1 => self.state = State::Closing,
            State::FinWait2 => self.wait_for_the_rest(now),
            _ => return,
        }
        self.events.push(Event::Finished);
    }
}
