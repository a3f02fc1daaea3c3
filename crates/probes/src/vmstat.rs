//! Swapping, from `/proc/vmstat`: pages of the whole machine. Who caused it is divided by the major faults
//! that `processes` sees.

use netloom_monitor::{Direction, Observation, PageCause, Party, SignalKind};
use netloom_units::{Duration, Time};

use crate::fields::{Counter, value};
use crate::places::Places;
use crate::probe::{Probe, Sink};
use crate::source::Foundation;

const PERIOD: Duration = Duration::from_millis(100);

pub struct Vmstat {
    vmstat: Foundation,
    counters: [(&'static str, Direction, Counter); 2],
}

impl Vmstat {
    pub fn new(places: &Places) -> Self {
        let signals = &[SignalKind::MemoryIn, SignalKind::MemoryOut];
        let counters = [("pswpin", Direction::In), ("pswpout", Direction::Out)];
        Self {
            vmstat: Foundation::of_head(
                "/proc/vmstat",
                &places.proc.join("vmstat"),
                signals,
                |text| counters.iter().all(|(key, _)| value(text, key).is_some()),
            ),
            counters: counters.map(|(key, direction)| (key, direction, Counter::default())),
        }
    }
}

impl Probe for Vmstat {
    fn period(&self) -> Duration {
        PERIOD
    }

    fn start(&mut self, sink: Sink<'_>) {
        let blind = "pages are counted every 100 ms and for the whole machine: not when in that time, and by \
                     whom only in proportion to major faults";
        self.vmstat.start(sink, &[blind]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        let Some((text, over)) = self.vmstat.read(at, sink) else { return };
        for (key, direction, counter) in &mut self.counters {
            // A kernel without swap has no such line, and does not swap.
            let pages = value(text, key).and_then(|now| counter.grew(now)).unwrap_or(0);
            let (direction, cause, party) = (*direction, PageCause::Swap, Party::Unattributed);
            if let Some(over) = over.filter(|_| pages > 0) {
                sink(Observation::Paged { direction, cause, party, pages, over });
            }
        }
    }
}
