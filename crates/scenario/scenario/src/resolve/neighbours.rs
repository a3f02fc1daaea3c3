//! Neighbours that speak one protocol: what they must have in common, compared over every link,
//! switch, VLAN and medium. Not here: how daemons are configured (templates of services).

mod bgp;
mod reflectors;
mod speaker;

use std::collections::BTreeMap;

use netloom_document::Diagnostic;

use super::nodes::NodeDraft;
use super::report::Report;
use super::segments::Segment;
use crate::layer2::InterfaceIndex;
use crate::raw::Lint;
use crate::service::{Compared, OptionValue, ServiceTemplate};
use crate::spec::{Addresses, Interface};
use speaker::{Setting, Speaker};

/// Rules of one protocol for neighbours on a segment.
struct Protocol {
    name: &'static str,
    /// Name in messages.
    title: &'static str,
    /// Settings that must be equal. `None`: all.
    same: Option<&'static [&'static str]>,
    /// Pairs of settings of which each neighbour's first must exceed every neighbour's second.
    longer: &'static [(&'static str, &'static str)],
    /// Whether MTUs must be equal: a neighbour would wait for packets that never fit.
    mtu: bool,
    /// Whether an interface needs an IPv4 address, or one of IPv6.
    families: [bool; 2],
}

const ANY: [bool; 2] = [false, false];

/// Protocols with rules of their own.
const PROTOCOLS: &[Protocol] = &[
    Protocol {
        name: "ospf",
        title: "OSPF",
        // RFC 2328, sections 8.2 and 10.5; the MTU: section 10.6.
        same: Some(&["area", "hello", "dead"]),
        longer: &[("dead", "hello")],
        mtu: true,
        families: [true, false],
    },
    Protocol {
        name: "ospf6",
        title: "OSPFv3",
        // RFC 5340, section 4.2.2.
        same: Some(&["area", "hello", "dead"]),
        longer: &[("dead", "hello")],
        mtu: true,
        families: [false, true],
    },
    // Levels and areas: `levels_meet`. Hellos are padded to the MTU (ISO 10589, section 8.2.3).
    Protocol {
        name: "isis",
        title: "IS-IS",
        same: Some(&[]),
        longer: &[],
        mtu: true,
        families: ANY,
    },
    // Routes of a neighbour that updates too rarely expire between two updates.
    Protocol {
        name: "rip",
        title: "RIP",
        same: Some(&[]),
        longer: &[("timeout", "update")],
        mtu: false,
        families: [true, false],
    },
    // Both ends of a session take the shorter times; numbers of systems: `bgp`.
    Protocol { name: "bgp", title: "BGP", same: Some(&[]), longer: &[], mtu: false, families: ANY },
];

/// Protocols of users' own templates.
const OTHER: Protocol =
    Protocol { name: "", title: "", same: None, longer: &[], mtu: false, families: ANY };

