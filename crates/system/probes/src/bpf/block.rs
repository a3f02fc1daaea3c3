//! Stretches of disks with requests pending, from the block layer's tracepoints: exact, however
//! short a moment without requests is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use aya::Ebpf;
use aya::maps::{HashMap, MapData, RingBuf};
use netloom_monitor::{BusyStretch, Observation, Party, SignalKind, Subject};
use netloom_units::{Duration, Time};

use super::clock::Clock;
use super::load::{Loader, Why, attach, map, next, verify};
use super::looking::Look;
use super::shared::Shared;
use crate::places::Places;
use crate::probe::{Sink, watches};

const NAME: &str = "eBPF on block_rq_issue";
const SIGNAL: SignalKind = SignalKind::Disk;
const PERIOD: Duration = Duration::from_millis(50);

pub struct Block {
    /// Keeps the programs in the kernel.
    _ebpf: Ebpf,
    disks: HashMap<MapData, u32, [u64; 5]>,
    requests: HashMap<MapData, u64, [u64; 3]>,
    stretches: RingBuf<MapData>,
    begun: Shared<1>,
    /// How many stretches had begun at the last look.
    begun_before: Option<[u64; 1]>,
    /// No disk had requests then, nor had any had some since the look before: all that there was to
    /// tell is told.
    at_rest: bool,
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
    /// Requests of which the programs have found that their end was not told.
    untold: u64,
}

impl From<[u64; 5]> for Disk {
    fn from([since, _pending, lost, generation, untold]: [u64; 5]) -> Self {
        Self { since, lost, generation, untold }
    }
}

/// A stretch that is shorter is not doubted: a criterion asks for much more.
const DOUBTED: u64 = 10_000_000;
/// How often it is, at one look: requests that come and go meanwhile hide those that never went.
const DOUBTS: usize = 3;

/// What was told of a disk.
#[derive(Debug, Default)]
struct Told {
    /// The stretch that is being told, and how far it was.
    since: u64,
    until: u64,
    /// The end of the last that had an event.
    ended: u64,
    lost: u64,
    untold: u64,
    /// Those of which some seemed over at the last look.
    unended: Requests,
}

/// Requests, and when they were issued.
type Requests = BTreeSet<(u64, u64)>;

/// Whether a disk is as busy as it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    UntilNextLook,
}

impl Block {
    /// The names of its signals' probe, for those who cannot have it.
    pub const NAMED: (&str, &[SignalKind]) = (NAME, &[SIGNAL]);

    /// Puts the programs into the kernel, where they do nothing yet.
    pub fn prepare(loader: &mut Loader<'_>) -> Result<PreparedBlock, Why> {
        let object = aya::include_bytes_aligned!("../../bpf/block.bpf.o");
        let mut ebpf = loader.load(object, &[])?;
        verify(&mut ebpf, loader.types()?, &TRACEPOINTS)?;
        Ok(PreparedBlock(ebpf))
    }

