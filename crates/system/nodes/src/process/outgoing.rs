//! Messages to an init process that must not make anybody wait: what its socket does not take at
//! once stands in a queue, which the reactor empties when there is room again.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process::control::{Control, ToInit};

/// How many messages may stand in the queue of an init process that does not read.
const LONGEST_QUEUE: usize = 4096;

/// The queue of one init process.
#[derive(Debug, Default)]
pub(crate) struct Outgoing(Mutex<VecDeque<(ToInit, Vec<OwnedFd>)>>);

impl Outgoing {
    /// Sends a message now or later, and closes `fds` when it is sent.
    ///
    /// # Errors
    /// `EAGAIN` if the queue is full; whatever the socket says, such as `EPIPE`.
    pub fn send(&self, control: &Control, message: ToInit, fds: Vec<OwnedFd>) -> io::Result<()> {
        // Held while the socket is tried, so that the reactor does not miss what it must send.
        let mut queue = self.lock();
        if queue.is_empty() {
            match control.try_send(&message, &fds) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
        if queue.len() >= LONGEST_QUEUE {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        queue.push_back((message, fds));
        Ok(())
    }

    /// Sends what stands in the queue, as far as the socket takes it.
    pub fn flush(&self, control: &Control) {
        let mut queue = self.lock();
        while let Some((message, fds)) = queue.front() {
            match control.try_send(message, fds) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // An error means that init is gone: whoever waits hears it from there.
                Ok(()) | Err(_) => _ = queue.pop_front(),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(ToInit, Vec<OwnedFd>)>> {
        // A message comes or goes in one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
