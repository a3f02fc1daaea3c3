//! Background traffic of a pipe: cross traffic that joins at the beginning of the line and leaves
//! at its end. Not here: traffic models (`netloom_traffic`), the pipe that it goes through.
//!
//! | file | what |
//! |---|---|
//! | `config` | the notation: [`Background`] |
//! | `process` | the arrivals of a running pipe |
//! | `fluid` | a rate that changes in steps, instead of frames |
//! | `line_frame` | the contents of a queue: offered frames and virtual ones |

mod config;
mod fluid;
mod line_frame;
mod process;

pub use config::{Background, BackgroundError, BackgroundFlow, Representation};
pub(crate) use fluid::FluidProcess;
pub(crate) use line_frame::{LineFrame, Virtual};
pub(crate) use process::{BackgroundProcess, Due};
