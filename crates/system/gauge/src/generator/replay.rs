//! Sends frames of a capture at their times, from one interface of the node. Late frames are sent
//! at once, in the capture's order. The capture is read while it is sent, because its length is
//! unknown.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use netloom_ports::PacketSender;
use netloom_traffic::{Addressed, CaptureReader, ReplayConfig, Rewriter, packet_bytes};
use netloom_units::Duration;
use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::send::{LATE, is_refusal, is_unreachable};
use super::so_far::SoFar;
use super::stop::Stop;
use super::{SentReport, Timebase};

/// Number of bytes of the file that are read at once.
const AHEAD: usize = 1 << 20;

/// Order to replay a capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The capture's name, and its pace.
    pub config: ReplayConfig,
    /// The interface that sends.
    pub interface: String,
    /// Its Ethernet address.
    pub from: [u8; 6],
    /// The Ethernet address of the next hop.
    pub to: [u8; 6],
    /// The interface's MTU.
    pub mtu: u32,
    /// Replacements for addresses of the capture.
    pub addresses: BTreeMap<IpAddr, IpAddr>,
    /// Duration (without: to the capture's end).
    pub time: Option<Duration>,
    /// The origin and the intervals of times.
    pub timebase: Timebase,
}

/// Sends as ordered, and calls `ready` before it begins.
pub fn send(
    order: &Replay,
    capture: File,
    (clock, stop): (&Clock, &Stop),
    ready: impl FnOnce(),
) -> Result<SentReport> {
    let Replay { config, interface, .. } = order;
    let open = || format!("cannot send from {interface}");
    let socket = PacketSender::open(interface).with_context(open)?;
    let mut frames = Frames::new(order, capture)?;
    // Without this, sleeps are 50 µs longer. With a positive slack it cannot fail.
    let _ = nix::sys::prctl::set_timerslack(1);
    let mut report = SentReport::default();
    // The first frame is read before time begins.
    let mut next = frames.next()?;
    ready();
    let base = stop.begin(clock);
    let end = order.time.map_or(u64::MAX, |time| base.saturating_add(time.as_nanos()));
    let mut due = base;
    while let Some(after_first) = next {
        stop.answer(|| SoFar::sent(&report.intervals, None));
        // In a capture of several interfaces, frames may not be in the order of their times.
        due = due.max(base.saturating_add(config.due(after_first).as_nanos()));
        if due >= end || !stop.unless_before(due, clock) {
            break;
        }
        let sent = report.intervals.entry(clock.interval(due)).or_default();
        sent.packets += 1;
        sent.bytes += frames.out.len() as u64;
        sent.late += u64::from(clock.now().saturating_sub(due) > LATE);
        match socket.send(&frames.out) {
            Ok(()) => {}
            Err(error) if is_refused(&error) => sent.refuse(false),
            Err(error) => return Err(error).with_context(open),
        }
        next = frames.next()?;
    }
    // The entry lasts until its end, even if it is silent.
    if order.time.is_some() {
        stop.unless_before(end, clock);
    }
    Ok(report)
}

/// Whether there is no room, or the interface is down.
fn is_refused(error: &io::Error) -> bool {
    let is_down = error.raw_os_error() == Some(Errno::ENXIO as i32);
    is_refusal(error) || is_unreachable(error) || is_down
}

/// The frames to be sent.
struct Frames<'a, F> {
    reader: CaptureReader<BufReader<File>>,
    rewriter: Rewriter<F>,
    order: &'a Replay,
    /// Time at which the first frame was captured.
    first: Option<i128>,
    /// The next frame.
    out: Vec<u8>,
}

impl<'a> Frames<'a, Box<dyn Fn(IpAddr) -> Option<IpAddr> + 'a>> {
    fn new(order: &'a Replay, capture: File) -> Result<Self> {
        let reader = CaptureReader::new(BufReader::with_capacity(AHEAD, capture));
        let reader = reader.with_context(|| order.config.file.clone())?;
        let other: Box<dyn Fn(IpAddr) -> Option<IpAddr>> =
            Box::new(|address| order.addresses.get(&address).copied());
        let addressed =
            if order.config.as_is { Addressed::AsIs } else { Addressed::Rewritten(other) };
        let rewriter = Rewriter::new(addressed, order.to, order.from);
        Ok(Self { reader, rewriter, order, first: None, out: Vec::new() })
    }

    /// Prepares the next frame. Returns how long after the first one it was captured, in ns.
    fn next(&mut self) -> Result<Option<i128>> {
        let file = &self.order.config.file;
        let Some(frame) = self.reader.next_frame().with_context(|| file.clone())? else {
            return Ok(None);
        };
        let number = frame.number;
        let rewritten = self.rewriter.rewrite(&frame, &mut self.out);
        // All frames were checked before the run, so somebody has changed the file.
        rewritten.map_err(|fault| anyhow::anyhow!("{file}: frame {number} {fault}"))?;
        let (bytes, mtu) = (packet_bytes(&self.out), self.order.mtu);
        if bytes > mtu as usize {
            bail!("{file}: frame {number} holds a packet of {bytes} bytes, and the MTU is {mtu}");
        }
        let first = *self.first.get_or_insert(frame.at);
        Ok(Some(frame.at - first))
    }
}
