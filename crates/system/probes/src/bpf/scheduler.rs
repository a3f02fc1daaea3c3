//! Busy stretches of CPUs and who used them, from the scheduler's tracepoints. They are exact,
//! however short an idle moment is, and include processes that never give up their CPU.

use std::collections::BTreeMap;
use std::fs;

use aya::Ebpf;
use aya::maps::{HashMap, MapData, RingBuf};
use netloom_monitor::{BusyStretch, Observation, Party, SignalKind};
use netloom_units::{Duration, Time};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use super::clock::Clock;
use super::load::{Loader, attach, map, next, verify};
use super::looking::Look;
use super::objects;
use super::record::{Record, WORDS};
use super::runners::Runners;
use super::shared::Shared;
use super::waits::Waits;
use super::why::Why;
use crate::places::ProcRoots;
use crate::probe::{Sink, watches};

const NAME: &str = "eBPF on sched_switch";
const SIGNAL: SignalKind = SignalKind::Cpu;
const PERIOD: Duration = Duration::from_millis(50);
/// Number of tasks of nodes that may wait for a CPU at the same time, as in the program.
const WAITING: u32 = 65_536;
/// Shorter stretches, in ns, end without an event, and their users are not reported.
const TELL_NS: u64 = 10_000_000;
/// How often a record is read that changes meanwhile. It does about once in a thousand times.
const TRIES: usize = 5;

pub struct Scheduler {
    /// Keeps the programs in the kernel.
    _ebpf: Ebpf,
    cpus: Shared<WORDS>,
    stretches: RingBuf<MapData>,
    clock: Clock,
    runners: Runners,
    reported: BTreeMap<u32, Reported>,
}

/// Programs that are loaded but not attached.
pub struct PreparedScheduler {
    ebpf: Ebpf,
    /// Whether the kernel accepted the programs on timers, too.
    timers: Result<(), Why>,
}

const SWITCHES: [&str; 1] = ["sched_switch"];
const WAKE_UPS: [&str; 2] = ["sched_waking", "sched_wakeup_new"];
const TIMERS: [&str; 2] = ["hrtimer_expire_entry", "hrtimer_expire_exit"];

/// State of the reports on a CPU.
#[derive(Debug, Default)]
struct Reported {
    /// The stretch that is being reported.
    since: u64,
    /// Use by its parties as last reported, in ns, in the order of the record.
    uses: Vec<u64>,
    /// End of the last stretch that had an event.
    ended: u64,
    lost: u64,
}

impl Scheduler {
    /// Name of the probe and its signals, for reports that it cannot be used.
    pub const NAMED: (&str, &[SignalKind]) = (NAME, &[SignalKind::Cpu, SignalKind::RunQueue]);

    /// Loads the programs into the kernel, where they do nothing yet, with room for so many nodes.
    pub fn prepare(nodes: usize, loader: &mut Loader<'_>) -> Result<PreparedScheduler, Why> {
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
        let mut ebpf = loader.load(objects::scheduler(), &room)?;
        let btf = loader.types()?;
        verify(&mut ebpf, btf, &SWITCHES)?;
        verify(&mut ebpf, btf, &WAKE_UPS)?;
        let timers = verify(&mut ebpf, btf, &TIMERS);
        Ok(PreparedScheduler { ebpf, timers })
    }

    /// Attaches the programs. Returns a second probe, of waits, if there are nodes.
    pub fn start(
        PreparedScheduler { mut ebpf, timers }: PreparedScheduler,
        places: &ProcRoots,
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
            // Nodes with a CPU quota wait because the scenario limits them.
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
            reported: BTreeMap::new(),
        };
        visit_all_cpus()?;
        Ok((scheduler, waits))
    }

    /// The consistent records of all CPUs that have one, by the CPU's number.
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
        // A record that changed every time is reported at the next look.
        states
    }

    /// Reports a stretch in its state at `now`.
    fn report(
        &mut self,
        at: Time,
        cpu: u32,
        record: Record<'_>,
        now: u64,
        is_over: bool,
        sink: Sink<'_>,
    ) {
        let Some(since) = record.since() else { return };
        let last = self.reported.entry(cpu).or_default();
        if last.since != since {
            last.since = since;
            last.uses.clear();
        }
        let mut by = vec![];
        if is_over || now.saturating_sub(since) >= TELL_NS {
            for (place, (party, ns)) in record.uses(now).into_iter().enumerate() {
                let is_new = place >= last.uses.len();
                if is_new {
                    last.uses.push(0);
                }
                let grown = ns.saturating_sub(std::mem::replace(&mut last.uses[place], ns));
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
            self.reported.entry(record.cpu()).or_default().ended = until;
            self.report(at, record.cpu(), record, until, true, sink);
        }
        for (cpu, words) in states {
            let record = Record::new(&words);
            let last = self.reported.entry(cpu).or_default();
            let lost =
                record.lost().saturating_sub(std::mem::replace(&mut last.lost, record.lost()));
            if lost > 0 {
                let blind = format!("{lost} busy stretches of CPU {cpu} were lost at {at}");
                watches(sink, NAME, &[SIGNAL], &[&blind]);
            }
            match record.since() {
                // The stretch has ended since, and that was reported; or it began after the look.
                Some(since) if since < last.ended || since > now => {}
                Some(_) => self.report(at, cpu, record, now, false, sink),
                None => sink(Observation::CpuStretch { cpu, stretch: BusyStretch::none() }),
            }
        }
        Ok(())
    }
}

/// Number of possible CPU numbers, whether the CPUs exist or not.
fn cpus() -> Result<usize, Why> {
    let possible = fs::read_to_string("/sys/devices/system/cpu/possible")?;
    let greatest: usize = possible.trim_end().rsplit(['-', ',']).next().unwrap_or("").parse()?;
    Ok(greatest + 1)
}

/// Makes all CPUs switch, because a CPU's activity is known only from its next switch on. A
/// separate thread visits them, because it has to wait where a process of higher priority holds a
/// CPU.
fn visit_all_cpus() -> Result<(), Why> {
    let cpus = aya::util::online_cpus().map_err(|(_, error)| error)?;
    let visit = move || {
        for cpu in cpus {
            let mut set = CpuSet::new();
            // A CPU that we may not run on is known a little later: every CPU has threads of the
            // kernel.
            if set.set(cpu as usize).is_ok() {
                let _ = sched_setaffinity(Pid::from_raw(0), &set);
            }
        }
    };
    std::thread::Builder::new().name("netloom-visit".into()).spawn(visit)?;
    Ok(())
}
