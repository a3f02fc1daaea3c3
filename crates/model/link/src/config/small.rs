//! Values that no full packet fits into, and jitter that exceeds its delay: valid, and almost never
//! meant.

use netloom_units::{Rate, Size};

use super::{PipeConfig, RateLimit};
use crate::condition::MeterConfig;
use crate::flight::{Delay, JitterDistribution};
use crate::queue::{Discipline, QueueLimit};

/// Bytes of the Ethernet header.
const HEADER: u64 = 14;

/// A value that does less than its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooSmall {
    /// Dotted key of the property, like `queue.limit`.
    pub property: &'static str,
    /// What happens, as a statement: "no frame of 1514 B fits into the `burst` of 100B: …".
    pub what: String,
    /// Advice to the user.
    pub help: &'static str,
}

impl PipeConfig {
    /// Returns the values that are too small for IP packets of `mtu` bytes.
    ///
    /// ```
    /// use netloom_link::PipeConfig;
    ///
    /// let text = r#"{"rate":"10Mbit/s","burst":"100B","queue":{"limit":"3packets"}}"#;
    /// let change: netloom_link::PipeChange = serde_json::from_str(text).unwrap();
    /// let mut config = PipeConfig::default();
    /// change.apply_to(&mut config);
    /// let found: Vec<_> = config.too_small(1500).iter().map(|small| small.property).collect();
    /// assert_eq!(found, ["burst"]);
    /// ```
    pub fn too_small(&self, mtu: u32) -> Vec<TooSmall> {
        let frame = u64::from(mtu) + HEADER;
        let on_line = u64::from(self.framing.line_bytes(u32::try_from(frame).unwrap_or(u32::MAX)));
        let checks = [
            self.small_burst(frame, on_line),
            self.small_limit(frame, on_line),
            self.small_class(frame, on_line),
            self.small_threshold(frame, on_line),
            self.small_meter(frame, on_line),
            self.large_jitter(),
        ];
        checks.into_iter().flatten().collect()
    }

    fn small_burst(&self, frame: u64, on_line: u64) -> Option<TooSmall> {
        let is_paced = matches!(self.rate, RateLimit::Limited(_) | RateLimit::Schedule(_));
        let burst = self.burst.bytes();
        (is_paced && burst > 0 && burst < on_line).then(|| TooSmall {
            property: "burst",
            what: format!(
                "no frame of {frame} B ({on_line} B on the line) fits into the `burst` of {}: it \
                 leaves at the `rate`, and tc's tbf would drop it",
                self.burst
            ),
            help: "write more than a frame, or leave `burst` out",
        })
    }

    fn small_limit(&self, frame: u64, on_line: u64) -> Option<TooSmall> {
        let rate = self.rate.nominal()?;
        let limit = self.queue.limit;
        is_below(limit, Some(rate), on_line).then(|| TooSmall {
            property: "queue.limit",
            what: format!(
                "no frame of {frame} B ({on_line} B on the line) ever waits in a queue of {limit}: \
                 it is dropped unless the line is free"
            ),
            help: "write a limit of several frames, like `50packets`",
        })
    }

    fn small_class(&self, frame: u64, on_line: u64) -> Option<TooSmall> {
        let rate = self.rate.nominal();
        let mut limits = self.queue.discipline.classes().iter().filter_map(|class| class.limit);
        let limit = limits.find(|limit| is_below(*limit, rate, on_line))?;
        Some(TooSmall {
            property: "queue.discipline",
            what: format!(
                "no frame of {frame} B ({on_line} B on the line) ever waits in a class of {limit}"
            ),
            help: "write a limit of several frames, like `50packets`",
        })
    }

    fn small_threshold(&self, frame: u64, on_line: u64) -> Option<TooSmall> {
        let Discipline::Red(red) = &self.queue.discipline else { return None };
        is_below(red.max, self.rate.nominal(), on_line).then(|| TooSmall {
            property: "queue.discipline",
            what: format!(
                "one waiting frame of {frame} B ({on_line} B on the line) is above red's `max` of \
                 {}",
                red.max
            ),
            help: "write thresholds of several frames, like `min: 5packets`, `max: 15packets`",
        })
    }

    fn small_meter(&self, frame: u64, on_line: u64) -> Option<TooSmall> {
        let meters = self.condition.conditioners().iter().filter_map(|one| one.meter);
        let most = |meter: MeterConfig| match meter {
            MeterConfig::OneRate { burst, .. } => burst,
            MeterConfig::Srtcm(config) => config.cbs.max(config.ebs),
            MeterConfig::Trtcm(config) => config.pbs,
        };
        let burst: Size = meters.map(most).find(|burst| burst.bytes() < on_line)?;
        Some(TooSmall {
            property: "condition",
            what: format!(
                "no frame of {frame} B ({on_line} B on the line) fits into a bucket of {burst}: \
                 all of them exceed the meter"
            ),
            help: "write buckets of several frames",
        })
    }

    fn large_jitter(&self) -> Option<TooSmall> {
        let Delay::Constant(delay) = self.delay else { return None };
        let jitter = match self.jitter.distribution {
            JitterDistribution::Uniform(jitter)
            | JitterDistribution::Normal(jitter)
            | JitterDistribution::Pareto(jitter)
            | JitterDistribution::ParetoNormal(jitter)
            | JitterDistribution::Table(_, jitter) => jitter,
            JitterDistribution::None
            | JitterDistribution::Empirical(_)
            | JitterDistribution::Pattern(_) => return None,
        };
        (jitter > delay).then(|| TooSmall {
            property: "jitter",
            what: format!(
                "the `jitter` of {jitter} exceeds the `delay` of {delay}: what would be negative \
                 is 0, so that the mean is above the delay"
            ),
            help: "write a jitter of at most the delay",
        })
    }
}

/// Whether nothing of this many bytes on the line fits into a limit.
fn is_below(limit: QueueLimit, rate: Option<Rate>, on_line: u64) -> bool {
    match limit {
        QueueLimit::Default => false,
        QueueLimit::Packets(packets) => packets == 0,
        QueueLimit::Bytes(size) => size.bytes() < on_line,
        QueueLimit::Time(time) => rate.is_some_and(|rate| rate.bytes_in(time).bytes() < on_line),
    }
}
