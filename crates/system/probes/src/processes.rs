//! Use of CPU and disk and major faults by process: nodes, the engine, the kernel's threads, and
//! everything outside the experiment. Also, how long processes of nodes waited for a CPU.
//!
//! A process belongs to a node if it is in the node's network namespace: that needs no cgroups. If
//! a node has a cgroup, its CPU time is taken from there, because that includes processes that
//! lived too short to be observed. CPU time that `/proc/stat` counts and no process accounts for is
//! unattributed.
//!
//! The use of each process comes from the kernel's list of tasks (`bpf/tasks`), or else from its
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use netloom_monitor::{Direction, Divided, Observation, PageCause, Party, SignalKind, Subject};
use netloom_units::{Duration, Time};

use crate::awaited::Awaited;
use crate::bpf::{Task, Tasks};
use crate::budget::Budget;
use crate::cpu::ticks;
use crate::fields::{Counter, lines, number, value, words};
use crate::places::ProcRoots;
use crate::polled_file::PolledFile;
use crate::probe::{Probe, Sink, cannot_watch, watches};
use crate::process::{Process, Reader, Stat};

const PERIOD: Duration = Duration::from_secs(1);
/// If the probe reads files, it may use one in this many parts of a CPU: 0.1 %, enough for a
/// hundred processes in a period.
const PARTS: u64 = 1000;

pub struct Processes {
    proc: PathBuf,
    engine: u32,
    /// Nodes by the inodes of their network namespaces.
    nodes: BTreeMap<u64, Party>,
    /// Whether the probe reports waits for a CPU.
    waits: bool,
    /// Nodes that wait for a CPU, and nodes that read pages again, because the scenario limits
    /// them.
    limited: [BTreeSet<Party>; 2],
    awaited: Awaited,
    cgroups: Vec<Cgroup>,
    machine: Option<Machine>,
    known: BTreeMap<u32, Process>,
    /// Processes that existed at the last look and have not been met in this one yet.
    before: BTreeMap<u32, Process>,
    reader: Reader,
    /// The kernel's list of tasks, which is better than files, if the kernel permits it.
    tasks: Option<Tasks>,
    /// Processes that are missing in that list; `None` before the first look by it.
    hidden: Option<Vec<u32>>,
    last: Option<Time>,
    budget: Budget,
}

/// Use between two looks, by party.
#[derive(Debug, Default)]
struct Sums {
    cpu_ns: BTreeMap<Party, u64>,
    faults: BTreeMap<Party, u64>,
    io: BTreeMap<Party, u64>,
}

impl Processes {
    /// `waits`: whether this probe has to report waits for a CPU, because no better one does.
    /// `tasks` are read instead of files; files are read for processes that are missing in `tasks`.
    pub fn new(places: &ProcRoots, waits: bool, tasks: Option<Tasks>) -> Self {
        let nodes = places.namespaces().map(|(inode, node)| (inode, Party::Node(node)));
        // Only files contain the waits of each process.
        let tasks = tasks.filter(|_| !waits);
        let budget =
            if tasks.is_some() { Budget::default() } else { Budget::of_one_part_in(PARTS) };
        Self {
            proc: places.proc.clone(),
            engine: places.engine,
            nodes: nodes.collect(),
            waits,
            limited: [
                places.limited_nodes(|limited| limited.cpu),
                places.limited_nodes(|limited| limited.memory),
            ],
            awaited: Awaited::of(places),
            cgroups: vec![],
            machine: Machine::open(&places.proc),
            known: BTreeMap::new(),
            before: BTreeMap::new(),
            reader: Reader::default(),
            tasks,
            hidden: None,
            last: None,
            budget,
        }
    }

    /// Looks at all processes.
    fn look_at_all(&mut self, is_first: bool, sums: &mut Sums, sink: Sink<'_>) {
        self.before = std::mem::take(&mut self.known);
        self.reader.begin();
        // A kernel that refuses this once will refuse it again.
        let tasks = self.tasks.as_mut().map(Tasks::read);
        self.tasks.take_if(|_| matches!(tasks, Some(Err(_))));
        let tasks = tasks.and_then(Result::ok);
        for (pid, task) in tasks.iter().flatten() {
            self.look_at_task(*pid, task, is_first, sums, sink);
        }
        // Listing the directory of processes takes longer than looking at all of them.
        let hidden = self.hidden.take_if(|_| tasks.is_some());
        let mut rest = hidden.unwrap_or_else(|| processes(&self.proc));
        // A process that has ended meanwhile has no files.
        rest.retain(|pid| {
            !self.known.contains_key(pid) && self.look(*pid, is_first, sums, sink).is_some()
        });
        self.hidden = tasks.map(|_| rest);
        // These processes have ended.
        self.before.clear();
    }

