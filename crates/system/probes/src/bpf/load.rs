//! Loads programs into the kernel. They are unloaded when the [`Ebpf`] is dropped.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use aya::maps::{Map, MapData, MapError, RingBuf};
use aya::programs::BtfTracePoint;
use aya::{Btf, Ebpf, EbpfLoader};
use netloom_units::Duration;

use super::objects;
use super::types::KernelTypes;
use super::why::{Why, in_words};

/// Data that all programs are loaded with: the types of the running kernel, and constants that say
/// what to watch.
pub struct Kernel(Result<Known, String>);

struct Known {
    types: KernelTypes,
    own_netns: u32,
    own_pids: u32,
    watch_nodes: u32,
    tell_wait_ns: u64,
}

impl Kernel {
    /// Data of this machine. There are at most `nodes` nodes. Waits are reported if they are longer
    /// than `tolerated`.
    pub fn of_this_machine(nodes: usize, tolerated: Duration, proc: &Path) -> Self {
        let objects = [objects::block(), objects::scheduler(), objects::tasks()];
        let known = || {
            Ok(Known {
                own_netns: own_namespace(proc, "net")?,
                own_pids: own_pids(proc)?,
                watch_nodes: u32::from(nodes > 0),
                tell_wait_ns: tolerated.as_nanos(),
                types: KernelTypes::of_this_machine(&objects)?,
            })
        };
        Self(known().map_err(|why: Why| in_words(&why)))
    }
}

/// Loads objects. One loader is used for all of them, because each new one reads the kernel's
/// types, which takes longer than loading.
pub struct Loader<'k> {
    known: Result<&'k Known, &'k String>,
    loader: EbpfLoader<'k>,
}

impl<'k> Loader<'k> {
    pub fn new(Kernel(known): &'k Kernel) -> Self {
        let mut loader = EbpfLoader::new();
        if let Ok(known) = known {
            loader
                .btf(Some(&known.types.fields))
                // Not every object has all of these.
                .override_global("own_netns", &known.own_netns, false)
                .override_global("own_pids", &known.own_pids, false)
                .override_global("watch_nodes", &known.watch_nodes, false)
                .override_global("tell_wait_ns", &known.tell_wait_ns, false);
        }
        Self { known: known.as_ref(), loader }
    }

    /// Creates an object's maps in the kernel, with room for the numbers of entries in `room`.
    /// Nothing is attached yet.
    pub fn load(&mut self, object: &[u8], room: &[(&'static str, u32)]) -> Result<Ebpf, Why> {
        self.types()?;
        for (map, entries) in room {
            self.loader.map_max_entries(map, *entries);
        }
        Ok(self.loader.load(object)?)
    }

    /// The types with the numbers of what programs attach to.
    pub fn types(&self) -> Result<&'k Btf, Why> {
        Ok(&self.known.map_err(String::clone)?.types.attachments)
    }
}

/// Makes the kernel verify programs, whose names are those of their tracepoints.
pub fn verify(ebpf: &mut Ebpf, btf: &Btf, tracepoints: &[&str]) -> Result<(), Why> {
    tracepoints.iter().try_for_each(|name| Ok(program(ebpf, name)?.load(name, btf)?))
}

/// Attaches verified programs to their tracepoints.
pub fn attach(ebpf: &mut Ebpf, tracepoints: &[&str]) -> Result<(), Why> {
    tracepoints.iter().try_for_each(|name| {
        program(ebpf, name)?.attach()?;
        Ok(())
    })
}

fn program<'e>(ebpf: &'e mut Ebpf, name: &str) -> Result<&'e mut BtfTracePoint, Why> {
    Ok(ebpf.program_mut(name).ok_or("the object lacks a program")?.try_into()?)
}

/// Takes a map out of an object.
pub fn map<M: TryFrom<Map, Error = MapError>>(ebpf: &mut Ebpf, name: &str) -> Result<M, Why> {
    Ok(ebpf.take_map(name).ok_or("the object lacks a map")?.try_into()?)
}

/// The next event of a ring as words, if there is one.
///
/// # Errors
/// Fails if the event does not have `N` words.
pub fn next<const N: usize>(ring: &mut RingBuf<MapData>) -> Result<Option<[u64; N]>, Why> {
    let Some(event) = ring.next() else { return Ok(None) };
    let (words, rest) = event.as_chunks::<8>();
    if words.len() != N || !rest.is_empty() {
        return Err(format!("the kernel sent an event of {} bytes", event.len()).into());
    }
    Ok(Some(std::array::from_fn(|word| u64::from_ne_bytes(words[word]))))
}

/// The inode of this process's namespace of a kind. Most tasks that belong to no node are in its
/// network namespace.
fn own_namespace(proc: &Path, kind: &str) -> Result<u32, Why> {
    Ok(u32::try_from(fs::metadata(proc.join("self/ns").join(kind))?.ino())?)
}

/// The inode of the own PID namespace, as `bpf/pids.h` expects it: 0 for the first namespace.
fn own_pids(proc: &Path) -> Result<u32, Why> {
    // `PROC_PID_INIT_INO` in the kernel.
    const FIRST: u32 = 0xEFFF_FFFC;
    let own = own_namespace(proc, "pid")?;
    Ok(if own == FIRST { 0 } else { own })
}
