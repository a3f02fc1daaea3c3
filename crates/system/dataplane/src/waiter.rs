//! Sleeps until a device is readable, a command has come, or a time has passed, exact to the
//! nanosecond if the kernel supports it. Not here: how long to sleep.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::Arc;

use netloom_fabric::PortId;
use netloom_units::{Dilation, Duration};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timeout {
    /// Do not wait.
    None,
    /// Wait at most for this long, in the experiment's time.
    For(Duration),
    /// Wait until something happens.
    Endless,
}

/// Wakes a waiter from another thread.
#[derive(Debug, Clone)]
pub(crate) struct Waker(Arc<EventFd>);

impl Waker {
    pub fn wake(&self) {
        // Fails only if the counter is full, and the waiter wakes in that case anyway.
        let _ = self.0.write(1);
    }
}

/// Tokens of the waiter's own descriptors.
const WAKER: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;
/// Token of the socket to other machines.
const PEERS: u64 = u64::MAX - 2;
const EVENTS: usize = 256;

/// An event queue over devices, with a waker and a timer.
pub(crate) struct Waiter {
    dilation: Dilation,
    epoll: Epoll,
    waker: Waker,
    /// Replaces `epoll_pwait2` on kernels (and in sandboxes) without it.
    timer: Option<TimerFd>,
    events: [libc::epoll_event; EVENTS],
    ready: usize,
    woken: bool,
    has_peers: bool,
}

