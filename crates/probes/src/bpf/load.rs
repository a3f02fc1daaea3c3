//! Programs into the kernel. They leave it when the [`Ebpf`] is dropped.

use std::error::Error;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use aya::maps::{Map, MapData, MapError, RingBuf};
use aya::programs::BtfTracePoint;
use aya::{Btf, Ebpf, EbpfLoader};

/// What a kernel says no with; it may be told to people.
pub type Why = Box<dyn Error + Send + Sync>;

/// The types of the running kernel, read once for all programs: that takes longer than loading them.
pub struct KernelTypes(Result<Btf, String>);

impl KernelTypes {
    /// Those that the kernel tells.
    pub fn of_this_machine() -> Self {
        Self(Btf::from_sys_fs().map_err(|error| in_words(&error.into())))
    }

    pub fn get(&self) -> Result<&Btf, Why> {
        self.0.as_ref().map_err(|why| why.clone().into())
    }
}

/// Loads an object into the kernel, nothing attached yet.
pub fn load<'a>(
    object: &[u8],
    btf: &'a Btf,
    set: impl FnOnce(&mut EbpfLoader<'a>),
) -> Result<Ebpf, Why> {
    let mut loader = EbpfLoader::new();
    set(loader.btf(Some(btf)));
    Ok(loader.load(object)?)
}

/// Has the kernel verify programs, for the tracepoints of their names.
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

/// The next event of a ring, if there is one, as words.
pub fn next<const N: usize>(ring: &mut RingBuf<MapData>) -> Result<Option<[u64; N]>, Why> {
    let Some(event) = ring.next() else { return Ok(None) };
    let (words, rest) = event.as_chunks::<8>();
    if words.len() != N || !rest.is_empty() {
        return Err(format!("the kernel sent an event of {} bytes", event.len()).into());
    }
    Ok(Some(std::array::from_fn(|word| u64::from_ne_bytes(words[word]))))
}

/// The inode of this process's namespace of a kind. That of networks is most tasks' that are no node's.
pub fn own_namespace(proc: &Path, kind: &str) -> Result<u32, Why> {
    Ok(u32::try_from(fs::metadata(proc.join("self/ns").join(kind))?.ino())?)
}

/// The same of PIDs, as `bpf/pids.h` has it: 0 for the first.
pub fn own_pids(proc: &Path) -> Result<u32, Why> {
    // `PROC_PID_INIT_INO` of the kernel.
    const FIRST: u32 = 0xEFFF_FFFC;
    let own = own_namespace(proc, "pid")?;
    Ok(if own == FIRST { 0 } else { own })
}

/// An error and what caused it, on one line; a verifier's log is left out.
pub fn in_words(error: &Why) -> String {
    let mut words = String::new();
    let mut next: Option<&(dyn Error + 'static)> = Some(&**error);
    while let Some(error) = next {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        if !words.contains(line) {
            let colon = if words.is_empty() { "" } else { ": " };
            words = format!("{words}{colon}{line}");
        }
        next = error.source();
    }
    words
}
