//! Files that belong to one node or medium: output of processes and services, kept files, captures
//! and air logs.

use std::fs::{self, DirEntry, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use netloom_units::Time;
use pcap_file::pcapng::{Block, PcapNgReader, PcapNgWriter};

use super::merging::{Merging, Present, buffered};
use crate::{private_file, private_folder};

/// Folders of such files.
const FOLDERS: [&str; 5] = ["processes", "services", "files", "captures", "air"];

impl Merging<'_> {
    /// Merges all folders.
    pub fn trees(&mut self) -> Result<()> {
        for folder in FOLDERS {
            let to = self.results.path(folder);
            for member in self.members {
                let from = member.path(folder);
                if from.is_dir() {
                    let merged = self.tree(member, &from, &to);
                    let damaged = merged.with_context(|| {
                        format!("{folder} of machine {} cannot be merged", member.name())
                    })?;
                    for (file, why) in damaged {
                        self.failures.push(format!(
                            "{folder}/{file} lacks a part of what machine {} wrote: {why}",
                            member.name()
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies a folder. Returns captures that are damaged, and why.
    fn tree(&self, member: &Present<'_>, from: &Path, to: &Path) -> Result<Vec<(String, String)>> {
        private_folder(to)?;
        let mut damaged = Vec::new();
        let mut entries = fs::read_dir(from)?.collect::<io::Result<Vec<DirEntry>>>()?;
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let to = to.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                damaged.extend(self.tree(member, &entry.path(), &to)?);
                continue;
            }
            let has_other = to.exists();
            if has_other && fs::metadata(&to)?.len() > 0 {
                if entry.metadata()?.len() == 0 {
                    continue;
                }
                bail!("another machine has a file {}, too", entry.file_name().display());
            }
            if to.extension().is_some_and(|extension| extension == "pcapng") {
                if let Err(error) = self.capture(member, &entry.path(), &to) {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    damaged.push((name, error.to_string()));
                }
            } else {
                io::copy(&mut File::open(entry.path())?, &mut private_file(&to)?)?;
            }
        }
        Ok(damaged)
    }

    /// Copies a capture, with dates of the first machine's clock.
    fn capture(&self, member: &Present<'_>, from: &Path, to: &Path) -> Result<()> {
        let started = |one: &Present<'_>| Some((one.summary.as_ref()?.started_unix * 1e9) as i128);
        let zero = self.members.iter().find_map(started).unwrap_or_default();
        let own_zero = started(member).unwrap_or(zero);
        let clock = member.member.clock;
        let convert = |date: Duration| {
            let since = date.as_nanos() as i128 - own_zero;
            let at = Time::from_signed_nanos(i64::try_from(since).unwrap_or(i64::MAX));
            let aligned = i128::from(clock.to_cluster(at).signed_nanos()) + zero;
            Duration::from_nanos(u64::try_from(aligned).unwrap_or_default())
        };
        let mut reader = PcapNgReader::new(buffered(File::open(from)?))?;
        let out = BufWriter::new(private_file(to)?);
        let mut writer = PcapNgWriter::with_section_header(out, reader.section().clone())?;
        while let Some(block) = reader.next_block() {
            match block? {
                Block::EnhancedPacket(mut packet) => {
                    packet.timestamp = convert(packet.timestamp);
                    writer.write_pcapng_block(packet)?;
                }
                other => {
                    writer.write_block(&other)?;
                }
            }
        }
        Ok(writer.into_inner().flush()?)
    }
}
