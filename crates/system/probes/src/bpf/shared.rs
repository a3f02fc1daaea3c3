//! An array that programs in the kernel write, mapped into our memory: reading it takes no system
//! call.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use aya::Ebpf;
use aya::maps::{Map, MapData};
use memmap2::{Mmap, MmapOptions};
use std::os::fd::{AsFd, AsRawFd};

use super::why::Why;

/// An array of values of `N` words each.
pub struct Shared<const N: usize> {
    memory: Mmap,
    /// Keeps the array in the kernel.
    _map: MapData,
}

impl<const N: usize> Shared<N> {
    /// Maps the array `name` of an object. It must be declared with `MAP_MMAPABLE`, and have so
    /// many values.
    pub fn of(ebpf: &mut Ebpf, name: &str, values: usize) -> Result<Self, Why> {
        let Some(Map::Array(map)) = ebpf.take_map(name) else {
            return Err("the object lacks an array".into());
        };
        let length = values * size_of::<[u64; N]>();
        // SAFETY: memory that others write is only read as atomics, and an array never shrinks.
        let memory = unsafe { MmapOptions::new().len(length).map(map.fd().as_fd().as_raw_fd()) }?;
        Ok(Self { memory, _map: map })
    }

    /// The current values. The first word of each is read before all others, and the second after
    /// them.
    pub fn read(&self) -> impl Iterator<Item = [u64; N]> {
        self.values().iter().map(|words| {
            let mut read: [u64; N] = std::array::from_fn(|word| {
                let order = if word == 0 { Ordering::Acquire } else { Ordering::Relaxed };
                words[word].load(order)
            });
            fence(Ordering::Acquire);
            if let (Some(read), Some(word)) = (read.get_mut(1), words.get(1)) {
                *read = word.load(Ordering::Relaxed);
            }
            read
        })
    }

    fn values(&self) -> &[[AtomicU64; N]] {
        let values = self.memory.len() / size_of::<[u64; N]>();
        // SAFETY: the memory begins at a page, is as long as so many values, and lives as long as
        // `self`. Any bits are a valid number, and words that others write while we read are
        // atomics.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), values) }
    }
}
