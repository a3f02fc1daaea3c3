//! Standing still for lack of CPU, memory or disk: pressure stall information of every node's
//! cgroup, or of the machine if nodes can have no cgroups.
//!
//! Whatever stands still in a cgroup does so in its parent, too. If the parent reports that nothing
//! stood still, its children need not be read. If it reports that nothing ever did, they need not
//! even be opened.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use netloom_monitor::{Observation, Party, Pressure, SignalKind};
use netloom_units::{Duration, Time};

use crate::awaited::Awaited;
use crate::budget::Budget;
use crate::fields::{Counter, lines, number, words};
use crate::places::{Limited, ProcRoots};
use crate::polled_file::PolledFile;
use crate::probe::{Probe, Sink, cannot_watch, watches};

const NAME: &str = "pressure stall information";
const KINDS: [Pressure; 3] = [Pressure::Cpu, Pressure::Memory, Pressure::Io];
const PERIOD: Duration = Duration::from_millis(100);
const SIGNALS: [SignalKind; 1] = [SignalKind::Pressure];

pub struct Pressures {
    proc: PathBuf,
    /// Cgroups of nodes that may still appear.
    awaited: Awaited,
    has_cgroups: bool,
    /// Nodes that stand still because the scenario limits them.
    limited: BTreeMap<Party, Limited>,
    above: BTreeMap<PathBuf, Above>,
    stalls: Vec<Stalls>,
    budget: Budget,
}

/// The pressure files of a node, or of the machine.
struct Stalls {
    party: Party,
    place: Place,
    /// In the order of [`KINDS`].
    files: [Known; KINDS.len()],
    last: Option<Time>,
    /// Whether a first value was reported. It is reported even if it is zero.
    is_reported: bool,
}

/// A place with pressure files of all kinds.
enum Place {
    Cgroup(PathBuf),
    /// `/proc/pressure`.
    Machine(PathBuf),
}

/// A file of [`Stalls`].
enum Known {
    /// Not to be read, or missing.
    Not,
    /// Not opened: nothing has ever stood still, or it has not been polled yet.
    Never,
    Open(Total),
}

/// The parent cgroup of nodes.
struct Above {
    totals: [Option<Total>; KINDS.len()],
    stood: [Stood; KINDS.len()],
}

/// Whether something stood still in a cgroup or in its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stood {
    Perhaps,
    /// Nothing stood still since the last look.
    NotLately,
    Never,
}

/// Total time during which tasks stood still for lack of one resource.
struct Total {
    source: PolledFile,
    stalled_us: Counter,
}

impl Pressures {
    pub fn new(places: &ProcRoots) -> Self {
        let has_cgroups = places.cgroups().next().is_some();
        let (proc, awaited) = (places.proc.join("pressure"), Awaited::of(places));
        let limited = places.cgroups().map(|(party, _)| (party, places.limited(party)));
        let limited = limited.filter(|(_, limited)| *limited != Limited::default()).collect();
        let (above, stalls, budget) = Default::default();
        Self { proc, awaited, has_cgroups, limited, above, stalls, budget }
    }

    /// Watches a node from now on. Returns whether it has pressure files.
    fn add(&mut self, party: Party, cgroup: PathBuf) -> bool {
        let place = Place::Cgroup(cgroup);
        let limited = self.limited.get(&party).copied().unwrap_or_default();
        let asked_for = |of: Pressure| match of {
            Pressure::Cpu => limited.cpu,
            // A node that has used up its memory reads from disk what it had to evict.
            Pressure::Memory | Pressure::Io => limited.memory,
        };
        if !place.file(Pressure::Cpu).exists() {
            return false;
        }
        if let Some(parent) = place.parent().filter(|parent| !self.above.contains_key(*parent)) {
            self.above.insert(parent.into(), Above::of(parent));
        }
        let files = KINDS.map(|of| if asked_for(of) { Known::Not } else { Known::Never });
        self.stalls.push(Stalls { party, place, files, last: None, is_reported: false });
        true
    }

    /// Watches the machine instead of nodes.
    fn watch_machine(&mut self, why: &str, sink: Sink<'_>) {
        self.awaited.clear();
        let (party, place) = (Party::Unattributed, Place::Machine(self.proc.clone()));
        let files = KINDS.map(|_| Known::Never);
        self.stalls.push(Stalls { party, place, files, last: None, is_reported: false });
        watches(sink, NAME, &SIGNALS, &[&format!("{why}: only the whole machine is seen")]);
    }
}

impl Probe for Pressures {
    fn period(&self) -> Duration {
        self.budget.period(PERIOD)
    }

