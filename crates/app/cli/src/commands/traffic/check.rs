//! `netloom traffic check`

use anyhow::{Result, bail};
use netloom_traffic::{
    HurstEstimate, Moments, Series, VariancePoint, variance_time_hurst, wavelet_hurst,
};
use netloom_units::{Duration, Time, readable};
use serde_json::json;

use super::{arrivals, chosen};
use crate::args::{Check, Format};
use crate::exit;
use crate::table::table;

/// Fewest bins for an estimate.
const FEWEST: usize = 16;

/// Estimates the statistics of a file's arrivals.
pub fn check(args: &Check) -> Result<i32> {
    let frames = arrivals::read(&args.file)?;
    let model = match &args.model {
        Some(model) => {
            let chosen = chosen(model, &args.options)?;
            let moments = chosen.model.moments(&chosen.sizes, chosen.line.as_ref());
            Some(moments.map_err(|error| exit::usage(error.to_string()))?)
        }
        None => None,
    };
    let last = frames.last().map_or(Time::ZERO, |frame| frame.at).since(Time::ZERO);
    let time = args.time.unwrap_or(last);
    if args.bin == Duration::ZERO || (time.as_nanos() / args.bin.as_nanos()) < FEWEST as u64 {
        bail!("{time} hold fewer than {FEWEST} bins of {}; take a smaller --bin", args.bin);
    }
    let count = frames.len();
    let series = Series::new(frames, args.bin, time);
    let checked = Checked::new(count, time, &series, model, args.from);
    match args.format {
        Format::Table => checked.print(),
        Format::Json => println!("{}", serde_json::to_string_pretty(&checked.json())?),
    }
    Ok(exit::SUCCESS)
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
    wavelets: Option<HurstEstimate>,
    slope: Option<f64>,
    model: Option<Moments>,
}

impl Checked {
    fn new(
        frames: usize,
        time: Duration,
        series: &Series,
        model: Option<Moments>,
        from: u32,
    ) -> Self {
        let variances = series.variances(model.as_ref().map(|model| model.mean));
        Self {
            frames,
            time,
            bin: series.bin(),
            mean: series.mean(),
            peak: series.peak(),
            wavelets: wavelet_hurst(series.bits(), from),
            slope: variance_time_hurst(&variances),
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
            Some(HurstEstimate { hurst, half_width, octaves: (first, last) }) => {
                let length = |octave| self.bin.as_secs_f64() * f64::from(1u32 << octave);
                println!(
                    "H {hurst:.3} ± {half_width:.3} by wavelets, from {} to {} s",
                    length(first),
                    length(last),
                );
            }
            None => println!("H unknown: too few octaves; take smaller bins or a longer file"),
        }
        if let Some(slope) = self.slope {
            println!("H {slope:.3} by the slope of the variance: a hint, low where H is high");
        }
        if let Some(hurst) = self.model.as_ref().and_then(|model| model.hurst) {
            println!("H {hurst:.3} of the model, at times longer than its bursts");
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
            "hurst": self.wavelets.map(|estimate| json!({
                "value": estimate.hurst, "half_width": estimate.half_width,
                "octaves": [estimate.octaves.0, estimate.octaves.1],
            })),
            "hurst_by_variance": self.slope,
            "model": self.model.as_ref().map(|model| json!({
                "mean_bits_per_second": model.mean, "hurst": model.hurst,
            })),
        })
    }
}
