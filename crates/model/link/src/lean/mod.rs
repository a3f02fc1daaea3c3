//! Pipes that are small while they do nothing special, for simulations of many. Not here: what a
//! pipe does in general (`pipe`).
//!
//! | module | contents |
//! |---|---|
//! | `plain` | the state of a plain pipe, which each frame touches |
//! | `slots` | frames in plain pipes: [`FrameSlots`] |
//! | `turning` | turns a plain pipe into a general one, and back |

mod plain;
mod slots;
mod turning;

use std::sync::Arc;

use netloom_units::Time;

use crate::receiver::ReceiverLimit;
use crate::statistics::Collector;
use crate::{
    Announced, Delivery, Dropped, Frame, FrameEvent, FrameInfo, Pipe, PipeChange, PipeConfig,
    PipeStatistics, Rejected, Stream,
};
use plain::Plain;
pub use slots::FrameSlots;

/// A [`Pipe`] in less memory. It does what a [`Pipe`] does, to the nanosecond, and has its call
/// order.
///
/// While the pipe is *plain*, it is a small record, and its frames are in [`FrameSlots`] that it
/// shares with others. It is plain while rate and delay are constant, frames wait in a FIFO queue
/// with drop-tail, and nothing is random, recorded or steered. Otherwise it is a [`Pipe`] of its
/// own.
///
/// It keeps no seconds: it has no statistics of [windows](crate::Window), only of the whole time.
#[derive(Debug)]
#[repr(C)]
pub struct LeanPipe<F> {
    /// The general pipe. `None` while it is plain.
    general: Option<Box<Pipe<F>>>,
    plain: Plain,
    apart: Apart,
}

/// What a plain pipe needs only when it stops being plain.
#[derive(Debug)]
struct Apart {
    config: Arc<PipeConfig>,
    stream: Stream,
    start: Time,
    receiver: ReceiverLimit,
    /// What the pipe counted before it was last plain.
    earlier: Option<Box<Collector>>,
    cuts: u32,
    /// Whether the pipe has to stay a general one.
    stays: bool,
    /// Whether its configuration is that of a plain one.
    is_simple: bool,
}

impl<F: Frame> LeanPipe<F> {
    /// Creates an empty pipe, as [`Pipe::new`] does.
    pub fn new(config: Arc<PipeConfig>, stream: Stream, start: Time) -> Self {
        let plain = Plain::of(&config, start);
        let is_plain = plain.is_some();
        let config_draws = draws(&config);
        let apart = Apart {
            config,
            stream,
            start,
            receiver: ReceiverLimit::NONE,
            earlier: None,
            cuts: 0,
            stays: config_draws,
            is_simple: is_plain,
        };
        let mut pipe = Self { general: None, plain: plain.unwrap_or_default(), apart };
        if !is_plain {
            pipe.general = Some(Box::new(pipe.new_general()));
        }
        pipe
    }

    /// Makes a lean pipe of a general one with `config`, which stays a general one.
    pub fn of(pipe: Pipe<F>, config: Arc<PipeConfig>) -> Self {
        let apart = Apart {
            config,
            stream: Stream::new(0, ""),
            start: Time::ZERO,
            receiver: ReceiverLimit::NONE,
            earlier: None,
            cuts: 0,
            stays: true,
            is_simple: false,
        };
        Self { general: Some(Box::new(pipe)), plain: Plain::default(), apart }
    }

    /// The configuration of the pipe.
    pub fn config(&self) -> &PipeConfig {
        self.general.as_ref().map_or(&self.apart.config, |general| general.config())
    }

    /// Whether the pipe is plain.
    pub fn is_plain(&self) -> bool {
        self.general.is_none()
    }

    /// Makes it a general pipe for good, for what a plain one cannot do, and returns that.
    pub fn general(&mut self, frames: &mut FrameSlots<F>) -> &mut Pipe<F> {
        self.apart.stays = true;
        self.turn_general(frames)
    }

    /// The general pipe, if it is one.
    #[inline]
    pub fn if_general(&mut self) -> Option<&mut Pipe<F>> {
        self.general.as_deref_mut()
    }

    /// Offers `frame` at `now`.
    ///
    /// # Errors
    /// As for [`Pipe::offer`].
    #[inline]
    pub fn offer(
        &mut self,
        frames: &mut FrameSlots<F>,
        now: Time,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        if self.general.is_none() && self.plain.takes(&info) {
            self.plain.offer(frames, now, info, frame)
        } else {
            self.turn_general(frames).offer(now, info, frame)
        }
    }

    /// Returns the next frame whose release is not after `now`, in order of release.
    #[inline]
    pub fn poll(&mut self, frames: &mut FrameSlots<F>, now: Time) -> Option<Delivery<F>> {
        if self.general.is_none() {
            if !self.plain.is_first_unsent() {
                return self.plain.poll(frames, now);
            }
            self.plain.reach(frames, now);
            // The copy of a frame that is taken out before it was announced outlives the frame.
            if self.plain.next_release().is_none_or(|release| release > now) {
                return None;
            }
        }
        self.poll_general(frames, now)
    }

