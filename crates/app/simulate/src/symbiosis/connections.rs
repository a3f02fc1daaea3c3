//! Connections of real programs and their twins, as a Parquet file. Each connection has two rows,
//! one for what each end sends.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use netloom_columnar::{Cell, Column, Kind, Parquet, Table};
use netloom_sim::{SocketAction, SocketEnds, SocketTotals};
use netloom_units::Time;

use super::{Metadata, Shrunk};

const COLUMNS: &[Column<'static>] = &[
    ("connection", Kind::Number),
    ("begun_ns", Kind::Number),
    ("ended_ns", Kind::MaybeNumber),
    ("from", Kind::Name),
    ("to", Kind::MaybeName),
    ("source_port", Kind::Number),
    ("destination_port", Kind::Number),
    ("algorithm", Kind::MaybeName),
    ("written", Kind::Number),
    ("twin_written", Kind::Number),
    ("twin_acknowledged", Kind::Number),
    ("twin_read", Kind::Number),
];

/// The actions of real programs on their connections so far.
#[derive(Debug, Default)]
pub struct Connections {
    /// By number, and by the index of the host that has the end.
    ends: BTreeMap<(u32, u32), End>,
}

#[derive(Debug)]
struct End {
    ends: SocketEnds,
    begun: Time,
    ended: Option<Time>,
    written: u64,
}

impl Connections {
    /// Adds a period.
    pub fn add(&mut self, metadata: &Metadata) {
        for (host, event) in &metadata.sockets {
            let key = (event.connection, *host);
            match event.action {
                SocketAction::Connect(ends) | SocketAction::Await(ends) => {
                    let end = End { ends, begun: event.at, ended: None, written: 0 };
                    self.ends.insert(key, end);
                }
                SocketAction::Wrote(bytes) => {
                    self.ends.entry(key).and_modify(|end| end.written = bytes);
                }
                SocketAction::Finish | SocketAction::Reset => {
                    self.ends.entry(key).and_modify(|end| end.ended = Some(event.at));
                }
                SocketAction::Reads(_) => {}
            }
        }
    }

    /// Writes all connections with the results of their twins, ordered by connection and by the
    /// index of the host.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write<W: Write + Send>(
        &self,
        file: W,
        shrunk: &Shrunk,
        twins: &BTreeMap<(u32, u32), SocketTotals>,
    ) -> Result<()> {
        let mut table = Box::new(Parquet::new(file, "connections", COLUMNS)?);
        let name = |host: u32| Cell::Name(&shrunk.hosts[host as usize].name);
        for ((connection, host), end) in &self.ends {
            let End { ends, begun, ended, written } = end;
            let to = shrunk.addresses.get(&ends.remote.ip()).copied();
            let other = to.and_then(|to| twins.get(&(*connection, to))).copied();
            let twin = twins.get(&(*connection, *host)).copied().unwrap_or_default();
            table.row(&[
                Cell::Number((*connection).into()),
                Cell::Number(begun.as_nanos()),
                ended.map_or(Cell::Nothing, |ended| Cell::Number(ended.as_nanos())),
                name(*host),
                to.map_or(Cell::Nothing, name),
                Cell::Number(ends.local.port().into()),
                Cell::Number(ends.remote.port().into()),
                ends.algorithm.map_or(Cell::Nothing, |known| Cell::Name(known.name())),
                Cell::Number(*written),
                Cell::Number(twin.written),
                Cell::Number(twin.acknowledged),
                Cell::Number(other.unwrap_or_default().read),
            ])?;
        }
        Ok(table.finish()?)
    }
}
