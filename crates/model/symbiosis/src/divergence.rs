//! Compares real flows with their twins: whether the small network treats the frames of real
//! programs as the large one treats their twins. Not here: the counting.

use std::collections::VecDeque;
use std::ops::AddAssign;

use netloom_units::Duration;

/// Number of periods that are compared.
const PERIODS: usize = 10;

/// Smallest number of frames in these periods for a comparison.
const ENOUGH: u64 = 50;

/// The frames that a receiver has received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Received {
    /// Number of frames.
    pub frames: u64,
    /// Bytes of their IP packets.
    pub bytes: u64,
    /// The delay from the sender, summed over all frames.
    pub delay: Duration,
}

impl Received {
    /// Adds a frame.
    pub fn add(&mut self, bytes: u32, delay: Duration) {
        *self += Self { frames: 1, bytes: u64::from(bytes), delay };
    }

    /// Returns the mean delay in seconds, or 0 if no frame arrived.
    pub fn mean_delay(&self) -> f64 {
        self.delay.as_secs_f64() / self.frames.max(1) as f64
    }
}

impl AddAssign for Received {
    fn add_assign(&mut self, other: Self) {
        self.frames += other.frames;
        self.bytes += other.bytes;
        self.delay += other.delay;
    }
}

/// Compares a real flow with its twin, period after period.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The frames of the real flow and of its twin that arrived in each of the last periods.
    recent: VecDeque<[Received; 2]>,
}

/// The difference between a real flow and its twin over the last periods, relative to the twin.
/// `None` if too little arrived to compare.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Difference {
    /// The difference of mean delays.
    pub delay: Option<f64>,
    /// The difference of bytes received. 1 if nothing of the twin arrived.
    pub throughput: Option<f64>,
}

impl Comparison {
    /// Adds a period. Returns the difference over the last ten periods, once there are ten.
    pub fn add(&mut self, real: Received, twin: Received) -> Difference {
        self.recent.push_back([real, twin]);
        if self.recent.len() > PERIODS {
            self.recent.pop_front();
        }
        if self.recent.len() < PERIODS {
            return Difference::default();
        }
        let mut sums = [Received::default(); 2];
        for period in &self.recent {
            sums.iter_mut().zip(period).for_each(|(sum, one)| *sum += *one);
        }
        let [real, twin] = sums;
        let enough = |received: &Received| received.frames >= ENOUGH;
        let delay =
            (enough(&real) && enough(&twin)).then(|| differs(real.mean_delay(), twin.mean_delay()));
        let throughput =
            (enough(&real) || enough(&twin)).then(|| differs(real.bytes as f64, twin.bytes as f64));
        Difference { delay, throughput }
    }
}

fn differs(real: f64, twin: f64) -> f64 {
    if twin > 0.0 { (real / twin - 1.0).abs() } else { f64::from(u8::from(real > 0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(frames: u64, millis: u64) -> Received {
        let delay = Duration::from_millis(millis * frames);
        Received { frames, bytes: 100 * frames, delay }
    }

    /// Returns the result after the last of `periods` equal periods.
    fn after(periods: usize, real: Received, twin: Received) -> Difference {
        let mut comparison = Comparison::default();
        (0..periods).map(|_| comparison.add(real, twin)).last().unwrap_or_default()
    }

    fn near(difference: Option<f64>, share: f64) -> bool {
        difference.is_some_and(|one| (one - share).abs() < 1e-12)
    }

    #[test]
    fn ten_periods_are_compared_and_no_less() {
        let (real, twin) = (received(9, 24), received(10, 20));
        assert_eq!(after(9, real, twin), Difference::default());
        let ten = after(10, real, twin);
        assert!(near(ten.delay, 0.2) && near(ten.throughput, 0.1), "{ten:?}");
    }

    /// Computed by hand: nine periods of 10 frames, and one of 30 in place of 10.
    #[test]
    fn old_periods_are_forgotten() {
        let mut comparison = Comparison::default();
        let same = received(10, 20);
        comparison.add(received(30, 20), same);
        let all = (1..10).map(|_| comparison.add(same, same)).last();
        assert!(near(all.and_then(|one| one.throughput), 0.2), "{all:?}");
        assert!(near(comparison.add(same, same).throughput, 0.0));
    }

    #[test]
    fn few_frames_are_not_compared() {
        assert_eq!(after(10, received(4, 1), received(4, 2)), Difference::default());
        let one_sided = after(10, received(5, 1), received(0, 0));
        assert_eq!(one_sided, Difference { delay: None, throughput: Some(1.0) });
        let lost = after(10, received(0, 0), received(5, 1));
        assert_eq!(lost, Difference { delay: None, throughput: Some(1.0) });
    }
}
