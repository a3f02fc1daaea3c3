//! Flows of traffic, and the counters of both their ends.

use netloom_link::{Count, Delays};
use netloom_units::Time;
use netloom_units::readable::{bit_rate, count};
use serde::{Deserialize, Serialize};

/// A flow from one node to another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowStatus {
    /// Name of the flow: that of its entry in `traffic`, and a number if the entry has several
    /// flows.
    pub name: String,
    /// Node that sends.
    pub from: String,
    /// Node that receives, or its address.
    pub to: String,
    /// Protocol: `ping`, `udp`, `tcp` or `fluid`.
    pub protocol: String,
    /// Packets that were sent, and the bytes of their payload.
    pub sent: Count,
    /// Packets that arrived for the first time, and the bytes of their payload. For a ping, the
    /// replies.
    pub received: Count,
    /// Duplicate packets that arrived.
    pub duplicated: u64,
    /// Packets that arrived after one that was sent later.
    pub reordered: u64,
    /// Packets that could not be sent because the node had no route.
    pub refused: u64,
    /// Error messages received for the flow's packets.
    pub errors: u64,
    /// One-way delay; for a ping, round-trip time. Absent while no packet has arrived.
    pub delay: Option<FlowDelay>,
    /// Interarrival jitter (RFC 3550), in ns. Of several receivers, the greatest.
    pub jitter_ns: f64,
    /// Time at which all data had been delivered, in ns since zero. Present only
    /// if the flow has an end and has reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Time>,
    /// Transfers or requests of the flow, if it consists of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfers: Option<TransferStatus>,
    /// State of the sending ends of the flow's connections, if it is TCP: sums over all
    /// connections, but times of the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpStatus>,
}

impl FlowStatus {
    /// The payload that arrived, in bit/s over a run that ended at `ended`, or until all of it had
    /// arrived. `None` for pings, and for a run without time.
    pub fn goodput(&self, ended: Time) -> Option<f64> {
        let until = self.completed.unwrap_or(ended).as_nanos();
        let is_traffic = self.protocol != "ping" && until > 0;
        is_traffic.then(|| self.received.bytes as f64 * 8e9 / until as f64)
    }

    /// Headings of the [`figures`](Self::figures).
    pub const FIGURES: [&str; 6] = ["goodput", "lost", "p50", "p99", "sent again", "marked"];

    /// Returns the figures of a flow for people, in a run that ended at `ended`: what arrived, what
    /// was lost, delays, packets that were sent again, and marks. Those that are not known are `–`.
    pub fn figures(&self, ended: Time) -> [String; 6] {
        let millis = |nanos: u64| format!("{:.2} ms", nanos as f64 / 1e6);
        let figures = [
            self.goodput(ended).map(bit_rate),
            self.lost().map(count),
            self.delay.map(|delay| millis(delay.p50_ns)),
            self.delay.map(|delay| millis(delay.p99_ns)),
            self.tcp.map(|tcp| count(tcp.retransmitted)),
            self.tcp.map(|tcp| count(tcp.marked)),
        ];
        figures.map(|figure| figure.unwrap_or_else(|| "–".into()))
    }

    /// The number of packets that were sent and did not arrive. `None` over TCP, which sends again
    /// what is lost.
    pub fn lost(&self) -> Option<u64> {
        let is_tcp = self.protocol == "tcp";
        (!is_tcp).then(|| self.sent.frames.saturating_sub(self.received.frames))
    }
}

/// Transfers over TCP, or requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TransferStatus {
    /// Number of transfers that have begun.
    pub begun: u64,
    /// Number of transfers that the receiver, or the client, has received completely.
    pub completed: u64,
    /// Mean duration of completed transfers in ns, counted from the time at which the model started
    /// them.
    pub mean_ns: Option<f64>,
    /// Longest duration of a completed transfer, in ns.
    pub max_ns: Option<u64>,
}

/// Fields of TCP_INFO of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TcpStatus {
    /// Number of connections.
    pub connections: u32,
    /// Congestion window, in packets.
    pub cwnd: u64,
    /// Slow-start threshold in packets; absent before the first reduction.
    pub ssthresh: Option<u64>,
    /// Packets in flight.
    pub in_flight: u64,
    /// Smoothed round-trip time, in ns.
    pub srtt_ns: u64,
    /// Deviation of the round-trip time, in ns.
    pub rttvar_ns: u64,
    /// Retransmission timeout, in ns.
    pub rto_ns: u64,
    /// Smallest round-trip time of the past minutes, in ns.
    pub min_rtt_ns: u64,
    /// Most recent delivery rate, in bytes per second.
    pub delivery_rate: u64,
    /// Bytes that the other end has acknowledged.
    pub acked_bytes: u64,
    /// Packets retransmitted.
    pub retransmitted: u64,
    /// Packets considered lost. Absent if the kernel sends: it does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Packets whose acknowledgement echoed an ECN mark.
    pub marked: u64,
}

/// Delays of a flow's packets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowDelay {
    /// Shortest, in ns.
    pub min_ns: u64,
    /// Mean, in ns.
    pub mean_ns: f64,
    /// Longest, in ns.
    pub max_ns: u64,
    /// Median, in ns, within 1 %.
    pub p50_ns: u64,
    /// 99th percentile, in ns, within 1 %.
    pub p99_ns: u64,
}

impl FlowDelay {
    /// Returns the summary of these delays, if there are any.
    pub fn of(delays: &Delays) -> Option<Self> {
        let (least, most) = delays.extremes()?;
        Some(Self {
            min_ns: least.as_nanos(),
            mean_ns: delays.mean_ns()?,
            max_ns: most.as_nanos(),
            p50_ns: delays.quantile(0.5)?.as_nanos(),
            p99_ns: delays.quantile(0.99)?.as_nanos(),
        })
    }
}
