//! Where programs are attached. On Linux 6.6 and later: links that the kernel takes away with the
//! process that holds them, those at devices first, so that frames pass while the rest goes. On
//! older ones: filters of a `clsact` queue, which stay after a kill,
//! pass everything then, and are removed by whoever comes next.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use aya::programs::tc::{self, NlOptions, SchedClassifierLink, TcAttachOptions, TcError};
use aya::programs::{ProgramError, SchedClassifier, TcAttachType};
use nix::net::if_::if_nametoindex;
use nix::sys::resource::{Resource, getrlimit};

use crate::error::{SelectorError, in_words};

/// How programs are attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookKind {
    /// By tcx links.
    Tcx,
    /// By filters.
    Filters,
}

/// A side of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Where it sends.
    Egress,
    /// Where it gets.
    Ingress,
}

/// A program that is attached, until this is dropped.
#[derive(Debug)]
#[expect(dead_code, reason = "they are held")]
pub enum Attached {
    /// By a link of the kernel.
    Link(OwnedFd),
    /// By a filter.
    Filter(SchedClassifierLink),
}

/// A way to attach programs.
pub trait Hook: std::fmt::Debug + Send {
    /// Puts `program` in front of all others at a side of `device`.
    fn attach(
        &self,
        program: &mut SchedClassifier,
        device: &str,
        place: Place,
    ) -> Result<Attached, SelectorError>;
}

/// The way of a kind.
pub fn hook(kind: HookKind) -> Box<dyn Hook> {
    match kind {
        HookKind::Tcx => Box::new(Tcx),
        HookKind::Filters => Box::new(Filters),
    }
}

#[derive(Debug)]
struct Tcx;

#[derive(Debug)]
struct Filters;

impl Hook for Tcx {
    fn attach(
        &self,
        program: &mut SchedClassifier,
        device: &str,
        place: Place,
    ) -> Result<Attached, SelectorError> {
        let failed = |error: io::Error| refused(device, &error);
        let index = if_nametoindex(device).map_err(|errno| failed(errno.into()))?;
        let program = program.fd().map_err(|error| refused(device, &error))?;
        link(program.as_fd().as_raw_fd(), index, place).map(Attached::Link).map_err(failed)
    }
}

/// What `BPF_LINK_CREATE` reads for a tcx link (`union bpf_attr`).
#[repr(C)]
struct LinkCreate {
    program: u32,
    device: u32,
    kind: u32,
    flags: u32,
    relative: u32,
    padding: u32,
    revision: u64,
}

/// A link of a program, in front of all others at a side of a device. It is made here for the sake
/// of [`raised`], for which its descriptor is needed.
fn link(program: i32, device: u32, place: Place) -> io::Result<OwnedFd> {
    const BPF_LINK_CREATE: libc::c_long = 28;
    const BPF_F_BEFORE: u32 = 1 << 3;
    let kind = match place {
        Place::Ingress => 46,
        Place::Egress => 47,
    };
    let asked = LinkCreate {
        program: program.unsigned_abs(),
        device,
        kind,
        flags: BPF_F_BEFORE,
        relative: 0,
        padding: 0,
        revision: 0,
    };
    // SAFETY: the kernel reads as many bytes as we say, all of which are there.
    let made = unsafe {
        libc::syscall(libc::SYS_bpf, BPF_LINK_CREATE, &raw const asked, size_of::<LinkCreate>())
    };
    if made < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it, and nobody else knows it. A descriptor is an `int`.
    Ok(unsafe { OwnedFd::from_raw_fd(made as i32) })
}

/// The highest number that is asked for: more than all claims have descriptors.
const HIGH: u64 = 1 << 15;

/// The same link under a high number. A process that dies closes its descriptors from the highest
/// number down, and each link and TAP takes the kernel some 15 ms: what brings frames to the TAPs
/// is to go before them.
fn raised(link: OwnedFd) -> OwnedFd {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(soft, _)| soft);
    let least = HIGH.min(limit.saturating_sub(256));
    let least = i32::try_from(least).unwrap_or_default();
    // It stays where it is if there is no such number.
    rustix::io::fcntl_dupfd_cloexec(&link, least).unwrap_or(link)
}

/// Has a program leave the kernel before everything else if this process dies.
pub fn first_to_go(attached: Attached) -> Attached {
    match attached {
        Attached::Link(link) => Attached::Link(raised(link)),
        filter @ Attached::Filter(_) => filter,
    }
}

impl Hook for Filters {
    fn attach(
        &self,
        program: &mut SchedClassifier,
        device: &str,
        place: Place,
    ) -> Result<Attached, SelectorError> {
        match tc::qdisc_add_clsact(device) {
            Ok(()) | Err(TcError::AlreadyAttached) => {}
            Err(TcError::NetlinkError(_)) if has_clsact(device) => {}
            Err(error) => return Err(refused(device, &error)),
        }
        let options = NlOptions { priority: 1, ..NlOptions::default() };
        let options = TcAttachOptions::Netlink(options);
        let attached = program.attach_with_options(device, side(place), options);
        let taken = attached.and_then(|id| program.take_link(id));
        taken.map(Attached::Filter).map_err(|error: ProgramError| refused(device, &error))
    }
}

pub fn side(place: Place) -> TcAttachType {
    match place {
        Place::Egress => TcAttachType::Egress,
        Place::Ingress => TcAttachType::Ingress,
    }
}

/// The kernel says of a queue that is there that it exists, in words that the library keeps to
/// itself.
fn has_clsact(device: &str) -> bool {
    tc::qdisc_add_clsact(device).is_err()
}

fn refused(device: &str, error: &(dyn std::error::Error + 'static)) -> SelectorError {
    SelectorError::Attach { device: device.into(), why: in_words(error) }
}
