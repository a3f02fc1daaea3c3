//! Stretches of disks with requests pending, from the block layer's tracepoints. They are exact,
//! however short a moment without requests is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use aya::Ebpf;
use aya::maps::{HashMap, MapData, RingBuf};
use netloom_monitor::{BusyStretch, Observation, Party, SignalKind, Subject};
use netloom_units::{Duration, Time};

use super::clock::Clock;
use super::load::{Loader, attach, map, next, verify};
use super::looking::Look;
use super::objects;
use super::shared::Shared;
use super::why::Why;
use crate::places::ProcRoots;
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
    /// Number of stretches that had begun by the last look.
    begun_before: Option<[u64; 1]>,
    /// Whether no disk had requests at the last look, and none had begun any since the look before.
    /// Then everything has been reported.
    at_rest: bool,
    clock: Clock,
    by_number: PathBuf,
    reported: BTreeMap<u32, Reported>,
    named: BTreeSet<u32>,
}

/// Programs that are loaded but not attached.
pub struct PreparedBlock(Ebpf);

/// Ends are attached before beginnings, so that no request is observed to begin whose end is not.
const TRACEPOINTS: [&str; 3] = ["block_rq_complete", "block_rq_requeue", "block_rq_issue"];

/// State of a disk, as the programs record it.
#[derive(Debug, Clone, Copy)]
struct Disk {
    /// Since when requests have been pending; zero if none are.
    since: u64,
    /// Number of events for which there was no room.
    lost: u64,
    /// Generation of the count of pending requests. A new one begins when requests seem pending
    /// that are not.
    generation: u64,
    /// How often it turned out that the kernel had not reported the end of a request.
    unreported: u64,
}

impl From<[u64; 5]> for Disk {
    fn from([since, _pending, lost, generation, unreported]: [u64; 5]) -> Self {
        Self { since, lost, generation, unreported }
    }
}

/// Shorter stretches, in ns, are not doubted: criteria need much longer ones.
const DOUBTED: u64 = 10_000_000;
/// Number of checks in one look. Requests that come and go during a check can hide those whose end
/// was not reported.
const DOUBTS: usize = 3;

/// State of the reports on a disk.
#[derive(Debug, Default)]
struct Reported {
    /// The stretch that is being reported; the next field: up to when it has been.
    since: u64,
    until: u64,
    /// End of the last stretch that had an event.
    ended: u64,
    lost: u64,
    unreported: u64,
    /// Requests of which some seemed to be over at the last look.
    unended: Requests,
}

/// Requests, and the times at which they were issued.
type Requests = BTreeSet<(u64, u64)>;

/// Doubt that a disk is as busy as it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    UntilNextLook,
}

impl Block {
    /// Name of the probe and its signals, for reports that it cannot be used.
    pub const NAMED: (&str, &[SignalKind]) = (NAME, &[SIGNAL]);

    /// Loads the programs into the kernel, where they do nothing yet.
    pub fn prepare(loader: &mut Loader<'_>) -> Result<PreparedBlock, Why> {
        let mut ebpf = loader.load(objects::block(), &[])?;
        verify(&mut ebpf, loader.types()?, &TRACEPOINTS)?;
        Ok(PreparedBlock(ebpf))
    }