    #[cold]
    fn poll_general(&mut self, frames: &mut FrameSlots<F>, now: Time) -> Option<Delivery<F>> {
        let delivery = self.turn_general(frames).poll(now);
        if delivery.is_none() && self.apart.is_simple && !self.apart.stays {
            self.turn_plain();
        }
        delivery
    }

    /// Returns the next frame that was accepted and dropped later, as [`Pipe::poll_dropped`] does.
    #[inline]
    pub fn poll_dropped(&mut self) -> Option<Dropped<F>> {
        // A plain pipe drops no frame that it has accepted.
        self.general.as_mut()?.poll_dropped()
    }

    /// Whether events of frames are recorded.
    #[inline]
    pub fn records_events(&self) -> bool {
        self.general.as_ref().is_some_and(|general| general.records_events())
    }

    /// Returns the next event, as [`Pipe::poll_event`] does.
    #[inline]
    pub fn poll_event(&mut self) -> Option<FrameEvent> {
        self.general.as_mut()?.poll_event()
    }

    /// Time of the next call of [`poll`](Self::poll), as [`Pipe::next_deadline`].
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        match &self.general {
            None => self.plain.next_release(),
            Some(general) => general.next_deadline(),
        }
    }

    /// Time of the next call of [`poll`](Self::poll), if the pipe is plain and no frame in it waits
    /// to be announced. No frame that is offered changes that time.
    #[inline]
    pub fn plain_deadline(&self) -> Option<Time> {
        if self.general.is_some() || self.plain.keeps_sent {
            return None;
        }
        self.plain.next_release()
    }

    /// Sets the MTU of the interface at the far end, as [`Pipe::set_receiver_mtu`] does.
    pub fn set_receiver_mtu(&mut self, mtu: Option<u32>) {
        self.apart.receiver = ReceiverLimit::of_mtu(mtu);
        self.plain.limit(&self.apart.config, self.apart.receiver);
        if let Some(general) = &mut self.general {
            general.set_receiver_mtu(mtu);
        }
    }

    /// Sets whether copies of frames that leave the line are kept, as [`Pipe::keep_sent`] does. It
    /// must be called before any frame is offered.
    pub fn keep_sent(&mut self, wanted: bool) {
        self.plain.keep_sent(wanted);
        if let Some(general) = &mut self.general {
            general.keep_sent(wanted);
        }
    }

    /// Returns a copy of the next frame that has left the line by the time that was last passed in,
    /// as [`Pipe::poll_sent`] does.
    #[inline]
    pub fn poll_sent(&mut self, frames: &mut FrameSlots<F>) -> Option<Announced<F>> {
        match &mut self.general {
            None => self.plain.poll_sent(frames, self.apart.cuts),
            Some(general) => general.poll_sent(),
        }
    }

    /// Performs all events of the line up to and including `now`, as [`Pipe::reach`] does.
    #[inline]
    pub fn reach(&mut self, frames: &mut FrameSlots<F>, now: Time) {
        match &mut self.general {
            None => self.plain.reach(frames, now),
            Some(general) => general.reach(now),
        }
    }

    /// Earliest time at which [`poll_sent`](Self::poll_sent) may return a frame next, as
    /// [`Pipe::next_line_end`].
    #[inline]
    pub fn next_line_end(&self, frames: &FrameSlots<F>) -> Option<Time> {
        match &self.general {
            None => self.plain.next_line_end(frames),
            Some(general) => general.next_line_end(),
        }
    }

    /// Restarts traces and schedules, as [`Pipe::begin`] does.
    pub fn begin(&mut self, now: Time) {
        if let Some(general) = &mut self.general {
            general.begin(now);
        }
    }

    /// Applies `change` at `now`, as [`Pipe::change`] does.
    pub fn change(&mut self, frames: &mut FrameSlots<F>, now: Time, change: &PipeChange) {
        let general = self.turn_general(frames);
        general.change(now, change);
        let config = general.config();
        let (draws, is_simple) = (draws(config), plain::is_plain(config));
        self.apart.stays |= draws;
        self.apart.is_simple = is_simple;
    }

    /// Statistics from the beginning up to `now`.
    pub fn statistics(&mut self, frames: &mut FrameSlots<F>, now: Time) -> PipeStatistics {
        match &mut self.general {
            None => self.plain_statistics(frames, now),
            Some(general) => general.statistics(now),
        }
    }
}

/// Whether a pipe with `config` draws random numbers, with which it continues when such properties
/// are set again, or has a background, which is counted for ever.
fn draws(config: &PipeConfig) -> bool {
    config.is_random() || !config.background.is_none()
}
