//! A pipe in virtual time: frames are offered at given times, and all results are collected.
#![allow(dead_code)]

use netloom_link::{Frame, FrameInfo, Pipe};
use netloom_units::Time;

/// Offers the frames at their times, which must not decrease, and runs the pipe until it is empty.
/// `take` is called at every time at which there may be something to take from the pipe. Frames
/// that the pipe does not accept are discarded.
pub fn run<F: Frame>(
    pipe: &mut Pipe<F>,
    offers: impl IntoIterator<Item = (Time, FrameInfo, F)>,
    mut take: impl FnMut(&mut Pipe<F>, Time),
) {
    let mut now = Time::ZERO;
    for (at, info, frame) in offers {
        while let Some(deadline) = pipe.next_deadline().filter(|deadline| *deadline <= at) {
            take(pipe, deadline);
        }
        now = at;
        let _ = pipe.offer(now, info, frame);
    }
    while let Some(deadline) = pipe.next_deadline() {
        now = now.max(deadline);
        take(pipe, now);
    }
    take(pipe, now);
}
