//! A pipe in virtual time: frames offered at given times, and everything that comes of it.
#![allow(dead_code)]

use netloom_link::{Frame, FrameInfo, Pipe};
use netloom_units::Time;

/// Offers the frames at their times, which do not go back, and lets the pipe run empty. `take` is called at
/// every time at which there may be something to take from the pipe; what the pipe does not accept is
/// thrown away.
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
