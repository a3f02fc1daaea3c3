//! The device in memory behaves as a device does.

use std::os::fd::AsFd;
use std::time::Duration;

use netloom_ports::{FrameBuffer, FrameDevice, Pool, SendError, memory};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

fn readable(device: &impl FrameDevice) -> bool {
    let fd = device.fd().unwrap();
    let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO).unwrap() > 0
}

#[test]
fn it_is_readable_exactly_while_frames_wait() {
    let (mut device, peer) = memory::pair(2).unwrap();
    let mut buffer = FrameBuffer::default();
    assert!(!readable(&device));
    assert!(peer.send(&[1; 60]) && peer.send(&[2; 60]));
    assert!(!peer.send(&[3; 60]), "full");
    assert!(device.receive(&mut buffer).unwrap() && readable(&device));
    assert!(device.receive(&mut buffer).unwrap() && !readable(&device));
    assert!(!device.receive(&mut buffer).unwrap());
}

#[test]
fn it_takes_frames_until_it_is_full_or_down() {
    let (mut device, peer) = memory::pair(1).unwrap();
    let mut pool = Pool::new(1 << 20);
    let frame = pool.frame(60).unwrap();
    device.send(&frame).unwrap();
    assert!(matches!(device.send(&frame), Err(SendError::Full)));
    assert_eq!(peer.receive(Duration::ZERO).map(|bytes| bytes.len()), Some(60));
    assert_eq!(peer.receive(Duration::ZERO), None);
    peer.set_down(true);
    assert!(matches!(device.send(&frame), Err(SendError::InterfaceDown)));
}

#[test]
fn its_carrier_can_be_switched() {
    let (device, peer) = memory::pair(1).unwrap();
    let carrier = device.carrier().unwrap();
    carrier.set(false).unwrap();
    assert!(!peer.carrier());
    carrier.set(true).unwrap();
    assert!(peer.carrier());
}
