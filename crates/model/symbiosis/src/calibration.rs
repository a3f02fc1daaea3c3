//! From what the pipes of a chain did in a period to what the small pipe does next that stands for
//! them. Not here: equations (`formula`), and which frames are lost (`positions`).

use std::collections::VecDeque;

use netloom_link::{
    Data, EarlyLoss, Frame, LossPattern, OverheadPoint, OverheadProfile, Pipe, PipeChange,
    PipeConfig,
};
use netloom_units::{Duration, Probability, Time};

use crate::{PipeReport, formula, on_the_path};

/// Fewest frames from which a period's mean is taken.
const ENOUGH: u32 = 5;

/// Above this share of losses, the numbers of lost frames are a pattern.
const MOST: f64 = 0.5;

/// How long a share of losses is remembered, for periods with fewer frames.
const REMEMBERED: Duration = Duration::from_secs(5);

/// Which frames a small pipe loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossMethod {
    /// Those that the network lost, by their numbers in the period.
    #[default]
    Positions,
    /// The network's share, each frame by itself.
    Bernoulli,
    /// The network's share, evenly.
    Systematic,
}

/// Calibrates a small pipe, period after period, by the method `md1`: the line of an M/D/1 system
/// in which real frames alone spend the time that they spend in the network among others.
#[derive(Debug, Clone)]
pub struct Calibrator {
    period: Duration,
    delay: Duration,
    method: LossMethod,
    /// For each of the last periods, of each link how many frames were lost and offered.
    recent: VecDeque<Vec<(u32, u32)>>,
}

/// What a small pipe is to do from the time of a batch on.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// W: mean time in queues and on lines of the chain, in seconds.
    pub time: f64,
    /// λ^e: frames that left the chain, a second.
    pub departures: f64,
    /// P: the share of frames that the chain lost.
    pub loss: f64,
    /// sr: the service rate by (5.9), in frames a second; infinite if frames take no time.
    pub rate: f64,
    /// W₁(t): the backlog of the chain, in time.
    pub backlog: Duration,
    /// Propagation delay of the chain.
    pub delay: Duration,
    /// The frames that it is to lose.
    pub losses: EarlyLoss,
    /// T.
    pub period: Duration,
}

/// What of a calibration depends on the small pipe's own backlog.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// W₂(t): that backlog, at the service rate by (5.9).
    pub backlog: Duration,
    /// μ*: the service rate that is set, in frames a second.
    pub rate: f64,
    /// For how long the line is held.
    pub hold: Duration,
}

impl Calibrator {
    /// A calibrator of a small pipe whose chain has that propagation `delay`.
    pub fn new(period: Duration, delay: Duration, method: LossMethod) -> Self {
        Self { period, delay, method, recent: VecDeque::new() }
    }

    /// What the idle network does: what holds until there is a report. A full frame takes
    /// `transmission` on all lines of the chain together.
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

    /// What follows from the reports of the chain's pipes, in the order of the way, where the chain
    /// has that `backlog` when the calibration begins. There is at least one report.
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

    /// The share of frames that the chain loses.
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

    /// The frames to lose where the chain loses the share `loss`.
    fn losses(&self, chain: &[PipeReport], loss: f64) -> EarlyLoss {
        let share = Probability::new(loss.clamp(0.0, 1.0)).unwrap_or_default();
        match self.method {
            LossMethod::Bernoulli => EarlyLoss::Bernoulli(share),
            LossMethod::Systematic => EarlyLoss::Systematic(share),
            LossMethod::Positions if loss < 1.0 && is_enough(chain) => by_position(chain, loss),
            // Numbers among few frames, or among none, say nothing of the next ones.
            LossMethod::Positions if loss > 0.0 => EarlyLoss::Systematic(share),
            LossMethod::Positions => EarlyLoss::NONE,
        }
    }
}

/// The frames that the chain lost, by number. Of more frames, those beyond pass, and of fewer, what
/// is left falls on the next period: so their count is kept. Where most frames are lost that would
/// let through, at times, many times as many as pass; there the numbers are a pattern that goes on.
fn by_position(chain: &[PipeReport], loss: f64) -> EarlyLoss {
    let numbers = on_the_path(chain);
    if loss <= MOST {
        return EarlyLoss::Positions(numbers);
    }
    let entered = chain.first().map_or(0, |first| first.offered);
    let mut lost = vec![false; entered as usize];
    for number in &numbers {
        // What is left over is beyond the end.
        if let Some(one) = lost.get_mut(*number as usize) {
            *one = true;
        }
    }
    LossPattern::new(lost).map_or(EarlyLoss::Positions(numbers), EarlyLoss::Pattern)
}

/// Whether the chain was entered by enough frames.
fn is_enough(chain: &[PipeReport]) -> bool {
    chain.first().is_some_and(|first| first.offered >= ENOUGH)
}

fn lost(link: &PipeReport) -> u32 {
    u32::try_from(link.lost.len()).unwrap_or(u32::MAX)
}

/// The mean time of a frame in the link's queue and on its line, in seconds. Where few came, what
/// one would have waited at any time, and its transmission.
fn time(link: &PipeReport) -> f64 {
    match link.served {
        served @ ENOUGH.. => link.time.as_secs_f64() / f64::from(served),
        _ => (link.mean_unfinished + link.transmission).as_secs_f64(),
    }
}

impl Calibration {
    /// What follows for a small pipe with that backlog at the service rate by (5.9).
    pub fn setting(&self, backlog: Duration) -> Setting {
        let (large, small) = (self.backlog.as_secs_f64(), backlog.as_secs_f64());
        let period = self.period.as_secs_f64();
        let rate = formula::draining_rate(self.rate, large, small, period);
        Setting { backlog, rate, hold: self.backlog.saturating_sub(backlog) }
    }

    /// Calibrates `pipe` at `now`: its service, its delay, then its backlog, then its losses.
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

    /// A pipe that does what the calibration says to the first frames, in place of those to come.
    /// Nothing limits its queue.
    pub fn config(&self) -> PipeConfig {
        let mut config = PipeConfig::default();
        self.change(self.rate).apply_to(&mut config);
        config
    }

    /// A frame each so often, whatever its size.
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
