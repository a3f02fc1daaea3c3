//! Pages of nodes that were evicted and needed again shortly after, from `memory.stat` of their
//! cgroups. The file exists only if the memory controller is delegated to the experiment.

use std::collections::BTreeSet;
use std::path::PathBuf;

use netloom_monitor::{Direction, Observation, PageCause, Party, SignalKind};
use netloom_units::{Duration, Time};

use crate::awaited::Awaited;
use crate::budget::Budget;
use crate::fields::{Counter, lines, number, words};
use crate::places::ProcRoots;
use crate::polled_file::PolledFile;
use crate::probe::{Probe, Sink, cannot_watch, watches_a_part};

const NAME: &str = "memory.stat";
const PERIOD: Duration = Duration::from_secs(1);
/// The probe may use one in this many parts of a CPU: 0.03 %.
const PARTS: u64 = 3200;
const SIGNALS: [SignalKind; 1] = [SignalKind::MemoryIn];

pub struct Refaults {
    awaited: Awaited,
    /// Nodes that evict pages because the scenario limits their memory.
    limited: BTreeSet<Party>,
    files: Vec<(Party, PolledFile, Counter)>,
    last: Option<Time>,
    delegated: bool,
    budget: Budget,
}

impl Refaults {
    pub fn new(places: &ProcRoots) -> Self {
        // Controllers are delegated by the parent of the nodes' cgroups.
        let parent = places.cgroups().find_map(|(_, cgroup)| cgroup.parent().map(PathBuf::from));
        let passed_on =
            parent.and_then(|p| PolledFile::open(&p.join("cgroup.subtree_control")).ok());
        let delegated = passed_on.is_some_and(|s| words(s.text()).any(|word| word == b"memory"));
        let limited = places.limited_nodes(|limited| limited.memory);
        Self {
            awaited: Awaited::of(places),
            limited,
            files: vec![],
            last: None,
            delegated,
            budget: Budget::of_one_part_in(PARTS),
        }
    }
}

impl Probe for Refaults {
    fn period(&self) -> Duration {
        self.budget.period(PERIOD)
    }

    fn start(&mut self, sink: Sink<'_>) {
        if self.delegated {
            watches_a_part(sink, NAME, &SIGNALS, &["refaults are counted once a second"]);
        } else {
            let why = "the memory controller is not delegated to the nodes' cgroups: refaults are \
                       not seen";
            cannot_watch(sink, NAME, &SIGNALS, why);
            self.awaited.clear();
        }
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        self.budget.begin();
        let files = &mut self.files;
        let come = self.awaited.come(at).into_iter();
        for (party, cgroup) in come.filter(|(party, _)| !self.limited.contains(party)) {
            // A cgroup that has disappeared again meanwhile has no file.
            let source = PolledFile::open_whole(&cgroup.join("memory.stat"));
            files.extend(source.ok().map(|source| (party, source, Counter::default())));
        }
        let over = self.last.replace(at).map(|last| at.since(last));
        files.retain_mut(|(party, source, counter)| {
            if source.read().is_err() {
                return false;
            }
            let pages = counter.grew(refaults(source.text())).unwrap_or(0);
            let (direction, cause, party) = (Direction::In, PageCause::Fault, *party);
            if let Some(over) = over.filter(|_| pages > 0) {
                sink(Observation::Paged { direction, cause, party, pages, over });
            }
            true
        });
        self.budget.end();
    }
}

fn refaults(text: &[u8]) -> u64 {
    let refaults = lines(text).filter(|line| line.starts_with(b"workingset_refault"));
    refaults.filter_map(|line| words(line).nth(1).and_then(number)).sum()
}
