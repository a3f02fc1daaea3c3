//! Counters of every flow over time, as one Parquet file: a row for each flow and sample. All
//! counters are cumulative since zero.

use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::flow::{FlowStatus, TcpStatus};
use netloom_columnar::{Cell, Column, GrowingParquet, Kind, Table};
use netloom_units::Time;

/// A numeric column: its name, and the function that returns its value.
type NamedGetter<T, N> = (&'static str, fn(&T) -> N);

const COLUMNS: &[NamedGetter<FlowStatus, u64>] = &[
    ("sent_packets", |flow| flow.sent.frames),
    ("sent_bytes", |flow| flow.sent.bytes),
    ("received_packets", |flow| flow.received.frames),
    ("received_bytes", |flow| flow.received.bytes),
    ("duplicated_packets", |flow| flow.duplicated),
    ("reordered_packets", |flow| flow.reordered),
    ("delay_sum_ns", |flow| {
        let mean = flow.delay.as_ref().map_or(0.0, |delay| delay.mean_ns);
        ((mean * flow.received.frames as f64).round() as u64).min(i64::MAX as u64)
    }),
    ("refused_packets", |flow| flow.refused),
];

/// Columns of TCP flows only.
const TCP_COLUMNS: &[NamedGetter<TcpStatus, Option<u64>>] = &[
    ("cwnd", |tcp| Some(tcp.cwnd)),
    ("ssthresh", |tcp| tcp.ssthresh),
    ("in_flight", |tcp| Some(tcp.in_flight)),
    ("srtt_ns", |tcp| Some(tcp.srtt_ns)),
    ("rttvar_ns", |tcp| Some(tcp.rttvar_ns)),
    ("rto_ns", |tcp| Some(tcp.rto_ns)),
    ("min_rtt_ns", |tcp| Some(tcp.min_rtt_ns)),
    ("delivery_rate", |tcp| Some(tcp.delivery_rate)),
    ("acked_bytes", |tcp| Some(tcp.acked_bytes)),
    ("retransmitted_packets", |tcp| Some(tcp.retransmitted)),
    ("lost_packets", |tcp| tcp.lost),
    ("marked_packets", |tcp| Some(tcp.marked)),
];

/// The columns of the state of TCP, in `flows.parquet` and in `traffic.parquet`.
pub fn tcp_columns() -> impl Iterator<Item = Column<'static>> {
    TCP_COLUMNS.iter().map(|(name, _)| (*name, Kind::MaybeNumber))
}

/// The cells of [`tcp_columns`], empty without a state.
pub fn tcp_cells<'a>(tcp: Option<&TcpStatus>) -> impl Iterator<Item = Cell<'a>> {
    TCP_COLUMNS.iter().map(move |(_, value)| Cell::from(tcp.and_then(value)))
}

/// Writes samples of flows.
pub struct FlowSampler {
    table: Box<GrowingParquet>,
}

impl FlowSampler {
    /// A sampler that writes to an empty file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn new(file: File) -> Result<Self> {
        let names = ["flow", "from", "to", "protocol"];
        let mut columns: Vec<Column<'_>> = vec![("time_ns", Kind::Number)];
        columns.extend(names.map(|name| (name, Kind::Name)));
        columns.extend(COLUMNS.iter().map(|(name, _)| (*name, Kind::Number)));
        columns.extend(tcp_columns());
        let table = GrowingParquet::new(file, "flows", &columns).context("flows.parquet")?;
        Ok(Self { table: Box::new(table) })
    }

    /// Adds a sample taken at `time`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn add(&mut self, time: Time, flows: &[FlowStatus]) -> Result<()> {
        for flow in flows {
            let mut row = vec![Cell::Number(time.as_nanos())];
            let names = [&flow.name, &flow.from, &flow.to, &flow.protocol];
            row.extend(names.map(|name| Cell::Name(name)));
            row.extend(COLUMNS.iter().map(|(_, value)| Cell::Number(value(flow))));
            row.extend(tcp_cells(flow.tcp.as_ref()));
            self.table.row(&row).context("flows.parquet")?;
        }
        Ok(())
    }

    /// Writes all remaining samples.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.table.flush().context("flows.parquet is not complete")
    }
}
