//! Tables of flows. The ends of a flow may be on two machines: one has counted what was sent, the
//! other what arrived.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;

use anyhow::{Context, Error, Result};
use netloom_columnar::{Column, Parquet, Table};
use netloom_scenario::Scenario;
use netloom_units::Time;

use super::merging::Merging;
use super::rows::{Kept, Row, Tables};

/// Columns of counters that go on for the whole run. Those of the end of a flow that has no row at
/// a time are what they were before.
const COUNTERS: [&str; 12] = [
    "sent_packets",
    "sent_bytes",
    "received_packets",
    "received_bytes",
    "duplicated_packets",
    "reordered_packets",
    "delay_sum_ns",
    "refused_packets",
    "late",
    "begun_transfers",
    "completed_transfers",
    "completion_sum_ns",
];

/// The rows of one time by flow and sender. The time is that of an own clock: both ends of a flow
/// sample at the same times since their zeros.
type Joined = BTreeMap<(Time, String, String), Row>;

/// Names of flows in the results of a whole run: that of their entry, and the sender if the entry
/// has several. A machine that has one of several senders does not know that.
pub(super) struct FlowNames<'s>(HashSet<&'s str>);

impl<'s> FlowNames<'s> {
    pub fn new(scenario: &'s Scenario) -> Self {
        let shared = scenario.traffic.iter().filter(|entry| entry.from.len() > 1);
        Self(shared.map(|entry| entry.name.as_str()).collect())
    }

    /// The name of the flow that a machine calls `name`.
    pub fn of(&self, name: &str, from: &str) -> String {
        if self.0.contains(name) { format!("{name}/{from}") } else { name.to_owned() }
    }
}

impl Merging<'_> {
    /// Merges the tables of flows.
    pub fn traffic(&mut self, scenario: &Scenario) {
        let names = FlowNames::new(scenario);
        for file in ["traffic.parquet", "flows.parquet"] {
            let (tables, mut failures) = Tables::open(self.open(file));
            let columns: Vec<_> = tables.columns().collect();
            if !columns.is_empty() {
                let written = self.join(&tables, &names, &mut failures).and_then(|rows| {
                    let to = crate::private_file(&self.results.path(file))?;
                    write(to, file.trim_end_matches(".parquet"), &columns, &rows)
                });
                self.keep(file, written);
            }
            failures.into_iter().for_each(|(member, why)| self.fail(file, member, &why));
        }
    }

    /// The rows of all machines, joined, with cluster time of the senders' machines.
    fn join(
        &self,
        tables: &Tables,
        names: &FlowNames<'_>,
        failures: &mut Vec<(usize, Error)>,
    ) -> Result<Vec<Row>> {
        let places = ["time_ns", "flow", "from"].map(|column| tables.place(column));
        let [Some(time), Some(flow), Some(from)] = places else {
            return Err(Error::msg("it has no columns of times, flows and senders"));
        };
        let mut joined = Joined::new();
        for (member, rows) in tables.rows()? {
            for row in rows {
                let mut row = match row {
                    Ok(row) => row,
                    Err(error) => {
                        failures.push((member, error));
                        break;
                    }
                };
                let sender = row[from].name().to_owned();
                let name = names.of(row[flow].name(), &sender);
                row[flow] = Kept::Name(name.clone());
                let at = row[time].time().context("a row has no time")?;
                match joined.entry((at, name, sender)) {
                    std::collections::btree_map::Entry::Vacant(new) => {
                        new.insert(row);
                    }
                    std::collections::btree_map::Entry::Occupied(known) => {
                        // What only one end counts is empty, or 0, at the other.
                        let cells = known.into_mut().iter_mut().zip(row);
                        cells.for_each(|(known, cell)| {
                            *known = cell.max(std::mem::replace(known, Kept::Nothing))
                        });
                    }
                }
            }
        }
        let counters: Vec<usize> =
            COUNTERS.iter().filter_map(|column| tables.place(column)).collect();
        let mut before: HashMap<(String, String), Row> = HashMap::new();
        let rows = joined.into_iter().map(|((at, name, sender), mut row)| {
            if let Some(before) = before.get(&(name.clone(), sender.clone())) {
                for place in &counters {
                    row[*place] = before[*place].clone().max(row[*place].clone());
                }
            }
            let machine = self.members.iter().find(|m| self.owners.has_node(m.name(), &sender));
            let clock = machine.map(|machine| machine.member.clock).unwrap_or_default();
            before.insert((name, sender), row.clone());
            row[time] = clock.to_cluster(at).into();
            row
        });
        let mut rows: Vec<Row> = rows.collect();
        rows.sort_by_key(|row| row[time].time());
        Ok(rows)
    }
}

fn write(file: File, name: &str, columns: &[Column<'_>], rows: &[Row]) -> Result<()> {
    let mut table: Box<dyn Table> = Box::new(Parquet::new(file, name, columns)?);
    for row in rows {
        table.row(&row.iter().map(Kept::cell).collect::<Vec<_>>())?;
    }
    Ok(table.finish()?)
}
