//! Flows of traffic, and the counters of both their ends.

use netloom_link::{Count, Delays};
use netloom_units::Time;
use netloom_units::readable::{bit_rate, count, counted};
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
    /// Packets that were to be sent, and the bytes of their payload. They contain those refused.
    pub sent: Count,
    /// Packets that arrived for the first time, and the bytes of their payload. For a ping, the
    /// replies.
    pub received: Count,
    /// Duplicate packets that arrived.
    pub duplicated: u64,
    /// Packets that arrived after one that was sent later.
    pub reordered: u64,
    /// Packets that never left the node: it had no route, or the sender's socket did not take
    /// them. Over TCP in virtual time, connections without a route.
    pub refused: u64,
    /// Error messages received for the flow's packets.
    pub errors: u64,
    /// One-way delay; for a ping, round-trip time. Absent while no packet has arrived.
    pub delay: Option<FlowDelay>,
    /// Interarrival jitter (RFC 3550), in ns. Of several receivers, the greatest.
    pub jitter_ns: f64,
    /// Time at which its sender began, in ns since zero, if it is known; else it is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Time>,
    /// Time by which its sender was to have ended, and what it sent had arrived, in ns since zero,
    /// if it is known. Else it is the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Time>,
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
    /// The payload that arrived, in bit/s over the flow's own time: from its beginning until all
    /// of it had arrived, in a run that ended at `ended`. `None` for pings, and for a flow that has
    /// not begun.
    pub fn goodput(&self, ended: Time) -> Option<f64> {
        let until = self.completed.or(self.over).map_or(ended, |over| over.min(ended));
        let lasted = until.as_nanos().saturating_sub(self.began.unwrap_or(Time::ZERO).as_nanos());
        let is_traffic = self.protocol != "ping" && lasted > 0;
        is_traffic.then(|| self.received.bytes as f64 * 8e9 / lasted as f64)
    }

    /// Headings of the [`figures`](Self::figures).
    pub const FIGURES: [&str; 7] =
        ["goodput", "lost", "refused", "p50", "p99", "sent again", "marked"];

    /// Returns the figures of a flow for people, in a run that ended at `ended`: what arrived, what
    /// was lost and refused, delays, packets that were sent again, and marks. Those that are not
    /// known are `–`.
    pub fn figures(&self, ended: Time) -> [String; 7] {
        let millis = |nanos: u64| format!("{:.2} ms", nanos as f64 / 1e6);
        let figures = [
            self.goodput(ended).map(bit_rate),
            self.lost().map(count),
            (self.protocol != "tcp" || self.refused > 0).then(|| count(self.refused)),
            self.delay.map(|delay| millis(delay.p50_ns)),
            self.delay.map(|delay| millis(delay.p99_ns)),
            self.tcp.map(|tcp| count(tcp.retransmitted)),
            self.tcp.map(|tcp| count(tcp.marked)),
        ];
        figures.map(|figure| figure.unwrap_or_else(|| "–".into()))
    }

    /// The number of packets that left their node: all that were to be sent, less those refused.
    pub fn left(&self) -> u64 {
        self.sent.frames.saturating_sub(self.refused)
    }

    /// The number of packets that left their node and did not arrive. `None` over TCP, which sends
    /// again what is lost.
    pub fn lost(&self) -> Option<u64> {
        let is_tcp = self.protocol == "tcp";
        (!is_tcp).then(|| self.left().saturating_sub(self.received.frames))
    }
}

/// Returns the warning that so many packets of a flow, from a node to others, had no route: over
/// TCP, so many connections.
pub fn without_route(number: u64, protocol: &str, (flow, from, to): (&str, &str, &str)) -> String {
    let what = match protocol {
        "tcp" => "connection",
        "ping" => "echo request",
        _ => "datagram",
    };
    let what = counted(usize::try_from(number).unwrap_or(usize::MAX), what);
    format!("{what} of `{flow}` never left `{from}`: it had no route to {to}")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Option<Time> {
        Some(Time::from_nanos(seconds * 1_000_000_000))
    }

    fn flow(protocol: &str) -> FlowStatus {
        FlowStatus {
            protocol: protocol.into(),
            sent: Count { frames: 100, bytes: 2_000_000 },
            received: Count { frames: 50, bytes: 1_000_000 },
            ..FlowStatus::default()
        }
    }

    #[test]
    fn goodput_is_over_the_time_of_the_flow() {
        let ended = at(10).unwrap();
        let goodput = |began, over, completed| {
            FlowStatus { began, over, completed, ..flow("udp") }.goodput(ended)
        };
        assert_eq!(goodput(None, None, None), Some(800_000.0));
        assert_eq!(goodput(at(2), None, None), Some(1_000_000.0));
        assert_eq!(goodput(at(2), at(4), None), Some(4_000_000.0));
        assert_eq!(goodput(at(2), at(4), at(3)), Some(8_000_000.0));
        assert_eq!(goodput(at(2), at(60), None), Some(1_000_000.0), "the run ended before");
        assert_eq!(goodput(at(10), None, None), None, "it has not begun");
        assert_eq!(flow("ping").goodput(ended), None);
    }

    #[test]
    fn what_never_left_is_not_lost() {
        let refused = FlowStatus { refused: 30, ..flow("udp") };
        assert_eq!((refused.left(), refused.lost()), (70, Some(20)));
        assert_eq!(refused.figures(at(10).unwrap())[1..3], ["20", "30"]);
        assert_eq!(flow("tcp").figures(at(10).unwrap())[1..3], ["–", "–"]);
        let ends = ("u", "a", "c");
        let text = without_route(481, "udp", ends);
        assert_eq!(text, "481 datagrams of `u` never left `a`: it had no route to c");
        assert!(without_route(1, "tcp", ends).starts_with("1 connection of"));
    }
}
