//! Frame devices, which connect the engine to interfaces.
//!
//! | module | contents |
//! |---|---|
//! | `device` | the trait [`FrameDevice`] and its errors |
//! | `fitted` | a stage in front of devices that lack an offload: [`fitted()`] |
//! | `frame`, `pool`, `charge` | a frame in memory, the buffers that frames live in, accounting |
//! | `shared` | a device with such a share: [`Shared`] |
//! | `share` | how much memory the frames of one device may take: [`Share`] |
//! | `virtio` | the virtio-net header in front of every frame |
//! | `layout` | positions of the headers of a super-frame; rejects malformed ones |
//! | `segment` | cuts super-frames into wire-size frames |
//! | `edit` | completes checksums, flips bits, marks congestion |
//! | `tag` | reads, inserts and removes VLAN tags |
//! | `checksum` | finishes or adjusts Internet checksums |
//! | `arrival_stamp` | when frames arrived, stamped by the kernel |
//! | `tap` | the kernel's TAP device |
//! | `plain_tap` | a TAP device that delivers whole frames only |
//! | `packet_device` | any Ethernet interface, read and written as its driver would |
//! | `packet_sender` | sends frames on an interface, for a program in its node |
//! | `tcp_info` | what the kernel knows of a TCP connection: [`tcp_info()`] |
//! | `writing` | writes a frame to a descriptor |
//! | `datagram_socket` | UDP datagrams, many in one call: [`DatagramSocket`] |
//! | `packet_socket` | all frames that pass an interface, as the kernel shows them to sniffers |
//! | `offload` | the work that a TAP device may leave to the engine |
//! | `memory` | a device in memory, for tests |
//!
//! `virtio`, `layout`, `segment` and `checksum` are pure: bytes in, bytes out. Not here: creating
//! and configuring devices, timing, and what happens to a frame between two devices.

mod arrival_stamp;
mod charge;
pub mod checksum;
mod datagram_socket;
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
mod share;
mod shared;
mod tag;
mod tap;
mod tcp_info;
mod virtio;
mod writing;

pub use arrival_stamp::{ArrivalStamp, monotonic};
pub use datagram_socket::{Arrived, DATAGRAMS_BYTES, DatagramSocket, Unsent};
pub use device::{Capabilities, Carrier, DevicePlace, FrameDevice, Offload, SendError};
pub use fitted::fitted;
pub use frame::{Frame, FrameBuffer, HEAD_BYTES, TAIL_BYTES};
pub use layout::{Malformed, Shape, SuperFrame, Transport};
pub use offload::{disable_offloads, enable_offloads};
pub use packet_device::{Losses, PacketDevice};
pub use packet_sender::PacketSender;
pub use packet_socket::{PacketSocket, Passed, Passing};
pub use plain_tap::PlainTap;
pub use pool::Pool;
pub use segment::split;
pub use share::Share;
pub use shared::Shared;
pub use tap::Tap;
pub use tcp_info::{TcpInfo, tcp_info};
pub use virtio::{GsoKind, HEADER_BYTES, VirtioHeader};
