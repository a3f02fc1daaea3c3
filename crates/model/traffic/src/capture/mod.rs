//! Captures, read frame by frame: `replay` sends their frames, and `trace` uses their times.
//! Captures come from outside. Whatever they contain, they are read in bounded memory or refused.
//!
//! | file | contents |
//! |---|---|
//! | `input` | bytes of a capture, and why they cannot be read |
//! | `reader` | pcap and pcapng: [`CaptureReader`] |
//! | `pcapng` | blocks of pcapng |
//! | `arrivals` | times and lengths of frames: [`arrivals()`] |
//! | `rewriting` | replaces addresses in a frame and updates checksums: [`Rewriter`] |
//! | `packet`, `checksum` | finds the headers of a packet, and sums over them |
//! | `survey` | whether a whole capture can be sent: [`Survey`] |
//!
//! Not here: opening files, sending, clocks.

mod arrivals;
mod checksum;
mod input;
mod packet;
mod pcapng;
mod reader;
mod rewriting;
mod survey;

pub use arrivals::{NoArrivals, arrivals};
pub use input::{CaptureError, LinkType, RecordedFrame};
pub use reader::{CaptureReader, is_capture};
pub use rewriting::{Addressed, FrameFault, Rewriter};
pub use survey::{Survey, Unsendable, packet_bytes};
