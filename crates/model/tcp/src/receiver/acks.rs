//! Decides when acknowledgements are sent. They are delayed (RFC 9293 §3.8.6.3) by 40 to 200 ms,
//! according to an estimate of the gaps between segments. They are sent at once at the start
//! ("quick acknowledgements", Sarolahti and Kuznetsov 2002 §3.4) and for gaps in the sequence, and
//! are compressed when many gaps arrive at once (`tcp_comp_sack_*`). Not here: the contents of
//! acknowledgements.

use netloom_units::{Duration, Time};

use crate::config::Config;
use crate::ticks::Ticks;

/// The shortest and the longest delay. RFC 9293 §3.8.6.3 only asks for less than 500 ms. These
/// values are still to be recorded (docs/tcp.md).
pub(crate) const DELAY_MIN: Duration = Duration::from_millis(40);
pub(crate) const DELAY_MAX: Duration = Duration::from_millis(200);
/// Largest number of immediate acknowledgements at the start. Still to be recorded (docs/tcp.md).
const QUICK_MOST: u32 = 16;
/// Number of duplicate acknowledgements that are sent before compression begins: three make the
/// other end repair a loss (RFC 5681 §3.2). Still to be recorded (docs/tcp.md).
const UNCOMPRESSED: u32 = 3;

/// Assumed segment size of the other end before it has sent any (RFC 9293 §3.7.1).
const FIRST_SEGMENT: u32 = 536;

/// The state of acknowledging.
#[derive(Debug)]
pub(crate) struct AckPolicy {
    /// Whether an acknowledgement must be sent now.
    pub now: bool,
    /// Time at which the delayed acknowledgement is due.
    pub delayed: Option<Time>,
    /// Time at which the compressed acknowledgement is due.
    pub compressed: Option<Time>,
    /// Number of acknowledgements that the compressed one replaces.
    held: u32,
    /// Number of duplicates sent for the current gap, and the position at which that gap begins.
    duplicates: u32,
    gap_at: u64,
    /// Estimated time between segments. Zero before the first.
    gap: Duration,
    /// Number of acknowledgements that will still be sent at once.
    quick: u32,
    /// Whether the connection answers what it receives, so that the answer carries the
    /// acknowledgement.
    pub interactive: bool,
    received_at: Time,
    /// Largest payload of a segment so far, which is taken as the other end's segment size.
    pub segment: u32,
    /// Number of segments since the latest acknowledgement that end a write of the other
    /// application, which may then wait for an answer.
    pushed: u8,
}

impl Default for AckPolicy {
    fn default() -> Self {
        Self {
            now: false,
            delayed: None,
            compressed: None,
            held: 0,
            duplicates: 0,
            gap_at: 0,
            gap: Duration::ZERO,
            quick: 0,
            interactive: false,
            received_at: Time::ZERO,
            segment: FIRST_SEGMENT,
            pushed: 0,
        }
    }
}

impl AckPolicy {
    /// Records that packets with `packet` bytes of payload arrived. `pushed` is whether PSH is set,
    /// `window` the size of the open window.
    pub fn received(&mut self, now: Time, packet: u32, pushed: bool, window: u32, rto: Duration) {
        if pushed || packet < self.segment {
            self.pushed = self.pushed.saturating_add(1);
        }
        self.segment = self.segment.max(packet);
        let since = now.since(self.received_at);
        self.received_at = now;
        if self.gap == Duration::ZERO {
            self.be_quick(window);
            self.gap = DELAY_MIN;
            return;
        }
        let half = Duration::from_nanos(self.gap.as_nanos() / 2);
        let least = Duration::from_nanos(DELAY_MIN.as_nanos() / 2);
        if since <= least {
            self.gap = half + least;
        } else if since < self.gap {
            self.gap = (half + since).min(rto);
        } else if since > rto {
            // The other end has restarted and needs acknowledgements to grow its window.
            self.be_quick(window);
        }
    }

