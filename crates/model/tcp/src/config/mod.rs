//! Configuration of an endpoint: Linux's sysctls as typed fields, and the socket's own options. Not
//! here: parsing, and the names of sysctls in scenarios.

mod sysctls;

pub use sysctls::SysctlError;

use netloom_units::Duration;

use crate::congestion::{Algorithm, HyStart};

/// Sizes of a socket buffer in bytes, as in `tcp_rmem` and `tcp_wmem`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// The smallest size.
    pub min: u32,
    /// The size at the start.
    pub initial: u32,
    /// The size up to which autotuning grows the buffer.
    pub max: u32,
}

/// Use of ECN: `tcp_ecn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnMode {
    /// 0: never.
    Off,
    /// 1: requests it, and accepts the other end's request.
    On,
    /// 2: accepts the other end's request.
    Passive,
}

/// The method that detects losses: `tcp_recovery`, bit 0x1. Without it, duplicates are counted as
/// in RFC 6675.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossDetection {
    /// By time, RACK (RFC 8985).
    Rack,
    /// By the number of segments that have overtaken (RFC 6675).
    DuplicateThreshold,
}

/// A connection's configuration. [`Default`] has the defaults of Linux 6.x over Ethernet. Fields
/// are named after the sysctls in Documentation/networking/ip-sysctl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `tcp_congestion_control`, or the socket's `TCP_CONGESTION`.
    pub congestion_control: Algorithm,
    /// The rule by which CUBIC leaves slow start.
    pub hystart: HyStart,
    /// Length of the longest packet in bytes, including the IP header.
    pub mtu: u16,
    /// Length of the IP header in bytes: 20 for IPv4, 40 for IPv6.
    pub network_header: u16,
    /// The socket's `TCP_MAXSEG`: upper bound of the maximum segment size, without options.
    pub max_segment: Option<u16>,
    /// The socket's `TCP_NODELAY`: sends partial segments at once (no Nagle).
    pub no_delay: bool,
    /// The socket's `TCP_WINDOW_CLAMP`: upper bound of the advertised window.
    pub window_clamp: Option<u32>,
    /// The socket's `SO_SNDBUF`, doubled as Linux does. The send buffer is then not autotuned.
    pub send_buffer: Option<u32>,
    /// The socket's `SO_RCVBUF`, doubled as Linux does. The receive buffer is then not autotuned.
    pub receive_buffer: Option<u32>,
    /// `tcp_rmem`.
    pub rmem: Buffer,
    /// `tcp_wmem`.
    pub wmem: Buffer,
    /// `tcp_moderate_rcvbuf`: whether the receive buffer grows by itself.
    pub moderate_rcvbuf: bool,
    /// The share of the receive buffer that holds payload, in 256ths, once payload has arrived.
    /// Linux measures it from the buffers that its device fills. The default is the ratio that
    /// Linux 6.18 found at a TAP device with packets of 1500 bytes: 86,016 of 131,072.
    pub payload_ratio: u8,
    /// `tcp_sack`.
    pub sack: bool,
    /// `tcp_dsack`.
    pub dsack: bool,
    /// `tcp_timestamps`.
    pub timestamps: bool,
    /// `tcp_window_scaling`.
    pub window_scaling: bool,
    /// `tcp_ecn`.
    pub ecn: EcnMode,
    /// `tcp_recovery`.
    pub recovery: LossDetection,
    /// `tcp_early_retrans`: whether tail losses are probed (RFC 8985 §7).
    pub tail_loss_probe: bool,
    /// `tcp_frto`: whether F-RTO (RFC 5682) detects spurious timeouts.
    pub frto: bool,
    /// `tcp_reordering`: the initial reordering degree, in packets.
    pub reordering: u32,
    /// `tcp_max_reordering`.
    pub max_reordering: u32,
    /// `tcp_slow_start_after_idle`.
    pub slow_start_after_idle: bool,
    /// `tcp_rto_min_us`.
    pub rto_min: Duration,
    /// `tcp_rto_max_ms`.
    pub rto_max: Duration,
    /// `tcp_min_rtt_wlen`: the window over which the least round-trip time is taken.
    pub min_rtt_window: Duration,
    /// `tcp_pacing_ss_ratio`, in per cent.
    pub pacing_slow_start_ratio: u32,
    /// `tcp_pacing_ca_ratio`, in per cent.
    pub pacing_avoidance_ratio: u32,
    /// The socket's `SO_MAX_PACING_RATE`, in bytes per second. It makes any congestion control
    /// pace.
    pub max_pacing_rate: u64,
    /// `tcp_min_tso_segs`.
    pub min_tso_segments: u32,
    /// `tcp_tso_rtt_log`: makes bursts longer on shorter paths. 0 turns this off.
    pub tso_rtt_log: u32,
    /// `tcp_tso_win_divisor`: a burst takes at most this fraction of the window.
    pub tso_window_divisor: u32,
    /// `tcp_comp_sack_delay_ns`. Zero turns the compression of acknowledgements off.
    pub comp_sack_delay: Duration,
    /// `tcp_comp_sack_slack_ns`: how much later the compressed acknowledgement may be sent. It is
    /// that late where nothing else wakes the kernel.
    pub comp_sack_slack: Duration,
    /// `tcp_comp_sack_nr`: the largest number of acknowledgements that one replaces.
    pub comp_sack_segments: u32,
    /// `tcp_notsent_lowat`: no room is announced while this many bytes wait unsent.
    pub notsent_lowat: u32,
    /// `tcp_limit_output_bytes`: upper bound of a burst. The device queue below is not modelled.
    pub limit_output_bytes: u32,
    /// `tcp_syn_retries`.
    pub syn_retries: u32,
    /// `tcp_syn_linear_timeouts`: number of retransmissions of a SYN before the timeout starts to
    /// double.
    pub syn_linear_timeouts: u32,
    /// `tcp_synack_retries`.
    pub synack_retries: u32,
    /// `tcp_retries2`: the number of timeouts in a row that end a connection, converted into the
    /// time that they would take.
    pub retries2: u32,
    /// `tcp_fin_timeout`: time that a closed socket waits for the other end's FIN.
    pub fin_timeout: Duration,
    /// Duration of TIME-WAIT: 60 s in Linux, as `ss -to` shows (RFC 9293 §3.4.2 has 4 min).
    pub time_wait: Duration,
    /// `tcp_invalid_ratelimit`: the least time between answers to segments outside the window.
    pub invalid_ratelimit: Duration,
    /// The initial congestion window, in packets (RFC 6928).
    pub initial_window: u32,
    /// The kernel's `CONFIG_HZ`: timers expire at whole ticks.
    pub hz: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            congestion_control: Algorithm::Cubic,
            hystart: HyStart::Linux,
            mtu: 1500,
            network_header: 20,
            max_segment: None,
            no_delay: false,
            window_clamp: None,
            send_buffer: None,
            receive_buffer: None,
            rmem: Buffer { min: 4096, initial: 131_072, max: 6_291_456 },
            wmem: Buffer { min: 4096, initial: 16_384, max: 4_194_304 },
            moderate_rcvbuf: true,
            payload_ratio: 168,
            sack: true,
            dsack: true,
            timestamps: true,
            window_scaling: true,
            ecn: EcnMode::Passive,
            recovery: LossDetection::Rack,
            tail_loss_probe: true,
            frto: true,
            reordering: 3,
            max_reordering: 300,
            slow_start_after_idle: true,
            rto_min: Duration::from_millis(200),
            rto_max: Duration::from_secs(120),
            min_rtt_window: Duration::from_secs(300),
            pacing_slow_start_ratio: 200,
            pacing_avoidance_ratio: 120,
            max_pacing_rate: u64::MAX,
            min_tso_segments: 2,
            tso_rtt_log: 9,
            tso_window_divisor: 3,
            comp_sack_delay: Duration::from_millis(1),
            comp_sack_slack: Duration::from_micros(100),
            comp_sack_segments: 44,
            notsent_lowat: u32::MAX,
            limit_output_bytes: 1 << 20,
            syn_retries: 6,
            syn_linear_timeouts: 4,
            synack_retries: 5,
            retries2: 15,
            fin_timeout: Duration::from_secs(60),
            time_wait: Duration::from_secs(60),
            invalid_ratelimit: Duration::from_millis(500),
            initial_window: 10,
            hz: 1000,
        }
    }
}

