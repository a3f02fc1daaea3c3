//! Calibration: computes from the reports of a chain's pipes what the small pipe that stands for
//! the chain has to do next. Not here: equations (`formula`), and which frames are lost
//! (`positions`).

use std::collections::VecDeque;

use netloom_link::{
    Data, EarlyLoss, Frame, LossPattern, OverheadPoint, OverheadProfile, Pipe, PipeChange,
    PipeConfig,
};
use netloom_units::{Duration, Probability, Time};

use crate::{PipeReport, formula, on_the_path};

/// Smallest number of frames from which a period's mean is computed.
const ENOUGH: u32 = 5;

/// Above this share of losses, the numbers of lost frames are repeated as a pattern.
const MOST: f64 = 0.5;

/// Time for which the share of losses is remembered, for periods with too few frames.
const REMEMBERED: Duration = Duration::from_secs(5);

/// The method that chooses the frames that a small pipe loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossMethod {
    /// The frames that the network lost, by their numbers in the period.
    #[default]
    Positions,
    /// The network's share of losses, drawn for each frame independently.
    Bernoulli,
    /// The network's share of losses, spread evenly.
    Systematic,
}

/// Calibrates a small pipe, period after period, by the method `md1`. The small pipe's line is that
/// of an M/D/1 system in which the real frames alone spend as much time as they spend in the
/// network among other frames.
#[derive(Debug, Clone)]
pub struct Calibrator {
    period: Duration,
    delay: Duration,
    method: LossMethod,
    /// For each of the last periods, the numbers of frames that each link lost and was offered.
    recent: VecDeque<Vec<(u32, u32)>>,
}

/// The settings of a small pipe for a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// W: mean time in queues and on lines of the chain, in seconds.
    pub time: f64,
    /// λ^e: number of frames that left the chain per second.
    pub departures: f64,
    /// P: the share of frames that the chain lost.
    pub loss: f64,
    /// sr: the service rate by (5.9), in frames per second. Infinite if frames take no time.
    pub rate: f64,
    /// W₁(t): backlog of the chain, as time.
    pub backlog: Duration,
    /// Propagation delay of the chain.
    pub delay: Duration,
    /// The frames that the small pipe must lose.
    pub losses: EarlyLoss,
    /// T: duration of the period.
    pub period: Duration,
}

/// The settings that also depend on the small pipe's own backlog.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// W₂(t): the small pipe's backlog, as time at the service rate by (5.9).
    pub backlog: Duration,
    /// μ*: the service rate that is set, in frames per second.
    pub rate: f64,
    /// Time for which the line is held.
    pub hold: Duration,
}

impl Calibrator {
    /// Returns a calibrator of a small pipe whose chain has the propagation delay `delay`.
    pub fn new(period: Duration, delay: Duration, method: LossMethod) -> Self {
        Self { period, delay, method, recent: VecDeque::new() }
    }

    /// Returns the calibration of the idle network, which is used until there is a report. A full
    /// frame takes `transmission` on all lines of the chain together.
    pub fn idle(&self, transmission: Duration) -> Calibration {
        let time = transmission.as_secs_f64();
        Calibration {
            time,
            departures: 0.0,
            loss: 0.0,
            rate: formula::service_rate(time, 0.0),
            backlog: Duration::ZERO,
            delay: self.delay,
            losses: EarlyLoss::NONE,
            period: self.period,
        }
    }

    /// Computes a calibration from the reports of the chain's pipes, in the order of the path.
    /// `backlog` is that of the chain when the calibration begins. There must be at least one
    /// report.
    pub fn calibrate(&mut self, chain: &[PipeReport], backlog: Duration) -> Calibration {
        self.remember(chain);
        let time: f64 = chain.iter().map(time).sum();
        let left = chain.last().map_or(0, |last| last.left);
        let departures = f64::from(left) / self.period.as_secs_f64();
        let loss = self.loss(chain);
        Calibration {
            time,
            departures,
            loss,
            rate: formula::service_rate(time, departures),
            backlog,
            delay: self.delay,
            losses: self.losses(chain, loss),
            period: self.period,
        }
    }

    fn remember(&mut self, chain: &[PipeReport]) {
        let kept = REMEMBERED.as_nanos().div_ceil(self.period.as_nanos().max(1)).max(1);
        self.recent.push_back(chain.iter().map(|link| (lost(link), link.offered)).collect());
        while self.recent.len() as u64 > kept {
            self.recent.pop_front();
        }
    }