    /// Takes the use of one process from the kernel's list of tasks.
    fn look_at_task(
        &mut self,
        pid: u32,
        task: &Task,
        is_first: bool,
        sums: &mut Sums,
        sink: Sink<'_>,
    ) {
        let stat = task.stat();
        let known = self.before.remove(&pid);
        let (mut process, _) = self.process(pid, known, &stat, is_first, |probe| {
            probe.nodes.get(&task.netns).copied().unwrap_or(Party::Process(pid))
        });
        self.count(pid, &mut process, &stat, sums, sink);
        *sums.io.entry(process.party).or_default() += process.moved_in_all(task.moved);
        self.known.insert(pid, process);
    }

    /// Takes the use of one process from its files.
    fn look(&mut self, pid: u32, is_first: bool, sums: &mut Sums, sink: Sink<'_>) -> Option<()> {
        self.reader.enter(&self.proc, pid);
        let mut known = self.before.remove(&pid);
        let mut files =
            known.as_mut().map(|known| std::mem::take(&mut known.files)).unwrap_or_default();
        let stat = Stat::of(self.reader.read_kept(&mut files.stat, "stat")?)?;
        let (mut process, begins) =
            self.process(pid, known, &stat, is_first, |probe| probe.party_of_files(pid));
        let is_active = self.count(pid, &mut process, &stat, sums, sink);
        let party = process.party;
        // Counters that are read only while a process is active need a first value: it is zero for
        // new processes.
        if is_active || begins {
            let io = self.reader.read_kept(&mut files.io, "io");
            let moved = io.map_or(0, |io| process.moved(io));
            *sums.io.entry(party).or_default() += moved;
        } else {
            // Other processes may need its descriptor.
            files.io = None;
        }
        let [waiting, _] = &self.limited;
        if self.waits && matches!(party, Party::Node(_)) && !waiting.contains(&party) {
            let waited = self.reader.read("schedstat").and_then(|text| process.waited(text));
            if let Some((delay, times)) = waited {
                sink(Observation::RunQueue { party, delay, times });
            }
        }
        process.files = files;
        self.known.insert(pid, process);
        Some(())
    }

    /// The record of a process, if it is the same as before, else a new one; and whether the
    /// process existed before its record.
    fn process(
        &self,
        pid: u32,
        known: Option<Process>,
        stat: &Stat,
        is_first: bool,
        node: impl FnOnce(&Self) -> Party,
    ) -> (Process, bool) {
        let known = known.filter(|known| known.began == stat.began);
        let is_new = known.is_none() && !is_first;
        // A process with another command may be in another namespace: launchers enter a node's
        // namespace and then turn into programs.
        let same = known.filter(|known| known.name == stat.name);
        let begins = same.is_none() && !is_new;
        let party = || match pid {
            _ if pid == self.engine => Party::Engine,
            _ if stat.is_kernel_thread => Party::Kernel,
            _ => node(self),
        };
        (same.unwrap_or_else(|| Process::new(party(), stat, is_new)), begins)
    }

    /// Adds the use of a process since the last look. Reports its name once it has been active.
    /// Returns whether it was active.
    fn count(
        &self,
        pid: u32,
        process: &mut Process,
        stat: &Stat,
        sums: &mut Sums,
        sink: Sink<'_>,
    ) -> bool {
        let (cpu_ticks, faults) = process.used(stat);
        let party = process.party;
        *sums.cpu_ns.entry(party).or_default() += ticks(cpu_ticks).as_nanos();
        let [_, letting_go] = &self.limited;
        if !letting_go.contains(&party) {
            *sums.faults.entry(party).or_default() += faults;
        }
        let is_active = cpu_ticks > 0 || faults > 0 || stat.waits_for_disk;
        if is_active && matches!(party, Party::Process(_)) && !process.named {
            process.named = true;
            let (what, name) = (Subject::Process(pid), process.name.clone());
            sink(Observation::Named { what, name });
        }
        is_active
    }

    /// Replaces a node's CPU time by that of its cgroup, if it has one.
    fn look_at_cgroups(&mut self, at: Time, sums: &mut Sums) {
        let come = self.awaited.come(at).into_iter();
        self.cgroups.extend(come.filter_map(|(party, path)| Cgroup::open(party, path)));
        self.cgroups.retain_mut(|cgroup| match cgroup.used() {
            Ok(used) => {
                sums.cpu_ns.insert(cgroup.party, used);
                true
            }
            Err(_) => {
                self.awaited.await_again(cgroup.party, &cgroup.path);
                false
            }
        });
    }

    /// The node of the process that is being read, or else the process itself.
    fn party_of_files(&self, pid: u32) -> Party {
        let namespace = fs::metadata(self.reader.path("ns/net")).ok();
        let node = namespace.and_then(|file| self.nodes.get(&file.ino()));
        node.copied().unwrap_or(Party::Process(pid))
    }
}

impl Probe for Processes {
    fn period(&self) -> Duration {
        self.budget.period(PERIOD)
    }

