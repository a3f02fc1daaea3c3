//! Slack: times and CPUs at which a worker had nothing to do but stayed awake. The machine counts
//! such a CPU as busy, although it has time left. The worker writes it, and the monitor's end reads
//! it.

use std::sync::atomic::{AtomicU64, Ordering};

use netloom_units::Time;

use super::counting::{SLOTS, slot_of};

/// Slack of a CPU on which a worker waited awake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slack {
    /// Number of the CPU.
    pub cpu: u32,
    /// First moment of waiting since the last report.
    pub first: Time,
    /// Last moment of waiting.
    pub last: Time,
}

/// Slack of one worker, by CPU.
#[derive(Debug)]
pub(crate) struct SlackTally(Box<[CpuSlack]>);

#[derive(Debug, Default)]
struct CpuSlack {
    last: AtomicU64,
    /// First moment in each slot of 10 ms. A slot without a moment contains an older one.
    firsts: [AtomicU64; SLOTS as usize],
}

impl SlackTally {
    pub fn new() -> Self {
        // Numbers of CPUs are below the number of configured CPUs.
        let cpus = nix::unistd::sysconf(nix::unistd::SysconfVar::_NPROCESSORS_CONF);
        let cpus = cpus.ok().flatten().and_then(|cpus| usize::try_from(cpus).ok()).unwrap_or(0);
        Self(std::iter::repeat_with(CpuSlack::default).take(cpus).collect())
    }

    /// Records that the calling worker has nothing to do at `now`.
    #[inline]
    pub fn note(&self, now: Time) {
        // SAFETY: the call has no arguments and no effect.
        let cpu = unsafe { libc::sched_getcpu() };
        let Some(cpu) = usize::try_from(cpu).ok().and_then(|cpu| self.0.get(cpu)) else { return };
        let first = &cpu.firsts[(slot_of(now) % SLOTS) as usize];
        if slot_of(Time::from_nanos(first.load(Ordering::Relaxed))) != slot_of(now) {
            first.store(now.as_nanos(), Ordering::Relaxed);
        }
        cpu.last.store(now.as_nanos(), Ordering::Relaxed);
    }

    /// Returns the slack after `since`.
    pub fn since(&self, since: Time) -> impl Iterator<Item = Slack> {
        let read = |time: &AtomicU64| Time::from_nanos(time.load(Ordering::Relaxed));
        (0..).zip(&self.0).filter_map(move |(cpu, slack)| {
            let last = read(&slack.last);
            // Moments between these two reads are reported again by the next call.
            let firsts = slack.firsts.iter().map(read).filter(|first| *first > since);
            (last > since).then(|| Slack {
                cpu,
                first: firsts.min().unwrap_or(last).min(last),
                last,
            })
        })
    }
}

/// Combines the slack of several workers, by CPU.
pub(super) fn merged(all: impl Iterator<Item = Slack>) -> Vec<Slack> {
    let mut merged = std::collections::BTreeMap::<u32, Slack>::new();
    for Slack { cpu, first, last } in all {
        let known = merged.entry(cpu).or_insert(Slack { cpu, first, last });
        (known.first, known.last) = (known.first.min(first), known.last.max(last));
    }
    merged.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_moment_since_a_look_are_reported() {
        let at = |micros: u64| Time::from_nanos(micros * 1000);
        let tally = SlackTally::new();
        assert_eq!(tally.since(Time::ZERO).count(), 0);
        // On one CPU, whichever it is.
        let noted = |times: &[u64]| times.iter().for_each(|time| tally.note(at(*time)));
        let merged_since = |since| {
            let all = merged(tally.since(since));
            (all.iter().map(|s| s.first).min(), all.iter().map(|s| s.last).max())
        };
        noted(&[15_000, 15_100, 27_000, 41_000]);
        assert_eq!(merged_since(Time::ZERO), (Some(at(15_000)), Some(at(41_000))));
        assert_eq!(merged_since(at(15_050)), (Some(at(27_000)), Some(at(41_000))));
        assert_eq!(merged_since(at(41_000)), (None, None));
        noted(&[41_500]);
        assert_eq!(merged_since(at(41_000)), (Some(at(41_500)), Some(at(41_500))));
    }
}
