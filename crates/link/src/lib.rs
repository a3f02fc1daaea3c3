//! The link model.
mod config;
pub use config::*;
