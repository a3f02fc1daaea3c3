//! Errors of the selection of frames.

use std::io;

use thiserror::Error;

/// An error of the selection of frames. Partial changes have been undone.
#[derive(Debug, Error)]
pub enum SelectorError {
    /// The programs do not fit this kernel, or this process may not load them.
    #[error("cannot load the selector into the kernel: {0}")]
    Load(String),
    /// A program cannot be attached.
    #[error("cannot attach the selector to {device}: {why}")]
    Attach {
        /// The device.
        device: String,
        /// Error of the kernel.
        why: String,
    },
    /// A table is full, or the kernel refuses an entry.
    #[error("cannot write a table of the selector: {0}")]
    Table(String),
    /// Reservations need cgroups of version 2.
    #[error(
        "there are no cgroups of version 2 here, by which ports are reserved: mount them \
             (`mount -t cgroup2 none /sys/fs/cgroup`), enter a namespace by `nsenter --net` and \
             not by `ip netns exec`, which hides them, or leave `reserve` out"
    )]
    NoCgroups,
    /// The device does not exist, or is not an Ethernet device.
    #[error("cannot use {device}: {why}")]
    Device {
        /// The device.
        device: String,
        /// Reason.
        why: String,
    },
    /// A TAP cannot be created.
    #[error("cannot {what} {device}")]
    Tap {
        /// Action that failed.
        what: &'static str,
        /// The TAP.
        device: String,
        /// Error of the kernel.
        source: io::Error,
    },
}

/// Formats an error and its causes on one line, without the verifier's log.
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
