//! The simulated part of a hybrid run as a carrier, and as a companion of the data plane.

use std::sync::{Arc, mpsc};

use anyhow::Result;
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::in_words;
use netloom_api::simulation::SimulationSummary;
use netloom_api::state::LinkStatus;
use netloom_api::summary::Mode;
use netloom_course::{Carrier, Prepared};
use netloom_link::Window;
use netloom_results::MediaSample;
use netloom_units::{Duration, Time};

use super::{Simulated, SimulatedBorder};
use crate::companion::{Begin, Border, Busy, Companion, Went};

/// Load of the thread of a simulation, as a part of a second, from which on it may at times be
/// late.
const BUSY: f64 = 0.8;

/// The simulated part of a hybrid run.
pub struct Hybrid(pub Arc<Simulated>);

impl Carrier for Hybrid {
    fn has(&self, link: &str) -> bool {
        self.0.has(link)
    }

    fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        self.0.links(window)
    }

    fn media(&self, _with_neighbours: bool) -> Result<MediaSample> {
        Ok(netloom_simulate::media(&self.0.look_at_media()?, &self.0.network.scenario))
    }

    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let nodes = &self.0.network.scenario.nodes;
        let named = |sample: netloom_sim::MediumSample| {
            Some((nodes.get(sample.medium.0 as usize)?.name.clone(), sample.air))
        };
        Ok(self.0.sample_media()?.into_iter().filter_map(named).collect())
    }

    fn flows(&self) -> Result<Vec<FlowStatus>> {
        self.0.flows()
    }

    /// Prepares changes. The simulation stands still until they are made or dropped.
    fn prepare<'c>(&'c self, changes: &[LinkChange]) -> Result<Box<dyn Prepared + 'c>> {
        let all = self.0.pipe_changes(changes)?;
        let (checked, check) = mpsc::sync_channel(1);
        let (commit, committed) = mpsc::sync_channel::<Option<Time>>(1);
        let changed = self.0.request(move |driver| {
            let possible = driver.check(&all);
            let is_possible = possible.is_ok();
            let is_awaited = checked.send(possible).is_ok();
            // If the changes are dropped, nobody commits them.
            match (is_possible && is_awaited).then(|| committed.recv()) {
                Some(Ok(Some(at))) => driver.change_at(at, &all).map(|()| at),
                Some(Ok(None)) => driver.change(&all),
                Some(Err(_)) | None => Ok(Time::ZERO),
            }
        })?;
        check.recv().map_err(|_| self.0.why_ended())??;
        Ok(Box::new(PreparedChanges { simulated: &self.0, commit, changed }))
    }
}

/// Changes that the simulation has checked, and for which it stands still.
struct PreparedChanges<'s> {
    simulated: &'s Simulated,
    commit: mpsc::SyncSender<Option<Time>>,
    changed: mpsc::Receiver<Result<Time>>,
}

impl Prepared for PreparedChanges<'_> {
    fn commit(&mut self, at: Option<Time>) -> Result<Time> {
        // If this fails, so does the next line.
        let _ = self.commit.send(at);
        self.changed.recv().map_err(|_| self.simulated.why_ended())?
    }

    fn settle(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

impl Companion for Hybrid {
    fn begin(&self, begin: Begin<'_>) -> Result<()> {
        let zero = begin.zero;
        self.0.ask(move |driver| driver.begin_traffic(zero))
    }

    fn done_at(&self) -> Result<Option<Time>> {
        self.0.ask(|driver| driver.joined.cell().done_at())
    }

    fn has_sampled_flows(&self) -> bool {
        true
    }

    fn finish(&self, zero: Time) -> Option<Went> {
        let mut failures = Vec::new();
        let mut lacks = |what: &str, error: &anyhow::Error| {
            let why = in_words(error.as_ref());
            failures.push(format!("summary.json lacks {what}: {why}"));
        };
        let flows = self.0.flows().inspect_err(|error| lacks("the simulated flows", error));
        let mut flows = flows.unwrap_or_default();
        for flow in &mut flows {
            flow.completed = flow.completed.map(|at| at.counted_from(zero));
        }
        let simulation = self.0.ask(|driver| driver.summary());
        let simulation = simulation.inspect_err(|error| lacks("how the simulation went", error));
        let simulation = simulation.unwrap_or_default();
        let busy = busy(&simulation);
        Some(Went { mode: Mode::Hybrid, simulation, flows, timeline: None, failures, busy })
    }

    fn watch(&self, first: u32, needed: Duration, now: Time) -> Box<dyn Border> {
        Box::new(SimulatedBorder::new(Arc::clone(&self.0), first, needed, now))
    }

    fn stop(&self) {
        self.0.stop();
    }
}

/// Returns why a simulated part may have been late, if it was busy, or if what happened in a second
/// took longer.
fn busy(went: &SimulationSummary) -> Option<Busy> {
    let busiest = went.busiest_second.unwrap_or_default();
    let load = went.highest_load.unwrap_or_default();
    (busiest > BUSY || load > 1.0).then(|| {
        let advice = advice(went);
        let warning = format!(
            "the simulated part was busy for {:.0} % of one second, and may have been late: \
             {advice}; or simulate less, or run with `--simulate`",
            busiest * 100.0
        );
        Busy { advice, warning }
    })
}

/// Returns advice for a simulated part that did not keep up: the dilation at which it would have.
fn advice(went: &SimulationSummary) -> String {
    let load = went.highest_load.unwrap_or_default();
    let took =
        format!("a second of the simulated part took {load:.2} s of its thread on this machine");
    match went.sufficient_dilation() {
        Some(dilation) => format!("{took}, for which a dilation of {dilation} would have sufficed"),
        None => format!("{took}, for which no dilation suffices"),
    }
}
