//! Pipes in series, driven by their deadlines.

use netloom_link::{Emission, FrameInfo, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

use super::scene::Fate;
use crate::{Meter, PipeReport, transmission};

/// Number of samples of the backlogs in a period.
const SAMPLES: u64 = 20;

/// Pipes in series. A frame is identified by its index in `fates`.
pub(super) struct Chain {
    pub pipes: Vec<Pipe<u32>>,
    meters: Vec<Meter>,
    fates: Vec<Fate>,
    now: Time,
    /// Number of frames under way.
    inside: u64,
}

impl Chain {
    pub fn new(configs: impl Iterator<Item = PipeConfig>, seed: u64, name: &str) -> Self {
        let stream = |place: usize| Stream::new(seed, &format!("{name}/{place}"));
        let pipe = |(place, config)| Pipe::new(config, stream(place), Time::ZERO);
        let pipes: Vec<_> = configs.enumerate().map(pipe).collect();
        let meters = pipes.iter().map(|_| Meter::default()).collect();
        Self { pipes, meters, fates: Vec::new(), now: Time::ZERO, inside: 0 }
    }

    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether no real frame is under way.
    pub fn is_empty(&self) -> bool {
        self.inside == 0
    }

    /// Offers other frames to a pipe.
    pub fn bring(&mut self, place: usize, frames: impl Iterator<Item = Emission>) {
        self.pipes[place].bring(self.now, frames);
    }

    /// Runs a period in which these frames are sent.
    pub fn period(&mut self, period: Duration, mut frames: &[Emission]) {
        let (begin, nanos) = (self.now, period.as_nanos());
        for sample in 1..=SAMPLES {
            let until = begin + Duration::from_nanos(nanos * sample / SAMPLES);
            let (now, later) = frames.split_at(frames.partition_point(|frame| frame.at < until));
            frames = later;
            self.run(until, now);
            for (pipe, meter) in self.pipes.iter_mut().zip(&mut self.meters) {
                meter.sampled(pipe.unfinished(until));
            }
        }
    }

    /// Runs until all frames have left.
    pub fn drain(&mut self) {
        while let Some(due) = self.next_due().filter(|_| self.inside > 0) {
            self.run(due, &[]);
        }
    }

    /// Returns what each pipe did since the last call.
    pub fn reports(&mut self, full: u32) -> Vec<PipeReport> {
        let now = self.now;
        let report = |(pipe, meter): (&mut Pipe<u32>, &mut Meter)| {
            meter.report(pipe.unfinished(now), transmission(pipe.config(), full), false)
        };
        self.pipes.iter_mut().zip(&mut self.meters).map(report).collect()
    }

    pub fn into_fates(self) -> Vec<Fate> {
        self.fates
    }

    fn run(&mut self, until: Time, frames: &[Emission]) {
        let mut frames = frames.iter().peekable();
        loop {
            let sent = frames.peek().map(|frame| frame.at);
            match self.next_due().filter(|due| *due <= until) {
                Some(due) if sent.is_none_or(|sent| due <= sent) => self.collect(due),
                _ => match frames.next() {
                    Some(frame) => self.send(*frame),
                    None => break,
                },
            }
        }
        self.now = until;
    }

    fn next_due(&self) -> Option<Time> {
        self.pipes.iter().filter_map(Pipe::next_deadline).min()
    }

    fn send(&mut self, frame: Emission) {
        // A rehearsal has fewer frames than `u32` can number.
        let number = self.fates.len() as u32;
        self.fates.push(Fate { sent: frame.at, left: None });
        self.inside += 1;
        self.offer(0, frame.at, FrameInfo::single(frame.bytes), number);
    }

    fn offer(&mut self, place: usize, now: Time, info: FrameInfo, frame: u32) {
        let (pipe, meter) = (&mut self.pipes[place], &mut self.meters[place]);
        meter.offered();
        if pipe.offer(now, info, frame).is_ok() {
            meter.served(pipe.unfinished(now));
        } else {
            meter.lost();
            self.inside -= 1;
        }
    }

    fn collect(&mut self, now: Time) {
        for place in 0..self.pipes.len() {
            while let Some(delivery) = self.pipes[place].poll(now) {
                self.meters[place].left();
                if place + 1 < self.pipes.len() {
                    self.offer(place + 1, delivery.release, delivery.info, delivery.frame);
                } else {
                    self.fates[delivery.frame as usize].left = Some(delivery.release);
                    self.inside -= 1;
                }
            }
            while self.pipes[place].poll_dropped().is_some() {
                self.meters[place].lost();
                self.inside -= 1;
            }
        }
    }
}
