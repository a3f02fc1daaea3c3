//! Where programs are attached. On Linux 6.6 and later: links that the kernel takes away with the
//! process that holds them. On older ones: filters of a `clsact` queue, which stay after a kill,
//! pass everything then, and are removed by whoever comes next.

use aya::programs::links::LinkOrder;
use aya::programs::tc::{self, NlOptions, SchedClassifierLink, TcAttachOptions, TcError};
use aya::programs::{ProgramError, SchedClassifier, TcAttachType};

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

/// A way to attach programs. What it gives takes the program off when it is dropped.
pub trait Hook: std::fmt::Debug + Send {
    /// Puts `program` in front of all others at a side of `device`.
    fn attach(
        &self,
        program: &mut SchedClassifier,
        device: &str,
        place: Place,
    ) -> Result<SchedClassifierLink, SelectorError>;
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
    ) -> Result<SchedClassifierLink, SelectorError> {
        // A tcx link is made for the side that it is at.
        let options = TcAttachOptions::TcxOrder(LinkOrder::first());
        attach(program, device, place, options)
    }
}

impl Hook for Filters {
    fn attach(
        &self,
        program: &mut SchedClassifier,
        device: &str,
        place: Place,
    ) -> Result<SchedClassifierLink, SelectorError> {
        match tc::qdisc_add_clsact(device) {
            Ok(()) | Err(TcError::AlreadyAttached) => {}
            Err(TcError::NetlinkError(_)) if has_clsact(device) => {}
            Err(error) => return Err(refused(device, &error)),
        }
        let options = NlOptions { priority: 1, ..NlOptions::default() };
        attach(program, device, place, TcAttachOptions::Netlink(options))
    }
}

fn attach(
    program: &mut SchedClassifier,
    device: &str,
    place: Place,
    options: TcAttachOptions,
) -> Result<SchedClassifierLink, SelectorError> {
    let side = side(place);
    let attached = program.attach_with_options(device, side, options);
    let taken = attached.and_then(|id| program.take_link(id));
    taken.map_err(|error: ProgramError| refused(device, &error))
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
