//! The part of a scenario that one of several machines carries.

use crate::spec::{Endpoint, Scenario};

impl Scenario {
    /// Returns the part with the nodes for which `is_here` returns `true`: these nodes, all links
    /// with an end at one of them, and what is measured there. The timeline, processes, traffic and
    /// expectations are whole: each machine knows what happens on the others.
    #[must_use]
    pub fn part(&self, is_here: impl Fn(&str) -> bool) -> Self {
        let ends_here = |end: &Endpoint| is_here(&end.node);
        let links = self.links.iter().filter(|link| link.endpoints.iter().any(ends_here));
        let mut part = Self {
            nodes: self.nodes.iter().filter(|node| is_here(&node.name)).cloned().collect(),
            links: links.cloned().collect(),
            ..self.clone()
        };
        let measure = &mut part.measure;
        measure.capture.retain(|capture| ends_here(&capture.interface));
        measure.air.retain(|medium| is_here(medium));
        let links = &part.links;
        measure.frames.retain(|name| links.iter().any(|link| link.name == *name));
        part
    }

    /// Returns the links between nodes of several machines, by the machine of each node.
    pub fn cut_links<'s>(
        &'s self,
        machine_of: impl Fn(&str) -> Option<&'s str> + 's,
    ) -> impl Iterator<Item = &'s crate::spec::Link> {
        self.links.iter().filter(move |link| {
            let [a, b] = link.endpoints.each_ref().map(|end| machine_of(&end.node));
            a != b
        })
    }
}
