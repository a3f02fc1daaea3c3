//! The actions of the real side of a symbiotic run, as a Parquet file: the packets that real
//! programs sent, and their actions on TCP connections. For each period, the file also has what
//! real hosts received, when the calibrations took effect, and the backlogs of small pipes.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use netloom_columnar::{Cell, Column, Kind, Parquet, Stored, Table};
use netloom_sim::{Fragment, Sent, SocketAction, SocketEnds, SocketEvent};
use netloom_symbiosis::Received;
use netloom_units::{Duration, Time};

use super::{Applied, Metadata, RealPipe, Shrunk};

const COLUMNS: &[Column<'static>] = &[
    ("period", Kind::Number),
    ("what", Kind::Name),
    ("time_ns", Kind::Number),
    ("lasted_ns", Kind::MaybeNumber),
    ("name", Kind::MaybeName),
    ("interface", Kind::MaybeName),
    ("source", Kind::MaybeName),
    ("destination", Kind::MaybeName),
    ("bytes", Kind::MaybeNumber),
    ("protocol", Kind::MaybeNumber),
    ("source_port", Kind::MaybeNumber),
    ("destination_port", Kind::MaybeNumber),
    ("hop_limit", Kind::MaybeNumber),
    ("traffic_class", Kind::MaybeNumber),
    ("dont_fragment", Kind::MaybeNumber),
    ("fragment_ident", Kind::MaybeNumber),
    ("fragment_offset", Kind::MaybeNumber),
    ("more_fragments", Kind::MaybeNumber),
    ("offered", Kind::MaybeNumber),
    ("lost", Kind::MaybeNumber),
    ("left", Kind::MaybeNumber),
    ("connection", Kind::MaybeNumber),
    ("algorithm", Kind::MaybeName),
    ("mss", Kind::MaybeNumber),
];

const PACKET: &str = "packet";
const CONNECT: &str = "connect";
const AWAIT: &str = "await";
const WROTE: &str = "wrote";
const READS: &str = "reads";
const FINISH: &str = "finish";
const RESET: &str = "reset";
const RECEIVED: &str = "received";
const APPLIED: &str = "applied";
const PIPE: &str = "pipe";

/// The file, while a run writes it.
pub struct MetadataFile<W: Write + Send> {
    table: Box<Parquet<W>>,
}