/// Checks all segments, for each protocol that is spoken there.
pub(super) fn check(
    nodes: &[NodeDraft<'_>],
    segments: &[Segment],
    templates: &BTreeMap<String, ServiceTemplate>,
    report: &mut Report<'_>,
) {
    let mut sessions = bgp::Sessions::default();
    for segment in segments {
        let mut speakers: BTreeMap<&str, Vec<Speaker<'_>>> = BTreeMap::new();
        for port in segment {
            add_speakers(nodes, *port, templates, &mut speakers, report);
        }
        for (name, speakers) in &speakers {
            let protocol = PROTOCOLS.iter().find(|known| known.name == *name).unwrap_or(&OTHER);
            check_protocol(protocol, name, speakers, report);
            if *name == "bgp" {
                sessions.add(speakers);
            }
        }
    }
    sessions.reflect(reflectors::check(nodes, report));
    sessions.check(nodes, report);
}

fn add_speakers<'a>(
    nodes: &[NodeDraft<'_>],
    port: InterfaceIndex,
    templates: &'a BTreeMap<String, ServiceTemplate>,
    speakers: &mut BTreeMap<&'a str, Vec<Speaker<'a>>>,
    report: &Report<'_>,
) {
    let node = &nodes[port.node];
    let interface = &node.interfaces[port.interface];
    for (service, used) in &node.software.services {
        let Some(template) = templates.get(&used.template) else { continue };
        // The user's own file says what the daemon does.
        if template.files.keys().any(|path| node.software.files.contains_key(path)) {
            continue;
        }
        let own = interface.services.get(service);
        let value = |option: &str| {
            let own = own.and_then(|own| own.get(option));
            own.or_else(|| used.options.get(option))
        };
        for (protocol, compared) in &template.compares {
            if !is_spoken(compared, protocol, interface, value) {
                continue;
            }
            let of_service = report.key(node.raw.id, &["services", service]);
            let settings = compared.settings.iter().filter_map(|(setting, option)| {
                let OptionValue::Text(text) = value(option)? else { return None };
                let kind = template.options.get(option)?.kind;
                let at_interface = ["interfaces", &interface.name, "services", service, option];
                let span = report
                    .value(node.raw.id, &at_interface)
                    .or_else(|| report.value(node.raw.id, &["services", service, option]))
                    .or(of_service)
                    .unwrap_or(node.name.span);
                let (text, canonical) = (text.clone(), kind.canonical(text));
                let option = option.clone();
                Some((setting.as_str(), Setting { text, canonical, option, span }))
            });
            let speaker = Speaker {
                port,
                name: format!("{}:{}", node.name.value, interface.name),
                mtu: interface.mtu,
                settings: settings.collect(),
                span: of_service.unwrap_or(node.name.span),
            };
            speakers.entry(protocol).or_default().push(speaker);
        }
    }
}

fn is_spoken<'v>(
    compared: &Compared,
    protocol: &str,
    interface: &Interface,
    value: impl Fn(&str) -> Option<&'v OptionValue>,
) -> bool {
    let is_on = compared.when.as_deref().is_none_or(|option| match value(option) {
        Some(OptionValue::Text(text)) => !matches!(text.as_str(), "" | "false"),
        Some(OptionValue::List(texts)) => !texts.is_empty(),
        None => false,
    });
    let protocol = PROTOCOLS.iter().find(|known| known.name == protocol).unwrap_or(&OTHER);
    let [ipv4, ipv6] = protocol.families;
    is_on
        && (!ipv4 || interface.ipv4 != Addresses::None)
        && (!ipv6 || interface.ipv6 != Addresses::None)
}

fn check_protocol(
    protocol: &Protocol,
    name: &str,
    speakers: &[Speaker<'_>],
    report: &mut Report<'_>,
) {
    let title = if protocol.title.is_empty() { name } else { protocol.title };
    check_longer(protocol, title, speakers, report);
    let mut settings: Vec<&str> =
        speakers.iter().flat_map(|speaker| speaker.settings.keys().copied()).collect();
    settings.sort_unstable();
    settings.dedup();
    for setting in settings {
        if protocol.same.is_some_and(|same| !same.contains(&setting)) {
            continue;
        }
        let value = |speaker: &Speaker<'_>| {
            speaker.settings.get(setting).map(|setting| setting.canonical.clone())
        };
        for (one, other) in deviating(speakers, value) {
            let (Some(mine), Some(theirs)) =
                (one.settings.get(setting), other.settings.get(setting))
            else {
                continue;
            };
            let message = format!(
                "`{}` and `{}` are to be neighbours by {title}, but differ in `{}`: {} and {}",
                other.name, one.name, mine.option, theirs.text, mine.text
            );
            let help = format!("they would never meet; give both ends the same `{}`", mine.option);
            let finding = Diagnostic::error(mine.span, message).with_help(help);
            report.lowerable(Lint::Neighbours, finding.with_related(theirs.span, "the other end"));
        }
    }
    if protocol.mtu {
        for (one, other) in deviating(speakers, |speaker| Some(speaker.mtu)) {
            let message = format!(
                "`{}` and `{}` are to be neighbours by {title}, but differ in MTU: {} and {}",
                other.name, one.name, other.mtu, one.mtu
            );
            let help = "they would never exchange their routes; give both ends the same `mtu`";
            let finding = Diagnostic::error(one.span, message).with_help(help);
            report.lowerable(Lint::Neighbours, finding.with_related(other.span, "the other end"));
        }
    }
    if name == "isis" {
        check_levels(speakers, report);
    }
}

