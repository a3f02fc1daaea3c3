//! Interfaces of nodes, as the engine holds them.

use std::os::fd::OwnedFd;

/// An interface of a node, as the engine holds it: non-blocking, with a virtio-net header of 10
/// bytes before every frame, checksum and TCP segmentation offloads on.
///
/// A TAP device stays in its node when the descriptor is closed, and goes with the node.
#[derive(Debug)]
pub struct Device {
    /// The node's name.
    pub node: String,
    /// The interface's name.
    pub interface: String,
    /// The device.
    pub fd: OwnedFd,
    /// How the engine holds it.
    pub attachment: Attachment,
}

/// How the engine holds a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attachment {
    /// By the far end of a TAP.
    Tap,
    /// By the far end of a TAP whose interface is read by a kernel that takes no super-frames.
    TapOfSingles,
    /// By a packet socket ([`netloom_ports::PacketDevice`]): one of the machine's.
    Packet,
}
