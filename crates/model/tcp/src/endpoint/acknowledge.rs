//! Processes an acknowledgement: packets delivered, round-trip times, the send window, duplicates.
//! Not here: the consequences of losses (`repair`).

use netloom_units::{Duration, Time};

use super::Endpoint;
use crate::congestion::{Acked, CongestionEvent};
use crate::segment::{Flags, SackBlocks, Segment};
use crate::sent::Sent;

/// The results of one acknowledgement.
#[derive(Debug, Default)]
pub(super) struct AckOutcome {
    /// Whether it acknowledges new data cumulatively.
    pub advanced: bool,
    /// Number of packets newly acknowledged cumulatively, whether SACKed before or not.
    pub packets: u32,
    /// Number of packets newly SACKed.
    pub sacked: u32,
    /// Number of packets newly found to be delivered.
    pub delivered: u32,
    /// Number of packets newly deemed lost.
    pub lost: u32,
    /// Whether a packet from before the recovery point was delivered that was never retransmitted.
    pub original: bool,
    /// Whether it acknowledges a retransmission. The acknowledgement of other packets may then have
    /// waited for that one.
    resent: bool,
    /// Whether it is a duplicate: it changes nothing but the packets that it SACKs (RFC 5681 §2).
    pub duplicate: bool,
    /// Whether it reports that something arrived twice.
    pub dsack: bool,
    /// Whether it echoes a mark.
    pub echo: bool,
    /// Number of packets in flight before it.
    pub flight_before: u32,
    /// Times at which the first and the last of the newly acknowledged packets were sent. Only
    /// packets that were sent once count.
    first_sent: Option<Time>,
    last_sent: Option<Time>,
    last_in_flight: u32,
    /// Time at which the first of the newly SACKed packets was sent.
    sacked_sent: Option<Time>,
    /// The lowest packet that was overtaken.
    overtaken: Option<u64>,
}

impl Endpoint {
    /// Does the fifth check of RFC 9293 §3.10.7.4. `start` is the segment's sequence number;
    /// `carries` is whether it has payload or a FIN. Returns `false` if the segment must be
    /// dropped.
    pub(super) fn acknowledge(
        &mut self,
        now: Time,
        segment: &Segment,
        sack: &SackBlocks,
        start: u64,
        carries: bool,
    ) -> bool {
        let ack = self.snd.sequence.position(segment.ack, self.snd.una);
        // SND.UNA − MAX.SND.WND ≤ SEG.ACK ≤ SND.NXT (RFC 5961 §5.2).
        let oldest = self.snd.una.saturating_sub(u64::from(self.snd.largest_window));
        if ack > self.snd.nxt || ack < oldest {
            self.challenge(now);
            return false;
        }
        // An old acknowledgement is ignored (RFC 9293 §3.10.7.4), but its SACK blocks are still
        // true.
        let old = ack < self.snd.una;
        if old && segment.sack_blocks == 0 {
            return true;
        }
        let ack = ack.max(self.snd.una);
        let mut outcome = AckOutcome {
            advanced: ack > self.snd.una,
            flight_before: self.in_flight(),
            echo: self.negotiated.ecn_on() && segment.flags.contains(Flags::ECE),
            ..AckOutcome::default()
        };
        let idle = self.snd.sent.is_empty();
        let updated = !old && self.update_window(now, segment, start, ack);
        if outcome.advanced {
            self.recovery.timeouts = 0;
            self.recovery.silent_since = None;
        }
        // In the order of the sequence: packets that this acknowledgement SACKs have not overtaken
        // those that it acknowledges (RFC 8985 §6.2, step 3).
        let highest = self.snd.sent.highest_sacked;
        self.take_sacks(now, sack, ack, &mut outcome);
        self.take_cumulative(now, ack, highest, &mut outcome);
        outcome.duplicate = !outcome.advanced && !updated && !carries && !idle && !old;
        self.take_duplicate(&mut outcome);
        if outcome.echo {
            self.rate.delivered_ce += u64::from(outcome.delivered);
        }
        self.take_rtt(now, &mut outcome);
        self.refresh_flow(now);
        self.report(now, &outcome);
        if !idle {
            self.repair(now, outcome);
        } else if self.snd.has_unsent() && self.snd.window == 0 {
            self.watch_window(now);
        }
        true
    }

