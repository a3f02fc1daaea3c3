//! Standing still for want of CPU, memory or disk: pressure stall information of every node's cgroup; where
//! no node can have one, of the machine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netloom_monitor::{Observation, Party, Pressure, SignalKind};
use netloom_units::{Duration, Time};

use crate::awaited::Awaited;
use crate::budget::Budget;
use crate::fields::{Counter, lines, number, words};
use crate::places::{Limited, Places};
use crate::probe::{Probe, Sink, cannot_watch, watches};
use crate::source::Source;

const NAME: &str = "pressure stall information";
const KINDS: [Pressure; 3] = [Pressure::Cpu, Pressure::Memory, Pressure::Io];
const PERIOD: Duration = Duration::from_millis(100);
const SIGNALS: [SignalKind; 1] = [SignalKind::Pressure];

pub struct Pressures {
    proc: PathBuf,
    /// Nodes' cgroups that may come.
    awaited: Awaited,
    has_cgroups: bool,
    /// Nodes that stand still because the scenario wants it.
    limited: BTreeMap<Party, Limited>,
    files: Vec<File>,
    budget: Budget,
}

struct File {
    party: Party,
    of: Pressure,
    source: Source,
    last: Option<Time>,
    stalled_us: Counter,
}

impl Pressures {
    pub fn new(places: &Places) -> Self {
        let has_cgroups = places.cgroups().next().is_some();
        let (proc, awaited) = (places.proc.join("pressure"), Awaited::of(places));
        let limited = places.cgroups().map(|(party, _)| (party, places.limited(party)));
        let limited = limited.filter(|(_, limited)| *limited != Limited::default()).collect();
        let (files, budget) = (vec![], Budget::default());
        Self { proc, awaited, has_cgroups, limited, files, budget }
    }

    /// Opens the files of a party; whether there were any.
    fn open(&mut self, party: Party, path: impl Fn(&str) -> PathBuf) -> bool {
        let before = self.files.len();
        let limited = self.limited.get(&party).copied().unwrap_or_default();
        let asked_for = |of: &Pressure| match of {
            Pressure::Cpu => limited.cpu,
            // A node that has used up its memory reads from disks what it had to let go of.
            Pressure::Memory | Pressure::Io => limited.memory,
        };
        for of in KINDS.into_iter().filter(|of| !asked_for(of)) {
            // Absent: a kernel without PSI, or not in cgroups.
            if let Ok(source) = Source::open_whole(&path(of.name())) {
                let (last, stalled_us) = Default::default();
                self.files.push(File { party, of, source, last, stalled_us });
            }
        }
        self.files.len() > before
    }

    /// Watches the machine instead of nodes.
    fn watch_machine(&mut self, why: &str, sink: Sink<'_>) {
        self.awaited.clear();
        let proc = self.proc.clone();
        self.open(Party::Unattributed, |of| proc.join(of));
        watches(sink, NAME, &SIGNALS, &[&format!("{why}: only the whole machine is seen")]);
    }
}

impl Probe for Pressures {
    fn period(&self) -> Duration {
        self.budget.period(PERIOD)
    }

    fn start(&mut self, sink: Sink<'_>) {
        if let Err(error) = Source::open(&self.proc.join("cpu")) {
            let why = format!("this kernel has no PSI, or not for us: {error}");
            cannot_watch(sink, NAME, &SIGNALS, &why);
            self.awaited.clear();
        } else if self.has_cgroups {
            let blind = "a wait counts once however many tasks of a node wait";
            let limited = "nodes with limits on CPU or memory wait for these as they should";
            let blind = [blind, limited];
            watches(sink, NAME, &SIGNALS, &blind[..1 + usize::from(!self.limited.is_empty())]);
        } else {
            self.watch_machine("nodes have no cgroups", sink);
        }
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        self.budget.begin();
        for (party, cgroup) in self.awaited.come(at) {
            let opened = self.open(party, |of| cgroup.join(format!("{of}.pressure")));
            // It may have gone again meanwhile.
            if !opened && self.files.is_empty() && cgroup.is_dir() {
                self.watch_machine("nodes' cgroups have no PSI", sink);
                break;
            }
        }
        // A cgroup goes with its node; what stays there to be read is nothing.
        self.files.retain_mut(|file| file.look(at, sink));
        self.budget.end();
    }
}

impl File {
    /// Whether the file is still there.
    fn look(&mut self, at: Time, sink: Sink<'_>) -> bool {
        if self.source.read().is_err() {
            return false;
        }
        let over = self.last.replace(at).map(|last| at.since(last));
        let grown = some_total(self.source.text()).and_then(|now| self.stalled_us.grew(now));
        if let Some((over, stalled)) = over.zip(grown) {
            let stalled = Duration::from_micros(stalled);
            sink(Observation::Stalled { of: self.of, party: self.party, stalled, over });
        }
        true
    }
}

/// The total of the line `some`, in µs.
fn some_total(text: &[u8]) -> Option<u64> {
    let some = lines(text).find(|line| line.starts_with(b"some "))?;
    words(some).find_map(|word| number(word.strip_prefix(b"total=")?))
}
