//! Parties that run on a CPU, as they are reported to people: the engine as itself, other processes
//! by name.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use netloom_monitor::{Observation, Party, Subject};
use netloom_units::{Duration, Time};

use crate::fields::text;
use crate::places::ProcRoots;
use crate::probe::Sink;

/// Names are reported again after this time, because processes turn into other programs, and
/// process IDs are reused.
const RENEW: Duration = Duration::from_secs(1);
/// Number of processes whose reports are remembered.
const NAMES: usize = 4096;

pub struct Runners {
    engine: u32,
    proc: PathBuf,
    /// When the name of each process was last reported.
    named_at: BTreeMap<u32, Time>,
}

impl Runners {
    pub fn of(places: &ProcRoots) -> Self {
        Self { engine: places.engine, proc: places.proc.clone(), named_at: BTreeMap::new() }
    }

    /// Converts a party to its reported form.
    pub fn known(&self, party: Party) -> Party {
        match party {
            Party::Process(pid) if pid == self.engine => Party::Engine,
            _ => party,
        }
    }

    /// Converts a party to its reported form, and reports the name of a process.
    pub fn named(&mut self, at: Time, party: Party, sink: Sink<'_>) -> Party {
        let party = self.known(party);
        if let Party::Process(pid) = party {
            self.report_name(at, pid, sink);
        }
        party
    }

    /// Reports the name of a process, unless it was reported shortly before. A process that has
    /// ended keeps its number only.
    fn report_name(&mut self, at: Time, pid: u32, sink: Sink<'_>) {
        if self.named_at.get(&pid).is_some_and(|named| at < *named + RENEW) {
            return;
        }
        if self.named_at.len() >= NAMES {
            self.named_at.retain(|_, named| at < *named + RENEW);
        }
        self.named_at.insert(pid, at);
        if let Ok(name) = fs::read(self.proc.join(pid.to_string()).join("comm")) {
            let (what, name) = (Subject::Process(pid), text(name.trim_ascii_end()));
            sink(Observation::Named { what, name });
        }
    }
}