impl Config {
    /// Returns the maximum segment size to announce: the largest that fits into the MTU without
    /// options.
    pub(crate) fn announced_mss(&self) -> u16 {
        let fits = self.mtu.saturating_sub(self.network_header + 20).max(LEAST_MSS);
        fits.min(self.max_segment.unwrap_or(u16::MAX)).max(LEAST_MSS)
    }

    /// Returns the bytes of payload that `buffer` bytes of receive buffer hold.
    pub(crate) fn payload_of(&self, buffer: u32) -> u32 {
        (u64::from(buffer) * u64::from(self.payload_ratio) / 256) as u32
    }

    /// Returns the bytes of receive buffer that `payload` bytes need.
    pub(crate) fn buffer_for(&self, payload: u64) -> u64 {
        payload * 256 / u64::from(self.payload_ratio.max(1))
    }

    /// Returns the window's shift: as many bits as the largest receive buffer needs (RFC 7323
    /// §2.3), at most 14.
    pub(crate) fn window_shift(&self) -> u8 {
        let largest = self.receive_buffer.unwrap_or(0).max(self.rmem.max);
        let largest = largest.min(self.window_clamp.unwrap_or(u32::MAX));
        let bits = u32::BITS - largest.leading_zeros();
        bits.saturating_sub(16).min(14) as u8
    }
}

/// The smallest segment size, `tcp_min_snd_mss` of ip-sysctl.
pub(crate) const LEAST_MSS: u16 = 48;
