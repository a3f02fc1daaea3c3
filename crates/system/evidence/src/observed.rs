//! Lateness and losses of frames, in the words of the monitor.

use netloom_dataplane::{FrameCounts, Loss, PipeLateness};
use netloom_fabric::PipeId;
use netloom_monitor::{DropCause, LateFrames, Observation, PipeFrames};
use netloom_units::Duration;

/// Returns the observation of frames that left a pipe during the last `over`. `tolerance` is the
/// lateness beyond which the data plane has counted them.
pub fn observed(seen: PipeLateness, over: Duration, tolerance: Duration) -> Observation {
    let frames = |FrameCounts { by, beyond }| LateFrames { by, beyond, tolerance };
    Observation::Frames(PipeFrames {
        pipe: number(seen.pipe),
        over,
        late: frames(seen.late),
        at_most: frames(seen.at_most),
        busy: seen.busy,
        lost: seen.lost,
    })
}

/// Returns a pipe's number for the monitor.
pub fn number(pipe: PipeId) -> u32 {
    let number = pipe.link.index() * 2 + pipe.direction.index();
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns the monitor's word for a loss of the data plane.
pub fn cause(loss: Loss) -> DropCause {
    match loss {
        Loss::DeviceFull => DropCause::DeviceFull,
        Loss::DeviceGone => DropCause::DeviceGone,
        Loss::Rejected => DropCause::Rejected,
        Loss::Malformed => DropCause::Malformed,
        Loss::NoMemory => DropCause::NoMemory,
        Loss::Tunnel => DropCause::Tunnel,
        Loss::TunnelRefused => DropCause::TunnelRefused,
    }
}