impl Waiter {
    /// Creates a waiter whose waits are multiplied by `dilation`.
    pub fn new(dilation: Dilation) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let flags = EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC;
        let waker = Waker(Arc::new(EventFd::from_value_and_flags(0, flags)?));
        epoll.add(&*waker.0, EpollEvent::new(EpollFlags::EPOLLIN, WAKER))?;
        let events = [libc::epoll_event { events: 0, u64: 0 }; EVENTS];
        let (timer, ready, woken, has_peers) = (None, 0, false, false);
        Ok(Self { dilation, epoll, waker, timer, events, ready, woken, has_peers })
    }

    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Reports `token` whenever `fd` is readable or broken.
    pub fn watch(&self, fd: BorrowedFd<'_>, token: PortId) -> io::Result<()> {
        Ok(self.epoll.add(fd, EpollEvent::new(EpollFlags::EPOLLIN, token.0.into()))?)
    }

    /// Reports whenever the socket to other machines is readable.
    pub fn watch_peers(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        Ok(self.epoll.add(fd, EpollEvent::new(EpollFlags::EPOLLIN, PEERS))?)
    }

    /// Stops reporting `fd`.
    pub fn forget(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        Ok(self.epoll.delete(fd)?)
    }

    /// Waits. Afterwards, [`ready`](Self::ready) and [`woken`](Self::woken) describe what has
    /// happened.
    pub fn wait(&mut self, timeout: Timeout) -> io::Result<()> {
        (self.ready, self.woken, self.has_peers) = (0, false, false);
        let ready = match timeout {
            Timeout::None => self.epoll_wait(0),
            Timeout::Endless => self.epoll_wait(-1),
            Timeout::For(time) => self.wait_for(self.dilation.to_machine(time)),
        };
        let ready = match ready {
            // Something stopped the process, or tried to: frames may have come meanwhile.
            Err(Errno::EINTR) => self.epoll_wait(0),
            ready => ready,
        };
        self.take(ready)?;
        if self.woken && timeout != Timeout::None {
            // The thread may have been stopped on its way from the wake-up to here.
            let ready = self.epoll_wait(0);
            let woken = std::mem::replace(&mut self.woken, false);
            self.take(ready)?;
            self.woken |= woken;
        }
        Ok(())
    }

    fn take(&mut self, ready: Result<usize, Errno>) -> io::Result<()> {
        match ready {
            Ok(ready) => self.ready = ready,
            Err(Errno::EINTR) => self.ready = 0,
            Err(errno) => return Err(errno.into()),
        }
        self.note_own_events();
        Ok(())
    }

    /// Returns the number of events of the last wait.
    pub fn ready(&self) -> usize {
        self.ready
    }

    /// Whether there may be more events than the last wait returned.
    pub fn is_full(&self) -> bool {
        self.ready == EVENTS
    }

    /// Returns the token of event number `index`, or `None` if the event is the waiter's own.
    pub fn token(&self, index: usize) -> Option<PortId> {
        let token = self.events[index].u64;
        u32::try_from(token).ok().map(PortId)
    }

    /// Whether the waker was used.
    pub fn woken(&self) -> bool {
        self.woken
    }

    /// Whether the socket to other machines is readable.
    pub fn has_peers(&self) -> bool {
        self.has_peers
    }

    fn note_own_events(&mut self) {
        for index in 0..self.ready {
            match self.events[index].u64 {
                WAKER => {
                    self.woken = true;
                    // Fails only if another read was first, which has the same effect.
                    let _ = self.waker.0.read();
                }
                // A timer that expired late, after another event: stop it.
                TIMER => {
                    let _ = self.timer.as_ref().map(TimerFd::unset);
                }
                PEERS => self.has_peers = true,
                _ => {}
            }
        }
    }

    fn wait_for(&mut self, time: Duration) -> Result<usize, Errno> {
        if self.timer.is_none() {
            match self.epoll_pwait2(time) {
                Err(Errno::ENOSYS | Errno::EPERM) => self.timer = Some(self.new_timer()?),
                outcome => return outcome,
            }
        }
        let Some(timer) = &self.timer else { return Err(Errno::ENOSYS) };
        let time = TimeSpec::from_duration(time.max(Duration::from_nanos(1)).into());
        timer.set(Expiration::OneShot(time), TimerSetTimeFlags::empty())?;
        self.epoll_wait(-1)
    }

    fn new_timer(&self) -> Result<TimerFd, Errno> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        self.epoll.add(timer.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        Ok(timer)
    }

    fn epoll_wait(&mut self, millis: libc::c_int) -> Result<usize, Errno> {
        // SAFETY: the pointer and the length are those of the array, which the kernel fills.
        let ready = unsafe {
            let fd = self.epoll.0.as_raw_fd();
            libc::epoll_wait(fd, self.events.as_mut_ptr(), EVENTS as libc::c_int, millis)
        };
        Errno::result(ready).map(|ready| ready as usize)
    }

    /// By its number, because not every supported C library has the function.
    fn epoll_pwait2(&mut self, time: Duration) -> Result<usize, Errno> {
        let time = TimeSpec::from_duration(time.into());
        // SAFETY: as above; the timeout lives until the call returns, and a null signal mask is
        // allowed with any size.
        let ready = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.0.as_raw_fd(),
                self.events.as_mut_ptr(),
                EVENTS as libc::c_int,
                time.as_ref() as *const libc::timespec,
                ptr::null::<libc::sigset_t>(),
                8usize,
            )
        };
        Errno::result(ready).map(|ready| ready as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const SHORT: Duration = Duration::from_millis(2);

    fn sleeps_at_least(waiter: &mut Waiter) {
        let start = Instant::now();
        waiter.wait(Timeout::For(SHORT)).unwrap();
        assert!(start.elapsed() >= SHORT.into() && !waiter.woken());
    }

    #[test]
    fn it_sleeps_until_the_time_is_up_or_it_is_woken() {
        let mut waiter = Waiter::new(Dilation::NONE).unwrap();
        sleeps_at_least(&mut waiter);
        waiter.waker().wake();
        waiter.wait(Timeout::Endless).unwrap();
        assert!(waiter.woken());
        waiter.wait(Timeout::None).unwrap();
        assert!(!waiter.woken());
    }

    #[test]
    fn dilated_it_sleeps_longer() {
        let mut waiter = Waiter::new("20".parse().unwrap()).unwrap();
        let start = Instant::now();
        waiter.wait(Timeout::For(SHORT)).unwrap();
        assert!(start.elapsed() >= std::time::Duration::from_millis(40));
    }

    #[test]
    fn the_timer_stands_in_for_epoll_pwait2() {
        let mut waiter = Waiter::new(Dilation::NONE).unwrap();
        waiter.timer = Some(waiter.new_timer().unwrap());
        sleeps_at_least(&mut waiter);
        sleeps_at_least(&mut waiter);
        waiter.waker().wake();
        waiter.wait(Timeout::For(Duration::from_secs(1000))).unwrap();
        assert!(waiter.woken());
        waiter.wait(Timeout::None).unwrap();
        assert_eq!(waiter.ready(), 0);
    }
}
