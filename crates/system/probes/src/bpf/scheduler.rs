//! Busy stretches of CPUs and who used them, from the scheduler's tracepoints: exact, however short
//! an idle moment is, and also of a process that never gives its CPU away.

use std::collections::BTreeMap;
use std::fs;

use aya::Ebpf;
use aya::maps::{HashMap, MapData, RingBuf};
use netloom_monitor::{BusyStretch, Observation, Party, SignalKind};
use netloom_units::{Duration, Time};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use super::clock::Clock;
use super::load::{Loader, Why, attach, map, next, verify};
use super::looking::Look;
use super::record::{Record, WORDS};
use super::runners::Runners;
use super::shared::Shared;
use super::waits::Waits;
use crate::places::Places;
use crate::probe::{Sink, watches};

const NAME: &str = "eBPF on sched_switch";
const SIGNAL: SignalKind = SignalKind::Cpu;
const PERIOD: Duration = Duration::from_millis(50);
/// Tasks of nodes that may wait for a CPU at the same time, as the program has it.
const WAITING: u32 = 65_536;
/// Shorter stretches end without an event, and who used them is not told.
const TELL_NS: u64 = 10_000_000;
/// A record changes while it is read about once in a thousand times.
const TRIES: usize = 5;

pub struct Scheduler {
    /// Keeps the programs in the kernel.
    _ebpf: Ebpf,
    cpus: Shared<WORDS>,
    stretches: RingBuf<MapData>,
    clock: Clock,
    runners: Runners,
    told: BTreeMap<u32, Told>,
}

/// Programs that are in the kernel and not attached.
pub struct PreparedScheduler {
    ebpf: Ebpf,
    /// Whether the kernel took those on timers, too.
    timers: Result<(), Why>,
}

const SWITCHES: [&str; 1] = ["sched_switch"];
const WAKE_UPS: [&str; 2] = ["sched_waking", "sched_wakeup_new"];
const TIMERS: [&str; 2] = ["hrtimer_expire_entry", "hrtimer_expire_exit"];

/// What was told of a CPU.
#[derive(Debug, Default)]
struct Told {
    /// The stretch that is being told.
    since: u64,
    /// Of its parties, in the order of the record.
    uses: Vec<u64>,
    /// The end of the last that had an event.
    ended: u64,
    lost: u64,
}

impl Scheduler {
    /// The names of its signals' probe, for those who cannot have it.
    pub const NAMED: (&str, &[SignalKind]) = (NAME, &[SignalKind::Cpu, SignalKind::RunQueue]);

    /// Puts the programs into the kernel, where they do nothing yet, with room for so many nodes.
    pub fn prepare(nodes: usize, loader: &mut Loader<'_>) -> Result<PreparedScheduler, Why> {
        let object = aya::include_bytes_aligned!("../../bpf/scheduler.bpf.o");
        let entries = u32::try_from(nodes.max(1)).unwrap_or(u32::MAX);
        let tasks = if nodes == 0 { 1 } else { WAITING };
        let cpus = u32::try_from(cpus()?)?;
        let room = [
            ("cpus", cpus),
            ("nodes", entries),
            ("waiting", tasks),
            ("told", tasks),
            ("turns", cpus),
        ];
        let mut ebpf = loader.load(object, &room)?;
        let btf = loader.types()?;
        verify(&mut ebpf, btf, &SWITCHES)?;
        verify(&mut ebpf, btf, &WAKE_UPS)?;
        let timers = verify(&mut ebpf, btf, &TIMERS);
        Ok(PreparedScheduler { ebpf, timers })
    }

    /// Begins to watch; with it come waits, if there are nodes.
    pub fn start(
        PreparedScheduler { mut ebpf, timers }: PreparedScheduler,
        places: &Places,
    ) -> Result<(Self, Option<Waits>), Why> {
        let nodes = places.namespaces().map(|(inode, node)| Ok((u32::try_from(inode)?, node)));
        let parties: Vec<(u32, u32)> = nodes.collect::<Result<_, Why>>()?;
        let mut nodes: HashMap<_, u32, u32> = map(&mut ebpf, "nodes")?;
        for (namespace, node) in &parties {
            nodes.insert(namespace, node, 0)?;
        }
        attach(&mut ebpf, &SWITCHES)?;
        let mut waits = None;
        if !parties.is_empty() {
            attach(&mut ebpf, &WAKE_UPS)?;
            let timers = timers.and_then(|()| attach(&mut ebpf, &TIMERS));
            // Those with a CPU quota wait as they should.
            let limited = places.limited_nodes(|limited| limited.cpu);
            let numbers = parties.iter().map(|(_, node)| *node);
            let unlimited = numbers.filter(|node| !limited.contains(&Party::Node(*node)));
            let (ring, lost) = (map(&mut ebpf, "waits")?, map(&mut ebpf, "lost_waits")?);
            waits = Some(Waits::new(ring, lost, timers, unlimited, Runners::of(places)));
        }
        let scheduler = Self {
            cpus: Shared::of(&mut ebpf, "cpus", cpus()?)?,
            stretches: map(&mut ebpf, "stretches")?,
            _ebpf: ebpf,
            clock: Clock::default(),
            runners: Runners::of(places),
            told: BTreeMap::new(),
        };
        visit_all_cpus()?;
        Ok((scheduler, waits))
    }

