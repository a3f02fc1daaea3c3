//! Shared media: everything about one channel in one state machine in virtual time.
//!
//! A [`Medium`] holds who is there, what is on the air, what each station's MAC does, and what each
//! receives. Frames and `now` go in, frames and deadlines come out, as with a pipe of
//! `netloom-link`. Slots of 9 µs and answers after 10 µs exist in virtual time only: whoever drives
//! a medium late gets frames late, but no acknowledgement is missed for it.
//!
//! | module | what lives there |
//! |---|---|
//! | `medium` | the medium, which joins the rest: [`Medium`] |
//! | `config` | what a medium can be told: [`MediumConfig`], [`MediumChange`], [`StationConfig`] |
//! | `ids` | stations and receivers: [`StationId`], [`Receiver`] |
//! | `phy` | physical layers: times and rates: [`Phy`] |
//! | `mac` | when a station sends, a file for each protocol: [`Mac`] |
//! | `desk` | what a station has to send, and what became of it: [`Reception`], [`Dropped`] |
//! | `radio`, `rules` | which signal a station receives, and whether it senses a carrier |
//! | `air` | transmissions, and who hears them |
//! | `association` | which access point a station belongs to: [`AssociationConfig`] |
//! | `field` | who hears whom: positions, and the channel between them |
//! | [`arm`] | a medium driven by generators, as fast as it goes |
//! | `agenda` | what is due when |
//! | `draw` | random numbers that depend on what they decide only |
//! | `log` | what happens on the air, and its binary form: [`AirEvent`], [`AirLogWriter`] |
//! | `setup` | a medium as it is described: [`MediumSetup`] |
//! | `counters` | what is counted of each station: [`StationCounters`] |
//!
//! Not here: clocks, devices, frame contents, addresses; how stations move (`netloom-mobility`),
//! how signals get weaker (`netloom-radio`).

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
