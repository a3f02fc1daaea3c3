//! One process: the contents of its files, and its activity since the last look.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use netloom_monitor::Party;
use netloom_units::Duration;

use crate::fields::{Counter, number, text, value, words};
use crate::polled_file::PolledFile;

/// Contents of `/proc/PID/stat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The command.
    pub name: String,
    /// Start time, in ticks since boot. It identifies the process, because process IDs are reused.
    pub began: u64,
    pub is_kernel_thread: bool,
    /// CPU time of all its threads, in ticks.
    pub cpu_ticks: u64,
    /// Major faults.
    pub faults: u64,
    /// Whether it is in an uninterruptible sleep.
    pub waits_for_disk: bool,
}

impl Stat {
    /// Bit in the flags of a task.
    pub const KERNEL_THREAD: u32 = 0x0020_0000;

    pub fn of(stat: &[u8]) -> Option<Self> {
        // The command is in brackets and may contain any character, even brackets.
        let open = stat.iter().position(|byte| *byte == b'(')?;
        let close = stat.iter().rposition(|byte| *byte == b')')?;
        let mut rest = words(stat.get(close + 1..)?);
        let state = rest.next()?;
        let mut columns = [0; 19];
        for column in &mut columns {
            // Some columns are negative, but none of those that are used.
            *column = number(rest.next()?).unwrap_or(0);
        }
        let [_, _, _, _, _, flags, _, _, faults, _, user, system, _, _, _, _, _, _, began] =
            columns;
        Some(Self {
            name: text(stat.get(open + 1..close)?),
            began,
            is_kernel_thread: flags & u64::from(Self::KERNEL_THREAD) != 0,
            cpu_ticks: user + system,
            faults,
            waits_for_disk: state == b"D",
        })
    }
}

/// A process that is observed repeatedly.
#[derive(Debug)]
pub struct Process {
    pub party: Party,
    /// Its command and its start time. If one of them changes, it is another program.
    pub name: String,
    pub began: u64,
    /// Whether its name has been reported.
    pub named: bool,
    /// Its files, if they are kept open.
    pub files: Files,
    cpu: Counter,
    faults: Counter,
    io: Counter,
    waited: Counter,
    waits: Counter,
}

impl Process {
    /// `is_new`: the process began after the last look, so all of its use counts.
    pub fn new(party: Party, stat: &Stat, is_new: bool) -> Self {
        let counter = if is_new { Counter::from_zero() } else { Counter::default() };
        Self {
            party,
            name: stat.name.clone(),
            began: stat.began,
            named: false,
            files: Files::default(),
            cpu: counter,
            faults: counter,
            io: counter,
            waited: counter,
            waits: counter,
        }
    }

    /// CPU ticks and major faults since the last look.
    pub fn used(&mut self, stat: &Stat) -> (u64, u64) {
        let used = (self.cpu.grew(stat.cpu_ticks), self.faults.grew(stat.faults));
        (used.0.unwrap_or(0), used.1.unwrap_or(0))
    }

    /// Bytes read from and written to disks since the last look, from the text of `/proc/PID/io`.
    pub fn moved(&mut self, io: &[u8]) -> u64 {
        let bytes = value(io, "read_bytes").zip(value(io, "write_bytes"));
        bytes.map_or(0, |(read, written)| self.moved_in_all(read + written))
    }

    /// Bytes moved since the last look, from the total so far.
    pub fn moved_in_all(&mut self, bytes: u64) -> u64 {
        self.io.grew(bytes).unwrap_or(0)
    }

    /// The mean wait for a CPU since the last look and the number of waits, from the text of
    /// `/proc/PID/schedstat`: time run, time waited (ns), times run.
    pub fn waited(&mut self, schedstat: &[u8]) -> Option<(Duration, u64)> {
        let mut columns = words(schedstat).skip(1).map_while(number);
        let (waited, times) = (columns.next()?, columns.next()?);
        let (waited, times) = self.waited.grew(waited).zip(self.waits.grew(times))?;
        Some((Duration::from_nanos(waited.checked_div(times)?), times))
    }
}

/// Files of a process that are kept open.
#[derive(Debug, Default)]
pub struct Files {
    pub stat: Option<PolledFile>,
    pub io: Option<PolledFile>,
}

/// Largest number of files of processes that are kept open. To read an open file costs a third, but
/// the engine needs descriptors for other things.
const KEPT: usize = 512;

/// Reads many small files, one after another.
#[derive(Debug, Default)]
pub struct Reader {
    path: PathBuf,
    buffer: Vec<u8>,
    /// Number of files left open since the last call of [`Reader::begin`].
    open: usize,
}

impl Reader {
    /// Begins to count the files that are left open.
    pub fn begin(&mut self) {
        self.open = 0;
    }

    /// Selects the process whose files are read next.
    pub fn enter(&mut self, proc: &Path, pid: u32) {
        self.path.clear();
        self.path.push(proc);
        self.path.push(pid.to_string());
    }

    /// The path of a file.
    pub fn path(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Reads a file; `None` if it is gone or forbidden.
    pub fn read(&mut self, file: &str) -> Option<&[u8]> {
        self.buffer.clear();
        File::open(self.path(file)).ok()?.read_to_end(&mut self.buffer).ok()?;
        Some(&self.buffer)
    }

    /// Reads a file that is kept open. A file that is not open yet is kept open from now on, if
    /// there are not too many. A file of a process that has ended returns an error; another process
    /// may have its ID by now.
    pub fn read_kept<'a>(
        &'a mut self,
        kept: &'a mut Option<PolledFile>,
        file: &str,
    ) -> Option<&'a [u8]> {
        let same = kept.take().and_then(|mut source| source.read().is_ok().then_some(source));
        *kept = match same {
            None if self.open < KEPT => Some(PolledFile::open_whole(&self.path(file)).ok()?),
            same => same,
        };
        let Some(source) = kept else { return self.read(file) };
        self.open += 1;
        Some(source.text())
    }
}
