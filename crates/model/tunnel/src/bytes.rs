//! Numbers in bytes, big-endian.

/// Returns `N` bytes at `at`.
///
/// # Panics
/// If they are not there. Callers know the length.
#[inline]
pub(crate) fn chunk<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the range has N bytes")
}
