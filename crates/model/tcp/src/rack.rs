//! RACK: a packet is lost when one that was sent sufficiently later has been delivered (RFC 8985
//! §6). Not here: the reaction to losses.

use netloom_units::{Duration, Time};

use crate::sent::{PacketId, Sent, SentQueue};

/// Number of recoveries for which a widened reordering window lasts (§6.2, step 4).
const PERSISTENCE: u8 = 16;

/// The conditions that determine the reordering window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    /// The degree of reordering, in packets: the duplicate threshold.
    pub reordering: u32,
    /// Whether losses are already being repaired.
    pub recovering: bool,
    pub least_rtt: Duration,
    pub srtt: Duration,
}

/// RACK's variables (§5.3).
#[derive(Debug)]
pub(crate) struct Rack {
    /// Number of the latest transmission that was delivered, and its round-trip time (RACK.rtt).
    /// The number stands for RACK.xmit_ts and RACK.end_seq: it orders packets as RACK_sent_after
    /// does (§5.2).
    order: u64,
    rtt: Duration,
    /// RACK.reordering_seen.
    pub reordering_seen: bool,
    /// The reordering window in quarters of the least round-trip time (RACK.reo_wnd_mult).
    quarters: u32,
    /// RACK.reo_wnd_persist.
    persist: u8,
    /// End of the round in which a DSACK widened the window (RACK.dsack_round).
    dsack_round: Option<u64>,
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
        }
    }
}

impl Rack {
    /// Records that `packet` is delivered (§6.2, steps 1 and 2).
    pub fn deliver(&mut self, packet: &Sent, now: Time, echo: Option<u32>, least: Duration) {
        let rtt = now.since(packet.sent_at);
        if packet.ever_resent {
            // Find out which transmission arrived. It was not the latest one if the echoed
            // timestamp is older than it, or if the answer came too soon after it.
            let sent_ms = (packet.sent_at.as_nanos() / 1_000_000) as u32;
            let before = echo.is_some_and(|echo| (echo.wrapping_sub(sent_ms) as i32) < 0);
            if before || rtt < least {
                return;
            }
        }
        self.rtt = rtt;
        if packet.order > self.order {
            self.order = packet.order;
        }
    }

    /// Handles a duplicate that the other end reported: RACK waits longer for packets that may be
    /// reordered (§6.2, step 4).
    pub fn see_duplicate(&mut self, una: u64, nxt: u64) {
        if self.dsack_round.is_none_or(|end| una >= end) {
            self.dsack_round = Some(nxt);
            self.quarters = self.quarters.saturating_add(1);
            self.persist = PERSISTENCE;
        }
    }

    /// Handles the end of a recovery (§6.2, step 4).
    pub fn recovery_ended(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// RACK_update_reo_wnd (§6.2, step 4).
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

    /// Marks packets lost (RACK_detect_loss, §6.2, step 5). Returns their number. Also returns the
    /// time at which the last of the other packets sent before the delivered one will be lost, if
    /// no acknowledgement arrives.
    pub fn detect(
        &mut self,
        queue: &mut SentQueue,
        now: Time,
        conditions: Conditions,
    ) -> (u32, Option<Time>) {
        let window = self.window(queue, conditions);
        let mut lost = 0;
        let mut last: Option<Time> = None;
        while let Some((id, packet)) = queue.first_original() {
            match self.verdict(&packet, now, window) {
                Verdict::Lost => lost += u32::from(queue.mark_lost(id)),
                Verdict::Wait => {
                    let waiting = queue.originals_from(id);
                    let waiting = waiting.take_while(|packet| packet.order < self.order);
                    last = waiting.last().map(|packet| packet.sent_at + self.rtt + window);
                    break;
                }
                Verdict::Later => break,
            }
        }
        while let Some((id, packet)) = queue.first_resend() {
            match self.verdict(&packet, now, window) {
                Verdict::Lost => lost += u32::from(queue.mark_lost(id)),
                Verdict::Wait => {
                    let waiting = queue.resends().filter(|packet| packet.order < self.order);
                    let until = waiting.last().map(|packet| packet.sent_at + self.rtt + window);
                    last = last.max(until);
                    break;
                }
                Verdict::Later => break,
            }
        }
        (lost, last)
    }

    fn verdict(&self, packet: &Sent, now: Time, window: Duration) -> Verdict {
        if packet.order >= self.order {
            return Verdict::Later;
        }
        let until = packet.sent_at + self.rtt + window;
        if until <= now { Verdict::Lost } else { Verdict::Wait }
    }

    /// Whether the timeout of the first packet proves that `packet` is lost, too (§6.3).
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
    /// The packet is lost unless it is acknowledged within the reordering window.
    Wait,
    /// The packet was sent after the delivered one, so nothing can be concluded.
    Later,
}

/// Marks the first packet lost, and those that RACK deems lost at a timeout (§6.3). Returns their
/// number.
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
