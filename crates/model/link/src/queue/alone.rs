//! A queue by itself, for models that do not serve waiting frames by a line.

use netloom_units::{Duration, Rate, Stream, Time};

use super::{Queue, QueueConfig, Queued, Refused};
use crate::background::LineFrame;
use crate::{DropReason, Frame, FrameInfo};

/// A queue discipline and its limit, without a line behind it.
///
/// Limits count the waiting frames, without the one that is being served. Framing is not counted.
#[derive(Debug)]
pub struct FrameQueue<F> {
    queue: Queue<F>,
    /// Number of frames that have come so far.
    order: u64,
}

/// A frame that came to a queue.
#[derive(Debug)]
pub struct QueuedFrame<F> {
    /// The frame.
    pub frame: F,
    /// Number and lengths of its wire frames.
    pub info: FrameInfo,
    /// Number that the caller gave to it.
    pub number: u64,
    /// Time at which it came.
    pub offered: Time,
}

impl<F: Frame> FrameQueue<F> {
    /// Creates an empty queue. Limits in time are converted at `rate`. The discipline draws from
    /// `stream`.
    pub fn new(config: QueueConfig, rate: Rate, stream: Stream) -> Self {
        Self { queue: Queue::new(config, Some(rate), stream), order: 0 }
    }

    /// Adds a frame that has to wait.
    ///
    /// # Errors
    /// Returns the frame and the reason if the queue rejects it.
    pub fn enqueue(
        &mut self,
        now: Time,
        number: u64,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), (F, DropReason)> {
        let waiting = self.waiting(now, number, info, frame);
        self.queue.enqueue(now, waiting).map_err(refused)
    }

    /// Passes a frame through that finds nothing waiting and nothing being served. The discipline
    /// processes it, but limits do not apply. Returns `None` if the frame has to wait because its
    /// class may not send now.
    ///
    /// # Errors
    /// Returns the frame and the reason if the discipline drops it.
    pub fn pass(
        &mut self,
        now: Time,
        number: u64,
        info: FrameInfo,
        frame: F,
    ) -> Result<Option<QueuedFrame<F>>, (F, DropReason)> {
        let waiting = self.waiting(now, number, info, frame);
        if !self.queue.looks_at_all() {
            return Ok(real(waiting));
        }
        self.queue.pass(now, waiting).map(|passed| passed.and_then(real)).map_err(refused)
    }

    /// Returns the next frame to serve; `None` if no frame waits, or none may leave before the
    /// queue [`opens`](Self::opens).
    pub fn dequeue(&mut self, now: Time) -> Option<QueuedFrame<F>> {
        self.queue.dequeue(now).and_then(real)
    }

    /// Time at which the first of the frames that may not leave now may leave.
    pub fn opens(&self) -> Option<Time> {
        self.queue.opens()
    }

    /// Returns the frames that the discipline accepted and dropped later, in order, each with the
    /// reason and the time.
    pub fn take_dropped(&mut self) -> impl Iterator<Item = (QueuedFrame<F>, DropReason, Time)> {
        self.queue.effects.marked.clear();
        self.queue.effects.dropped.drain(..).filter_map(|refused| {
            let Refused { waiting, reason, at } = refused;
            real(waiting).map(|frame| (frame, reason, at))
        })
    }

    /// Number of frames that wait.
    pub fn frames(&self) -> u64 {
        self.queue.backlog().frames
    }

    /// Number of bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.queue.backlog().bytes
    }

    /// Sets other limits or another discipline for the following frames. Waiting frames stay.
    pub fn configure(&mut self, now: Time, config: &QueueConfig, rate: Rate) {
        self.queue.configure(now, config, Some(rate));
    }

    /// Removes and returns all waiting frames, oldest first.
    pub fn drain(&mut self) -> impl Iterator<Item = QueuedFrame<F>> {
        self.queue.drain().into_iter().filter_map(real)
    }

    fn waiting(&mut self, now: Time, number: u64, info: FrameInfo, frame: F) -> Queued<F> {
        let order = self.order;
        self.order += 1;
        Queued {
            frame: LineFrame::Real { frame, number },
            info,
            line_bytes: info.bytes(),
            order,
            offered: now,
            arrival_uncertainty: Duration::ZERO,
            marked: false,
        }
    }
}

/// Converts a frame that is not of the background, as all are in a queue by itself.
fn real<F>(waiting: Queued<F>) -> Option<QueuedFrame<F>> {
    let Queued { frame, info, offered, .. } = waiting;
    match frame {
        LineFrame::Real { frame, number } => Some(QueuedFrame { frame, info, number, offered }),
        LineFrame::Virtual(_) => None,
    }
}

fn refused<F>((waiting, reason): (Queued<F>, DropReason)) -> (F, DropReason) {
    match waiting.frame {
        LineFrame::Real { frame, .. } => (frame, reason),
        LineFrame::Virtual(_) => unreachable!("no background comes to a queue by itself"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(config: &str) -> FrameQueue<u32> {
        let config = serde_json::from_str(config).unwrap();
        FrameQueue::new(config, "1Mbit/s".parse().unwrap(), Stream::new(1, "a"))
    }

    #[test]
    fn frames_leave_in_order_up_to_the_limit() {
        let mut queue = queue(r#"{"discipline":"fifo","limit":"2packets"}"#);
        let info = FrameInfo::single(100);
        let first = queue.pass(Time::ZERO, 0, info, 10).unwrap().unwrap();
        assert_eq!((first.frame, first.number), (10, 0));
        for number in 1..=2 {
            queue.enqueue(Time::ZERO, number, info, 10 + number as u32).unwrap();
        }
        let refused = queue.enqueue(Time::ZERO, 3, info, 13).unwrap_err();
        assert_eq!(refused, (13, DropReason::QueueFull));
        assert_eq!((queue.frames(), queue.bytes()), (2, 200));
        assert_eq!(queue.dequeue(Time::ZERO).unwrap().frame, 11);
        assert_eq!(queue.drain().map(|frame| frame.frame).collect::<Vec<_>>(), [12]);
    }

    #[test]
    fn frames_dropped_for_others_are_returned_with_the_reason() {
        let mut queue = queue(r#"{"discipline":{"fifo":{"drop":"head"}},"limit":"1packets"}"#);
        let info = FrameInfo::single(100);
        queue.enqueue(Time::ZERO, 0, info, 10).unwrap();
        queue.enqueue(Time::ZERO, 1, info, 11).unwrap();
        let dropped: Vec<_> = queue.take_dropped().collect();
        assert_eq!((dropped[0].0.frame, dropped[0].1), (10, DropReason::QueueFull));
        assert_eq!(queue.frames(), 1);
    }
}
