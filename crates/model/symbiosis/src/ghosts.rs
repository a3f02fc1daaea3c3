//! Ghosts: the other traffic of a pipe in a period, which is repeated as virtual frames by the
//! method `cross_traffic`. Not here: the code that offers these frames to a pipe.

use netloom_link::{Emission, Stream};
use netloom_units::{Duration, Time};

/// Rate in frames per second above which frames are counted in bins.
const MOST_FRAMES: u64 = 50_000;

/// Length of a bin in ns.
const BIN: u64 = 1_000_000;

/// Unit in ns to which times are rounded.
const TICK: u64 = 1000;

/// The encoded arrivals of a period. They take about three bytes per frame, or two or more per
/// millisecond.
///
/// A frame is encoded as twice the time since the previous frame, in microseconds. If its length
/// differs from that of the previous frame, one is added, and the length follows. A bin is encoded
/// as the number of frames that arrived in it and, if there are any, the sum of their lengths.
/// Numbers are written in groups of 7 bits, the lowest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ghosts {
    code: Vec<u8>,
    are_binned: bool,
}

impl Ghosts {
    /// Encodes the `arrivals` of a `period`. Their times count from the beginning of the period,
    /// and must not decrease.
    pub fn new(arrivals: &[Emission], period: Duration) -> Self {
        let seconds = period.as_secs_f64();
        let are_binned = arrivals.len() as f64 > MOST_FRAMES as f64 * seconds;
        let code = if are_binned { binned(arrivals) } else { one_by_one(arrivals) };
        Self { code, are_binned }
    }

    /// Returns the length of the code in bytes.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether nothing arrived.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Decodes the arrivals, in order. Those of a bin are spread over it uniformly, by random
    /// numbers of `stream`, and their lengths differ by at most a byte.
    pub fn arrivals(&self, stream: &mut Stream) -> Vec<Emission> {
        let mut numbers = Numbers(self.code.iter());
        if self.are_binned { from_bins(&mut numbers, stream) } else { from_gaps(&mut numbers) }
    }
}

fn one_by_one(arrivals: &[Emission]) -> Vec<u8> {
    let mut code = Vec::with_capacity(3 * arrivals.len());
    let (mut tick, mut bytes) = (0, 0);
    for one in arrivals {
        let at = one.at.as_nanos() / TICK;
        let differs = one.bytes != bytes;
        push(&mut code, 2 * (at - tick) + u64::from(differs));
        if differs {
            push(&mut code, one.bytes.into());
        }
        (tick, bytes) = (at, one.bytes);
    }
    code
}

fn from_gaps(numbers: &mut Numbers<'_>) -> Vec<Emission> {
    let (mut all, mut tick, mut bytes) = (Vec::new(), 0, 0);
    while let Some(first) = numbers.next() {
        tick += first / 2;
        if first % 2 == 1 {
            // The code was written by `one_by_one`, so a length follows.
            bytes = numbers.next().unwrap_or(0) as u32;
        }
        all.push(Emission { at: Time::from_nanos(tick * TICK), bytes });
    }
    all
}

fn binned(arrivals: &[Emission]) -> Vec<u8> {
    let (mut code, mut bin) = (Vec::new(), 0);
    for group in arrivals.chunk_by(|a, b| bin_of(a) == bin_of(b)) {
        for _ in bin..bin_of(&group[0]) {
            push(&mut code, 0);
        }
        bin = bin_of(&group[0]) + 1;
        push(&mut code, group.len() as u64);
        push(&mut code, group.iter().map(|one| u64::from(one.bytes)).sum());
    }
    code
}

fn bin_of(one: &Emission) -> u64 {
    one.at.as_nanos() / BIN
}

fn from_bins(numbers: &mut Numbers<'_>, stream: &mut Stream) -> Vec<Emission> {
    let (mut all, mut begin) = (Vec::new(), 0);
    while let Some(count) = numbers.next() {
        if count > 0 {
            let bytes = numbers.next().unwrap_or(0);
            let mut times: Vec<u64> = (0..count).map(|_| begin + stream.below(BIN)).collect();
            times.sort_unstable();
            all.extend((0..).zip(times).map(|(number, at)| Emission {
                at: Time::from_nanos(at),
                bytes: (bytes / count + u64::from(number < bytes % count)) as u32,
            }));
        }
        begin += BIN;
    }
    all
}

