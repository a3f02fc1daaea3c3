//! Numbers and times in text formats.

use netloom_units::{Time, quoted};

/// Latest time of a trace: 10⁹ s, some 30 years.
pub(super) const LATEST: Time = Time::from_nanos(1_000_000_000_000_000_000);

/// Parses a time in seconds, to the nearest nanosecond.
pub(super) fn time(text: &str) -> Result<Time, String> {
    seconds(number(text)?)
}

/// Converts seconds to a time, to the nearest nanosecond.
pub(super) fn seconds(seconds: f64) -> Result<Time, String> {
    match (0.0..=1e9).contains(&seconds) {
        true => Ok(Time::from_nanos(libm::round(seconds * 1e9) as u64)),
        false => Err(format!("{seconds} s is no time from 0 to 10⁹ s")),
    }
}

/// Parses a finite number.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{} is no number", quoted(text)))
}

/// Formats a time in seconds with as many decimals as it needs.
pub(super) fn written(time: Time) -> String {
    let nanos = time.as_nanos();
    let (whole, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{rest:09}").trim_end_matches('0').to_string(),
    }
}
