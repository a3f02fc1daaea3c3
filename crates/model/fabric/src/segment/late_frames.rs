//! How much later frames leave a shared medium because they, or others, were offered to it late.
//! Not here: how late that was, which the pipes in front of the medium know.
//!
//! The stations of a medium take turns, as frames on a line do: while it has frames to send, a
//! frame that was offered `u` late moves all that come behind it by `u` at most. When all of them
//! have left, the delay is over. A frame that was itself offered in time waits behind late ones at
//! most for as long as it was in the medium. What chance would have decided otherwise (backoff,
//! collisions) is not counted: it is as likely to be earlier.

use std::collections::VecDeque;
use std::fmt::Debug;

use netloom_link::Frame;
use netloom_medium::Medium;
use netloom_units::{Duration, Time};

/// The late frames since the medium last had no frame.
#[derive(Debug, Default)]
pub(super) struct LateFrames {
    /// When frames were offered that had been here before, and by how much.
    late: VecDeque<(Time, Duration)>,
    /// The largest of these times.
    most: Duration,
}

/// Most late frames that are remembered one by one. Beyond them, all frames count as late as the
/// latest.
const MOST: usize = 4096;

impl LateFrames {
    /// Observes that a frame is about to be offered to `medium` at `at`, and may have been here
    /// earlier by `uncertainty`.
    pub fn offered<F: Frame>(&mut self, at: Time, uncertainty: Duration, medium: &Medium<F>) {
        if self.most == Duration::ZERO && uncertainty == Duration::ZERO {
            return;
        }
        if medium.is_empty() {
            *self = Self::default();
        }
        if uncertainty > Duration::ZERO {
            self.most = self.most.max(uncertainty);
            if self.late.len() < MOST {
                self.late.push_back((at, uncertainty));
            }
        }
    }

    /// Returns how much earlier a frame may have left that was `offered` and `released` then.
    pub fn shift(&self, offered: Time, released: Time) -> Duration {
        if self.most == Duration::ZERO {
            return Duration::ZERO;
        }
        let own = self.late.iter().filter(|(at, _)| *at == offered).map(|(_, late)| *late).max();
        let own = match own {
            None if self.late.len() == MOST => self.most,
            own => own.unwrap_or_default(),
        };
        self.most.min(own + released.since(offered))
    }
}
