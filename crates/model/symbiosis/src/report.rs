//! What a pipe of the simulated network did in a period. Not here: what follows from that
//! (`calibration`).

use netloom_link::{FrameInfo, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

/// What a pipe did in a period to frames of twins: those that real programs would have sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PipeReport {
    /// Frames that arrived.
    pub offered: u32,
    /// The numbers of those that were lost, for whatever reason, ascending; the first that arrived
    /// in the period is 0.
    pub lost: Vec<u32>,
    /// Frames that left, whenever they had arrived.
    pub left: u32,
    /// Frames whose time in queue and on the line is known, and the sum of these times.
    pub served: u32,
    /// That sum.
    pub time: Duration,
    /// What the other frames that it took keep the line busy, together; nothing where nobody counts
    /// them.
    pub others: Duration,
    /// Backlog at the period's end, in time: W₁(t).
    pub unfinished: Duration,
    /// Mean of the backlog over the period.
    pub mean_unfinished: Duration,
    /// What a full frame takes on the line.
    pub transmission: Duration,
    /// Whether the pipe was down at the period's end.
    pub is_down: bool,
}

/// Counts what a pipe does to frames of twins, period after period.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    period: PipeReport,
    /// Samples of the backlog: how many, and their sum.
    samples: (u64, Duration),
}

impl Meter {
    /// A frame arrived. Its number in the period.
    pub fn offered(&mut self) -> u32 {
        self.period.offered += 1;
        self.period.offered - 1
    }

    /// A frame is in queue and on the line for that long. Where frames keep their order, that is
    /// known when it arrives: [`Pipe::unfinished`](netloom_link::Pipe::unfinished) behind it.
    pub fn served(&mut self, time: Duration) {
        self.period.served += 1;
        self.period.time += time;
    }

    /// The frame that arrived last was lost, or one that arrived earlier is lost now.
    pub fn lost(&mut self) {
        self.period.lost.push(self.period.offered.saturating_sub(1));
    }

    /// A frame left.
    pub fn left(&mut self) {
        self.period.left += 1;
    }

    /// The backlog at one of the times that divide the period evenly.
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

/// What a frame of so many bytes takes on an idle line like that of `config`, on average.
pub fn transmission(config: &PipeConfig, bytes: u32) -> Duration {
    let mut pipe = Pipe::new(config.clone(), Stream::new(0, "transmission"), Time::ZERO);
    // The second one waits, so that it counts with its mean.
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
