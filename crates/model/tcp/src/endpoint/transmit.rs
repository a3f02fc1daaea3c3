//! Makes the next segment to send: a reset, a SYN, a retransmission, a probe, new data or an
//! acknowledgement. Not here: how much may be sent (`send`).

use netloom_units::{Duration, Time};

use super::options::EcnState;
use super::timer_set::Retransmit;
use super::{Endpoint, State};
use crate::congestion::CongestionEvent;
use crate::segment::{Ecn, Flags, SackBlocks, Segment, SynOptions, Timestamps, Transmit};
use crate::sent::Sent;
use crate::sequence::SYN_AT;

/// The other end's maximum segment size until another is received (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;
/// Nanoseconds in a second.
const NANOS: u64 = 1_000_000_000;

impl Endpoint {
    pub(super) fn next_segment(&mut self, now: Time) -> Option<Transmit> {
        if let Some(segment) = self.reply.take() {
            return Some(Transmit { segment, sack: SackBlocks::NONE });
        }
        if self.snd.syn_due {
            return Some(self.send_syn(now));
        }
        if self.state.sends() {
            let data = self.send_data(now);
            if data.is_some() {
                return data;
            }
        }
        self.rcv.acks.now.then(|| self.send_acknowledgement(now))
    }

    fn send_syn(&mut self, now: Time) -> Transmit {
        self.snd.syn_due = false;
        let answers = self.state == State::SynReceived;
        let config = &self.config;
        let mut segment = Segment {
            seq: self.snd.sequence.wire(SYN_AT),
            flags: Flags::SYN,
            window: self.rcv.window.size().min(65_535) as u16,
            syn: Some(SynOptions {
                mss: config.announced_mss(),
                window_scale: self.negotiated.window_scaling.then(|| config.window_shift()),
                sack_permitted: self.negotiated.sack,
            }),
            timestamps: self.timestamps(now),
            ..Segment::EMPTY
        };
        if answers {
            segment.flags |= Flags::ACK;
            segment.ack = self.rcv.sequence.wire(self.rcv.next);
            if self.negotiated.ecn == EcnState::On {
                segment.flags |= Flags::ECE;
            }
            self.rcv.acks.sent();
        } else if self.negotiated.ecn == EcnState::Offered && self.recovery.timeouts == 0 {
            // The request for ECN is not repeated: it may be the reason why the SYN was lost (RFC
            // 3168 §6.1.1.1).
            segment.flags |= Flags::ECE | Flags::CWR;
        }
        if self.negotiated.accurate && self.negotiated.ecn != EcnState::Off {
            segment.ecn = self.negotiated.capable;
        }
        self.note_syn(now);
        Transmit { segment, sack: SackBlocks::NONE }
    }

    fn note_syn(&mut self, now: Time) {
        let stamp = self.rate.stamp(now, 0);
        if self.snd.nxt == SYN_AT {
            self.snd.nxt = SYN_AT + 1;
            self.snd.sent.push(Sent::new(SYN_AT, 1, now, stamp));
        } else {
            let id = self.snd.sent.first_id();
            self.snd.sent.resend(id, now, stamp);
        }
    }

    fn timestamps(&self, now: Time) -> Option<Timestamps> {
        self.negotiated
            .timestamps
            .then(|| Timestamps { value: self.clock(now), echo: self.negotiated.recent })
    }

    /// Returns a segment without payload at `position`, with the fields that every segment has.
    fn bare(&mut self, now: Time, position: u64) -> Segment {
        let mut flags = Flags::ACK;
        if self.negotiated.ecn_on() && self.negotiated.echo {
            flags |= Flags::ECE;
        }
        let segment = self.rcv.acks.segment.max(DEFAULT_MSS);
        let window = self.rcv.window_to_send(&self.config, segment);
        Segment {
            seq: self.snd.sequence.wire(position),
            ack: self.rcv.sequence.wire(self.rcv.next),
            window: (window >> self.rcv.window.shift).min(65_535) as u16,
            timestamps: self.timestamps(now),
            flags,
            ..Segment::EMPTY
        }
    }

