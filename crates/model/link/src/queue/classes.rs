//! Classes of frames: their notation, and the class of a frame. Not here: the queues of the classes
//! (`classful`) and the order in which they are served (`drr`, `wf2q`, `prio`).

use std::num::NonZeroU32;

use netloom_units::{Rate, Size};
use serde::{Deserialize, Serialize};

use super::config::Discipline;
use super::dscp::Dscps;
use super::ecns::Ecns;
use super::flow::FlowHash;
use super::limit::QueueLimit;
use super::ports::{Ports, UpperLayer};
use super::prefix::Prefix;
use crate::{Header, Stream};

/// One class of frames.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassConfig {
    /// Packets of this class, unless they belong to an earlier class. One class may leave it out:
    /// it takes all packets that no other class matches, and all frames that are not IP, like ARP.
    /// If no class leaves it out, a class of weight 1 for them is added after those that are
    /// written.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<ClassMatch>,
    /// Share of the line relative to the other classes (default 1, at most 65536). `prio` has no
    /// weights: there the order of the classes decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<NonZeroU32>,
    /// Limit on the waiting frames of this class, beside the limit of the whole queue (default: no
    /// limit of its own).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<QueueLimit>,
    /// Queue discipline of the class's own frames: any but `drr`, `wf2q+` and `prio` (default:
    /// first in, first out).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// Largest rate at which the class may send, like `4Mbit/s`, framing included (default: no
    /// cap). Beyond it the class waits even if the line is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Rate>,
}

/// Conditions on the packets of a class. A packet belongs to the class if all of them hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClassMatch {
    /// DSCP of the packets: a number or a name, or a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dscp: Option<Dscps>,
    /// ECN field of the packets: `not_ect`, `ect0`, `ect1` or `ce`, or a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Ecns>,
    /// Prefix of the source address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Prefix>,
    /// Prefix of the destination address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<Prefix>,
    /// Upper-layer protocol: `tcp`, `udp`, `icmp`, `icmpv6` or a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<UpperLayer>,
    /// Source port, a range like `6000-6999`, or a list. Only TCP and UDP have ports, and fragments
    /// have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_port: Option<Ports>,
    /// Destination port, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_port: Option<Ports>,
}

impl ClassMatch {
    /// Whether a packet belongs to the class.
    #[inline]
    pub(crate) fn matches(&self, header: &Header) -> bool {
        self.dscp.is_none_or(|dscps| dscps.contains(header.dscp))
            && self.ecn.is_none_or(|ecns| ecns.contains(header.ecn))
            && self.source.is_none_or(|prefix| prefix.contains(header.source))
            && self.destination.is_none_or(|prefix| prefix.contains(header.destination))
            && self.protocol.is_none_or(|protocol| protocol.0 == header.protocol)
            && self.source_port.is_none_or(|ports| ports.contains(header.source_port))
            && self.destination_port.is_none_or(|ports| ports.contains(header.destination_port))
    }

    /// Checks that at least one condition is given.
    pub(crate) fn check(&self) -> Result<(), String> {
        if *self == Self::default() {
            return Err("`match` says nothing; write `dscp`, `ecn`, `source`, `destination`, \
                        `protocol`, `source_port` or `destination_port`, or leave `match` out to \
                        take the rest"
                .into());
        }
        Ok(())
    }
}

/// Largest number of classes: the number of DSCPs. Each frame is compared with the classes one by
/// one.
const MOST_CLASSES: usize = 64;
/// Largest number of queues into which flows are hashed.
const MOST_FLOWS: u32 = 65_536;
/// Largest weight.
const LARGEST_WEIGHT: u32 = 65_536;
/// Number of queues for flows if neither classes nor flows are given.
const DEFAULT_FLOWS: usize = 64;

/// Default for the bytes that a class of weight 1 may send in its turn: a full-size Ethernet frame.
pub(super) const QUANTUM: Size = Size::from_bytes(1514);
/// Bounds of the quantum. With a smaller one, a frame takes many turns; with a larger one, turns
/// take long.
const QUANTA: std::ops::RangeInclusive<u64> = 256..=1 << 24;

/// Checks a number of flows.
pub(super) fn check_flows(flows: NonZeroU32) -> Result<(), String> {
    if flows.get() > MOST_FLOWS {
        return Err(format!("`flows` is at most {MOST_FLOWS}, not {flows}"));
    }
    Ok(())
}

/// Checks a quantum.
pub(super) fn check_quantum(quantum: Size) -> Result<(), String> {
    if !QUANTA.contains(&quantum.bytes()) {
        return Err(format!("`quantum` is at least 256B and at most 16MiB, not {quantum}"));
    }
    Ok(())
}