    /// The records of all CPUs that have one, by number.
    fn states(&self) -> BTreeMap<u32, [u64; WORDS]> {
        let mut states = BTreeMap::new();
        for _ in 0..TRIES {
            let mut changed = false;
            for (cpu, words) in (0..).zip(self.cpus.read()) {
                let record = Record::new(&words);
                changed |= !record.is_consistent();
                if record.is_known() && record.is_consistent() {
                    states.entry(cpu).or_insert(words);
                }
            }
            if !changed {
                break;
            }
        }
        // One that changed every time is told at the next look.
        states
    }

    /// Tells a stretch as it was at `now`.
    fn tell(
        &mut self,
        at: Time,
        cpu: u32,
        record: Record<'_>,
        now: u64,
        is_over: bool,
        sink: Sink<'_>,
    ) {
        let Some(since) = record.since() else { return };
        let told = self.told.entry(cpu).or_default();
        if told.since != since {
            told.since = since;
            told.uses.clear();
        }
        let mut by = vec![];
        if is_over || now.saturating_sub(since) >= TELL_NS {
            for (place, (party, ns)) in record.uses(now).into_iter().enumerate() {
                let is_new = place >= told.uses.len();
                if is_new {
                    told.uses.push(0);
                }
                let grown = ns.saturating_sub(std::mem::replace(&mut told.uses[place], ns));
                let party = match is_new {
                    true => self.runners.named(at, party, sink),
                    false => self.runners.known(party),
                };
                if grown > 0 {
                    by.push((party, grown));
                }
            }
        }
        let began = self.clock.ago(at, since);
        let ended = is_over.then(|| self.clock.ago(at, now));
        sink(Observation::CpuStretch {
            cpu,
            stretch: BusyStretch { number: since, began, ended, by },
        });
    }
}

impl Look for Scheduler {
    const NAME: &'static str = NAME;
    const SIGNAL: SignalKind = SIGNAL;
    const CANNOT_SEE: &'static str =
        "the time that interrupts take of a CPU which is idle otherwise counts as idle";

    fn period(&self) -> Duration {
        PERIOD
    }

    fn look(&mut self, at: Time, sink: Sink<'_>) -> Result<(), Why> {
        let now = self.clock.look(at)?;
        let states = self.states();
        while let Some(words) = next(&mut self.stretches)? {
            let record = Record::new(&words);
            let until = record.until();
            self.told.entry(record.cpu()).or_default().ended = until;
            self.tell(at, record.cpu(), record, until, true, sink);
        }
        for (cpu, words) in states {
            let record = Record::new(&words);
            let told = self.told.entry(cpu).or_default();
            let lost =
                record.lost().saturating_sub(std::mem::replace(&mut told.lost, record.lost()));
            if lost > 0 {
                let blind = format!("{lost} busy stretches of CPU {cpu} were lost at {at}");
                watches(sink, NAME, &[SIGNAL], &[&blind]);
            }
            match record.since() {
                // It has ended since, and that was told; or it began after the look.
                Some(since) if since < told.ended || since > now => {}
                Some(_) => self.tell(at, cpu, record, now, false, sink),
                None => sink(Observation::CpuStretch { cpu, stretch: BusyStretch::none() }),
            }
        }
        Ok(())
    }
}

/// How many numbers CPUs can have, whether all of these are there or not.
fn cpus() -> Result<usize, Why> {
    let possible = fs::read_to_string("/sys/devices/system/cpu/possible")?;
    let greatest: usize = possible.trim_end().rsplit(['-', ',']).next().unwrap_or("").parse()?;
    Ok(greatest + 1)
}

/// What a CPU does is known from its next switch on: a thread that visits them all makes them
/// switch. One of its own, since it has to wait where a process of higher priority keeps a CPU.
fn visit_all_cpus() -> Result<(), Why> {
    let cpus = aya::util::online_cpus().map_err(|(_, error)| error)?;
    let visit = move || {
        for cpu in cpus {
            let mut set = CpuSet::new();
            // One that is not ours to run on is known later: every CPU has threads of the kernel.
            if set.set(cpu as usize).is_ok() {
                let _ = sched_setaffinity(Pid::from_raw(0), &set);
            }
        }
    };
    std::thread::Builder::new().name("netloom-visit".into()).spawn(visit)?;
    Ok(())
}
