//! How the process gets its memory from the kernel: in large pieces, and without giving them back all the time. Not here:
//! the memory of frames (`ports::Pool`).

/// By this much the heap of a thread is larger than what it has just used.
#[cfg(target_env = "gnu")]
const AHEAD: libc::c_int = 16 << 20;
/// So much that is free at the end of a heap is given back.
#[cfg(target_env = "gnu")]
const GIVEN_BACK: libc::c_int = 64 << 20;
/// From this size on, memory is a piece of its own, got and given back by a system call each time.
#[cfg(target_env = "gnu")]
const APART: libc::c_int = 4 << 20;

/// Tells the C library's allocator so. To be called once, before all else.
///
/// Otherwise the heap of a worker grows by some pages at a time, each time by a system call that waits for whatever
/// another thread changes of the process's memory: workers were seen to wait for a millisecond while a thread ended.
/// Pages are the machine's until they are touched, all the same.
pub fn take_memory_in_large_pieces() {
    #[cfg(target_env = "gnu")]
    for (what, bytes) in [
        (libc::M_TOP_PAD, AHEAD),
        (libc::M_TRIM_THRESHOLD, GIVEN_BACK),
        (libc::M_MMAP_THRESHOLD, APART),
    ] {
        // SAFETY: takes numbers only, and locks what it changes. It fails for other numbers only.
        unsafe { libc::mallopt(what, bytes) };
    }
}
