//! The terminal while the page is on it. Whatever happens, it is as before afterwards.

use std::io;
use std::thread;

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, raise};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::drawing::draw;
use super::model::Model;

/// The terminal in raw mode and with its other screen, until this value goes or the program panics.
pub struct Screen(Option<DefaultTerminal>);

impl Screen {
    /// Takes the terminal.
    pub fn enter() -> Result<Self> {
        let entered = ratatui::try_init();
        if entered.is_err() {
            restore();
        }
        Ok(Self(Some(entered.context("cannot use the terminal for a page")?)))
    }

    /// Draws the page.
    pub fn draw(&mut self, model: &mut Model) -> Result<()> {
        let Some(terminal) = &mut self.0 else { return Ok(()) };
        let drawn = terminal.draw(|frame| draw(frame, model));
        drawn.map(drop).context("cannot draw on the terminal")
    }

    /// Gives the terminal back.
    pub fn leave(&mut self) {
        if self.0.take().is_some() {
            restore();
        }
    }

    /// Gives the terminal back while this program is stopped, as Ctrl-Z stops others.
    pub fn pause(&mut self) -> Result<()> {
        self.leave();
        raise(Signal::SIGTSTP).context("cannot stop")?;
        *self = Self::enter()?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

fn restore() {
    // Nothing can be done about a terminal that is gone.
    let _ = ratatui::try_restore();
}

/// Returns keys and changes of the size as they come. A thread waits for them for as long as the
/// program runs.
pub fn inputs() -> Result<UnboundedReceiver<io::Result<Event>>> {
    let (inputs, came) = unbounded_channel();
    let read = move || {
        loop {
            let input = event::read();
            let is_last = input.is_err();
            if inputs.send(input).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".into()).spawn(read).context("cannot read keys")?;
    Ok(came)
}
