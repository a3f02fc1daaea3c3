//! `netloom traffic generate`

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_traffic::Emission;
use netloom_units::Time;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::{DataLink, TsResolution};

use super::chosen::chosen;
use super::headers;
use crate::args::Generate;
use crate::exit;
use crate::output::{self, Data};

/// Writes the arrivals of a model.
pub fn generate(args: &Generate) -> Result<i32> {
    let chosen = chosen(&args.model, &args.options)?;
    let stream = Stream::new(args.seed, &args.stream);
    let source = chosen
        .model
        .source(&chosen.sizes, chosen.line.as_ref(), &stream)
        .map_err(|error| exit::usage(error.to_string()))?;
    let end = Time::ZERO + args.time;
    match write(source.take_while(|frame| frame.at < end), &args.output) {
        // The printing code knows the reason.
        Err(_) if output::is_closed() => Ok(exit::SUCCESS),
        outcome => outcome,
    }
}

fn write(frames: impl Iterator<Item = Emission>, path: &Path) -> Result<i32> {
    let describe = || format!("cannot write {}", path.display());
    if path == Path::new("-") {
        lines(frames, BufWriter::new(Data { may_be_lost: false })).with_context(describe)?;
        return Ok(exit::SUCCESS);
    }
    let file = BufWriter::new(File::create(path).with_context(describe)?);
    match path.extension().is_some_and(|extension| extension == "pcap") {
        true => pcap(frames, file),
        false => lines(frames, file),
    }
    .with_context(describe)?;
    Ok(exit::SUCCESS)
}

/// Writes lines `SECONDS BYTES`.
fn lines(frames: impl Iterator<Item = Emission>, mut to: impl Write) -> Result<()> {
    writeln!(to, "# seconds bytes")?;
    for frame in frames {
        writeln!(to, "{frame}")?;
    }
    Ok(to.flush()?)
}

/// Writes the headers of UDP packets, at nanoseconds since the epoch.
fn pcap(frames: impl Iterator<Item = Emission>, to: impl Write) -> Result<()> {
    let header = PcapHeader {
        snaplen: 65_535,
        datalink: DataLink::ETHERNET,
        ts_resolution: TsResolution::NanoSecond,
        ..PcapHeader::default()
    };
    let mut writer = PcapWriter::with_header(to, header)?;
    for Emission { at, bytes } in frames {
        let headers = headers::of(bytes);
        let captured = &headers[..headers.len().min(bytes as usize)];
        let time = std::time::Duration::from_nanos(at.as_nanos());
        writer.write_packet(&PcapPacket::new(time, bytes, captured))?;
    }
    Ok(writer.into_writer().flush()?)
}
