//! Why a claim is refused: what, where, why, and what to do next.

use netloom_units::{Rate, Size};
use thiserror::Error;

use crate::Moment;

/// Why a request is refused; nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Another user has claimed a local port.
    #[error(
        "{what} is claimed by {owner} as \"{name}\"{}: take another one, or ask {owner}",
        until(.ends)
    )]
    ClaimedByOther {
        /// What is claimed, like `port tcp/8080`.
        what: String,
        /// By whom.
        owner: String,
        /// The claim's name.
        name: String,
        /// When it ends.
        ends: Option<Moment>,
    },
    /// Another claim of the user takes the frames with keys that are as specific.
    #[error(
        "{what} is in your claim \"{name}\"{} as well, and neither is more specific: remove one, \
             or give one of them addresses",
        until(.ends)
    )]
    AsSpecific {
        /// What both take.
        what: String,
        /// The other claim's name.
        name: String,
        /// When it ends.
        ends: Option<Moment>,
    },
    /// The user has a claim of this name.
    #[error(
        "you have a claim \"{0}\" already: change it with `netloom shape set {0}`, or take \
             another name"
    )]
    NameTaken(String),
    /// The local port is in use by another user.
    #[error("port {protocol}/{port} is bound by a process of {owner} (pid {pid})")]
    Bound {
        /// `tcp` or `udp`.
        protocol: crate::Protocol,
        /// The port.
        port: u16,
        /// Whose process it is.
        owner: String,
        /// The process.
        pid: u32,
    },
    /// The policy does not allow the port.
    #[error(
        "port {port} is {}: the policy of this machine (ports: {allowed})",
        side(*.port, .allowed)
    )]
    Port {
        /// The port.
        port: u16,
        /// The ports that it allows.
        allowed: crate::Ports,
    },
    /// The user may not claim anything.
    #[error("{0} may not shape traffic here: root alone may, and whom {POLICY_FILE} allows")]
    NotAllowed(String),
    /// What only root may have.
    #[error("{0} is for root: {1}")]
    RootOnly(&'static str, &'static str),
    /// A direction has no rate.
    #[error("--{0} has no rate: this machine wants one in both directions")]
    NoRate(&'static str),
    /// All rates together are too much.
    #[error("{asked} more are too much: {given} of {all} are given (netloom shape capacity)")]
    TooFast {
        /// The rates of both directions of this claim.
        asked: Rate,
        /// Those of the others, in Mbit/s or whatever is fitting.
        given: String,
        /// What there is.
        all: Rate,
    },
    /// All buffers together are too much.
    #[error(
        "{asked} of buffers more are too much: {given} of {all} are given (netloom shape \
             capacity); a lower rate, delay or queue needs less"
    )]
    TooLarge {
        /// What this claim may hold.
        asked: Size,
        /// What the others may hold.
        given: Size,
        /// What there is.
        all: Size,
    },
    /// Too many claims of a user.
    #[error("{0} claims of one user are the most here (claims_per_user): remove one first")]
    TooMany(usize),
    /// Too many claims of all.
    #[error("{0} claims are the most that a machine has: wait until one ends")]
    Full(usize),
    /// Too long.
    #[error("for {asked} is too long: the policy of this machine (longest: {longest})")]
    TooLong {
        /// What was asked for.
        asked: String,
        /// The longest.
        longest: netloom_units::Duration,
    },
    /// The policy does not allow the device.
    #[error("interface {0} is not among those that the policy of this machine allows ({1})")]
    Interface(String, String),
    /// The policy does not allow it.
    #[error("the policy of this machine does not allow `{0}`")]
    Forbidden(&'static str),
    /// It has ended.
    #[error("claim \"{name}\" ended {ago} ago: {again}")]
    Ended {
        /// The claim's name.
        name: String,
        /// How long ago, in words.
        ago: String,
        /// The command that makes it again.
        again: String,
    },
    /// There is none of this name.
    #[error("there is no claim \"{0}\" of yours: `netloom shape list` shows them")]
    Unknown(String),
    /// It makes no sense.
    #[error("{0}")]
    Malformed(String),
}

/// Where the policy is.
pub(crate) const POLICY_FILE: &str = "/etc/netloom/shape-policy.yaml";

fn until(ends: &Option<Moment>) -> String {
    ends.map(|moment| format!(" until {moment}")).unwrap_or_default()
}

/// Where a port is that is not allowed.
fn side(port: u16, allowed: &crate::Ports) -> String {
    let lowest = allowed.ranges().first().map_or(1, |range| range.first);
    let highest = allowed.ranges().last().map_or(u16::MAX, |range| range.last);
    match port {
        port if port < lowest => format!("below {lowest}"),
        port if port > highest => format!("above {highest}"),
        _ => "between those that are allowed".into(),
    }
}