/// Returns the speakers whose value is not the one that most have, each with a speaker that has
/// that one.
fn deviating<'s, 'a, V: PartialEq>(
    speakers: &'s [Speaker<'a>],
    value: impl Fn(&Speaker<'a>) -> Option<V>,
) -> Vec<(&'s Speaker<'a>, &'s Speaker<'a>)> {
    let mut groups: Vec<(V, Vec<&Speaker<'a>>)> = Vec::new();
    for speaker in speakers {
        let Some(value) = value(speaker) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, members)) => members.push(speaker),
            None => groups.push((value, vec![speaker])),
        }
    }
    // The sort is stable: of groups of equal size, the first in the file counts.
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    let Some((most, others)) = groups.split_first() else { return Vec::new() };
    let reference = most.1[0];
    // Two services of one node are no neighbours.
    let others = others.iter().flat_map(|(_, members)| members.iter().copied());
    others.filter(|one| one.port.node != reference.port.node).map(|one| (one, reference)).collect()
}

/// Checks times of which one must exceed another, of the same end or of a neighbour.
fn check_longer(
    protocol: &Protocol,
    title: &str,
    speakers: &[Speaker<'_>],
    report: &mut Report<'_>,
) {
    for (long, short) in protocol.longer {
        // Where neighbours must agree, comparing an end with itself suffices.
        let with_others = !protocol.same.is_some_and(|same| same.contains(short));
        for one in speakers {
            let number = |speaker: &Speaker<'_>, setting: &str| {
                speaker.settings.get(setting).and_then(|s| s.canonical.parse::<u64>().ok())
            };
            let (Some(limit), Some(mine)) = (number(one, long), one.settings.get(long)) else {
                continue;
            };
            let too_slow = |other: &&Speaker<'_>| {
                (with_others || other.port == one.port)
                    && number(other, short).is_some_and(|time| time >= limit)
            };
            let is_own = |other: &&Speaker<'_>| other.port == one.port;
            let slow = speakers.iter().filter(too_slow);
            let Some(other) = slow.clone().find(is_own).or_else(|| slow.clone().next()) else {
                continue;
            };
            let Some(theirs) = other.settings.get(short) else { continue };
            let message = format!(
                "the `{}` of {title} at `{}` ({}) is not longer than the `{}` of `{}` ({})",
                mine.option, one.name, mine.text, theirs.option, other.name, theirs.text
            );
            let help = format!(
                "what a neighbour sent would expire before the next; let `{}` be several times \
                 `{}`",
                mine.option, theirs.option
            );
            let finding = Diagnostic::error(mine.span, message).with_help(help);
            report
                .lowerable(Lint::Neighbours, finding.with_related(theirs.span, "the shorter time"));
        }
    }
}

/// Checks that each speaker of IS-IS meets another: on a level that both have; on level 1, in the
/// same area (ISO 10589, section 8.4.2).
fn check_levels(speakers: &[Speaker<'_>], report: &mut Report<'_>) {
    let text = |speaker: &Speaker<'_>, setting: &str| {
        speaker.settings.get(setting).map_or(String::new(), |setting| setting.text.clone())
    };
    let levels = |speaker: &Speaker<'_>| match text(speaker, "level").as_str() {
        "level-1" => [true, false],
        "level-1-2" => [true, true],
        _ => [false, true],
    };
    let meet = |one: &Speaker<'_>, other: &Speaker<'_>| {
        let ([one_1, one_2], [other_1, other_2]) = (levels(one), levels(other));
        (one_2 && other_2) || (one_1 && other_1 && text(one, "area") == text(other, "area"))
    };
    for (index, one) in speakers.iter().enumerate() {
        let others = || speakers.iter().filter(|other| other.port.node != one.port.node);
        let Some(other) = others().next() else { continue };
        // Of two that do not meet, the second one is reported.
        let is_first_of_two = speakers.len() == 2 && index == 0;
        if is_first_of_two || others().any(|other| meet(one, other)) {
            continue;
        }
        let describe = |speaker: &Speaker<'_>| {
            format!("{} of area {}", text(speaker, "level"), text(speaker, "area"))
        };
        let message = format!(
            "`{}` and `{}` are to be neighbours by IS-IS, but have no level in common: {} and {}",
            other.name,
            one.name,
            describe(other),
            describe(one)
        );
        let help = "give both ends the same `level`; on level 1, the same `area`, too";
        let finding = Diagnostic::error(one.span, message).with_help(help);
        report.lowerable(Lint::Neighbours, finding.with_related(other.span, "the other end"));
    }
}
