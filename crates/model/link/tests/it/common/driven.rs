//! A pipe that is driven by its deadlines, with the fate of each frame.

use std::collections::BTreeMap;

use netloom_link::{Count, DropReason, FrameInfo, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

use super::packet::Packet;
use super::{config, ms};

/// The fate of a frame: the reason if it was dropped, the time of its release or drop, and whether
/// it was marked.
pub type Fate = (Option<DropReason>, Time, bool);

/// A pipe that is driven by its deadlines, as in the data plane.
pub struct Driven {
    pub pipe: Pipe<Packet>,
    pub fates: BTreeMap<u64, Fate>,
    now: Time,
    /// Number of calls at deadlines that returned nothing.
    pub idle: u64,
}

impl Driven {
    pub fn new(config: &PipeConfig, seed: u64) -> Self {
        let pipe = Pipe::new(config.clone(), Stream::new(seed, "p"), Time::ZERO);
        Self { pipe, fates: BTreeMap::new(), now: Time::ZERO, idle: 0 }
    }

    /// Advances the time to `until`.
    pub fn advance(&mut self, until: Time) {
        while let Some(due) = self.pipe.next_deadline().filter(|due| *due <= until) {
            assert!(due > self.now || self.now == Time::ZERO, "deadlines go forward");
            self.now = due;
            if self.collect(due) == 0 {
                self.idle += 1;
            }
        }
        // Waiting frames may have been dropped since the last deadline.
        self.collect(until);
        self.now = until;
    }

    fn collect(&mut self, now: Time) -> u64 {
        let mut found = 0;
        while let Some(delivery) = self.pipe.poll(now) {
            assert_eq!(delivery.release, now, "no deadline is late");
            self.came(delivery.frame, None, delivery.release);
            found += 1;
        }
        while let Some(dropped) = self.pipe.poll_dropped() {
            self.came(dropped.frame, Some(dropped.reason), dropped.at);
        }
        found
    }

    fn came(&mut self, frame: Packet, reason: Option<DropReason>, at: Time) {
        let before = self.fates.insert(frame.number, (reason, at, frame.is_marked()));
        assert_eq!(before, None, "once only");
    }

    pub fn offer(&mut self, at: Time, bytes: u32, packet: Packet) {
        self.advance(at);
        if let Err(rejected) = self.pipe.offer(at, FrameInfo::single(bytes), packet) {
            self.came(rejected.frame, Some(rejected.reason), at);
        }
        self.collect(at);
    }
}

/// Returns what the channel of a pipe with this background draws: the frames that come out, with
/// their propagation times; the count of frames with flipped bits; and the count of lost frames.
pub fn draws_of_channel(background: &str) -> (Vec<(u64, Duration)>, Count, Count) {
    let text = format!(
        r#"{{"rate":"10Mbit/s","queue":{{"limit":"10MB"}},"loss":"20%","duplicate":"10%",
            "corrupt":"10%","delay":"10ms","jitter":{{"normal":"2ms"}},
            "reorder":{{"probability":"0%"}},"background":{background}}}"#
    );
    let mut pipe = Pipe::<u64>::new(config(&text), Stream::new(5, "p"), Time::ZERO);
    for number in 0..2000 {
        pipe.offer(ms(number), FrameInfo::single(500), number).unwrap();
    }
    let mut out = Vec::new();
    while let Some(delivery) = pipe.poll(ms(100_000)) {
        let passage = delivery.passage;
        out.push((passage.number, delivery.release.since(passage.serialized)));
    }
    out.sort_unstable();
    let counted = pipe.statistics(ms(100_000));
    (out, counted.corrupted, counted.dropped.loss)
}
