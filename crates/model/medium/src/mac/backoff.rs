//! Contention windows: the range of backoffs after failures and successes.

use serde::{Deserialize, Serialize};

/// How the contention window follows failures and successes. Windows are the largest backoff in
/// slots: a window of 31 gives 0 to 31.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// Doubles after a failure, is the least after a success (IEEE 802.11-2007, 9.2.5.2).
    #[default]
    Binary,
    /// Always the least.
    Fixed,
    /// Grows by the least window after a failure, is the least after a success.
    Linear,
    /// Grows by half after a failure, shrinks by one slot after a success (MACAW; Bharghavan et al.
    /// 1994).
    Mild,
    /// Doubles after a failure, halves after a success (EIED; Song et al. 2003).
    Eied,
    /// The windows of this list, one after the other, after failures; the first after a success.
    Stages(Vec<u32>),
}

impl Backoff {
    /// Rejects a list without windows.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Stages(stages) if stages.is_empty() => {
                Err("`stages` has no window; write at least one, like `stages: [31, 63]`".into())
            }
            _ => Ok(()),
        }
    }
}

/// State of a contention window.
#[derive(Debug, Clone)]
pub(crate) struct Contention {
    backoff: Backoff,
    least: u32,
    most: u32,
    window: u32,
    /// Number of failures in a row.
    stage: usize,
}

impl Contention {
    pub fn new(backoff: Backoff, [least, most]: [u32; 2]) -> Self {
        let mut contention = Self { backoff, least, most, window: least, stage: 0 };
        contention.reset();
        contention
    }

    /// Returns the largest backoff that may be drawn now.
    pub fn window(&self) -> u32 {
        self.window
    }

    pub fn failed(&mut self) {
        self.stage += 1;
        let (window, least) = (self.window, self.least);
        let next = match &self.backoff {
            Backoff::Binary | Backoff::Eied => window.saturating_mul(2).saturating_add(1),
            Backoff::Fixed => least,
            Backoff::Linear => window.saturating_add(least).saturating_add(1),
            Backoff::Mild => window.saturating_add(window.div_ceil(2)),
            Backoff::Stages(stages) => {
                self.window = stages[self.stage.min(stages.len() - 1)];
                return;
            }
        };
        self.window = next.min(self.most);
    }

    pub fn succeeded(&mut self) {
        match self.backoff {
            Backoff::Mild => self.window = self.window.saturating_sub(1).max(self.least),
            Backoff::Eied => self.window = (self.window / 2).max(self.least),
            _ => self.reset(),
        }
        self.stage = 0;
    }

    /// Records that the frame is given up. Windows that remember more than one frame stay as they
    /// are.
    pub fn given_up(&mut self) {
        if !matches!(self.backoff, Backoff::Mild | Backoff::Eied) {
            self.reset();
        }
        self.stage = 0;
    }

    fn reset(&mut self) {
        self.stage = 0;
        self.window = match &self.backoff {
            Backoff::Stages(stages) => stages.first().copied().unwrap_or(self.least),
            _ => self.least,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the windows after eight failures, two successes, a failure, and giving up.
    fn windows(backoff: Backoff) -> Vec<u32> {
        let mut contention = Contention::new(backoff, [31, 1023]);
        let mut windows = vec![contention.window()];
        for _ in 0..6 {
            contention.failed();
            windows.push(contention.window());
        }
        for _ in 0..2 {
            contention.succeeded();
            windows.push(contention.window());
        }
        contention.failed();
        windows.push(contention.window());
        contention.given_up();
        windows.push(contention.window());
        windows
    }

    #[test]
    fn windows_follow_failures_and_successes_as_their_sources_say() {
        let binary = [31, 63, 127, 255, 511, 1023, 1023, 31, 31, 63, 31];
        assert_eq!(windows(Backoff::Binary), binary);
        assert_eq!(windows(Backoff::Fixed), [31; 11]);
        let linear = [31, 63, 95, 127, 159, 191, 223, 31, 31, 63, 31];
        assert_eq!(windows(Backoff::Linear), linear);
        let mild = [31, 47, 71, 107, 161, 242, 363, 362, 361, 542, 542];
        assert_eq!(windows(Backoff::Mild), mild);
        let eied = [31, 63, 127, 255, 511, 1023, 1023, 511, 255, 511, 511];
        assert_eq!(windows(Backoff::Eied), eied);
        let stages = [7, 15, 255, 255, 255, 255, 255, 7, 7, 15, 7];
        assert_eq!(windows(Backoff::Stages(vec![7, 15, 255])), stages);
    }
}