/// Checks a list of classes. In errors, classes are counted from 1.
pub(super) fn check_classes(classes: &[ClassConfig]) -> Result<(), String> {
    if classes.len() > MOST_CLASSES {
        let count = classes.len();
        return Err(format!("there are at most {MOST_CLASSES} classes, not {count}"));
    }
    let mut default = None;
    for (number, class) in (1..).zip(classes) {
        class.check().map_err(|error| format!("class {number}: {error}"))?;
        if class.matches.is_none()
            && let Some(first) = default.replace(number)
        {
            return Err(format!(
                "classes {first} and {number} have no `match`; only one can take the rest"
            ));
        }
    }
    Ok(())
}

impl ClassConfig {
    /// Checks a class by itself.
    fn check(&self) -> Result<(), String> {
        if self.weight.is_some_and(|weight| weight.get() > LARGEST_WEIGHT) {
            return Err(format!("`weight` is at most {LARGEST_WEIGHT}"));
        }
        if let Some(discipline) = self.discipline.as_ref().filter(|own| own.has_classes()) {
            return Err(format!(
                "`{}` has classes of its own, and a class has none; write another `discipline`, \
                 like `red` or `codel`",
                discipline.name()
            ));
        }
        self.matches.as_ref().map_or(Ok(()), ClassMatch::check)
    }
}

/// Checks the classes or flows of a discipline that shares by weight.
pub(super) fn check_shares(
    classes: Option<&[ClassConfig]>,
    flows: Option<NonZeroU32>,
) -> Result<(), String> {
    match (classes, flows) {
        (Some([]), _) => Err("there are no `classes`; leave the list out to share by flows".into()),
        (Some(_), Some(_)) => {
            Err("frames are shared out by `classes` or by `flows`, not by both".into())
        }
        (None, Some(flows)) => check_flows(flows),
        (Some(classes), None) => check_classes(classes),
        (None, None) => Ok(()),
    }
}

/// All classes of a queue.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    classifier: Classifier,
    /// Weight and limit of each class.
    pub terms: Vec<ClassTerms>,
    /// Discipline and cap of each class that is written. Flows have none.
    own: Vec<(Option<Discipline>, Option<Rate>)>,
}

/// The entitlements of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassTerms {
    pub weight: u32,
    pub limit: Option<QueueLimit>,
}

/// The method of finding the class of a frame.
#[derive(Debug, Clone)]
enum Classifier {
    /// The first match, and the class for the rest.
    List(Vec<Option<ClassMatch>>, usize),
    Flows(FlowHash, usize),
}

impl Classes {
    /// The written classes, plus one for the rest if none of them takes it.
    pub fn listed(classes: &[ClassConfig]) -> Self {
        let mut matches: Vec<_> = classes.iter().map(|class| class.matches).collect();
        let mut terms: Vec<_> = classes.iter().map(ClassTerms::of).collect();
        let own = classes.iter().map(|class| (class.discipline.clone(), class.most)).collect();
        let rest = matches.iter().position(Option::is_none).unwrap_or_else(|| {
            matches.push(None);
            terms.push(ClassTerms::of(&ClassConfig::default()));
            matches.len() - 1
        });
        Self { classifier: Classifier::List(matches, rest), terms, own }
    }

    /// The written classes, or else flows by their hash.
    pub fn shared(
        classes: Option<&[ClassConfig]>,
        flows: Option<NonZeroU32>,
        stream: &Stream,
    ) -> Self {
        if let Some(classes) = classes {
            return Self::listed(classes);
        }
        let flows = flows.map_or(DEFAULT_FLOWS, |flows| flows.get() as usize);
        let terms = vec![ClassTerms::of(&ClassConfig::default()); flows];
        Self { classifier: Classifier::Flows(FlowHash::new(stream), flows), terms, own: Vec::new() }
    }

    /// The discipline of a class, if it has one of its own.
    pub fn discipline(&self, class: usize) -> Option<&Discipline> {
        self.own.get(class)?.0.as_ref()
    }

    /// The cap of each class; empty if no class has one.
    pub fn caps(&self) -> Vec<Option<Rate>> {
        let caps: Vec<_> = self.own.iter().map(|(_, most)| *most).collect();
        if caps.iter().any(Option::is_some) { caps } else { Vec::new() }
    }

    /// The class of a frame.
    #[inline]
    pub fn class_of(&self, header: Option<&Header>) -> usize {
        match &self.classifier {
            Classifier::Flows(hash, flows) => hash.bucket(header, *flows),
            Classifier::List(matches, rest) => {
                let Some(header) = header else { return *rest };
                let of_header =
                    |class: &Option<ClassMatch>| class.is_some_and(|class| class.matches(header));
                matches.iter().position(of_header).unwrap_or(*rest)
            }
        }
    }

    /// Whether `other` assigns every frame to the same class as this one.
    pub fn classifies_like(&self, other: &Self) -> bool {
        match (&self.classifier, &other.classifier) {
            (Classifier::List(own, _), Classifier::List(other, _)) => own == other,
            (Classifier::Flows(_, own), Classifier::Flows(_, other)) => own == other,
            _ => false,
        }
    }
}

impl ClassTerms {
    fn of(class: &ClassConfig) -> Self {
        Self { weight: class.weight.map_or(1, NonZeroU32::get), limit: class.limit }
    }
}
