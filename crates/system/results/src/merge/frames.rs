//! The frame log. Of a pipe between machines, the sender has logged what the model did, and the
//! receiver the hand-over; both by the frame's number.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read, Write};

use anyhow::Result;
use netloom_api::summary::FrameLogSummary;
use netloom_link::{FrameEvent, LogDecoder, LogEncoder, LogEntry, LogHeader, Occurrence};
use netloom_monitor::Alignment;
use netloom_units::Time;

use super::interleaved::Interleaved;
use super::merging::Merging;
use super::owners::direction;
use crate::private_file;

const LOG: &str = "frames.nlf";

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

impl Merging<'_> {
    /// Merges the frame logs. Returns the summary of the new one, if there is one.
    pub fn frames(&mut self) -> Option<FrameLogSummary> {
        let mut logs = Vec::new();
        for (member, file) in self.open(LOG) {
            match Log::open(file) {
                Ok(log) => logs.push((member, log)),
                Err(error) => self.fail(LOG, member, &error),
            }
        }
        let zero_unix_ns = logs.first()?.1.header.zero_unix_ns;
        // The pipes of all, in the order of the first machine that names them.
        let mut pipes: Vec<String> = Vec::new();
        let mut places: HashMap<String, u32> = HashMap::new();
        for name in logs.iter().flat_map(|(_, log)| &log.header.pipes) {
            places.entry(name.clone()).or_insert_with(|| {
                pipes.push(name.clone());
                pipes.len() as u32 - 1
            });
        }
        let header = LogHeader { zero_unix_ns, pipes };
        let sources = logs.into_iter().map(|(member, log)| {
            let clock = self.members[member].member.clock;
            let own: Vec<u32> = log.header.pipes.iter().map(|name| places[name]).collect();
            let entries = log.map(move |entry| {
                Ok(match entry? {
                    LogEntry::Frame(pipe, event) => {
                        let event = aligned(event, &clock);
                        (Some(event.at), LogEntry::Frame(own[pipe as usize], event))
                    }
                    LogEntry::Lost(entries) => (None, LogEntry::Lost(entries)),
                })
            });
            (member, entries)
        });
        let mut entries = Interleaved::new(sources);
        let written = self.log(&header, &mut entries);
        let summary = self.keep(LOG, written);
        let failures = entries.into_failures();
        failures.into_iter().for_each(|(member, why)| self.fail(LOG, member, &why));
        summary
    }

    fn log(
        &self,
        header: &LogHeader,
        entries: &mut dyn Iterator<Item = (usize, Option<Time>, LogEntry)>,
    ) -> Result<FrameLogSummary> {
        let mut out = BufWriter::new(private_file(&self.results.path(LOG))?);
        let mut buffer = Vec::new();
        let mut encoder = LogEncoder::new(header, &mut buffer);
        let mut summary = FrameLogSummary { entries: 0, lost: 0, bytes: 0, failure: None };
        let wanted = self.wanted(header);
        for (member, _, entry) in entries {
            match &entry {
                LogEntry::Frame(pipe, event) => {
                    let [model, hand_over] = wanted[member][*pipe as usize];
                    let is_hand_over =
                        matches!(event.what, Occurrence::HandedOver | Occurrence::Refused);
                    if !(if is_hand_over { hand_over } else { model }) {
                        continue;
                    }
                    summary.entries += 1;
                }
                LogEntry::Lost(entries) => summary.lost += entries,
            }
            encoder.encode(&entry, &mut buffer);
            if buffer.len() >= PIECE {
                summary.bytes += buffer.len() as u64;
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        summary.bytes += buffer.len() as u64;
        out.write_all(&buffer)?;
        out.flush()?;
        Ok(summary)
    }

    /// For each machine and pipe, whether the machine knows what the model did, and the hand-over.
    fn wanted(&self, header: &LogHeader) -> Vec<Vec<[bool; 2]>> {
        let of_machine = |machine: &str| {
            let of_pipe = |pipe: &String| {
                let found = pipe.rsplit_once('/');
                let found = found.and_then(|(link, way)| Some((link, direction(way)?)));
                found.map_or([true; 2], |(link, way)| {
                    let owners = &self.owners;
                    [owners.sends(machine, link, way), owners.receives(machine, link, way)]
                })
            };
            header.pipes.iter().map(of_pipe).collect()
        };
        self.members.iter().map(|member| of_machine(member.name())).collect()
    }
}

/// A frame log that is being read.
struct Log {
    file: File,
    /// `None` once the log has ended.
    decoder: Option<LogDecoder>,
    header: LogHeader,
    /// The first entry, which was read with the header.
    first: Option<LogEntry>,
}

impl Log {
    fn open(file: File) -> Result<Self> {
        let header = LogHeader { zero_unix_ns: 0, pipes: Vec::new() };
        let mut log = Self { file, decoder: Some(LogDecoder::new()), header, first: None };
        log.first = log.read()?;
        Ok(log)
    }

    fn read(&mut self) -> Result<Option<LogEntry>> {
        let Some(mut decoder) = self.decoder.take() else { return Ok(None) };
        let mut piece = [0; PIECE];
        loop {
            let entry = decoder.next_entry()?;
            if let (Some(header), true) = (decoder.header(), self.header.pipes.is_empty()) {
                self.header = header.clone();
            }
            if entry.is_some() {
                self.decoder = Some(decoder);
                return Ok(entry);
            }
            let count = self.file.read(&mut piece)?;
            if count == 0 {
                decoder.finish()?;
                return Ok(None);
            }
            decoder.feed(&piece[..count]);
        }
    }
}

impl Iterator for Log {
    type Item = Result<LogEntry>;

    fn next(&mut self) -> Option<Result<LogEntry>> {
        let next = self.first.take().map_or_else(|| self.read(), |first| Ok(Some(first)));
        next.transpose()
    }
}

/// Converts the times of an event.
fn aligned(event: FrameEvent, clock: &Alignment) -> FrameEvent {
    let time = |at: Time| clock.to_cluster(at);
    let what = match event.what {
        Occurrence::Delivered { offered, started, serialized } => Occurrence::Delivered {
            offered: time(offered),
            started: time(started),
            serialized: time(serialized),
        },
        Occurrence::Dropped { reason, offered, started, serialized } => Occurrence::Dropped {
            reason,
            offered: time(offered),
            started: started.map(time),
            serialized: serialized.map(time),
        },
        other => other,
    };
    FrameEvent { at: time(event.at), what, ..event }
}
