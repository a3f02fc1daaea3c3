//! What the kernel says of this machine's clocks: how it steers them, and when datagrams came.

use netloom_clock::{Kernel, Steering};
use netloom_ports::monotonic;
use rustix::time::{ClockId, clock_gettime};

/// Returns how the kernel steers its clock now.
pub(crate) fn steering() -> Steering {
    let read = |modes: libc::c_uint| {
        // SAFETY: all zeros are a valid value.
        let mut state: libc::timex = unsafe { std::mem::zeroed() };
        state.modes = modes;
        // SAFETY: the kernel fills the value, which outlives the call. These modes set nothing.
        (unsafe { libc::adjtimex(&raw mut state) } >= 0).then_some(state)
    };
    // Every kernel lets everybody read; one that did not could not be allowed for.
    let Some(now) = read(0) else { return Steering::default() };
    let unit = if now.status & libc::STA_NANO == 0 { 1000 } else { 1 };
    let adjtime = read(libc::ADJ_OFFSET_SS_READ).map_or(0, |left| left.offset);
    let kernel = Kernel {
        frequency: now.freq,
        tick: now.tick,
        offset: now.offset * unit,
        constant: now.constant,
        adjtime,
    };
    kernel.steering()
}

/// By how much the time since 1970, which the kernel stamps datagrams with, is ahead of the
/// monotonic clock. The two go alike, unless somebody sets the time.
#[derive(Debug, Default)]
pub(crate) struct Since1970 {
    kept: Option<Ahead>,
    now: Option<Ahead>,
}

/// A range, in ns.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    least: i128,
    most: i128,
}

impl Ahead {
    fn look() -> Self {
        let before = monotonic();
        let time = clock_gettime(ClockId::Realtime);
        let after = monotonic();
        let real = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
        Self { least: real - i128::from(after), most: real - i128::from(before) }
    }
}

impl Since1970 {
    /// Looks at both clocks, for datagrams that come from now on.
    pub fn kept() -> Self {
        let now = Some(Ahead::look());
        Self { kept: now, now }
    }

    /// Looks at both clocks.
    pub fn look(&mut self) {
        self.now = Some(Ahead::look());
    }

    /// Keeps what was last looked at, for datagrams that come from then on.
    pub fn keep(&mut self) {
        self.kept = self.now;
    }

    /// Returns the monotonic time at which a datagram came that has this stamp: not before it did,
    /// and not after now. Without a stamp, or if the time was set since what was
    /// [kept](Self::keep), that is now.
    pub fn on_machine(&self, unix_ns: Option<u64>) -> u64 {
        self.stamped(unix_ns).unwrap_or_else(monotonic)
    }

    /// The same, or nothing where the stamp does not tell.
    pub fn stamped(&self, unix_ns: Option<u64>) -> Option<u64> {
        let (ahead, now) = (Ahead::look(), monotonic());
        let (stamp, kept) = unix_ns.zip(self.kept)?;
        let is_same = kept.least <= ahead.most && ahead.least <= kept.most;
        let came = u64::try_from(i128::from(stamp) - ahead.least.max(kept.least)).ok()?;
        (is_same && came <= now).then_some(came)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unix_now() -> u64 {
        let time = clock_gettime(ClockId::Realtime);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    #[test]
    fn a_stamp_is_not_before_the_datagram_and_not_after_now() {
        let mut clock = Since1970::default();
        clock.look();
        clock.keep();
        for _ in 0..1000 {
            let (before, stamp, now) = (monotonic(), unix_now(), monotonic());
            let came = clock.on_machine(Some(stamp));
            assert!(came >= before, "{came} {before} {now}");
            assert!(came <= monotonic());
        }
        assert!(clock.on_machine(None) <= monotonic());
    }

    #[test]
    fn a_stamp_of_a_time_that_was_set_does_not_count() {
        let hour = 3_600_000_000_000;
        let ahead = Ahead::look();
        let set = Ahead { least: ahead.least + hour, most: ahead.most + hour };
        let clock = Since1970 { kept: Some(set), now: None };
        let before = monotonic();
        assert!(clock.on_machine(Some(unix_now())) >= before);
        assert!(clock.on_machine(Some(unix_now() - 3_600_000_000_000)) >= before);
    }

    #[test]
    fn the_kernel_says_how_it_steers() {
        // chrony sets 83,333 ppm at most.
        assert!(steering().rate.abs() <= 100_000_000);
    }
}
