//! Traffic conditioning in front of the queue (RFC 2475): packets are metered, and then pass, get
//! another DSCP, or are dropped.
//!
//! | file | what |
//! |---|---|
//! | `config` | what can be written: [`Condition`], [`Conditioner`], [`Action`] |
//! | `meter` | what can be written of meters: [`MeterConfig`]; which colour a packet gets |
//! | `bucket` | tokens, exactly |
//! | `process` | the conditioners of a running pipe |

mod bucket;
mod config;
mod meter;
mod process;

pub use config::{Action, Condition, Conditioner};
pub use meter::{Colour, MeterConfig, SrtcmConfig, TrtcmConfig};
pub(crate) use process::Conditioning;
