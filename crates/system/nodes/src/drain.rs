//! Waits until the kernel has freed network namespaces that were closed.
//!
//! The kernel frees namespaces later, on one worker, in the order in which they were closed and
//! batch by batch, and notifies nobody. So a last namespace is closed after them, with a TAP device
//! whose descriptor is ours. When that device is gone, the devices of all earlier namespaces are
//! gone, or are being removed in the same batch.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use nix::net::if_::if_nametoindex;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};

use crate::stack::netlink::{Netlink, Request};
use crate::stack::tap;

/// Longest wait. Freeing continues without us.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until all namespaces that were closed before are freed with their devices. If the last one
/// cannot be created, the wait is only shorter: the namespaces have no names and no processes in
/// any case.
pub fn wait() {
    // On a thread of its own, because it ends in a namespace of its own.
    let _ = thread::Builder::new()
        .name("drain".into())
        .spawn(|| drained().is_ok())
        .map(|thread| thread.join());
}

fn drained() -> io::Result<()> {
    let device = doomed_device()?;
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let mut fds = [PollFd::new(device.as_fd(), PollFlags::POLLPRI)];
        // The device wakes its pollers just before it is gone, so poll again soon.
        let _ = poll(&mut fds, PollTimeout::from(10u8));
        if fds[0].revents().is_some_and(|events| events.contains(PollFlags::POLLERR)) {
            break;
        }
    }
    Ok(())
}

/// Creates a TAP device in a namespace that nothing else holds. A descriptor holds the namespace in
/// which it was opened, so the device is created in one namespace and moved to another.
fn doomed_device() -> io::Result<OwnedFd> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    let doomed = File::open("/proc/thread-self/ns/net")?;
    unshare(CloneFlags::CLONE_NEWNET)?;
    let device = tap::create("last")?;
    let mut message = LinkMessage::default();
    message.header.index = if_nametoindex("last")?;
    message.attributes.push(LinkAttribute::NetNsFd(doomed.as_raw_fd()));
    let request = Request::new(RouteNetlinkMessage::SetLink(message), String::new);
    Netlink::open()?.apply(vec![request]).map_err(|refused| refused.source)?;
    Ok(device)
}
