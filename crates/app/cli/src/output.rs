//! What commands print: the only place of the command line that writes messages to its outputs.
//!
//! Messages carry text of others: process names, output of programs, names from scenarios. Control
//! characters in them are written out, so that no text moves the cursor or talks to the terminal.
//! An output that nobody reads any more is no failure and ends no command in its middle; commands
//! that go on for ever ask [`is_closed`]. Not here: the streams of commands in nodes and captures,
//! which pass as they are.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use netloom_units::readable::plain;

/// Why standard output takes nothing any more.
static REFUSED: OnceLock<io::Error> = OnceLock::new();

/// Prints to standard output, in the place of the macro of this name of the standard library, which
/// panics where nobody reads.
macro_rules! print {
    ($($words:tt)*) => { $crate::output::print(format_args!($($words)*)) };
}

/// Prints a line to standard output, in the same way.
macro_rules! println {
    () => { $crate::output::print(format_args!("\n")) };
    ($($words:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints to standard error, in the same way.
macro_rules! eprint {
    ($($words:tt)*) => { $crate::output::warn(format_args!($($words)*)) };
}

/// Prints a line to standard error, in the same way.
macro_rules! eprintln {
    () => { $crate::output::warn(format_args!("\n")) };
    ($($words:tt)*) => { $crate::output::warn(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints to standard output. What cannot be written is kept for [`outcome`].
pub fn print(words: Arguments<'_>) {
    write(plain(&words.to_string()).as_bytes());
}

/// Prints to standard error. Nobody has to listen.
pub fn warn(words: Arguments<'_>) {
    let _ = io::stderr().write_all(plain(&words.to_string()).as_bytes());
}

/// Clears the screen for what is printed next.
pub fn clear_screen() {
    write(b"\x1b[H\x1b[2J");
}

/// Puts `text` in the place of the last line of standard error, which must be a terminal.
pub fn replace_line(text: &str) {
    let mut stderr = io::stderr().lock();
    // Nobody has to listen.
    let _ = write!(stderr, "\r\x1b[K{}", plain(text)).and_then(|()| stderr.flush());
}

/// Whether nothing that is printed arrives any more.
pub fn is_closed() -> bool {
    REFUSED.get().is_some()
}

/// The outcome of a command with the exit code `code`.
///
/// # Errors
/// If not all of what it printed could be written; not if its reader did not want all of it.
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

/// Standard output for data, which passes as it is. Why it takes nothing any more is kept for
/// [`outcome`].
#[derive(Debug)]
pub struct Data {
    /// Whether what cannot be written is forgotten, since the same goes elsewhere, too.
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
            // The first reason stands.
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
    // Why it failed is kept.
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
