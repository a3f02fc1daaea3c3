//! The datagrams of a path that have come. Each is taken once, in any order, unless it comes so
//! late that this is not remembered (RFC 4303, section 3.4.3).

/// Number of datagrams, counted back from the latest one, that are told from replayed ones.
pub const REPLAY_WINDOW: u64 = 1024;

const WORDS: usize = (REPLAY_WINDOW / 64) as usize;

/// The window of one path.
#[derive(Debug, Default)]
pub(crate) struct ReplayWindow {
    /// The greatest sequence taken so far, plus 1.
    next: u64,
    /// A bit for each sequence of the window, at its remainder.
    taken: [u64; WORDS],
}

/// Whether a datagram can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    New,
    Replayed,
    TooOld,
}

impl ReplayWindow {
    #[inline]
    pub fn check(&self, sequence: u64) -> Freshness {
        if sequence >= self.next {
            Freshness::New
        } else if self.next - sequence > REPLAY_WINDOW {
            Freshness::TooOld
        } else if self.taken[word(sequence)] & bit(sequence) != 0 {
            Freshness::Replayed
        } else {
            Freshness::New
        }
    }

    /// Takes a datagram that is new. The last sequence of all cannot be taken.
    #[inline]
    pub fn take(&mut self, sequence: u64) {
        if sequence >= self.next {
            let ahead = sequence - self.next;
            if ahead >= REPLAY_WINDOW {
                self.taken = [0; WORDS];
            } else {
                (self.next..=sequence).for_each(|later| self.taken[word(later)] &= !bit(later));
            }
            self.next = sequence.saturating_add(1);
        }
        self.taken[word(sequence)] |= bit(sequence);
    }
}

fn word(sequence: u64) -> usize {
    (sequence / 64) as usize % WORDS
}

fn bit(sequence: u64) -> u64 {
    1 << (sequence % 64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_sequence_is_taken_once(steps in prop::collection::vec(0u64..3000, 1..400)) {
            let mut window = ReplayWindow::default();
            let mut taken = BTreeSet::new();
            // Sequences that go up and down.
            let sequences = steps.iter().enumerate().map(|(at, step)| at as u64 * 9 + step);
            for sequence in sequences {
                let last = taken.last().copied();
                let expected = match last {
                    Some(last) if sequence + REPLAY_WINDOW <= last => Freshness::TooOld,
                    _ if taken.contains(&sequence) => Freshness::Replayed,
                    _ => Freshness::New,
                };
                prop_assert_eq!(window.check(sequence), expected);
                if expected == Freshness::New {
                    window.take(sequence);
                    taken.insert(sequence);
                }
            }
        }
    }

    #[test]
    fn the_last_sequences_of_all_do_no_harm() {
        let mut window = ReplayWindow::default();
        for sequence in [u64::MAX - 2, u64::MAX - 1] {
            assert_eq!(window.check(sequence), Freshness::New);
            window.take(sequence);
            assert_eq!(window.check(sequence), Freshness::Replayed);
        }
        window.take(u64::MAX);
        assert_eq!(window.check(0), Freshness::TooOld);
    }
}
