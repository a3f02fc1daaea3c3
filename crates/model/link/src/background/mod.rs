//! Background traffic of a pipe: cross traffic that joins at the beginning of the line and leaves
//! at its end. Not here: traffic models (`netloom_traffic`), the pipe that it goes through.
//!
//! | file | what |
//! |---|---|
//! | `config` | the notation: [`Background`] |
//! | `process` | the arrivals of a running pipe |
//! | `fluid` | a rate that changes in steps, instead of frames |
//! | `carried` | the contents of a queue: offered frames and virtual ones |

mod carried;
mod config;
mod fluid;
mod process;

pub(crate) use carried::{Carried, Virtual};
pub use config::{Background, BackgroundError, BackgroundFlow, Representation};
pub(crate) use fluid::FluidProcess;
pub(crate) use process::{BackgroundProcess, Due};
