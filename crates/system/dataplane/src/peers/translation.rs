//! Times of frames from another machine, by this machine's clock. Not here: how its clock is known.

use netloom_clock::{Line, Reading};

/// Converts the times of one pipe's frames. What is known of the other clock changes with every
/// probe, by microseconds, and frames of a pipe may be closer than that. So a later frame is never
/// earlier than those before it, and a frame that comes behind later ones is converted as they
/// were.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    /// What converts times up to `latest` at the last change, and times behind it.
    pieces: Option<[Piece; 2]>,
    /// Their latest time so far.
    latest: i64,
}

/// A line, for times of theirs behind `from`, which are `floor` by our clock at least.
#[derive(Debug, Clone, Copy)]
struct Piece {
    line: Line,
    from: i64,
    floor: Reading,
}

impl Piece {
    #[inline]
    fn convert(&self, theirs: i64) -> Reading {
        let reading = self.line.to_ours(theirs);
        let behind = u64::try_from(self.floor.time.saturating_sub(reading.time)).unwrap_or(0);
        // If both lines were right, they are no further apart than their bounds: else the clock
        // has jumped.
        let has_jumped = behind > self.floor.bound.saturating_add(reading.bound);
        if behind == 0 || theirs <= self.from || has_jumped {
            return reading;
        }
        Reading { time: self.floor.time, bound: reading.bound + behind }
    }
}

impl Translation {
    /// Returns `theirs` by our clock. `newest` is what is known of their clock now.
    #[inline]
    pub fn convert(&mut self, theirs: i64, newest: Line) -> Reading {
        let [before, piece] = match self.pieces {
            Some(pieces) if pieces[1].line == newest => pieces,
            // Nothing was converted by the last piece yet.
            Some([before, piece]) if self.latest <= piece.from => {
                [before, Piece { line: newest, ..piece }]
            }
            Some([_, piece]) => {
                let (from, floor) = (self.latest, piece.convert(self.latest));
                [piece, Piece { line: newest, from, floor }]
            }
            None => {
                self.latest = theirs;
                let floor = Reading { time: i64::MIN, bound: 0 };
                [Piece { line: newest, from: i64::MIN, floor }; 2]
            }
        };
        self.pieces = Some([before, piece]);
        self.latest = self.latest.max(theirs);
        if theirs <= piece.from { before.convert(theirs) } else { piece.convert(theirs) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(at: i64, offset: i64, rate: f64) -> Line {
        Line { at, offset, bound: 20_000, rate, growth: 1e-6 }
    }

    #[test]
    fn a_clock_that_jumps_back_does_not_hold_frames_up() {
        let mut translation = Translation::default();
        let (before, after) = (line(0, 0, 0.0), line(0, 1_000_000_000, 0.0));
        assert_eq!(translation.convert(5_000_000_000, before).time, 5_000_000_000);
        assert_eq!(translation.convert(5_000_000_001, after).time, 4_000_000_001);
    }

    proptest! {
        /// Frames come in bursts, reordered within a burst, and the line changes between any two.
        #[test]
        fn the_order_of_a_pipe_stays_and_bounds_hold(
            bursts in prop::collection::vec(
                (prop::collection::vec(0i64..2000, 1..20), -5_000i64..5_000, -1e-5f64..1e-5),
                1..20,
            ),
        ) {
            let mut translation = Translation::default();
            let (mut base, mut latest) = (0, None::<(i64, i64)>);
            for (frames, shift, rate) in bursts {
                let newest = line(base, 7_000_000 + shift, rate);
                let mut seen = Vec::new();
                for frame in frames {
                    let theirs = base + 7_000_000 + frame;
                    let reading = translation.convert(theirs, newest);
                    // The line may be replaced by one that is 10 us away; both bounds are 20 us.
                    prop_assert!(newest.to_ours(theirs).time.abs_diff(reading.time) <= 10_100);
                    prop_assert!(reading.bound >= 20_000);
                    seen.push((theirs, reading.time));
                }
                seen.sort_unstable();
                prop_assert!(seen.windows(2).all(|pair| pair[0].1 <= pair[1].1));
                if let Some((theirs, ours)) = latest {
                    let later = seen.iter().filter(|(at, _)| *at > theirs);
                    prop_assert!(later.clone().all(|(_, at)| *at >= ours));
                }
                latest = latest.max(seen.last().copied());
                base += 1000;
            }
        }
    }
}
