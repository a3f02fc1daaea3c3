//! Prints messages of commands: the only place of the command line that writes messages to its
//! outputs.
//!
//! Messages contain foreign text: process names, output of programs, names from scenarios. Control
//! characters in it are escaped, so that no text moves the cursor or sends commands to the
//! terminal. An output whose reader is gone is no failure and interrupts no command; commands that
//! run for ever check [`is_closed`]. Not here: the streams of commands in nodes and captures, which
//! pass unchanged.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use netloom_api::progress::Progress;
use netloom_units::readable::plain;

/// The reason why standard output accepts nothing any more.
static REFUSED: OnceLock<io::Error> = OnceLock::new();

/// Whether notes are left out.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Prints to standard output. Replaces the standard library's macro of this name, which panics if
/// there is no reader.
macro_rules! print {
    ($($words:tt)*) => { $crate::output::print(format_args!($($words)*)) };
}

/// Prints a line to standard output, as `print!` does.
macro_rules! println {
    () => { $crate::output::print(format_args!("\n")) };
    ($($words:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints to standard error, as `print!` does to standard output.
macro_rules! eprint {
    ($($words:tt)*) => { $crate::output::warn(format_args!($($words)*)) };
}

/// Prints a line to standard error, as `eprint!` does.
macro_rules! eprintln {
    () => { $crate::output::warn(format_args!("\n")) };
    ($($words:tt)*) => { $crate::output::warn(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints a line to standard error, unless the command is quiet.
macro_rules! note {
    ($($words:tt)*) => {
        if !$crate::output::is_quiet() {
            $crate::output::warn(format_args!("{}\n", format_args!($($words)*)));
        }
    };
}

/// Leaves notes out from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes are left out.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether progress is printed as lines of JSON.
static LINES: AtomicBool = AtomicBool::new(false);

/// Prints progress as lines of JSON from now on.
pub fn be_lines() {
    LINES.store(true, Ordering::Relaxed);
}

/// Whether progress is printed as lines of JSON, and nothing else is to standard output.
pub fn is_lines() -> bool {
    LINES.load(Ordering::Relaxed)
}

/// Prints progress, if it is printed as lines of JSON.
pub fn progress(progress: impl FnOnce() -> Progress) {
    if is_lines() {
        // Progress is plain data, so it always has a JSON form.
        let line = serde_json::to_string(&progress()).unwrap_or_default();
        print(format_args!("{line}\n"));
    }
}

/// Prints to standard output. An error of writing is kept for [`outcome`].
pub fn print(words: Arguments<'_>) {
    write(plain(&words.to_string()).as_bytes());
}

/// Prints to standard error. There need not be a reader.
pub fn warn(words: Arguments<'_>) {
    let _ = io::stderr().write_all(plain(&words.to_string()).as_bytes());
}

/// Clears the screen for the text that is printed next.
pub fn clear_screen() {
    write(b"\x1b[H\x1b[2J");
}

/// Replaces the last line of standard error, which must be a terminal, by `text`.
pub fn replace_line(text: &str) {
    let mut stderr = io::stderr().lock();
    // There need not be a reader.
    let _ = write!(stderr, "\r\x1b[K{}", plain(text)).and_then(|()| stderr.flush());
}

/// Whether standard output accepts nothing any more.
pub fn is_closed() -> bool {
    REFUSED.get().is_some()
}

/// Returns the outcome of a command with the exit code `code`.
///
/// # Errors
/// If its output could not be written completely. It is no error if the reader closed it early.
pub fn outcome(code: i32) -> Result<i32> {
    match REFUSED.get() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            let error =
                error.raw_os_error().map_or(error.kind().into(), io::Error::from_raw_os_error);
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(code),
    }
}

/// Standard output for data, which pass unchanged. An error of writing is kept for [`outcome`].
#[derive(Debug)]
pub struct Data {
    /// Whether bytes that cannot be written are dropped without an error, since they are also
    /// written elsewhere.
    pub may_be_lost: bool,
}

impl Write for Data {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_closed() && self.may_be_lost {
            return Ok(bytes.len());
        }
        io::stdout().write(bytes).or_else(|error| {
            if error.kind() == ErrorKind::Interrupted {
                return Err(error);
            }
            let kind = error.kind();
            // The first reason stays.
            let _ = REFUSED.set(error);
            if self.may_be_lost { Ok(bytes.len()) } else { Err(kind.into()) }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        match io::stdout().flush() {
            Err(error) => {
                let kind = error.kind();
                let _ = REFUSED.set(error);
                if self.may_be_lost { Ok(()) } else { Err(kind.into()) }
            }
            Ok(()) => Ok(()),
        }
    }
}

fn write(bytes: &[u8]) {
    let mut stdout = Data { may_be_lost: true };
    // The error is kept.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_when_it_is_plain() {
        let name = "\u{1b}[31m\u{7f}\u{85}\u{202e}";
        let json = plain(&serde_json::to_string(name).unwrap()).into_owned();
        assert!(json.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }
}
