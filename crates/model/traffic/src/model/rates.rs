//! Rates that change at given times.

use std::sync::Arc;

use netloom_units::{
    Data, DataError, DataFile, DataFormat, RateSchedule, ScheduleStep, Stream, check_count, lines,
    quoted,
};
use netloom_units::{Duration, Rate, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError};
use crate::sizes::SizeLaw;
use crate::source::{Fluid, FrameSource};
use crate::{Emission, Moments, Pace, RateStep};

/// A rate that changes at given times: a `schedule`, or a `file` with a rate for each `step`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RatesConfig {
    /// Rates and the times from which they hold: for each step `at` and `rate`; the first at `0s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<ScheduleStep>>,
    /// A file with a rate like `10Mbit/s`, or `0`, in each line; or a list of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Data<RateList>>,
    /// How long each rate of the file holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Duration>,
    /// After this time it starts again (default: the last rate of a schedule stays, and a file
    /// ends).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Duration>,
}

/// Largest number of steps that may pass until a frame is complete.
const MOST_STEPS: f64 = 1e6;

/// Rates, some of which may be none at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
pub struct RateList(Vec<Option<Rate>>);

impl RateList {
    /// # Errors
    /// If there are no rates, too many, or only zeros.
    pub fn new(rates: Vec<Option<Rate>>) -> Result<Self, String> {
        check_count(rates.len(), "a list of rates")?;
        match rates.iter().any(Option::is_some) {
            true => Ok(Self(rates)),
            false => Err("all rates are 0".into()),
        }
    }
}

/// Parses a rate, or `0` for none.
fn rate(text: &str) -> Result<Option<Rate>, String> {
    match text {
        "0" => Ok(None),
        text if text.len() > 64 => Err(format!("{} is not a rate", quoted(text))),
        text => text.parse().map(Some).map_err(|error: netloom_units::UnitError| error.to_string()),
    }
}

impl TryFrom<Vec<String>> for RateList {
    type Error = String;
    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        let rates: Result<_, _> = texts.iter().map(|text| rate(text)).collect();
        Self::new(rates?)
    }
}

impl From<RateList> for Vec<String> {
    fn from(list: RateList) -> Self {
        let text = |rate: &Option<Rate>| rate.map_or("0".into(), |rate| rate.to_string());
        list.0.iter().map(text).collect()
    }
}

impl DataFormat for RateList {
    const WHAT: &'static str = "list of rates";

    fn parse(text: &str) -> Result<Self, DataError> {
        let parsed = lines(text)
            .map(|(number, line)| rate(line).map_err(|error| DataError::at(number, error)));
        Self::new(parsed.collect::<Result<_, _>>()?).map_err(DataError::Whole)
    }
}

impl RatesConfig {
    fn steps(&self) -> Result<Steps, TrafficError> {
        let to_step = |at: Duration, rate: Option<Rate>| RateStep {
            at: Time::ZERO + at,
            rate: rate.map(Pace::from),
        };
        if let Some(schedule) = &self.schedule {
            let steps = schedule.iter().map(|step| to_step(step.at, Some(step.rate)));
            return Ok(Steps::new(steps.collect(), self.repeat));
        }
        let (Some(file), Some(step)) = (&self.file, self.step) else {
            // The check of the configuration requires both.
            return Err(TrafficError::NoRate { model: "rates" });
        };
        let rates = &file.values().ok_or_else(|| TrafficError::unread(file.file()))?.0;
        let at = |index: usize| Duration::from_nanos(step.as_nanos().saturating_mul(index as u64));
        let end = at(rates.len());
        if let Some(repeat) = self.repeat.filter(|repeat| *repeat < end) {
            return Err(TrafficError::RepeatsEarly { repeat, last: end });
        }
        let mut steps: Vec<_> =
            rates.iter().enumerate().map(|(index, rate)| to_step(at(index), *rate)).collect();
        if self.repeat != Some(end) {
            steps.push(to_step(end, None));
        }
        Ok(Steps::new(steps, self.repeat))
    }

    /// Rejects steps so short that one frame takes millions of them: a caller would wait long for
    /// the next frame.
    fn check_steps(&self, steps: &Steps, frame_bits: f64) -> Result<(), TrafficError> {
        let Some(round) = self.repeat else { return Ok(()) };
        let rounds = frame_bits / (self.mean()? * round.as_secs_f64());
        match rounds * steps.steps.len() as f64 {
            passed if passed > MOST_STEPS => Err(TrafficError::ManySteps { passed }),
            _ => Ok(()),
        }
    }

    fn mean(&self) -> Result<f64, TrafficError> {
        let steps = self.steps()?;
        let all = &steps.steps;
        let rate = |step: &RateStep| step.rate.map_or(0.0, Pace::bits_per_second);
        let Some(end) = self.repeat.or((self.file.is_some()).then(|| steps.last())) else {
            // The last rate of a schedule stays in force.
            return Ok(rate(&all[all.len() - 1]));
        };
        let ends = all.iter().skip(1).map(|step| step.at).chain([Time::ZERO + end]);
        let work =
            all.iter().zip(ends).map(|(step, to)| rate(step) * to.since(step.at).as_secs_f64());
        Ok(work.sum::<f64>() / end.as_secs_f64())
    }
}

