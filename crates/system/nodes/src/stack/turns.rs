//! Turns for the kernel's lock of network configuration (RTNL). A thread that waits for this lock
//! in the kernel stays awake and keeps a CPU from others, so the threads that make nodes take turns
//! here, where they sleep. Not here: what needs the lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

/// The kernel has one lock for all namespaces.
static TURN: Mutex<()> = Mutex::new(());

/// Waits for the calling thread's turn, which lasts until the result is dropped.
pub(crate) fn take() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the kernel takes the lock for a request. It adds routes of IPv6 without it since Linux
/// 6.16; before, threads wait in the kernel for that.
pub(crate) fn has_lock(request: &RouteNetlinkMessage) -> bool {
    match request {
        RouteNetlinkMessage::NewRoute(route) => route.header.address_family != AddressFamily::Inet6,
        _ => true,
    }
}