    /// Returns an acknowledgement of the current state, without SACK blocks.
    pub(super) fn bare_acknowledgement(&mut self, now: Time) -> Segment {
        let nxt = self.snd.nxt;
        let mut segment = self.bare(now, nxt);
        segment.ecn = self.control_packet_ecn();
        segment
    }

    fn control_packet_ecn(&self) -> Ecn {
        let capable = self.negotiated.accurate && self.negotiated.ecn_on();
        if capable { self.negotiated.capable } else { Ecn::NotEct }
    }

    fn send_acknowledgement(&mut self, now: Time) -> Transmit {
        let segment = self.bare_acknowledgement(now);
        self.complete(segment)
    }

    /// Adds SACK blocks. The segment carries the pending acknowledgement.
    fn complete(&mut self, mut segment: Segment) -> Transmit {
        let most = self.negotiated.most_sacks();
        let sack = if self.rcv.sack_count(most) > 0 {
            self.rcv.take_sacks(most)
        } else {
            SackBlocks::NONE
        };
        segment.sack_blocks = sack.count();
        self.rcv.acks.sent();
        Transmit { segment, sack }
    }

    /// Returns a segment with payload, a FIN, or a probe.
    fn send_data(&mut self, now: Time) -> Option<Transmit> {
        if self.snd.probe_due {
            self.snd.probe_due = false;
            if let Some(probe) = self.send_tail_probe(now) {
                return Some(probe);
            }
        }
        if self.snd.force {
            self.snd.force = false;
            return Some(self.send_window_probe(now));
        }
        let cwnd = self.flow.cwnd;
        let in_flight = self.in_flight();
        if !self.recovery.hold
            && in_flight < cwnd
            && let Some(id) = self.snd.sent.next_lost()
        {
            if self.is_paced(now) {
                return None;
            }
            return Some(self.resend(now, id));
        }
        if !self.snd.has_unsent() {
            self.note_idle(in_flight);
            return None;
        }
        self.send_new(now, in_flight)
    }

    /// Records that nothing is left to send, so that the application limits the rate from now on
    /// (CheckIfApplicationLimited, draft-cheng-iccrg-delivery-rate-estimation-00 §3.4).
    fn note_idle(&mut self, in_flight: u32) {
        let lost = self.snd.sent.lost() > self.snd.sent.resent();
        if in_flight < self.flow.cwnd && !lost && self.state.sends() {
            self.rate.limit_by_application(in_flight);
            self.note_unlimited(self.flow.now);
        }
    }

    /// Records that something other than the congestion window keeps more from being sent.
    fn note_unlimited(&mut self, now: Time) {
        if self.usage.unvalidated {
            self.usage.unvalidated = false;
            let limited = self.in_flight() >= self.flow.cwnd;
            self.validate_window(now, limited);
        }
    }

    /// Whether pacing holds the next packet back. If so, sets the deadline.
    fn is_paced(&mut self, now: Time) -> bool {
        if !self.paced || self.flow.pacing_rate == u64::MAX || self.next_at <= now {
            return false;
        }
        self.timers.paced = Some(self.next_at);
        true
    }

    /// Sets the time at which the next packet may be sent, after `bytes` of payload
    /// (BBR.next_departure_time, draft-cardwell-ccwg-bbr-00 §4.6.2). Headers do not count: recorded
    /// (benches/tcp/loopback.py).
    fn pace(&mut self, now: Time, bytes: u32) {
        let rate = self.flow.pacing_rate;
        if self.paced && rate != u64::MAX && rate > 0 {
            let wait = (u128::from(bytes) * u128::from(NANOS) / u128::from(rate)) as u64;
            self.next_at = now.max(self.next_at) + Duration::from_nanos(wait);
        }
    }

