//! The compiled programs.

/// Programs of `block`.
pub fn block() -> &'static [u8] {
    aya::include_bytes_aligned!("../../bpf/block.bpf.o")
}

/// Programs of `scheduler`.
pub fn scheduler() -> &'static [u8] {
    aya::include_bytes_aligned!("../../bpf/scheduler.bpf.o")
}

/// Programs of `tasks`.
pub fn tasks() -> &'static [u8] {
    aya::include_bytes_aligned!("../../bpf/tasks.bpf.o")
}
