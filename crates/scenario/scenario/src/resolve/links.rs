//! Links: their ends, their names and the configuration of their pipes.

mod ends;

use std::collections::HashMap;

use netloom_document::{Diagnostic, Span, Spanned};
use netloom_link::{PipeChange, PipeConfig};

use super::names;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::raw::{PipeKeys, RawLink, RawTopology};
use crate::spec::{Cut, Endpoint, Link, LinkLoad};
pub(super) use ends::End;

/// A link while it is being resolved.
pub(super) struct LinkDraft<'a> {
    pub raw: &'a Spanned<RawLink>,
    /// `None` if the ends are invalid.
    pub ends: Option<[End<'a>; 2]>,
    pub name: String,
    pub forward: PipeConfig,
    pub reverse: PipeConfig,
    costs: [u32; 2],
    pub cut: Cut,
    loads: [LinkLoad; 2],
}

impl LinkDraft<'_> {
    /// Returns the name that contains both ends in full, which is always unique.
    pub fn full_name(&self) -> Option<String> {
        let [a, b] = self.ends.as_ref()?;
        Some(format!("{}:{}--{}:{}", a.node_name, a.interface, b.node_name, b.interface))
    }

    /// Returns the position of the endpoints.
    pub fn endpoints_span(&self) -> Span {
        self.raw.head.endpoints.as_ref().map_or(self.raw.span, |endpoints| endpoints.span)
    }

    /// Returns the resolved link, unless its ends are invalid.
    pub fn finish(&self) -> Option<Link> {
        let endpoint = |end: &End<'_>| Endpoint {
            node: end.node_name.into(),
            interface: end.interface.clone(),
        };
        let [a, b] = self.ends.as_ref()?;
        Some(Link {
            name: self.name.clone(),
            endpoints: [endpoint(a), endpoint(b)],
            forward: self.forward.clone(),
            reverse: self.reverse.clone(),
            costs: self.costs,
            direct: self.raw.head.direct,
            cut: self.cut,
            loads: self.loads,
        })
    }
}

/// Resolves all links and gives the nodes their interfaces.
pub(super) fn drafts<'a>(
    topology: &'a RawTopology,
    nodes: &mut [NodeDraft<'a>],
    report: &mut Report<'_>,
) -> Vec<LinkDraft<'a>> {
    let mut ends = ends::resolve(&topology.links, nodes, report).into_iter();
    let mut links: Vec<LinkDraft<'a>> = Vec::new();
    for raw in &topology.links {
        // One element for each link.
        let ends = ends.next().flatten();
        links.push(draft(topology, raw, ends, report));
    }
    name(&mut links, report);
    links
}

fn draft<'a>(
    topology: &RawTopology,
    raw: &'a Spanned<RawLink>,
    ends: Option<[End<'a>; 2]>,
    report: &mut Report<'_>,
) -> LinkDraft<'a> {
    let defaults = &topology.defaults.link;
    let both = defaults.rest.change().overlaid(raw.rest.change());
    let pipe = |direction: &PipeChange| {
        let mut config = PipeConfig::default();
        // Properties apply to links that the engine carries, so not to direct ones; and a medium
        // has properties of its own.
        if !raw.head.direct && !raw.head.joins_medium {
            both.overlaid(direction).apply_to(&mut config);
        }
        config
    };
    let (forward, reverse) =
        (pipe(raw.head.forward.rest.change()), pipe(raw.head.reverse.rest.change()));
    let costs = costs(topology, raw, report);
    let cut = raw.head.cut.as_ref().or(defaults.head.cut.as_ref());
    // The engine carries no direct link, and a medium is in one place.
    let is_carried = !raw.head.direct && !raw.head.joins_medium;
    let cut = cut.filter(|_| is_carried).map_or(Cut::Auto, |cut| cut.value);
    let loads = loads(topology, raw);
    LinkDraft { raw, ends, name: String::new(), forward, reverse, costs, cut, loads }
}

/// Returns the expected traffic of both directions.
fn loads(topology: &RawTopology, raw: &RawLink) -> [LinkLoad; 2] {
    let head = &raw.head;
    let both = [topology.defaults.link.head.load, head.load];
    [head.forward.head.load, head.reverse.head.load].map(|own| {
        let mut load = LinkLoad::default();
        if !head.direct && !head.joins_medium {
            let layers = both.iter().chain([&own]).flatten();
            layers.for_each(|layer| layer.lay_over(&mut load));
        }
        load
    })
}

/// Returns the routing costs of both directions.
fn costs(topology: &RawTopology, raw: &Spanned<RawLink>, report: &mut Report<'_>) -> [u32; 2] {
    let head = &raw.head;
    let both = head.cost.or(topology.defaults.link.head.cost);
    let in_defaults = report.value_in_file(&["topology", "defaults", "link", "cost"]);
    let written = [
        (report.value(raw.id, &["cost"]).or(in_defaults), both),
        (report.value(raw.id, &["forward", "cost"]), head.forward.head.cost),
        (report.value(raw.id, &["reverse", "cost"]), head.reverse.head.cost),
    ];
    for (span, _) in written.into_iter().filter(|(_, cost)| *cost == Some(0)) {
        let message = "a cost of 0 would let routes run in circles";
        let finding = Diagnostic::error(span.unwrap_or(raw.span), message);
        report.error(finding.with_help("write 1 or more"));
    }
    let both = both.unwrap_or(1);
    [head.forward.head.cost.unwrap_or(both), head.reverse.head.cost.unwrap_or(both)]
}

/// Names every link: by the user's name, by the short one if no other link has it, or by the full
/// one.
fn name(links: &mut [LinkDraft<'_>], report: &mut Report<'_>) {
    let given = || links.iter().filter_map(|link| link.raw.head.name.as_ref());
    given().for_each(|name| {
        names::check("a link", &name.value, name.span, report);
    });
    names::unique("links", given(), report);
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in given() {
        *uses.entry(name.value.clone()).or_default() += 1;
    }
    let joined = links.iter().filter(|link| link.raw.head.name.is_none()).filter_map(short_name);
    for (name, reverse) in joined {
        *uses.entry(reverse).or_default() += 1;
        *uses.entry(name).or_default() += 1;
    }
    for link in links {
        link.name = match (&link.raw.head.name, short_name(link)) {
            (Some(name), _) => name.value.clone(),
            (None, Some((short, _))) if uses.get(&short) == Some(&1) => short,
            _ => link.full_name().unwrap_or_default(),
        };
    }
}

/// Returns the short name in both orders: `a--b` and `b--a`.
fn short_name(link: &LinkDraft<'_>) -> Option<(String, String)> {
    let [a, b] = link.ends.as_ref()?;
    let (a, b) = (a.node_name, b.node_name);
    Some((format!("{a}--{b}"), format!("{b}--{a}")))
}
