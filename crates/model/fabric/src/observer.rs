//! Who watches a network: counts, captures and logs stand outside, so that a network that nobody
//! watches pays nothing. Not here: any observer.

use netloom_link::{Delivery, DropReason, FrameInfo, Pipe};
use netloom_units::Time;

use crate::PipeId;

/// A pipe, and where the network keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeSlot {
    /// Which pipe it is.
    pub id: PipeId,
    /// A small number that no other pipe of the network has while the link lives, for tables.
    pub slot: usize,
}

/// Why frames were lost without the model having dropped them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// What came was no Ethernet frame.
    Malformed,
    /// There was no memory for a frame.
    NoMemory,
    /// Its way led into a link that was being taken out.
    Unplugged,
}

/// Is called for what happens in a network, as it happens. Every method does nothing unless it is
/// written.
pub trait Observer<F> {
    /// A frame that is well-formed comes to the beginning of a pipe at `at`.
    #[inline]
    fn entered(&mut self, _pipe: PipeSlot, _at: Time, _frame: &F) {}

    /// A frame, or a piece of a super-frame, is offered to a pipe.
    #[inline]
    fn offered(&mut self, _pipe: PipeSlot, _info: &FrameInfo) {}

    /// The model dropped a frame in a pipe.
    #[inline]
    fn dropped(&mut self, _pipe: PipeSlot, _at: Time, _reason: DropReason, _frame: &F) {}

    /// A frame leaves a pipe for a port of the network. [`poll`](crate::Network::poll) returns it
    /// next, unless there is no memory to take its tag off.
    #[inline]
    fn delivered(&mut self, _pipe: PipeSlot, _delivery: &Delivery<F>) {}

    /// A frame leaves a pipe for a segment.
    #[inline]
    fn forwarded(&mut self, _pipe: PipeSlot, _delivery: &Delivery<F>) {}

    /// A pipe has nothing more to deliver now: the time to take its events.
    #[inline]
    fn settled(&mut self, _id: PipeSlot, _pipe: &mut Pipe<F>) {}

    /// Frames on their way into or out of a pipe are lost outside the model.
    fn lost(&mut self, _pipe: PipeSlot, _loss: Loss, _frames: u64) {}
}

/// Nobody watches.
impl<F> Observer<F> for () {}
