//! The trait of segments.

use std::fmt::Debug;

use netloom_medium::{AssociationEvent, Medium, MediumChange, RadioError};
use netloom_units::Time;

use super::outputs::Outputs;
use super::views::{AirLogPart, Arrival, LinkView, MediumView, PortStatus, Sniffer};
use crate::{Memory, SegmentId, SegmentPort};

/// A segment, which joins links. The network numbers its ports. When a link is removed, the number
/// of its port is used again.
///
/// A segment is a state machine in virtual time, as a pipe is: after every call, the network asks
/// for [`next_deadline`](Self::next_deadline).
pub trait Segment<M: Memory>: Debug + Send {
    /// Handles a frame that comes in by `port`.
    fn receive(&mut self, port: usize, arrival: Arrival<M::Frame>, out: &mut Outputs<'_, M>);

    /// Processes the events that are due at `now`.
    fn handle_timeout(&mut self, _now: Time, _out: &mut Outputs<'_, M>) {}

    /// Restarts at `now` everything that changes by itself with time.
    fn begin(&mut self, _now: Time, _out: &mut Outputs<'_, M>) {}

    /// Returns the time of the next event that does not depend on a frame.
    fn next_deadline(&self) -> Option<Time> {
        None
    }

    /// Joins a link at `port`, which has none.
    fn add_port(&mut self, now: Time, port: usize, settings: &SegmentPort);

    /// Handles a new or changed link at `port`.
    fn link_changed(&mut self, now: Time, port: usize, link: LinkView, out: &mut Outputs<'_, M>);

    /// Removes the link at `port`.
    fn remove_port(&mut self, now: Time, port: usize, out: &mut Outputs<'_, M>);

    /// Returns the state of `port`.
    fn port_status(&self, port: usize) -> PortStatus;

    /// Changes a shared medium. Has no effect on other segments.
    ///
    /// # Errors
    /// The channel cannot work with the new configuration.
    fn change_medium(
        &mut self,
        _now: Time,
        _change: &MediumChange,
        _out: &mut Outputs<'_, M>,
    ) -> Result<(), RadioError> {
        Ok(())
    }

    /// Returns the next association event of a shared medium.
    fn poll_association(&mut self) -> Option<AssociationEvent> {
        None
    }

    /// Returns the state of a shared medium at `now`, or `None` for other segments.
    fn medium(&mut self, _now: Time) -> Option<MediumView> {
        None
    }

    /// Returns the shared medium for queries, or `None` for other segments.
    fn shared_medium(&mut self) -> Option<(SegmentId, &mut Medium<M::Frame>)> {
        None
    }

    /// Attaches `sniffer` to a shared medium. Has no effect on other segments.
    fn sniff(&mut self, _sniffer: Box<dyn Sniffer<M::Frame>>) {}

    /// Returns the part of the air log of a shared medium up to `now` that is new since the last
    /// call, or `None` if there is no log.
    fn take_air_log(&mut self, _now: Time, _out: &mut Outputs<'_, M>) -> Option<AirLogPart> {
        None
    }
}
