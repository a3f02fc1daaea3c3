//! What lets a node's interface send no faster than the line behind it: a token bucket, under which
//! the node's own queueing discipline has what waits. Without one the interface, a TAP, takes
//! whatever it is given and drops what is not read in time (Linux 6.18).

use std::fs;

use netlink_packet_core::DefaultNla;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcOption};
use netloom_units::{Framing, Rate};

use crate::stack::netlink::Request;

/// How fast an interface may send, counted as the line behind it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// The rate of the line.
    pub rate: Rate,
    /// What each frame costs on it beside its own bytes.
    pub framing: Framing,
}

/// What becomes of the pacing of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacingChange {
    /// It is paced from now on, with the machine's default queueing discipline under the bucket.
    Begin(Pacing),
    /// It is paced otherwise; the discipline under the bucket, and what waits there, stay.
    Follow(Pacing),
    /// It sends as fast as it can, and gets its default discipline back.
    End,
}

/// Attributes of `tbf` (`linux/pkt_sched.h`).
const TCA_TBF_PARMS: u16 = 1;
const TCA_TBF_RATE64: u16 = 4;
const TCA_TBF_PRATE64: u16 = 5;
const TCA_TBF_BURST: u16 = 6;
const TCA_TBF_PBURST: u16 = 7;
/// Frames are counted as they are: `TC_LINKLAYER_ETHERNET`.
const LINKLAYER_ETHERNET: u8 = 1;

/// The bucket, and the discipline under it.
const BUCKET: TcHandle = TcHandle { major: 1, minor: 0 };
const UNDER: TcHandle = TcHandle { major: 1, minor: 1 };

/// The peak rate, in bytes a second: faster than any line. With a peak rate `tbf` cuts super-frames
/// into frames, so that each of them is counted with its framing.
const PEAK: u64 = 125_000_000_000;
/// How much may leave at once, as time at the rate: what the kernel's timers may be late.
const BURST_MILLIS: u64 = 2;
/// How many packets a FIFO under the bucket holds: as many as an interface's own.
const PACKETS: u32 = 1000;
/// An Ethernet header with a VLAN tag.
const HEADER: u32 = 18;

/// The discipline that interfaces of the machine have by default, which goes under the bucket.
fn default_discipline() -> String {
    let written = fs::read_to_string("/proc/sys/net/core/default_qdisc").unwrap_or_default();
    match written.trim() {
        // Some kernels do not say, and network namespaces but the first do not show it.
        "" | "noqueue" | "mq" => "pfifo_fast".into(),
        name => name.into(),
    }
}

/// Changes the pacing of the device `index`, called `name`, whose largest packet has `mtu` bytes.
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
    // What a frame costs beside its bytes, and what the shortest one costs.
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
