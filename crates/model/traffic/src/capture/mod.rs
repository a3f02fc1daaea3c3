//! Captures, frame by frame: what `replay` sends, and `trace` takes for arrivals. Captures come
//! from outside: whatever is in them, they are read in bounded memory, or refused.
//!
//! | file | what |
//! |---|---|
//! | `reader` | pcap and pcapng: [`CaptureReader`] |
//! | `pcapng` | blocks of pcapng |
//! | `arrivals` | when frames came, and how long they were: [`arrivals()`] |
//! | `rewriting` | other addresses in a frame, and the checksums that follow: [`Rewriter`] |
//! | `packet`, `checksum` | where the headers of a packet are, and sums over them |
//! | `survey` | whether a whole capture can be sent: [`Survey`] |
//!
//! Not here: opening files, sending, clocks.

mod arrivals;
mod checksum;
mod packet;
mod pcapng;
mod reader;
mod rewriting;
mod survey;

pub use arrivals::{NoArrivals, arrivals};
pub use reader::{CaptureError, CaptureReader, LinkType, RecordedFrame, is_capture};
pub use rewriting::{Addressed, FrameFault, Rewriter};
pub use survey::{Survey, Unsendable, packet_bytes};
