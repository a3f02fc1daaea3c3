//! Attachment of programs. Linux 6.6 and later use tcx links, which the kernel removes with the
//! process that holds them. The links at devices go first, so frames pass while the rest is
//! removed. Older kernels use filters of a `clsact` queue. These remain after a kill and then pass
//! all frames, until the next process removes them.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use aya::programs::tc::{self, NlOptions, SchedClassifierLink, TcAttachOptions, TcError};
use aya::programs::{ProgramError, SchedClassifier, TcAttachType};
use nix::net::if_::if_nametoindex;
use nix::sys::resource::{Resource, getrlimit};

use crate::error::{SelectorError, in_words};

/// The way in which programs are attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookKind {
    /// Tcx links.
    Tcx,
    /// Filters.
    Filters,
}

/// A direction of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookPoint {
    /// Frames that it sends.
    Egress,
    /// Frames that it receives.
    Ingress,
}

/// A program that stays attached until this is dropped.
#[derive(Debug)]
#[expect(dead_code, reason = "they are held")]
pub enum Attached {
    /// Attached by a link of the kernel.
    Link(OwnedFd),
    /// Attached by a filter.
    Filter(SchedClassifierLink),
}

/// A way to attach programs.
pub trait Hook: std::fmt::Debug + Send + Sync {
    /// Attaches `program` in front of all others at a side of `device`.
    fn attach(
        &self,
        program: &mut SchedClassifier,
        device: &str,
        place: HookPoint,
    ) -> Result<Attached, SelectorError>;
}

/// Returns the hook of a kind.
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
        place: HookPoint,
    ) -> Result<Attached, SelectorError> {
        let failed = |error: io::Error| refused(device, &error);
        let index = if_nametoindex(device).map_err(|errno| failed(errno.into()))?;
        let program = program.fd().map_err(|error| refused(device, &error))?;
        link(program.as_fd().as_raw_fd(), index, place).map(Attached::Link).map_err(failed)
    }
}

/// Argument of `BPF_LINK_CREATE` for a tcx link (`union bpf_attr`).
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

/// Creates a link of a program, in front of all others at a side of a device. The library is not
/// used for this, because [`raised`] needs the descriptor.
fn link(program: i32, device: u32, place: HookPoint) -> io::Result<OwnedFd> {
    const BPF_LINK_CREATE: libc::c_long = 28;
    const BPF_F_BEFORE: u32 = 1 << 3;
    let kind = match place {
        HookPoint::Ingress => 46,
        HookPoint::Egress => 47,
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
    // SAFETY: the kernel reads as many bytes as are passed, all of which exist.
    let made = unsafe {
        libc::syscall(libc::SYS_bpf, BPF_LINK_CREATE, &raw const asked, size_of::<LinkCreate>())
    };
    if made < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it, and it has no other owner. A descriptor is an `int`.
    Ok(unsafe { OwnedFd::from_raw_fd(made as i32) })
}

/// Highest number that is requested: above the descriptors of all claims.
const HIGH: u64 = 1 << 15;

/// Moves a link to a high descriptor number. A process that dies closes its descriptors from the
/// highest number down, and each link and TAP takes the kernel some 15 ms. The links that send
/// frames to the TAPs have to go before the TAPs.
fn raised(link: OwnedFd) -> OwnedFd {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(soft, _)| soft);
    let least = HIGH.min(limit.saturating_sub(256));
    let least = i32::try_from(least).unwrap_or_default();
    // The link stays where it is if there is no such number.
    rustix::io::fcntl_dupfd_cloexec(&link, least).unwrap_or(link)
}

/// Makes a program leave the kernel before everything else if this process dies.
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
        place: HookPoint,
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

pub fn side(place: HookPoint) -> TcAttachType {
    match place {
        HookPoint::Egress => TcAttachType::Egress,
        HookPoint::Ingress => TcAttachType::Ingress,
    }
}

/// Adds a `clsact` queue and returns whether the device already has one. In that case the kernel
/// reports an error, which the library does not pass on in detail.
fn has_clsact(device: &str) -> bool {
    tc::qdisc_add_clsact(device).is_err()
}

fn refused(device: &str, error: &(dyn std::error::Error + 'static)) -> SelectorError {
    SelectorError::Attach { device: device.into(), why: in_words(error) }
}
