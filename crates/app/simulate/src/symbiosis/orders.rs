//! Turns a period's reports into an order to each small pipe. Not here: formulas
//! (`netloom-symbiosis`), and when orders take effect (`netloom-engine`).

use netloom_link::{EarlyLoss, Emission, Frame, Pipe, PipeConfig, Stream};
use netloom_scenario::{CalibrationMethod, Scenario};
use netloom_symbiosis::{Calibration, Calibrator, LossMethod, PipeReport, Setting, transmission};
use netloom_units::{Duration, Probability, Time};

use super::{Reports, Shrunk};

/// Calibrates all small pipes, period after period.
pub struct Calibrators {
    each: Vec<Follower>,
}

/// Calibrates one small pipe.
struct Follower {
    calibrator: Calibrator,
    /// The pipes that it stands for, by their indices in [`Shrunk::pruned`].
    chain: Vec<usize>,
    /// Configuration of the pipe before there is a report.
    idle: PipeConfig,
    /// Random numbers for other frames in bins, if these are repeated.
    others: Option<Stream>,
}

/// An order to a small pipe.
#[derive(Debug, Clone)]
pub struct Order {
    /// The calibration by the method `md1`, with the values that the reports gave.
    pub calibration: Calibration,
    /// Number of twins' frames that entered its chain in the period.
    pub offered: u32,
    /// Number of twins' frames that the chain lost.
    pub lost: u32,
    /// Number of twins' frames that left the chain.
    pub left: u32,
    /// The other frames that are repeated, with times since the beginning of the period. `None` by
    /// `md1`.
    others: Option<Vec<Emission>>,
    is_down: bool,
}

impl Calibrators {
    /// Returns the calibrators of a scenario's small network.
    pub fn new(scenario: &Scenario, shrunk: &Shrunk) -> Self {
        let asked = scenario.symbiosis;
        let repeats = asked.is_some_and(|one| one.calibration == CalibrationMethod::CrossTraffic);
        let losses = asked.map_or(LossMethod::default(), |one| losses(one.loss));
        let follower = |pipe: &super::SmallPipeOf| {
            let calibrator = Calibrator::new(shrunk.period, pipe.delay, losses);
            let chain = pipe.chain.iter().map(|place| &shrunk.pruned[*place]);
            let frames = chain.clone().map(|pipe| transmission(&pipe.config, pipe.full));
            let idle = match chain.clone().next().filter(|_| repeats) {
                Some(own) => own.config.clone(),
                None => calibrator.idle(frames.fold(Duration::ZERO, |sum, one| sum + one)).config(),
            };
            let stream = || Stream::new(scenario.seed, &format!("ghosts/{}", pipe.name));
            let others = repeats.then(stream);
            Follower { calibrator, chain: pipe.chain.clone(), idle, others }
        };
        Self { each: shrunk.pipes.iter().map(follower).collect() }
    }

    /// Returns the configurations of small pipes before there is a report, which make them do what
    /// the idle network does.
    pub fn idle(&self) -> impl Iterator<Item = &PipeConfig> {
        self.each.iter().map(|follower| &follower.idle)
    }

    /// Returns the order to each small pipe that follows from the reports of a period.
    pub fn orders(&mut self, reports: &Reports) -> Vec<Order> {
        self.each.iter_mut().map(|follower| follower.order(reports)).collect()
    }
}

impl Follower {
    fn order(&mut self, reports: &Reports) -> Order {
        let places = self.chain.iter();
        let chain: Vec<PipeReport> = places.map(|place| reports.pipes[*place].clone()).collect();
        let backlogs = chain.iter().map(|link| link.unfinished);
        let backlog = backlogs.fold(Duration::ZERO, |sum, one| sum + one);
        let others = self.others.as_mut().and_then(|stream| {
            let ghosts = reports.others.get(*self.chain.first()?)?;
            Some(ghosts.arrivals(stream))
        });
        Order {
            calibration: self.calibrator.calibrate(&chain, backlog),
            offered: chain.first().map_or(0, |first| first.offered),
            lost: chain.iter().map(|link| link.lost.len() as u32).sum(),
            left: chain.last().map_or(0, |last| last.left),
            others,
            is_down: chain.iter().any(|link| link.is_down),
        }
    }
}

impl Order {
    /// Applies the order to a small pipe at `now`. Returns W₂, the backlog that the pipe had.
    pub fn apply<F: Frame>(&self, pipe: &mut Pipe<F>, now: Time) -> Duration {
        let Some(others) = &self.others else {
            return self.calibration.apply(pipe, now).backlog;
        };
        let backlog = pipe.unfinished(now);
        let since = now.since(Time::ZERO);
        pipe.bring(now, others.iter().map(|one| Emission { at: one.at + since, ..*one }));
        let all = Probability::new(1.0).unwrap_or_default();
        pipe.lose(now, if self.is_down { EarlyLoss::Bernoulli(all) } else { EarlyLoss::NONE });
        backlog
    }

    /// Returns the settings of a small pipe that had that backlog. `None` by `cross_traffic`.
    pub fn setting(&self, backlog: Duration) -> Option<Setting> {
        self.others.is_none().then(|| self.calibration.setting(backlog))
    }
}

fn losses(method: netloom_scenario::LossMethod) -> LossMethod {
    match method {
        netloom_scenario::LossMethod::Positions => LossMethod::Positions,
        netloom_scenario::LossMethod::Bernoulli => LossMethod::Bernoulli,
        netloom_scenario::LossMethod::Systematic => LossMethod::Systematic,
    }
}
