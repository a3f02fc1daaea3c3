//! `netloom traffic check`

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use netloom_link::DataFormat;
use netloom_traffic::{
    Arrivals, Emission, FirstOctave, HurstEstimate, Moments, NoHurst, Series, VariancePoint,
    variance_time_hurst, wavelet_hurst,
};
use netloom_units::{Duration, Time, readable};
use serde_json::json;

use super::chosen::chosen;
use crate::args::{Check, Format};
use crate::exit;
use crate::files::{self, Contents};
use crate::table::table;

/// Fewest bins for an estimate.
const FEWEST: usize = 16;

/// The length of the first octave of a fit, in mean bursts of the model.
const BURSTS: f64 = 4.0;

/// Estimates the statistics of a file's arrivals.
pub fn check(args: &Check) -> Result<i32> {
    let frames = read(&args.file)?;
    let model = match &args.model {
        Some(model) => {
            let chosen = chosen(model, &args.options)?;
            let moments = chosen.model.moments(&chosen.sizes, chosen.line.as_ref());
            Some(moments.map_err(|error| exit::usage(error.to_string()))?)
        }
        None => None,
    };
    let frames = frames.as_slice();
    let last = frames.last().map_or(Time::ZERO, |frame| frame.at).since(Time::ZERO);
    let time = args.time.unwrap_or(last);
    let series = series(frames, args, time)?;
    let from = match args.from {
        Some(first) => FirstOctave::Given(first),
        None => FirstOctave::Chosen { at_least: beyond_bursts(model.as_ref(), args.bin) },
    };
    let checked = Checked::new(frames.len(), time, &series, model, from);
    match args.format {
        Format::Table => checked.print(),
        Format::Json => println!("{}", serde_json::to_string_pretty(&checked.json())?),
    }
    Ok(exit::SUCCESS)
}

/// Reads the arrivals of a file, as a `trace` does.
fn read(path: &Path) -> Result<Arrivals> {
    let name = path.display();
    let contents = files::contents(path);
    match contents.map_err(|error| anyhow!("cannot read {name}: {}", error.reason))? {
        Contents::Capture(arrivals) => Ok(arrivals),
        Contents::Text(text) => Arrivals::parse(&text)
            .with_context(|| format!("{name} is neither a capture nor lines of seconds and bytes")),
    }
}

/// Returns the bins of the recording's first `time`.
fn series(frames: &[Emission], args: &Check, time: Duration) -> Result<Series> {
    let bin = args.bin;
    if time == Duration::ZERO {
        bail!("all arrivals are at one time; say with --for how long the recording is");
    }
    if bin == Duration::ZERO || time.as_nanos() / bin.as_nanos() < FEWEST as u64 {
        bail!("{time} hold fewer than {FEWEST} bins of {bin}; take a smaller --bin");
    }
    let series = Series::new(frames.iter().copied(), bin, time).map_err(|error| {
        anyhow!("{error}; take a larger --bin, like {}, or a shorter --for", error.fitting())
    })?;
    match series.mean() > 0.0 {
        true => Ok(series),
        false => bail!("nothing arrives in the first {time}; take a longer --for"),
    }
}

/// Returns the first octave that is longer than the bursts of the model.
fn beyond_bursts(model: Option<&Moments>, bin: Duration) -> u32 {
    let Some(burst) = model.and_then(|model| model.burst) else { return 1 };
    let bins = BURSTS * burst / bin.as_secs_f64();
    let octaves = (1..u32::BITS).take_while(|octave| ((1u64 << octave) as f64) < bins);
    octaves.last().map_or(1, |octave| octave + 1)
}

/// The statistics of a file.
struct Checked {
    frames: usize,
    time: Duration,
    bin: Duration,
    /// In bit/s.
    mean: f64,
    /// The rate of the fullest bin, in bit/s.
    peak: f64,
    variances: Vec<VariancePoint>,
    wavelets: Result<HurstEstimate, NoHurst>,
    slope: Option<f64>,
    model: Option<Moments>,
}

impl Checked {
    fn new(
        frames: usize,
        time: Duration,
        series: &Series,
        model: Option<Moments>,
        from: FirstOctave,
    ) -> Self {
        let variances = series.variances(model.as_ref().map(|model| model.mean));
        let wavelets = wavelet_hurst(series.bits(), from);
        // Times that the wavelets leave out are left out here, too.
        let first = match wavelets {
            Ok(estimate) | Err(NoHurst::Outside(estimate)) => Some(estimate.octaves.0 as usize),
            Err(_) => None,
        };
        Self {
            frames,
            time,
            bin: series.bin(),
            mean: series.mean(),
            peak: series.peak(),
            slope: first.and_then(|first| variance_time_hurst(variances.get(first..)?)),
            wavelets,
            variances,
            model,
        }
    }

