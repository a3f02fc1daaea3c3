//! Directories as machines write them, made by hand: `a` and `b` are on `m1`, `c` and `d` on `m2`,
//! whose clock shows 2 ms less than that of `m1`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use netloom_api::event::{EndReason, What};
use netloom_api::summary::{FrameLogSummary, Mode, Summary};
use netloom_columnar::{Cell, Column, Kind, Parquet, Stored, Table};
use netloom_link::{FrameEvent, LogDecoder, LogEncoder, LogEntry, LogHeader, Occurrence};
use netloom_monitor::{Alignment, Criteria, Monitor, Trust};
use netloom_results::{EventFile, Member};
use netloom_scenario::{Scenario, load};
use netloom_units::{Dilation, Duration, Time};

pub const SCENARIO: &str = "
name: made
duration: 5s
topology:
  groups: { two: { members: [b, c] } }
  nodes: { a: , b: , c: , d: }
  links:
    - { endpoints: [\"a:eth1\", \"b:eth1\"] }
    - { endpoints: [\"b:eth2\", \"c:eth1\"], delay: 10ms }
    - { endpoints: [\"c:eth2\", \"d:eth1\"] }
traffic:
  - { name: f, from: a, to: d, udp: {}, cbr: { rate: 1Mbit/s } }
  - { name: g, from: { group: two }, to: a, udp: {}, cbr: { rate: 1Mbit/s } }
";

/// What the clock of `m2` lacks, in ns.
pub const BEHIND: i64 = 2_000_000;

/// Names of all pipes.
pub const PIPES: [&str; 6] = [
    "a--b/forward",
    "a--b/reverse",
    "b--c/forward",
    "b--c/reverse",
    "c--d/forward",
    "c--d/reverse",
];

/// A folder with the results of `m1` and `m2`.
pub struct Made {
    folder: tempfile::TempDir,
    pub scenario: Scenario,
    pub placement: BTreeMap<String, String>,
    pub members: Vec<Member>,
}

impl Made {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scenario = load(SCENARIO).unwrap().scenario;
        let placement = [("a", "m1"), ("b", "m1"), ("c", "m2"), ("d", "m2")];
        let placement =
            placement.map(|(node, machine)| (node.to_owned(), machine.to_owned())).into();
        let clock = Alignment { offset_ns: BEHIND, drift_ppb: 0, bound: Duration::from_micros(10) };
        let members = [("m1", Alignment::default()), ("m2", clock)].map(|(name, clock)| {
            let directory = folder.path().join(name);
            for part in ["processes", "captures"] {
                fs::create_dir_all(directory.join(part)).unwrap();
            }
            fs::write(directory.join("scenario.yaml"), SCENARIO).unwrap();
            let machine = netloom_results::machine::describe();
            let machine = serde_json::to_string(&machine).unwrap();
            fs::write(directory.join("machine.json"), machine).unwrap();
            let directory = Some(directory);
            Member { name: name.into(), directory, clock, profile: None, lost: None }
        });
        let made = Self { folder, scenario, placement, members: members.into() };
        for machine in 0..2 {
            made.summary(machine, |_| ());
            made.events(machine, vec![]);
        }
        made
    }

    /// The path of a file of a machine.
    pub fn path(&self, machine: usize, file: &str) -> PathBuf {
        self.members[machine].directory.as_ref().unwrap().join(file)
    }

    /// Writes a summary with changes.
    pub fn summary(&self, machine: usize, change: impl FnOnce(&mut Summary)) {
        let mut summary = summary(&self.scenario, machine);
        change(&mut summary);
        let text = serde_json::to_string(&summary).unwrap();
        fs::write(self.path(machine, "summary.json"), text).unwrap();
    }

    /// Writes events with times of the machine's own clock, in ms.
    pub fn events(&self, machine: usize, events: Vec<(u64, What)>) {
        let file = File::create(self.path(machine, "events.jsonl")).unwrap();
        let mut out = EventFile::new(file);
        for (ms, what) in events {
            out.record(Time::from_nanos(ms * 1_000_000), what);
        }
        out.finish().unwrap();
    }

    /// Writes a table of numbers and names. `""` is an empty cell.
    pub fn table(&self, machine: usize, file: &str, columns: &[Column<'_>], rows: &[&[&str]]) {
        let out = File::create(self.path(machine, file)).unwrap();
        let mut table = Box::new(Parquet::new(out, "table", columns).unwrap());
        for row in rows {
            let cells: Vec<Cell<'_>> = columns
                .iter()
                .zip(*row)
                .map(|((_, kind), text)| match (kind, *text) {
                    (_, "") => Cell::Nothing,
                    (Kind::Number | Kind::MaybeNumber, text) => Cell::Number(text.parse().unwrap()),
                    (Kind::Real | Kind::MaybeReal, text) => Cell::Real(text.parse().unwrap()),
                    (Kind::Name | Kind::MaybeName, text) => Cell::Name(text),
                })
                .collect();
            table.row(&cells).unwrap();
        }
        table.finish().unwrap();
    }

    /// Writes a frame log with times of the machine's own clock.
    pub fn log(&self, machine: usize, entries: &[LogEntry]) {
        let pipes = PIPES.map(str::to_owned).to_vec();
        let mut bytes = Vec::new();
        let header = LogHeader { zero_unix_ns: 77, pipes };
        let mut encoder = LogEncoder::new(&header, &mut bytes);
        entries.iter().for_each(|entry| encoder.encode(entry, &mut bytes));
        fs::write(self.path(machine, "frames.nlf"), bytes).unwrap();
    }

    /// Merges the results. Returns the new directory, too.
    pub fn merged(&self) -> (PathBuf, Summary) {
        let (out, merged) = self.try_merge();
        (out, merged.unwrap())
    }

    pub fn try_merge(&self) -> (PathBuf, anyhow::Result<Summary>) {
        let out = self.folder.path().join("merged");
        let merged =
            netloom_results::merge(&self.members, &self.scenario, &self.placement, &[], &out);
        (out, merged)
    }
}

/// An event of frame `number` of a pipe.
pub fn entry(pipe: u32, number: u64, nanos: i64, what: Occurrence) -> LogEntry {
    let at = Time::from_signed_nanos(nanos);
    LogEntry::Frame(pipe, FrameEvent { number, at, frames: 1, bytes: 100, what })
}

/// All entries of a frame log.
pub fn entries(log: &Path) -> Vec<LogEntry> {
    let mut decoder = LogDecoder::new();
    decoder.feed(&fs::read(log).unwrap());
    let mut entries = Vec::new();
    while let Some(entry) = decoder.next_entry().unwrap() {
        entries.push(entry);
    }
    assert_eq!(decoder.header().unwrap().pipes, PIPES);
    decoder.finish().unwrap();
    entries
}

/// All rows of a table, as text.
pub fn rows(file: &Path, columns: &[&str]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let table = Stored::open(File::open(file).unwrap()).unwrap();
    let text = |cell: &Cell<'_>| match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Signed(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Name(name) => (*name).to_owned(),
        Cell::Nothing => String::new(),
    };
    table.rows(columns, |cells| rows.push(cells.iter().map(text).collect())).unwrap();
    rows
}

fn summary(scenario: &Scenario, machine: usize) -> Summary {
    let end = Time::from_nanos(5_000_000_000);
    let verdict = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO).verdict(end);
    Summary {
        name: scenario.name.clone(),
        mode: Mode::Emulation,
        file: "netloom.yaml".into(),
        seed: 1,
        dilation: Dilation::NONE,
        version: "0".into(),
        started_unix: 1000.0 + machine as f64 * 0.5,
        ended: end,
        reason: EndReason::Duration,
        deploy_seconds: 1.0 + machine as f64,
        ready_seconds: None,
        processes: vec![],
        timeline: vec![],
        expectations: vec![],
        success: true,
        failures: vec![],
        links: vec![],
        vlan_ports: BTreeMap::new(),
        usage: BTreeMap::new(),
        frame_log: Some(FrameLogSummary { entries: 1, lost: 0, bytes: 1, failure: None }),
        verdict: Some(verdict),
        timing: None,
        simulation: None,
        flows: vec![],
        media: vec![],
        machines: vec![],
        placement: BTreeMap::new(),
        warnings: vec![],
    }
}
