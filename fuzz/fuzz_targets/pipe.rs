//! Any change that can be written (JSON, as the API takes it) is taken or refused, and a pipe with
//! it carries frames without losing count.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_link::{FrameInfo, Pipe, PipeChange, PipeConfig, Stream};
use netloom_units::{Duration, Time};

fuzz_target!(|text: &str| {
    let mut pipe = Pipe::new(PipeConfig::default(), Stream::new(1, "fuzz"), Time::ZERO);
    let mut now = Time::ZERO;
    for line in text.lines() {
        let Ok(change) = serde_json::from_str::<PipeChange>(line) else { continue };
        pipe.change(now, &change);
        for number in 0..20u32 {
            let _ = pipe.offer(now, FrameInfo::single(60 + number * 70), number);
            now += Duration::from_micros(100);
            while pipe.poll(now).is_some() {}
            while pipe.poll_dropped().is_some() {}
        }
        let s = pipe.statistics(now);
        let inside = s.queue.now + s.in_flight;
        assert_eq!(s.offered + s.duplicated, s.delivered + s.dropped.total() + inside);
    }
});
