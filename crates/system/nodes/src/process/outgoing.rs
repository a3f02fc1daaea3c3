//! Messages to an init process, sent without waiting: those that its socket does not accept
//! immediately are queued, and the reactor sends them when there is room again.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process::control::{Control, ToInit};

/// Largest number of queued messages for an init process that does not read.
const LONGEST_QUEUE: usize = 4096;

/// Queue of one init process.
#[derive(Debug, Default)]
pub(crate) struct Outgoing(Mutex<VecDeque<(ToInit, Vec<OwnedFd>)>>);

impl Outgoing {
    /// Sends a message now or later, and closes `fds` when it is sent.
    ///
    /// # Errors
    /// `EAGAIN` if the queue is full; otherwise errors of the socket, such as `EPIPE`.
    pub fn send(&self, control: &Control, message: ToInit, fds: Vec<OwnedFd>) -> io::Result<()> {
        // Hold the lock while trying the socket, so that the reactor does not miss a queued
        // message.
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

    /// Sends queued messages, as many as the socket accepts.
    pub fn flush(&self, control: &Control) {
        let mut queue = self.lock();
        while let Some((message, fds)) = queue.front() {
            match control.try_send(message, fds) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // An error means that init is gone. Its end is reported to everybody who waits for
                // it.
                Ok(()) | Err(_) => _ = queue.pop_front(),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(ToInit, Vec<OwnedFd>)>> {
        // A message is added or removed in one step, so a poisoned lock does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
