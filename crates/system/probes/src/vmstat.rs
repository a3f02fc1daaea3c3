//! Swapping, from `/proc/vmstat`: pages of the whole machine. It is attributed in proportion to the
//! major faults that `processes` observes.

use netloom_monitor::{Direction, Observation, PageCause, Party, SignalKind};
use netloom_units::{Duration, Time};

use crate::fields::{Counter, lines, value};
use crate::places::ProcRoots;
use crate::polled_file::{Foundation, PolledFile};
use crate::probe::{Probe, Sink};

const PERIOD: Duration = Duration::from_millis(100);
/// Period while the machine has nothing to swap to. Swap may be added later. (The kernel generates
/// some hundred lines for each look.)
const PERIOD_WITHOUT_SWAP: Duration = Duration::from_secs(1);

pub struct Vmstat {
    vmstat: Foundation,
    /// The list of swap areas, below a title line.
    swaps: Option<PolledFile>,
    can_swap: bool,
    counters: [(&'static str, Direction, Counter); 2],
}

impl Vmstat {
    pub fn new(places: &ProcRoots) -> Self {
        let signals = &[SignalKind::MemoryIn, SignalKind::MemoryOut];
        let counters = [("pswpin", Direction::In), ("pswpout", Direction::Out)];
        Self {
            vmstat: Foundation::of_head(
                "/proc/vmstat",
                &places.proc.join("vmstat"),
                signals,
                |text| counters.iter().all(|(key, _)| value(text, key).is_some()),
            ),
            swaps: PolledFile::open(&places.proc.join("swaps")).ok(),
            can_swap: true,
            counters: counters.map(|(key, direction)| (key, direction, Counter::default())),
        }
    }
}

impl Probe for Vmstat {
    fn period(&self) -> Duration {
        if self.can_swap { PERIOD } else { PERIOD_WITHOUT_SWAP }
    }

    fn start(&mut self, sink: Sink<'_>) {
        let blind = "pages are counted every 100 ms (each second while there is nothing to swap \
                     to) and for the whole machine: not when in that time, and by whom only in \
                     proportion to major faults";
        self.vmstat.start(sink, &[blind]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        // Without such a list, the machine may be able to swap.
        self.can_swap = self
            .swaps
            .as_mut()
            .is_none_or(|swaps| swaps.read().is_err() || lines(swaps.text()).nth(1).is_some());
        let Some((text, over)) = self.vmstat.read(at, sink) else { return };
        for (key, direction, counter) in &mut self.counters {
            // A kernel without swap support has no such line.
            let pages = value(text, key).and_then(|now| counter.grew(now)).unwrap_or(0);
            let (direction, cause, party) = (*direction, PageCause::Swap, Party::Unattributed);
            if let Some(over) = over.filter(|_| pages > 0) {
                sink(Observation::Paged { direction, cause, party, pages, over });
            }
        }
    }
}
