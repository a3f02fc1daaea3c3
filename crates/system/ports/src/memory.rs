//! A frame device in memory, for tests and tools. The engine receives what a program sends at the
//! other end, and vice versa.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::arrival_stamp::monotonic;
use crate::{Carrier, Frame, FrameBuffer, FrameDevice, HEADER_BYTES, SendError, VirtioHeader};

/// A device and the program's end of it. Each direction holds at most `capacity` frames.
///
/// # Errors
/// Fails if the kernel refuses an event descriptor.
pub fn pair(capacity: usize) -> io::Result<(MemoryDevice, MemoryPeer)> {
    let flags = EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC;
    let readable = EventFd::from_value_and_flags(0, flags)?;
    let shared = Arc::new(Shared {
        state: Mutex::new(State { carrier: true, ..State::default() }),
        changed: Condvar::new(),
        readable,
        capacity,
    });
    Ok((MemoryDevice(Arc::clone(&shared)), MemoryPeer(shared)))
}

/// The engine's end.
#[derive(Debug)]
pub struct MemoryDevice(Arc<Shared>);

/// The program's end.
#[derive(Debug)]
pub struct MemoryPeer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Readable while a frame waits for the engine.
    readable: EventFd,
    capacity: usize,
}

/// Frames with their virtio-net headers in front.
#[derive(Debug, Default)]
struct State {
    to_engine: VecDeque<Vec<u8>>,
    to_program: VecDeque<Vec<u8>>,
    carrier: bool,
    down: bool,
    /// Arrival of the oldest frame that was sent to the engine since it asked or found nothing.
    arrived: Option<u64>,
    hides_arrivals: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete when it is made, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryPeer {
    /// Sends an ordinary frame to the engine. Returns `false` if there is no room.
    pub fn send(&self, frame: &[u8]) -> bool {
        self.send_with(&VirtioHeader::default(), frame)
    }

    /// Sends a frame with a header of its own, such as a super-frame. Returns `false` if there is
    /// no room.
    pub fn send_with(&self, header: &VirtioHeader, frame: &[u8]) -> bool {
        self.push(monotonic(), header, frame)
    }

    fn push(&self, arrived: u64, header: &VirtioHeader, frame: &[u8]) -> bool {
        let mut state = self.0.lock();
        if state.to_engine.len() >= self.0.capacity {
            return false;
        }
        state.arrived.get_or_insert(arrived);
        state.to_engine.push_back([&header.encode()[..], frame].concat());
        // Cannot fail: the counter never comes near its maximum.
        let _ = self.0.readable.write(1);
        true
    }

    /// Sends an ordinary frame that has waited for `waited` in the device, unread. Returns `false`
    /// if there is no room.
    pub fn send_late(&self, waited: Duration, frame: &[u8]) -> bool {
        let waited = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
        self.push(monotonic().saturating_sub(waited), &VirtioHeader::default(), frame)
    }

    /// Makes the device not know when frames arrive, as if the kernel refused to stamp them.
    pub fn hide_arrivals(&self) {
        self.0.lock().hides_arrivals = true;
    }

    /// The next frame from the engine, with its header; `None` if none comes within `patience`.
    pub fn receive_with(&self, patience: Duration) -> Option<(VirtioHeader, Vec<u8>)> {
        let deadline = Instant::now() + patience;
        let mut state = self.0.lock();
        loop {
            if let Some(raw) = state.to_program.pop_front() {
                let (header, frame) = raw.split_first_chunk::<HEADER_BYTES>()?;
                return Some((VirtioHeader::decode(header), frame.to_vec()));
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next frame from the engine; `None` if none comes within `patience`.
    pub fn receive(&self, patience: Duration) -> Option<Vec<u8>> {
        self.receive_with(patience).map(|(_, frame)| frame)
    }

    /// Whether the engine has switched the carrier on.
    pub fn carrier(&self) -> bool {
        self.0.lock().carrier
    }

    /// Takes the interface down or up, as its owner would.
    pub fn set_down(&self, down: bool) {
        self.0.lock().down = down;
    }
}

impl FrameDevice for MemoryDevice {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.readable.as_fd())
    }

    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool> {
        let mut state = self.0.lock();
        let Some(raw) = state.to_engine.pop_front() else {
            state.arrived = None;
            return Ok(false);
        };
        if state.to_engine.is_empty() {
            // Fails only if the counter is already zero, which is the aim.
            let _ = self.0.readable.read();
        }
        let (head, tail) = into.room();
        let cut = raw.len().min(head.len());
        let rest = raw.len().min(head.len() + tail.len()) - cut;
        head[..cut].copy_from_slice(&raw[..cut]);
        tail[..rest].copy_from_slice(&raw[cut..cut + rest]);
        into.set_filled(cut + rest);
        Ok(true)
    }

    fn knows_arrivals(&self) -> bool {
        !self.0.lock().hides_arrivals
    }

    fn take_arrival(&mut self) -> Option<u64> {
        let mut state = self.0.lock();
        state.arrived.take().filter(|_| !state.hides_arrivals)
    }

    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        let mut state = self.0.lock();
        if state.down {
            return Err(SendError::InterfaceDown);
        }
        if state.to_program.len() >= self.0.capacity {
            return Err(SendError::Full);
        }
        let (start, rest) = frame.raw_parts();
        state.to_program.push_back([start, rest].concat());
        self.0.changed.notify_one();
        Ok(())
    }

    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        Some(Box::new(MemoryCarrier(Arc::clone(&self.0))))
    }
}

struct MemoryCarrier(Arc<Shared>);

impl Carrier for MemoryCarrier {
    fn set(&self, up: bool) -> io::Result<()> {
        self.0.lock().carrier = up;
        Ok(())
    }
}