    /// Attaches the programs.
    pub fn start(PreparedBlock(mut ebpf): PreparedBlock, places: &ProcRoots) -> Result<Self, Why> {
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
            reported: BTreeMap::new(),
            named: BTreeSet::new(),
        })
    }

    /// Reports a stretch in its state at `now`.
    fn report(&mut self, at: Time, disk: u32, since: u64, now: u64, is_over: bool, sink: Sink<'_>) {
        self.name(disk, sink);
        let last = self.reported.entry(disk).or_default();
        let before = if last.since == since { last.until } else { since };
        (last.since, last.until) = (since, now.max(before));
        let by = vec![(Party::Unattributed, last.until - before)];
        let began = self.clock.ago(at, since);
        let ended = is_over.then(|| self.clock.ago(at, now));
        sink(Observation::DiskStretch {
            disk,
            stretch: BusyStretch { number: since, began, ended, by },
        });
    }

    /// Checks whether requests seem pending that are not, because the kernel did not report that
    /// they ended. If so, the disk counts as idle until the next request.
    ///
    /// Linux 6.18 sometimes reports no events of a CPU for some milliseconds, and any kernel omits
    /// an event that interrupts the same program.
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
        let last = self.reported.entry(number).or_default();
        let before = std::mem::replace(&mut last.unended, unended);
        // The kernel stops counting a request shortly before it reports its end. That explains a
        // difference at one look, but not at two.
        if last.unended.is_disjoint(&before) {
            return Ok(if last.unended.is_empty() { Doubt::None } else { Doubt::UntilNextLook });
        }
        last.unended.clear();
        (disk.since, disk.generation, disk.unreported) =
            (0, disk.generation + 1, disk.unreported + 1);
        self.disks.insert(number, [0, 0, disk.lost, disk.generation, disk.unreported], 0)?;
        Ok(Doubt::None)
    }

    /// Requests that seem pending, if there are more of them than the kernel counts: some of them
    /// are over. Only requests count that seemed pending before and after the kernel was asked.
    fn unended(&self, number: u32, generation: u64) -> Result<Requests, Why> {
        // Reading all requests takes a hundred times longer than asking for their number.
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

    /// Requests that seem pending, of those that the kernel counts.
    fn issued(&self, number: u32, generation: u64) -> Result<Requests, Why> {
        let of_disk = u64::from(number) | 1 << 32;
        let requests: Vec<(u64, [u64; 3])> = self.requests.iter().collect::<Result<_, _>>()?;
        let mine = requests
            .into_iter()
            .filter(|(_, [disk, since, _])| (*disk, *since) == (of_disk, generation));
        Ok(mine.map(|(request, [.., issued])| (request, issued)).collect())
    }

    /// Number of pending requests of a disk by the kernel's count, if the kernel keeps one.
    fn pending(&self, number: u32) -> Option<u64> {
        let disk = self.by_number.join(format!("{}:{}", number >> 20, number & 0xf_ffff));
        let counts = fs::read_to_string(disk.join("queue/iostats")).ok()?.trim() == "1";
        let pending = fs::read_to_string(disk.join("inflight")).ok().filter(|_| counts)?;
        let counts: Vec<u64> = pending.split_whitespace().map_while(|n| n.parse().ok()).collect();
        (counts.len() == 2).then(|| counts.iter().sum())
    }

    /// Reports the name of a disk, once.
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
            self.reported.entry(disk).or_default().ended = until;
            self.report(at, disk, since, until, true, sink);
        }
        for (disk, state) in states {
            let mut state = Disk::from(state);
            let doubt = self.doubt(disk, &mut state, now)?;
            let Disk { since, lost, unreported, .. } = state;
            let last = self.reported.entry(disk).or_default();
            if std::mem::replace(&mut last.unreported, unreported) < unreported {
                let blind = "since when a disk had been busy, where the kernel had not told the \
                             end of requests";
                watches(sink, NAME, &[SIGNAL], &[blind]);
            }
            let fresh = lost.saturating_sub(std::mem::replace(&mut last.lost, lost));
            if fresh > 0 {
                let blind = format!("{fresh} busy stretches of a disk were lost at {at}");
                watches(sink, NAME, &[SIGNAL], &[&blind]);
            }
            if since == 0 {
                self.name(disk, sink);
                sink(Observation::DiskStretch { disk, stretch: BusyStretch::none() });
            } else if since >= last.ended && since <= now && doubt == Doubt::None {
                self.report(at, disk, since, now, false, sink);
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

    /// Simulates a request whose end the kernel does not report.
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
            .and_then(|prepared| Block::start(prepared, &ProcRoots::of_this_machine(vec![])));
        let Ok(mut block) = block else {
            return println!("skipped: this machine permits no eBPF");
        };
        let Some(disk) = some_disk(&block) else { return println!("skipped: no disk") };
        let look = |block: &mut Block, at: u64| {
            let mut observed = vec![];
            let mut sink = |seen: Observation| observed.push(seen);
            block.look(Time::from_nanos(at), &mut sink).unwrap();
            observed
        };
        let none = BusyStretch::none();
        let is_over = |seen: &Observation| match seen {
            Observation::DiskStretch { disk: on, stretch } => *on == disk && *stretch == none,
            _ => false,
        };
        let is_blind = |seen: &Observation| matches!(seen, Observation::Watched { .. });
        let is_reported = |seen: &Observation| match seen {
            Observation::DiskStretch { disk: on, .. } => *on == disk,
            _ => false,
        };
        // The experiment's clock is not ahead of the kernel's here.
        let now = Clock::default().look(Time::ZERO + Duration::from_secs(1 << 30)).unwrap();
        // Other programs may use the disk during a look, so one attempt may fail.
        let found = (0..1000).any(|number| {
            issue(&mut block, disk, true, now - 2 * DOUBTED);
            // The first look reports nothing of the disk, the second that it is not busy.
            let first = look(&mut block, 1_000_000_000 + 2 * number);
            let second = look(&mut block, 1_000_000_001 + 2 * number);
            let is_doubted = !first.iter().any(is_reported);
            is_doubted && second.iter().any(is_over) && second.iter().any(is_blind)
        });
        assert!(found);
        // A request that the kernel does not count cannot be doubted.
        issue(&mut block, disk, false, now - 2 * DOUBTED);
        for at in 0..3 {
            assert!(!look(&mut block, 2_000_000_000 + at).iter().any(is_blind));
        }
    }
}
