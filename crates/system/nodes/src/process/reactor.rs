//! One thread that receives messages of the init processes of all nodes.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::NodeError;
use crate::process::node::Init;

/// Key of the event that ends the thread.
const STOP: u64 = 0;

/// The receiver. Dropping it ends its thread and releases all init processes.
#[derive(Debug)]
pub(crate) struct Reactor {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    epoll: Epoll,
    stop: EventFd,
    inits: Mutex<HashMap<u64, Arc<Init>>>,
}

impl Reactor {
    pub fn start() -> Result<Self, NodeError> {
        let failed = |errno: Errno| NodeError::system("listen to nodes", errno);
        let stop = EventFd::from_flags(EfdFlags::EFD_CLOEXEC).map_err(failed)?;
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(failed)?;
        epoll.add(&stop, EpollEvent::new(EpollFlags::EPOLLIN, STOP)).map_err(failed)?;
        let shared = Arc::new(Shared { epoll, stop, inits: Mutex::default() });
        let listener = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("nodes".into())
            .spawn(move || listener.run())
            .map_err(|error| NodeError::system("start a thread", error))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Receives messages of `init` from now on.
    pub fn add(&self, init: Arc<Init>) -> Result<(), Errno> {
        let mut inits = self.shared.inits();
        let key = inits.keys().max().copied().unwrap_or(STOP) + 1;
        inits.insert(key, Arc::clone(&init));
        // Edge-triggered: on each event, read all messages, and send as many as the socket accepts.
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLET;
        let event = EpollEvent::new(flags, key);
        let added = self.shared.epoll.add(init.control().as_fd(), event);
        if added.is_err() {
            inits.remove(&key);
        }
        added
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        // The write fails only if the counter is full. The thread is then about to wake anyway.
        let _ = self.shared.stop.write(1);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn inits(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<Init>>> {
        self.inits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut events = [EpollEvent::empty(); 64];
        loop {
            let count = match self.epoll.wait(&mut events, EpollTimeout::NONE) {
                Ok(count) => count,
                Err(Errno::EINTR) => continue,
                Err(_) => return,
            };
            for event in &events[..count] {
                if event.data() == STOP {
                    return self.stop();
                }
                self.receive(event.data());
            }
        }
    }

    fn receive(&self, key: u64) {
        let Some(init) = self.inits().get(&key).cloned() else { return };
        init.flush();
        if !init.receive() {
            // Fails only if it was not registered.
            let _ = self.epoll.delete(init.control().as_fd());
            self.inits().remove(&key);
        }
    }

    /// Handles the last messages of all, so that the end of each process is reported.
    fn stop(&self) {
        let inits = std::mem::take(&mut *self.inits());
        for init in inits.into_values() {
            if init.receive() {
                init.end();
            }
        }
    }
}
