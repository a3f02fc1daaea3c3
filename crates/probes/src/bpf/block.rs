//! Stretches of disks with requests pending, from the block layer's tracepoints: exact, however short a
//! moment without requests is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use aya::Ebpf;
use aya::maps::{HashMap, MapData, RingBuf};
use netloom_monitor::{BusyStretch, Observation, Party, SignalKind, Subject};
use netloom_units::{Duration, Time};

use super::clock::Clock;
use super::load::{KernelTypes, Why, attach, load, map, next, verify};
use super::looking::Look;
use crate::places::Places;
use crate::probe::{Sink, watches};

const NAME: &str = "eBPF on block_rq_issue";
const SIGNAL: SignalKind = SignalKind::Disk;
const PERIOD: Duration = Duration::from_millis(50);

pub struct Block {
    /// Keeps the programs in the kernel.
    _ebpf: Ebpf,
    /// Since when, how many pending, events lost.
    disks: HashMap<MapData, u32, [u64; 3]>,
    stretches: RingBuf<MapData>,
    clock: Clock,
    by_number: PathBuf,
    told: BTreeMap<u32, Told>,
    named: BTreeSet<u32>,
}

/// Programs that are in the kernel and not attached.
pub struct PreparedBlock(Ebpf);

/// Ends before beginnings: a request that is seen to begin is seen to end.
const TRACEPOINTS: [&str; 3] = ["block_rq_complete", "block_rq_requeue", "block_rq_issue"];

/// What was told of a disk.
#[derive(Debug, Default)]
struct Told {
    /// The stretch that is being told, and how far it was.
    since: u64,
    until: u64,
    /// The end of the last that had an event.
    ended: u64,
    lost: u64,
}

impl Block {
    /// The names of its signals' probe, for those who cannot have it.
    pub const NAMED: (&str, &[SignalKind]) = (NAME, &[SIGNAL]);

    /// Puts the programs into the kernel, where they do nothing yet.
    pub fn prepare(types: &KernelTypes) -> Result<PreparedBlock, Why> {
        let btf = types.get()?;
        let mut ebpf = load(aya::include_bytes_aligned!("../../bpf/block.bpf.o"), btf, |_| {})?;
        verify(&mut ebpf, btf, &TRACEPOINTS)?;
        Ok(PreparedBlock(ebpf))
    }

    /// Begins to watch.
    pub fn start(PreparedBlock(mut ebpf): PreparedBlock, places: &Places) -> Result<Self, Why> {
        attach(&mut ebpf, &TRACEPOINTS)?;
        Ok(Self {
            disks: map(&mut ebpf, "disks")?,
            stretches: map(&mut ebpf, "stretches")?,
            _ebpf: ebpf,
            clock: Clock::default(),
            by_number: places.sys.join("dev/block"),
            told: BTreeMap::new(),
            named: BTreeSet::new(),
        })
    }

    /// Tells a stretch as it was at `now`.
    fn tell(&mut self, at: Time, disk: u32, since: u64, now: u64, is_over: bool, sink: Sink<'_>) {
        self.name(disk, sink);
        let told = self.told.entry(disk).or_default();
        let before = if told.since == since { told.until } else { since };
        (told.since, told.until) = (since, now.max(before));
        let by = vec![(Party::Unattributed, told.until - before)];
        let began = self.clock.ago(at, since);
        let ended = is_over.then(|| self.clock.ago(at, now));
        sink(Observation::DiskStretch {
            disk,
            stretch: BusyStretch { number: since, began, ended, by },
        });
    }

    /// Tells the name of a disk, once.
    fn name(&mut self, disk: u32, sink: Sink<'_>) {
        if self.named.insert(disk) {
            let number = format!("{}:{}", disk >> 20, disk & 0xf_ffff);
            let link = fs::read_link(self.by_number.join(&number)).ok();
            let name = link.as_deref().and_then(|link| link.file_name());
            let name = name.map_or(number, |name| name.to_string_lossy().into_owned());
            sink(Observation::Named { what: Subject::Disk(disk), name });
        }
    }
}

impl Look for Block {
    const NAME: &'static str = NAME;
    const SIGNAL: SignalKind = SIGNAL;
    const CANNOT_SEE: &'static str =
        "requests that were pending before the first look are not seen";

    fn period(&self) -> Duration {
        PERIOD
    }

    fn look(&mut self, at: Time, sink: Sink<'_>) -> Result<(), Why> {
        let now = self.clock.look(at)?;
        let states: Vec<(u32, [u64; 3])> = self.disks.iter().collect::<Result<_, _>>()?;
        while let Some([device, since, until]) = next(&mut self.stretches)? {
            let disk = device as u32;
            self.told.entry(disk).or_default().ended = until;
            self.tell(at, disk, since, until, true, sink);
        }
        for (disk, [since, _pending, lost]) in states {
            let told = self.told.entry(disk).or_default();
            let fresh = lost.saturating_sub(std::mem::replace(&mut told.lost, lost));
            if fresh > 0 {
                let blind = format!("{fresh} busy stretches of a disk were lost at {at}");
                watches(sink, NAME, &[SIGNAL], &[&blind]);
            }
            if since == 0 {
                self.name(disk, sink);
                sink(Observation::DiskStretch { disk, stretch: BusyStretch::none() });
            } else if since >= told.ended && since <= now {
                self.tell(at, disk, since, now, false, sink);
            }
        }
        Ok(())
    }
}
