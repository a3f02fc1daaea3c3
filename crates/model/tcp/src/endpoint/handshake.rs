//! The handshake: SYNs, and the options that the two ends agree on. Not here: the rest of RFC
//! 9293's event processing (`arrive`).

use netloom_units::Time;

use super::options::EcnState;
use super::{Endpoint, State};
use crate::config::EcnMode;
use crate::event::{CloseReason, Event};
use crate::segment::{Ecn, Flags, Segment};
use crate::sent::Sent;
use crate::sequence::SYN_AT;

impl Endpoint {
    /// Sends a SYN.
    pub(super) fn open(&mut self, now: Time) {
        let mss = u32::from(self.config.announced_mss());
        self.snd.path_mss = mss;
        self.rcv.window.open(&self.config, mss);
        self.snd.syn_due = true;
        self.set_timeout(now);
    }

    /// Handles a segment in LISTEN (RFC 9293 §3.10.7.2).
    pub(super) fn arrive_in_listen(&mut self, now: Time, segment: &Segment) {
        if segment.flags.contains(Flags::RST) {
            return;
        }
        if segment.flags.contains(Flags::ACK) {
            self.reply = segment.reset_reply();
            return;
        }
        if segment.flags.contains(Flags::SYN) {
            self.agree(segment);
            let asks = Flags::ECE | Flags::CWR;
            // A SYN that is itself ECN-capable comes from a control that needs accurate echoes, or
            // from a network that has overwritten the field (RFC 3168 §6.1.1 forbids it). Linux
            // agrees to it only with such a control of its own: recorded (docs/simulated-tcp.md).
            let classic = self.config.ecn != EcnMode::Off && segment.ecn == Ecn::NotEct;
            let use_ecn = segment.flags.contains(asks) && (classic || self.negotiated.accurate);
            self.negotiated.ecn = if use_ecn { EcnState::On } else { EcnState::Off };
            let mss = u32::from(self.config.announced_mss()) - self.negotiated.option_bytes();
            self.snd.path_mss = u32::from(self.config.announced_mss());
            self.rcv.window.open(&self.config, mss);
            self.rcv.synchronize(segment.seq);
            self.state = State::SynReceived;
            self.snd.syn_due = true;
            self.set_timeout(now);
        }
    }

    /// Applies the options of the other end's SYN.
    fn agree(&mut self, segment: &Segment) {
        let agreed = &mut self.negotiated;
        let options = segment.syn;
        agreed.sack &= options.is_some_and(|syn| syn.sack_permitted);
        agreed.timestamps &= segment.timestamps.is_some();
        let scale = options.and_then(|syn| syn.window_scale);
        agreed.window_scaling &= scale.is_some();
        if let Some(timestamps) = segment.timestamps {
            agreed.recent = timestamps.value;
        }
        if agreed.window_scaling {
            // The shift is at most 14 (RFC 7323 §2.3).
            self.snd.shift = scale.unwrap_or(0).min(14);
            self.rcv.window.shift = self.config.window_shift();
        }
        // 536 is the default without the option (RFC 9293 §3.7.1).
        self.snd.peer_mss = options.map_or(536, |syn| u32::from(syn.mss)).max(1);
        self.snd.window = u32::from(segment.window);
        self.snd.largest_window = self.snd.window;
        self.snd.size_packets(agreed.option_bytes());
        self.flow.mss = self.snd.mss;
    }

    /// Handles a segment in SYN-SENT (RFC 9293 §3.10.7.3).
    pub(super) fn arrive_in_syn_sent(&mut self, now: Time, segment: &Segment) {
        let flags = segment.flags;
        let acknowledges = flags.contains(Flags::ACK);
        if acknowledges && segment.ack != self.snd.sequence.wire(SYN_AT + 1) {
            self.reply = segment.reset_reply();
            return;
        }
        if flags.contains(Flags::RST) {
            if acknowledges {
                self.end(CloseReason::Refused);
            }
            return;
        }
        if !flags.contains(Flags::SYN) {
            return;
        }
        self.agree(segment);
        self.rcv.synchronize(segment.seq);
        self.snd.window_seq = SYN_AT;
        if acknowledges {
            let accepted = flags.contains(Flags::ECE) && !flags.contains(Flags::CWR);
            self.agree_on_ecn(accepted);
            self.acknowledge_syn(now, segment);
            self.rcv.acks.now = true;
            self.establish(now);
        } else {
            // Both ends have opened the connection at the same time.
            self.agree_on_ecn(flags.contains(Flags::ECE | Flags::CWR));
            self.state = State::SynReceived;
            self.snd.syn_due = true;
        }
    }

    fn agree_on_ecn(&mut self, other: bool) {
        let on = other && self.negotiated.ecn == EcnState::Offered;
        self.negotiated.ecn = if on { EcnState::On } else { EcnState::Off };
    }

    /// Handles the acknowledgement of this end's SYN. A retransmitted SYN gives no sample of the
    /// round-trip time, except by its timestamp (RFC 6298 §3).
    pub(super) fn acknowledge_syn(&mut self, now: Time, segment: &Segment) {
        self.snd.una = SYN_AT + 1;
        self.snd.syn_due = false;
        self.snd.window_ack = self.snd.una;
        if let Some(packet) = self.snd.sent.pop_acknowledged(self.snd.una) {
            self.sample_syn(now, &packet, segment);
        }
        if self.recovery.timeouts > 0 {
            self.rtt.syn_was_lost();
        }
    }

    fn sample_syn(&mut self, now: Time, packet: &Sent, segment: &Segment) {
        let echo = segment.timestamps.map(|timestamps| timestamps.echo);
        let rtt = match echo {
            _ if !packet.ever_resent => now.since(packet.sent_at),
            Some(echo) if echo != 0 => self.since_echo(now, echo),
            _ => return,
        };
        self.rtt.sample(rtt, self.snd.una, self.snd.nxt);
        self.rtt.sample_least(now, rtt);
    }

    /// Enters ESTABLISHED: data may be sent in both directions.
    pub(super) fn establish(&mut self, now: Time) {
        self.state = State::Established;
        self.timers.retransmit = None;
        // After more than one lost SYN, the path counts as congested (RFC 5681 §3.1, loosened by
        // RFC 6928 §2).
        let congested = self.recovery.timeouts > 1;
        self.flow.cwnd = if congested { 1 } else { self.flow.initial_cwnd };
        self.recovery.timeouts = 0;
        self.recovery.silent_since = None;
        self.recovery.backoff = 0;
        self.recovery.first_resent = None;
        self.recovery.undo_from = None;
        self.snd.packets_sent = 0;
        self.tune_send_buffer();
        self.refresh_flow(now);
        self.update_pacing_rate();
        self.control.start(&mut self.flow);
        self.events.push(Event::Connected);
        self.events.push(Event::Writable);
    }
}