/// Appends `number` in groups of 7 bits.
fn push(code: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        code.push(number as u8 | 0x80);
        number >>= 7;
    }
    code.push(number as u8);
}

/// The numbers in a code.
struct Numbers<'a>(std::slice::Iter<'a, u8>);

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        for byte in self.0.by_ref() {
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns `count` frames at random times within a second.
    fn random(count: u64, lengths: &[u32]) -> Vec<Emission> {
        let mut stream = Stream::new(3, "ghosts");
        let mut times: Vec<u64> = (0..count).map(|_| stream.below(1_000_000_000)).collect();
        times.sort_unstable();
        let mut length = || lengths[stream.below(lengths.len() as u64) as usize];
        times.iter().map(|at| Emission { at: Time::from_nanos(*at), bytes: length() }).collect()
    }

    fn decoded(ghosts: &Ghosts) -> Vec<Emission> {
        ghosts.arrivals(&mut Stream::new(4, "decoded"))
    }

    #[test]
    fn frames_come_back_to_the_microsecond() {
        for lengths in [&[1500][..], &[60, 590, 1514]] {
            let arrivals = random(5000, lengths);
            let back = decoded(&Ghosts::new(&arrivals, SECOND));
            assert_eq!(back.len(), arrivals.len());
            for (a, b) in arrivals.iter().zip(&back) {
                assert_eq!(a.bytes, b.bytes);
                assert_eq!(a.at.as_nanos() / 1000 * 1000, b.at.as_nanos());
            }
        }
    }

    #[test]
    fn a_frame_takes_three_bytes() {
        for count in [83, 833, 8333, 50_000] {
            let ghosts = Ghosts::new(&random(count, &[1500]), SECOND);
            assert!(ghosts.len() as u64 <= 3 * count + 2, "{count}: {}", ghosts.len());
        }
        let mixed = Ghosts::new(&random(8333, &[60, 590, 1514]), SECOND);
        assert!(mixed.len() <= 4 * 8333, "{}", mixed.len());
    }

    /// Above 50,000 frames per second, the counts and bytes of each millisecond are kept, and times
    /// within it are spread.
    #[test]
    fn many_frames_are_counted_in_bins() {
        let arrivals = random(80_001, &[60, 590, 1514]);
        let ghosts = Ghosts::new(&arrivals, SECOND);
        assert!(ghosts.len() < 5 * 1000, "{}", ghosts.len());
        let back = decoded(&ghosts);
        let sums = |all: &[Emission]| {
            let mut bins = vec![(0, 0); 1000];
            for one in all {
                let bin = &mut bins[bin_of(one) as usize];
                *bin = (bin.0 + 1, bin.1 + u64::from(one.bytes));
            }
            bins
        };
        assert_eq!(sums(&arrivals), sums(&back));
        assert!(back.is_sorted_by_key(|one| one.at));
        let offsets: f64 = back.iter().map(|one| (one.at.as_nanos() % BIN) as f64).sum();
        // The distribution is uniform: the mean of 80,000 times is within four deviations, 1020 ns
        // each, of half a bin.
        assert!((offsets / back.len() as f64 - 500_000.0).abs() < 4081.0);
    }

    #[test]
    fn empty_bins_take_their_time() {
        let at = |nanos| Emission { at: Time::from_nanos(nanos), bytes: 100 };
        let arrivals: Vec<_> = (0..60).map(|_| at(7_200_000)).collect();
        let ghosts = Ghosts::new(&arrivals, Duration::from_millis(1));
        assert!(decoded(&ghosts).iter().all(|one| bin_of(one) == 7));
    }

    #[test]
    fn nothing_is_coded_as_nothing() {
        let ghosts = Ghosts::new(&[], SECOND);
        assert!(ghosts.is_empty());
        assert_eq!(decoded(&ghosts), []);
    }
}
