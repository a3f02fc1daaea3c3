//! The present, by the machine's clock.

use netloom_shape::Moment;

/// Returns the time now, by the machine's clock.
pub fn now() -> Moment {
    let local = chrono::Local::now();
    let unix_ms = u64::try_from(local.timestamp_millis()).unwrap_or_default();
    Moment { unix_ms, offset: local.offset().local_minus_utc() }
}
