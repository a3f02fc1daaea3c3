//! How the process gets memory from the kernel: in large pieces, and without returning them all the
//! time. Not here: the memory of frames (`ports::Pool`).

/// Bytes by which a thread's heap grows beyond what it needs at the moment.
#[cfg(target_env = "gnu")]
const AHEAD: libc::c_int = 16 << 20;
/// Free bytes at the end of a heap from which on they are returned.
#[cfg(target_env = "gnu")]
const GIVEN_BACK: libc::c_int = 64 << 20;
/// Size in bytes from which on an allocation is a mapping of its own, with a system call each time.
#[cfg(target_env = "gnu")]
const APART: libc::c_int = 4 << 20;

/// Configures the C library's allocator accordingly. Must be called once, before everything else.
///
/// Otherwise the heap of a worker grows by a few pages at a time, each time by a system call that
/// waits while another thread changes the memory map of the process. Such waits can take a
/// millisecond while a thread ends. Pages do not occupy memory until they are used.
pub fn take_memory_in_large_pieces() {
    #[cfg(target_env = "gnu")]
    for (what, bytes) in [
        (libc::M_TOP_PAD, AHEAD),
        (libc::M_TRIM_THRESHOLD, GIVEN_BACK),
        (libc::M_MMAP_THRESHOLD, APART),
    ] {
        // SAFETY: takes numbers only, and locks what it changes. It fails only for invalid numbers.
        unsafe { libc::mallopt(what, bytes) };
    }
}
