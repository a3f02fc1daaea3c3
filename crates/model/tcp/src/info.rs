//! What can be asked of a connection: the fields of TCP_INFO.

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
    /// Slow-start threshold in packets; `None` before the first reduction.
    pub ssthresh: Option<u32>,
    /// Packets in flight, as far as known.
    pub in_flight: u32,
    /// Packets sent and not acknowledged.
    pub unacked: u32,
    /// Packets SACKed.
    pub sacked: u32,
    /// Packets in the scoreboard that are deemed lost.
    pub lost_now: u32,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    /// Smoothed round-trip time; zero before the first sample.
    pub srtt: Duration,
    /// Deviation of the round-trip time.
    pub rttvar: Duration,
    /// The retransmission timeout, doubled by what has expired.
    pub rto: Duration,
    /// The least round-trip time of the past minutes; zero before the first sample.
    pub min_rtt: Duration,
    /// Pacing rate in bytes per second; `None` where nothing bounds it.
    pub pacing_rate: Option<u64>,
    /// The latest delivery rate in bytes per second; zero before the first sample.
    pub delivery_rate: u64,
    /// Bytes that the other end has acknowledged.
    pub bytes_acked: u64,
    /// Bytes that have arrived in order.
    pub bytes_received: u64,
    /// Packets of payload sent, retransmissions included.
    pub packets_sent: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Packets delivered whose acknowledgement echoed a mark.
    pub delivered_ce: u64,
    /// Packets retransmitted.
    pub retransmitted: u64,
    /// Packets deemed lost.
    pub lost: u64,
    /// Reordering degree in packets.
    pub reordering: u32,
    /// Timeouts in a row.
    pub backoff: u32,
    /// The other end's window in bytes.
    pub peer_window: u32,
    /// Bytes of the send buffer.
    pub send_buffer: u64,
    /// Bytes of the receive buffer.
    pub receive_buffer: u32,
    /// Bytes written and not yet sent.
    pub unsent: u64,
}