    /// Returns the share of frames that the chain loses.
    fn loss(&self, chain: &[PipeReport]) -> f64 {
        if chain.iter().any(|link| link.is_down) {
            return 1.0;
        }
        let share = |lost: u32, offered: u32| match offered {
            0 => 0.0,
            offered => f64::from(lost) / f64::from(offered),
        };
        if is_enough(chain) {
            return formula::path_loss(chain.iter().map(|link| share(lost(link), link.offered)));
        }
        formula::path_loss((0..chain.len()).map(|link| {
            let each = self.recent.iter().filter_map(|period| period.get(link));
            let (lost, offered) = each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            share(lost, offered)
        }))
    }

    /// Returns the frames to lose if the chain loses the share `loss`.
    fn losses(&self, chain: &[PipeReport], loss: f64) -> EarlyLoss {
        let share = Probability::new(loss.clamp(0.0, 1.0)).unwrap_or_default();
        match self.method {
            LossMethod::Bernoulli => EarlyLoss::Bernoulli(share),
            LossMethod::Systematic => EarlyLoss::Systematic(share),
            LossMethod::Positions if loss < 1.0 && is_enough(chain) => by_position(chain, loss),
            // The numbers of few frames, or of none, do not predict the next ones.
            LossMethod::Positions if loss > 0.0 => EarlyLoss::Systematic(share),
            LossMethod::Positions => EarlyLoss::NONE,
        }
    }
}

/// Returns the frames that the chain lost, by number. If the next period has more frames, those
/// beyond the numbers pass. If it has fewer, the rest of the losses falls on the period after it,
/// so that the number of losses is kept. If most frames are lost, this method could at times let
/// through many times too many frames. The numbers are then repeated as a pattern.
fn by_position(chain: &[PipeReport], loss: f64) -> EarlyLoss {
    let numbers = on_the_path(chain);
    if loss <= MOST {
        return EarlyLoss::Positions(numbers);
    }
    let entered = chain.first().map_or(0, |first| first.offered);
    let mut lost = vec![false; entered as usize];
    for number in &numbers {
        // Losses that are left over have numbers beyond the end.
        if let Some(one) = lost.get_mut(*number as usize) {
            *one = true;
        }
    }
    LossPattern::new(lost).map_or(EarlyLoss::Positions(numbers), EarlyLoss::Pattern)
}

/// Whether enough frames entered the chain.
fn is_enough(chain: &[PipeReport]) -> bool {
    chain.first().is_some_and(|first| first.offered >= ENOUGH)
}

fn lost(link: &PipeReport) -> u32 {
    u32::try_from(link.lost.len()).unwrap_or(u32::MAX)
}

/// Returns the mean time of a frame in the link's queue and on its line, in seconds. If few frames
/// arrived, returns the time that a frame would have waited on average, plus its transmission.
fn time(link: &PipeReport) -> f64 {
    match link.served {
        served @ ENOUGH.. => link.time.as_secs_f64() / f64::from(served),
        _ => (link.mean_unfinished + link.transmission).as_secs_f64(),
    }
}

impl Calibration {
    /// Returns the settings for a small pipe with the given backlog, as time at the service rate by
    /// (5.9).
    pub fn setting(&self, backlog: Duration) -> Setting {
        let (large, small) = (self.backlog.as_secs_f64(), backlog.as_secs_f64());
        let period = self.period.as_secs_f64();
        let rate = formula::draining_rate(self.rate, large, small, period);
        Setting { backlog, rate, hold: self.backlog.saturating_sub(backlog) }
    }

    /// Calibrates `pipe` at `now`: first its service and its delay, then its backlog, then its
    /// losses.
    pub fn apply<F: Frame>(&self, pipe: &mut Pipe<F>, now: Time) -> Setting {
        pipe.change(now, &self.change(self.rate));
        let setting = self.setting(pipe.unfinished(now));
        if setting.rate > self.rate {
            pipe.change(now, &self.change(setting.rate));
        }
        pipe.hold(now, setting.hold);
        pipe.lose(now, self.losses.clone());
        setting
    }

    /// Returns the configuration of a pipe that follows the calibration from the start. Nothing
    /// limits its queue.
    pub fn config(&self) -> PipeConfig {
        let mut config = PipeConfig::default();
        self.change(self.rate).apply_to(&mut config);
        config
    }

    /// Returns a change to a pipe that serves `rate` frames per second, whatever their size.
    pub(crate) fn change(&self, rate: f64) -> PipeChange {
        let time = Duration::from_nanos((1e9 / rate).round() as u64);
        let always = Probability::new(1.0).expect("one is a probability");
        let point = OverheadPoint { probability: always, time, lost: false };
        let profile = OverheadProfile::new(vec![point]).expect("one point does not go back");
        PipeChange {
            mac_overhead: Some(Data::inline(profile)),
            delay: Some(self.delay.into()),
            ..PipeChange::default()
        }
    }
}
