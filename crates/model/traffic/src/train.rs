//! Frames of bursts and transfers. Each active one sends a train of frames at one pace, and the
//! trains are merged.
//!
//! A burst collects bits at its pace, and sends a frame when it has enough bits for one. It begins
//! at a uniform place in a frame that is drawn with a probability proportional to its length. The
//! mean rate of the frames is therefore the pace from the first moment on, whatever their lengths
//! (the stationary version of a renewal process; Cox, Renewal Theory, 1962, §2.2). A transfer sends
//! its first frame at once, and exactly as many bytes as it has.

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use netloom_units::Stream;
use netloom_units::{Duration, Time};

use crate::model::{Flow, Flows};
use crate::pace::PaceClock;
use crate::sizes::SizeLaw;
use crate::source::Bursts;
use crate::{Burst, Emission, Pace};

/// The frames of all bursts or transfers, in order of time.
#[derive(Debug, Clone)]
pub(crate) struct Trains {
    starts: Starts,
    /// The burst or transfer that begins next.
    next: Option<Start>,
    /// Number of trains that have begun.
    begun: u64,
    active: BinaryHeap<Train>,
    sizes: SizeLaw,
    lengths: Stream,
    /// Number of the train that sent the last frame.
    last: Option<u64>,
}

/// The bursts or transfers that start trains.
#[derive(Debug, Clone)]
enum Starts {
    /// Bursts at one pace.
    Bursts(Bursts, Pace),
    /// Transfers at one pace, or for as long as was recorded.
    Flows(Flows, Option<Pace>),
}

#[derive(Debug, Clone, Copy)]
enum Start {
    Burst(Burst, Pace),
    Flow(Flow, Pace),
}

/// An active burst or transfer. Its next frame is sent at the time of its clock.
#[derive(Debug, Clone)]
struct Train {
    clock: PaceClock,
    bytes: u32,
    until: Until,
    number: u64,
}

/// The end of a train.
#[derive(Debug, Clone, Copy)]
enum Until {
    /// At this time.
    Time(Time),
    /// When `left` bytes have been sent, including the next frame. Frames have at most `most`
    /// bytes, if that is recorded.
    Bytes { left: u64, most: Option<u32> },
}

impl Trains {
    /// Returns the frames with `sizes` of `bursts` that send at `pace` each.
    pub fn new(bursts: Bursts, pace: Pace, sizes: SizeLaw, stream: &Stream) -> Self {
        Self::beginning_with(Starts::Bursts(bursts, pace), sizes, stream)
    }

    /// Returns the frames with `sizes` of transfers that send at `pace` each, or for as long as was
    /// recorded.
    pub fn of_flows(flows: Flows, pace: Option<Pace>, sizes: SizeLaw, stream: &Stream) -> Self {
        Self::beginning_with(Starts::Flows(flows, pace), sizes, stream)
    }

    fn beginning_with(mut starts: Starts, sizes: SizeLaw, stream: &Stream) -> Self {
        let next = starts.next();
        let lengths = stream.fork("sizes");
        Self { starts, next, begun: 0, active: BinaryHeap::new(), sizes, lengths, last: None }
    }

    /// Returns the next frame.
    pub fn next(&mut self) -> Option<Emission> {
        while let Some(start) = self.next {
            if self.active.peek().is_some_and(|first| first.clock.now() < start.at()) {
                break;
            }
            self.begin(start);
            self.next = self.starts.next();
        }
        let mut first = self.active.peek_mut()?;
        let frame = Emission { at: first.clock.now(), bytes: first.bytes };
        self.last = Some(first.number);
        let goes_on = first.advance(self.sizes.draw(&mut self.lengths));
        if !goes_on {
            PeekMut::pop(first);
        }
        Some(frame)
    }

    /// Returns the number of the burst or transfer that the last frame belongs to, from 0 on.
    pub const fn last(&self) -> Option<u64> {
        self.last
    }

    /// Starts a train, unless it ends before its first frame.
    fn begin(&mut self, start: Start) {
        let number = self.begun;
        self.begun += 1;
        match start {
            Start::Burst(burst, pace) => {
                let bytes = self.sizes.draw_by_volume(&mut self.lengths);
                let mut clock = PaceClock::new(pace, burst.at);
                clock.advance_part(bytes, burst.phase);
                if clock.now() < burst.end() {
                    let until = Until::Time(burst.end());
                    self.active.push(Train { clock, bytes, until, number });
                }
            }
            Start::Flow(flow, pace) => {
                let left = flow.bytes.bytes();
                let most = flow.packet_bytes();
                let drawn = most.unwrap_or_else(|| self.sizes.draw(&mut self.lengths));
                let bytes = u64::from(drawn).min(left) as u32;
                let clock = PaceClock::new(pace, flow.at);
                self.active.push(Train {
                    clock,
                    bytes,
                    until: Until::Bytes { left, most },
                    number,
                });
            }
        }
    }
}

impl Train {
    /// Prepares the next frame, of `bytes` unless the train decides its length. Returns whether
    /// there is one.
    fn advance(&mut self, bytes: u32) -> bool {
        match &mut self.until {
            Until::Time(end) => {
                self.bytes = bytes;
                self.clock.advance(bytes);
                self.clock.now() < *end
            }
            Until::Bytes { left, most } => {
                *left -= u64::from(self.bytes);
                self.clock.advance(self.bytes);
                self.bytes = u64::from(most.unwrap_or(bytes)).min(*left) as u32;
                *left > 0 && self.clock.now() < Time::from_nanos(u64::MAX)
            }
        }
    }
}

impl Starts {
    fn next(&mut self) -> Option<Start> {
        match self {
            Self::Bursts(bursts, pace) => bursts.next().map(|burst| Start::Burst(burst, *pace)),
            Self::Flows(flows, pace) => {
                let flow = flows.next()?;
                Some(Start::Flow(flow, pace.unwrap_or_else(|| flow.recorded_pace())))
            }
        }
    }
}

impl Start {
    fn at(&self) -> Time {
        match self {
            Self::Burst(burst, _) => burst.at,
            Self::Flow(flow, _) => flow.at,
        }
    }
}

impl Flow {
    /// Returns the pace at which all bytes take as long as was recorded.
    fn recorded_pace(&self) -> Pace {
        let bits = self.bytes.bytes() as f64 * 8.0;
        match self.lasts.unwrap_or_default() {
            Duration::ZERO => Pace::FASTEST,
            lasts => {
                Pace::from_bits_per_second(bits / lasts.as_secs_f64()).unwrap_or(Pace::SLOWEST)
            }
        }
    }

    /// Returns the length of each packet, if the number of packets was recorded.
    fn packet_bytes(&self) -> Option<u32> {
        let bytes = self.bytes.bytes().div_ceil(self.packets?);
        // A packet longer than any frame was not one packet on the wire.
        u32::try_from(bytes).ok().filter(|bytes| *bytes <= 65_535)
    }
}

/// Orders trains for the heap: the greatest is the one whose frame is sent first, and among equals
/// the one that began first.
impl Ord for Train {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |train: &Self| (train.clock.now(), train.number);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for Train {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Train {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Train {}
