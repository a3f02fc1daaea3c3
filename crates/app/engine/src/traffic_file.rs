//! The results of the scenario's traffic, as a Parquet file: a row for each sender and interval.
//! Counters are cumulative, as in all files of samples.

use std::collections::{HashMap, HashSet};
use std::fs::File;

use anyhow::Result;
use netloom_api::flow::{FlowDelay, FlowStatus, TcpStatus, TransferStatus};
use netloom_columnar::{Cell, Column, Kind, Parquet, Table};
use netloom_gauge::generator::{Arrived, Sent};
use netloom_link::{Count, Delays};
use netloom_results::{tcp_cells, tcp_columns};
use netloom_scenario::Transport;
use netloom_units::{Duration, Time};

/// Those up to `delay_sum_ns` are columns of `flows.parquet`, as are those of TCP, which follow.
const COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("flow", Kind::Name),
    ("from", Kind::Name),
    ("to", Kind::Name),
    ("protocol", Kind::Name),
    ("sent_packets", Kind::MaybeNumber),
    ("sent_bytes", Kind::MaybeNumber),
    ("received_packets", Kind::MaybeNumber),
    ("received_bytes", Kind::MaybeNumber),
    ("duplicated_packets", Kind::MaybeNumber),
    ("reordered_packets", Kind::MaybeNumber),
    ("delay_sum_ns", Kind::MaybeNumber),
    ("refused_packets", Kind::MaybeNumber),
    ("late", Kind::MaybeNumber),
    ("begun_transfers", Kind::MaybeNumber),
    ("completed_transfers", Kind::MaybeNumber),
    ("completion_sum_ns", Kind::MaybeNumber),
    ("delay_most_ns", Kind::MaybeNumber),
    ("jitter_ns", Kind::MaybeNumber),
    ("completion_most_ns", Kind::MaybeNumber),
];

/// All rows, and what is known of whole flows.
#[derive(Default)]
pub struct TrafficRows {
    /// The rows: each flow's in the order of time.
    pub rows: Vec<TrafficRow>,
    /// The rest, by entry and sender.
    pub wholes: HashMap<(String, String), Whole>,
}

/// What is known of a whole flow only.
#[derive(Default)]
pub struct Whole {
    /// When its sender began, and when it was over and all had arrived, if that is known.
    pub time: (Option<Time>, Option<Time>),
    /// Delays of its packets.
    pub delays: Delays,
    /// State of its sender's connections at their end.
    pub tcp: Option<TcpStatus>,
}

/// The traffic of one sender in one interval. Over UDP, it is the traffic that was to be sent in
/// it; over TCP, the traffic that was written and received in it.
pub struct TrafficRow {
    /// End of the interval.
    pub time: Duration,
    /// The entry's name.
    pub entry: String,
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// The transport. Over TCP there are no packets.
    pub transport: Transport,
    /// Number of bytes of each packet that are not payload.
    pub headers: u64,
    /// Whether the traffic consists of transfers or requests over TCP.
    pub has_flows: bool,
    /// The traffic that was sent, if the sender has reported.
    pub sent: Option<Sent>,
    /// The traffic that was received, if the receiver has reported.
    pub arrived: Option<Arrived>,
}

/// Bytes of a frame over UDP that are not payload: Ethernet, IPv4 or IPv6, UDP. ICMP echo has as
/// many.
const HEADERS: [u64; 2] = [14 + 20 + 8, 14 + 40 + 8];

/// Returns the number of bytes of a packet that are not payload.
pub fn headers(transport: &Transport, is_ipv6: bool) -> u64 {
    match transport {
        Transport::Icmp | Transport::Udp { .. } => HEADERS[usize::from(is_ipv6)],
        // For a capture, whole frames count.
        Transport::Tcp { .. } | Transport::Frames | Transport::Fluid => 0,
    }
}

impl TrafficRows {
    /// Returns the totals of each sender, in the order of the rows.
    pub fn flows(&self) -> Vec<FlowStatus> {
        let names = self.names();
        let mut flows: Vec<FlowStatus> = Vec::new();
        for row in &self.rows {
            let name = &names[&row.key()];
            let place = flows.iter().position(|flow| flow.name == *name).unwrap_or_else(|| {
                flows.push(row.empty(name.clone()));
                flows.len() - 1
            });
            let flow = &mut flows[place];
            row.add_to(flow);
            let key = (row.entry.clone(), row.from.clone());
            if let Some(whole) = self.wholes.get(&key) {
                flow.delay = FlowDelay::of(&whole.delays);
                flow.tcp = whole.tcp;
                (flow.began, flow.over) = whole.time;
            }
        }
        flows
    }

    /// Returns the name of each flow, by entry and sender: that of the entry, and the sender if the
    /// entry has several.
    fn names(&self) -> HashMap<(&str, &str), String> {
        let mut senders: HashMap<&str, HashSet<&str>> = HashMap::new();
        for row in &self.rows {
            senders.entry(&row.entry).or_default().insert(&row.from);
        }
        let name = |(entry, from): (&str, &str)| match senders[entry].len() {
            1 => entry.to_owned(),
            _ => format!("{entry}/{from}"),
        };
        self.rows.iter().map(|row| (row.key(), name(row.key()))).collect()
    }