    /// Updates the send window (RFC 9293 §3.10.7.4). Returns whether it changes.
    fn update_window(&mut self, now: Time, segment: &Segment, start: u64, ack: u64) -> bool {
        let window = u32::from(segment.window) << self.snd.shift;
        let newer = start > self.snd.window_seq
            || (start == self.snd.window_seq && ack >= self.snd.window_ack);
        if !newer {
            return false;
        }
        let changed = window != self.snd.window;
        self.snd.window_seq = start;
        self.snd.window_ack = ack;
        self.snd.grant(window, self.negotiated.option_bytes());
        if changed && self.snd.sent.is_empty() {
            self.recovery.backoff = 0;
            // The probe of a closed window ends. Waiting data is sent.
            if self.timers.is_set_for(super::timer_set::Retransmit::Window) {
                self.timers.retransmit = None;
            }
            if window == 0 {
                self.watch_window(now);
            }
        }
        changed
    }

    fn take_sacks(&mut self, now: Time, sack: &SackBlocks, ack: u64, outcome: &mut AckOutcome) {
        if !self.negotiated.sack || sack.count() == 0 {
            return;
        }
        let una = self.snd.una;
        let mut blocks = [(0u64, 0u64); SackBlocks::MOST];
        let mut count = 0;
        for (n, block) in sack.as_slice().iter().enumerate() {
            let start = self.snd.sequence.position(block.start, una);
            let end = self.snd.sequence.position(block.end, una);
            if start >= end || end > self.snd.nxt {
                continue;
            }
            if n == 0 && self.is_duplicate_report(sack, start, end, ack) {
                self.take_dsack(end, outcome);
                continue;
            }
            if end > ack {
                blocks[count] = (start.max(ack), end);
                count += 1;
            }
        }
        // Lower blocks come first: a new block has not overtaken those below it.
        let blocks = &mut blocks[..count];
        blocks.sort_unstable();
        let original = self.answers_the_original();
        let Self { snd, rate, recovery, flow, rtt, .. } = self;
        let least = rtt.least().unwrap_or(Duration::ZERO);
        let echo = flow.timestamp_echo;
        for block in blocks.iter() {
            let highest = snd.sent.highest_sacked;
            let point = recovery.point;
            snd.sent.sack(*block, |_, packet| {
                outcome.sacked += 1;
                outcome.delivered += 1;
                if !packet.ever_resent {
                    outcome.sacked_sent.get_or_insert(packet.sent_at);
                    if packet.end() <= point {
                        outcome.original = true;
                    }
                }
                if (original || !packet.ever_resent) && packet.start < highest {
                    outcome.overtaken = min_of(outcome.overtaken, packet.start);
                }
                recovery.rack.deliver(packet, now, echo, least);
                rate.deliver(packet, now);
            });
        }
        snd.sent.remember(blocks);
    }

    /// Whether the first block reports data that arrived twice (RFC 2883 §4).
    fn is_duplicate_report(&self, sack: &SackBlocks, start: u64, end: u64, ack: u64) -> bool {
        if end <= ack || start < ack {
            return true;
        }
        let Some(second) = sack.as_slice().get(1) else { return false };
        let from = self.snd.sequence.position(second.start, self.snd.una);
        let to = self.snd.sequence.position(second.end, self.snd.una);
        from <= start && end <= to
    }

    fn take_dsack(&mut self, end: u64, outcome: &mut AckOutcome) {
        outcome.dsack = true;
        self.recovery.see_duplicate(end);
        // A tail-loss probe is retransmitted on purpose, so its DSACK says nothing about RACK's
        // window (§7.4).
        let probe = self.recovery.probe.is_some_and(|probe| probe.resent && probe.end == end);
        if !probe {
            self.recovery.rack.see_duplicate(self.snd.una, self.snd.nxt);
        }
    }

    /// Removes packets that are acknowledged, up to `ack`. Packets up to `highest` were SACKed
    /// before.
    fn take_cumulative(&mut self, now: Time, ack: u64, highest: u64, outcome: &mut AckOutcome) {
        let least = self.rtt.least().unwrap_or(Duration::ZERO);
        while let Some(packet) = self.snd.sent.pop_acknowledged(ack) {
            outcome.packets += 1;
            if packet.sacked {
                continue;
            }
            self.deliver(now, &packet, highest, least, outcome);
        }
        self.snd.una = ack;
        if self.snd.sent.is_empty() {
            self.snd.sent.highest_sacked = 0;
        }
    }

