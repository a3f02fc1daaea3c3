//! Traces, tables, profiles and recordings of any text are read or refused. The first byte picks
//! the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_link::{
    DataFormat, DistributionTable, LossPattern, Offsets, OverheadProfile, RateTrace,
};
use netloom_traffic::{Arrivals, FlowList, Pictures, RateList, Samples, SizeList};
use netloom_units::Duration;

fuzz_target!(|input: (u8, &str)| {
    let (format, text) = input;
    match format % 11 {
        0 => drop(RateTrace::parse(text)),
        1 => drop(DistributionTable::parse(text)),
        2 => drop(LossPattern::parse(text)),
        3 => drop(Offsets::parse(text)),
        4 => drop(OverheadProfile::parse(text)),
        5 => drop(Arrivals::parse(text)),
        6 => drop(FlowList::parse(text)),
        7 => drop(RateList::parse(text)),
        8 => drop(Pictures::parse(text)),
        9 => drop(SizeList::parse(text)),
        _ => drop(Samples::<Duration>::parse(text)),
    }
});
