//! Interfaces of nodes, as descriptors in the engine.

use std::os::fd::OwnedFd;

/// The engine's end of a node's interface: non-blocking, with a virtio-net header of 10 bytes
/// before every frame, checksum and TCP segmentation offloads enabled.
///
/// A TAP device stays in its node when the descriptor is closed, and is removed with the node.
#[derive(Debug)]
pub struct Device {
    /// Name of the node.
    pub node: String,
    /// Name of the interface.
    pub interface: String,
    /// Descriptor of the device.
    pub fd: OwnedFd,
    /// Kind of the descriptor.
    pub attachment: Attachment,
}

/// Kind of a device's descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attachment {
    /// The far end of a TAP.
    Tap,
    /// The far end of a TAP whose interface belongs to a kernel that accepts no super-frames.
    TapOfSingles,
    /// The far end of a TAP at which each frame is as on a wire.
    TapOfWireFrames,
    /// A packet socket ([`netloom_ports::PacketDevice`]) on a device of the machine.
    Packet,
}
