//! Reads the arrivals of a file: lines `SECONDS BYTES`, or the frames of a capture, pcap or pcapng.
//! Captures are read in pieces; only time and length of a frame are kept.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_link::DataFormat;
use netloom_scenario::ReadFile;
use netloom_traffic::{Arrivals, Emission};
use netloom_units::Time;
use pcap_file::TsResolution;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};

use crate::files;

/// Most frames that are kept, at 16 bytes each.
const MOST: usize = 64 << 20;

/// The first bytes of captures: pcapng, and pcap of both byte orders and resolutions.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const PCAP: [[u8; 4]; 4] = [
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0x4d, 0x3c, 0xb2, 0xa1],
];

/// Reads the arrivals of `path`, in order of time. Those of a capture begin at 0.
pub fn read(path: &Path) -> Result<Vec<Emission>> {
    let describe = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(describe)?;
    let mut magic = Vec::new();
    (&mut file).take(4).read_to_end(&mut magic).with_context(describe)?;
    let whole = BufReader::new(magic.as_slice().chain(file));
    let frames = match magic.as_slice() {
        magic if magic == PCAPNG => pcapng(whole),
        magic if PCAP.iter().any(|known| known == magic) => pcap(whole),
        _ => return lines(path),
    };
    from_first(frames.with_context(describe)?).with_context(describe)
}

fn lines(path: &Path) -> Result<Vec<Emission>> {
    let name = path.to_string_lossy();
    let text = files::reader(Path::new("."))
        .text(&name)
        .map_err(|error| anyhow::anyhow!("cannot read {name}: {}", error.reason))?;
    let arrivals = Arrivals::parse(&text)
        .with_context(|| format!("{name} is neither a capture nor lines of seconds and bytes"))?;
    Ok(arrivals.as_slice().to_vec())
}

/// Times in nanoseconds since the epoch, and lengths.
type Frames = Vec<(u128, u32)>;

fn pcap(file: impl Read) -> Result<Frames> {
    let mut reader = PcapReader::new(file)?;
    let fraction = match reader.header().ts_resolution {
        TsResolution::MicroSecond => 1000,
        TsResolution::NanoSecond => 1,
    };
    let mut frames = Vec::new();
    // The reader's own packets must not have been cut, and those of a capture may be.
    while let Some(packet) = reader.next_raw_packet() {
        let packet = packet.with_context(|| after(&frames))?;
        let nanos = u128::from(packet.ts_frac) * fraction;
        push(&mut frames, u128::from(packet.ts_sec) * 1_000_000_000 + nanos, packet.orig_len)?;
    }
    Ok(frames)
}

fn pcapng(file: impl Read) -> Result<Frames> {
    let mut reader = PcapNgReader::new(file)?;
    let mut frames = Vec::new();
    let mut scales = Vec::new();
    while let Some(block) = reader.next_block() {
        match block.with_context(|| after(&frames))? {
            Block::SectionHeader(_) => scales.clear(),
            Block::InterfaceDescription(interface) => scales.push(nanoseconds(&interface)?),
            Block::EnhancedPacket(packet) => {
                let scale = scales.get(packet.interface_id as usize);
                let scale = scale.with_context(|| format!("{}: no interface", after(&frames)))?;
                // The reader takes every unit for a nanosecond.
                push(&mut frames, packet.timestamp.as_nanos() * scale, packet.original_len)?;
            }
            _ => {}
        }
    }
    Ok(frames)
}

/// Returns the length of an interface's unit of time, in ns.
fn nanoseconds(interface: &InterfaceDescriptionBlock<'_>) -> Result<u128> {
    let resolution = interface.options.iter().find_map(|option| match option {
        InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
        _ => None,
    });
    match resolution.unwrap_or(6) {
        power @ 0..=9 => Ok(10u128.pow(9 - u32::from(power))),
        other => bail!("times in units of resolution {other} are not read, only up to 10⁻⁹ s"),
    }
}

fn push(frames: &mut Frames, at: u128, bytes: u32) -> Result<()> {
    if frames.len() == MOST {
        bail!("it has more than {MOST} frames");
    }
    frames.push((at, bytes));
    Ok(())
}

fn after(frames: &Frames) -> String {
    format!("after {} frames", frames.len())
}

/// Returns the frames in order, with times since the first one.
fn from_first(mut frames: Frames) -> Result<Vec<Emission>> {
    // In captures of several interfaces, only the frames of each interface are in order.
    frames.sort_by_key(|(at, _)| *at);
    let Some((first, _)) = frames.first().copied() else { bail!("it has no frames") };
    let emission = |(at, bytes): (u128, u32)| {
        let nanos = u64::try_from(at - first).context("its times lie centuries apart")?;
        Ok(Emission { at: Time::from_nanos(nanos), bytes })
    };
    frames.into_iter().map(emission).collect()
}