    fn start(&mut self, sink: Sink<'_>) {
        if let Err(error) = PolledFile::open(&self.proc.join("cpu")) {
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
            let is_there = cgroup.is_dir();
            // It may have disappeared again meanwhile.
            if !self.add(party, cgroup) && self.stalls.is_empty() && is_there {
                self.watch_machine("nodes' cgroups have no PSI", sink);
                break;
            }
        }
        self.above.values_mut().for_each(Above::look);
        let (above, awaited) = (&self.above, &mut self.awaited);
        self.stalls.retain_mut(|stalls| {
            let above = stalls.place.parent().and_then(|parent| above.get(parent));
            let stood = above.map_or(KINDS.map(|_| Stood::Perhaps), |above| above.stood);
            let is_there = stalls.look(at, stood, sink).is_ok();
            // A cgroup disappears with its node. Files of it that are still open cannot be read any
            // more.
            if let (false, Place::Cgroup(cgroup)) = (is_there, &stalls.place) {
                awaited.await_again(stalls.party, cgroup);
            }
            is_there
        });
        self.budget.end();
    }
}

impl Stalls {
    /// Reports what stood still. Reads only files of kinds for which the parent cgroup reports that
    /// something may have stood still.
    ///
    /// # Errors
    /// Fails if the files no longer exist.
    fn look(&mut self, at: Time, stood: [Stood; KINDS.len()], sink: Sink<'_>) -> io::Result<()> {
        let over = self.last.replace(at).map(|last| at.since(last));
        let was_reported = std::mem::replace(&mut self.is_reported, over.is_some());
        for ((file, of), stood) in self.files.iter_mut().zip(KINDS).zip(stood) {
            let grown = match (&mut *file, stood) {
                (Known::Not, _) => None,
                (Known::Never, Stood::Never) | (Known::Open(_), Stood::NotLately) => {
                    (!was_reported).then_some(Duration::ZERO)
                }
                (Known::Open(total), _) => total.grew()?,
                (Known::Never, _) => match Total::open(&self.place.file(of), over.is_some()) {
                    Ok(mut total) => {
                        let grown = total.grew()?;
                        *file = Known::Open(total);
                        grown
                    }
                    Err(error) => {
                        *file = Known::Not;
                        if error.kind() != io::ErrorKind::NotFound {
                            let blind = format!("nodes of which it cannot be read: {error}");
                            watches(sink, NAME, &SIGNALS, &[&blind]);
                        }
                        None
                    }
                },
            };
            if let Some((over, stalled)) = over.zip(grown) {
                sink(Observation::Stalled { of, party: self.party, stalled, over });
            }
        }
        Ok(())
    }
}

impl Place {
    fn file(&self, of: Pressure) -> PathBuf {
        match self {
            Self::Cgroup(folder) => folder.join(format!("{}.pressure", of.name())),
            Self::Machine(folder) => folder.join(of.name()),
        }
    }

    /// The parent cgroup.
    fn parent(&self) -> Option<&Path> {
        match self {
            Self::Cgroup(folder) => folder.parent(),
            Self::Machine(_) => None,
        }
    }
}

impl Above {
    fn of(cgroup: &Path) -> Self {
        let place = Place::Cgroup(cgroup.into());
        let totals = KINDS.map(|of| Total::open(&place.file(of), false).ok());
        Self { totals, stood: KINDS.map(|_| Stood::Perhaps) }
    }

    fn look(&mut self) {
        for (total, stood) in self.totals.iter_mut().zip(&mut self.stood) {
            let grown = total.as_mut().map(Total::grew);
            *stood = match (grown, total) {
                (Some(Ok(_)), Some(total)) if total.stalled_us.is_zero() => Stood::Never,
                (Some(Ok(Some(Duration::ZERO))), _) => Stood::NotLately,
                _ => Stood::Perhaps,
            };
        }
    }
}

impl Total {
    /// `is_new`: the total was zero at the last look.
    fn open(path: &Path, is_new: bool) -> io::Result<Self> {
        let stalled_us = if is_new { Counter::from_zero() } else { Counter::default() };
        Ok(Self { source: PolledFile::open_whole(path)?, stalled_us })
    }

    /// Growth since the last look; `None` at the first look.
    fn grew(&mut self) -> io::Result<Option<Duration>> {
        self.source.read()?;
        let grown = some_total(self.source.text()).and_then(|now| self.stalled_us.grew(now));
        Ok(grown.map(Duration::from_micros))
    }
}

/// The total of the line `some`, in µs.
fn some_total(text: &[u8]) -> Option<u64> {
    let some = lines(text).find(|line| line.starts_with(b"some "))?;
    words(some).find_map(|word| number(word.strip_prefix(b"total=")?))
}
