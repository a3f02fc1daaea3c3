//! The user's terminal.

use std::io::{self, IsTerminal};

use netloom_api::exec::TerminalSize;
use nix::sys::termios::{self, SetArg, Termios};

/// Returns the size of the terminal at standard output, or 24 × 80 if it is none.
pub fn size() -> TerminalSize {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_row > 0 => TerminalSize { rows: size.ws_row, columns: size.ws_col },
        _ => TerminalSize { rows: 24, columns: 80 },
    }
}

/// Raw mode at standard input, while this value lives.
pub struct Raw {
    before: Termios,
}

impl Raw {
    /// Enters raw mode. Returns `None` if standard input is no terminal.
    pub fn enter() -> io::Result<Option<Self>> {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return Ok(None);
        }
        let before = termios::tcgetattr(&stdin)?;
        let mut raw = before.clone();
        termios::cfmakeraw(&mut raw);
        termios::tcsetattr(&stdin, SetArg::TCSANOW, &raw)?;
        Ok(Some(Self { before }))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = termios::tcsetattr(io::stdin(), SetArg::TCSANOW, &self.before);
    }
}
