//! One process: what its files say, and what it did since the last look.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use netloom_monitor::Party;
use netloom_units::Duration;

use crate::fields::{Counter, number, text, value, words};
use crate::source::Source;

/// What `/proc/PID/stat` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The command.
    pub name: String,
    /// When it began, in ticks since boot: process IDs are used again.
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
    /// In the flags of a task.
    pub const KERNEL_THREAD: u32 = 0x0020_0000;

    pub fn of(stat: &[u8]) -> Option<Self> {
        // The command is in brackets and may have any character in it, brackets too.
        let open = stat.iter().position(|byte| *byte == b'(')?;
        let close = stat.iter().rposition(|byte| *byte == b')')?;
        let mut rest = words(stat.get(close + 1..)?);
        let state = rest.next()?;
        let mut columns = [0; 19];
        for column in &mut columns {
            // Some are negative; of none of those that are used.
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

/// A process that is looked at again and again.
#[derive(Debug)]
pub struct Process {
    pub party: Party,
    /// Its command, and when it began: another one is another program.
    pub name: String,
    pub began: u64,
    /// Whether its name has been told.
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
    /// `is_new`: all that it did, it did since the last look.
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

    /// Bytes read from and written to disks since the last look, by the text of `/proc/PID/io`.
    pub fn moved(&mut self, io: &[u8]) -> u64 {
        let bytes = value(io, "read_bytes").zip(value(io, "write_bytes"));
        bytes.map_or(0, |(read, written)| self.moved_in_all(read + written))
    }

    /// The same, by what it has moved so far.
    pub fn moved_in_all(&mut self, bytes: u64) -> u64 {
        self.io.grew(bytes).unwrap_or(0)
    }

    /// The mean wait for a CPU since the last look and how many there were, by the text of
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
    pub stat: Option<Source>,
    pub io: Option<Source>,
}

/// Files of processes that are kept open at most: reading an open one costs a third, but the engine
/// needs descriptors for other things.
const KEPT: usize = 512;

/// Reads many small files, one after another.
#[derive(Debug, Default)]
pub struct Reader {
    path: PathBuf,
    buffer: Vec<u8>,
    /// Files that were left open since it began anew.
    open: usize,
}

impl Reader {
    /// From now on, files count that are left open.
    pub fn begin(&mut self) {
        self.open = 0;
    }

    /// Whose files are read next.
    pub fn enter(&mut self, proc: &Path, pid: u32) {
        self.path.clear();
        self.path.push(proc);
        self.path.push(pid.to_string());
    }

    /// The path of a file.
    pub fn path(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// What a file says; nothing if it is gone or forbidden.
    pub fn read(&mut self, file: &str) -> Option<&[u8]> {
        self.buffer.clear();
        File::open(self.path(file)).ok()?.read_to_end(&mut self.buffer).ok()?;
        Some(&self.buffer)
    }

    /// The same of a file that is kept open, or from now on, if there are not too many. That of a
    /// process which has ended says so; its number may have been given to another since.
    pub fn read_kept<'a>(
        &'a mut self,
        kept: &'a mut Option<Source>,
        file: &str,
    ) -> Option<&'a [u8]> {
        let same = kept.take().and_then(|mut source| source.read().is_ok().then_some(source));
        *kept = match same {
            None if self.open < KEPT => Some(Source::open_whole(&self.path(file)).ok()?),
            same => same,
        };
        let Some(source) = kept else { return self.read(file) };
        self.open += 1;
        Some(source.text())
    }
}
