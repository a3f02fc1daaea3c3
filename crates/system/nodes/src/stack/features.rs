//! Features of the machine's kernel that nodes ask for by name: looked for in a network namespace
//! that is made for this and gone afterwards, so that what is missing is found before any node
//! exists. Not here: congestion controls, and what kernels of nodes' own have.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::thread;

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{InfoKind, LinkAttribute, LinkInfo, LinkMessage};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};
use nix::sched::{CloneFlags, unshare};

use crate::NodeError;
use crate::stack::configure::LOOPBACK;
use crate::stack::netlink::{Netlink, Request};
use crate::stack::sysctl;

/// A feature of the machine's kernel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A parameter of a node's network stack, by its name for `sysctl`.
    Parameter(String),
    /// A kind of interfaces, like `veth` or `vrf`.
    Interfaces(String),
    /// A queueing discipline, like `fq`.
    Discipline(String),
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(key) => write!(f, "parameter `{key}`"),
            Self::Interfaces(kind) => write!(f, "interfaces of kind `{kind}`"),
            Self::Discipline(kind) => write!(f, "queueing discipline `{kind}`"),
        }
    }
}

/// A feature that the kernel does not offer to nodes.
#[derive(Debug, PartialEq, Eq)]
pub struct MissingFeature {
    /// The feature.
    pub feature: Feature,
    /// What is wrong, and what to do on the machine.
    pub why: String,
}

/// Returns those of the features that nodes cannot have. The kernel may load modules for them, as
/// it would when a node uses them.
///
/// # Errors
/// If there can be no namespace in which to look.
pub fn missing_features(asked: &BTreeSet<Feature>) -> Result<Vec<MissingFeature>, NodeError> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let look = || -> io::Result<Vec<MissingFeature>> {
        unshare(CloneFlags::CLONE_NEWNET)?;
        let reasons = asked.iter().map(|feature| Ok((feature, look_for(feature)?)));
        let reasons: Vec<_> = reasons.collect::<io::Result<_>>()?;
        let missing = reasons.into_iter().filter_map(|(feature, why)| {
            why.map(|why| MissingFeature { feature: feature.clone(), why })
        });
        Ok(missing.collect())
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("features".into()).spawn_scoped(scope, look)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
    .map_err(|error| NodeError::system("look for features of the kernel", error))
}

/// Returns why the namespace of the calling thread lacks a feature, or nothing if it has it.
fn look_for(feature: &Feature) -> io::Result<Option<String>> {
    match feature {
        Feature::Parameter(key) => Ok(sysctl::check(key).err().map(|error| error.to_string())),
        Feature::Interfaces(kind) => is_known(device_of(kind), libc::EOPNOTSUPP)
            .map(|is_known| (!is_known).then(|| lacking(kind))),
        Feature::Discipline(kind) => is_known(discipline_of(kind), libc::ENOENT)
            .map(|is_known| (!is_known).then(|| lacking(&format!("sch_{kind}")))),
    }
}

fn lacking(module: &str) -> String {
    format!("the machine's kernel lacks it: load it (`modprobe {module}`)")
}

/// Whether the kernel does not answer a request by the error for unknown kinds. The requests are
/// incomplete, so it refuses known kinds too, for other reasons.
fn is_known(request: Request, unknown: i32) -> io::Result<bool> {
    match Netlink::open()?.apply([request]) {
        Err(refused) => Ok(refused.source.raw_os_error() != Some(unknown)),
        Ok(()) => Ok(true),
    }
}

fn device_of(kind: &str) -> Request {
    let mut message = LinkMessage::default();
    let kind = LinkInfo::Kind(InfoKind::Other(kind.into()));
    message.attributes = vec![LinkAttribute::LinkInfo(vec![kind])];
    Request::new(RouteNetlinkMessage::NewLink(message), String::new)
}

fn discipline_of(kind: &str) -> Request {
    // Invariant: the index of `lo` is 1.
    let mut message = TcMessage::with_index(LOOPBACK as i32);
    message.header.parent = TcHandle::ROOT;
    message.attributes = vec![TcAttribute::Kind(kind.into())];
    Request::new(RouteNetlinkMessage::NewQueueDiscipline(message), String::new)
}
