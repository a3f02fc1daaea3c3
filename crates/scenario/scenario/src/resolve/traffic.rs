//! Traffic between nodes: who sends what to whom.

use netloom_link::{Dscps, Stream};
use netloom_tcp::Algorithm;
use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;

use super::names;
use super::processes::check_time;
use super::references::References;
use super::report::Report;
use crate::decode::Spanned;
use crate::diagnostic::Diagnostic;
use crate::raw::{RawBulk, RawPing, RawPlaces, RawScenario, RawTcp, RawTraffic, RawUdp};
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
    let start = start
        .map_or(Some(Start::At(Duration::ZERO)), |start| references.start(&start.value, report));
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
    match (&entry.ping, &entry.udp, &entry.tcp, &entry.bulk, model) {
        (Some(ping), None, None, None, None) => ping_of(ping, report),
        (None, Some(udp), None, None, Some(model)) => udp_of(entry, udp, model, report),
        (None, None, Some(tcp), Some(bulk), None) => bulk_of(tcp, bulk, report),
        _ if report.is_incomplete(entry.id) => None,
        _ => {
            let message = "this traffic does not say how it is sent, or says it more than once";
            let help = "it has `ping` alone, `udp` with one model like `cbr: {rate: 1Mbit/s}`, or \
                        `tcp` with `bulk`";
            report.error(Diagnostic::error(entry.span, message).with_help(help));
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
    let dscp = dscp_of(udp.value.dscp.as_ref(), report)?;
    Some(Sends::Udp {
        port: udp.port.as_ref().map_or(DISCARD, |port| port.value),
        dscp,
        model,
        size,
    })
}

fn bulk_of(
    tcp: &Spanned<RawTcp>,
    bulk: &Spanned<RawBulk>,
    report: &mut Report<'_>,
) -> Option<Sends> {
    let RawTcp { port, dscp, congestion_control } = &tcp.value;
    let RawBulk { bytes, connections, max_window, mss } = &bulk.value;
    let dscp = dscp_of(dscp.as_ref(), report)?;
    if let Some(name) = congestion_control
        && let Err(unknown) = name.value.parse::<Algorithm>()
    {
        report.error(Diagnostic::error(name.span, unknown.to_string()));
        return None;
    }
    if let Some(none) = connections.as_ref().filter(|connections| connections.value == 0) {
        let message = "no connection carries nothing";
        report.error(Diagnostic::error(none.span, message).with_help("leave the entry out"));
        return None;
    }
    let window = max_window.as_ref().map(|size| (u32::try_from(size.value.bytes()), size.span));
    if let Some((Err(_), span)) = window {
        report.error(Diagnostic::error(span, "no window is that large (RFC 7323)"));
        return None;
    }
    Some(Sends::Bulk {
        port: port.as_ref().map_or(DISCARD, |port| port.value),
        dscp,
        bytes: bytes.as_ref().map(|bytes| bytes.value.bytes()),
        connections: connections.as_ref().map_or(1, |connections| connections.value),
        congestion_control: congestion_control.as_ref().map(|name| name.value.clone()),
        max_window: window.and_then(|(size, _)| size.ok()),
        mss: mss.as_ref().map(|mss| mss.value),
    })
}

/// The one DSCP of a flow.
fn dscp_of(dscp: Option<&Spanned<Dscps>>, report: &mut Report<'_>) -> Option<u8> {
    let Some(dscp) = dscp else { return Some(0) };
    match (0..64).filter(|one| dscp.value.contains(*one)).collect::<Vec<_>>()[..] {
        [one] => Some(one),
        _ => {
            let message = "packets of one flow have one DSCP";
            report.error(Diagnostic::error(dscp.span, message).with_help("write like `ef`"));
            None
        }
    }
}