    /// Makes the next acknowledgements immediate: as many as half the window has segments.
    fn be_quick(&mut self, window: u32) {
        let segments = window / (2 * self.segment.max(1));
        let segments = if segments == 0 { 2 } else { segments };
        self.quick = self.quick.max(segments.min(QUICK_MOST));
    }

    /// Makes acknowledgements immediate for a while, after data has arrived twice.
    pub fn be_alert(&mut self, window: u32) {
        self.be_quick(window);
        self.interactive = false;
        self.gap = DELAY_MIN;
    }

    /// Handles in-order payload, with `unacknowledged` bytes since the last acknowledgement.
    pub fn in_order(&mut self, now: Time, unacknowledged: u64, ticks: Ticks, srtt: Duration) {
        let full = unacknowledged > u64::from(self.segment);
        let quick = self.quick > 0 && !self.interactive;
        if full || quick {
            self.now = true;
        } else if self.delayed.is_none() {
            self.delayed = Some(ticks.expiry(now, self.delay(srtt)));
        }
    }

    fn delay(&self, srtt: Duration) -> Duration {
        if self.gap <= DELAY_MIN {
            return self.gap;
        }
        let bound = if self.interactive { DELAY_MAX } else { Duration::from_millis(500) };
        let bound = if srtt > Duration::ZERO { bound.min(srtt.max(DELAY_MIN)) } else { bound };
        self.gap.min(bound).min(DELAY_MAX)
    }

    /// Handles that the application has read everything. A delayed acknowledgement is then sent at
    /// once if the other end may wait for it and this end is not about to answer.
    pub fn drained(&mut self) {
        let waits = self.pushed > 1 || (self.pushed == 1 && !self.interactive);
        self.now |= self.delayed.is_some() && waits;
    }

    /// Handles a segment that leaves the gap at `next` open.
    pub fn out_of_order(&mut self, now: Time, next: u64, config: &Config, rtt: Duration) {
        if !config.sack || config.comp_sack_segments == 0 {
            self.now = true;
            return;
        }
        if self.gap_at != next {
            self.gap_at = next;
            self.duplicates = 0;
        }
        if self.duplicates < UNCOMPRESSED {
            self.duplicates += 1;
            self.now = true;
            return;
        }
        self.held += 1;
        if self.held >= config.comp_sack_segments {
            self.now = true;
        } else if self.compressed.is_none() {
            // "A timer based on 5% of SRTT, capped by this sysctl" (`tcp_comp_sack_delay_ns` of
            // ip-sysctl).
            let part = Duration::from_nanos(rtt.as_nanos() / 20);
            let delay = config.comp_sack_delay.min(part) + config.comp_sack_slack;
            self.compressed = Some(now + delay);
        }
    }

    /// Whether the compressed acknowledgement is due at `now`. If so, it is sent.
    pub fn compression_is_over(&mut self, now: Time) -> bool {
        let over = self.compressed.is_some_and(|due| due <= now);
        self.now |= over;
        over
    }

    /// Whether the delayed acknowledgement is due. If so, it is sent, and the estimate is raised
    /// because it was too short.
    pub fn delay_is_over(&mut self, now: Time, rto: Duration) -> bool {
        if self.delayed.is_none_or(|due| due > now) {
            return false;
        }
        self.delayed = None;
        if self.interactive {
            self.interactive = false;
            self.gap = DELAY_MIN;
        } else {
            self.gap = (self.gap + self.gap).min(rto);
        }
        self.now = true;
        true
    }

    /// Records that payload is sent. If it answers what was received, the connection is
    /// interactive.
    pub fn sending_data(&mut self, now: Time) {
        if now.since(self.received_at) < self.gap {
            self.interactive = true;
        }
    }

    /// Records that an acknowledgement is sent, alone or with payload.
    pub fn sent(&mut self) {
        self.now = false;
        self.delayed = None;
        self.compressed = None;
        self.held = 0;
        self.pushed = 0;
        self.quick = self.quick.saturating_sub(1);
    }

    /// Whether an acknowledgement is pending, now or later.
    pub fn owed(&self) -> bool {
        self.now || self.delayed.is_some() || self.compressed.is_some()
    }
}
