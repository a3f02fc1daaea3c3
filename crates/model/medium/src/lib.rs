//! Shared media: one state machine in virtual time holds everything about one channel.
//!
//! A [`Medium`] holds the stations, the transmissions on the air, the state of each station's MAC,
//! and the signals that each station receives. The caller passes frames and `now`, and gets frames
//! and deadlines, as with a pipe of `netloom-link`. Slots of 9 µs and answers after 10 µs exist in
//! virtual time only. A caller that polls late gets its frames late, but no acknowledgement is
//! missed because of it.
//!
//! | module | contents |
//! |---|---|
//! | `medium` | the medium, which joins the other modules: [`Medium`] |
//! | `config` | the configuration of a medium: [`MediumConfig`], [`MediumChange`],
//! [`StationConfig`] |
//! | `ids` | stations and receivers: [`StationId`], [`Receiver`] |
//! | `phy` | physical layers, their times and rates: [`Phy`] |
//! | `mac` | medium access control, one protocol in each file: [`Mac`] |
//! | `desk` | the frames that a station sends, and their outcomes: [`Reception`], [`Dropped`] |
//! | `radio`, `rules` | which signal a station receives, and whether it senses a carrier |
//! | `air` | transmissions and their hearers |
//! | `association` | which access point a station belongs to: [`AssociationConfig`] |
//! | `field` | positions of stations, and the channel between them |
//! | [`arm`] | a medium that generators drive as fast as it can run |
//! | `agenda` | a heap of times at which events are due |
//! | `draw` | random numbers that depend only on the decision that they are for |
//! | `log` | events on the air, and their binary form: [`AirEvent`], [`AirLogWriter`] |
//! | `setup` | the description of a medium: [`MediumSetup`] |
//! | `counters` | counters of each station: [`StationCounters`] |
//!
//! This crate has no clocks, devices, frame contents or addresses. `netloom-mobility` moves the
//! stations, and `netloom-radio` computes path losses.

mod agenda;
mod air;
pub mod arm;
mod association;
mod config;
mod counters;
mod desk;
mod draw;
mod field;
mod ids;
mod log;
mod mac;
mod medium;
mod phy;
mod radio;
mod rules;
mod setup;

pub use association::{AssociationChange, AssociationConfig, AssociationEvent};
pub use config::{
    Capture, CaptureWhen, Lock, MediumChange, MediumConfig, MediumProperties, Movement,
    ReceptionRule, Setting, StationConfig, StationProperties,
};
pub use counters::{FrameLoss, Losses, StationCounters};
pub use desk::{Dropped, Reception, Rejected, Sniffed};
pub use ids::{Receiver, StationId};
pub use log::{
    AIR_LOG_VERSION, AirEvent, AirLogError, AirLogHeader, AirLogReader, AirLogWriter,
    AirOccurrence, SentRecord, is_air_log,
};
pub use mac::{
    AlohaConfig, ArfConfig, Backoff, CableConfig, CableShape, Collisions, CsmaCdConfig, DcfConfig,
    EmacConfig, Kind, Mac, NoMacConfig, PairConfig, RateControl, Retry, RtsThreshold, SlotOrder,
    TdmaConfig, Window,
};
pub use medium::{Medium, NeighbourChange, NeighbourView};
pub use netloom_mobility::{Point, Trajectory};
pub use netloom_radio::{Antenna, RadioError};
pub use phy::{Phy, Preamble};
pub use setup::{MediumSetup, StationView};