    /// Sends the packet `id` again.
    fn resend(&mut self, now: Time, id: u64) -> Transmit {
        let stamp = self.rate.stamp(now, self.snd.in_flight());
        self.snd.sent.resend(id, now, stamp);
        self.recovery.count_resent(now);
        self.recovery.prr.sent += 1;
        let packet = *self.snd.sent.get(id).expect("it was just found");
        let first = id == self.snd.sent.first_id();
        // The timer runs from the latest transmission of the first packet (RFC 6675 §6).
        if self.timers.retransmit.is_none()
            || (first && self.timers.is_set_for(Retransmit::Timeout))
        {
            self.set_timeout(now);
        }
        self.packet(now, &packet, false)
    }

    /// Returns the segment of a packet.
    fn packet(&mut self, now: Time, packet: &Sent, fresh: bool) -> Transmit {
        let mut segment = self.bare(now, packet.start);
        segment.len = packet.len - u32::from(packet.fin);
        segment.mss = self.snd.mss.min(65_535) as u16;
        if packet.fin {
            segment.flags |= Flags::FIN;
        }
        if packet.push {
            segment.flags |= Flags::PSH;
        }
        self.finish_data(now, segment, fresh)
    }

    fn finish_data(&mut self, now: Time, mut segment: Segment, fresh: bool) -> Transmit {
        self.pace(now, segment.len);
        self.snd.packets_sent += u64::from(segment.packets());
        self.flow.sent_at = now;
        self.rcv.acks.sending_data(now);
        if self.negotiated.ecn_on() && segment.len > 0 {
            if fresh {
                segment.ecn = self.negotiated.capable;
                if self.negotiated.reduced {
                    self.negotiated.reduced = false;
                    segment.flags |= Flags::CWR;
                }
            } else {
                segment.ecn = self.control_packet_ecn();
            }
        }
        self.complete(segment)
    }

    /// Returns a segment of new data, if the windows allow it.
    fn send_new(&mut self, now: Time, in_flight: u32) -> Option<Transmit> {
        let quota = self.flow.cwnd.saturating_sub(in_flight);
        if quota == 0 {
            self.usage.unvalidated = false;
            self.validate_window(now, true);
            return None;
        }
        let burst = self.burst();
        let take = self.next_take(quota, burst);
        if take == 0 && !self.sends_lone_fin() {
            self.note_unlimited(now);
            self.watch_window(now);
            return None;
        }
        let packets = take.div_ceil(self.snd.mss);
        let all = u64::from(take) == self.snd.unsent();
        if !all && packets < burst && packets == quota && self.waits_for_burst(now, packets, burst)
        {
            self.usage.unvalidated = false;
            self.validate_window(now, true);
            return None;
        }
        if self.is_paced(now) {
            self.note_unlimited(now);
            return None;
        }
        Some(self.send_burst(now, take, in_flight))
    }

    /// Whether only the FIN is left to send. It needs no window.
    fn sends_lone_fin(&self) -> bool {
        self.snd.unsent() == 0 && self.snd.closing && !self.snd.fin_sent
    }

    /// Returns the bytes of the next burst: whole packets, or a last partial one if Nagle's
    /// algorithm allows it.
    fn next_take(&self, quota: u32, burst: u32) -> u32 {
        let mss = self.snd.mss;
        let unsent = self.snd.unsent();
        let window = self.snd.window_end().saturating_sub(self.snd.nxt);
        let most = u64::from(quota.min(burst)) * u64::from(mss);
        let take = unsent.min(window).min(most) as u32;
        let partial = take % mss;
        if partial == 0 {
            return take;
        }
        // RFC 9293 §3.7.4, with draft-minshall-nagle-01: one packet that is not full may be in
        // flight. The last one before a FIN is sent at once.
        let last = u64::from(take) == unsent;
        let small_in_flight = self.snd.small_end > self.snd.una && !self.snd.sent.is_empty();
        let free = self.config.no_delay || (last && self.snd.closing) || !small_in_flight;
        // A partial packet that is alone, and partial only because the other end's window is small,
        // waits: this avoids silly windows (RFC 9293 §3.8.6.2.1).
        if free && (last || take > partial) { take } else { take - partial }
    }

