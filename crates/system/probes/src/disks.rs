//! Disks, from `/proc/diskstats`: whether requests were pending all the time.
//!
//! An interval counts as busy if requests were pending at both its ends, and the disk either
//! completed none in between (the same ones were pending) or was busy all the time by the kernel's
//! own count. That count is in timer ticks, and a tick with any request in it counts in full: a
//! series of many short requests looks like a busy disk if both looks happen to meet one.

use std::path::PathBuf;

use netloom_monitor::{Observation, SignalKind, Subject};
use netloom_units::{Duration, Time};

use crate::cpu::TICK;
use crate::fields::{Counter, lines, number, text, words};
use crate::places::ProcRoots;
use crate::polled_file::Foundation;
use crate::probe::{Probe, Sink};

const PERIOD: Duration = Duration::from_millis(50);

pub struct Disks {
    stats: Foundation,
    block: PathBuf,
    /// Whole disks and partitions, in the order in which they were found.
    known: Vec<Disk>,
}

struct Disk {
    name: Vec<u8>,
    /// Whether it is a whole disk, not a partition.
    whole: bool,
    pending: u64,
    completed: Counter,
    busy_ms: Counter,
}

impl Disks {
    pub fn new(places: &ProcRoots) -> Self {
        let path = places.proc.join("diskstats");
        let stats = Foundation::open("/proc/diskstats", &path, &[SignalKind::Disk]);
        Self { stats, block: places.sys.join("block"), known: vec![] }
    }
}

impl Probe for Disks {
    fn period(&self) -> Duration {
        PERIOD
    }

    fn start(&mut self, sink: Sink<'_>) {
        let blind = "looked at every 50 ms: a busy stretch is seen from 100 ms above the limit on; \
                     idle moments shorter than a timer tick are not seen";
        self.stats.start(sink, &[blind]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        let Self { stats, block, known } = self;
        let Some((stats, over)) = stats.read(at, sink) else { return };
        for (name, now) in lines(stats).filter_map(disk_line) {
            let index = known.iter().position(|disk| disk.name == name).unwrap_or_else(|| {
                let whole = block.join(text(name)).is_dir();
                known.push(Disk::new(name, whole));
                if whole {
                    let what = Subject::Disk(known.len() as u32 - 1);
                    sink(Observation::Named { what, name: text(name) });
                }
                known.len() - 1
            });
            let disk = &mut known[index];
            let idle = disk.idle(&now, over);
            disk.pending = now.pending;
            if let (Some(over), Some(idle), true) = (over, idle, disk.whole) {
                sink(Observation::DiskInterval { disk: index as u32, over, idle });
            }
        }
    }
}

/// Fields of a line of `/proc/diskstats`.
struct Line {
    completed: u64,
    pending: u64,
    busy_ms: u64,
}

impl Disk {
    fn new(name: &[u8], whole: bool) -> Self {
        let (completed, busy_ms) = Default::default();
        Self { name: name.into(), whole, pending: 0, completed, busy_ms }
    }

    /// Idle time in the interval `over` since the last look. It is zero only if the disk was busy
    /// throughout, as far as can be observed.
    fn idle(&mut self, now: &Line, over: Option<Duration>) -> Option<Duration> {
        let (completed, busy) =
            (self.completed.grew(now.completed), self.busy_ms.grew(now.busy_ms));
        let (busy, over) = (Duration::from_millis(busy?), over?);
        let pending = self.pending > 0 && now.pending > 0;
        if pending && (completed? == 0 || busy + TICK >= over) {
            return Some(Duration::ZERO);
        }
        Some(over.saturating_sub(busy).max(Duration::from_nanos(1)))
    }
}

fn disk_line(line: &[u8]) -> Option<(&[u8], Line)> {
    let mut words = words(line).skip(2);
    let name = words.next()?;
    let mut columns = [0; 10];
    for column in &mut columns {
        *column = number(words.next()?)?;
    }
    let [reads, _, _, _, writes, _, _, _, pending, busy_ms] = columns;
    Some((name, Line { completed: reads + writes, pending, busy_ms }))
}