impl<W: Write + Send> MetadataFile<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(file: W) -> Result<Self> {
        Ok(Self { table: Box::new(Parquet::new(file, "metadata", COLUMNS)?) })
    }

    /// Adds a period: the actions of real programs, and how its reports were applied.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(
        &mut self,
        period: u64,
        shrunk: &Shrunk,
        metadata: &Metadata,
        applied: &Applied,
    ) -> Result<()> {
        for (host, sent) in &metadata.sent {
            self.packet(period, shrunk, *host, sent)?;
        }
        for (host, event) in &metadata.sockets {
            self.socket(period, shrunk, *host, event)?;
        }
        let mut row = [Cell::Nothing; COLUMNS.len()];
        row[0] = Cell::Number(period);
        self.received(row, shrunk, metadata)?;
        row[1] = Cell::Name(APPLIED);
        row[2] = Cell::Number(applied.at.as_nanos());
        row[3] = Cell::Number(applied.took.as_nanos());
        self.table.row(&row)?;
        for (pipe, real) in shrunk.pipes.iter().zip(&applied.pipes) {
            row[1] = Cell::Name(PIPE);
            row[3] = Cell::Number(real.backlog.as_nanos());
            row[4] = Cell::Name(&pipe.name);
            row[18..21].copy_from_slice(&[real.offered, real.lost, real.left].map(Cell::Number));
            self.table.row(&row)?;
        }
        Ok(())
    }

    /// Adds what real hosts received: a row for each pair of a sender and a receiver.
    fn received<'s>(
        &mut self,
        mut row: [Cell<'s>; COLUMNS.len()],
        shrunk: &'s Shrunk,
        metadata: &Metadata,
    ) -> Result<()> {
        row[1] = Cell::Name(RECEIVED);
        row[2] = Cell::Number(0);
        for (ends, received) in &metadata.received {
            let [from, to] = ends.map(|host| Cell::Name(&shrunk.hosts[host as usize].name));
            row[3] = Cell::Number(received.delay.as_nanos());
            (row[6], row[7]) = (from, to);
            (row[8], row[20]) = (Cell::Number(received.bytes), Cell::Number(received.frames));
            self.table.row(&row)?;
        }
        Ok(())
    }

    fn packet(&mut self, period: u64, shrunk: &Shrunk, host: u32, sent: &Sent) -> Result<()> {
        let host = &shrunk.hosts[host as usize];
        let [source, destination] = sent.ends.map(|end| end.to_string());
        let number = |value: u64| Cell::Number(value);
        Ok(self.table.row(&[
            number(period),
            Cell::Name(PACKET),
            number(sent.at.as_nanos()),
            Cell::Nothing,
            Cell::Name(&host.name),
            Cell::Name(&host.interfaces[sent.interface as usize]),
            Cell::Name(&source),
            Cell::Name(&destination),
            number(sent.bytes.into()),
            number(sent.protocol.into()),
            number(sent.ports[0].into()),
            number(sent.ports[1].into()),
            number(sent.hop_limit.into()),
            number(sent.traffic_class.into()),
            number(sent.dont_fragment.into()),
            number(sent.fragment.ident.into()),
            number(sent.fragment.offset().into()),
            number(sent.fragment.more().into()),
            Cell::Nothing,
            Cell::Nothing,
            Cell::Nothing,
            Cell::Nothing,
            Cell::Nothing,
            Cell::Nothing,
        ])?)
    }

    fn socket(
        &mut self,
        period: u64,
        shrunk: &Shrunk,
        host: u32,
        event: &SocketEvent,
    ) -> Result<()> {
        let mut row = [Cell::Nothing; COLUMNS.len()];
        row[0] = Cell::Number(period);
        row[2] = Cell::Number(event.at.as_nanos());
        row[4] = Cell::Name(&shrunk.hosts[host as usize].name);
        row[21] = Cell::Number(event.connection.into());
        let (what, ends, bytes) = match event.action {
            SocketAction::Connect(ends) => (CONNECT, Some(ends), None),
            SocketAction::Await(ends) => (AWAIT, Some(ends), None),
            SocketAction::Wrote(bytes) => (WROTE, None, Some(bytes)),
            SocketAction::Reads(limit) => (READS, None, limit),
            SocketAction::Finish => (FINISH, None, None),
            SocketAction::Reset => (RESET, None, None),
        };
        row[1] = Cell::Name(what);
        row[8] = bytes.map_or(Cell::Nothing, Cell::Number);
        let addresses = ends.map(|ends| [ends.local, ends.remote].map(|end| end.ip().to_string()));
        if let Some((ends, [local, remote])) = ends.zip(addresses.as_ref()) {
            (row[6], row[7]) = (Cell::Name(local), Cell::Name(remote));
            row[10] = Cell::Number(ends.local.port().into());
            row[11] = Cell::Number(ends.remote.port().into());
            row[22] = ends.algorithm.map_or(Cell::Nothing, |known| Cell::Name(known.name()));
            row[23] = ends.mss.map_or(Cell::Nothing, |mss| Cell::Number(mss.into()));
        }
        Ok(self.table.row(&row)?)
    }

    /// Writes the rest of the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<()> {
        Ok(self.table.finish()?)
    }
}

/// Reads such a file. Returns for each period the actions of real programs, and how its reports
/// were applied.
///
/// # Errors
/// If the file is not of this kind, or is about another network.
pub fn read_metadata(file: File, shrunk: &Shrunk) -> Result<Vec<(Metadata, Applied)>> {
    let table = Stored::open(file)?;
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let mut periods: Vec<(Metadata, Applied)> = Vec::new();
    let mut wrong = None;
    let mut rows = 0_u64;
    table.rows(&names, |row| {
        rows += 1;
        if wrong.is_none() {
            let added = add(row, shrunk, &mut periods);
            wrong = added.with_context(|| format!("row {rows} of the metadata")).err();
        }
    })?;
    wrong.map_or(Ok(()), Err)?;
    let complete = |(_, applied): &(_, Applied)| applied.pipes.len() == shrunk.pipes.len();
    if let Some(number) = periods.iter().position(|period| !complete(period)) {
        bail!("period {number} of the metadata is not complete");
    }
    Ok(periods)
}

