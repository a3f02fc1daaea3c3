//! Tables with a row for each thing and sample. A row comes from the machine that knows the thing.

use std::collections::HashMap;
use std::fs::File;

use anyhow::{Context, Error, Result, anyhow};
use netloom_columnar::{Cell, Column, Cursor, GrowingParquet, Kind, Stored, Table};
use netloom_monitor::{Alignment, Marks, Span};
use netloom_units::Time;

use super::interleaved::Interleaved;
use super::merging::Merging;
use super::owners::direction;

/// Columns with times.
const TIMES: [&str; 3] = ["time_ns", "begun_ns", "ended_ns"];

/// Files, each with the column of the node whose machine knows the row, if there is one, and the
/// columns by which rows of the same time are sorted.
const TABLES: &[(&str, Option<&str>, &[&str])] = &[
    ("radio.parquet", Some("node"), &["medium", "node"]),
    ("positions.parquet", Some("node"), &["node"]),
    ("neighbours.parquet", Some("node"), &["medium", "node", "neighbour"]),
    ("calibration.parquet", None, &["pipe"]),
    ("metadata.parquet", None, &[]),
    ("connections.parquet", None, &[]),
];

const PIPES: &str = "pipes.parquet";
/// The column of a pipe's machine. One machine's files do not have it.
const MACHINE: Column<'static> = ("machine", Kind::Name);

/// A cell that is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    Nothing,
    Number(u64),
    Signed(i64),
    /// The bits of a number that need not be whole.
    Real(u64),
    Name(String),
}

impl Kept {
    pub fn of(cell: &Cell<'_>) -> Self {
        match cell {
            Cell::Number(number) => Self::Number(*number),
            Cell::Signed(number) => Self::Signed(*number),
            Cell::Real(number) => Self::Real(number.to_bits()),
            Cell::Name(name) => Self::Name((*name).to_owned()),
            Cell::Nothing => Self::Nothing,
        }
    }

    pub fn cell(&self) -> Cell<'_> {
        match self {
            Self::Number(number) => Cell::Number(*number),
            Self::Signed(number) => Cell::Signed(*number),
            Self::Real(bits) => Cell::Real(f64::from_bits(*bits)),
            Self::Name(name) => Cell::Name(name),
            Self::Nothing => Cell::Nothing,
        }
    }

    pub fn name(&self) -> &str {
        if let Self::Name(name) = self { name } else { "" }
    }

    pub fn number(&self) -> u64 {
        if let Self::Number(number) = self { *number } else { 0 }
    }

    pub fn time(&self) -> Option<Time> {
        match self {
            Self::Number(nanos) => Some(Time::from_nanos(*nanos)),
            Self::Signed(nanos) => Some(Time::from_signed_nanos(*nanos)),
            Self::Real(_) | Self::Name(_) | Self::Nothing => None,
        }
    }
}

impl From<Time> for Kept {
    fn from(time: Time) -> Self {
        let nanos = time.signed_nanos();
        u64::try_from(nanos).map_or(Self::Signed(nanos), Self::Number)
    }
}

/// A row that is kept.
pub(super) type Row = Vec<Kept>;

/// Columns with their kinds.
type Columns = Vec<(String, Kind)>;

/// The same table of several machines.
pub(super) struct Tables {
    tables: Vec<(usize, Stored<File>)>,
    columns: Columns,
}

impl Tables {
    /// Opens tables. Returns those that cannot be used, too.
    pub fn open(files: Vec<(usize, File)>) -> (Self, Vec<(usize, Error)>) {
        let mut all = Self { tables: Vec::new(), columns: Vec::new() };
        let mut failures = Vec::new();
        for (member, file) in files {
            match all.columns_of(file) {
                Ok((table, columns)) => {
                    all.columns = columns;
                    all.tables.push((member, table));
                }
                Err(error) => failures.push((member, error)),
            }
        }
        (all, failures)
    }

    fn columns_of(&self, file: File) -> Result<(Stored<File>, Columns)> {
        let table = Stored::open(file)?;
        let columns: Columns =
            table.columns()?.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect();
        if !self.columns.is_empty() && self.columns != columns {
            return Err(anyhow!("it has other columns than that of another machine"));
        }
        Ok((table, columns))
    }

    /// The columns of all.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        self.columns.iter().map(|(name, kind)| (name.as_str(), *kind))
    }

    /// The place of a column.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|(name, _)| name == column)
    }

    /// The rows of each, with the number of its machine.
    pub fn rows(&self) -> Result<Vec<(usize, Rows<'_>)>> {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let rows = self.tables.iter().map(|(member, table)| {
            Ok((*member, Rows { cursor: table.cursor(&names)?, has_failed: false }))
        });
        rows.collect()
    }
}

/// The rows of one machine's table.
pub(super) struct Rows<'t> {
    cursor: Cursor<'t, File>,
    has_failed: bool,
}

impl Iterator for Rows<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        if self.has_failed {
            return None;
        }
        let row = match self.cursor.advance() {
            Ok(false) => return None,
            Ok(true) => self.cursor.cells().map(|cells| cells.iter().map(Kept::of).collect()),
            Err(error) => Err(error),
        };
        self.has_failed = row.is_err();
        Some(row.map_err(Into::into))
    }
}

/// Converts the times of a row.
fn align(row: &mut Row, times: &[usize], clock: &Alignment) {
    for place in times {
        if let Some(time) = row[*place].time() {
            row[*place] = clock.to_cluster(time).into();
        }
    }
}

