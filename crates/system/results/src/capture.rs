//! Captured frames as pcapng.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use netloom_link::{CaptureDirection, CaptureNote, CapturedFrame};
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

/// The interface of frames that pass.
const PASSING: u32 = 0;
/// The interface of frames that the link drops.
const DROPPED: u32 = 1;

/// Converts captured frames to pcapng, in whole blocks.
pub struct CaptureWriter {
    writer: PcapNgWriter<Vec<u8>>,
    zero: Duration,
}

impl CaptureWriter {
    /// The capture at an interface. `zero` is the experiment's zero, since 1970-01-01 UTC.
    ///
    /// # Errors
    /// Fails if it cannot be expressed in pcapng.
    pub fn new(endpoint: &Endpoint, zero: Duration) -> io::Result<Self> {
        // Dropped frames have an interface of their own, so that nobody takes them for traffic.
        let names = [endpoint.to_string(), format!("{endpoint} drops")];
        Self::of(names.into(), DataLink::ETHERNET, zero)
    }

    /// The capture of all that is on a shared medium: 802.11 behind radiotap.
    ///
    /// # Errors
    /// If it cannot be said in pcapng.
    pub fn of_medium(medium: &str, zero: Duration) -> io::Result<Self> {
        Self::of(vec![medium.into()], DataLink::IEEE802_11_RADIOTAP, zero)
    }

    fn of(interfaces: Vec<String>, linktype: DataLink, zero: Duration) -> io::Result<Self> {
        let mut writer = PcapNgWriter::new(Vec::new()).map_err(into_io)?;
        for name in interfaces {
            writer.write_pcapng_block(describe(name, linktype)).map_err(into_io)?;
        }
        Ok(Self { writer, zero })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// Fails if it cannot be expressed in pcapng.
    pub fn add(&mut self, frame: &CapturedFrame) -> io::Result<()> {
        self.writer.write_pcapng_block(packet(frame, self.zero)).map_err(into_io)?;
        Ok(())
    }

    /// Returns the bytes to be written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.writer.get_mut())
    }

    /// Returns the last bytes, with the number of frames that are missing.
    ///
    /// # Errors
    /// Fails if it cannot be expressed in pcapng.
    pub fn finish(mut self, missed: u64) -> io::Result<Vec<u8>> {
        self.writer.write_pcapng_block(statistics(missed)).map_err(into_io)?;
        Ok(self.take())
    }
}

fn describe(name: String, linktype: DataLink) -> InterfaceDescriptionBlock<'static> {
    InterfaceDescriptionBlock {
        linktype,
        snaplen: 0,
        options: vec![
            InterfaceDescriptionOption::IfName(Cow::Owned(name)),
            // Timestamps in units of 10⁻⁹ s.
            InterfaceDescriptionOption::IfTsResol(9),
        ],
    }
}

fn packet(frame: &CapturedFrame, zero: Duration) -> EnhancedPacketBlock<'_> {
    // The direction bits of `epb_flags`.
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
