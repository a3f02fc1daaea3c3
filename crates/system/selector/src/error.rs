//! Why frames cannot be selected.

use std::io;

use thiserror::Error;

/// Why frames cannot be selected. What was made until then is taken back.
#[derive(Debug, Error)]
pub enum SelectorError {
    /// The programs do not fit into this kernel, or this process may not load them.
    #[error("cannot load the selector into the kernel: {0}")]
    Load(String),
    /// A program cannot be attached.
    #[error("cannot attach the selector to {device}: {why}")]
    Attach {
        /// The device.
        device: String,
        /// What the kernel says.
        why: String,
    },
    /// A table is full, or the kernel refuses an entry.
    #[error("cannot write a table of the selector: {0}")]
    Table(String),
    /// There is no such device, or it is none of Ethernet.
    #[error("cannot use {device}: {why}")]
    Device {
        /// The device.
        device: String,
        /// Why.
        why: String,
    },
    /// A TAP cannot be made.
    #[error("cannot {what} {device}")]
    Tap {
        /// What was tried.
        what: &'static str,
        /// The TAP.
        device: String,
        /// What the kernel says.
        source: io::Error,
    },
}

/// An error and what caused it, on one line; a verifier's log is left out.
pub(crate) fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        if !words.contains(line) {
            let colon = if words.is_empty() { "" } else { ": " };
            words = format!("{words}{colon}{line}");
        }
        next = error.source();
    }
    words
}