impl Configured for RatesConfig {
    fn check(&self) -> Result<(), String> {
        match (&self.schedule, &self.file, self.step) {
            (Some(schedule), None, None) => {
                RateSchedule::new(schedule.clone(), self.repeat).map(|_| ())
            }
            (None, Some(_), Some(step)) if step > Duration::ZERO => Ok(()),
            (None, Some(_), Some(_)) => Err("`step` must be above 0".into()),
            _ => Err("rates have either a `schedule`, or a `file` and its `step`".into()),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        self.file.iter_mut().map(|file| file as _).collect()
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let sizes = given.sizes.law()?;
        let steps = self.steps()?;
        self.check_steps(&steps, sizes.mean() * 8.0)?;
        Ok(Varying::new(steps, sizes, given.stream).into())
    }

    fn fluid(&self, _: &Given<'_>) -> Result<Option<Fluid>, TrafficError> {
        Ok(Some(self.steps()?.into()))
    }

    fn changes(&self, _: &Given<'_>) -> Result<f64, TrafficError> {
        let steps = self.steps()?;
        let round = match self.repeat {
            Some(repeat) => repeat,
            // Each step occurs once.
            None => steps.last().max(Duration::from_secs(1)),
        };
        Ok(steps.steps.len() as f64 / round.as_secs_f64())
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        Ok(Moments::unknown(self.mean()?))
    }
}

/// The steps of a rate, which may repeat.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    /// The steps. The first one is at 0.
    steps: Arc<[RateStep]>,
    repeat: Option<Duration>,
    next: usize,
    /// Time at which the current round began.
    begun: Time,
}

impl Steps {
    fn new(steps: Vec<RateStep>, repeat: Option<Duration>) -> Self {
        Self { steps: steps.into(), repeat, next: 0, begun: Time::ZERO }
    }

    /// Returns the time at which the last step begins, counted from 0.
    fn last(&self) -> Duration {
        self.steps[self.steps.len() - 1].at.since(Time::ZERO)
    }

    /// Returns the next step, or `None` after the last one and at the end of time.
    pub fn next(&mut self) -> Option<RateStep> {
        if self.next == self.steps.len() {
            self.begun += self.repeat?;
            self.next = 0;
        }
        let RateStep { at, rate } = self.steps[self.next];
        self.next += 1;
        let at = self.begun + at.since(Time::ZERO);
        (at < Time::from_nanos(u64::MAX)).then_some(RateStep { at, rate })
    }
}

/// Frames at a varying rate. A frame is sent when its bits are complete. They are counted in units
/// of 10⁻¹² bit, so that nothing is lost when the rate changes.
#[derive(Debug, Clone)]
pub(crate) struct Varying {
    steps: Steps,
    now: RateStep,
    next: Option<RateStep>,
    /// Units that are missing for the next frame.
    missing: i128,
    bytes: u32,
    sizes: SizeLaw,
    lengths: Stream,
}

/// Units in a byte.
const PARTS: i128 = 8_000_000_000_000;

impl Varying {
    fn new(mut steps: Steps, sizes: SizeLaw, stream: &Stream) -> Self {
        // There is at least one step.
        let now = steps.next().unwrap_or(RateStep { at: Time::ZERO, rate: None });
        let next = steps.next();
        let mut lengths = stream.fork("sizes");
        let bytes = sizes.draw_by_volume(&mut lengths);
        let part = stream.fork("phase").uniform() * (i128::from(bytes) * PARTS) as f64;
        Self { steps, now, next, missing: part as i128, bytes, sizes, lengths }
    }

    /// Returns the next frame, or `None` when nothing more will be sent.
    pub fn next(&mut self) -> Option<Emission> {
        loop {
            let end = self.next.map_or(Time::from_nanos(u64::MAX), |step| step.at);
            // A thousandth of a bit per second is 10⁻¹² bit per nanosecond.
            let pace = i128::from(self.now.rate.map_or(0, Pace::thousandths));
            let left = i128::from(end.since(self.now.at).as_nanos());
            if self.missing <= 0 || self.missing < left * pace {
                // Rounded up: the frame is sent when all of it is complete.
                let passed = if self.missing > 0 { (self.missing - 1) / pace + 1 } else { 0 };
                self.now.at += Duration::from_nanos(passed as u64);
                let frame = Emission { at: self.now.at, bytes: self.bytes };
                self.bytes = self.sizes.draw(&mut self.lengths);
                self.missing += i128::from(self.bytes) * PARTS - passed * pace;
                return Some(frame);
            }
            self.missing -= left * pace;
            self.now = self.next?;
            self.next = self.steps.next();
        }
    }
}
