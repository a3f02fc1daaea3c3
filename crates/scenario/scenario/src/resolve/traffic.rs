//! Traffic between nodes: senders, receivers, transport and model.

mod matrix;
mod recorded;
mod replay;

use std::collections::HashMap;

use netloom_document::{Diagnostic, Span, Spanned};
use netloom_link::{Dscps, FileError, FileFault, Stream};
use netloom_traffic::{FlowsConfig, Model, Sizes};
use netloom_units::Duration;

use super::names;
use super::processes::check_time;
use super::references::References;
use super::report::Report;
use crate::files::{Files, Unreadable};
use crate::raw::{RawParties, RawScenario, RawTcp, RawTraffic, RawUdp};
use crate::spec::{IpFamily, Start, Traffic, Transport};

/// Port of the first entry, if it sets none.
const FIRST_PORT: u16 = 47_000;
/// Shortest and longest frame over UDP in bytes, for IPv4 and IPv6: the shortest contains the
/// headers and the data that receivers need, the longest is not fragmented.
const LENGTHS: [(u32, u32); 2] = [(60, 1514), (80, 1514)];
/// Frames of echo requests of ping(8), for IPv4 and IPv6.
const ECHO: [Sizes; 2] = [Sizes::Constant(98), Sizes::Constant(118)];

/// Resolves all entries.
pub(super) fn resolve(
    raw: &RawScenario,
    references: &References<'_>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> Vec<Traffic> {
    let named = || raw.traffic.iter().filter_map(|entry| entry.value.head.name.as_ref());
    named().for_each(|name| {
        names::check("traffic", &name.value, name.span, report);
    });
    names::unique("traffic entries", named(), report);
    let mut entries = Vec::new();
    let mut taken = Taken::new();
    for (number, entry) in raw.traffic.iter().enumerate() {
        let mut one = One { raw, entry, references, files, taken: &mut taken, report };
        match &entry.value.head.matrix {
            Some(matrix) => entries.extend(one.demands(matrix)),
            // A matrix that could not be decoded has its own finding.
            None if one.report.key(entry.id, &["matrix"]).is_some() => {}
            None => entries.extend(one.resolve(number)),
        }
    }
    entries
}

/// The entry that listens on each port, by node, whether over TCP, and number.
type Taken = HashMap<(String, bool, u16), String>;

/// One entry, and the context that it is resolved in.
struct One<'a, 'r, 't> {
    raw: &'a RawScenario,
    entry: &'a Spanned<RawTraffic>,
    references: &'a References<'a>,
    files: &'a mut Files<'r>,
    taken: &'a mut Taken,
    report: &'a mut Report<'t>,
}

