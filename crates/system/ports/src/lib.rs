//! Frame devices: where the engine meets an interface.
//!
//! | module | what lives there |
//! |---|---|
//! | `device` | the trait [`FrameDevice`] and its errors |
//! | `fitted` | a stage in front of devices that lack an offload: [`fitted()`] |
//! | `frame`, `pool`, `charge` | a frame in memory, the buffers that frames live in, who pays |
//! | `virtio` | the virtio-net header in front of every frame |
//! | `layout` | where the headers of a super-frame are; rejects what is not well-formed |
//! | `segment` | super-frames cut into wire-size frames |
//! | `edit` | checksums completed, bits flipped, congestion marked |
//! | `tag` | VLAN tags read, put in and taken out |
//! | `checksum` | Internet checksums, finished or adjusted |
//! | `tap` | the kernel's TAP device |
//! | `plain_tap` | the same for who wants whole frames only |
//! | `packet_device` | any interface of Ethernet, read and written as its driver would |
//! | `packet_sender` | frames put on an interface by a program in its node |
//! | `writing` | a frame written to a descriptor |
//! | `packet_socket` | everything that passes an interface, as the kernel shows it to sniffers |
//! | `offload` | what a TAP device may leave to the engine |
//! | `memory` | a device in memory, for tests |
//!
//! `virtio`, `layout`, `segment` and `checksum` are pure: bytes in, bytes out. Not here: creating
//! and configuring devices, timing, and what happens to a frame between two devices.

mod charge;
pub mod checksum;
mod device;
mod edit;
mod fitted;
mod frame;
mod layout;
pub mod memory;
mod offload;
mod packet_device;
mod packet_sender;
mod packet_socket;
mod plain_tap;
mod pool;
mod segment;
mod tag;
mod tap;
mod virtio;
mod writing;

pub use device::{Capabilities, Carrier, FrameDevice, Offload, SendError};
pub use fitted::fitted;
pub use frame::{Frame, FrameBuffer, HEAD_BYTES, TAIL_BYTES};
pub use layout::{Malformed, Shape, SuperFrame, Transport};
pub use offload::enable_offloads;
pub use packet_device::{Losses, PacketDevice};
pub use packet_sender::PacketSender;
pub use packet_socket::{PacketSocket, Passed, Passing};
pub use plain_tap::PlainTap;
pub use pool::Pool;
pub use segment::split;
pub use tap::Tap;
pub use virtio::{GsoKind, HEADER_BYTES, VirtioHeader};
