//! Changes to links while the experiment runs.

use anyhow::{Context, Result, bail};
use netloom_api::change::LinkChange;
use netloom_api::event::{Origin, What};
use netloom_fabric::PipeId;
use netloom_link::UnreadFile;
use netloom_scenario::{Direction, Endpoint, Link};
use netloom_units::Time;

use super::{Experiment, Live, links};
use crate::drawn::Drawn;
use crate::overflow;

impl Experiment {
    /// Applies all changes at one instant, or none of them.
    pub fn change(&self, by: Origin, changes: Vec<LinkChange>) -> Result<Time> {
        let at = self.change_unrecorded(&changes)?;
        self.events.record(at, What::Changed { by, changes });
        Ok(at)
    }

    /// Applies all changes at one instant, or none of them; the caller records it.
    pub fn change_unrecorded(&self, changes: &[LinkChange]) -> Result<Time> {
        self.with_live(|live| self.change_live(live, changes))
    }

    /// The same for the `live` network, which the caller holds; nothing is recorded.
    pub(super) fn change_live(&self, live: &Live, changes: &[LinkChange]) -> Result<Time> {
        let drawn = self.drawn();
        let mut batch = Vec::with_capacity(changes.len() * 2);
        for change in changes {
            let link = links::modelled(&drawn, &change.link)?;
            if change.change.is_empty() {
                bail!("the change to link `{}` says nothing", change.link);
            }
            if let Some(UnreadFile { property, file }) = change.change.unread_file() {
                bail!(
                    "`{property}` of link `{}` names the file `{file}`, which the engine does not \
                     open; send its values too, as `{{\"file\": NAME, \"values\": […]}}`",
                    change.link
                );
            }
            for direction in directions(change.direction) {
                let direction = *direction;
                batch.push((PipeId { link, direction }, change.change.clone()));
            }
        }
        self.change_carriers(&drawn, live, changes, || {
            live.dataplane.change(&batch).context("the data plane did not take the change")
        })
    }

    /// Applies changes, and sees to it that what interfaces drop because a link is cut is not taken
    /// for the engine's fault.
    fn change_carriers(
        &self,
        drawn: &Drawn,
        live: &Live,
        changes: &[LinkChange],
        apply: impl FnOnce() -> Result<Time>,
    ) -> Result<Time> {
        let switched: Vec<&Link> = changes
            .iter()
            .filter(|change| change.change.state.is_some())
            .filter_map(|change| drawn.scenario.link(&change.link))
            .collect();
        if switched.is_empty() {
            return apply();
        }
        // One at a time: the account is of what lies between two looks.
        let _turn = self.overflow.turn();
        let ends = |link: &&Link| {
            let ends = link.endpoints.iter().filter(|end| drawn.plan.node(&end.node).is_some());
            ends.flat_map(|end| drawn.scenario.interfaces_at(end)).collect::<Vec<_>>()
        };
        let all: Vec<Endpoint> = switched.iter().flat_map(ends).collect();
        let is_cut =
            |link: &&Link| drawn.links.get(&link.name).is_some_and(|id| live.dataplane.is_cut(*id));
        let look = overflow::look(&live.network, &all)?;
        let before: Vec<bool> = switched.iter().map(is_cut).collect();
        let at = apply()?;
        let after: Vec<bool> = switched.iter().map(is_cut).collect();
        let became = |cut: bool| -> Vec<Endpoint> {
            let states = switched.iter().zip(before.iter().zip(&after));
            let changed = states.filter(|(_, (before, after))| before != after && **after == cut);
            changed.flat_map(|(link, _)| ends(link)).collect()
        };
        self.overflow.lost(&look, &became(true));
        let restored = became(false);
        if !restored.is_empty() {
            self.overflow.restored(&live.network, &restored)?;
        }
        Ok(at)
    }
}

/// The pipes that a direction names.
fn directions(direction: Direction) -> &'static [netloom_link::Direction] {
    use netloom_link::Direction::{Forward, Reverse};
    match direction {
        Direction::Both => &[Forward, Reverse],
        Direction::Forward => &[Forward],
        Direction::Reverse => &[Reverse],
    }
}