    fn start(&mut self, sink: Sink<'_>) {
        let own = self.proc.join(self.engine.to_string());
        let schedstat = "/proc/PID/schedstat";
        let blind = [
            "waits of a process are averaged over a second, and seen of its first thread only",
            "timers of programs that the kernel looks at late",
        ];
        match fs::read(own.join("schedstat")) {
            _ if !self.waits => {}
            Ok(_) if self.nodes.is_empty() => {
                let why = "no network namespace of a node is known";
                cannot_watch(sink, schedstat, &[SignalKind::RunQueue], why);
            }
            Ok(_) => watches(sink, schedstat, &[SignalKind::RunQueue], &blind),
            Err(error) => {
                cannot_watch(sink, schedstat, &[SignalKind::RunQueue], &error.to_string());
            }
        }
        for (file, what, signal) in
            [("stat", "/proc/PID/stat", SignalKind::Cpu), ("io", "/proc/PID/io", SignalKind::Disk)]
        {
            if let Err(error) = fs::read(own.join(file)) {
                cannot_watch(sink, what, &[signal], &format!("it is not seen by whom: {error}"));
            }
        }
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        self.budget.begin();
        let over = self.last.replace(at).map(|last| at.since(last));
        let mut sums = Sums::default();
        self.look_at_all(over.is_none(), &mut sums, sink);
        self.look_at_cgroups(at, &mut sums);
        if let Some((busy, interrupts)) = self.machine.as_mut().and_then(Machine::used) {
            *sums.cpu_ns.entry(Party::Kernel).or_default() += interrupts;
            let known: u64 = sums.cpu_ns.values().sum();
            sums.cpu_ns.insert(Party::Unattributed, busy.saturating_sub(known));
        }
        sums.count_once();
        if let Some(over) = over {
            sums.report(over, sink);
        }
        self.budget.end();
    }
}

impl Sums {
    /// Avoids counting twice: where disks lie on files of other disks, the kernel's threads move
    /// again the bytes that processes have moved. Only the excess is the threads' own.
    fn count_once(&mut self) {
        let kernel = self.io.remove(&Party::Kernel).unwrap_or(0);
        let others: u64 = self.io.values().sum();
        self.io.insert(Party::Kernel, kernel.saturating_sub(others));
    }

    fn report(self, over: Duration, sink: Sink<'_>) {
        let mut used = |of: SignalKind, sums: &BTreeMap<Party, u64>| {
            for (party, amount) in sums.iter().filter(|(_, amount)| **amount > 0) {
                let (divides, party, amount) = (Divided::Unattributed, *party, *amount);
                sink(Observation::Used { of, divides, party, amount, over });
            }
        };
        used(SignalKind::Cpu, &self.cpu_ns);
        used(SignalKind::Disk, &self.io);
        used(SignalKind::MemoryIn, &self.faults);
        used(SignalKind::MemoryOut, &self.faults);
        for (party, pages) in self.faults {
            if matches!(party, Party::Node(_)) && pages > 0 {
                let (direction, cause) = (Direction::In, PageCause::Fault);
                sink(Observation::Paged { direction, cause, party, pages, over });
            }
        }
    }
}

/// All process IDs, in order.
fn processes(proc: &Path) -> Vec<u32> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    let mut pids: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    pids
}

/// CPU time of a node, from its cgroup.
#[derive(Debug)]
struct Cgroup {
    party: Party,
    path: PathBuf,
    stat: PolledFile,
    used_us: Counter,
}

impl Cgroup {
    /// `None` if the cgroup has disappeared again, or does not count CPU time.
    fn open(party: Party, path: PathBuf) -> Option<Self> {
        let stat = PolledFile::open_whole(&path.join("cpu.stat")).ok()?;
        value(stat.text(), "usage_usec")?;
        Some(Self { party, path, stat, used_us: Counter::from_zero() })
    }

    /// CPU time in ns since the last look.
    fn used(&mut self) -> io::Result<u64> {
        self.stat.read()?;
        let used = value(self.stat.text(), "usage_usec").and_then(|now| self.used_us.grew(now));
        Ok(used.unwrap_or(0).saturating_mul(1000))
    }
}

/// CPU time of all processes, from `/proc/stat`.
#[derive(Debug)]
struct Machine {
    stat: PolledFile,
    busy: Counter,
    interrupts: Counter,
}

impl Machine {
    fn open(proc: &Path) -> Option<Self> {
        let (busy, interrupts) = Default::default();
        Some(Self { stat: PolledFile::open(&proc.join("stat")).ok()?, busy, interrupts })
    }

    /// CPU time of everything, and of interrupts alone, in ns since the last look.
    fn used(&mut self) -> Option<(u64, u64)> {
        self.stat.read().ok()?;
        let sum = lines(self.stat.text()).next()?;
        let mut columns = words(sum).skip(1).map_while(number);
        let mut next = || columns.next();
        let (user, nice, system, _idle, _iowait) = (next()?, next()?, next()?, next()?, next()?);
        let interrupts = next()? + next()?;
        let grown =
            (self.busy.grew(user + nice + system + interrupts), self.interrupts.grew(interrupts));
        let (busy, interrupts) = grown.0.zip(grown.1)?;
        Some((ticks(busy).as_nanos(), ticks(interrupts).as_nanos()))
    }
}
