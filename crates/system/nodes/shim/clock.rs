//! The functions from which a user-mode kernel gets its time. Time is dilated from a moment on that
//! the engine writes to a file, which is the kernel's standard input.
//!
//! Before that moment, the kernel's time is the machine's. From then on it passes `millionths` /
//! 10⁶ times as slowly, without a step. Timers of the kernel are relative, so only durations are
//! converted there. A timer that is set at that moment expires early or late once.

use core::ffi::{c_int, c_long, c_void};
use core::ptr::{self, addr_of, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use crate::syscall;

const SYS_MMAP: c_long = 9;
const SYS_TIMER_CREATE: c_long = 222;
const SYS_TIMER_SETTIME: c_long = 223;
const SYS_TIMER_GETTIME: c_long = 224;
const SYS_CLOCK_GETTIME: c_long = 228;

const REALTIME: c_int = 0;
const MONOTONIC: c_int = 1;
const PROT_READ: c_long = 1;
const MAP_SHARED: c_long = 1;
const STANDARD_INPUT: c_long = 0;

const SECOND: u64 = 1_000_000_000;
const MILLION: u64 = 1_000_000;

/// Content of the file, which the engine writes (`nodes::own_kernel::clock`).
#[repr(C)]
struct Page {
    /// Written last: whether the rest is complete.
    is_written: AtomicU8,
    unused: [u8; 7],
    /// The moment on `CLOCK_REALTIME` and on `CLOCK_MONOTONIC`, in ns.
    moment: [u64; 2],
    /// How many times slower time passes from then on, in millionths.
    millionths: u64,
}

/// Page of a kernel without a file: time is never dilated.
static NEVER: Page =
    Page { is_written: AtomicU8::new(0), unused: [0; 7], moment: [0; 2], millionths: MILLION };

static PAGE: AtomicPtr<Page> = AtomicPtr::new(null_mut());

/// Returns the page, once the moment of the dilation is known.
fn page() -> Option<&'static Page> {
    let mut page = PAGE.load(Ordering::Relaxed);
    if page.is_null() {
        page = map();
        PAGE.store(page, Ordering::Relaxed);
    }
    // SAFETY: the page is mapped as long as the program lives, and is no longer written once
    // `is_written` is set.
    let page = unsafe { &*page };
    (page.is_written.load(Ordering::Acquire) != 0).then_some(page)
}

fn map() -> *mut Page {
    let (length, offset) = (4096 as c_long, 0 as c_long);
    let anywhere: c_long = 0;
    // SAFETY: requests a mapping that nothing else uses.
    let mapped = unsafe {
        syscall(SYS_MMAP, anywhere, length, PROT_READ, MAP_SHARED, STANDARD_INPUT, offset)
    };
    // -1 if there is no such file. A file without a page would end the program on reading.
    if mapped == -1 { addr_of!(NEVER).cast_mut() } else { mapped as *mut Page }
}

/// `struct timespec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TimeSpec {
    seconds: i64,
    nanos: i64,
}

impl TimeSpec {
    fn to_nanos(self) -> u64 {
        (self.seconds as u64).wrapping_mul(SECOND).wrapping_add(self.nanos as u64)
    }

    fn of_nanos(nanos: u64) -> Self {
        Self { seconds: (nanos / SECOND) as i64, nanos: (nanos % SECOND) as i64 }
    }
}

/// `struct timeval`.
#[repr(C)]
pub struct TimeVal {
    seconds: i64,
    micros: i64,
}

/// `struct itimerspec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TimerSpec {
    interval: TimeSpec,
    value: TimeSpec,
}

impl TimerSpec {
    fn each(self, of: impl Fn(u64) -> u64) -> Self {
        let convert = |time: TimeSpec| TimeSpec::of_nanos(of(time.to_nanos()));
        Self { interval: convert(self.interval), value: convert(self.value) }
    }
}

impl Page {
    /// Returns the kernel's time that passes in `machine`, rounded down.
    fn to_kernel(&self, machine: u64) -> u64 {
        // Checked operations contain no panic, which would need a library that is not available
        // here.
        let divide = |what: u64| what.checked_div(self.millionths).unwrap_or(what);
        let whole = divide(machine);
        let rest = machine - whole * self.millionths;
        whole * MILLION + divide(rest * MILLION)
    }

