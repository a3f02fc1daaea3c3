//! Traffic of demand matrices: an entry for each demand. Not here: the files' formats
//! (`netloom-traffic`).

use std::collections::{HashMap, HashSet};

use netloom_document::{Diagnostic, Span, Spanned};
use netloom_link::{FileError, FileFault};
use netloom_traffic::{CbrConfig, Demand, DemandMatrix, Model};
use netloom_units::{DataFormat, Rate};

use super::super::bad_file::bad_file;
use super::{FIRST_PORT, One};
use crate::raw::{RawMatrix, RawMatrixForm};
use crate::spec::{Traffic, Transport};

impl One<'_, '_, '_> {
    /// Returns an entry `NAME.FROM.TO` for each demand of the matrix. Names of entries and nodes
    /// have no dots.
    pub(super) fn demands(&mut self, matrix: &Spanned<RawMatrix>) -> Vec<Traffic> {
        let head = &self.entry.value.head;
        if head.name.is_none() {
            let help = "name the entry, like `name: demands`";
            self.report.missing(self.entry.id, self.entry.span, "name", help);
        }
        let (start, time) = (self.start(), head.time.map(|time| time.0));
        self.check_end("matrix");
        let is_well = self.check_keys(matrix);
        let sizes = self.sizes();
        let Some(demands) = self.of_file(matrix) else { return Vec::new() };
        let (Some(name), Some(sizes), true) = (&head.name, sizes, is_well) else {
            return Vec::new();
        };
        let sizes = sizes.unwrap_or_default();
        let Some(dscp) = self.dscp(head.udp.as_ref().and_then(|udp| udp.value.dscp)) else {
            return Vec::new();
        };
        let mut ports = Ports { next: HashMap::new(), first: self.raw.traffic.len() };
        let mut entries = Vec::new();
        for (demand, rate) in demands {
            let transport = match matrix.form {
                RawMatrixForm::Fluid => Transport::Fluid,
                RawMatrixForm::Packets => {
                    let Some(port) = ports.of(&demand.to, self.taken) else {
                        let message = format!("`{}` has no port left for it", demand.to);
                        self.error(message, "send fewer demands there");
                        return Vec::new();
                    };
                    self.taken.insert((demand.to.clone(), false, port), name.value.clone());
                    Transport::Udp { port, dscp }
                }
            };
            let model = Model::Cbr(CbrConfig { rate: Some(rate), load: None });
            if entries.is_empty() && self.check_model(&model, &sizes, &transport).is_none() {
                return Vec::new();
            }
            entries.push(Traffic {
                name: format!("{}.{}.{}", name.value, demand.from, demand.to),
                from: vec![demand.from],
                to: vec![demand.to],
                family: head.family,
                transport,
                model,
                sizes: sizes.clone(),
                start: start.clone(),
                time,
                background: head.background,
            });
        }
        entries
    }

    /// Reports keys that have no effect beside a matrix. Returns whether there are none, and the
    /// scale is usable.
    fn check_keys(&mut self, matrix: &RawMatrix) -> bool {
        let head = &self.entry.value.head;
        let has_model = !self.entry.value.rest.0.written().is_empty();
        let is_fluid = matrix.form == RawMatrixForm::Fluid;
        let port = head.udp.as_ref().and_then(|udp| udp.value.port);
        let keys = [
            ("from", head.from.is_some(), "the file has the senders"),
            ("to", head.to.is_some(), "the file has the receivers"),
            ("tcp", head.tcp.is_some(), "its packets go over UDP"),
            ("a model", has_model, "its rates are constant"),
            ("udp: {port: …}", port.is_some(), "each demand has a port of its own"),
            ("udp", is_fluid && head.udp.is_some(), "a fluid has no packets"),
            ("size", is_fluid && head.size.is_some(), "a fluid has no packets"),
        ];
        let mut is_well = true;
        for (key, _, why) in keys.into_iter().filter(|(_, is_there, _)| *is_there) {
            let key = if key == "a model" { key.to_owned() } else { format!("`{key}`") };
            self.error(format!("{key} has no effect beside `matrix`: {why}"), "leave it out");
            is_well = false;
        }
        if matrix.scale.is_some_and(|scale| !is_factor(scale)) {
            self.error("`scale` is not above 0".into(), "write a factor, like `scale: 1.3`");
            is_well = false;
        }
        is_well
    }

    /// Returns the demands of the file with their rates, if all of them can be.
    fn of_file(&mut self, matrix: &RawMatrix) -> Option<Vec<(Demand, Rate)>> {
        let (file, span) = (&matrix.file.value, matrix.file.span);
        let text = self.files.text(file).map_err(FileFault::Unreadable);
        let parsed = text.and_then(|text| DemandMatrix::parse(&text).map_err(FileFault::Malformed));
        let demands = match parsed {
            Ok(matrix) => matrix.demands,
            Err(cause) => {
                let (file, what) = (file.clone(), DemandMatrix::WHAT);
                let error = FileError { property: "matrix", file, what, cause };
                self.report.error(bad_file(error, span));
                return None;
            }
        };
        let is_well = self.check_nodes(file, span, &demands);
        // A wrong scale has its own finding.
        let scale = matrix.scale.filter(|scale| is_factor(*scale)).unwrap_or(1.0);
        let mut rates = Vec::new();
        for demand in demands {
            let Some(rate) = matrix.unit.rate(demand.amount * scale) else {
                let (line, amount) = (demand.line, demand.amount * scale);
                let message = format!("`{file}`, line {line}: {amount} is out of range here");
                let help = "a rate is at least 1bit/s and at most 10Tbit/s: is the `unit` right?";
                self.report.error(Diagnostic::error(span, message).with_help(help));
                return None;
            };
            rates.push((demand, rate));
        }
        is_well.then_some(rates)
    }

    /// Reports each name that is not that of a host or router, where the file has it first.
    /// Returns whether there is none.
    fn check_nodes(&mut self, file: &str, span: Span, demands: &[Demand]) -> bool {
        let known = self.report.node_names();
        let mut wrong: HashSet<&str> = HashSet::new();
        for demand in demands {
            for name in [demand.from.as_str(), &demand.to] {
                let node = self.references.draft(name);
                if node.is_some_and(|node| !node.is_segment()) || !wrong.insert(name) {
                    continue;
                }
                let line = demand.line;
                let (what, help) = match node {
                    Some(_) => (
                        format!("`{name}` is no host or router"),
                        Some("write a node that can send and receive".into()),
                    ),
                    // A node that could not be decoded has its own finding.
                    None if known.contains(name) => continue,
                    None => (
                        format!("there is no node `{name}`"),
                        self.report.did_you_mean(name, "the nodes are", known.iter()),
                    ),
                };
                let message = format!("`{file}`, line {line}: {what}");
                self.report.error(Diagnostic::error(span, message).with_optional_help(help));
            }
        }
        wrong.is_empty()
    }
}

fn is_factor(scale: f64) -> bool {
    scale.is_finite() && scale > 0.0
}

/// Ports of receivers: from behind those of the file's other entries on.
struct Ports {
    next: HashMap<String, u16>,
    /// Number of entries of the file.
    first: usize,
}

impl Ports {
    /// Returns the next free port of a receiver.
    fn of(&mut self, to: &str, taken: &super::Taken) -> Option<u16> {
        let first = u16::try_from(usize::from(FIRST_PORT) + self.first).ok()?;
        let next = self.next.entry(to.into()).or_insert(first);
        let is_free = |port: &u16| !taken.contains_key(&(to.to_owned(), false, *port));
        let port = (*next..=u16::MAX).find(is_free)?;
        *next = port.saturating_add(1);
        Some(port)
    }
}
