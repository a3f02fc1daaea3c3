//! The interface for observers of a network. Counters, captures and logs are outside, so that a
//! network without them pays nothing. This module implements no observer.

use netloom_link::{Delivery, DropReason, FrameInfo, Pipe};
use netloom_units::Time;

use crate::PipeId;

/// A pipe, and its slot in the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeSlot {
    /// Identity of the pipe.
    pub id: PipeId,
    /// A small number that no other pipe of the network has while the link exists, for tables.
    pub slot: usize,
}

/// Reason for which frames were lost other than by a decision of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The data was not an Ethernet frame.
    Malformed,
    /// There was no memory for a frame.
    NoMemory,
    /// The next link was being removed.
    Unplugged,
}

/// Receives the events of a network as they happen. Every method does nothing by default.
pub trait Observer<F> {
    /// A well-formed frame reaches the beginning of a pipe at `at`.
    #[inline]
    fn entered(&mut self, _pipe: PipeSlot, _at: Time, _frame: &F) {}

    /// A frame, or a piece of a super-frame, is offered to a pipe.
    #[inline]
    fn offered(&mut self, _pipe: PipeSlot, _info: &FrameInfo) {}

    /// The model dropped a frame in a pipe.
    #[inline]
    fn dropped(&mut self, _pipe: PipeSlot, _at: Time, _reason: DropReason, _frame: &F) {}

    /// A frame leaves a pipe for a port of the network. [`poll`](crate::Network::poll) returns it
    /// next, unless there is no memory for removing its tag.
    #[inline]
    fn delivered(&mut self, _pipe: PipeSlot, _delivery: &Delivery<F>) {}

    /// A frame leaves a pipe for a segment.
    #[inline]
    fn forwarded(&mut self, _pipe: PipeSlot, _delivery: &Delivery<F>) {}

    /// A pipe has nothing more to deliver now. Its events can be read at this time.
    #[inline]
    fn settled(&mut self, _id: PipeSlot, _pipe: &mut Pipe<F>) {}

    /// Frames on their way into or out of a pipe are lost outside the model.
    fn lost(&mut self, _pipe: PipeSlot, _loss: Loss, _frames: u64) {}
}

/// Ignores all events.
impl<F> Observer<F> for () {}
