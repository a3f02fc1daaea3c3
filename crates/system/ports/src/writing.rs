//! Writes a frame to a descriptor of the kernel. Not here: what an error means to a device.
//!
//! Writes go to the kernel directly (`rustix`), as reads do. In a process with threads the C
//! library makes each of them a cancellation point, which is expensive in a flood of small frames.

use std::io::IoSlice;
use std::os::fd::AsFd;

use rustix::io::{Errno, write, writev};

use crate::Frame;

/// Writes `frame` with its header, in one piece.
///
/// # Errors
/// Returns the kernel's error. Interruptions by signals are retried.
#[inline]
pub(crate) fn write_frame(fd: impl AsFd, frame: &Frame) -> Result<(), Errno> {
    let (start, rest) = frame.raw_parts();
    loop {
        let written = if rest.is_empty() {
            write(&fd, start)
        } else {
            writev(&fd, &[IoSlice::new(start), IoSlice::new(rest)])
        };
        match written {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}
