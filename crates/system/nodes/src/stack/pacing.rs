//! Pacing: a node's interface sends no faster than the line behind it. A token bucket paces it, and
//! the node's own queueing discipline under the bucket holds waiting packets. Without pacing, the
//! interface, a TAP, accepts everything and drops frames that are not read in time (Linux 6.18).

use std::fs;

use netlink_packet_core::DefaultNla;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcOption};
use netloom_units::{Framing, Rate};

use crate::stack::netlink::Request;

/// Rate at which an interface may send, counted like on the line behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// Rate of the line.
    pub rate: Rate,
    /// Bytes that each frame occupies on the line, in addition to its own.
    pub framing: Framing,
}

/// Change of an interface's pacing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacingChange {
    /// Begins pacing, with the machine's default queueing discipline under the bucket.
    Begin(Pacing),
    /// Changes the pacing. The discipline under the bucket, and the packets in it, remain.
    Follow(Pacing),
    /// Ends pacing. The interface gets its default discipline back.
    End,
}

/// Attributes of `tbf` (`linux/pkt_sched.h`).
const TCA_TBF_PARMS: u16 = 1;
const TCA_TBF_RATE64: u16 = 4;
const TCA_TBF_PRATE64: u16 = 5;
const TCA_TBF_BURST: u16 = 6;
const TCA_TBF_PBURST: u16 = 7;
/// `TC_LINKLAYER_ETHERNET`: frames are counted with their actual lengths.
const LINKLAYER_ETHERNET: u8 = 1;

/// Handles of the bucket, and of the discipline under it.
const BUCKET: TcHandle = TcHandle { major: 1, minor: 0 };
const UNDER: TcHandle = TcHandle { major: 1, minor: 1 };

/// Peak rate, in bytes per second: faster than any line. With a peak rate, `tbf` splits
/// super-frames into frames, so that each of them is counted with its framing.
const PEAK: u64 = 125_000_000_000;
/// Size of a burst, as time at the line's rate: as late as the kernel's timers may be.
const BURST_MILLIS: u64 = 2;
/// Capacity in packets of a FIFO under the bucket: that of an interface's own queue.
const PACKETS: u32 = 1000;
/// Length in bytes of an Ethernet header with a VLAN tag.
const HEADER: u32 = 18;

/// Returns the default discipline of the machine's interfaces, which is used under the bucket.
fn default_discipline() -> String {
    let written = fs::read_to_string("/proc/sys/net/core/default_qdisc").unwrap_or_default();
    match written.trim() {
        // Some kernels do not report it, and only the first network namespace shows it.
        "" | "noqueue" | "mq" => "pfifo_fast".into(),
        name => name.into(),
    }
}

/// Returns the requests that change the pacing of the device `index`, called `name`, whose largest
/// packet has `mtu` bytes.
pub(crate) fn requests(index: u32, name: &str, mtu: u32, change: PacingChange) -> Vec<Request> {
    match change {
        PacingChange::Begin(pacing) => {
            vec![bucket(index, name, mtu, pacing), discipline(index, name)]
        }
        PacingChange::Follow(pacing) => vec![bucket(index, name, mtu, pacing)],
        PacingChange::End => vec![no_bucket(index, name)],
    }
}

fn bucket(index: u32, name: &str, mtu: u32, pacing: Pacing) -> Request {
    let words = format!("pace {name} at {}", pacing.rate);
    let mut bucket = message(index, BUCKET, TcHandle::ROOT);
    bucket.attributes =
        vec![TcAttribute::Kind("tbf".into()), TcAttribute::Options(tbf(mtu, pacing))];
    Request::new(RouteNetlinkMessage::NewQueueDiscipline(bucket), move || words.clone())
}

fn discipline(index: u32, name: &str) -> Request {
    let mut under = message(index, TcHandle::UNSPEC, UNDER);
    let discipline = default_discipline();
    let what = format!("put {discipline} under what paces {name}");
    under.attributes = vec![TcAttribute::Kind(discipline)];
    Request::new(RouteNetlinkMessage::NewQueueDiscipline(under), move || what.clone())
}

fn no_bucket(index: u32, name: &str) -> Request {
    let name = name.to_owned();
    let bucket = message(index, BUCKET, TcHandle::ROOT);
    Request::new(RouteNetlinkMessage::DelQueueDiscipline(bucket), move || {
        format!("pace {name} no more")
    })
    .or_done()
}

fn message(index: u32, handle: TcHandle, parent: TcHandle) -> TcMessage {
    // Invariant: indices of devices are positive `int`s.
    let mut message = TcMessage::with_index(i32::try_from(index).expect("an index of a device"));
    (message.header.handle, message.header.parent) = (handle, parent);
    message
}

fn tbf(mtu: u32, pacing: Pacing) -> Vec<TcOption> {
    let rate = (pacing.rate.bits_per_second() / 8).max(1);
    let framing = |bytes: u32| pacing.framing.line_bytes(bytes);
    // Bytes of a frame in addition to its own, and bytes of the shortest frame.
    let (overhead, least) = (framing(1500) - 1500, framing(0));
    let largest = framing(mtu.saturating_add(HEADER));
    let burst = (rate / (1000 / BURST_MILLIS)).max(2 * u64::from(largest)).min(u32::MAX.into());
    let mut parameters = Vec::with_capacity(36);
    for rate in [rate, PEAK] {
        let short = u32::try_from(rate).unwrap_or(u32::MAX);
        parameters.extend([0, LINKLAYER_ETHERNET]);
        parameters.extend(short_of(overhead).to_ne_bytes());
        parameters.extend(0u16.to_ne_bytes());
        parameters.extend(short_of(least).to_ne_bytes());
        parameters.extend(short.to_ne_bytes());
    }
    parameters.extend(PACKETS.to_ne_bytes());
    parameters.extend([0; 8]);
    let option = |kind, bytes: Vec<u8>| TcOption::Other(DefaultNla::new(kind, bytes));
    vec![
        option(TCA_TBF_PARMS, parameters),
        option(TCA_TBF_RATE64, rate.to_ne_bytes().into()),
        option(TCA_TBF_PRATE64, PEAK.to_ne_bytes().into()),
        option(TCA_TBF_BURST, (burst as u32).to_ne_bytes().into()),
        option(TCA_TBF_PBURST, largest.to_ne_bytes().into()),
    ]
}

fn short_of(bytes: u32) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}
