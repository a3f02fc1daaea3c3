//! Traces, tables and profiles of any text are read or refused. The first byte picks the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_link::{
    DataFormat, DistributionTable, LossPattern, Offsets, OverheadProfile, RateTrace,
};

fuzz_target!(|input: (u8, &str)| {
    let (format, text) = input;
    match format % 5 {
        0 => drop(RateTrace::parse(text)),
        1 => drop(DistributionTable::parse(text)),
        2 => drop(LossPattern::parse(text)),
        3 => drop(Offsets::parse(text)),
        _ => drop(OverheadProfile::parse(text)),
    }
});
