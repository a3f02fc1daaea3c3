//! The CPU time of another thread of this process.

use netloom_units::Duration;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::gettid;

/// Clock of a thread's CPU time, like that of `pthread_getcpuclockid(3)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadClock(ClockId);

/// Bits of a clock's number: exact time of the scheduler (2), of one thread (4).
const SCHEDULED_OF_THREAD: libc::clockid_t = 2 | 4;

impl ThreadClock {
    /// Returns the clock of the calling thread.
    pub fn of_this_thread() -> Self {
        Self(ClockId::from_raw((!gettid().as_raw() << 3) | SCHEDULED_OF_THREAD))
    }

    /// Returns the CPU time of the thread, or `None` if it has ended.
    pub fn read(self) -> Option<Duration> {
        let time = clock_gettime(self.0).ok()?;
        let (seconds, nanos) = (time.tv_sec().unsigned_abs(), time.tv_nsec().unsigned_abs());
        Some(Duration::from_nanos(seconds * 1_000_000_000 + nanos))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn the_time_of_another_thread_is_read_until_it_ends() {
        let ((hand_over, clocks), (release, released)) = (channel(), channel::<()>());
        let thread = thread::spawn(move || {
            let own = ThreadClock::of_this_thread();
            while own.read().unwrap() < Duration::from_millis(20) {}
            hand_over.send(own).unwrap();
            released.recv().unwrap();
        });
        let clock = clocks.recv().unwrap();
        assert!(clock.read().unwrap() >= Duration::from_millis(20));
        release.send(()).unwrap();
        thread.join().unwrap();
        // The kernel releases a thread shortly after others can detect that it has ended.
        while clock.read().is_some() {
            thread::yield_now();
        }
    }
}
