//! What the engine answers at one time, and what happened between two answers. Pure.

use anyhow::Result;
use netloom_api::flow::FlowStatus;
use netloom_api::medium::MediumStatus;
use netloom_api::state::{ModelledPipe, PipeStatus};
use netloom_link::{PipeStatistics, Window};
use netloom_units::{Duration, Time};

use super::super::view::View;
use crate::client::Client;

/// One answer to everything that the page shows.
pub struct Sample {
    /// What `netloom inspect` shows.
    pub view: View,
    /// Shared media with their stations.
    pub media: Vec<MediumStatus>,
    /// Flows of the scenario's traffic.
    pub flows: Vec<FlowStatus>,
}

impl Sample {
    /// Asks the engine for all parts at once.
    pub async fn fetch(client: &Client, window: Option<Window>) -> Result<Self> {
        let (view, media, flows) = tokio::try_join!(
            View::fetch(client, window),
            client.get("/media"),
            client.get("/flows"),
        )?;
        Ok(Self { view, media, flows })
    }

    /// Returns the time of the sample by the experiment's clock.
    pub fn at(&self) -> Time {
        self.view.experiment.now
    }
}

/// What a pipe did in a period: since the sample before, or over the window that was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Recent {
    /// Share of the time in which the line was sending, 0 to 1. `None` without a line.
    pub load: Option<f64>,
    /// Rate at which frames came out, in bit/s.
    pub rate: Option<f64>,
    /// Mean number of frames that waited.
    pub queue: Option<f64>,
    /// Mean queue as a share of its limit. `None` if nothing limits it.
    pub fill: Option<f64>,
    /// Number of frames that were dropped.
    pub dropped: Option<u64>,
}

impl Recent {
    /// Returns what happened from `before` to `now`, or all of `now` without `before`.
    pub fn of(before: Option<&PipeStatus>, now: &PipeStatus) -> Self {
        match now {
            PipeStatus::Modelled(now) => {
                let before = before.and_then(PipeStatus::modelled);
                Self::modelled(before.filter(|before| is_same(before, now)), now)
            }
            PipeStatus::Direct(pipe) => {
                let Some(statistics) = &pipe.statistics else { return Self::default() };
                let before = before.map(|before| {
                    let at = match before {
                        PipeStatus::Direct(pipe) => pipe.statistics.as_ref().map(|of| of.at),
                        PipeStatus::Modelled(_) => None,
                    };
                    (at, before.delivered(), before.dropped_frames())
                });
                let (at, delivered, dropped) = before.unwrap_or_default();
                let bytes = statistics.delivered.bytes;
                Self {
                    rate: rate(
                        bytes.saturating_sub(delivered.unwrap_or_default().bytes),
                        statistics.at.since(at.unwrap_or_default()),
                    ),
                    dropped: Some(
                        statistics.dropped_frames.saturating_sub(dropped.unwrap_or_default()),
                    ),
                    ..Self::default()
                }
            }
        }
    }

    fn modelled(before: Option<&ModelledPipe>, pipe: &ModelledPipe) -> Self {
        let now = &pipe.statistics;
        let has_line = pipe.config.rate.nominal().is_some();
        let Some(ModelledPipe { config, statistics: before }) = before else {
            return Self {
                load: has_line.then_some(now.load),
                rate: rate(now.delivered.bytes, now.at.since(now.since)),
                queue: Some(now.queue.mean_frames),
                fill: now.queue.fill,
                dropped: Some(now.dropped.total().frames),
            };
        };
        let length = now.at.since(before.at).as_secs_f64();
        // Sums over time are means times lengths.
        let mean = |of: fn(&PipeStatistics) -> Option<f64>| {
            let sum = |at: &PipeStatistics| Some(of(at)? * at.at.since(at.since).as_secs_f64());
            Some(((sum(now)? - sum(before)?) / length).max(0.0)).filter(|mean| mean.is_finite())
        };
        let busy = now.busy_ns.saturating_sub(before.busy_ns) as f64 / 1e9;
        let has_same_limit = *config == pipe.config;
        Self {
            load: Some((busy / length).min(1.0)).filter(|load| has_line && load.is_finite()),
            rate: rate(
                now.delivered.bytes.saturating_sub(before.delivered.bytes),
                now.at.since(before.at),
            ),
            queue: mean(|of| Some(of.queue.mean_frames)),
            fill: mean(|of| of.queue.fill).filter(|_| has_same_limit).map(|share| share.min(1.0)),
            dropped: Some(now.dropped.total().frames.saturating_sub(before.dropped.total().frames)),
        }
    }
}

/// Whether both are counts of one pipe from the same beginning, at different times.
fn is_same(before: &ModelledPipe, now: &ModelledPipe) -> bool {
    let (before, now) = (&before.statistics, &now.statistics);
    before.since == now.since && before.at < now.at
}

/// Returns the rate of `bytes` over a time in bit/s, or `None` over no time.
pub fn rate(bytes: u64, over: Duration) -> Option<f64> {
    share(bytes.saturating_mul(8) as f64 * 1e9, over)
}

/// Returns the share that `nanos` are of a time, or `None` of no time.
pub fn share(nanos: f64, of: Duration) -> Option<f64> {
    (of > Duration::ZERO).then(|| nanos / of.as_nanos() as f64)
}
