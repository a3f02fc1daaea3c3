//! RACK: a packet is lost when one that was sent sufficiently later has been delivered (RFC 8985
//! §6). Not here: what is done about it.

use netloom_units::{Duration, Time};

use crate::sent::{PacketId, Sent, SentQueue};

/// Recoveries for which a widened reordering window lasts (§6.2, step 4).
const PERSISTENCE: u8 = 16;

/// What makes the reordering window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    /// The degree of reordering, in packets: the duplicate threshold.
    pub reordering: u32,
    /// Losses are already being repaired.
    pub recovering: bool,
    pub least_rtt: Duration,
    pub srtt: Duration,
}

/// RACK's variables (§5.3).
#[derive(Debug)]
pub(crate) struct Rack {
    /// Which transmission the delivered packet was that was sent last, and its round trip.
    order: u64,
    rtt: Duration,
    pub reordering_seen: bool,
    /// The reordering window in quarters of the least round-trip time.
    quarters: u32,
    persist: u8,
    /// The round in which a DSACK widened the window ends here.
    dsack_round: Option<u64>,
    /// A newly delivered packet was sent later than all before.
    advanced: bool,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            order: 0,
            rtt: Duration::ZERO,
            reordering_seen: false,
            quarters: 1,
            persist: 0,
            dsack_round: None,
            advanced: false,
        }
    }
}

impl Rack {
    /// `packet` is delivered (§6.2, steps 1 and 2).
    pub fn deliver(&mut self, packet: &Sent, now: Time, echo: Option<u32>, least: Duration) {
        let rtt = now.since(packet.sent_at);
        if packet.ever_resent {
            // Which of its transmissions arrived?
            let sent_ms = (packet.sent_at.as_nanos() / 1_000_000) as u32;
            let before = echo.is_some_and(|echo| (echo.wrapping_sub(sent_ms) as i32) < 0);
            if before || rtt < least {
                return;
            }
        }
        self.rtt = rtt;
        if packet.order > self.order {
            self.order = packet.order;
            self.advanced = true;
        }
    }

    /// The other end reported a duplicate: wait longer for what may be reordered (§6.2, step 4).
    pub fn see_duplicate(&mut self, una: u64, nxt: u64) {
        if self.dsack_round.is_none_or(|end| una >= end) {
            self.dsack_round = Some(nxt);
            self.quarters = (self.quarters + 1).min(255);
            self.persist = PERSISTENCE;
        }
    }

    /// A recovery ended.
    pub fn recovery_ended(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    fn window(&self, queue: &SentQueue, conditions: Conditions) -> Duration {
        if !self.reordering_seen
            && (conditions.recovering || queue.sacked() >= conditions.reordering)
        {
            return Duration::ZERO;
        }
        let quarters = u64::from(self.quarters);
        let window = conditions.least_rtt.as_nanos() * quarters / 4;
        Duration::from_nanos(window.min(conditions.srtt.as_nanos()))
    }

    /// Marks packets lost (§6.2, step 5); how many, and when the next one will be, if no
    /// acknowledgement comes. Does nothing unless something was delivered since, or `timer` asks.
    pub fn detect(
        &mut self,
        queue: &mut SentQueue,
        now: Time,
        conditions: Conditions,
        timer: bool,
    ) -> (u32, Option<Time>) {
        if !self.advanced && !timer {
            return (0, None);
        }
        self.advanced = false;
        let window = self.window(queue, conditions);
        let mut lost = 0;
        let mut next: Option<Time> = None;
        while let Some((id, packet)) = queue.first_original() {
            match self.verdict(&packet, now, window) {
                Verdict::Lost => lost += u32::from(queue.mark_lost(id)),
                Verdict::Wait(until) => {
                    next = Some(until);
                    break;
                }
                Verdict::Later => break,
            }
        }
        while let Some((id, packet)) = queue.first_resend() {
            match self.verdict(&packet, now, window) {
                Verdict::Lost => lost += u32::from(queue.mark_lost(id)),
                Verdict::Wait(until) => {
                    next = Some(next.map_or(until, |next| next.min(until)));
                    break;
                }
                Verdict::Later => break,
            }
        }
        (lost, next)
    }

    fn verdict(&self, packet: &Sent, now: Time, window: Duration) -> Verdict {
        if packet.order >= self.order {
            return Verdict::Later;
        }
        let until = packet.sent_at + self.rtt + window;
        if until <= now { Verdict::Lost } else { Verdict::Wait(until) }
    }

    /// Whether the timeout of the first packet proves `packet` lost, too (§6.3).
    pub fn lost_at_timeout(
        &self,
        packet: &Sent,
        now: Time,
        queue: &SentQueue,
        conditions: Conditions,
    ) -> bool {
        packet.sent_at + self.rtt + self.window(queue, conditions) <= now
    }
}

enum Verdict {
    Lost,
    Wait(Time),
    /// Sent after what was delivered: nothing is known of it.
    Later,
}

/// The first packet, and those that RACK deems lost at a timeout.
pub(crate) fn mark_at_timeout(
    rack: &Rack,
    queue: &mut SentQueue,
    now: Time,
    conditions: Conditions,
) -> u32 {
    let first = queue.first_id();
    let lost: Vec<PacketId> = queue
        .iter()
        .filter(|(_, packet)| !packet.sacked)
        .filter(|(id, packet)| *id == first || rack.lost_at_timeout(packet, now, queue, conditions))
        .map(|(id, _)| id)
        .collect();
    lost.into_iter().map(|id| u32::from(queue.mark_lost(id))).sum()
}
