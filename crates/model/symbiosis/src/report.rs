//! Reports of what a pipe of the simulated network did in a period. Not here: what follows from
//! them (`calibration`).

use netloom_link::{FrameInfo, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

/// A pipe's treatment of twins in a period. Twins are the frames that stand for those of real
/// programs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PipeReport {
    /// Number of frames that arrived.
    pub offered: u32,
    /// Numbers of the frames that were lost, for whatever reason, in ascending order. The first
    /// frame that arrived in the period has the number 0.
    pub lost: Vec<u32>,
    /// Number of frames that left, whenever they had arrived.
    pub left: u32,
    /// Number of frames whose time in the queue and on the line is known.
    pub served: u32,
    /// Sum of these times.
    pub time: Duration,
    /// Total time for which the other frames that the pipe took keep the line busy. Zero if they
    /// are not counted.
    pub others: Duration,
    /// W₁(t): backlog at the end of the period, as time.
    pub unfinished: Duration,
    /// Mean of the backlog over the period, as time.
    pub mean_unfinished: Duration,
    /// Time that a full frame takes on the line.
    pub transmission: Duration,
    /// Whether the pipe was down at the end of the period.
    pub is_down: bool,
}

/// Counts what a pipe does to frames of twins, period after period.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    period: PipeReport,
    /// Samples of the backlog: their number and their sum.
    samples: (u64, Duration),
}

impl Meter {
    /// Counts a frame that arrived. Returns its number in the period.
    pub fn offered(&mut self) -> u32 {
        self.period.offered += 1;
        self.period.offered - 1
    }

    /// Records the time that a frame spends in the queue and on the line. If frames keep their
    /// order, it is known when the frame arrives: it is
    /// [`Pipe::unfinished`](netloom_link::Pipe::unfinished) behind the frame.
    pub fn served(&mut self, time: Duration) {
        self.period.served += 1;
        self.period.time += time;
    }

    /// Records a loss: of the frame that arrived last, or of one that arrived earlier and is lost
    /// now.
    pub fn lost(&mut self) {
        self.period.lost.push(self.period.offered.saturating_sub(1));
    }

    /// Counts a frame that left.
    pub fn left(&mut self) {
        self.period.left += 1;
    }

    /// Records the backlog, at one of the times that divide the period evenly.
    pub fn sampled(&mut self, unfinished: Duration) {
        self.samples.0 += 1;
        self.samples.1 += unfinished;
    }

    /// Ends the period, with the backlog at its end, and begins the next one.
    pub fn report(
        &mut self,
        unfinished: Duration,
        transmission: Duration,
        is_down: bool,
    ) -> PipeReport {
        let (count, sum) = std::mem::take(&mut self.samples);
        let mean = sum.as_nanos().checked_div(count).map_or(unfinished, Duration::from_nanos);
        let period = std::mem::take(&mut self.period);
        PipeReport { unfinished, mean_unfinished: mean, transmission, is_down, ..period }
    }
}

/// Returns the mean time that a frame of `bytes` takes on an idle line like that of `config`.
pub fn transmission(config: &PipeConfig, bytes: u32) -> Duration {
    let mut pipe = Pipe::new(config.clone(), Stream::new(0, "transmission"), Time::ZERO);
    // The second frame waits, so its transmission counts with its mean.
    let mut backlog = || {
        let _ = pipe.offer(Time::ZERO, FrameInfo::single(bytes), 0u32);
        pipe.unfinished(Time::ZERO)
    };
    let first = backlog();
    backlog().saturating_sub(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_counted_and_the_next_begins_empty() {
        let ms = Duration::from_millis;
        let mut meter = Meter::default();
        for number in 0..4 {
            assert_eq!(meter.offered(), number);
            if number % 2 == 1 { meter.lost() } else { meter.served(ms(number.into())) }
        }
        meter.left();
        meter.sampled(ms(1));
        meter.sampled(ms(2));
        let report = meter.report(ms(7), ms(3), false);
        let expected = PipeReport {
            offered: 4,
            lost: vec![1, 3],
            left: 1,
            served: 2,
            time: ms(2),
            others: Duration::ZERO,
            unfinished: ms(7),
            mean_unfinished: Duration::from_micros(1500),
            transmission: ms(3),
            is_down: false,
        };
        assert_eq!(report, expected);
        let empty =
            PipeReport { mean_unfinished: ms(7), unfinished: ms(7), ..PipeReport::default() };
        assert_eq!(meter.report(ms(7), Duration::ZERO, false), empty);
        assert_eq!(meter.offered(), 0);
    }
}
