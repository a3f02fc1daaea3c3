//! The treatment of frames that come when a queue is full. Not here: the limit (`limit`).

use serde::{Deserialize, Serialize};

use super::config::Discipline;
use super::fifo::{DropFrom, FifoConfig};
use crate::{PipeConfig, RateLimit};

/// The treatment of frames that come when a queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// The discipline drops a frame.
    #[default]
    Drop,
    /// Nothing is dropped. The source of the frames waits until
    /// [`Pipe::is_full`](crate::Pipe::is_full) returns `false` (backpressure; Maier 2011,
    /// §2.2.2.3).
    Wait,
}

impl WhenFull {
    /// Whether frames are dropped.
    pub fn drops(&self) -> bool {
        *self == Self::Drop
    }

    /// Checks that a pipe with `config` can make the source of its frames wait. The source must
    /// know when the line takes the next frame. So the rate must be constant, only its frames may
    /// be on the line, and no discipline may drop them.
    ///
    /// # Errors
    /// The error is the obstacle, with advice.
    pub fn check(config: &PipeConfig) -> Result<(), String> {
        if config.queue.full == Self::Drop {
            return Ok(());
        }
        let nothing = PipeConfig::default();
        let overhead = config.mac_overhead.values().is_some_and(|profile| !profile.is_empty());
        let problem = match &config.rate {
            RateLimit::Limited(_) if config.background != nothing.background => {
                "`background` takes a share of the line that its interface cannot know; leave it \
                 out"
            }
            RateLimit::Limited(_) if overhead => {
                "`mac_overhead` makes the line slower than its `rate`; leave it out"
            }
            RateLimit::Limited(_) => match config.queue.discipline {
                Discipline::Fifo(FifoConfig { drop: DropFrom::Tail }) => return Ok(()),
                _ => {
                    "frames wait in the node, and a discipline of the pipe would never drop any; \
                     give that discipline to the node's interface (`tc qdisc replace dev NAME \
                     parent 1:1 \u{2026}`), or leave `full` out"
                }
            },
            RateLimit::Unlimited => "without a `rate` no frame ever waits; add one",
            RateLimit::Trace(_) | RateLimit::Schedule(_) => {
                "its interface is paced at one rate; give a constant `rate`"
            }
        };
        Err(problem.into())
    }
}
