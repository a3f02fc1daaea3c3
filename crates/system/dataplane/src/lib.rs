//! The real-time loop that joins the fabric to frame devices.
//!
//! | module | what lives there |
//! |---|---|
//! | `wiring` | what is joined to what: [`Wiring`], and how to run it: [`Options`] |
//! | `handle` | the running data plane as its owner sees it: [`Dataplane`] |
//! | `assembly` | putting a data plane together from its wiring |
//! | `rewiring` | links that come and go while it runs |
//! | `rebalancing` | links of workers that cannot bear them go to others |
//! | `partition` | which worker owns which links |
//! | `balance` | when links move to another worker, and which |
//! | `peers` | links to other machines: [`Tunnels`], [`PeerStatus`] |
//! | `peer_id` | which machine: [`PeerId`] |
//! | `worker_stats` | the CPU time of a worker, read without waking it |
//! | `worker` | a thread: waits, reads devices, releases frames, obeys commands |
//! | `answer` | answers of a worker to its owner |
//! | `worker_id` | which worker: [`WorkerId`] |
//! | `shard` | a worker's part of the network, and the devices at its ports |
//! | `recorder` | what is counted and shown of the frames there |
//! | `pipe_frame` | a frame as the link model and the fabric use it: [`PipeFrame`] |
//! | `heartbeat` | a sign of life of each worker: [`Heartbeat`] |
//! | `looking` | how often to look at devices that do not know when frames arrived |
//! | `wakeup_margin` | how long before a deadline to stop sleeping |
//! | `waiter`, `clock` | sleeping until something is due, what time it is |
//! | `memory` | how the process gets its memory from the kernel |
//! | `room` | how much memory there is for frames |
//! | `scheduling` | how urgent a worker is to the machine: [`Scheduling`], [`RealTimeBudget`] |
//! | `gate` | one timestamp for a batch of changes over several workers |
//! | `frame_log` | what happens to each frame, written by a thread of its own: [`FrameLog`] |
//! | `capture` | copies of frames at an interface, for a reader on another thread |
//! | `watch` | what goes wrong, reported to a monitor as it happens: [`Watch`] |
//! | `wakeup` | how late the machine wakes threads, and pauses of the engine |
//! | `thread_clock` | the CPU time of another thread |
//! | `timing` | how late frames were, and what was lost outside the model: [`Timing`] |
//!
//! A worker owns whole connected components (a link, or all links joined by switches), so no lock
//! and no hand-over is on the way of a frame. Not here: where frames go (`netloom-fabric`), the
//! link model (`netloom-link`), creating devices, and any notion of nodes.

mod answer;
mod assembly;
mod balance;
mod capture;
mod clock;
mod error;
mod frame_log;
mod gate;
mod handle;
mod heartbeat;
mod looking;
mod memory;
mod partition;
mod peer_id;
mod peers;
mod pipe_frame;
mod rebalancing;
mod recorder;
mod rewiring;
mod room;
mod scheduling;
mod shard;
mod thread_clock;
mod timing;
mod waiter;
mod wakeup;
mod wakeup_margin;
mod watch;
mod wiring;
mod worker;
mod worker_id;
mod worker_stats;

pub use answer::PipeStatus;
pub use capture::Capture;
pub use clock::Clock;
pub use error::DataplaneError;
pub use frame_log::{FrameLog, FrameLogSummary};
pub use handle::Dataplane;
pub use heartbeat::Heartbeat;
pub use looking::Looking;
pub use memory::take_memory_in_large_pieces;
pub use peer_id::PeerId;
pub use peers::{
    ClockFault, CrossedFrames, CrossedPipe, Doors, PeerStatus, Secret, Survey, Surveyed, Tunnels,
};
pub use pipe_frame::PipeFrame;
pub use rebalancing::{Overload, Rebalanced};
pub use rewiring::{Incoming, NotPutIn, Unwired};
pub use room::default_frame_memory;
pub use scheduling::{RealTimeBudget, Scheduling};
pub use timing::{DeviceFailure, LatencySummary, Timing, UnmodelledDrops, WorkerLoad};
pub use wakeup::measure_wake_ups;
pub use watch::{
    Anomaly, AnomalyKind, Common, FrameCounts, Limits, Loss, PipeLateness, PipeWork, Slack,
    Traffic, Watch, Work,
};
pub use wiring::{End, LinkWiring, Options, Wiring};
pub use worker_id::WorkerId;
