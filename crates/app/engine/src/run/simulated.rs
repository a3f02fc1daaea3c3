//! Traffic of the simulated part of a run.

use std::sync::Arc;
use std::time::Duration;

use netloom_api::in_words;
use netloom_units::Time;

use super::shared::Run;
use crate::simulated::Simulated;
use crate::symbiosis::Symbiosis;

/// Period of checks whether all foreground traffic is over.
const LOOK: Duration = Duration::from_millis(200);

impl Run {
    /// Returns the coupling of a small network with a simulation, in a symbiotic run.
    pub(super) fn symbiosis(&self) -> Option<Arc<Symbiosis>> {
        self.network().with(|live| Ok(live.symbiosis.clone())).ok().flatten()
    }

    /// Returns the simulated part of the network, if there is one.
    pub(super) fn simulated(&self) -> Option<Arc<Simulated>> {
        self.network().with(|live| Ok(live.simulated.clone())).ok().flatten()
    }
}

/// Waits for the end of foreground traffic between simulated nodes, in the simulation of a
/// symbiotic run, or for the end of the run.
pub async fn follow(run: Run, symbiosis: Arc<Symbiosis>) -> Result<(), String> {
    let zero = run.state().begun();
    let since = |over: Time| zero + over.since(Time::ZERO);
    while symbiosis.done_at().is_none_or(|over| since(over) > run.now()) {
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = run.end().asked() => return Ok(()),
        }
    }
    Ok(())
}

/// Starts traffic between simulated nodes with the run, and waits for the end of foreground
/// traffic, or of the run.
pub async fn send(run: Run, simulated: Arc<Simulated>) -> Result<(), String> {
    let failed = |error: anyhow::Error| in_words(error.as_ref());
    let zero = run.state().begun();
    let begun = || simulated.begin_traffic(zero);
    tokio::task::block_in_place(begun).map_err(failed)?;
    loop {
        let over = tokio::task::block_in_place(|| simulated.done_at()).map_err(failed)?;
        if over.is_some_and(|over| over <= run.now()) {
            return Ok(());
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = run.end().asked() => return Ok(()),
        }
    }
}
