//! The library that is loaded into a user-mode kernel before the C library, and replaces some of
//! its functions.
//!
//! `ptrace`: the kernel of the package reads and writes the registers of its processes with a
//! buffer of 2696 bytes for the vector state, which is enough for AVX-512. The machine's kernel
//! accepts only buffers for the whole state of its CPU, which is larger if the CPU has more (AMX:
//! 11,008 bytes), and fails with `EFAULT` otherwise: without this library, the first process would
//! die there. The part of the state that the user-mode kernel does not support remains unchanged in
//! the process.
//!
//! `clock`: functions of time, which can be dilated.

#![no_std]

mod clock;

use core::ffi::{c_int, c_long, c_void};
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

const SYS_PTRACE: c_long = 101;
const PEEKS: core::ops::RangeInclusive<c_long> = 1..=3;
const GET_REGISTERS: c_long = 0x4204;
const SET_REGISTERS: c_long = 0x4205;
/// `NT_X86_XSTATE`.
const VECTOR_STATE: c_long = 0x202;
const EFAULT: c_int = 14;

/// Length in bytes of a buffer for the state of any foreseeable CPU.
const ROOM: usize = 64 * 1024;

#[repr(C, align(64))]
struct State([u8; ROOM]);

static mut STATE: State = State([0; ROOM]);

/// `struct iovec`.
#[repr(C)]
struct Part {
    base: *mut c_void,
    length: usize,
}

unsafe extern "C" {
    pub(crate) fn syscall(number: c_long, ...) -> c_long;
    fn __errno_location() -> *mut c_int;
}

/// Replaces the function of the C library.
///
/// # Safety
/// As for the system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptrace(
    request: c_long,
    process: c_long,
    address: c_long,
    data: *mut c_void,
) -> c_long {
    // The C library declares the request as an `int`: the upper half may contain anything.
    let request = c_long::from(request as c_int);
    let process = c_long::from(process as c_int);
    // SAFETY: the caller's arguments are passed on; `STATE` is used by one thread only, because a
    // user-mode kernel has only one.
    unsafe {
        if PEEKS.contains(&request) {
            // The system call stores what it reads; the function returns it.
            let mut word: c_long = 0;
            let done = syscall(SYS_PTRACE, request, process, address, &raw mut word);
            if done < 0 {
                return done;
            }
            *__errno_location() = 0;
            return word;
        }
        let done = syscall(SYS_PTRACE, request, process, address, data);
        let is_state = request == SET_REGISTERS && address == VECTOR_STATE;
        if done == 0 || !is_state || *__errno_location() != EFAULT {
            return done;
        }
        let given = &*data.cast::<Part>();
        let mut whole = Part { base: addr_of_mut!(STATE).cast(), length: ROOM };
        let read = syscall(SYS_PTRACE, GET_REGISTERS, process, address, &raw mut whole);
        if read != 0 || given.length > whole.length {
            *__errno_location() = EFAULT;
            return -1;
        }
        let (from, to) = (given.base.cast::<u8>(), whole.base.cast::<u8>());
        let mut place = 0;
        while place < given.length {
            to.add(place).write_volatile(from.add(place).read());
            place += 1;
        }
        syscall(SYS_PTRACE, SET_REGISTERS, process, address, &raw mut whole)
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
