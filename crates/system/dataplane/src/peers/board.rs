//! What the peers' clocks show, published by the thread that learns it, for workers to read without
//! a lock. Not here: how it is learnt.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use netloom_clock::Line;

/// A line for each peer.
#[derive(Debug)]
pub(crate) struct Board(Vec<Entry>);

/// A line, and a version before and after which its words belong together. The version is odd while
/// they are being written, and 0 before the first line.
#[derive(Debug, Default)]
struct Entry {
    version: AtomicU64,
    words: [AtomicU64; 5],
}

/// What a reader knows of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known {
    version: u64,
    line: Option<Line>,
}

impl Known {
    /// Returns the line, if there is one yet.
    #[inline]
    pub fn line(&self) -> Option<Line> {
        self.line
    }
}

impl Board {
    /// Creates a board without lines.
    pub fn new(peers: usize) -> Self {
        Self((0..peers).map(|_| Entry::default()).collect())
    }

    /// Publishes the line of a peer. Only one thread does.
    pub fn publish(&self, peer: usize, line: Line) {
        let Entry { version, words } = &self.0[peer];
        let before = version.load(Ordering::Relaxed);
        version.store(before + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        for (word, value) in words.iter().zip(to_words(line)) {
            word.store(value, Ordering::Relaxed);
        }
        version.store(before + 2, Ordering::Release);
    }

    /// Reads the line of a peer if it is new. A line that is being written stays as it was: its
    /// writer may not run for a while, and frames do not wait for it.
    #[inline]
    pub fn read(&self, peer: usize, known: &mut Known) {
        let Entry { version, words } = &self.0[peer];
        let before = version.load(Ordering::Acquire);
        if before == known.version || before % 2 == 1 {
            return;
        }
        let line = of_words(words.each_ref().map(|word| word.load(Ordering::Relaxed)));
        fence(Ordering::Acquire);
        if version.load(Ordering::Relaxed) == before {
            *known = Known { version: before, line: Some(line) };
        }
    }
}

fn to_words(line: Line) -> [u64; 5] {
    let Line { at, offset, bound, rate, growth } = line;
    [at.cast_unsigned(), offset.cast_unsigned(), bound, rate.to_bits(), growth.to_bits()]
}

fn of_words([at, offset, bound, rate, growth]: [u64; 5]) -> Line {
    let (rate, growth) = (f64::from_bits(rate), f64::from_bits(growth));
    Line { at: at.cast_signed(), offset: offset.cast_signed(), bound, rate, growth }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;

    fn line(number: u32) -> Line {
        let at = i64::from(number);
        let rate = f64::from(number);
        Line { at, offset: -at, bound: number.into(), rate, growth: -rate }
    }

    #[test]
    fn readers_see_whole_lines_in_order_while_they_change() {
        const LINES: u32 = 100_000;
        let (board, done) = (Board::new(2), AtomicBool::new(false));
        thread::scope(|scope| {
            let read = || {
                let (mut known, mut last) = (Known::default(), 0);
                while !done.load(Ordering::Acquire) {
                    board.read(1, &mut known);
                    let Some(seen) = known.line() else { continue };
                    assert_eq!(seen, line(seen.bound as u32));
                    assert!(seen.bound >= last);
                    last = seen.bound;
                }
                board.read(1, &mut known);
                assert_eq!(known.line(), Some(line(LINES)));
            };
            let readers = [scope.spawn(read), scope.spawn(read)];
            (1..=LINES).for_each(|number| board.publish(1, line(number)));
            done.store(true, Ordering::Release);
            readers.into_iter().for_each(|reader| reader.join().unwrap());
        });
        let mut other = Known::default();
        board.read(0, &mut other);
        assert_eq!(other.line(), None);
    }
}
