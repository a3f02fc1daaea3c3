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
    disks: HashMap<MapData, u32, [u64; 4]>,
    requests: HashMap<MapData, u64, [u64; 3]>,
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

/// What the programs know of a disk.
#[derive(Debug, Clone, Copy)]
struct Disk {
    /// Since when it has requests pending; zero if it has none.
    since: u64,
    /// Events for which there was no room.
    lost: u64,
    /// The latest reckoning that was begun.
    generation: u64,
}

impl From<[u64; 4]> for Disk {
    fn from([since, _pending, lost, generation]: [u64; 4]) -> Self {
        Self { since, lost, generation }
    }
}

/// A stretch that is shorter is not doubted: a criterion asks for much more.
const DOUBTED: u64 = 40_000_000;

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
            requests: map(&mut ebpf, "requests")?,
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

    /// What is known of a disk. If requests seem pending of which the machine says that they are not, because the kernel
    /// did not tell that they ended, it has none.
    ///
    /// (Linux 6.18 was seen to leave out all events on a CPU while certain threads were interrupted there; any kernel
    /// leaves out one that interrupts the same program.)
    fn without_unended(
        &mut self,
        number: u32,
        disk: Disk,
        now: u64,
        sink: Sink<'_>,
    ) -> Result<Disk, Why> {
        let is_doubted = disk.since > 0 && now.saturating_sub(disk.since) > DOUBTED;
        if !is_doubted || !self.is_unused(number) {
            return Ok(disk);
        }
        let before = self.counted(number, disk.generation)?;
        if !self.is_unused(number) {
            return Ok(disk);
        }
        let after = self.counted(number, disk.generation)?;
        // These have been pending all the while, by what the programs know.
        if before.intersection(&after).next().is_none() {
            return Ok(disk);
        }
        let anew = Disk { since: 0, generation: disk.generation + 1, ..disk };
        self.disks.insert(number, [0, 0, anew.lost, anew.generation], 0)?;
        let blind =
            "since when a disk had been busy, where the kernel had not told the end of requests";
        watches(sink, NAME, &[SIGNAL], &[blind]);
        Ok(anew)
    }

    /// Requests that seem pending and that the kernel counts while they are: what they are, and since when.
    fn counted(&self, number: u32, generation: u64) -> Result<BTreeSet<(u64, u64)>, Why> {
        let of_disk = u64::from(number) | 1 << 32;
        let requests: Vec<(u64, [u64; 3])> = self.requests.iter().collect::<Result<_, _>>()?;
        let mine = requests
            .into_iter()
            .filter(|(_, [disk, since, _])| (*disk, *since) == (of_disk, generation));
        Ok(mine.map(|(request, [.., issued])| (request, issued)).collect())
    }

    /// Whether the kernel, which counts requests, counts none of this disk now.
    fn is_unused(&self, number: u32) -> bool {
        let disk = self.by_number.join(format!("{}:{}", number >> 20, number & 0xf_ffff));
        let counts =
            fs::read_to_string(disk.join("queue/iostats")).is_ok_and(|on| on.trim() == "1");
        let pending = fs::read_to_string(disk.join("inflight")).unwrap_or_default();
        let mut pending = pending.split_whitespace().peekable();
        counts && pending.peek().is_some() && pending.all(|count| count == "0")
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
        let states: Vec<(u32, [u64; 4])> = self.disks.iter().collect::<Result<_, _>>()?;
        while let Some([device, since, until]) = next(&mut self.stretches)? {
            let disk = device as u32;
            self.told.entry(disk).or_default().ended = until;
            self.tell(at, disk, since, until, true, sink);
        }
        for (disk, state) in states {
            let state = self.without_unended(disk, state.into(), now, sink)?;
            let Disk { since, lost, .. } = state;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk of this machine that counts its requests.
    fn some_disk(block: &Block) -> Option<u32> {
        let names = fs::read_dir(&block.by_number).ok()?;
        let numbers = names.filter_map(|name| {
            let name = name.ok()?.file_name().into_string().ok()?;
            let (major, minor) = name.split_once(':')?;
            Some(major.parse::<u32>().ok()? << 20 | minor.parse::<u32>().ok()?)
        });
        numbers.filter(|number| *number > 0).find(|number| block.is_unused(*number))
    }

    /// As if the kernel had not told the end of a request.
    fn issue(block: &mut Block, disk: u32, counted: bool, since: u64) {
        let of_disk = u64::from(disk) | u64::from(counted) << 32;
        let generation = block.disks.get(&disk, 0).map_or(0, |[.., generation]| generation);
        block.requests.insert(1, [of_disk, generation, since], 0).unwrap();
        block.disks.insert(disk, [since, 1, 0, generation], 0).unwrap();
    }

    #[test]
    fn a_request_that_seems_pending_and_is_not_keeps_no_disk_busy() {
        let types = KernelTypes::of_this_machine();
        let block = Block::prepare(&types)
            .and_then(|prepared| Block::start(prepared, &Places::of_this_machine(vec![])));
        let Ok(mut block) = block else {
            return eprintln!("SKIPPED: this machine permits no eBPF");
        };
        let Some(disk) = some_disk(&block) else { return eprintln!("SKIPPED: no disk") };
        let look = |block: &mut Block, at: u64| {
            let mut told = vec![];
            let mut sink = |seen: Observation| told.push(seen);
            block.look(Time::from_nanos(at), &mut sink).unwrap();
            told
        };
        let is_over = |seen: &Observation| matches!(seen, Observation::DiskStretch { disk: on, stretch } if *on == disk && *stretch == BusyStretch::none());
        let is_blind = |seen: &Observation| matches!(seen, Observation::Watched { .. });
        // The clock of the experiment is ahead of the kernel's by nothing here.
        let now = Clock::default().look(Time::ZERO + Duration::from_secs(1 << 30)).unwrap();
        // Others may use the disk just when it is looked at.
        let found = (0..1000).any(|number| {
            issue(&mut block, disk, true, now - 2 * DOUBTED);
            let told = look(&mut block, 1_000_000_000 + number);
            told.iter().any(is_over) && told.iter().any(is_blind)
        });
        assert!(found);
        // What the kernel does not count cannot be doubted.
        issue(&mut block, disk, false, now - 2 * DOUBTED);
        assert!(!look(&mut block, 2_000_000_000).iter().any(is_blind));
    }
}
