//! The link model: what happens to a frame between two interfaces.
//!
//! A [`Pipe`] is one direction of a link, a state machine in virtual time: frames and `now` go in,
//! frames and deadlines come out. The data plane drives it from the machine's clock, a simulation
//! from its event queue; both run this code.
//!
//! | module | what lives there |
//! |---|---|
//! | `config` | the configuration of a pipe and changes to it: [`PipeConfig`], [`PipeChange`] |
//! | `direction` | the two directions of a link: [`Direction`] |
//! | `frame` | the properties of a frame that a pipe uses: [`FrameInfo`], [`DropReason`] |
//! | `pipe` | the pipe, which joins the stages below |
//! | `lean` | a pipe in less memory, for simulations: [`LeanPipe`] |
//! | `crossing` | the far end of a pipe whose near end is elsewhere: [`Inlet`], [`Cut`] |
//! | `early` | losses in front of the queue, on request: [`EarlyLoss`] |
//! | `background` | cross traffic, as virtual frames or as a fluid: [`Background`] |
//! | `condition` | traffic conditioning in front of the queue: [`Condition`] |
//! | `queue`, `line`, `channel`, `flight` | the stages: waiting, serialization, loss, propagation |
//! | `receiver` | the longest frame that the far end takes |
//! | `stall_delay` | how much later frames leave the line because they were offered late |
//! | `statistics` | the counters of a pipe: [`PipeStatistics`] |
//! | `log` | the events of each frame, and their binary form: [`FrameEvent`], [`LogEncoder`] |
//! | `address` | IP prefixes: [`IpPrefix`] |
//! | [`notation`] | the notations of tc and dummynet |
//! | `segment` | the port of a switch by which a frame leaves, and its VLAN: [`LearningTable`], [`VlanBridge`] |
//!
//! Not here: clocks, threads, devices, frame contents (a pipe carries any `F` and uses only the
//! methods of [`Frame`]). A pipe allocates while its buffers grow to the size that the traffic
//! needs, and no more afterwards.

mod address;
mod background;
mod capture;
mod channel;
mod condition;
mod config;
mod crossing;
mod direction;
mod early;
mod flight;
mod frame;
mod header;
mod lean;
mod line;
mod log;
pub mod notation;
mod pipe;
mod queue;
mod receiver;
mod segment;
mod stall_delay;
mod statistics;

pub use address::{AddressError, IpPrefix, Ipv4Prefix, Ipv6Prefix};
pub use background::{Background, BackgroundError, BackgroundFlow, Representation};
pub use capture::{CaptureDirection, CaptureNote, CapturedFrame};
pub use channel::{BitErrorRate, BitErrors, FourState, GilbertElliott, Loss, LossPattern};
pub use condition::{
    Action, Colour, Condition, Conditioner, MeterConfig, SrtcmConfig, TrtcmConfig,
};
pub use config::*;
pub use crossing::{Cut, Inlet};
pub use direction::Direction;
pub use early::EarlyLoss;
pub use flight::{
    Compensation, Delay, DelayPoint, DelaySchedule, DistributionTable, Jitter, JitterDistribution,
    Offsets, Reorder, Reordering, least_propagation, least_propagation_ever,
};
pub use frame::{DropReason, Frame, FrameInfo, Passage};
pub use header::{Ecn, Header};
pub use lean::{FrameSlots, LeanPipe};
pub use line::{OPPORTUNITY_BYTES, OverheadPoint, OverheadProfile, RateTrace};
pub use log::{
    FrameEvent, LOG_VERSION, LogDecoder, LogEncoder, LogEntry, LogError, LogHeader, Occurrence,
};
pub use netloom_traffic::Emission;
pub use netloom_units::{
    Data, DataError, DataFile, DataFormat, FileError, FileFault, Framing, MAX_VALUES, RateSchedule,
    ScheduleStep, SharedData, Stream, check_count, lines, quoted,
};
pub use pipe::{Announced, COALESCING_BOUND, Delivery, Dropped, Pipe, Rejected};
pub use queue::{
    ByDscp, ClassConfig, ClassMatch, CodelConfig, Discipline, DropFrom, DrrConfig, Dscp, Dscps,
    DualPi2Config, Ecns, FifoConfig, FqCodelConfig, FrameQueue, PieConfig, Ports, Prefix,
    PrioConfig, QueueChange, QueueConfig, QueueLimit, QueuedFrame, RedConfig, RedThresholds,
    StepConfig, UpperLayer, Wf2qConfig, WhenFull,
};
pub use segment::{
    AGEING, Classified, Forward, JoinedSwitches, LearningTable, MacKey, PortVlans, Tag, Trunk, Vid,
    VlanBridge, VlanDrop, VlanDrops, VlanSet,
};
pub use statistics::{
    AqmState, BackgroundStatistics, Count, DelayStatistics, Delays, DropStatistics, Glance,
    Histogram, PipeStatistics, QueueStatistics, Window, WindowError,
};
