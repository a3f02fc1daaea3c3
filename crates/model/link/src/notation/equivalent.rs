//! The queue disciplines of Linux that are equivalent to a pipe, as commands.

use netloom_units::{Duration, Rate, Size};

use super::tc_child::TcChild;
use crate::queue::QueueLimit;

/// The queue disciplines of Linux that are equivalent to a pipe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TcEquivalent {
    /// Options of netem, as [`Netem`](super::Netem) parses them; empty if netem is not needed.
    pub netem: String,
    /// Options of tbf, as [`Tbf`](super::Tbf) parses them; empty if tbf is not needed.
    pub tbf: String,
    /// The queue discipline below the token bucket, if it is not a plain queue.
    pub child: Option<TcChild>,
    /// Features of the pipe that the commands do not have.
    pub missing: Vec<String>,
    /// Features that the commands implement differently.
    pub differences: Vec<String>,
}

impl TcEquivalent {
    /// Returns the commands for interface `device`.
    pub fn commands(&self, device: &str) -> Vec<String> {
        let mut commands = Vec::new();
        let (netem, tbf) = (&self.netem, &self.tbf);
        let is_alone = tbf.is_empty() || (netem.is_empty() && self.child.is_none());
        let mut place = "root".to_owned();
        for (handle, kind, options) in [(1, "netem", netem), (2, "tbf", tbf)] {
            if options.is_empty() {
                continue;
            }
            if !is_alone {
                place.push_str(&format!(" handle {handle}:"));
            }
            commands.push(format!("tc qdisc add dev {device} {place} {kind} {options}"));
            place = format!("parent {handle}:1");
        }
        if let Some(child) = &self.child {
            commands.extend(child.commands(device, &place));
        }
        commands
    }

    pub(super) fn option(&mut self, option: &str) {
        if !self.netem.is_empty() {
            self.netem.push(' ');
        }
        self.netem.push_str(option);
    }

    pub(super) fn misses(&mut self, what: impl Into<String>) {
        self.missing.push(what.into());
    }

    pub(super) fn differs(&mut self, how: impl Into<String>) {
        self.differences.push(how.into());
    }
}

/// Limit of a queue, as time at its rate, if tc cannot have the link's limit.
pub(super) const WITHOUT_LIMIT: Duration = Duration::from_millis(100);

/// Returns the limit for a discipline `kind` of tc that counts bytes.
pub(super) fn limit_in_bytes(
    limit: QueueLimit,
    rate: Rate,
    kind: &str,
    tc: &mut TcEquivalent,
) -> Size {
    match limit {
        QueueLimit::Bytes(size) => size,
        QueueLimit::Time(time) => {
            tc.differs("the queue's limit in time is one in bytes, at this rate");
            tc.misses("a queue limit that follows the rate");
            rate.bytes_in(time)
        }
        QueueLimit::Default | QueueLimit::Packets(_) => {
            tc.misses(format!(
                "the queue's limit: {kind} counts bytes; {WITHOUT_LIMIT} at the rate stand instead"
            ));
            rate.bytes_in(WITHOUT_LIMIT)
        }
    }
}
