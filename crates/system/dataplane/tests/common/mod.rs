//! Data planes with devices in memory, shared by the tests.
#![allow(dead_code)]

use std::time::{Duration, Instant};

use netloom_dataplane::{Dataplane, End, Limits, LinkWiring, Options, Wiring};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, PipeChange, PipeConfig, PipeStatistics};
use netloom_ports::memory::{self, MemoryPeer};
use netloom_ports::{GsoKind, VirtioHeader};

/// Limits that nothing exceeds.
pub const PATIENT: Limits = Limits {
    tolerance: netloom_units::Duration::from_secs(1000),
    needed: netloom_units::Duration::from_millis(1),
    pause: netloom_units::Duration::from_secs(1000),
};

/// Enough time for any machine; nothing waits for so long unless something is broken.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Time after which nothing is assumed to arrive.
pub const NOTHING: Duration = Duration::from_millis(30);

pub fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).expect("a valid change")
}

pub fn config(text: &str) -> PipeConfig {
    let mut config = PipeConfig::default();
    change(text).apply_to(&mut config);
    config
}

pub fn forward(link: u32) -> PipeId {
    PipeId { link: LinkId(link), direction: Direction::Forward }
}

pub fn reverse(link: u32) -> PipeId {
    PipeId { link: LinkId(link), direction: Direction::Reverse }
}

/// Creates a link whose two pipes have the same configuration. [`wiring`] gives it its identity.
pub fn link(name: &str, ends: [End; 2], text: &str) -> LinkWiring {
    let (id, pipes) = (LinkId(0), [config(text), config(text)]);
    LinkWiring { id, name: name.into(), ends, pipes, mtus: [None; 2], peer: None }
}

/// Wires links whose identities are their positions.
pub fn wiring(links: impl IntoIterator<Item = LinkWiring>) -> Wiring {
    let links = links.into_iter().zip(0..);
    Wiring { links: links.map(|(link, id)| LinkWiring { id: LinkId(id), ..link }).collect() }
}

pub fn device() -> (End, MemoryPeer) {
    device_of(4096)
}

pub fn device_of(capacity: usize) -> (End, MemoryPeer) {
    let (device, peer) = memory::pair(capacity).unwrap();
    (End::Port(Box::new(device)), peer)
}

pub fn options() -> Options {
    Options { seed: 1, ..Options::default() }
}

/// Starts a data plane with one link between two devices in memory.
pub fn one_link(text: &str) -> (Dataplane, MemoryPeer, MemoryPeer) {
    let ((a, left), (b, right)) = (device(), device());
    let wiring = wiring(vec![link("l", [a, b], text)]);
    (Dataplane::start(wiring, options()).unwrap(), left, right)
}

/// Returns a frame of `length` bytes from `source` to `destination`, the last bytes of their
/// addresses.
pub fn frame(destination: u8, source: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0, 0, destination, 2, 0, 0, 0, 0, source, 0x88, 0xb5];
    bytes.extend((bytes.len()..length).map(|index| index as u8));
    bytes
}

/// Returns a TCP super-frame over IPv4 with segments of 1000 bytes and `payload` bytes in total.
/// Its checksums are not set.
pub fn super_frame(payload: usize) -> (VirtioHeader, Vec<u8>) {
    let mut bytes = Vec::new();
    let payload: Vec<u8> = (0..payload).map(|index| (index % 251) as u8).collect();
    etherparse::PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .tcp(1000, 2000, 1, 500)
        .write(&mut bytes, &payload)
        .unwrap();
    let header = VirtioHeader {
        needs_checksum: true,
        gso: Some(GsoKind::TcpV4),
        ecn: false,
        header_len: 54,
        gso_size: 1000,
        checksum_start: 34,
        checksum_offset: 16,
    };
    (header, bytes)
}

/// Returns a broadcast frame from `source`.
pub fn broadcast(source: u8) -> Vec<u8> {
    let mut bytes = frame(0, source, 60);
    bytes[..6].fill(0xff);
    bytes
}

pub fn statistics(dataplane: &Dataplane, id: PipeId) -> PipeStatistics {
    let pipes = dataplane.pipes().unwrap();
    pipes.into_iter().find(|pipe| pipe.id == id).unwrap().statistics
}

/// Waits until `good` returns true.
pub fn eventually(what: &str, mut good: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !good() {
        assert!(Instant::now() < deadline, "{what} did not come true");
        std::thread::yield_now();
    }
}
