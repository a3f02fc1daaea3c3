//! The measures of flows and pipes that are compared.

use netloom_api::flow::FlowStatus;
use netloom_api::state::PipeStatus;
use netloom_api::summary::Summary;
use netloom_units::Time;
use netloom_units::readable::{bit_rate, micros};
use serde::Serialize;

/// A measure that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Received traffic, in bit/s: payload for a flow, frames for a pipe.
    Goodput,
    /// Share of packets or frames that did not arrive, of those that left their node.
    Loss,
    /// Median delay, in ns. For a ping, it is the round trip.
    Delay,
    /// Mean delay, in ns.
    DelayMean,
    /// 99th percentile of the delay, in ns.
    DelayP99,
    /// Interarrival jitter, in ns.
    Jitter,
    /// Share of the time in which the line sends.
    Load,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 7] = [
        Self::Goodput,
        Self::Loss,
        Self::Delay,
        Self::DelayMean,
        Self::DelayP99,
        Self::Jitter,
        Self::Load,
    ];

    /// Returns the name of the measure.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goodput => "goodput",
            Self::Loss => "loss",
            Self::Delay => "delay",
            Self::DelayMean => "delay_mean",
            Self::DelayP99 => "delay_p99",
            Self::Jitter => "jitter",
            Self::Load => "load",
        }
    }

    /// Returns the unit of its values; a share has none.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Goodput => "bit/s",
            Self::Loss | Self::Load => "",
            Self::Delay | Self::DelayMean | Self::DelayP99 | Self::Jitter => "ns",
        }
    }

    /// Returns the measure called `name`. `rtt` is the delay of a ping.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "rtt" { "delay" } else { name };
        Self::ALL.into_iter().find(|measure| measure.name() == name)
    }

    /// Returns a value with its unit. Differences may be negative.
    pub fn in_words(self, value: f64) -> String {
        if value < 0.0 {
            return format!("-{}", self.in_words(-value));
        }
        match self {
            Self::Goodput => bit_rate(value),
            Self::Loss | Self::Load => format!("{:.3} %", value * 100.0),
            Self::Delay | Self::DelayMean | Self::DelayP99 | Self::Jitter => micros(value / 1000.0),
        }
    }
}

/// A value of a flow or pipe.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Name of the flow or pipe.
    pub what: String,
    /// The measure.
    pub measure: Measure,
    /// Value of the measure.
    pub value: f64,
}

/// Returns all measured values of a run.
pub fn measured(summary: &Summary) -> Vec<Measured> {
    let flows = summary.flows.iter().flat_map(|flow| of_flow(flow, summary.ended));
    let pipes = summary.links.iter().flat_map(|link| {
        let name = &link.name;
        let both = [("forward", &link.forward), ("reverse", &link.reverse)];
        both.into_iter().flat_map(move |(way, pipe)| of_pipe(&format!("{name}/{way}"), pipe))
    });
    flows.chain(pipes).collect()
}

fn of_flow(flow: &FlowStatus, ended: Time) -> Vec<Measured> {
    let what = format!("flow {}", flow.name);
    let mut values = Vec::new();
    values.extend(flow.goodput(ended).map(|goodput| (Measure::Goodput, goodput)));
    // TCP retransmits losses, and has no packets of its own that could be timed.
    if flow.protocol != "tcp" {
        let lost = flow.lost().unwrap_or(0) as f64 / flow.left().max(1) as f64;
        values.push((Measure::Loss, lost));
        values.push((Measure::Jitter, flow.jitter_ns));
    }
    if let Some(delay) = &flow.delay {
        values.push((Measure::Delay, delay.p50_ns as f64));
        values.push((Measure::DelayMean, delay.mean_ns));
        values.push((Measure::DelayP99, delay.p99_ns as f64));
    }
    all(&what, values)
}

fn of_pipe(what: &str, pipe: &PipeStatus) -> Vec<Measured> {
    let mut values = Vec::new();
    values.extend(pipe.mean_goodput().map(|rate| (Measure::Goodput, rate)));
    if let Some(offered) = pipe.offered() {
        let dropped = pipe.dropped_frames().unwrap_or(0);
        values.push((Measure::Loss, dropped as f64 / offered.frames.max(1) as f64));
    }
    if let Some(pipe) = pipe.modelled() {
        values.push((Measure::Load, pipe.statistics.load));
        if let Some(delay) = &pipe.statistics.delay {
            values.push((Measure::Delay, delay.p50_ns as f64));
            values.push((Measure::DelayMean, delay.mean_ns));
            values.push((Measure::DelayP99, delay.p99_ns as f64));
        }
    }
    all(what, values)
}

/// Returns values with the name of what they are about.
pub fn all(what: &str, values: Vec<(Measure, f64)>) -> Vec<Measured> {
    let one = |(measure, value)| Measured { what: what.to_owned(), measure, value };
    values.into_iter().map(one).collect()
}

/// The tolerance of one measure: the largest difference of the second run from the first, as a
/// share of the latter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// The measure.
    pub measure: Measure,
    /// The largest difference, as a share.
    pub share: f64,
}

impl std::str::FromStr for Tolerance {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, share) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` is no tolerance: write like `goodput=2%`"))?;
        let measure = Measure::named(name).ok_or_else(|| {
            let known = Measure::ALL.map(Measure::name).join(", ");
            format!("nothing called `{name}` is compared: there are {known}")
        })?;
        let number = share.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        let number = number.ok_or_else(|| format!("`{share}` is no share: write like `2%`"))?;
        Ok(Self { measure, share: number / 100.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::Measure;

    #[test]
    fn a_difference_has_the_unit_of_its_size() {
        assert_eq!(Measure::Goodput.in_words(-2e6), format!("-{}", Measure::Goodput.in_words(2e6)));
        assert_eq!(Measure::Delay.in_words(-5e6), format!("-{}", Measure::Delay.in_words(5e6)));
    }
}
