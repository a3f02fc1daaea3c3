//! Fails nodes by the timeline, and recovers them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use netloom_api::change::LinkChange;
use netloom_api::event::What;
use netloom_nodes::Killed;
use netloom_scenario::Disk;
use netloom_units::Time;
use tokio::sync::oneshot;

use super::shared::{Happened, Run};
use crate::services;

/// Longest time for killed processes to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Cuts the links of a node at `planned` by `cut`, and kills all processes in it. `disk` says what
/// becomes of its files. Returns `None` if the run ended before.
pub(super) async fn fail(
    run: &Run,
    planned: Time,
    (node, disk): (&str, Disk),
    cut: Vec<LinkChange>,
) -> Option<Happened> {
    let (sender, done) = oneshot::channel();
    let (network, services) = (run.network().clone(), run.context.services.clone());
    let (failing, wanted) = (node.to_owned(), cut.clone());
    run.clockwork.at(planned, move || {
        // The links come first, so that no process can notify its peers.
        let killed = network.change(&wanted).and_then(|at| {
            services.table.fail(&failing);
            Ok((at, network.fail(&failing, disk)?))
        });
        _ = sender.send((network.now(), killed));
    });
    let (happened, outcome) = done.await.ok()?;
    run.observe_lateness(planned, happened);
    let (at, killed) = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Some(run.change_failed(&error)),
    };
    run.record_changed(at, cut);
    run.events().record_at(at, What::NodeFailed { node: node.into() });
    let failure = ended(killed).await.err().map(|error| netloom_api::in_words(error.as_ref()));
    Some(Happened { at: Some(at), failure })
}

async fn ended(killed: Killed) -> Result<()> {
    let wait = move || killed.ended_by(Instant::now() + PATIENCE);
    if !tokio::task::spawn_blocking(wait).await.context("nobody waited for its processes")? {
        bail!("its processes do not end, although they were killed");
    }
    Ok(())
}

/// Makes a failed node work again from `planned` on, and starts its services. Returns `None` if the
/// run ended before.
pub(super) async fn recover(run: &Run, planned: Time, node: &str) -> Option<Happened> {
    if !run.wait_until(planned).await {
        return None;
    }
    Some(recover_now(run, node).await)
}

/// Makes a node work again, if it has failed, and starts its services.
pub(super) async fn recover_now(run: &Run, node: &str) -> Happened {
    let now = run.now();
    let at = Some(now);
    if !run.network().recover(node) {
        return Happened { at, failure: None };
    }
    run.events().record_at(now, What::NodeRecovered { node: node.into() });
    let services = Arc::clone(&run.context.services);
    let start = services.table.again(node);
    if let Some(Err(error)) = start.as_ref().map(|start| services::forget_signs(&services, start)) {
        run.events().warn(netloom_api::in_words(error.as_ref()));
    }
    let starts = start.into_iter().collect();
    let slow = |progress| {
        if let services::Progress::Slow(message) = progress {
            run.events().warn(message);
        }
    };
    let started = match run.network().start_kernel(node).await {
        Ok(()) => services::start(&services, starts, slow).await,
        failed => failed,
    };
    // The end of the run ends its services, too, so that is not a failure.
    let failed = started.err().filter(|_| run.end().reason().is_none());
    Happened { at, failure: failed.map(|error| netloom_api::in_words(error.as_ref())) }
}