    fn deliver(
        &mut self,
        now: Time,
        packet: &Sent,
        highest: u64,
        least: Duration,
        outcome: &mut AckOutcome,
    ) {
        outcome.delivered += 1;
        if packet.ever_resent {
            outcome.resent = true;
        } else {
            outcome.first_sent.get_or_insert(packet.sent_at);
            outcome.last_sent = Some(packet.sent_at);
            outcome.last_in_flight = packet.stamp.in_flight;
            if packet.end() <= self.recovery.point {
                outcome.original = true;
            }
        }
        let original = !packet.ever_resent || self.answers_the_original();
        if original && packet.start < highest {
            outcome.overtaken = min_of(outcome.overtaken, packet.start);
        }
        let echo = self.flow.timestamp_echo;
        self.recovery.rack.deliver(packet, now, echo, least);
        self.rate.deliver(packet, now);
    }

    /// Without SACK, a duplicate acknowledgement stands for one packet that arrived (RFC 6582).
    fn take_duplicate(&mut self, outcome: &mut AckOutcome) {
        if self.negotiated.sack {
            self.detect_reordering(outcome.overtaken);
            return;
        }
        if outcome.duplicate {
            let room = self.snd.sent.len().saturating_sub(self.snd.sent.lost() + 1);
            if self.snd.duplicates < room {
                self.snd.duplicates += 1;
            }
            outcome.delivered += 1;
            self.rate.delivered += 1;
        } else if outcome.packets > 0 {
            // These packets were counted when they arrived. Only the one that filled the gap is
            // new.
            let known = self.snd.duplicates.min(outcome.packets - 1);
            self.snd.duplicates -= known;
            outcome.delivered = outcome.delivered.saturating_sub(known).max(1);
            self.rate.delivered -= u64::from(known);
            self.snd.bound_duplicates();
        }
    }

    /// Detects reordering: a packet that was sent once is delivered after one behind it (RFC 8985
    /// §6.2, step 3), or the first transmission of a packet that was retransmitted needlessly is,
    /// as its echoed timestamp shows (RFC 3522). The degree of reordering is the distance by which
    /// the packet was overtaken, at most `tcp_max_reordering`.
    fn detect_reordering(&mut self, overtaken: Option<u64>) {
        let Some(start) = overtaken else { return };
        let highest = self.snd.sent.highest_sacked.max(self.snd.una);
        let distance = highest.saturating_sub(start);
        let mss = u64::from(self.snd.mss);
        if distance > u64::from(self.recovery.reordering) * mss {
            let packets = distance.div_ceil(mss) as u32;
            self.recovery.reordering = packets.min(self.config.max_reordering);
        }
        self.recovery.rack.reordering_seen = true;
    }

    /// Takes samples of the round-trip time (RFC 6298 §3, RFC 7323 §4).
    fn take_rtt(&mut self, now: Time, outcome: &mut AckOutcome) {
        let first = outcome.first_sent.filter(|_| !outcome.resent);
        let sent = first.or(outcome.sacked_sent);
        let rtt = match sent {
            Some(sent) => Some(now.since(sent)),
            None if outcome.advanced && self.negotiated.timestamps => {
                self.flow.timestamp_echo.map(|echo| self.since_relative_echo(now, echo))
            }
            None => None,
        };
        let Some(rtt) = rtt else { return };
        self.rtt.sample(rtt, self.snd.una, self.snd.nxt);
        // A sample ends the doubling of the timeout (RFC 6298 §5.7 and its note on §5.5).
        self.recovery.backoff = 0;
        let last = outcome.last_sent.filter(|_| !outcome.resent).or(outcome.sacked_sent);
        self.rtt.sample_least(now, last.map_or(rtt, |last| now.since(last)));
    }

    /// Reports the acknowledgement to the congestion control.
    fn report(&mut self, now: Time, outcome: &AckOutcome) {
        let event =
            CongestionEvent::Acknowledged { echo: outcome.echo, packets: outcome.delivered };
        self.control.event(&mut self.flow, event);
        if outcome.packets > 0 || outcome.sacked > 0 {
            let last = outcome.last_sent.or(outcome.sacked_sent);
            let sample = Acked {
                packets: outcome.packets,
                rtt: last.map(|last| now.since(last)),
                in_flight: outcome.last_in_flight,
            };
            self.control.acked(&mut self.flow, &sample);
        }
    }
}

fn min_of(known: Option<u64>, value: u64) -> Option<u64> {
    Some(known.map_or(value, |known| known.min(value)))
}
