//! The state of a connection for reports: the fields of TCP_INFO.

use netloom_units::Duration;

use crate::congestion::RecoveryState;
use crate::endpoint::State;

/// A connection's state at one moment, as `ss -ti` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// State of the connection.
    pub state: State,
    /// State of loss recovery.
    pub recovery: RecoveryState,
    /// Congestion window in packets.
    pub cwnd: u32,
    /// Slow-start threshold in packets. `None` before the first reduction.
    pub ssthresh: Option<u32>,
    /// Estimated number of packets in flight.
    pub in_flight: u32,
    /// Number of packets sent and not acknowledged.
    pub unacked: u32,
    /// Number of packets SACKed.
    pub sacked: u32,
    /// Number of packets in the scoreboard that are deemed lost.
    pub lost_now: u32,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    /// Smoothed round-trip time. Zero before the first sample.
    pub srtt: Duration,
    /// Deviation of the round-trip time.
    pub rttvar: Duration,
    /// The retransmission timeout, doubled for each timeout in a row.
    pub rto: Duration,
    /// Least round-trip time of the past minutes. Zero before the first sample.
    pub min_rtt: Duration,
    /// Pacing rate in bytes per second. `None` if nothing bounds it.
    pub pacing_rate: Option<u64>,
    /// The latest delivery rate in bytes per second. Zero before the first sample.
    pub delivery_rate: u64,
    /// Number of bytes that the other end has acknowledged.
    pub bytes_acked: u64,
    /// Number of bytes that have arrived in order.
    pub bytes_received: u64,
    /// Number of packets with payload sent, including retransmissions.
    pub packets_sent: u64,
    /// Number of packets delivered.
    pub delivered: u64,
    /// Number of packets delivered whose acknowledgement echoed a mark.
    pub delivered_ce: u64,
    /// Number of packets retransmitted.
    pub retransmitted: u64,
    /// Number of packets deemed lost.
    pub lost: u64,
    /// Reordering degree in packets.
    pub reordering: u32,
    /// Number of timeouts in a row.
    pub backoff: u32,
    /// The other end's window in bytes.
    pub peer_window: u32,
    /// Size of the send buffer in bytes.
    pub send_buffer: u64,
    /// Size of the receive buffer in bytes.
    pub receive_buffer: u32,
    /// Number of bytes written and not yet sent.
    pub unsent: u64,
}