    /// Writes the file.
    pub fn write(&self, file: File) -> Result<()> {
        let columns: Vec<Column<'_>> = COLUMNS.iter().copied().chain(tcp_columns()).collect();
        let mut table: Box<dyn Table> = Box::new(Parquet::new(file, "traffic", &columns)?);
        let names = self.names();
        let mut totals: HashMap<(&str, &str), Totals> = HashMap::new();
        for row in &self.rows {
            let total = totals.entry(row.key()).or_default();
            total.add(row);
            table.row(&row.cells(&names[&row.key()], total))?;
        }
        Ok(table.finish()?)
    }
}

/// The traffic of one sender since the beginning of the run.
#[derive(Default)]
struct Totals {
    sent: Option<Sent>,
    arrived: Option<Arrived>,
}

impl Totals {
    fn add(&mut self, row: &TrafficRow) {
        if let Some(sent) = &row.sent {
            self.sent.get_or_insert_default().add(sent);
        }
        if let Some(arrived) = &row.arrived {
            self.arrived.get_or_insert_default().add(arrived);
        }
    }
}

impl TrafficRow {
    /// Returns the entry and the sender.
    fn key(&self) -> (&str, &str) {
        (&self.entry, &self.from)
    }

    fn empty(&self, name: String) -> FlowStatus {
        FlowStatus {
            name,
            from: self.from.clone(),
            to: self.to.clone(),
            protocol: self.transport.protocol().into(),
            transfers: self.has_flows.then(TransferStatus::default),
            ..FlowStatus::default()
        }
    }

    fn has_packets(&self) -> bool {
        !matches!(self.transport, Transport::Tcp { .. })
    }

    /// Returns the payload of packets that have so many bytes.
    fn payload(&self, packets: u64, bytes: u64) -> u64 {
        bytes.saturating_sub(self.headers * packets)
    }

    /// Adds an interval to its flow.
    fn add_to(&self, flow: &mut FlowStatus) {
        let count = |packets: u64, bytes: u64| Count {
            frames: packets,
            bytes: self.payload(packets, bytes),
        };
        if let Some(sent) = &self.sent {
            flow.sent = flow.sent + count(sent.packets, sent.bytes);
            flow.refused += sent.refused;
            if let Some(transfers) = &mut flow.transfers {
                add(transfers, sent);
            }
        }
        if let Some(arrived) = &self.arrived {
            flow.received = flow.received + count(arrived.packets, arrived.bytes);
            flow.duplicated += arrived.doubled;
            flow.reordered += arrived.out_of_order;
            flow.jitter_ns = arrived.jitter as f64;
        }
    }

    /// Returns the cells: counters are those of `totals`; extremes, jitter and the state of
    /// connections are those of this interval.
    fn cells<'a>(&'a self, name: &'a str, totals: &Totals) -> Vec<Cell<'a>> {
        let Totals { sent, arrived } = totals;
        let packets_sent = sent.filter(|_| self.has_packets());
        let packets = arrived.filter(|_| self.has_packets());
        let timed = self.arrived.filter(|now| self.has_packets() && now.packets > 0);
        let transfers = sent.filter(|_| self.has_flows);
        let complete = self.sent.filter(|now| self.has_flows && now.completed > 0);
        let is_timed = self.has_packets() || self.has_flows;
        let tcp = self.sent.and_then(|now| now.tcp);
        let cells = [
            Cell::Number(self.time.as_nanos()),
            Cell::Name(name),
            Cell::Name(&self.from),
            Cell::Name(&self.to),
            Cell::Name(self.transport.protocol()),
            packets_sent.map(|sent| sent.packets).into(),
            sent.map(|sent| self.payload(sent.packets, sent.bytes)).into(),
            packets.map(|arrived| arrived.packets).into(),
            arrived.map(|arrived| self.payload(arrived.packets, arrived.bytes)).into(),
            packets.map(|arrived| arrived.doubled).into(),
            packets.map(|arrived| arrived.out_of_order).into(),
            packets.map(|arrived| arrived.delay_sum).into(),
            packets_sent.map(|sent| sent.refused).into(),
            sent.filter(|_| is_timed).map(|sent| sent.late).into(),
            transfers.map(|sent| sent.flows).into(),
            transfers.map(|sent| sent.completed).into(),
            transfers.map(|sent| sent.completion_sum).into(),
            timed.map(|now| now.delay_most).into(),
            timed.map(|now| now.jitter).into(),
            complete.map(|now| now.completion_most).into(),
        ];
        cells.into_iter().chain(tcp_cells(tcp.as_ref())).collect()
    }
}

/// Adds the transfers of an interval.
fn add(sum: &mut TransferStatus, sent: &Sent) {
    sum.begun += sent.flows;
    let before = sum.mean_ns.unwrap_or_default() * sum.completed as f64;
    sum.completed += sent.completed;
    if sum.completed > 0 {
        sum.mean_ns = Some((before + sent.completion_sum as f64) / sum.completed as f64);
        sum.max_ns = sum.max_ns.max(Some(sent.completion_most));
    }
}
