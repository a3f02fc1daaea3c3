//! Traffic conditioning in front of the queue (RFC 2475): packets are metered, and then pass, get
//! another DSCP, or are dropped.
//!
//! | file | what |
//! |---|---|
//! | `config` | the notation: [`Condition`], [`Conditioner`], [`Action`] |
//! | `meter` | the notation of meters: [`MeterConfig`]; the colour of a packet |
//! | `bucket` | token buckets, exactly |
//! | `process` | the conditioners of a running pipe |

mod bucket;
mod config;
mod meter;
mod process;

pub use config::{Action, Condition, Conditioner};
pub use meter::{Colour, MeterConfig, SrtcmConfig, TrtcmConfig};
pub(crate) use process::Conditioning;