    /// Begins to watch.
    pub fn start(PreparedBlock(mut ebpf): PreparedBlock, places: &Places) -> Result<Self, Why> {
        attach(&mut ebpf, &TRACEPOINTS)?;
        Ok(Self {
            disks: map(&mut ebpf, "disks")?,
            requests: map(&mut ebpf, "requests")?,
            stretches: map(&mut ebpf, "stretches")?,
            begun: Shared::of(&mut ebpf, "begun", 1)?,
            begun_before: None,
            at_rest: false,
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

    /// Whether requests seem pending that are not, because the kernel did not tell that they ended.
    /// Then the disk has none, until the next one comes.
    ///
    /// (Linux 6.18 was seen to leave out all events on a CPU for some milliseconds now and then;
    /// any kernel leaves out one that interrupts the same program.)
    fn doubt(&mut self, number: u32, disk: &mut Disk, now: u64) -> Result<Doubt, Why> {
        let mut unended = Requests::new();
        if disk.since > 0 && now.saturating_sub(disk.since) > DOUBTED {
            for _ in 0..DOUBTS {
                unended = self.unended(number, disk.generation)?;
                if !unended.is_empty() {
                    break;
                }
            }
        }
        let told = self.told.entry(number).or_default();
        let before = std::mem::replace(&mut told.unended, unended);
        // A request that is over is not counted any more shortly before that is told: but not at
        // two looks.
        if told.unended.is_disjoint(&before) {
            return Ok(if told.unended.is_empty() { Doubt::None } else { Doubt::UntilNextLook });
        }
        told.unended.clear();
        (disk.since, disk.generation, disk.untold) = (0, disk.generation + 1, disk.untold + 1);
        self.disks.insert(number, [0, 0, disk.lost, disk.generation, disk.untold], 0)?;
        Ok(Doubt::None)
    }

    /// Requests of which some are over, if more have been pending, by what the programs know, while
    /// the kernel counted them than it did.
    fn unended(&self, number: u32, generation: u64) -> Result<Requests, Why> {
        // To read all requests takes a hundred times longer than to ask how many there are.
        let counted = self.pending(number);
        let [_, known, ..] = self.disks.get(&number, 0)?;
        if counted.is_none_or(|counted| known <= counted) {
            return Ok(Requests::new());
        }
        let before = self.issued(number, generation)?;
        let Some(pending) = self.pending(number) else { return Ok(Requests::new()) };
        let after = self.issued(number, generation)?;
        let both: Requests = before.intersection(&after).copied().collect();
        Ok(if both.len() as u64 > pending { both } else { Requests::new() })
    }

    /// Requests that seem pending and that the kernel counts while they are.
    fn issued(&self, number: u32, generation: u64) -> Result<Requests, Why> {
        let of_disk = u64::from(number) | 1 << 32;
        let requests: Vec<(u64, [u64; 3])> = self.requests.iter().collect::<Result<_, _>>()?;
        let mine = requests
            .into_iter()
            .filter(|(_, [disk, since, _])| (*disk, *since) == (of_disk, generation));
        Ok(mine.map(|(request, [.., issued])| (request, issued)).collect())
    }

    /// How many requests of a disk are pending, by the kernel's account, if it keeps one.
    fn pending(&self, number: u32) -> Option<u64> {
        let disk = self.by_number.join(format!("{}:{}", number >> 20, number & 0xf_ffff));
        let counts = fs::read_to_string(disk.join("queue/iostats")).ok()?.trim() == "1";
        let pending = fs::read_to_string(disk.join("inflight")).ok().filter(|_| counts)?;
        let counts: Vec<u64> = pending.split_whitespace().map_while(|n| n.parse().ok()).collect();
        (counts.len() == 2).then(|| counts.iter().sum())
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
        let begun = self.begun.read().next();
        let is_quiet = self.begun_before == begun;
        if is_quiet && self.at_rest {
            return Ok(());
        }
        (self.begun_before, self.at_rest) = (begun, is_quiet);
        let now = self.clock.look(at)?;
        let states: Vec<(u32, [u64; 5])> = self.disks.iter().collect::<Result<_, _>>()?;
        while let Some([device, since, until]) = next(&mut self.stretches)? {
            let disk = device as u32;
            self.told.entry(disk).or_default().ended = until;
            self.tell(at, disk, since, until, true, sink);
        }
        for (disk, state) in states {
            let mut state = Disk::from(state);
            let doubt = self.doubt(disk, &mut state, now)?;
            let Disk { since, lost, untold, .. } = state;
            let told = self.told.entry(disk).or_default();
            if std::mem::replace(&mut told.untold, untold) < untold {
                let blind = "since when a disk had been busy, where the kernel had not told the \
                             end of requests";
                watches(sink, NAME, &[SIGNAL], &[blind]);
            }
            let fresh = lost.saturating_sub(std::mem::replace(&mut told.lost, lost));
            if fresh > 0 {
                let blind = format!("{fresh} busy stretches of a disk were lost at {at}");
                watches(sink, NAME, &[SIGNAL], &[&blind]);
            }
            if since == 0 {
                self.name(disk, sink);
                sink(Observation::DiskStretch { disk, stretch: BusyStretch::none() });
            } else if since >= told.ended && since <= now && doubt == Doubt::None {
                self.tell(at, disk, since, now, false, sink);
            }
            self.at_rest &= since == 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::load::Kernel;
    use super::*;

    /// A disk of this machine that counts its requests.
    fn some_disk(block: &Block) -> Option<u32> {
        let names = fs::read_dir(&block.by_number).ok()?;
        let numbers = names.filter_map(|name| {
            let name = name.ok()?.file_name().into_string().ok()?;
            let (major, minor) = name.split_once(':')?;
            Some(major.parse::<u32>().ok()? << 20 | minor.parse::<u32>().ok()?)
        });
        numbers.filter(|number| *number > 0).find(|number| block.pending(*number) == Some(0))
    }

    /// As if the kernel had not told the end of a request.
    fn issue(block: &mut Block, disk: u32, counted: bool, since: u64) {
        let of_disk = u64::from(disk) | u64::from(counted) << 32;
        let generation = block.disks.get(&disk, 0).map_or(0, |[.., generation]| generation);
        block.requests.insert(1, [of_disk, generation, since], 0).unwrap();
        block.disks.insert(disk, [since, 1, 0, generation, 0], 0).unwrap();
        block.at_rest = false;
    }

    #[test]
    fn a_request_that_seems_pending_and_is_not_keeps_no_disk_busy() {
        let kernel = Kernel::of_this_machine(0, Duration::ZERO, Path::new("/proc"));
        let block = Block::prepare(&mut Loader::new(&kernel))
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
        let none = BusyStretch::none();
        let is_over = |seen: &Observation| match seen {
            Observation::DiskStretch { disk: on, stretch } => *on == disk && *stretch == none,
            _ => false,
        };
        let is_blind = |seen: &Observation| matches!(seen, Observation::Watched { .. });
        let is_told = |seen: &Observation| match seen {
            Observation::DiskStretch { disk: on, .. } => *on == disk,
            _ => false,
        };
        // The clock of the experiment is ahead of the kernel's by nothing here.
        let now = Clock::default().look(Time::ZERO + Duration::from_secs(1 << 30)).unwrap();
        // Others may use the disk just when it is looked at.
        let found = (0..1000).any(|number| {
            issue(&mut block, disk, true, now - 2 * DOUBTED);
            // At the first look nothing is said of it, and at the second that it is not busy.
            let first = look(&mut block, 1_000_000_000 + 2 * number);
            let second = look(&mut block, 1_000_000_001 + 2 * number);
            let is_doubted = !first.iter().any(is_told);
            is_doubted && second.iter().any(is_over) && second.iter().any(is_blind)
        });
        assert!(found);
        // What the kernel does not count cannot be doubted.
        issue(&mut block, disk, false, now - 2 * DOUBTED);
        for at in 0..3 {
            assert!(!look(&mut block, 2_000_000_000 + at).iter().any(is_blind));
        }
    }
}