impl One<'_, '_, '_> {
    fn resolve(&mut self, number: usize) -> Option<Traffic> {
        let head = &self.entry.value.head;
        for (is_missing, key, help) in [
            (head.name.is_none(), "name", "name the entry, like `name: voice`"),
            (head.from.is_none(), "from", "say which node sends, like `from: a`"),
            (head.to.is_none(), "to", "say which node receives, like `to: b`"),
        ] {
            if is_missing {
                self.report.missing(self.entry.id, self.entry.span, key, help);
            }
        }
        let start = self.start();
        let from = head.from.as_ref().and_then(|from| self.nodes(from));
        let to = head.to.as_ref().and_then(|to| self.nodes(to));
        let transport = self.transport(number, to.as_deref().unwrap_or_default());
        let (model, sizes) = (self.model(), self.sizes());
        let time = head.time.map(|time| time.0);
        let (from, to, transport, mut model) = (from?, to?, transport?, model?);
        if let [to] = &to[..]
            && from.contains(to)
        {
            self.error(format!("`{to}` would send to itself"), "let another node receive");
            return None;
        }
        let whose = match &transport {
            Transport::Tcp { .. } => Some("over TCP, which makes its own packets"),
            Transport::Frames => Some("on frames of a capture, which have their lengths"),
            Transport::Icmp | Transport::Udp { .. } | Transport::Fluid => None,
        };
        if let (Some(whose), Some(_)) = (whose, &head.size) {
            self.error(format!("`size` has no effect {whose}"), "leave it out");
            return None;
        }
        let sizes = match (&model, sizes?) {
            (Model::Ping(_), None) => ECHO[self.version()].clone(),
            (_, sizes) => sizes.unwrap_or_default(),
        };
        self.check_model(&model, &sizes, &transport)?;
        if let Model::Replay(config) = &mut model {
            self.replay(config, &from, &to)?;
        }
        if !model.ends() {
            self.check_end(model.name());
        }
        let name = head.name.as_ref()?;
        self.take_port(name, &to, &transport);
        Some(Traffic {
            name: name.value.clone(),
            from,
            to,
            family: head.family,
            transport,
            model,
            sizes,
            start,
            time,
            background: head.background,
        })
    }

    /// Returns when it begins.
    fn start(&mut self) -> Start {
        let start = self.entry.value.head.start.as_ref();
        if let Some(start) = start {
            check_time(self.raw, start, "traffic", self.report);
        }
        let start = start.and_then(|start| self.references.start(&start.value, self.report));
        start.unwrap_or(Start::At(Duration::ZERO))
    }

    /// Reports traffic without an end, `what`, that the run would wait for.
    fn check_end(&mut self, what: &str) {
        let head = &self.entry.value.head;
        if head.time.is_none() && !head.background && self.raw.duration.is_none() {
            let help = "add `for: 60s` or `background: true`, or give the run a `duration`";
            self.error(format!("`{what}` never ends, and the run with it"), help);
        }
    }

    /// Reports receivers that would listen on a port of another entry.
    fn take_port(&mut self, name: &Spanned<String>, to: &[String], transport: &Transport) {
        let Some((is_tcp, port)) = transport.port() else { return };
        let mut clash = None;
        for to in to {
            let before = self.taken.insert((to.clone(), is_tcp, port), name.value.clone());
            clash = clash.or(before.map(|first| (to, first)));
        }
        let Some((to, first)) = clash else { return };
        let message =
            format!("traffic `{}` and `{first}` have the same port {port} of `{to}`", name.value);
        self.report
            .error(Diagnostic::error(name.span, message).with_help("give one another `port`"));
    }

    /// Returns the nodes that send, or those that receive.
    fn nodes(&mut self, said: &Spanned<RawParties>) -> Option<Vec<String>> {
        match &said.value {
            RawParties::Node(name) => {
                let node = Spanned { value: name.clone(), span: said.span, id: said.id };
                let is_there = self.references.node_with_stack(&node, self.report);
                is_there.then(|| vec![node.value])
            }
            RawParties::Group(group) => {
                let group = Spanned { value: group.group.clone(), span: said.span, id: said.id };
                let members = super::processes::of_group(&group, self.references, self.report);
                (!members.is_empty()).then_some(members)
            }
        }
    }

    /// Returns the transport and its options.
    fn transport(&mut self, number: usize, to: &[String]) -> Option<Transport> {
        let head = &self.entry.value.head;
        match (&head.udp, &head.tcp) {
            (Some(udp), None) => {
                let RawUdp { port, dscp } = &udp.value;
                let port = self.port(*port, number, (false, to))?;
                Some(Transport::Udp { port, dscp: self.dscp(*dscp)? })
            }
            (None, Some(tcp)) => {
                let RawTcp { port, dscp, congestion_control } = &tcp.value;
                let port = self.port(*port, number, (true, to))?;
                let congestion_control = congestion_control.as_ref().map(|name| name.value.clone());
                Some(Transport::Tcp { port, dscp: self.dscp(*dscp)?, congestion_control })
            }
            (Some(_), Some(_)) => {
                self.error("it goes over `udp` or `tcp`, not both".into(), "keep one of them");
                None
            }
            (None, None) if self.entry.value.rest.0.ping.is_some() => Some(Transport::Icmp),
            (None, None) if self.entry.value.rest.0.replay.is_some() => Some(Transport::Frames),
            (None, None) if self.report.is_incomplete(self.entry.id) => None,
            (None, None) => {
                let help = "add `udp: {}` or `tcp: {}`";
                self.error("it does not say what it goes over".into(), help);
                None
            }
        }
    }

    /// Returns the port in the file, or else the first port plus the entry's number, or, past the
    /// last port, the first one that is free at all its receivers.
    fn port(&mut self, port: Option<u16>, number: usize, at: (bool, &[String])) -> Option<u16> {
        if port == Some(0) {
            self.error("nothing listens on port 0".into(), "write a port from 1 to 65535");
            return None;
        }
        let numbered = || FIRST_PORT.checked_add(u16::try_from(number).ok()?);
        let (is_tcp, to) = at;
        let is_free =
            |port: &u16| !to.iter().any(|to| self.taken.contains_key(&(to.clone(), is_tcp, *port)));
        let free = || (FIRST_PORT..=u16::MAX).find(is_free);
        let found = port.or_else(numbered).or_else(free);
        if found.is_none() {
            let message = format!("its receivers have no port from {FIRST_PORT} on left");
            self.error(message, "give it a `port`, or send to others");
        }
        found
    }

    /// Returns the index of the IP version in [`LENGTHS`] and [`ECHO`].
    fn version(&self) -> usize {
        usize::from(self.entry.value.head.family == Some(IpFamily::Ipv6))
    }

    /// Returns the DSCP, if there is one. The outer `None` means that there are several.
    fn dscp(&mut self, dscps: Option<Dscps>) -> Option<Option<u8>> {
        let Some(dscps) = dscps else { return Some(None) };
        let all: Vec<u8> = dscps.iter().collect();
        if let [one] = all[..] {
            return Some(Some(one));
        }
        let message = format!("packets have one DSCP, not {}", all.len());
        self.error(message, "write one, like `dscp: ef`");
        None
    }

    /// Returns the one model in the file, with the data of its files.
    fn model(&mut self) -> Option<Model> {
        let mut written = self.entry.value.rest.0.written();
        match written.len() {
            1 => {}
            0 if self.report.is_incomplete(self.entry.id) => return None,
            0 => {
                let names: Vec<_> =
                    Model::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
                let help = format!("add a model: {}", names.join(", "));
                self.error("it does not say what is sent".into(), &help);
                return None;
            }
            _ => {
                let names: Vec<_> = written.iter().map(Model::name).collect();
                let message = format!("it has more than one model: {}", names.join(", "));
                self.error(message, "keep one of them; several entries add up");
                return None;
            }
        }
        let mut model = written.remove(0);
        let loaded = model.load(&mut |name| self.files.text(name));
        self.read(loaded).map(|()| model)
    }

    /// Returns the lengths of frames if the file sets them, with the data of their own file. The
    /// outer `None` means that this file cannot be read.
    fn sizes(&mut self) -> Option<Option<Sizes>> {
        let Some(mut sizes) = self.entry.value.head.size.clone() else { return Some(None) };
        let loaded = sizes.value.load(&mut |name| self.files.text(name));
        self.read(loaded).map(|()| Some(sizes.value))
    }

    /// Reports files that could not be read.
    fn read(&mut self, loaded: Result<(), Vec<FileError<Unreadable>>>) -> Option<()> {
        let Err(errors) = loaded else { return Some(()) };
        for FileError { property, file, what, cause } in errors {
            let span = self.report.scalar(self.entry.id, &file).unwrap_or(self.entry.span);
            let (why, help) = match cause {
                FileFault::Unreadable(Unreadable { reason, help }) => (reason, help),
                FileFault::Malformed(error) => (format!("it is no {what}: {error}"), None),
            };
            let message = format!("`{property}` cannot use {file}: {why}");
            self.report.error(Diagnostic::error(span, message).with_optional_help(help));
        }
        None
    }

    /// Reports traffic that real nodes cannot send.
    fn check_model(&mut self, model: &Model, sizes: &Sizes, transport: &Transport) -> Option<()> {
        match (transport, model) {
            (Transport::Frames, Model::Replay(_)) => return Some(()),
            (Transport::Frames, _) => {
                self.error("it has more than one model".into(), "keep `replay` or the other");
                return None;
            }
            (_, Model::Replay(_)) => {
                let message = "`replay` goes over neither `udp` nor `tcp`".into();
                self.error(message, "leave it out: frames of a capture have their own headers");
                return None;
            }
            _ => {}
        }
        match transport {
            Transport::Tcp { .. } => return self.check_over_tcp(model),
            Transport::Udp { .. } if matches!(model, Model::Ping(_)) => {
                let help =
                    "leave `udp` out; in emulated runs, measure with a process that runs ping";
                self.error("`ping` goes over neither `udp` nor `tcp`".into(), help);
                return None;
            }
            Transport::Icmp if !matches!(model, Model::Ping(_)) => {
                self.error("it has more than one model".into(), "keep `ping` or the other");
                return None;
            }
            Transport::Udp { .. } | Transport::Icmp | Transport::Frames | Transport::Fluid => {}
        }
        // Whether the model can send does not depend on its random numbers.
        let source = model.source(sizes, None, &Stream::new(0, ""));
        if let Err(error) = source {
            self.error(error.to_string(), "see docs/traffic.md for what the models need");
            return None;
        }
        let (shortest, longest) = sizes.law().ok()?.range();
        let lengths = LENGTHS[self.version()];
        if shortest < lengths.0 || longest > lengths.1 {
            let (shortest, longest) = lengths;
            let message = format!("frames over UDP have from {shortest}B to {longest}B here");
            self.error(message, "write such a `size`; a longer packet would be fragmented");
            return None;
        }
        if let Some(changed) = recorded::changed(model, lengths) {
            let help = "headers and what receivers need take the shortest length, and the MTU is \
                        taken for 1500; `replay` sends frames as they are";
            self.warn(changed, help);
        }
        Some(())
    }

    /// Reports models that TCP cannot carry.
    fn check_over_tcp(&mut self, model: &Model) -> Option<()> {
        match model {
            Model::Bulk(_) | Model::Http(_) => return Some(()),
            Model::Flows(FlowsConfig { rate: Some(_), .. }) => {
                let message = "`rate` of `flows` has no effect over TCP".into();
                self.error(message, "leave it out: TCP sends as fast as it can");
                return None;
            }
            Model::Flows(_) | Model::OnOff(_) | Model::Ppbp(_) => {}
            _ => {
                let message = format!("`{}` is not sent over TCP", model.name());
                let help = "over TCP there are `bulk`, `flows`, `http`, `on_off` and `ppbp`; send \
                            others over `udp`";
                self.error(message, help);
                return None;
            }
        }
        // Whether the model can send does not depend on its random numbers.
        if let Err(error) = model.transfers(&Stream::new(0, "")) {
            self.error(error.to_string(), "see docs/traffic.md for what the models need");
            return None;
        }
        Some(())
    }

    /// Reports an error of the whole entry, at its name if it has one.
    fn error(&mut self, message: String, help: &str) {
        self.report_as(Diagnostic::error, &message, help);
    }

    fn warn(&mut self, message: String, help: &str) {
        self.report_as(Diagnostic::warning, &message, help);
    }

    fn report_as(&mut self, kind: fn(Span, String) -> Diagnostic, message: &str, help: &str) {
        let head = &self.entry.value.head;
        let span = head.name.as_ref().map_or(self.entry.span, |name| name.span);
        let name = head.name.as_ref().map_or("", |name| &name.value);
        let message = format!("traffic `{name}`: {message}");
        self.report.error(kind(span, message).with_help(help));
    }
}