    fn print(&self) {
        let rate = |rate: f64| readable::bit_rate(rate);
        println!("{} frames in {}", self.frames, self.time);
        let wanted = self.model.as_ref().map(|model| model.mean);
        let beside = wanted.map(|mean| format!("; the model's is {}", rate(mean)));
        println!("mean rate {}{}", rate(self.mean), beside.unwrap_or_default());
        println!("peak to mean {:.2}, in bins of {}", self.peak / self.mean, self.bin);
        println!();
        let mut rows = table(&["time", "times", "deviation", "model", "variance ÷ model"]);
        for point in &self.variances {
            let seconds = point.time.as_secs_f64();
            let deviation = |variance: f64| rate(variance.sqrt() / seconds);
            let wanted = self.wanted(point);
            rows.add_row([
                point.time.to_string(),
                point.count.to_string(),
                deviation(point.variance),
                wanted.map_or("–".into(), deviation),
                wanted.map_or("–".into(), |wanted| format!("{:.3}", point.variance / wanted)),
            ]);
        }
        println!("{rows}");
        println!();
        match self.wavelets {
            Ok(HurstEstimate { hurst, half_width, octaves: (first, last) }) => println!(
                "H {hurst:.3} ± {half_width:.3} by wavelets, from {} to {} s",
                self.seconds(first),
                self.seconds(last),
            ),
            Err(reason) => println!("H unknown: {}", self.reason(reason)),
        }
        if let Some(slope) = self.slope {
            println!("H {slope:.3} by the slope of the variance: a hint, low where H is high");
        }
        if let Some(hurst) = self.model.as_ref().and_then(|model| model.hurst) {
            println!("H {hurst:.3} of the model, at times longer than its bursts");
        }
    }

    /// Returns the length of an octave, in s.
    fn seconds(&self, octave: u32) -> f64 {
        self.bin.as_secs_f64() * (1u64 << octave) as f64
    }

    /// Returns the reason why H is unknown, and what helps.
    fn reason(&self, reason: NoHurst) -> String {
        let octave = |octave: u32| format!("octave {octave} is {} s long", self.seconds(octave));
        match reason {
            NoHurst::TooFew { first, .. } => format!(
                "{reason}, and {}; take a longer file, or smaller bins if bursts are short",
                octave(first)
            ),
            NoHurst::Constant { octave: constant } => format!("{reason}, and {}", octave(constant)),
            NoHurst::NotStraight { last } => format!(
                "{reason}, and {}; take a longer file, or say with --from where the line begins",
                octave(last)
            ),
            NoHurst::Outside(estimate) => format!(
                "{reason}, and {}; bursts are longer than that, or the mean changes: take a later \
                 --from",
                octave(estimate.octaves.0)
            ),
        }
    }

    /// Returns the variance of the model, if there is a formula.
    fn wanted(&self, point: &VariancePoint) -> Option<f64> {
        let variance = self.model.as_ref()?.variance(point.time.as_secs_f64())?;
        (variance > 0.0).then_some(variance)
    }

    fn json(&self) -> serde_json::Value {
        let variances = self.variances.iter().map(|point| {
            json!({
                "seconds": point.time.as_secs_f64(), "count": point.count,
                "variance_bits2": point.variance, "model_bits2": self.wanted(point),
            })
        });
        json!({
            "frames": self.frames,
            "seconds": self.time.as_secs_f64(),
            "bin_seconds": self.bin.as_secs_f64(),
            "mean_bits_per_second": self.mean,
            "peak_bits_per_second": self.peak,
            "variances": variances.collect::<Vec<_>>(),
            "hurst": self.wavelets.ok().map(|estimate| json!({
                "value": estimate.hurst, "half_width": estimate.half_width,
                "octaves": [estimate.octaves.0, estimate.octaves.1],
            })),
            "hurst_unknown": self.wavelets.err().map(|reason| self.reason(reason)),
            "hurst_by_variance": self.slope,
            "model": self.model.as_ref().map(|model| json!({
                "mean_bits_per_second": model.mean, "hurst": model.hurst,
            })),
        })
    }
}
