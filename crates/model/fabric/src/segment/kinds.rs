//! The kinds of segments. Not here: what they have in common ([`Segment`]).

use netloom_units::Time;

use super::Segment;
use super::medium::SharedMedium;
use super::switch::new_switch;
use crate::{Memory, SegmentPort};

/// Creates the segment of `port`, without ports.
pub(crate) fn new_segment<M: Memory + 'static>(
    port: &SegmentPort,
    now: Time,
) -> Box<dyn Segment<M>> {
    match port {
        SegmentPort::Switch(port) => new_switch(port.kind()),
        SegmentPort::Station(port) => Box::new(SharedMedium::new(port, now)),
    }
}
