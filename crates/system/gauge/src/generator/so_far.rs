//! How far a process is, on request: SIGURG. The answer is a line of JSON on standard output, in
//! the place of the answer before; the report at the end takes its place.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

use nix::unistd::{Whence, lseek};
use serde::{Deserialize, Serialize};

use super::{Arrived, ReceivedReport, Sent, SentReport};

/// The answer of a process that has not ended. Its counts are of interval 0, and sums over all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoFar {
    /// What a sender has sent.
    Sent(Box<SentReport>),
    /// What a receiver has received.
    Received(ReceivedReport),
}

impl SoFar {
    /// Reads a line that a process has printed. Returns `None` if it is no such answer.
    pub fn from_line(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// Adds up what was sent and what has come back, if the sender counts that.
    pub fn sent(
        intervals: &BTreeMap<u64, Sent>,
        returned: Option<&BTreeMap<u64, Arrived>>,
    ) -> Self {
        let mut sent = Sent::default();
        intervals.values().for_each(|interval| sent.add(interval));
        let returned = returned.map(|returned| BTreeMap::from([(0, arrived(returned))]));
        let intervals = BTreeMap::from([(0, sent)]);
        let report = SentReport { intervals, returned, tcp: sent.tcp, ..SentReport::default() };
        Self::Sent(Box::new(report))
    }

    /// Adds up the arrivals of each flow.
    pub fn received<'a>(flows: impl Iterator<Item = (u16, &'a BTreeMap<u64, Arrived>)>) -> Self {
        let flows = flows.map(|(flow, of)| (flow, BTreeMap::from([(0, arrived(of))])));
        Self::Received(ReceivedReport { flows: flows.collect(), ..ReceivedReport::default() })
    }
}

fn arrived(intervals: &BTreeMap<u64, Arrived>) -> Arrived {
    let mut sum = Arrived::default();
    intervals.values().for_each(|interval| sum.add(interval));
    sum
}

/// Standard output, and where in it the answers are.
static PLACE: OnceLock<Option<(File, u64)>> = OnceLock::new();

/// Replaces the answer. Where standard output is no file, as in a node with a kernel of its own,
/// there is none.
pub fn answer(so_far: &SoFar) {
    let Some((file, place)) = PLACE.get_or_init(|| place().ok()) else { return };
    let Ok(mut line) = serde_json::to_vec(so_far) else { return };
    line.push(b'\n');
    // Who asks finds what there is; nothing depends on it.
    let _ =
        file.write_all_at(&line, *place).and_then(|()| file.set_len(*place + line.len() as u64));
}

/// Removes the answer, for the report.
pub fn finish() {
    if let Some(Some((file, place))) = PLACE.get() {
        let _ = file.set_len(*place);
    }
}

fn place() -> io::Result<(File, u64)> {
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    let place = lseek(&stdout, 0, Whence::SeekCur)?;
    Ok((stdout.into(), u64::try_from(place).map_err(io::Error::other)?))
}