    /// Sends `take` bytes, and the FIN if it follows them.
    fn send_burst(&mut self, now: Time, take: u32, in_flight: u32) -> Transmit {
        let mss = self.snd.mss;
        let start = self.snd.nxt;
        let idle = self.snd.sent.is_empty();
        if idle {
            self.flow.app_limited = self.rate.app_limited();
            self.control.event(&mut self.flow, CongestionEvent::TransmitStart);
        }
        let last = u64::from(take) == self.snd.unsent();
        let fin = last && self.snd.closing && !self.snd.fin_sent;
        let mut segment = self.bare(now, start);
        segment.len = take;
        segment.mss = mss.min(65_535) as u16;
        // The last packet of the data written has PSH set (RFC 9293 §3.9.1.2).
        if last {
            segment.flags |= Flags::PSH;
        }
        if fin {
            segment.flags |= Flags::FIN;
            self.snd.fin_sent = true;
        }
        self.push_packets(now, start, take, in_flight, fin, last);
        self.usage.unvalidated = true;
        self.recovery.prr.sent += segment.packets();
        self.arm_after_sending(now, idle);
        self.finish_data(now, segment, true)
    }

    fn push_packets(
        &mut self,
        now: Time,
        start: u64,
        take: u32,
        in_flight: u32,
        fin: bool,
        last: bool,
    ) {
        let mss = self.snd.mss;
        let end = start + u64::from(take);
        let mut at = start;
        let mut in_flight = in_flight;
        loop {
            let len = mss.min((end - at) as u32);
            let stamp = self.rate.stamp(now, in_flight);
            in_flight += 1;
            let ends = at + u64::from(len) == end;
            let mut packet = Sent::new(at, len + u32::from(ends && fin), now, stamp);
            packet.fin = ends && fin;
            packet.push = ends && last;
            self.snd.sent.push(packet);
            at += u64::from(len);
            if ends {
                if len < mss {
                    self.snd.small_end = packet.end();
                }
                self.snd.nxt = packet.end();
                return;
            }
        }
    }

    /// Returns the probe of a tail loss: new data if there is any, else the last packet again (RFC
    /// 8985 §7.3).
    fn send_tail_probe(&mut self, now: Time) -> Option<Transmit> {
        let probe = self.recovery.probe?;
        if !probe.resent {
            let window = self.snd.window_end().saturating_sub(self.snd.nxt);
            let take = u64::from(self.snd.mss).min(self.snd.unsent()).min(window) as u32;
            if take > 0 {
                let in_flight = self.in_flight();
                let sent = self.send_burst(now, take, in_flight);
                self.recovery.probe = Some(super::TailProbe { end: self.snd.nxt, resent: false });
                self.set_timeout(now);
                return Some(sent);
            }
        }
        let last = self.snd.sent.next_id().checked_sub(1)?;
        self.snd.sent.get(last)?;
        Some(self.resend(now, last))
    }

    /// Returns a probe of the other end's window. It carries as much as the window takes. If that
    /// is nothing, it is an old sequence number without payload, which has to be answered, like a
    /// keep-alive (RFC 9293 §3.8.6.1, §3.8.4).
    fn send_window_probe(&mut self, now: Time) -> Transmit {
        let window = self.snd.window_end().saturating_sub(self.snd.nxt);
        let take = u64::from(self.snd.mss).min(self.snd.unsent()).min(window) as u32;
        if take > 0 || self.sends_lone_fin() {
            let in_flight = self.in_flight();
            return self.send_burst(now, take, in_flight);
        }
        let before = self.snd.una - 1;
        let segment = self.bare(now, before);
        self.complete(segment)
    }
}