fn add(row: &[Cell<'_>], shrunk: &Shrunk, periods: &mut Vec<(Metadata, Applied)>) -> Result<()> {
    let [period, what, at, lasted, name, ..] = row else { bail!("it is too short") };
    let period = usize::try_from(number(*period)?)?;
    if period == periods.len() {
        periods.push(Default::default());
    }
    let of = periods.get_mut(period).context("periods are missing before it")?;
    let at = Time::from_nanos(number(*at)?);
    let lasted = || Ok::<_, anyhow::Error>(Duration::from_nanos(number(*lasted)?));
    match word(*what)? {
        PACKET => of.0.sent.push(packet(row, at, shrunk)?),
        CONNECT | AWAIT | WROTE | READS | FINISH | RESET => {
            let (connection, action) = (u32::try_from(number(row[21])?)?, action(row)?);
            let event = SocketEvent { at, connection, action };
            of.0.sockets.push((host(word(*name)?, shrunk)?, event));
        }
        RECEIVED => {
            let received =
                Received { frames: number(row[20])?, bytes: number(row[8])?, delay: lasted()? };
            let ends = [host(word(row[6])?, shrunk)?, host(word(row[7])?, shrunk)?];
            of.0.received.insert(ends, received);
        }
        APPLIED => (of.1.at, of.1.took) = (at, lasted()?),
        PIPE => {
            let expected = shrunk.pipes.get(of.1.pipes.len()).map(|pipe| &*pipe.name);
            let name = word(*name)?;
            if expected != Some(name) {
                bail!("it names the small pipe `{name}`, which this network has not there");
            }
            of.1.pipes.push(RealPipe {
                backlog: lasted()?,
                offered: number(row[18])?,
                lost: number(row[19])?,
                left: number(row[20])?,
            });
        }
        other => bail!("`{other}` is nothing that metadata say"),
    }
    Ok(())
}

/// Returns an action of a program on a connection.
fn action(row: &[Cell<'_>]) -> Result<SocketAction> {
    let known = |cell: Cell<'_>| matches!(cell, Cell::Number(_) | Cell::Name(_));
    let ends = || {
        let end = |address: usize, port: usize| -> Result<SocketAddr> {
            Ok(SocketAddr::new(word(row[address])?.parse()?, u16::try_from(number(row[port])?)?))
        };
        let algorithm = known(row[22]).then(|| Ok::<_, anyhow::Error>(word(row[22])?.parse()?));
        let mss = known(row[23]).then(|| Ok::<_, anyhow::Error>(number(row[23])?.try_into()?));
        let (algorithm, mss) = (algorithm.transpose()?, mss.transpose()?);
        Ok::<_, anyhow::Error>(SocketEnds {
            local: end(6, 10)?,
            remote: end(7, 11)?,
            algorithm,
            mss,
        })
    };
    Ok(match word(row[1])? {
        CONNECT => SocketAction::Connect(ends()?),
        AWAIT => SocketAction::Await(ends()?),
        WROTE => SocketAction::Wrote(number(row[8])?),
        READS => SocketAction::Reads(known(row[8]).then(|| number(row[8])).transpose()?),
        FINISH => SocketAction::Finish,
        _ => SocketAction::Reset,
    })
}

fn packet(row: &[Cell<'_>], at: Time, shrunk: &Shrunk) -> Result<(u32, Sent)> {
    let (name, interface) = (word(row[4])?, word(row[5])?);
    let unknown = || format!("`{name}` with `{interface}` is no real host of this network");
    let place = host(name, shrunk)?;
    let mut interfaces = shrunk.hosts[place as usize].interfaces.iter();
    let interface = interfaces.position(|known| known == interface).with_context(unknown)?;
    let fragment = Fragment::new(
        u16::try_from(number(row[15])?)?,
        u32::try_from(number(row[16])?)?,
        number(row[17])? != 0,
    );
    let sent = Sent {
        at,
        interface: u32::try_from(interface)?,
        ends: [word(row[6])?.parse()?, word(row[7])?.parse()?],
        bytes: u32::try_from(number(row[8])?)?,
        protocol: u8::try_from(number(row[9])?)?,
        ports: [u16::try_from(number(row[10])?)?, u16::try_from(number(row[11])?)?],
        hop_limit: u8::try_from(number(row[12])?)?,
        traffic_class: u8::try_from(number(row[13])?)?,
        dont_fragment: number(row[14])? != 0,
        fragment,
    };
    Ok((place, sent))
}

/// Returns the index of a real host.
fn host(name: &str, shrunk: &Shrunk) -> Result<u32> {
    let mut hosts = shrunk.hosts.iter().zip(0..);
    let found = hosts.find(|(host, _)| host.name == name).map(|(_, place)| place);
    found.with_context(|| format!("`{name}` is no real host of this network"))
}

fn number(cell: Cell<'_>) -> Result<u64> {
    match cell {
        Cell::Number(number) => Ok(number),
        other => bail!("{other:?} is no number"),
    }
}

fn word<'c>(cell: Cell<'c>) -> Result<&'c str> {
    match cell {
        Cell::Name(name) => Ok(name),
        other => bail!("{other:?} is no name"),
    }
}
