//! Captures of frames at interfaces, and captured frames as pcapng.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::{Result, bail};
use netloom_dataplane::{Capture, CaptureDirection, CaptureNote, CapturedFrame};
use netloom_scenario::Endpoint;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::interface_statistics::{
    InterfaceStatisticsBlock, InterfaceStatisticsOption,
};
use pcap_file::{DataLink, PcapError};

use crate::live::LiveNetwork;

/// How long to wait for a frame before looking whether anybody still reads.
const LOOK: Duration = Duration::from_millis(50);

/// The interface of frames that pass.
const PASSING: u32 = 0;
/// The interface of frames that the link drops.
const DROPPED: u32 = 1;

/// Captures the frames at an interface from now on; with `drops` also those that its link drops.
pub fn open(network: &LiveNetwork, interface: &Endpoint, drops: bool) -> Result<Capture> {
    network.with_deployment(|live, deployment| {
        let (link, end) = deployment.link_at(interface)?;
        if link.direct {
            if drops {
                bail!(
                    "link `{}` is direct, so what it drops cannot be captured: the kernel only \
                     counts it; capture without drops",
                    link.name
                );
            }
            let socket = live.network.packet_socket(&interface.node, &interface.interface)?;
            return Ok(live.dataplane.capture_interface(socket));
        }
        let link = deployment.modelled(&link.name)?;
        Ok(match drops {
            true => live.dataplane.capture_with_drops(link, end)?,
            false => live.dataplane.capture(link, end)?,
        })
    })
}

/// Where a capture goes: whole blocks at a time.
pub trait Sink {
    /// Takes some bytes.
    fn put(&mut self, bytes: Vec<u8>) -> io::Result<()>;
    /// Whether nobody wants more.
    fn closed(&self) -> bool;
}

impl Sink for File {
    fn put(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.write_all(&bytes)
    }

    fn closed(&self) -> bool {
        false
    }
}

/// Writes frames until the capture ends or the sink is closed. `zero` is the experiment's zero in
/// seconds since 1970-01-01 UTC. Closes with a statistics block that says how many frames the
/// reader was too slow for.
pub fn write_capture(
    mut capture: Capture,
    endpoint: &Endpoint,
    zero: f64,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    let zero = Duration::from_secs_f64(zero);
    let mut writer = PcapNgWriter::new(Vec::new()).map_err(into_io)?;
    // Dropped frames have an interface of their own, so that nobody takes them for traffic.
    for name in [endpoint.to_string(), format!("{endpoint} drops")] {
        writer.write_pcapng_block(describe(name)).map_err(into_io)?;
    }
    loop {
        sink.put(std::mem::take(writer.get_mut()))?;
        match capture.recv_timeout(LOOK) {
            Ok(frame) => {
                writer.write_pcapng_block(packet(&frame, zero)).map_err(into_io)?;
            }
            Err(RecvTimeoutError::Timeout) if sink.closed() => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let missed = capture.missed();
    writer.write_pcapng_block(statistics(missed)).map_err(into_io)?;
    sink.put(std::mem::take(writer.get_mut()))
}

fn describe(name: String) -> InterfaceDescriptionBlock<'static> {
    InterfaceDescriptionBlock {
        linktype: DataLink::ETHERNET,
        snaplen: 0,
        options: vec![
            InterfaceDescriptionOption::IfName(Cow::Owned(name)),
            // Timestamps in units of 10⁻⁹ s.
            InterfaceDescriptionOption::IfTsResol(9),
        ],
    }
}

fn packet(frame: &CapturedFrame, zero: Duration) -> EnhancedPacketBlock<'_> {
    // The direction bits of epb_flags.
    let flags = match frame.direction {
        CaptureDirection::Inbound => 1,
        CaptureDirection::Outbound => 2,
    };
    let (interface_id, comment) = match frame.note {
        CaptureNote::None => (PASSING, None),
        CaptureNote::Marked => (PASSING, Some("netloom: marked".into())),
        CaptureNote::Dropped(reason) => {
            (DROPPED, Some(format!("netloom: dropped {}", reason.name())))
        }
    };
    let comment = comment.map(|text| EnhancedPacketOption::Comment(Cow::Owned(text)));
    EnhancedPacketBlock {
        interface_id,
        timestamp: zero + Duration::from_nanos(frame.time.as_nanos()),
        original_len: frame.original_length,
        data: Cow::Borrowed(&frame.bytes),
        options: comment.into_iter().chain([EnhancedPacketOption::Flags(flags)]).collect(),
    }
}

fn statistics(missed: u64) -> InterfaceStatisticsBlock<'static> {
    InterfaceStatisticsBlock {
        interface_id: PASSING,
        timestamp: 0,
        options: vec![InterfaceStatisticsOption::IsbIfDrop(missed)],
    }
}

fn into_io(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        error => io::Error::other(error.to_string()),
    }
}
