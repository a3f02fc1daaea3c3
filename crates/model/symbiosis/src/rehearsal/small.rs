//! The small network of a rehearsal.

use netloom_link::{Emission, PipeChange, Stream};
use netloom_units::{Duration, Time};

use super::chain::Chain;
use super::scene::{Fate, Inherited, Method, Scene, frames_of, times};
use crate::{Calibration, Calibrator, Ghosts, LossMethod, PipeReport, transmission};

/// The network that follows the original.
pub(super) struct SmallNetwork {
    chain: Chain,
    follows: Follows,
}

enum Follows {
    Md1(Calibrator, Inherited),
    /// Random numbers for ghosts in bins.
    CrossTraffic(Stream),
}

impl SmallNetwork {
    /// Returns the small network before the first report.
    pub fn new(scene: &Scene, method: Method) -> Self {
        let configs = scene.links.iter().map(|link| link.config.clone());
        let (chain, follows) = match method {
            Method::Md1(inherited, losses) => {
                let calibrator = calibrator(scene, losses);
                let each = configs.map(|config| transmission(&config, scene.full));
                let sum = each.fold(Duration::ZERO, |sum, time| sum + time);
                let config = calibrator.idle(sum).config();
                let chain = Chain::new([config].into_iter(), scene.seed, "small");
                (chain, Follows::Md1(calibrator, inherited))
            }
            Method::CrossTraffic => {
                let stream = Stream::new(scene.seed, "ghosts");
                (Chain::new(configs, scene.seed, "small"), Follows::CrossTraffic(stream))
            }
        };
        Self { chain, follows }
    }

    /// Calibrates the network with what was reported of `period`. The current backlogs are those at
    /// the end of the reports `before`.
    pub fn calibrate(
        &mut self,
        scene: &Scene,
        period: u64,
        reports: &[PipeReport],
        before: Option<&[PipeReport]>,
    ) {
        let now = self.chain.now();
        match &mut self.follows {
            Follows::Md1(calibrator, inherited) => {
                let each = before.unwrap_or_default().iter().map(|link| link.unfinished);
                let backlog = each.fold(Duration::ZERO, |sum, one| sum + one);
                let calibration = calibrator.calibrate(reports, backlog);
                inherit(*inherited, &calibration, &mut self.chain, now);
            }
            Follows::CrossTraffic(stream) => {
                for (place, link) in scene.links.iter().enumerate() {
                    let ghosts = ghosts(scene, period, &link.cross);
                    let arrivals = ghosts.arrivals(stream);
                    let now = now.since(Time::ZERO);
                    let later = |one: Emission| Emission { at: one.at + now, ..one };
                    self.chain.bring(place, arrivals.into_iter().map(later));
                }
            }
        }
    }

    /// Runs a period in which these frames are sent.
    pub fn period(&mut self, scene: &Scene, real: &[Emission]) {
        self.chain.period(scene.period, real);
    }

    /// Returns the fates of all frames.
    pub fn finish(mut self) -> Vec<Fate> {
        self.chain.drain();
        self.chain.into_fates()
    }
}

fn calibrator(scene: &Scene, losses: LossMethod) -> Calibrator {
    let delays = scene.links.iter().map(|link| link.config.delay.nominal());
    let delay = delays.fold(Duration::ZERO, |sum, delay| sum + delay);
    Calibrator::new(scene.period, delay, losses)
}

/// Returns the other traffic of a link in a period.
fn ghosts(scene: &Scene, period: u64, cross: &[Emission]) -> Ghosts {
    let begin = times(scene.period, period);
    let frames = frames_of(scene, period, cross).iter();
    let arrivals: Vec<_> = frames.map(|one| Emission { at: one.at - begin, ..*one }).collect();
    Ghosts::new(&arrivals, scene.period)
}

/// Calibrates the pipe of `chain`, which inherits the backlog in the given way.
fn inherit(inherited: Inherited, calibration: &Calibration, chain: &mut Chain, now: Time) {
    let pipe = &mut chain.pipes[0];
    match inherited {
        Inherited::Head => {
            calibration.apply(pipe, now);
        }
        Inherited::Not => {
            pipe.change(now, &calibration.change(calibration.rate));
            pipe.lose(now, calibration.losses.clone());
        }
        Inherited::Each => {
            pipe.change(now, &calibration.change(calibration.rate));
            let backlog = pipe.unfinished(now);
            let extra = calibration.setting(backlog).hold;
            let kept = calibration.backlog.min(backlog);
            Calibration { backlog: kept, ..calibration.clone() }.apply(pipe, now);
            let delay = Some((calibration.delay + extra).into());
            pipe.change(now, &PipeChange { delay, ..PipeChange::default() });
        }
    }
}
