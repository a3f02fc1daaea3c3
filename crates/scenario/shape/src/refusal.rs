//! Reasons for refusing a claim: what, where, why, and what to do next.

use netloom_units::{Rate, Size};
use thiserror::Error;

use crate::Moment;

/// Reason for refusing a request. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Another user has claimed a local port.
    #[error(
        "{what} is claimed by {owner} as \"{name}\"{}: take another one, or ask {owner}",
        until(.ends)
    )]
    ClaimedByOther {
        /// The claimed resource, like `port tcp/8080`.
        what: String,
        /// Name of the owner.
        owner: String,
        /// Name of the claim.
        name: String,
        /// Time at which it ends.
        ends: Option<Moment>,
    },
    /// Another claim of the user takes the frames with equally specific keys.
    #[error(
        "{what} is in your claim \"{name}\"{} as well, and neither is more specific: remove one, \
             or give one of them addresses",
        until(.ends)
    )]
    AsSpecific {
        /// The resource that both take.
        what: String,
        /// Name of the other claim.
        name: String,
        /// Time at which it ends.
        ends: Option<Moment>,
    },
    /// The user already has a claim with this name.
    #[error(
        "you have a claim \"{0}\" already: change it with `netloom shape set {0}`, or take \
             another name"
    )]
    NameTaken(String),
    /// Another user has bound the local port.
    #[error("port {protocol}/{port} is bound by a process of {owner}{}", process(.pid))]
    Bound {
        /// `tcp` or `udp`.
        protocol: crate::Protocol,
        /// The port.
        port: u16,
        /// Owner of the process.
        owner: String,
        /// Process number, if it is known.
        pid: Option<u32>,
    },
    /// The policy does not allow the port.
    #[error(
        "port {port} is {}: the policy of this machine (ports: {allowed})",
        side(*.port, .allowed)
    )]
    Port {
        /// The refused port.
        port: u16,
        /// The ports that the policy allows.
        allowed: crate::Ports,
    },
    /// The user may not claim anything.
    #[error("{name} may not shape traffic here: root alone may, and whom {policy} allows")]
    NotAllowed {
        /// Name of the user.
        name: String,
        /// Path of the policy.
        policy: String,
    },
    /// Only root may have this.
    #[error("{0} is for root: {1}")]
    RootOnly(&'static str, &'static str),
    /// A direction has no rate.
    #[error("--{0} has no rate: this machine wants one in both directions")]
    NoRate(&'static str),
    /// The sum of all rates is too large.
    #[error("{asked} more are too much: {given} of {all} are given (netloom shape capacity)")]
    TooFast {
        /// The rates of both directions of this claim.
        asked: Rate,
        /// The rates of the other claims, in Mbit/s or another fitting unit.
        given: String,
        /// The capacity.
        all: Rate,
    },
    /// The sum of all buffers is too large.
    #[error(
        "{asked} of buffers more are too much: {given} of {all} are given (netloom shape \
             capacity); a lower rate, delay or queue needs less"
    )]
    TooLarge {
        /// Size of the buffers of this claim.
        asked: Size,
        /// Size of the buffers of other claims.
        given: Size,
        /// The capacity.
        all: Size,
    },
    /// The user has too many claims.
    #[error("{0} claims of one user are the most here (claims_per_user): remove one first")]
    TooMany(usize),
    /// The user has too many local ports.
    #[error(
        "{asked} local ports more are too many: {given} of {most} are yours (ports_per_user), with \
             those of claims that have just ended"
    )]
    TooManyPorts {
        /// Number of ports of this claim.
        asked: usize,
        /// Number of ports of the user's other claims.
        given: usize,
        /// Largest number.
        most: usize,
    },
    /// The daemon may not have that many open files.
    #[error(
        "the claims would need more than the {0} open files that they may have: remove one first, \
             or start the daemon with a higher limit (`ulimit -Hn`)"
    )]
    TooManyFiles(u64),
    /// The machine has too many claims.
    #[error("{0} claims are the most that a machine has: wait until one ends")]
    Full(usize),
    /// The lifetime is too long.
    #[error("for {asked} is too long: the policy of this machine (longest: {longest})")]
    TooLong {
        /// The requested lifetime.
        asked: String,
        /// The longest lifetime.
        longest: netloom_units::Duration,
    },
    /// The policy does not allow the device.
    #[error("interface {0} is not among those that the policy of this machine allows ({1})")]
    Interface(String, String),
    /// The policy does not allow this.
    #[error(
        "the policy of this machine does not allow `{0}` (`{0}: false` in {1}): leave it out, or \
             ask its administrator"
    )]
    Forbidden(&'static str, String),
    /// The daemon has no right to enter other network namespaces.
    #[error(
        "the daemon may not enter other network namespaces (`netns`, `pid`): write `containers: \
             true` into {0}, and start it anew with `netloom shape stop`"
    )]
    Containers(String),
    /// The claim has ended.
    #[error("claim \"{name}\" ended {ago} ago: {again}")]
    Ended {
        /// Name of the claim.
        name: String,
        /// Time since its end, in words.
        ago: String,
        /// The command that makes it again.
        again: String,
    },
    /// There is no claim with this name.
    #[error("there is no claim \"{0}\" of yours: `netloom shape list` shows them")]
    Unknown(String),
    /// The request is malformed.
    #[error("{0}")]
    Malformed(String),
}

/// Path of the policy.
pub(crate) const POLICY_FILE: &str = "/etc/netloom/shape-policy.yaml";

fn until(ends: &Option<Moment>) -> String {
    ends.map(|moment| format!(" until {moment}")).unwrap_or_default()
}

fn process(pid: &Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

/// Describes the position of a refused port relative to the allowed ones.
fn side(port: u16, allowed: &crate::Ports) -> String {
    let lowest = allowed.ranges().first().map_or(1, |range| range.first);
    let highest = allowed.ranges().last().map_or(u16::MAX, |range| range.last);
    match port {
        port if port < lowest => format!("below {lowest}"),
        port if port > highest => format!("above {highest}"),
        _ => "between those that are allowed".into(),
    }
}
