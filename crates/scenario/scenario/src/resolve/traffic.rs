//! Traffic between nodes: who sends what to whom.

use netloom_link::Stream;
use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;

use super::names;
use super::processes::check_time;
use super::references::References;
use super::report::Report;
use crate::decode::Spanned;
use crate::diagnostic::Diagnostic;
use crate::raw::{RawPing, RawPlaces, RawScenario, RawTraffic, RawUdp};
use crate::span::Span;
use crate::spec::{Sends, Start, Traffic};

/// The discard service (RFC 863).
const DISCARD: u16 = 9;
/// What ping(8) sends where nothing is said.
const PING_INTERVAL: Duration = Duration::from_secs(1);
const PING_PAYLOAD: u32 = 56;
/// The most that an IPv4 packet has room for behind the headers of IP and ICMP.
const LONGEST_PAYLOAD: u32 = 65_507;

/// Resolves all entries.
pub(super) fn resolve(
    raw: &RawScenario,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<Traffic> {
    let names = || raw.traffic.iter().filter_map(|entry| entry.name.as_ref());
    names().for_each(|name| names::check("traffic", &name.value, name.span, report));
    names::unique("entries of traffic", names(), report);
    raw.traffic.iter().filter_map(|entry| one(raw, entry, references, report)).collect()
}

fn one(
    raw: &RawScenario,
    entry: &Spanned<RawTraffic>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<Traffic> {
    let start = entry.start.as_ref();
    if let Some(start) = start {
        check_time(raw, start, "traffic", report);
    }
    let mut missing = |is_missing: bool, key, help| {
        if is_missing {
            report.missing(entry.id, entry.span, key, help);
        }
    };
    missing(entry.name.is_none(), "name", "name the traffic, like `name: voice`");
    missing(entry.from.is_none(), "from", "say who sends, like `from: a`");
    missing(entry.to.is_none(), "to", "say who receives, like `to: b`");
    let from = entry.from.as_ref().map(|from| senders(from, references, report));
    let to = entry.to.as_ref().filter(|to| references.node_with_stack(to, report));
    let sends = sends(entry, report);
    let start = start.map_or(Some(Start::At(Duration::ZERO)), |start| {
        references.start(&start.value, report)
    });
    Some(Traffic {
        name: entry.name.as_ref()?.value.clone(),
        from: from?,
        to: to?.value.clone(),
        family: entry.family,
        sends: sends?,
        start: start?,
        lasts: entry.lasts.as_ref().map(|lasts| lasts.value.0),
        background: entry.background,
    })
}

/// The names of the nodes that send.
fn senders(
    from: &Spanned<RawPlaces>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<String> {
    let mut known = |name: &Spanned<String>| {
        references.node_with_stack(name, report).then(|| name.value.clone())
    };
    match &from.value {
        RawPlaces::Node(name) => {
            let name = Spanned { value: name.clone(), span: from.span, id: from.id };
            known(&name).into_iter().collect()
        }
        RawPlaces::Nodes(names) => names.iter().filter_map(known).collect(),
        RawPlaces::Group(of) => {
            let members = references.members(&of.group, report).unwrap_or_default();
            if let Some(switch) = members.iter().find(|node| node.is_switch()) {
                let message = format!(
                    "group `{}` contains the switch `{}`, which sends nothing of its own",
                    of.group.value, switch.name.value
                );
                let help = "name the hosts and routers, or use a group without switches";
                report.error(Diagnostic::error(of.group.span, message).with_help(help));
            }
            members.iter().map(|node| node.name.value.clone()).collect()
        }
    }
}

/// What an entry sends; reported if that is nothing or more than one thing.
fn sends(entry: &Spanned<RawTraffic>, report: &mut Report<'_>) -> Option<Sends> {
    let models = models(entry);
    if let Some((_, _, span)) = models.get(1) {
        let message = "traffic has one model";
        report.error(
            Diagnostic::error(*span, message).with_help("make it two entries, or keep one of them"),
        );
        return None;
    }
    let model = models.into_iter().next();
    match (&entry.ping, &entry.udp, model) {
        (Some(ping), None, None) => ping_of(ping, report),
        (None, Some(udp), Some((name, model, span))) => {
            udp_of(entry, udp, (name, model, span), report)
        }
        (Some(_), _, _) => {
            let message = "`ping` stands alone: without `udp` and without a model";
            report.error(
                Diagnostic::error(entry.span, message).with_help("make it two entries of traffic"),
            );
            None
        }
        (None, Some(udp), None) => {
            if !report.is_incomplete(entry.id) {
                let message = "this traffic has no model, which says when what is sent";
                let help = "add one, like `cbr: {rate: 1Mbit/s}`";
                report.error(Diagnostic::error(udp.span, message).with_help(help));
            }
            None
        }
        (None, None, model) => {
            if !report.is_incomplete(entry.id) {
                let span = model.map_or(entry.span, |(_, _, span)| span);
                let message = "this traffic does not say how it is sent";
                let help = "add `udp: {}` and a model, or `ping: {}`";
                report.error(Diagnostic::error(span, message).with_help(help));
            }
            None
        }
    }
}

/// The models that an entry names.
fn models(entry: &RawTraffic) -> Vec<(&'static str, Model, Span)> {
    let cbr = entry.cbr.as_ref().map(|one| (Model::Cbr(one.value.clone()), one.span));
    let poisson = entry.poisson.as_ref().map(|one| (Model::Poisson(one.value.clone()), one.span));
    let on_off = entry.on_off.as_ref().map(|one| (Model::OnOff(one.value.clone()), one.span));
    let ppbp = entry.ppbp.as_ref().map(|one| (Model::Ppbp(one.value.clone()), one.span));
    let written = [cbr, poisson, on_off, ppbp].into_iter().flatten();
    written.map(|(model, span)| (model.name(), model, span)).collect()
}

fn ping_of(ping: &Spanned<RawPing>, report: &mut Report<'_>) -> Option<Sends> {
    let RawPing { interval, count, payload } = &ping.value;
    if let Some(zero) = interval.as_ref().filter(|interval| interval.value.0 == Duration::ZERO) {
        let message = "without time between them, echo requests have no end";
        report.error(Diagnostic::error(zero.span, message).with_help("write like `100ms`"));
        return None;
    }
    if let Some(long) = payload.as_ref().filter(|payload| payload.value > LONGEST_PAYLOAD) {
        let message = format!("{} bytes do not fit into a packet", long.value);
        let help = format!("at most {LONGEST_PAYLOAD} do");
        report.error(Diagnostic::error(long.span, message).with_help(help));
        return None;
    }
    Some(Sends::Ping {
        interval: interval.as_ref().map_or(PING_INTERVAL, |interval| interval.value.0),
        count: count.as_ref().map(|count| count.value),
        payload: payload.as_ref().map_or(PING_PAYLOAD, |payload| payload.value),
    })
}

fn udp_of(
    entry: &RawTraffic,
    udp: &Spanned<RawUdp>,
    (name, model, span): (&str, Model, Span),
    report: &mut Report<'_>,
) -> Option<Sends> {
    let size = entry.size.as_ref().map_or_else(Sizes::default, |size| size.value.clone());
    let tried = model.check().and_then(|()| {
        let tried = model.source(&size, None, &Stream::new(0, ""));
        tried.map(drop).map_err(|error| error.to_string())
    });
    if let Err(why) = tried {
        report.error(Diagnostic::error(span, format!("`{name}` cannot be sent: {why}")));
        return None;
    }
    let dscp = match &udp.dscp {
        None => 0,
        Some(dscp) => match (0..64).filter(|one| dscp.value.contains(*one)).collect::<Vec<_>>()[..]
        {
            [one] => one,
            _ => {
                let message = "packets of one flow have one DSCP";
                report.error(Diagnostic::error(dscp.span, message).with_help("write like `ef`"));
                return None;
            }
        },
    };
    Some(Sends::Udp { port: udp.port.as_ref().map_or(DISCARD, |port| port.value), dscp, model, size })
}