    /// Returns the machine's time in which `kernel` passes, rounded up, so that no timer expires
    /// too early.
    fn to_machine(&self, kernel: u64) -> u64 {
        let (whole, rest) = (kernel / MILLION, kernel % MILLION);
        whole * self.millionths + (rest * self.millionths).div_ceil(MILLION)
    }

    /// Returns what a clock of the kernel shows when the machine's shows `time`.
    fn shown(&self, clock: c_int, time: u64) -> u64 {
        let moment = self.moment[usize::from(clock == MONOTONIC)];
        if time <= moment { time } else { moment + self.to_kernel(time - moment) }
    }

    /// Whether time is dilated now.
    fn has_begun(&self) -> bool {
        let mut now = TimeSpec::of_nanos(0);
        // SAFETY: the kernel writes the time during the call.
        let done =
            unsafe { syscall(SYS_CLOCK_GETTIME, c_long::from(MONOTONIC), ptr::from_mut(&mut now)) };
        done == 0 && now.to_nanos() > self.moment[1]
    }
}

/// Replaces the function of the C library.
///
/// # Safety
/// As for the system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, to: *mut TimeSpec) -> c_int {
    // SAFETY: the caller's arguments are passed on.
    let done = unsafe { syscall(SYS_CLOCK_GETTIME, c_long::from(clock), to) };
    if done == 0
        && matches!(clock, REALTIME | MONOTONIC)
        && let Some(page) = page()
    {
        // SAFETY: the system call has written there.
        unsafe { *to = TimeSpec::of_nanos(page.shown(clock, (*to).to_nanos())) };
    }
    done as c_int
}

/// Replaces the function of the C library. Nobody uses its time zones.
///
/// # Safety
/// As for the system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(to: *mut TimeVal, _: *mut c_void) -> c_int {
    let mut time = TimeSpec::of_nanos(0);
    // SAFETY: the time lives through the call; the caller has room for its result.
    unsafe {
        let done = clock_gettime(REALTIME, &raw mut time);
        if done == 0 && !to.is_null() {
            *to = TimeVal { seconds: time.seconds, micros: time.nanos / 1000 };
        }
        done
    }
}

/// Replaces the function of the C library, which may number timers differently from the kernel.
///
/// # Safety
/// As for the system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_create(
    clock: c_int,
    event: *mut c_void,
    timer: *mut *mut c_void,
) -> c_int {
    let mut number: c_int = 0;
    // SAFETY: the caller's event has the kernel's format unless it asks for a thread; the number
    // lives through the call.
    unsafe {
        let done = syscall(SYS_TIMER_CREATE, c_long::from(clock), event, &raw mut number);
        if done == 0 {
            *timer = number as usize as *mut c_void;
        }
        done as c_int
    }
}

/// Replaces the function of the C library.
///
/// # Safety
/// As for the system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_settime(
    timer: *mut c_void,
    flags: c_int,
    new: *const TimerSpec,
    old: *mut TimerSpec,
) -> c_int {
    // SAFETY: the caller's arguments are passed on; the converted time lives through the call.
    unsafe {
        let page = page().filter(|page| page.has_begun());
        let given = match page {
            Some(page) => (*new).each(|time| page.to_machine(time)),
            None => *new,
        };
        let timer = timer as c_long;
        let done = syscall(SYS_TIMER_SETTIME, timer, c_long::from(flags), &raw const given, old);
        if done == 0 && !old.is_null() && let Some(page) = page {
            *old = (*old).each(|time| page.to_kernel(time));
        }
        done as c_int
    }
}

/// Replaces the function of the C library.
///
/// # Safety
/// As for the system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_gettime(timer: *mut c_void, to: *mut TimerSpec) -> c_int {
    // SAFETY: the caller's arguments are passed on, with room for the result.
    unsafe {
        let done = syscall(SYS_TIMER_GETTIME, timer as c_long, to);
        if done == 0 && let Some(page) = page().filter(|page| page.has_begun()) {
            *to = (*to).each(|time| page.to_kernel(time));
        }
        done as c_int
    }
}