impl Merging<'_> {
    /// Merges the statistics of pipes. Those of a pipe are its sender's; frames that the far end
    /// did not take are counted by the receiver. `marks` say which times are to be left out.
    pub fn pipes(&mut self, marks: &Marks) {
        let mut pipes = Pipes { marks, sampled: HashMap::new(), refused: HashMap::new() };
        self.table(PIPES, &["link", "direction"], Some(MACHINE), &mut |merging, found| {
            pipes.take(merging, found)
        });
    }

    /// Merges all tables whose rows come from one machine each.
    pub fn tables(&mut self) {
        for (file, node, sorted_by) in TABLES {
            self.table(file, sorted_by, None, &mut |merging, found| {
                let machine = merging.members[found.member].name();
                let node = node.and_then(|node| Some(found.row[found.place(node)?].name()));
                node.is_none_or(|node| merging.owners.has_node(machine, node)).then_some(())
            });
        }
    }

    /// Merges a table: rows by time, and those of one time by `sorted_by`. `take` returns `None`
    /// for a row that is to be left out, and fills in the `extra` column.
    fn table(
        &mut self,
        file: &'static str,
        sorted_by: &[&str],
        extra: Option<Column<'static>>,
        take: &mut dyn FnMut(&Self, &mut Found<'_>) -> Option<()>,
    ) {
        let (tables, failures) = Tables::open(self.open(file));
        failures.into_iter().for_each(|(member, why)| self.fail(file, member, &why));
        if tables.tables.is_empty() {
            return;
        }
        let written = self.write(file, &tables, sorted_by, extra, take);
        let failures = self.keep(file, written);
        failures.into_iter().flatten().for_each(|(member, why)| self.fail(file, member, &why));
    }

    fn write(
        &self,
        file: &'static str,
        tables: &Tables,
        sorted_by: &[&str],
        extra: Option<Column<'static>>,
        take: &mut dyn FnMut(&Self, &mut Found<'_>) -> Option<()>,
    ) -> Result<Vec<(usize, Error)>> {
        let columns: Vec<_> = tables.columns().chain(extra).collect();
        let name = file.trim_end_matches(".parquet");
        let path = self.results.path(file);
        let mut out = Box::new(GrowingParquet::new(crate::private_file(&path)?, name, &columns)?);
        let times: Vec<usize> = TIMES.iter().filter_map(|time| tables.place(time)).collect();
        let sorted_by: Vec<usize> =
            sorted_by.iter().filter_map(|name| tables.place(name)).collect();
        let time = *times.first().context("it has no column of times")?;
        let sources = tables.rows()?.into_iter().map(|(member, rows)| {
            let (clock, times) = (self.members[member].member.clock, &times);
            let aligned = rows.map(move |row| {
                let mut row = row?;
                align(&mut row, times, &clock);
                Ok((row[time].time(), row))
            });
            (member, aligned)
        });
        let mut entries = Interleaved::new(sources);
        while let Some(now) = entries.time() {
            let mut sample: Vec<Row> = Vec::new();
            while entries.time() == Some(now) {
                let Some((member, _, row)) = entries.next() else { break };
                let mut found = Found { tables, member, row };
                if take(self, &mut found).is_some() {
                    sample.push(found.row);
                }
            }
            sample.sort_by(|a, b| {
                sorted_by.iter().map(|place| &a[*place]).cmp(sorted_by.iter().map(|p| &b[*p]))
            });
            for row in &sample {
                out.row(&row.iter().map(Kept::cell).collect::<Vec<_>>())?;
            }
        }
        out.finish()?;
        Ok(entries.into_failures())
    }
}

/// A row of a machine.
struct Found<'t> {
    tables: &'t Tables,
    member: usize,
    row: Row,
}

impl Found<'_> {
    fn place(&self, column: &str) -> Option<usize> {
        self.tables.place(column)
    }
}

/// What is known of pipes so far.
struct Pipes<'m> {
    marks: &'m Marks,
    /// The time of the last sample of each.
    sampled: HashMap<String, Time>,
    /// Frames that the far ends of pipes between machines did not take.
    refused: HashMap<String, u64>,
}

impl Pipes<'_> {
    fn take(&mut self, merging: &Merging<'_>, found: &mut Found<'_>) -> Option<()> {
        let machine = merging.members[found.member].name();
        let places = ["time_ns", "link", "direction"].map(|column| found.place(column));
        let [Some(time), Some(link), Some(way)] = places else { return None };
        let lost = found.place("lost_unmodelled_frames");
        let (link, way) = (found.row[link].name(), direction(found.row[way].name())?);
        let name = format!("{link}/{}", way.name());
        let is_sender = merging.owners.sends(machine, link, way);
        let is_receiver = merging.owners.receives(machine, link, way);
        let lost = lost.filter(|place| found.row[*place] != Kept::Nothing);
        match (is_sender, is_receiver, lost) {
            (true, true, _) | (true, _, None) => {}
            (true, false, Some(lost)) => {
                let refused = self.refused.get(&name).copied().unwrap_or_default();
                found.row[lost] = Kept::Number(found.row[lost].number().saturating_add(refused));
            }
            (false, true, Some(lost)) => {
                self.refused.insert(name, found.row[lost].number());
                return None;
            }
            (false, ..) => return None,
        }
        let now = found.row[time].time()?;
        let since = self.sampled.insert(name.clone(), now).unwrap_or(Time::ZERO);
        if let Some(bad) = found.place("bad").filter(|bad| found.row[*bad] == Kept::Number(0)) {
            let is_bad = self.marks.is_bad(&name, Span { from: since, to: now });
            found.row[bad] = Kept::Number(u64::from(is_bad));
        }
        found.row.push(Kept::Name(machine.to_owned()));
        Some(())
    }
}
