//! Another scenario in the place of the one in force. What changes is planned (`netloom-plan`; inside nodes, `software`),
//! told (`telling`), and done step by step (`steps`); a step that fails takes back those before it. Not here: deciding
//! what changes about the network.

mod software;
mod steps;
mod telling;

use std::path::Path;
use std::sync::{Arc, PoisonError};

use anyhow::{Context, Result, bail};
use netloom_api::apply::{ApplyRequest, ApplyResponse, ApplyStep};
use netloom_api::event::What;
use netloom_plan::change::{Changes, Network, Operation, changes};
use netloom_plan::{Plan, keep_addresses};
use netloom_scenario::Scenario;

use super::{Experiment, links};
use crate::drawn::Drawn;
use crate::end::End;
use crate::monitoring::limits;
use crate::overflow::Look;
use software::Software;
use steps::Steps;

/// Of what is refused for want of something, before anything is done.
const UNCHANGED: &str = "nothing has changed";

/// What is to be done.
struct Intended<'e> {
    plan: Plan,
    changes: Changes,
    /// What nodes are to see and run.
    software: Software<'e>,
    /// The same in words.
    steps: Vec<ApplyStep>,
    notes: Vec<String>,
}

impl Experiment {
    /// Makes the network what another scenario says, or only says what would be done. To be called on a thread of the
    /// runtime that may wait.
    pub fn apply(self: &Arc<Self>, request: ApplyRequest, end: &End) -> Result<ApplyResponse> {
        let ApplyRequest { mut scenario, file, dry_run } = request;
        scenario.share_data();
        let _turn = self.applying.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.drawn();
        self.check(&old.scenario, &scenario)?;
        scenario.monitor = old.scenario.monitor.clone();
        // With the addresses that there are already.
        let plan = netloom_plan::plan(&keep_addresses(&scenario, &old.scenario, &old.plan)?)?;
        let intended = self.intend(&old, (&scenario, plan), &file, end).context(UNCHANGED)?;
        let Intended { plan, changes, software, steps, mut notes } = intended;
        if dry_run {
            return Ok(ApplyResponse { steps, notes, at: None });
        }
        let reserved = self.publisher.reserve(&scenario).context(UNCHANGED)?;
        let numbers = self.numbers.of(&scenario);
        // A node that is made anew has its number, and another namespace.
        let is_watched_otherwise = !numbers.has_nodes_of(&old)
            || !changes.replaced_nodes.is_empty()
            || changes.operations.iter().any(is_limit);
        let anew = changes.replaced_nodes.clone();
        let mut new = Drawn::new(scenario, plan, numbers, file);
        new.direct_at_start = counted_from(&old, &new, &changes);
        let new = Arc::new(new);
        Steps::new(self, old, Arc::clone(&new), software).carry_out(changes)?;
        notes.extend(self.with_live(|live| Ok(live.network.take_problems()))?);
        let at = self.now();
        let is_anew = |node: &str| anew.iter().any(|(name, _)| name == node);
        let served = self.publisher.serve(self, reserved, is_anew);
        let at = (!steps.is_empty()).then_some(at);
        if let Some(at) = at {
            if is_watched_otherwise {
                self.watch_nodes(&new);
            }
            self.events.record(at, What::Applied { steps: steps.clone() });
        }
        served.context("the network is as its scenario says by now, but for published ports")?;
        Ok(ApplyResponse { steps, notes, at })
    }

    /// Works out what is to be done, and looks for all that it takes; nothing is done.
    fn intend<'e>(
        self: &'e Arc<Self>,
        old: &Drawn,
        (scenario, plan): (&Scenario, Plan),
        file: &Path,
        end: &'e End,
    ) -> Result<Intended<'e>> {
        let directory = file.parent().unwrap_or(Path::new("/"));
        let (mut software, inside) =
            Software::prepare(self, end, old, (scenario, &plan, directory))?;
        self.with_live(|live| Ok(live.network.check(&old.plan, &plan)?))?;
        let observed = self.observed(old)?;
        let before = Network { scenario: &observed, plan: &old.plan };
        let changes = changes(before, Network { scenario, plan: &plan }, &inside);
        software.without(&changes.replaced_nodes);
        let mut steps = telling::steps(&old.scenario, scenario, &changes);
        steps.extend(telling::restarts(software.restarts()));
        let notes = telling::notes(&old.scenario, scenario, self.has_moved(file));
        Ok(Intended { plan, changes, software, steps, notes })
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
        if !self.services.is_idle() && self.begun.get().is_none() {
            bail!(
                "what runs from the start in `{}` is still being started; wait until it is deployed",
                old.name
            );
        }
        let fixed = [
            ("name", old.name != new.name),
            ("seed", old.seed != new.seed),
            ("monitor", self.told_monitor != new.monitor),
            ("workers", old.workers != new.workers),
        ];
        if let Some((key, _)) = fixed.into_iter().find(|(_, differs)| *differs) {
            bail!(
                "`{key}` of the scenario has changed, which holds for an experiment from its beginning to its end; \
                 `netloom destroy {0}` and deploy it again, or take the change back",
                old.name
            );
        }
        Ok(())
    }

    /// The scenario in force, with links as they have been set since.
    fn observed(&self, drawn: &Drawn) -> Result<Scenario> {
        let pipes = self.with_live(|live| Ok(live.dataplane.pipes()?))?;
        let mut pipes = links::by_link(pipes);
        let mut observed = drawn.scenario.clone();
        for link in observed.links.iter_mut().filter(|link| !link.direct) {
            let id = links::modelled(drawn, &link.name)?;
            let [forward, reverse] = pipes.remove(&id).ok_or_else(|| links::missing(&link.name))?;
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

fn is_limit(operation: &Operation) -> bool {
    matches!(operation, Operation::Limits { .. } | Operation::SharedLimits(_))
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
