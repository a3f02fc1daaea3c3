//! Changes to links while the network lives. Not here: who asked for them, and their records.

use anyhow::{Context, Result, bail};
use netloom_api::change::LinkChange;
use netloom_fabric::PipeId;
use netloom_link::{PipeChange, UnreadFile};
use netloom_scenario::{Direction, Endpoint, Link};
use netloom_units::Time;

use super::{Live, LiveNetwork};
use crate::deployment::Deployment;
use crate::interfaces;

/// Applies all changes at one instant, or none of them.
pub fn change(network: &LiveNetwork, changes: &[LinkChange]) -> Result<Time> {
    network.with_deployment(|live, deployment| change_live(live, deployment, changes))
}

/// Applies all changes at one instant, or none of them, to the `live` network, which the caller
/// holds and in which `deployment` is in force.
pub fn change_live(live: &Live, deployment: &Deployment, changes: &[LinkChange]) -> Result<Time> {
    let Some(simulated) = &live.simulated else {
        return change_real(live, deployment, changes, |apply| apply());
    };
    if simulated.follows() {
        bail!(
            "links of a symbiotic run cannot be changed by hand: pipes between real hosts do what \
             the simulation says, and the simulation is to be the same when it is repeated; write \
             the change into the `timeline`"
        );
    }
    let (of_simulated, real): (Vec<_>, Vec<_>) =
        changes.iter().cloned().partition(|change| simulated.has(&change.link));
    if of_simulated.is_empty() {
        return change_real(live, deployment, changes, |apply| apply());
    }
    of_simulated.iter().try_for_each(check)?;
    if real.is_empty() {
        return simulated.change(&of_simulated);
    }
    // The simulated part checks its changes, and then stands still until the real part has
    // changed, so that both do so at the same time, or neither does.
    change_real(live, deployment, &real, |apply| simulated.change_with(&of_simulated, apply))
}

/// Returns an error for an empty change, or one that names a file, which must be read before.
fn check(change: &LinkChange) -> Result<()> {
    if change.change.is_empty() {
        bail!("the change to link `{}` says nothing", change.link);
    }
    if let Some(UnreadFile { property, file }) = change.change.unread_file() {
        bail!(
            "`{property}` of link `{}` names the file `{file}`, which the engine does not open; \
             send its values too, as `{{\"file\": NAME, \"values\": […]}}`",
            change.link
        );
    }
    Ok(())
}

/// Applies changes to links of the data plane. `commit` receives what applies them, and what can
/// fail has been checked by then.
fn change_real(
    live: &Live,
    deployment: &Deployment,
    changes: &[LinkChange],
    commit: impl FnOnce(&mut dyn FnMut() -> Result<Time>) -> Result<Time>,
) -> Result<Time> {
    let mut batch = Vec::with_capacity(changes.len() * 2);
    for change in changes {
        let link = deployment.modelled(&change.link)?;
        check(change)?;
        let mut resolved = change.change.clone();
        if let Some(asked) = &mut resolved.compensate {
            *asked = deployment.compensation(&change.link, *asked)?;
        }
        for direction in directions(change.direction) {
            let direction = *direction;
            batch.push((PipeId { link, direction }, resolved.clone()));
        }
    }
    check_backgrounds(live, &batch)?;
    let paced = live.paced.orders(&live.dataplane, deployment, &batch)?;
    let mut apply =
        || live.dataplane.change(&batch).context("the data plane did not take the change");
    let at = change_carriers(live, deployment, changes, || commit(&mut apply))?;
    live.paced.follow(live, &deployment.scenario, &paced)?;
    Ok(at)
}

/// Applies changes. Frames that interfaces drop because a link is cut are not counted as read too
/// late by the engine.
fn change_carriers(
    live: &Live,
    deployment: &Deployment,
    changes: &[LinkChange],
    apply: impl FnOnce() -> Result<Time>,
) -> Result<Time> {
    let switched: Vec<&Link> = changes
        .iter()
        .filter(|change| change.change.state.is_some())
        .filter_map(|change| deployment.scenario.link(&change.link))
        .collect();
    if switched.is_empty() {
        return apply();
    }
    // One change at a time: the account compares the counts before and after it.
    let _turn = live.overflow.turn();
    let ends = |link: &&Link| deployment.interfaces_of(link).collect::<Vec<_>>();
    let all: Vec<Endpoint> = switched.iter().flat_map(ends).collect();
    let is_cut = |link: &&Link| {
        deployment.links.get(&link.name).is_some_and(|id| live.dataplane.is_cut(*id))
    };
    let at_first = interfaces::states(&live.network, &all)?;
    let before: Vec<bool> = switched.iter().map(is_cut).collect();
    let at = apply()?;
    let after: Vec<bool> = switched.iter().map(is_cut).collect();
    let became = |cut: bool| -> Vec<Endpoint> {
        let states = switched.iter().zip(before.iter().zip(&after));
        let changed = states.filter(|(_, (before, after))| before != after && **after == cut);
        changed.flat_map(|(link, _)| ends(link)).collect()
    };
    live.overflow.lost(&at_first, &became(true));
    let restored = became(false);
    if !restored.is_empty() {
        live.overflow.restored(&live.network, &restored)?;
    }
    Ok(at)
}

/// Returns the pipes of a direction.
fn directions(direction: Direction) -> &'static [netloom_link::Direction] {
    use netloom_link::Direction::{Forward, Reverse};
    match direction {
        Direction::Both => &[Forward, Reverse],
        Direction::Forward => &[Forward],
        Direction::Reverse => &[Reverse],
    }
}

/// Refuses background traffic that does not fit a pipe with all changes of `batch` applied.
fn check_backgrounds(live: &Live, batch: &[(PipeId, PipeChange)]) -> Result<()> {
    let concerns = |change: &PipeChange| !change.concerns_background().is_empty();
    if !batch.iter().any(|(_, change)| concerns(change)) {
        return Ok(());
    }
    for pipe in live.dataplane.pipes().context("the pipes cannot be looked at")? {
        let of_pipe = || batch.iter().filter(|(id, _)| *id == pipe.id).map(|(_, change)| change);
        let is_new = of_pipe().any(|change| change.background.is_some());
        if is_new || pipe.config.background.has_fluid() && of_pipe().any(concerns) {
            let mut config = pipe.config.clone();
            of_pipe().for_each(|change| change.apply_to(&mut config));
            config.background.check(&config).context("`background` cannot be")?;
        }
    }
    Ok(())
}
