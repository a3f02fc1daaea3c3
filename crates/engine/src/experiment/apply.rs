//! Another scenario in the place of the one in force. What changes is planned (`netloom-plan`), told (`telling`), and
//! done step by step (`steps`); a step that fails takes back those before it. Not here: deciding what changes.

mod steps;
mod telling;

use std::path::Path;
use std::sync::{Arc, PoisonError};

use anyhow::{Result, bail};
use netloom_api::apply::{ApplyRequest, ApplyResponse};
use netloom_api::event::What;
use netloom_plan::change::{Changes, Network, changes};
use netloom_plan::{Plan, keep_addresses};
use netloom_scenario::Scenario;

use super::Experiment;
use crate::drawn::Drawn;
use crate::monitoring::limits;
use crate::overflow::Look;
use steps::Steps;

impl Experiment {
    /// Makes the network what another scenario says, or only says what would be done.
    pub fn apply(&self, request: ApplyRequest) -> Result<ApplyResponse> {
        let ApplyRequest { mut scenario, file, dry_run } = request;
        scenario.share_data();
        let _turn = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.drawn();
        self.check(&old.scenario, &scenario)?;
        scenario.monitor = old.scenario.monitor.clone();
        let (plan, changes) = self.plan(&old, &scenario)?;
        let steps = telling::steps(&old.scenario, &scenario, &changes);
        let mut notes = telling::notes(&old.scenario, &scenario, self.has_moved(&file));
        if dry_run {
            return Ok(ApplyResponse { steps, notes, at: None });
        }
        let numbers = self.numbers.of(&scenario);
        // A node that is made anew has its number, and another namespace.
        let has_other_nodes = old.numbers != numbers || !changes.replaced_nodes.is_empty();
        let mut new = Drawn::new(scenario, plan, numbers, file);
        new.direct_at_start = counted_from(&old, &new, &changes);
        let new = Arc::new(new);
        Steps::new(self, old, Arc::clone(&new)).carry_out(changes)?;
        notes.extend(self.with_live(|live| Ok(live.network.take_problems()))?);
        let at = self.now();
        if steps.is_empty() {
            return Ok(ApplyResponse { steps, notes, at: None });
        }
        if has_other_nodes {
            self.watch_nodes(&new);
        }
        self.events.record(at, What::Applied { steps: steps.clone() });
        Ok(ApplyResponse { steps, notes, at: Some(at) })
    }

    /// What cannot change while the network runs.
    fn check(&self, old: &Scenario, new: &Scenario) -> Result<()> {
        if self.results.is_some() {
            bail!(
                "`{}` is a run: its network changes by its timeline and by `set`, and its results are of one \
                 scenario; `netloom deploy` it for a network that can be changed",
                old.name
            );
        }
        let fixed = [
            ("name", old.name != new.name),
            ("seed", old.seed != new.seed),
            ("monitor", self.told_monitor != new.monitor),
        ];
        if let Some((key, _)) = fixed.into_iter().find(|(_, differs)| *differs) {
            bail!(
                "`{key}` of the scenario has changed, which holds for an experiment from its beginning to its end; \
                 `netloom destroy {0}` and deploy it again, or take the change back",
                old.name
            );
        }
        match fixed_part(old, new) {
            None => Ok(()),
            Some(what) => bail!(
                "{what}, which is set up when an experiment begins; `netloom destroy {0}` and deploy it again, or \
                 take the change back",
                old.name
            ),
        }
    }

    /// The plan of `new`, and what leads there from the network as it is.
    fn plan(&self, old: &Drawn, new: &Scenario) -> Result<(Plan, Changes)> {
        let plan = netloom_plan::plan(&keep_addresses(new, &old.scenario, &old.plan)?)?;
        let observed = self.observed(old)?;
        let before = Network { scenario: &observed, plan: &old.plan };
        if plan.outside != old.plan.outside {
            bail!(
                "links to the outside have changed, which the machine lends when an experiment begins; `netloom destroy \
                 {0}` and deploy it again, or take the change back",
                old.scenario.name
            );
        }
        let changes = changes(before, Network { scenario: new, plan: &plan });
        Ok((plan, changes))
    }

    /// The scenario in force, with links as they have been set since.
    fn observed(&self, drawn: &Drawn) -> Result<Scenario> {
        let pipes = self.with_live(|live| Ok(live.dataplane.pipes()?))?;
        let mut pipes = pipes.into_iter();
        let mut observed = drawn.scenario.clone();
        for link in observed.links.iter_mut().filter(|link| !link.direct) {
            let (Some(forward), Some(reverse)) = (pipes.next(), pipes.next()) else {
                bail!("the data plane knows fewer pipes than the scenario");
            };
            (link.forward, link.reverse) = (forward.config, reverse.config);
        }
        Ok(observed)
    }

    fn has_moved(&self, file: &Path) -> bool {
        file.parent() != self.file.parent()
    }

    /// Has the monitor's probes look at the nodes that there are now.
    fn watch_nodes(&self, new: &Drawn) {
        if new.scenario.monitor.enabled {
            self.news().probes(self);
        }
    }
}

/// What of a node or of the whole cannot change while the network runs, if it has.
fn fixed_part(old: &Scenario, new: &Scenario) -> Option<String> {
    if old.total_limits != new.total_limits || old.group_limits != new.group_limits {
        return Some("`total_limits` have changed".into());
    }
    new.nodes.iter().find_map(|node| {
        let before = old.node(&node.name);
        let differs = |is_empty: bool, same: Option<bool>| !same.unwrap_or(is_empty);
        let parts = [
            ("`limits`", node.limits.is_empty(), before.map(|old| old.limits == node.limits)),
            ("`publish`", node.publish.is_empty(), before.map(|old| old.publish == node.publish)),
            (
                "`services`, `files`, `env`, `binds`, `startup` or `root`",
                node.software.is_empty(),
                before.map(|old| old.software == node.software),
            ),
        ];
        let mut parts = parts.into_iter();
        let (keys, ..) = parts.find(|(_, is_empty, same)| differs(*is_empty, *same))?;
        let has = if before.is_some() { "has other" } else { "is new and has" };
        Some(format!("node `{}` {has} {keys}", node.name))
    })
}

/// From where the ends of direct links are counted that stay; the devices of others are new, and have counted
/// nothing.
fn counted_from(old: &Drawn, new: &Drawn, changes: &Changes) -> Look {
    let direct = new.scenario.links.iter().filter(|link| link.direct);
    let stay = direct.filter(|link| !changes.links.to.contains(&link.name));
    let known = stay
        .flat_map(|link| &link.endpoints)
        .filter_map(|end| Some((end.clone(), old.direct_at_start.get(end)?.clone())));
    known.collect()
}
