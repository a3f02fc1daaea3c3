//! The results of the scenario's traffic, as a Parquet file: a row for each sender and interval.

use std::fs::File;

use anyhow::Result;
use netloom_api::flow::{FlowStatus, TransferStatus};
use netloom_columnar::{Cell, Column, Kind, Parquet, Table};
use netloom_gauge::generator::{Arrived, Sent};
use netloom_link::Count;
use netloom_scenario::Transport;
use netloom_units::Duration;

const COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("traffic", Kind::Name),
    ("from", Kind::Name),
    ("to", Kind::Name),
    ("sent_packets", Kind::MaybeNumber),
    ("sent_bytes", Kind::MaybeNumber),
    ("late", Kind::MaybeNumber),
    ("refused_packets", Kind::MaybeNumber),
    ("received_packets", Kind::MaybeNumber),
    ("received_bytes", Kind::MaybeNumber),
    ("lost_packets", Kind::MaybeNumber),
    ("doubled_packets", Kind::MaybeNumber),
    ("out_of_order_packets", Kind::MaybeNumber),
    ("delay_mean_ns", Kind::MaybeNumber),
    ("delay_most_ns", Kind::MaybeNumber),
    ("jitter_ns", Kind::MaybeNumber),
    ("flows", Kind::MaybeNumber),
    ("completed_flows", Kind::MaybeNumber),
    ("completion_mean_ns", Kind::MaybeNumber),
    ("completion_most_ns", Kind::MaybeNumber),
];

/// All rows.
pub struct TrafficRows(pub Vec<TrafficRow>);

/// The traffic of one sender in one interval. Over UDP, it is the traffic that was to be sent in
/// it; over TCP, the traffic that was written and received in it.
pub struct TrafficRow {
    /// Start of the interval.
    pub time: Duration,
    /// The entry's name.
    pub entry: String,
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// The transport. Over TCP there are no packets.
    pub transport: Transport,
    /// Whether the traffic consists of transfers or requests over TCP.
    pub has_flows: bool,
    /// The traffic that was sent, if the sender has reported.
    pub sent: Option<Sent>,
    /// The traffic that was received, if the receiver has reported.
    pub arrived: Option<Arrived>,
}

/// Bytes of a frame over UDP that are not payload: Ethernet, IPv4, UDP. ICMP echo has as many.
const HEADERS: u64 = 14 + 20 + 8;

impl TrafficRows {
    /// Returns the totals of each sender, in the order of the rows.
    pub fn flows(&self) -> Vec<FlowStatus> {
        let mut flows: Vec<FlowStatus> = Vec::new();
        for row in &self.0 {
            let senders = self.0.iter().filter(|other| other.entry == row.entry);
            let is_alone = senders.clone().all(|other| other.from == row.from);
            let name = match is_alone {
                true => row.entry.clone(),
                false => format!("{}/{}", row.entry, row.from),
            };
            let place = flows.iter().position(|flow| flow.name == name).unwrap_or_else(|| {
                flows.push(row.empty(name));
                flows.len() - 1
            });
            row.add_to(&mut flows[place]);
        }
        flows
    }

    /// Writes the file.
    pub fn write(&self, file: File) -> Result<()> {
        let mut table: Box<dyn Table> = Box::new(Parquet::new(file, "traffic", COLUMNS)?);
        self.0.iter().try_for_each(|row| table.row(&row.cells()))?;
        Ok(table.finish()?)
    }
}

impl TrafficRow {
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

    /// Returns the number of bytes of a packet that are not payload.
    fn headers(&self) -> u64 {
        match self.transport {
            Transport::Icmp | Transport::Udp { .. } => HEADERS,
            // For a capture, whole frames count.
            Transport::Tcp { .. } | Transport::Frames => 0,
        }
    }

    fn has_packets(&self) -> bool {
        !matches!(self.transport, Transport::Tcp { .. })
    }

    /// Adds an interval to its flow.
    fn add_to(&self, flow: &mut FlowStatus) {
        let headers = self.headers();
        let payload = |packets: u64, bytes: u64| Count {
            frames: packets,
            bytes: bytes.saturating_sub(headers * packets),
        };
        if let Some(sent) = &self.sent {
            flow.sent = flow.sent + payload(sent.packets, sent.bytes);
            flow.refused += sent.refused;
            if let Some(transfers) = &mut flow.transfers {
                add(transfers, sent);
            }
        }
        if let Some(arrived) = &self.arrived {
            flow.received = flow.received + payload(arrived.packets, arrived.bytes);
            flow.duplicated += arrived.doubled;
            flow.reordered += arrived.out_of_order;
            flow.jitter_ns = arrived.jitter as f64;
        }
    }

    fn cells(&self) -> [Cell<'_>; 20] {
        let Self { sent, arrived, .. } = self;
        let udp_sent = sent.filter(|_| self.has_packets());
        let udp_arrived = arrived.filter(|_| self.has_packets());
        // Packets that the socket refused were not lost by a link.
        let lost = udp_sent
            .zip(udp_arrived)
            .map(|(sent, arrived)| sent.packets.saturating_sub(sent.refused + arrived.packets));
        let timed = udp_arrived.filter(|arrived| arrived.packets > 0);
        let flows = sent.filter(|_| self.has_flows);
        let complete = flows.filter(|sent| sent.completed > 0);
        [
            Cell::Number(self.time.as_nanos()),
            Cell::Name(&self.entry),
            Cell::Name(&self.from),
            Cell::Name(&self.to),
            udp_sent.map(|sent| sent.packets).into(),
            sent.map(|sent| sent.bytes).into(),
            sent.filter(|_| self.has_packets() || self.has_flows).map(|sent| sent.late).into(),
            udp_sent.map(|sent| sent.refused).into(),
            udp_arrived.map(|arrived| arrived.packets).into(),
            arrived.map(|arrived| arrived.bytes).into(),
            lost.into(),
            udp_arrived.map(|arrived| arrived.doubled).into(),
            udp_arrived.map(|arrived| arrived.out_of_order).into(),
            timed.map(|arrived| arrived.delay_sum / arrived.packets).into(),
            timed.map(|arrived| arrived.delay_most).into(),
            timed.map(|arrived| arrived.jitter).into(),
            flows.map(|sent| sent.flows).into(),
            flows.map(|sent| sent.completed).into(),
            complete.map(|sent| sent.completion_sum / sent.completed).into(),
            complete.map(|sent| sent.completion_most).into(),
        ]
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
