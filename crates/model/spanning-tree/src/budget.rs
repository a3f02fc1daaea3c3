//! The rate limit of the BPDUs that a port sends (§17.26). Not here: the BPDUs (`transmission`).

use netloom_units::{Duration, Time};

/// TxHoldCount: number of BPDUs that a port may send per second (table 17-1).
const HOLD_COUNT: u8 = 6;

/// Time after which one BPDU of the count is forgotten.
const DRAIN: Duration = Duration::from_secs(1);

/// Counts the BPDUs that a port has sent recently (txCount). One of them is forgotten each second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budget {
    count: u8,
    drains: Time,
}

impl Budget {
    /// Counts a BPDU, if the limit allows it. Returns whether it does.
    pub(crate) fn take(&mut self, now: Time) -> bool {
        while self.count > 0 && self.drains <= now {
            self.count -= 1;
            self.drains += DRAIN;
        }
        if self.count == 0 {
            self.drains = now + DRAIN;
        }
        let left = self.count < HOLD_COUNT;
        self.count += u8::from(left);
        left
    }

    /// Time at which one BPDU of the count is forgotten.
    pub(crate) fn drains(&self) -> Time {
        self.drains
    }
}
