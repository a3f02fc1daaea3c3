//! The link at each interface.

use std::collections::HashMap;

use crate::{Endpoint, Link, Scenario};

/// Links of a scenario, indexed by their ends.
pub struct LinkEnds<'a> {
    at: HashMap<&'a Endpoint, (&'a Link, &'a Endpoint)>,
}

impl<'a> LinkEnds<'a> {
    /// Indexes the links of `scenario` by their ends.
    pub fn of(scenario: &'a Scenario) -> Self {
        let ends = |link: &'a Link| {
            let [a, b] = &link.endpoints;
            [(a, (link, b)), (b, (link, a))]
        };
        Self { at: scenario.links.iter().flat_map(ends).collect() }
    }

    /// Returns the link at an interface and its other end. No interface has two links.
    pub fn at(&self, endpoint: &Endpoint) -> Option<(&'a Link, &'a Endpoint)> {
        self.at.get(endpoint).copied()
    }
}
